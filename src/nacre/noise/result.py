"""What an estimate of the noise rate says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LEVEL = 0.95
"""Of intervals."""


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
        The chance that a row of one class (its row) is labelled as another (its column).
    classes : ndarray
        The classes, in the order of the matrix.
    curve : ndarray of shape (sizes, 3) or None
        Of neighbours: their number m, the rate (not yet held to what is possible) and its
        standard error; NaN or infinite where there is none.
    m : int or None
        The number chosen.
    """

    rate: float
    interval: tuple[float, float]
    matrix: np.ndarray
    classes: np.ndarray
    curve: np.ndarray | None = None
    m: int | None = None

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.rate:.1%} of the labels are wrong (95% interval {low:.1%} to {high:.1%})"

    def __repr__(self) -> str:
        low, high = self.interval
        return f"NoiseRate({self.rate:.4g}, interval=({low:.4g}, {high:.4g}))"


def symmetric_matrix(rate: float, n_classes: int) -> np.ndarray:
    """The noise matrix under which a share of each class goes to all the others alike."""
    matrix = np.full((n_classes, n_classes), rate / (n_classes - 1))
    np.fill_diagonal(matrix, 1.0 - rate)
    return matrix
