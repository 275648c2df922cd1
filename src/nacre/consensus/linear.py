"""Linear ridge regression on all columns of numbers: a member for embeddings and text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacre.bins.cuts import Rows
from nacre.consensus.ridge import FAR, ROWS_AT_ONCE, ridge_path, rows_together
from nacre.consensus.task import Task
from nacre.data import TrainingRows
from nacre.data.check import check_form
from nacre.data.standardize import Standardizer, fit_standardizer
from nacre.data.storable import storable

WIDE, WIDEST = 40, 4096
"""Columns of numbers that a table must have for this member, and may have at most."""

LEAST_ROWS = 300
"""Rows that it must have: of fewer, so many coefficients are chance."""


@storable
@dataclass(frozen=True, eq=False)
class Linear:
    """Linear scores of the classes.

    Attributes
    ----------
    columns : Standardizer
    coefficients : array of shape (p, K)
        Of numbers in standard units.
    base : array of shape (K,)
        The scores of a row in the middle.
    """

    columns: Standardizer
    coefficients: np.ndarray
    base: np.ndarray

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        if not isinstance(self.columns, Standardizer):
            raise ValueError("linear scores have columns.")
        check_form(self.base, "base", np.float64, (None,))
        form = (len(self.columns.numeric), len(self.base))
        check_form(self.coefficients, "coefficients", np.float64, form)

    @property
    def width(self) -> int:
        """How many columns a table must have."""
        return self.columns.width

    def scores(self, rows: Rows) -> np.ndarray:
        """Shares of the classes, by the regression, less their mean."""
        out = np.tile(self.base, (len(rows), 1))
        for first in range(0, len(rows), ROWS_AT_ONCE):
            some = slice(first, first + ROWS_AT_ONCE)
            out[some] += _numbers(self.columns, rows.X[some]) @ self.coefficients
        return out

    def importances(self, d: int) -> np.ndarray:
        """None: all columns are used."""
        return np.zeros(d)


@dataclass(frozen=True)
class LinearRidge:
    """Ridge regression of class indicators on all columns of numbers; categories are left out.

    Where columns are the axes of an embedding, each says a little, and trees that look at one at a
    time are at a loss. Columns count either all the same or by their own deviations: the leading
    components of text or of an image vary most, and say most. Which, and the penalty, is chosen by
    the forward-corrected log loss of the leave-one-out predictions, as in
    :class:`~nacre.consensus.ridge.Ridge`.
    """

    def fit(self, task: Task, seed: int) -> tuple[Linear, np.ndarray]:
        """The regression, and the scores of rows, those it is fitted to without their own label."""
        training, rows = task.training, task.judged
        columns = fit_standardizer(training, 0.0)
        numbers = _numbers(columns, training.X[rows])
        label = np.eye(training.n_classes)[task.labels]
        base = np.average(label, axis=0, weights=task.weight)
        together = rows_together(training.units, rows)
        found = []
        for worth in (np.ones(numbers.shape[1]), columns.scale):
            worth = worth / max(_length(numbers * worth), np.finfo(float).tiny)
            found += [
                (task.loss_of_judged(held), worth[:, None] * coefficients, held)
                for held, coefficients in ridge_path(
                    numbers * worth, label - base, base - base.mean(), task.weight, together
                )
            ]
        _, coefficients, held = min(found, key=lambda one: one[0])
        model = Linear(columns, coefficients, base - base.mean())
        return model, task.with_held(model, held, base - base.mean(), rows)


def suits(training: TrainingRows) -> bool:
    """Whether a table has so many columns of numbers that they may be an embedding."""
    numbers = training.X.shape[1] - len(training.categorical)
    return WIDE <= numbers <= WIDEST and len(training.y) >= LEAST_ROWS


def _numbers(columns: Standardizer, X: np.ndarray) -> np.ndarray:
    numbers, _ = columns.read(X)
    return np.ascontiguousarray(np.clip(numbers, -FAR, FAR).T)


def _length(rows: np.ndarray) -> float:
    """The root mean square length of rows."""
    return float(np.sqrt(np.mean(np.sum(rows * rows, axis=1))))
