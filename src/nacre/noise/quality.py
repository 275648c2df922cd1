"""What an estimate of the noise rate says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import ceil, log, log1p
from typing import Any

import numpy as np

from nacre.data.check import as_share, check_form
from nacre.data.storable import storable

LEVEL = 0.95
"""Of intervals."""

SURE = 0.8
"""A label is called mislabelled, and changed, where another class is at least so probable."""

MOST = 0.5
"""No rate is above this, unless checked rows show it: labels would say the opposite.

One that may be so high is not known.
"""

ROUNDING = 1e-9
"""By so much a sum of probabilities may be off."""

GUESSES = "predictions and suspects are guesses."
"""How the warning ends that labels carry no signal: it is shown before all else."""

UNTOLD = 0.005
"""An interval that begins below this does not tell overlap of the classes from wrong labels."""


@storable
@dataclass(frozen=True, eq=False, repr=False)
class NoiseRate:
    """How many labels are wrong.

    Attributes
    ----------
    rate : float
        The share of wrong labels; with clean rows, among the others.
    interval : (float, float)
        Where the rate lies, at the 95 % level. It begins at 0 where labels disagree as overlapping
        classes would, and reaches as far as wrong labels that follow the overlap could.
    matrix : ndarray of shape (K, K)
        The noise (transition) matrix: the chance that a row of one class (its row) is labelled as
        another (its column). Rows sum to 1. cleanlab's ``noise_matrix`` is its transpose.
    classes : ndarray
        The classes, in the order of the matrix.
    curve : ndarray of shape (sizes, 3) or None
        Of neighbours: their number, the rate (not yet held to what is possible) and its
        standard error; NaN or infinite where there is none.
    n_neighbors : int or None
        The number chosen.
    labels : int or None
        How many labels it is the rate of, where that is known.
    """

    rate: float
    interval: tuple[float, float]
    matrix: np.ndarray
    classes: np.ndarray
    curve: np.ndarray | None = None
    n_neighbors: int | None = None
    labels: int | None = None

    @property
    def settled(self) -> bool:
        """Whether the labels say that some of them are wrong: the interval leaves out 0."""
        return self.interval[0] > UNTOLD

    @property
    def told(self) -> bool:
        """Whether anything can be told: the interval does not hold all rates that could be."""
        return self.settled or self.interval[1] < MOST

    @property
    def rows_to_check(self) -> int:
        """Random rows to check by hand so as to settle whether labels are wrong; 0 if it is.

        If half as many labels are wrong as the interval allows, so many rows show one of them in
        95 cases of 100. No more than there are.
        """
        half = self.interval[1] / 2.0
        if self.settled or half < UNTOLD:
            return 0
        rows = ceil(log(1.0 - LEVEL) / log1p(-half))
        return rows if self.labels is None else min(rows, self.labels)

    def assert_below(self, limit: float | str) -> None:
        """Raise where more labels are wrong than a limit allows.

        Parameters
        ----------
        limit : float or str
            A share such as 0.05 or "5%".

        Raises
        ------
        AssertionError
            Where the whole interval of the rate lies above the limit. A rate that could be lower
            raises nothing: then the table does not say that the limit is exceeded.

        Examples
        --------
        >>> import numpy as np
        >>> from nacre.noise import NoiseRate
        >>> found = NoiseRate(0.12, (0.07, 0.15), np.eye(2), np.array(["a", "b"]))
        >>> found.assert_below(0.1)
        >>> found.assert_below("5%")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        AssertionError: The 95% interval of the noise rate (7.0% to 15.0%) lies above ... 5.0%.
        """
        over, said = over_limit(self.interval, as_share(limit, "limit"))
        if over:
            raise AssertionError(said)

    def __str__(self) -> str:
        low, high = self.interval
        if self.settled:
            return f"{self.rate:.1%} of the labels are wrong (95% interval {low:.1%} to {high:.1%})"
        if not self.rows_to_check:
            return f"no sign of wrong labels (at most {high:.1%}, 95% interval)"
        if not self.told:
            return (
                "how many labels are wrong cannot be told: these columns hardly tell the classes "
                f"apart; check {self._to_check} to find out"
            )
        return (
            f"between 0 and {high:.1%} of the labels are wrong, {self.rate:.1%} expected: classes "
            f"overlap, which looks the same; check {self._to_check} to settle it"
        )

    @property
    def _to_check(self) -> str:
        rows = self.rows_to_check
        return f"all {rows} rows" if rows == self.labels else f"{rows} random rows"

    def __repr__(self) -> str:
        low, high = self.interval
        return f"NoiseRate({self.rate:.4g}, interval=({low:.4g}, {high:.4g}))"


@storable
@dataclass(frozen=True, eq=False, repr=False)
class LabelQuality:
    """The quality of labels, as far as models can tell that have not seen them.

    Suspects are a queue for a person: as many rows as labels are expected to be wrong, in the order
    of the probability of being wrong. Only labels that are surely enough wrong are changed.

    Attributes
    ----------
    posterior : ndarray of shape (n, K)
        The posterior of the true class: its probability, knowing the label that was given.
    probabilities : ndarray of shape (n, K)
        The same, not knowing the label.
    given : ndarray of shape (n,)
        The labels, as places in ``classes``.
    classes : ndarray
    noise : NoiseRate
    """

    posterior: np.ndarray
    probabilities: np.ndarray
    given: np.ndarray
    classes: np.ndarray
    noise: NoiseRate

    def __getstate__(self) -> dict[str, Any]:
        """What is kept in a file: not what is worked out from it."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        check_form(self.given, "given", np.int64, (None,), 0, len(self.classes))
        shape = (len(self.given), len(self.classes))
        check_form(self.posterior, "posterior", np.float64, shape)
        check_form(self.probabilities, "probabilities", np.float64, shape)

    def assert_below(self, limit: float | str) -> None:
        """Raise an AssertionError where the noise rate's whole interval lies above a limit."""
        self.noise.assert_below(limit)

    @property
    def quality(self) -> np.ndarray:
        """The probability that each label is right."""
        out: np.ndarray = self.posterior[np.arange(len(self.given)), self.given]
        return out

    @property
    def scores(self) -> np.ndarray:
        """How suspect each label is: the probability that it is wrong."""
        out: np.ndarray = 1.0 - self.quality
        return out

    @cached_property
    def order(self) -> np.ndarray:
        """All rows, most suspect first."""
        return np.argsort(self.quality, kind="stable")

    @cached_property
    def suspects(self) -> np.ndarray:
        """The rows to look at, by number, most suspect first: as many as labels seem to be wrong.

        All that are surely enough wrong to be changed are among them. Not all of them are wrong:
        ``expected_wrong`` says how many to expect. Their number is rounded down: where less than
        one wrong label is expected in all, there is no row to look at.
        """
        order = self.order
        sure = np.flatnonzero(self.mislabeled[order])
        count = rows_to_list(float(self.scores.sum()))
        return order[: max(count, sure[-1] + 1 if len(sure) else 0)]

    @property
    def suspected(self) -> np.ndarray:
        """Which rows are among the suspects: a mask."""
        out = np.zeros(len(self.given), bool)
        out[self.suspects] = True
        return out

    def expected_wrong(self, first: int | None = None) -> float:
        """How many of the first suspects are expected to be wrong; default: of all suspects."""
        return float(self.scores[self.suspects[:first]].sum())

    @property
    def mislabeled(self) -> np.ndarray:
        """Which labels are surely enough wrong to be changed: a mask.

        Another class has a probability of 0.8 or more; none is where it cannot be told how many
        labels are wrong.
        """
        out: np.ndarray = (self._others.max(axis=1) >= SURE) & self.noise.told
        return out

    @property
    def suggested(self) -> np.ndarray:
        """The likeliest class of each suspect other than its label; the label of other rows."""
        out: np.ndarray = self.classes[self.suggested_codes]
        return out

    @property
    def suggested_codes(self) -> np.ndarray:
        """``suggested`` as places in ``classes``."""
        return np.where(self.suspected, self.other_codes, self.given)

    @property
    def corrected(self) -> np.ndarray:
        """The labels, those that are surely enough wrong changed."""
        out: np.ndarray = self.classes[self.corrected_codes]
        return out

    @property
    def corrected_codes(self) -> np.ndarray:
        """``corrected`` as places in ``classes``."""
        return np.where(self.mislabeled, self.other_codes, self.given)

    @property
    def other_codes(self) -> np.ndarray:
        """The likeliest class of each row other than its label, as a place in ``classes``."""
        out: np.ndarray = self._others.argmax(axis=1)
        return out

    @property
    def _others(self) -> np.ndarray:
        """The posterior of classes other than the label."""
        out = self.posterior.copy()
        out[np.arange(len(out)), self.given] = -1.0
        return out

    def __repr__(self) -> str:
        said = f"{len(self.suspects)} of {len(self.given)} labels are suspect"
        return f"{said}, {self.mislabeled.sum()} of them surely wrong; {self.noise}"


