"""Linear members: logistic regression on all columns, ridge regression on many numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from nacre.bins.cuts import Rows
from nacre.consensus.path import Coefficients, fit_path, logistic_path
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

MOST_COEFFICIENTS = 2_000
"""Of logistic regression, columns times classes; with more, categories are left out."""

STRENGTHS = (0.06, 0.2, 0.6, 2.0, 6.0, 20.0, 60.0, 200.0)
"""Inverse penalties that are tried, of rows of length 1 on average."""


@storable
@dataclass(frozen=True, eq=False)
class Linear:
    """Linear scores of the classes.

    Attributes
    ----------
    columns : Standardizer
    coefficients : array of shape (p + q, K)
        Of numbers in standard units, and of each value of the categories.
    base : array of shape (K,)
        The scores of a row in the middle, whose categories are not known.
    """

    columns: Standardizer
    coefficients: np.ndarray
    base: np.ndarray

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        if not isinstance(self.columns, Standardizer):
            raise ValueError("linear scores have columns.")
        check_form(self.base, "base", np.float64, (None,))
        form = (_size(self.columns), len(self.base))
        check_form(self.coefficients, "coefficients", np.float64, form)

    @property
    def width(self) -> int:
        """How many columns a table must have."""
        return self.columns.width

    def scores(self, rows: Rows) -> np.ndarray:
        """What the classes score, less their mean."""
        out = np.tile(self.base, (len(rows), 1))
        p = len(self.columns.numeric)
        by_place = np.vstack([self.coefficients[p:], np.zeros(len(self.base))])  # -1: not known
        for first in range(0, len(rows), ROWS_AT_ONCE):
            some = slice(first, first + ROWS_AT_ONCE)
            numbers, places = _read(self.columns, rows.X[some])
            out[some] += numbers @ self.coefficients[:p]
            for place in places:
                out[some] += by_place[place]
        return out

    def importances(self, d: int) -> np.ndarray:
        """None: all columns are used."""
        return np.zeros(d)


@dataclass(frozen=True)
class Logistic:
    """Multinomial logistic regression on few columns, out of fold, with a quadratic penalty.

    Categories are one-hot, missing numbers stand in the middle. Where each class is the likeliest
    on one side of a plane, many classes above all, neither trees nor least squares come near it:
    least squares hides the classes in the middle (masking [1]_).

    References
    ----------
    .. [1] T. Hastie, R. Tibshirani, J. Friedman, "The Elements of Statistical Learning", 2009, 4.2.
    """

    def fit(self, task: Task, seed: int) -> tuple[Linear, np.ndarray]:
        """The model of the best penalty, and the out-of-fold scores of rows."""
        training, rows = task.training, task.regressed
        columns = fit_standardizer(training, 0.0)
        if _size(columns) * training.n_classes > MOST_COEFFICIENTS:
            columns = replace(columns, categories={})
        design = _one_hot(columns, training.X[rows])
        (coefficients, base), held = fit_path(_path, design, task, rows, seed)
        model = Linear(columns, coefficients, base)
        return model, task.with_held(model, held, base, rows)


def _path(
    design: np.ndarray, y: np.ndarray, weight: np.ndarray, n_classes: int
) -> Iterator[Coefficients]:
    return logistic_path(design, y, weight, n_classes, STRENGTHS)


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
        columns = replace(fit_standardizer(training, 0.0), categories={})
        numbers, _ = _read(columns, training.X[rows])
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


def linear_members(training: TrainingRows) -> tuple[Logistic | LinearRidge, ...]:
    """Those for a table of this shape; words have a logistic regression of their own.

    Of :data:`WIDE` numbers and more, least squares hides no class, and follows wrong labels of one
    class less closely.
    """
    numbers = training.X.shape[1] - len(training.categorical)
    if WIDE <= numbers <= WIDEST and len(training.y) >= LEAST_ROWS:
        return (LinearRidge(),)
    few = numbers < WIDE and numbers * training.n_classes <= MOST_COEFFICIENTS
    return (Logistic(),) if few and training.words is None else ()


def _size(columns: Standardizer) -> int:
    """How many columns numbers and one-hot categories have."""
    return len(columns.numeric) + int(columns.firsts[-1])


def _read(columns: Standardizer, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of numbers, clipped, and the places of categories, a row a column."""
    numbers, places = columns.read(X)
    return np.ascontiguousarray(np.clip(numbers, -FAR, FAR).T), places


def _one_hot(columns: Standardizer, X: np.ndarray) -> np.ndarray:
    """Numbers, and an indicator for each value of the categories."""
    numbers, places = _read(columns, X)
    hot = np.zeros((len(X), int(columns.firsts[-1])))
    for place in places:
        known = np.flatnonzero(place >= 0)
        hot[known, place[known]] = 1.0
    return np.hstack([numbers, hot])


def _length(rows: np.ndarray) -> float:
    """The root mean square length of rows."""
    return float(np.sqrt(np.mean(np.sum(rows * rows, axis=1))))
