"""Any scikit-learn classifier as a weak learner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.dummy import DummyClassifier
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from nacre.table import Problem


class AnyFitter:
    """Fits copies of a scikit-learn classifier.

    Row weights are passed as ``sample_weight`` where the classifier (or the last step of a
    pipeline) takes it; otherwise it is fitted to rows drawn by weight, with replacement. Where only
    one class is drawn there is nothing to fit, and the hypothesis says that class.
    """

    def __init__(self, estimator: BaseEstimator, problem: Problem) -> None:
        self.estimator = estimator
        self.problem = problem
        self.weight_name = weight_parameter(estimator)

    def fit(self, weights: np.ndarray, seed: int = 0) -> tuple[Any, np.ndarray]:
        """Fit to row weights; return the fitted copy and what it says for the training rows."""
        X, y = self.problem.X, self.problem.y
        fitted = clone(self.estimator)
        set_seeds(fitted, seed)
        drawn = weights > 0
        classes = np.unique(y[drawn])
        if len(classes) == 1:
            fitted = DummyClassifier(strategy="constant", constant=classes[0]).fit(X, y)
        elif self.weight_name is None:
            rng = np.random.default_rng(seed)
            rows = np.sort(rng.choice(len(y), len(y), p=weights / weights.sum()))
            fitted.fit(_safe_indexing(X, rows), y[rows])
        elif np.all(drawn):
            fitted.fit(X, y, **{self.weight_name: weights * len(y)})
        else:
            rows = np.flatnonzero(drawn)
            scaled = weights[rows] * (len(rows) / weights.sum())
            fitted.fit(_safe_indexing(X, rows), y[rows], **{self.weight_name: scaled})
        return fitted, np.asarray(fitted.predict(X)).astype(np.int64)

    def collect(self, hypotheses: list[Any]) -> AnyHypotheses:
        """The fitted copies, ready to vote."""
        return AnyHypotheses(hypotheses, self.problem.n_classes)


class AnyHypotheses(list[Any]):
    """Fitted scikit-learn classifiers, whose labels are class codes."""

    def __init__(self, fitted: list[Any], n_classes: int) -> None:
        super().__init__(fitted)
        self.n_classes = n_classes

    def __reduce__(self) -> tuple[Any, ...]:
        return AnyHypotheses, (list(self), self.n_classes)

    def said_by_each(self, X: Any) -> Iterator[np.ndarray]:
        """Class codes said for the rows of ``X``, one classifier after the other."""
        return (np.asarray(one.predict(X)).astype(np.int64) for one in self)

    def scores(self, X: Any, votes: np.ndarray) -> np.ndarray:
        """Votes per row: for class 1 less class 0 of two, else one column per class."""
        rows = np.arange(X.shape[0])
        totals = np.zeros((len(rows), self.n_classes))
        for said, vote in zip(self.said_by_each(X), votes, strict=True):
            totals[rows, said] += vote
        return totals[:, 1] - totals[:, 0] if self.n_classes == 2 else totals


def weight_parameter(estimator: BaseEstimator) -> str | None:
    """The name under which ``fit`` takes row weights, or None."""
    steps = getattr(estimator, "steps", None)
    if steps:
        inner = weight_parameter(steps[-1][1])
        return None if inner is None else f"{steps[-1][0]}__{inner}"
    if not has_fit_parameter(estimator, "sample_weight"):
        return None
    return "sample_weight"


def set_seeds(estimator: BaseEstimator, seed: int) -> None:
    """Give every random part of an estimator a fixed seed."""
    seeds = {
        name: seed % (2**31)
        for name in sorted(estimator.get_params(deep=True))
        if name == "random_state" or name.endswith("__random_state")
    }
    estimator.set_params(**seeds)
