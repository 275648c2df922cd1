"""Ridge regression on sparse words: a member for text, which components of it do not exhaust."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import Ridge as SparseRidge

from nacre.consensus.task import Task
from nacre.data import fold_of
from nacre.data.check import check_form
from nacre.data.storable import storable

FOLDS = 5

PENALTIES = (30.0, 10.0, 3.0, 1.0, 0.3)
"""Ridge penalties tried; rows of one kind of terms have length 1."""

TOLERANCE = 1e-3
"""Of conjugate gradients."""


@storable
@dataclass(frozen=True, eq=False)
class WordScores:
    """Linear scores of the classes by sparse words.

    Attributes
    ----------
    coefficients : float32 array of shape (words, K)
    base : array of shape (K,)
        The scores of a row without words.
    """

    coefficients: np.ndarray
    base: np.ndarray
    width = 0
    """Columns of numbers that a table must have: none."""

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        check_form(self.base, "base", np.float64, (None,))
        check_form(self.coefficients, "coefficients", np.float32, (None, len(self.base)))

    def scores(self, words: sparse.csr_matrix) -> np.ndarray:
        """Shares of the classes, by the regression, less their mean."""
        if words.shape[1] != len(self.coefficients):
            raise ValueError(
                f"words has {words.shape[1]} columns, but this model has learned from "
                f"{len(self.coefficients)}."
            )
        return np.asarray(words @ self.coefficients + self.base, np.float64)

    def importances(self, d: int) -> np.ndarray:
        """None: it uses no column of numbers."""
        return np.zeros(d)


@dataclass(frozen=True)
class WordRidge:
    """Ridge regression of class indicators on sparse words, out of fold, by conjugate gradients.

    Rare words, each of which says much of few rows, are lost in the first components of a text.
    Least squares on all of them is as steady under wrong labels as the other regressions are; the
    penalty is chosen by the forward-corrected log loss.
    """

    def fit(self, task: Task, seed: int) -> tuple[WordScores, np.ndarray]:
        """The regression, and the out-of-fold scores of rows."""
        training, rows = task.training, task.judged
        part = training if len(rows) == len(training.y) else training.take(rows)
        fold = fold_of(part, min(FOLDS, len(rows)), seed)
        label = np.eye(training.n_classes)[task.labels]
        base = np.average(label, axis=0, weights=task.weight)
        target, middle = label - base, base - base.mean()
        target -= target.mean(axis=1, keepdims=True)
        found = []
        for penalty in PENALTIES:
            held = np.tile(middle, (len(rows), 1))
            for k in range(int(fold.max()) + 1):
                out, rest = fold == k, fold != k
                if rest.any():
                    fitted = _solve(part.words[rest], target[rest], task.weight[rest], penalty)
                    held[out] += part.words[out] @ fitted
            found.append((task.loss_of_judged(held), penalty, held))
        _, penalty, held = min(found, key=lambda one: one[0])
        fitted = _solve(part.words, target, task.weight, penalty)
        model = WordScores(fitted.astype(np.float32), middle)
        return model, task.with_held(model, held, middle, rows)


def _solve(words: Any, target: np.ndarray, weight: np.ndarray, penalty: float) -> np.ndarray:
    """Coefficients of shape (words, K), centred as targets are."""
    model = SparseRidge(penalty, fit_intercept=False, solver="sparse_cg", tol=TOLERANCE)
    found: np.ndarray = model.fit(words, target, weight).coef_.T
    return found - found.mean(axis=1, keepdims=True)