def rows_to_list(wrong: float) -> int:
    """How many suspects there are where so many labels are expected to be wrong: rounded down."""
    return int(wrong + ROUNDING)


def over_limit(interval: Sequence[float], limit: float) -> tuple[bool, str]:
    """Whether an interval of the noise rate lies above a limit, and a line on it."""
    low, high = interval
    over = low > limit
    return over, (
        f"The 95% interval of the noise rate ({low:.1%} to {high:.1%}) lies "
        f"{'above' if over else 'not above'} the limit of {limit:.1%}."
    )


def symmetric_matrix(rate: float, n_classes: int) -> np.ndarray:
    """The noise matrix under which a share of each class goes to all the others alike."""
    matrix = np.full((n_classes, n_classes), rate / (n_classes - 1))
    np.fill_diagonal(matrix, 1.0 - rate)
    return matrix


def noise_matrix(
    posterior: np.ndarray, given: np.ndarray, weight: np.ndarray | None = None
) -> tuple[np.ndarray, float]:
    """The noise matrix that posteriors of true classes and labels come to, and the rate."""
    K = posterior.shape[1]
    weighted = posterior if weight is None else posterior * weight[:, None]
    joint = np.stack([np.bincount(given, weighted[:, k], K) for k in range(K)])
    whole = joint.sum(axis=1, keepdims=True)
    matrix = np.where(whole > 0.0, joint / np.maximum(whole, 1e-300), np.eye(K))
    return matrix, float(1.0 - joint.trace() / joint.sum()) if len(given) else 0.0


def label_margins(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The label's score, or share, less the largest other one."""
    rows = np.arange(len(labels))
    others = scores.copy()
    others[rows, labels] = -np.inf
    out: np.ndarray = scores[rows, labels] - others.max(axis=1)
    return out
