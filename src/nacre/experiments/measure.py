"""The measurement of most experiments: draw rows, fit a model, record what it did."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from nacre.boost.result import Steps
from nacre.boost.stopping import TIE
from nacre.data.seeds import set_seeds
from nacre.datasets import Dataset, load
from nacre.experiments.experiment import Cell, Record
from nacre.learners.stump import Stumps
from nacre.models.base import BoostClassifier

FEW = 60
"""Rounds kept of a curve: enough to draw it."""


@dataclass(frozen=True, eq=False)
class Draw:
    """Rows to train on and rows to test on.

    ``fit`` has what else the model is told, ``truth`` what it is not, but the record may know.
    """

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    fit: Mapping[str, Any] = field(default_factory=dict)
    truth: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class Trial:
    """A measurement: what is drawn, the models by name, and what is recorded of a fitted one.

    A model is anything with ``fit``: a booster, a filter, a classifier of scikit-learn.
    """

    draw: Callable[[Cell], Draw]
    models: Mapping[str, Callable[[Cell], Any]]
    record: Callable[[Any, Draw], Record]

    def __call__(self, cell: Cell) -> Record:
        """Measure a cell."""
        rows = self.draw(cell)
        model = self.models[cell["model"]](cell)
        set_seeds(model, cell.seed(*cell.setting))
        with warnings.catch_warnings():  # an ensemble of nothing is a result like any other
            warnings.filterwarnings("ignore", "Boosting stopped in the first round")
            model.fit(rows.X, rows.y, **rows.fit)
            return self.record(model, rows)


@lru_cache(maxsize=4)
def loaded(name: str) -> Dataset:
    """A data set, read once per process."""
    return load(name)


def split(X: np.ndarray, y: np.ndarray, train: int, seed: int) -> Draw:
    """Rows in random order, the first of them to train on."""
    order = np.random.default_rng(seed).permutation(len(y))
    first, rest = order[:train], order[train:]
    return Draw(X[first], y[first], X[rest], y[rest])


def record_test_error(model: Any, rows: Draw) -> Record:
    """The test error."""
    return {"error": np.mean(model.predict(rows.X_test) != rows.y_test)}


def error_curve(model: BoostClassifier, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The error after every round; one number where there is no round.

    One minus ``staged_score``; of two classes a stump that comes back, as most do in thousands of
    rounds, is asked once.
    """
    steps = model._run.steps
    if not len(model.estimators_):
        return np.array([np.mean(model.predict(X) != y)])
    if not isinstance(model.estimators_, Stumps) or len(model.classes_) > 2 or steps is None:
        return 1.0 - np.array(list(model.staged_score(X, y)))
    first, which = _distinct(model.estimators_)
    said = [2.0 * model.estimators_[t].predict(X) - 1.0 for t in first]
    truth = y == model.classes_[1]
    votes = Steps(steps.shrink, steps.vote, steps.vote)
    staged = votes.margins((said[k] for k in which), np.zeros(len(truth)))
    errors = [
        np.count_nonzero((scores > TIE * size) != truth)
        for scores, size in zip(staged, votes.sizes.tolist(), strict=True)
    ]
    return np.array(errors) / len(truth)


def _distinct(stumps: Stumps) -> tuple[np.ndarray, np.ndarray]:
    """Where each distinct stump first occurs, and which one every round has."""
    names = ("feature", "threshold", "left", "right", "missing")
    columns = [getattr(stumps, name) for name in names]
    if stumps.categories:
        columns.append(stumps.said)
    table = np.column_stack(columns)
    _, first, which = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return first, which.ravel()


def few_rounds(rounds: int) -> np.ndarray:
    """Rounds to keep of a curve, evenly spaced in the logarithm, from 1 to the last."""
    return np.unique(np.geomspace(1, rounds, FEW).round().astype(int))


def thinned(curve: np.ndarray, rounds: int) -> list[float]:
    """A curve at a few rounds, NaN where the run had stopped before."""
    whole = np.full(rounds, np.nan)
    whole[: len(curve)] = curve
    kept: list[float] = whole[few_rounds(rounds) - 1].tolist()
    return kept
