"""What the gradient boosters share: a regressor a round, scores instead of votes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_regressor

from nacre.boost import AllRows, Subsample
from nacre.boost.gradient import Additive, Aim, GradientBoosting
from nacre.boost.loop import Boosting
from nacre.boost.result import Run
from nacre.boost.stopping import TIE
from nacre.data import TrainingRows, as_labels, encode_known
from nacre.data.check import check_form, check_number
from nacre.learners.adapter import AnyRegressor
from nacre.learners.base import Learner
from nacre.learners.stump import Stump
from nacre.learners.tree import Tree, count_features
from nacre.models.base import BoostClassifier, workers
from nacre.models.calibration import fit_scale


@dataclass(eq=False, repr=False, kw_only=True)
class GradientBooster(BoostClassifier):
    """A classifier whose weak regressors add up to scores.

    A subclass has parameters, a docstring and ``_aim``, what its regressors fit.

    Parameters
    ----------
    estimator : regressor, default=None
        The weak learner: None for a native stump, a :class:`~nacre.Tree`, or any
        scikit-learn regressor that takes ``sample_weight``.
    learning_rate : float, default=1.0
        Shrinkage: the factor of every regressor.
    subsample : float up to 1, default=1.0
        Share of the rows, drawn without replacement, that each regressor sees.
    max_features : int, float or None, default=None
        Columns tried at each node of the default learner, drawn at random: a number or a share.
    stop_on : {"loss", "error"}, default="loss"
        What held-out rows are judged by: their mean loss, or wrong predictions.
    max_bins : int from 2 to 255, or None, default=255
        Bins of native trees for columns of more distinct values; None is the same as 255.
    random_state : int, RandomState or None, default=None
        Seeds the draws of rows and columns, and learners that need a seed.
    n_jobs : int or None, default=None
        Threads that bin the columns; the result is the same for any number.

    Attributes
    ----------
    estimators_ : sequence of regressors
        One a round or, with K > 2 classes, a list of K.
    estimator_weights_ : ndarray
        By how much each round's values count, ``learning_rate``.
    estimator_errors_ : ndarray
        Weighted error of the ensemble on the training rows, after each round.
    validation_scores_ : ndarray
        Mean loss (or error) of held-out rows after each round; only with ``n_iter_no_change``.
    link_scale_ : float
        Factor of the scores in ``predict_proba``: 1.
    stop_reason_ : str
        "rounds done", "no better on held-out rows", "weights vanished" or "nothing to learn".
    feature_importances_ : ndarray
        Share of the gains each column has.
    train_losses_ : ndarray
        Mean loss of the training rows, after each round.
    """

    learning_rate: float = 1.0
    subsample: float = 1.0
    max_features: int | float | None = None
    stop_on: str = "loss"

    levels = 1

    @abstractmethod
    def _aim(self) -> Aim: ...

    def _start(self, training: TrainingRows) -> np.ndarray:
        """The scores to begin with, one for each column of them."""
        return np.zeros(1 if training.n_classes == 2 else training.n_classes)

    def _learner(self) -> Any:
        own = self.estimator
        if own is None:
            bins = 255 if self.max_bins is None else self.max_bins
            return Tree(self.levels, max_features=self.max_features, max_bins=bins)
        if isinstance(own, Stump):
            bins = 255 if own.max_bins is None else own.max_bins
            return Tree(1, max_bins=bins, categorical_features=own.categorical_features)
        if isinstance(own, Tree) or (isinstance(own, BaseEstimator) and is_regressor(own)):
            return own
        raise TypeError(
            f"estimator of a gradient booster must be a Tree, a Stump or a scikit-learn regressor, "
            f"got {own!r}."
        )

    def _prepare(self, learner: Any, training: TrainingRows) -> Any:
        if isinstance(learner, Learner):
            return learner.prepare(training, workers(self.n_jobs))
        return AnyRegressor(learner, training)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number(self.subsample, "subsample")
        if self.subsample > 1:
            raise ValueError(f"subsample must be at most 1, got {self.subsample!r}.")
        count_features(self.max_features, 1)
        if self.max_features is not None and self.estimator is not None:
            raise ValueError("max_features is for estimator=None: set it on the estimator itself.")

    def _boosting(
        self, fitter: Any, training: TrainingRows, seed: int, clean: Any, before: Run | None
    ) -> Boosting:
        self._begin = self._start(training)
        draw = AllRows() if self.subsample == 1 else Subsample(float(self.subsample))
        return GradientBoosting(
            fitter, training, self._aim(), self._begin, self.learning_rate, draw, seed, before
        )

    def _keep(self, run: Run, training: TrainingRows) -> None:
        super()._keep(run, training)
        self.train_losses_ = run.losses

    def _check_hypotheses(self, d: int, n_classes: int) -> None:
        columns = 1 if n_classes == 2 else n_classes
        check_form(self._begin, "the first scores", np.float64, (columns,))
        found = self.estimators_
        if not isinstance(found, Additive) or found.columns != columns or found.width > d:
            raise ValueError(f"the trees do not fit {d} columns and {n_classes} classes.")
        check_form(self.train_losses_, "train_losses_", np.float64, (len(found),))

    def _link(self, training: TrainingRows) -> float:
        return 1.0 if self._aim().logistic else fit_scale(self._scores(training.X), training)

    def _scores(self, rows: Any) -> np.ndarray:
        votes = self.estimator_weights_
        return self._level(self._begin + self.estimators_.scores(rows, votes), len(votes))

    def _staged_scores(self, rows: Any) -> Iterator[np.ndarray]:
        staged = self.estimators_.staged(rows, self.estimator_weights_)
        return (self._level(self._begin + moved, t) for t, moved in enumerate(staged, 1))

    def _level(self, scores: np.ndarray, rounds: int) -> np.ndarray:
        """Scores after some rounds, ties made exact; the classes' prior where there are none."""
        if rounds == 0:
            prior = self._prior if scores.shape[1] > 1 else np.diff(self._prior)
            scores = np.broadcast_to(prior, scores.shape)
        votes = np.abs(self.estimator_weights_[:rounds]).sum()
        near = TIE * max(np.abs(scores).max(initial=0.0), np.abs(self._begin).max() + votes)
        if scores.shape[1] == 1:
            return np.where(np.abs(scores[:, 0]) <= near, 0.0, scores[:, 0])
        top = scores.max(axis=1, keepdims=True)
        scores = np.where(scores >= top - near, top, scores)
        return scores - scores.mean(axis=1, keepdims=True)

    def margins(self, X: Any, y: Any) -> np.ndarray:
        """Margins from -1 to 1: twice the probability of the label, less 1.

        For two classes that is the hyperbolic tangent of the signed score.
        """
        chances = self.predict_proba(X)
        codes = encode_known(as_labels(y, len(chances)), self.classes_)
        return 2.0 * chances[np.arange(len(codes)), codes] - 1.0
