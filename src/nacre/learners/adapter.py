"""Any scikit-learn classifier as a weak learner."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.dummy import DummyClassifier
from sklearn.utils import _safe_indexing

from nacre.data import TrainingRows
from nacre.data.folds import weight_parameter
from nacre.data.seeds import set_seeds


class AnyFitter:
    """Fits copies of a scikit-learn classifier.

    Row weights are passed as ``sample_weight`` where the classifier (or the last step of a
    pipeline) takes it; otherwise it is fitted to rows drawn by weight, with replacement. Where only
    one class is drawn there is nothing to fit, and the hypothesis says that class.
    """

    def __init__(self, estimator: BaseEstimator, training: TrainingRows) -> None:
        self.estimator = estimator
        self.training = training
        self.weight_name = weight_parameter(estimator)

    def fit(self, weights: np.ndarray, seed: int = 0) -> tuple[Any, np.ndarray]:
        """Fit to row weights; return the fitted copy and what it says for the training rows."""
        X, y = self.training.X, self.training.y
        fitted = clone(self.estimator)
        set_seeds(fitted, seed)
        weights = raised(weights)
        drawn = weights > 0
        classes = np.unique(y[drawn])
        if len(classes) == 1:
            fitted = DummyClassifier(strategy="constant", constant=classes[0]).fit(X, y)
        elif self.weight_name is None:
            rng, order = np.random.default_rng(seed), self.training.units.shuffled(0)
            drawn_at = rng.choice(len(y), len(y), p=weights[order] / weights.sum())
            rows = order[np.sort(drawn_at)]
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
        return AnyHypotheses(hypotheses, self.training.n_classes)


class AnyHypotheses(list[Any]):
    """Fitted scikit-learn classifiers, whose labels are class codes."""

    width = 0  # they check tables themselves

    def __init__(self, fitted: list[Any], n_classes: int) -> None:
        super().__init__(fitted)
        self.n_classes = n_classes

    def __reduce__(self) -> tuple[Any, ...]:
        return AnyHypotheses, (list(self), self.n_classes)

    def first(self, count: int) -> AnyHypotheses:
        """The first so many classifiers."""
        return AnyHypotheses(self[:count], self.n_classes)

    def joined(self, other: AnyHypotheses) -> AnyHypotheses:
        """These and others."""
        return AnyHypotheses([*self, *other], self.n_classes)

    def importances(self, votes: np.ndarray, d: int) -> np.ndarray:
        """The classifiers' own ``feature_importances_``, times their votes."""
        return own_importances(self, votes, d)

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


class AnyRegressor:
    """Fits copies of a scikit-learn regressor, which must take row weights."""

    def __init__(self, estimator: BaseEstimator, training: TrainingRows) -> None:
        self.estimator = estimator
        self.training = training
        self.weight_name = weight_parameter(estimator)
        if self.weight_name is None:
            raise TypeError(
                f"{type(estimator).__name__} takes no sample_weight, which gradient boosters need: "
                "use a regressor that does."
            )

    def fit_response(
        self,
        response: np.ndarray,
        weights: np.ndarray,
        seed: int = 0,
        curvature: np.ndarray | None = None,
    ) -> tuple[Any, np.ndarray]:
        """Fit by weighted least squares; return the fitted copy and its values for the rows.

        With ``curvature``, the leaves of a tree say the sum of the weighted response over that of
        the curvature. Other regressors have no leaves to refine.
        """
        X = self.training.X
        fitted = clone(self.estimator)
        set_seeds(fitted, seed)
        weights = raised(weights)
        rows = np.flatnonzero(weights > 0)
        scaled = weights[rows] * (len(rows) / weights.sum())
        table = X if len(rows) == len(weights) else _safe_indexing(X, rows)
        fitted.fit(table, response[rows], **{str(self.weight_name): scaled})
        leaf = fitted.apply(X) if curvature is not None and hasattr(fitted, "apply") else None
        if leaf is None or leaf.ndim > 1:  # not one tree
            return fitted, np.asarray(fitted.predict(X), float)
        pull = np.bincount(leaf, response * weights)
        bend = np.bincount(leaf, curvature)
        refined = Refined(fitted, np.divide(pull, bend, np.zeros_like(pull), where=bend > 0))
        return refined, refined.value[leaf]

    def collect(self, hypotheses: list[Any]) -> AnyRegressors:
        """The fitted copies, ready to add up."""
        return AnyRegressors(hypotheses)


@dataclass(frozen=True)
class Refined:
    """A fitted tree of scikit-learn whose leaves say other values."""

    tree: Any
    value: np.ndarray

    @property
    def feature_importances_(self) -> np.ndarray:
        """As the tree has them."""
        out: np.ndarray = self.tree.feature_importances_
        return out

    def predict(self, X: Any) -> np.ndarray:
        """The value of the leaf that each row comes to."""
        return self.value[self.tree.apply(X)]


class AnyRegressors(list[Any]):
    """Fitted scikit-learn regressors."""

    width = 0  # they check tables themselves

    def __reduce__(self) -> tuple[Any, ...]:
        return AnyRegressors, (list(self),)

    def first(self, count: int) -> AnyRegressors:
        """The first so many regressors."""
        return AnyRegressors(self[:count])

    def joined(self, other: AnyRegressors) -> AnyRegressors:
        """These and others."""
        return AnyRegressors([*self, *other])

    def importances(self, votes: np.ndarray, d: int) -> np.ndarray:
        """The regressors' own ``feature_importances_``, times their votes."""
        return own_importances(self, votes, d)

    def values_by_each(self, X: Any) -> Iterator[np.ndarray]:
        """Values for the rows of ``X``, one regressor after the other."""
        return (np.asarray(one.predict(X), float) for one in self)

    def add_values(self, X: Any, votes: np.ndarray, column: np.ndarray, out: np.ndarray) -> None:
        """Add what each regressor says, times its vote, to its column of ``out``."""
        for values, vote, k in zip(self.values_by_each(X), votes, column, strict=True):
            out[:, k] += vote * values


def own_importances(fitted: list[Any], votes: np.ndarray, d: int) -> np.ndarray:
    """The sum of ``feature_importances_`` times votes."""
    out = np.zeros(d)
    for one, vote in zip(fitted, np.abs(votes), strict=True):
        if isinstance(one, DummyClassifier):  # says one class, whatever the features
            continue
        if not hasattr(one, "feature_importances_"):
            raise AttributeError("The weak learner has no feature_importances_.")
        out += vote * one.feature_importances_
    return out


LEAST = 1e-280


def raised(weights: np.ndarray) -> np.ndarray:
    """Weights whose sum can be divided by: rows that are drawn may have next to none."""
    top = weights.max()
    return weights / top if 0.0 < top < LEAST else weights
