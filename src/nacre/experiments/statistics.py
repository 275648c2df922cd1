"""Statistics of the papers. Errors: less is better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

LEVEL = 0.05


class Comparison(NamedTuple):
    """Two methods on the same trials.

    Attributes
    ----------
    difference : mean of the first's errors less the second's
    p_value : of a two-sided t-test
    verdict : "win" or "loss" of the first where that is below 0.05, else "tie"
    """

    difference: float
    p_value: float
    verdict: str


Test = Callable[[np.ndarray, np.ndarray], float]


def paired(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The p-value of a t-test of the differences."""
    return _p_value(ours - theirs, 1.0 / len(ours))


def unpaired(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The p-value of Student's t-test of two samples."""
    if np.ptp(ours) == np.ptp(theirs) == 0.0:
        return paired(ours, theirs)
    return float(stats.ttest_ind(ours, theirs).pvalue)


def by_runs(folds: int) -> Test:
    """A paired t-test of the means of runs of so many trials, which share rows."""

    def test(ours: np.ndarray, theirs: np.ndarray) -> float:
        return paired(*(each.reshape(-1, folds).mean(axis=1) for each in (ours, theirs)))

    return test


def corrected(folds: int) -> Test:
    """A paired t-test with the variance of resampled rows.

    The results of repeated cross-validation share training rows: 1/n of the variance is too little.
    Nadeau and Bengio (Machine Learning 52, 2003) add the ratio of test rows to training rows.
    """

    def test(ours: np.ndarray, theirs: np.ndarray) -> float:
        return _p_value(ours - theirs, 1.0 / len(ours) + 1.0 / (folds - 1))

    return test


def _p_value(gap: np.ndarray, factor: float) -> float:
    """Of a mean whose variance is that of the gaps times a factor."""
    n = len(gap)
    if n < 2 or np.ptp(gap) == 0.0:  # the test is not defined: no spread, so no doubt
        return 1.0 if n < 2 or gap.mean() == 0.0 else 0.0
    t = gap.mean() / np.sqrt(factor * gap.var(ddof=1))
    return float(2.0 * stats.t.sf(abs(t), n - 1))


def compare(ours: np.ndarray, theirs: np.ndarray, *, test: Test = paired) -> Comparison:
    """A t-test over the trials that both have."""
    n = min(len(ours), len(theirs))
    ours, theirs = np.asarray(ours[:n], float), np.asarray(theirs[:n], float)
    difference = float(ours.mean() - theirs.mean())
    p_value = test(ours, theirs)
    if p_value >= LEVEL:
        return Comparison(difference, p_value, "tie")
    return Comparison(difference, p_value, "win" if difference < 0.0 else "loss")


def tally(verdicts: Iterable[str]) -> str:
    """Wins, ties and losses as the papers print them, such as +4=4-1."""
    found = list(verdicts)
    return f"+{found.count('win')}={found.count('tie')}-{found.count('loss')}"


def lowest(errors: Mapping[Any, np.ndarray]) -> Any:
    """The choice of lowest mean error; the first among equals.

    Where the errors are those on the test rows the choice has seen them, and its own error is too
    low to be true: that is how Barnes chose p.
    """
    return min(errors, key=lambda choice: errors[choice].mean())


def chosen_blind(
    validation: Mapping[Any, np.ndarray], test: Mapping[Any, np.ndarray]
) -> tuple[np.ndarray, list[list[Any]]]:
    """Test errors, and choices, where each trial chooses by its own validation error.

    The honest form: no test row has a say. A few validation rows often leave several choices equal;
    the error is then their mean, that of one picked at random.
    """
    seen, unseen = (np.array(list(table.values())) for table in (validation, test))
    best = seen == seen.min(axis=0)
    errors = np.where(best, unseen, 0.0).sum(axis=0) / best.sum(axis=0)
    choices = [[one for one, good in zip(validation, row, strict=True) if good] for row in best.T]
    return errors, choices
