"""Naive Bayes row by row and column by column, as the formula has it."""

from collections.abc import Sequence

import numpy as np


def log_chances(
    X: np.ndarray,
    y: np.ndarray,
    w: np.ndarray,
    s: np.ndarray,
    rows: np.ndarray,
    n_classes: int,
    categorical: Sequence[int] = (),
    smoothing: float = 1.0,
    floor: float = 1e-9,
) -> np.ndarray:
    """log p(class, row), one column a class; w weighs the rows of X, s says what they are worth.

    Missing values are left out; so are categories that X does not have, and constant columns.
    """
    with np.errstate(divide="ignore"):
        out = np.log(np.tile(np.bincount(y, w, n_classes) / w.sum(), (len(rows), 1)))
    for j in range(X.shape[1]):
        there = ~np.isnan(X[:, j])
        values = np.unique(X[there, j])
        if j not in categorical and len(values) > 1:
            mean, variance = moments(X[there, j], s[there])
        for k in range(n_classes):
            own = there & (y == k)
            if j in categorical:
                for value in values:
                    count = w[own & (X[:, j] == value)].sum() + smoothing
                    share = count / (w[own].sum() + smoothing * len(values))
                    out[rows[:, j] == value, k] += np.log(share)
            elif len(values) > 1:
                m, v = moments(X[own, j], w[own]) if w[own].sum() > 0 else (mean, variance)
                v += floor * variance
                density = -0.5 * np.log(2 * np.pi * v) - (rows[:, j] - m) ** 2 / (2 * v)
                out[:, k] += np.where(np.isnan(rows[:, j]), 0.0, density)
    return out


def moments(x: np.ndarray, w: np.ndarray) -> tuple[float, float]:
    mean = np.average(x, weights=w)
    return mean, np.average((x - mean) ** 2, weights=w)
