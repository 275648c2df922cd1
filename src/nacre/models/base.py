"""What all boosted classifiers share: reading data, running the loop, votes and probabilities."""

from __future__ import annotations

import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import _num_samples, check_is_fitted

from nacre.bins import check_bins
from nacre.boost.algorithm import Algorithm
from nacre.boost.loop import Run, boost
from nacre.boost.step import LogOdds
from nacre.learners.adapter import AnyFitter
from nacre.learners.base import Fitter, Learner
from nacre.learners.stump import Stump, Stumps
from nacre.table import Problem, as_labels, as_mask, read_problem, read_rows

TIE = 1e-13
"""Votes closer than this share of all votes are equal but for rounding."""

ENOUGH = 20_000
"""Rows that are enough to fit one number."""


class BoostClassifier(ClassifierMixin, BaseEstimator, ABC):
    """A classifier that lets weak hypotheses vote.

    A subclass has a signature, a docstring and ``_algorithm``, its composition of parts.
    """

    estimator: Any
    n_estimators: int
    learning_rate: float
    max_bins: int | None
    categorical_features: Any
    random_state: Any
    n_jobs: int | None

    @abstractmethod
    def _algorithm(self) -> Algorithm: ...

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BoostClassifier:
        """Boost on a table and its labels.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
            Numbers; NaN is a missing value. Columns named in ``categorical_features``, and those
            of a data frame with a categorical type, hold categories.
        y : labels, n of them
            Text, whole numbers or booleans.
        sample_weight : weights of the rows, optional
            0 leaves a row out. A whole number counts as so many equal rows; exactly so as long as
            no cut points come from a sample of rows (see ``max_bins`` of :class:`~nacre.Stump`).

        Returns
        -------
        self
        """
        self._fit(X, y, sample_weight)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, clean: Any = None) -> None:
        """Read the data, boost, and keep what was found; ``clean`` marks trusted rows."""
        self._check_parameters()
        learner = self._learner()
        native = isinstance(learner, Learner)
        problem = read_problem(self, X, y, sample_weight, self._categorical(learner), native)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        fitter = (
            learner.prepare(problem, _workers(self.n_jobs))
            if isinstance(learner, Learner)
            else AnyFitter(learner, problem)
        )
        trusted = None if clean is None else as_mask(clean, problem.given)
        if trusted is not None and problem.kept is not None:
            trusted = trusted[problem.kept]
        self._keep(self._boost(fitter, problem, seed, trusted), problem)

    def _boost(self, fitter: Fitter, problem: Problem, seed: int, clean: np.ndarray | None) -> Run:
        return boost(fitter, problem, self._algorithm(), self.n_estimators, seed)

    def _keep(self, run: Run, problem: Problem) -> None:
        """Set the fitted attributes."""
        self.estimators_ = run.hypotheses
        self.estimator_steps_ = run.steps
        self.estimator_weights_ = votes = run.votes
        self.estimator_errors_ = run.errors
        self.log_costs_ = run.log_costs
        self.stop_reason_ = run.stop_reason
        mass = np.bincount(problem.y, problem.weight, problem.n_classes)
        self._prior = np.log(mass / mass.sum()) / 2.0
        self.link_scale_ = 1.0
        if len(votes) and not self._is_logistic(problem.n_classes):
            scores = run.hypotheses.scores(problem.X, votes)
            rows = len(problem.y) if problem.count is None else problem.count.sum()
            self.link_scale_ = fit_scale(scores, problem.y, problem.weight, rows)
        if not len(votes):
            heaviest = self.classes_.tolist()[mass.argmax()]
            warnings.warn(
                f"Boosting stopped in the first round ({run.stop_reason}), so every row is "
                f"predicted as the commonest class, {heaviest!r}.",
                UserWarning,
                stacklevel=4,
            )

    def _is_logistic(self, n_classes: int) -> bool:
        """Whether votes are half log-odds, so that probabilities follow without a fitted scale.

        With more than two classes, only SAMME's vote makes it so.
        """
        algorithm = self._algorithm()
        return algorithm.step.logistic and (
            n_classes == 2 or (algorithm.samme and isinstance(algorithm.step, LogOdds))
        )

    def _learner(self) -> Any:
        if self.estimator is None:
            return Stump(max_bins=self.max_bins)
        if not isinstance(self.estimator, BaseEstimator) or not is_classifier(self.estimator):
            raise TypeError(
                f"estimator must be a classifier, got {self.estimator!r}: use a learner of nacre "
                "or any scikit-learn classifier."
            )
        return self.estimator

    def _categorical(self, learner: Any) -> Any:
        own = getattr(learner, "categorical_features", None) if learner is self.estimator else None
        return self.categorical_features if own is None else own

    def _check_parameters(self) -> None:
        check_whole(self.n_estimators, "n_estimators", 1)
        check_number(self.learning_rate, "learning_rate")
        check_bins(self.max_bins)
        if self.n_jobs is not None:
            check_whole(self.n_jobs, "n_jobs", -(2**31))
            if self.n_jobs == 0:
                raise ValueError("n_jobs must not be 0: use 1, 2, ..., or -1 for all cores.")

    # Predictions

    def decision_function(self, X: Any) -> np.ndarray:
        """Votes for each row.

        Returns
        -------
        ndarray of shape (n,) or (n, K)
            Two classes: votes for ``classes_[1]`` less votes for ``classes_[0]``. More: one column
            of votes per class, less their mean.
        """
        rows = self._rows(X)
        votes = self.estimator_weights_
        return self._level(self.estimators_.scores(rows, votes), np.abs(votes).sum())

    def predict(self, X: Any) -> np.ndarray:
        """The class of the most votes for each row, the first of ``classes_`` among equals."""
        scores = self.decision_function(X)
        return self.classes_[_winner(scores)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, from the votes by the logistic link.

        The exponential cost is least, over all functions of x, where the votes for class k are
        half the log of its probability (up to a constant): so the probabilities are the softmax
        of twice the votes, times ``link_scale_`` where the votes are on another scale.
        """
        return _probabilities(self.decision_function(X), self.link_scale_)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """``decision_function`` after each round."""
        rows = self._rows(X)
        n, K = rows.shape[0], len(self.classes_)
        totals, whole = np.zeros((n, K)), 0.0
        said_by_each = self.estimators_.said_by_each(rows)
        for (shrink, vote), said in zip(self.estimator_steps_, said_by_each, strict=True):
            totals *= shrink
            totals[np.arange(n), said] += vote
            whole = shrink * whole + abs(vote)
            scores = totals[:, 1] - totals[:, 0] if K == 2 else totals
            yield self._level(scores, whole)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """``predict`` after each round."""
        return (self.classes_[_winner(one)] for one in self.staged_decision_function(X))

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """``predict_proba`` after each round."""
        check_is_fitted(self)
        scale = self.link_scale_
        return (_probabilities(one, scale) for one in self.staged_decision_function(X))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Accuracy after each round."""
        check_is_fitted(self)
        labels = as_labels(y, _num_samples(X))
        return (
            float(np.average(said == labels, weights=sample_weight))
            for said in self.staged_predict(X)
        )

    def margins(self, X: Any, y: Any) -> np.ndarray:
        """Normalised margins: votes for the label less votes against it, over all votes.

        From -1 (all against) to 1 (all for). With more than two classes, votes for any other class
        are votes against.
        """
        rows = self._rows(X)
        labels = as_labels(y, rows.shape[0])
        if not np.all(np.isin(labels, self.classes_)):
            raise ValueError("y must hold labels of classes_ only.")
        codes = np.searchsorted(self.classes_, labels)
        votes = self.estimator_weights_
        whole = np.abs(votes).sum()
        if whole == 0:
            return np.zeros(len(codes))
        scores = self.estimators_.scores(rows, votes)
        if scores.ndim == 1:
            return np.where(codes == 1, scores, -scores) / whole
        return (2.0 * scores[np.arange(len(codes)), codes] - votes.sum()) / whole

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of all votes that stumps on each column have.

        For other learners, the mean of their own ``feature_importances_``, weighted by votes.
        """
        check_is_fitted(self)
        votes = np.abs(self.estimator_weights_)
        if isinstance(self.estimators_, Stumps):
            importances = np.zeros(self.n_features_in_)
            np.add.at(importances, self.estimators_.feature, votes)
        else:
            importances = np.zeros(self.n_features_in_)
            for one, vote in zip(self.estimators_, votes, strict=True):
                if isinstance(one, DummyClassifier):  # says one class, whatever the features
                    continue
                if not hasattr(one, "feature_importances_"):
                    raise AttributeError("The weak learner has no feature_importances_.")
                importances += vote * one.feature_importances_
        return importances / importances.sum() if importances.sum() > 0 else importances

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return read_rows(self, X)

    def _level(self, scores: np.ndarray, votes: float) -> np.ndarray:
        """Scores of so many votes with ties made exact; the classes' prior where there are none."""
        if votes == 0:
            prior = self._prior if scores.ndim == 2 else self._prior[1] - self._prior[0]
            scores = scores + prior
        elif scores.ndim == 1:
            scores = np.where(np.abs(scores) <= TIE * votes, 0.0, scores)
        else:
            top = scores.max(axis=1, keepdims=True)
            scores = np.where(scores >= top - TIE * votes, top, scores)
        return scores if scores.ndim == 1 else scores - scores.mean(axis=1, keepdims=True)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.estimator is None or isinstance(self.estimator, Learner)
        return tags


def _winner(scores: np.ndarray) -> np.ndarray:
    return (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)


def fit_scale(scores: np.ndarray, y: np.ndarray, weight: np.ndarray, rows: float) -> float:
    """The factor of the votes under which the labels are likeliest.

    Each row counts a little for the other classes, as in Platt's scaling, so that the factor stays
    finite where the votes separate the classes.
    """
    some = np.arange(0, len(y), -(-len(y) // ENOUGH))
    both, y, weight = _both(scores)[some], y[some], weight[some]
    given = 1.0 - 1.0 / (rows + 2.0)
    target = np.full(both.shape, (1.0 - given) / (both.shape[1] - 1))
    target[np.arange(len(y)), y] = given
    unit = np.abs(both).max()
    if unit == 0.0:
        return 1.0

    def loss(log_scale: float) -> float:
        logs = log_softmax(2.0 * np.exp(log_scale) / unit * both, axis=1)
        return float(-weight @ (target * logs).sum(axis=1))

    best = minimize_scalar(loss, bounds=(-7.0, 7.0), method="bounded", options={"xatol": 1e-10})
    return float(np.exp(best.x) / unit)


def _both(scores: np.ndarray) -> np.ndarray:
    """One column of votes per class, also for two classes."""
    return scores if scores.ndim == 2 else np.column_stack([-scores / 2, scores / 2])


def _probabilities(scores: np.ndarray, scale: float) -> np.ndarray:
    """Softmax of twice the scaled votes, largest for the winner even after rounding."""
    chances: np.ndarray = softmax(2.0 * scale * _both(scores), axis=1)
    rows = np.arange(len(chances))
    winner = _winner(scores)
    drowned = chances.argmax(axis=1) != winner
    chances[rows[drowned], winner[drowned]] = np.nextafter(chances[drowned].max(axis=1), 2.0)
    return chances


def check_whole(value: Any, name: str, least: int) -> None:
    """Raise unless ``value`` is a whole number, ``least`` or more."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be a whole number, got {value!r}.")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}.")


def check_number(value: Any, name: str, zero: bool = False) -> None:
    """Raise unless ``value`` is a number above 0 (or 0, where ``zero`` allows it), up to 1e6."""
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not number or not (0 < value <= 1e6 or (zero and value == 0)):
        raise ValueError(
            f"{name} must be a number {'of 0 or more' if zero else 'above 0'} and at most 1e6, "
            f"got {value!r}."
        )


def _workers(n_jobs: int | None) -> int:
    if n_jobs is None:
        return 1
    if n_jobs > 0:
        return n_jobs
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, (cores or 1) + 1 + n_jobs)
