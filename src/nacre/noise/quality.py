"""What an estimate of the noise rate says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacre.data.check import check_form
from nacre.data.storable import storable

LEVEL = 0.95
"""Of intervals."""


@storable
@dataclass(frozen=True, eq=False, repr=False)
class NoiseRate:
    """How many labels are wrong.

    Attributes
    ----------
    rate : float
        The share of wrong labels; with clean rows, among the others.
    interval : (float, float)
        Where the rate lies, at the 95 % level.
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
    """

    rate: float
    interval: tuple[float, float]
    matrix: np.ndarray
    classes: np.ndarray
    curve: np.ndarray | None = None
    n_neighbors: int | None = None

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.rate:.1%} of the labels are wrong (95% interval {low:.1%} to {high:.1%})"

    def __repr__(self) -> str:
        low, high = self.interval
        return f"NoiseRate({self.rate:.4g}, interval=({low:.4g}, {high:.4g}))"


@storable
@dataclass(frozen=True, eq=False, repr=False)
class LabelQuality:
    """The quality of labels, as far as models can tell that have not seen them.

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

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        check_form(self.given, "given", np.int64, (None,), 0, len(self.classes))
        shape = (len(self.given), len(self.classes))
        check_form(self.posterior, "posterior", np.float64, shape)
        check_form(self.probabilities, "probabilities", np.float64, shape)

    @property
    def quality(self) -> np.ndarray:
        """The probability that each label is right."""
        out: np.ndarray = self.posterior[np.arange(len(self.given)), self.given]
        return out

    @property
    def margins(self) -> np.ndarray:
        """That probability less the probability of the likeliest other class."""
        return label_margins(self.posterior, self.given)

    @property
    def scores(self) -> np.ndarray:
        """How suspect each label is: from 0 to 1, above 1/2 where another class is likelier."""
        return (1.0 - self.margins) / 2.0

    @property
    def mislabeled(self) -> np.ndarray:
        """Which rows are likelier of another class than of the one given: a mask."""
        return self.scores > 0.5

    @property
    def order(self) -> np.ndarray:
        """All rows, most suspect first."""
        return np.argsort(self.margins, kind="stable")

    @property
    def suspects(self) -> np.ndarray:
        """The rows that are mislabelled, by number, most suspect first."""
        return self.order[: self.mislabeled.sum()]

    @property
    def suggested(self) -> np.ndarray:
        """The likeliest class of each row, given its label; that label among equals."""
        out: np.ndarray = self.classes[self.suggested_codes]
        return out

    @property
    def suggested_codes(self) -> np.ndarray:
        """The same, as places in ``classes``."""
        return np.where(self.mislabeled, self.posterior.argmax(axis=1), self.given)

    def __repr__(self) -> str:
        return f"{self.mislabeled.sum()} of {len(self.given)} labels look wrong; {self.noise}"


def symmetric_matrix(rate: float, n_classes: int) -> np.ndarray:
    """The noise matrix under which a share of each class goes to all the others alike."""
    matrix = np.full((n_classes, n_classes), rate / (n_classes - 1))
    np.fill_diagonal(matrix, 1.0 - rate)
    return matrix


def label_margins(shares: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The label's share less the largest other one."""
    rows = np.arange(len(labels))
    others = shares.copy()
    others[rows, labels] = -np.inf
    out: np.ndarray = shares[rows, labels] - others.max(axis=1)
    return out
