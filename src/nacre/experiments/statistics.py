"""Statistics of the papers. Errors: less is better."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

LEVEL = 0.05


class Comparison(NamedTuple):
    """Two methods on the same trials.

    Attributes
    ----------
    difference : mean of the first's errors less the second's
    p_value : of a two-sided paired t-test
    verdict : "win" or "loss" of the first where that is below 0.05, else "tie"
    """

    difference: float
    p_value: float
    verdict: str


def compare(ours: np.ndarray, theirs: np.ndarray) -> Comparison:
    """Paired t-test over the trials that both have."""
    n = min(len(ours), len(theirs))
    gap = np.asarray(ours[:n], float) - np.asarray(theirs[:n], float)
    difference = float(gap.mean())
    if np.ptp(gap) == 0.0:  # the test is not defined: no spread, so no doubt
        p_value = 1.0 if difference == 0.0 or n < 2 else 0.0
    else:
        p_value = float(stats.ttest_1samp(gap, 0.0).pvalue)
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
