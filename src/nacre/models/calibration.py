"""Calibration: from votes to classes and probabilities, by a softmax with a temperature."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from nacre.data import TrainingRows

ENOUGH = 20_000
"""Rows that are enough to fit one temperature."""


def winner(scores: np.ndarray) -> np.ndarray:
    """The class of the highest score, the first among equals."""
    return (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)


def fit_scale(scores: np.ndarray, training: TrainingRows) -> float:
    """Platt scaling without a shift: the inverse softmax temperature of the votes.

    It is that of maximum likelihood. Targets are smoothed as Platt's are: each row counts a little
    for the other classes, so that the factor stays finite where the votes separate the classes.
    """
    n = len(training.y)
    some = np.arange(0, n, -(-n // ENOUGH))
    both, y, weight = votes_by_class(scores)[some], training.y[some], training.weight[some]
    rows = n if training.count is None else training.count.sum()
    own = 1.0 - 1.0 / (rows + 2.0)
    target = np.full(both.shape, (1.0 - own) / (both.shape[1] - 1))
    target[np.arange(len(y)), y] = own
    unit = np.abs(both).max()
    if unit == 0.0:
        return 1.0

    def loss(log_scale: float) -> float:
        logs = log_softmax(2.0 * np.exp(log_scale) / unit * both, axis=1)
        return float(-weight @ (target * logs).sum(axis=1))

    best = minimize_scalar(loss, bounds=(-7.0, 7.0), method="bounded", options={"xatol": 1e-10})
    return float(np.exp(best.x) / unit)


def votes_by_class(scores: np.ndarray) -> np.ndarray:
    """Votes with a column for each class: of two classes, minus and plus half the difference."""
    return scores if scores.ndim == 2 else np.column_stack([-scores / 2, scores / 2])


def probabilities(scores: np.ndarray, scale: float) -> np.ndarray:
    """Softmax of twice the scaled votes, largest for the winner even after rounding."""
    chances: np.ndarray = softmax(2.0 * scale * votes_by_class(scores), axis=1)
    rows = np.arange(len(chances))
    best = winner(scores)
    drowned = chances.argmax(axis=1) != best
    chances[rows[drowned], best[drowned]] = np.nextafter(chances[drowned].max(axis=1), 2.0)
    return chances
