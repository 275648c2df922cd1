"""What all boosted classifiers share: reading data, running the loop, votes and probabilities."""

from __future__ import annotations

import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags, _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted

from nacre.bins import check_bins
from nacre.boost.loop import Boosting
from nacre.boost.result import Run
from nacre.boost.stopping import advance, boost_watched
from nacre.data import (
    TrainingRows,
    as_labels,
    as_mask,
    as_target,
    hold_out,
    read_rows,
    read_training,
)
from nacre.data.check import (
    check_choice,
    check_flag,
    check_form,
    check_jobs,
    check_number,
    check_whole,
)
from nacre.data.seeds import seed_of
from nacre.data.training import check_noted
from nacre.learners.base import Learner
from nacre.models.calibration import probabilities, winner
from nacre.models.docs import inherit_docs
from nacre.progress import Progress, silent

STOP_ON = ("error", "loss")


@dataclass(eq=False, repr=False)
class BoostClassifier(ClassifierMixin, BaseEstimator, ABC):
    """A classifier made of weak hypotheses, a round each.

    Subclasses are data classes, whose fields are their parameters; their docstrings say what is
    new, and the rest is filled in from here.

    Parameters
    ----------
    estimator : estimator, default=None
        The weak learner.
    n_estimators : int, default=100
        Rounds. There may be fewer: see ``stop_reason_``.
    n_iter_no_change : int or None, default=None
        Stop early when held-out rows have not done better for so many rounds, and keep the best
        round. None takes all rounds.
    validation_fraction : float, default=0.1
        Share of the rows held out for that, unless ``fit`` is given a validation set.
    stop_on : {"error", "loss"}, default="error"
        What held-out rows are judged by.
    warm_start : bool, default=False
        Go on from the rounds of the last ``fit`` to the same table.
    max_bins : int from 2 to 255, or None, default=255
        Bins for columns of more distinct values.
    categorical_features : columns (numbers, names or a mask), optional
        Columns that hold categories, for native learners.
    random_state : int, RandomState or None, default=None
        Seeds weak learners that need one.
    n_jobs : int or None, default=None
        Threads; the result is the same for any number.

    Attributes
    ----------
    classes_ : ndarray
        The labels, ascending.
    estimators_ : sequence
        The weak hypotheses.
    estimator_weights_ : ndarray
        How much each of them counts.
    estimator_errors_ : ndarray
        Weighted errors, a number a round.
    validation_scores_ : ndarray
        Error (or mean cost) of held-out rows after each round; only with ``n_iter_no_change``.
    link_scale_ : float
        Factor of the scores in ``predict_proba``.
    stop_reason_ : str
        Why there are no more rounds.
    feature_importances_ : ndarray
        How much each column matters; they sum to 1.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only where ``X`` has column names.
    """

    estimator: Any = None
    n_estimators: int = 100
    _: KW_ONLY
    n_iter_no_change: int | None = None
    validation_fraction: float = 0.1
    stop_on: str = "error"
    warm_start: bool = False
    max_bins: int | None = 255
    categorical_features: Any = None
    random_state: Any = None
    n_jobs: int | None = None

    learning_rate = 1.0  # no field: votes that are rescaled to sum 1 have none

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        inherit_docs(cls)

    # What a family of boosters has of its own

    @abstractmethod
    def _learner(self) -> Any:
        """The weak learner."""

    @abstractmethod
    def _prepare(self, learner: Any, training: TrainingRows) -> Any:
        """Have the learner do once what does not depend on the round."""

    @abstractmethod
    def _boosting(
        self,
        fitter: Any,
        training: TrainingRows,
        seed: int,
        clean: np.ndarray | None,
        before: Run | None,
    ) -> Boosting:
        """Begin the run, or go on with one."""

    @abstractmethod
    def _link(self, training: TrainingRows) -> float:
        """The factor of the scores in probabilities."""

    @abstractmethod
    def _scores(self, rows: Any) -> np.ndarray:
        """Scores of rows that have been read."""

    @abstractmethod
    def _staged_scores(self, rows: Any) -> Iterator[np.ndarray]:
        """Scores after each round."""

    @abstractmethod
    def margins(self, X: Any, y: Any) -> np.ndarray:
        """How far the label of each row wins, from -1 to 1."""

    # Fitting

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        groups: Any = None,
        progress: Progress = silent,
    ) -> BoostClassifier:
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
        X_val, y_val, sample_weight_val : a validation set, optional
            Rows for early stopping (``n_iter_no_change``), instead of a share of the training rows.
        groups : the group of each row, optional
            Rows of a group, such as the visits of a patient, are held out and drawn together, as
            copies of a row are.
        progress : callback, optional
            Is told how many rounds are done: see :mod:`nacre.progress`.

        Returns
        -------
        self
        """
        validation = X_val, y_val, sample_weight_val
        self._fit(X, y, sample_weight, validation, groups=groups, progress=progress)
        return self

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        validation: tuple[Any, Any, Any],
        clean: Any = None,
        groups: Any = None,
        progress: Progress = silent,
    ) -> None:
        """Read the data, boost, and keep what was found; ``clean`` marks trusted rows."""
        self._check_parameters()
        learner = self._learner()
        before = self._run if self.warm_start and hasattr(self, "_run") else None
        training = self._read(learner, X, y, sample_weight, groups, before)
        trusted = None if clean is None else as_mask(clean, training.n_given)
        seed = seed_of(self.random_state)
        seed = seed if before is None else before.seed
        training, held = self._hold_out(training, validation, seed)
        if trusted is not None and training.kept is not None:
            trusted = trusted[training.kept]
        fitter = self._prepare(learner, training)
        started = self._boosting(fitter, training, seed, trusted, before)
        self.__dict__.pop("validation_scores_", None)
        if held is None or self.n_iter_no_change is None:
            advance(started, self.n_estimators, progress)
            self._keep(started.run(), training)
        else:
            watch = started.watch(held, self.stop_on)
            patience = self.n_iter_no_change
            run, scores = boost_watched(started, self.n_estimators, watch, patience, progress)
            self._keep(run, training)
            self.validation_scores_ = scores
        self._taught = type(learner)

    def _read(
        self, learner: Any, X: Any, y: Any, sample_weight: Any, groups: Any, before: Run | None
    ) -> TrainingRows:
        """Read the training data. A run to be continued must find what it has begun with."""
        native = isinstance(learner, Learner)
        categorical = self._categorical(learner)
        if before is None:
            return read_training(self, X, y, sample_weight, categorical, native, groups)
        other = clone(self)  # so that a table that is refused leaves the model alone
        training = read_training(other, X, y, sample_weight, categorical, native, groups)
        names, others = (getattr(one, "feature_names_in_", ()) for one in (self, other))
        same = (
            self.n_features_in_ == other.n_features_in_
            and np.array_equal(self.classes_, other.classes_)
            and self._layout == other._layout
            and np.array_equal(names, others)
            and self._taught is type(learner)
        )
        if not same:
            raise ValueError(
                "warm_start=True needs the columns, categories, classes and learner of the first "
                "fit: fit anew with warm_start=False."
            )
        if self.n_estimators < len(before):
            raise ValueError(
                f"n_estimators={self.n_estimators} must be at least the {len(before)} rounds there "
                "are already when warm_start=True."
            )
        return training

    def _hold_out(
        self, training: TrainingRows, validation: tuple[Any, Any, Any], seed: int
    ) -> tuple[TrainingRows, TrainingRows | None]:
        """The rows to train on, and those to stop on."""
        told = any(part is not None for part in validation)
        if self.n_iter_no_change is None:
            if told:
                raise ValueError("A validation set is of use with n_iter_no_change only: set it.")
            return training, None
        if not told:
            return hold_out(training, self.validation_fraction, seed)
        if validation[0] is None or validation[1] is None:
            raise ValueError(
                "A validation set needs both X_val and y_val: give the other one, too."
            )
        return training, self._read_validation(*validation)

    def _read_validation(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """Read rows for early stopping as the training rows were read."""
        rows = read_rows(self, X)
        target = as_target(y, sample_weight, _num_samples(rows), self.classes_)
        rows = rows if target.kept is None else _safe_indexing(rows, target.kept)
        return TrainingRows(rows, target.codes, len(self.classes_), target.weight)

    def _keep(self, run: Run, training: TrainingRows) -> None:
        """Set the fitted attributes."""
        self._run = run
        self.estimators_ = run.hypotheses
        self.estimator_weights_ = run.votes
        self.estimator_errors_ = run.errors
        self.stop_reason_ = run.stop_reason
        mass = np.bincount(training.y, training.weight, training.n_classes)
        self._prior = np.log(mass / mass.sum()) / 2.0
        self.link_scale_ = self._link(training) if len(run) else 1.0
        if not len(run):
            heaviest = self.classes_.tolist()[mass.argmax()]
            warnings.warn(
                f"Boosting stopped in the first round ({run.stop_reason}), so every row is "
                f"predicted as the commonest class, {heaviest!r}.",
                UserWarning,
                stacklevel=5,
            )

    def _check_loaded(self) -> None:
        """Raise unless the fitted attributes, out of a file, fit together."""
        d, n_classes = check_noted(self)
        self._check_hypotheses(d, n_classes)
        rounds = (len(self.estimators_),)
        check_form(self.estimator_weights_, "estimator_weights_", np.float64, rounds)
        check_form(self.estimator_errors_, "estimator_errors_", np.float64, rounds)
        check_form(self._prior, "the prior", np.float64, (n_classes,))
        if type(self.link_scale_) is not float or type(self.stop_reason_) is not str:
            raise ValueError("link_scale_ must be a number and stop_reason_ text.")
        if not isinstance(self._run, Run) or self._run.hypotheses is not self.estimators_:
            raise ValueError("estimators_ must be those of the run.")
        if not isinstance(self._taught, type):
            raise ValueError("the learner must have a class.")

    @abstractmethod
    def _check_hypotheses(self, d: int, n_classes: int) -> None:
        """Raise unless what the family keeps fits so many columns and classes."""

    def _categorical(self, learner: Any) -> Any:
        own = getattr(learner, "categorical_features", None)
        return self.categorical_features if own is None else own

    def _check_parameters(self) -> None:
        check_whole(self.n_estimators, "n_estimators", 1)
        check_number(self.learning_rate, "learning_rate")
        check_bins(self.max_bins)
        if self.n_iter_no_change is not None:
            check_whole(self.n_iter_no_change, "n_iter_no_change", 1)
        share = self.validation_fraction
        if not isinstance(share, (float, np.floating)) or not 0.0 < share < 1.0:
            raise ValueError(f"validation_fraction must be between 0 and 1, got {share!r}.")
        check_choice(self.stop_on, "stop_on", STOP_ON)
        check_flag(self.warm_start, "warm_start")
        check_jobs(self.n_jobs)

    # Predictions

    def decision_function(self, X: Any) -> np.ndarray:
        """Votes for each row.

        Returns
        -------
        ndarray of shape (n,) or (n, K)
            Two classes: votes for ``classes_[1]`` less votes for ``classes_[0]``. More: one column
            of votes per class, less their mean.
        """
        return self._scores(self._rows(X))

    def predict(self, X: Any) -> np.ndarray:
        """The class of the most votes for each row, the first of ``classes_`` among equals."""
        scores = self.decision_function(X)
        return self.classes_[winner(scores)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes: a softmax of the votes, logistic for two classes.

        The exponential cost is least, over all functions of x, where the votes for class k are
        half the log of its probability (up to a constant): so the probabilities are the softmax
        of twice the votes, times ``link_scale_`` where the votes are on another scale.
        """
        return probabilities(self.decision_function(X), self.link_scale_)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """``decision_function`` after each round."""
        return self._staged_scores(self._rows(X))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """``predict`` after each round."""
        return (self.classes_[winner(one)] for one in self.staged_decision_function(X))

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """``predict_proba`` after each round."""
        check_is_fitted(self)
        scale = self.link_scale_
        return (probabilities(one, scale) for one in self.staged_decision_function(X))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Accuracy after each round."""
        check_is_fitted(self)
        labels = as_labels(y, _num_samples(X))
        return (
            float(np.average(said == labels, weights=sample_weight))
            for said in self.staged_predict(X)
        )

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of all votes that stumps on each column have.

        For trees, their gains; for other learners, their own ``feature_importances_``; in either
        case the mean over the rounds, weighted by votes.
        """
        check_is_fitted(self)
        out = self.estimators_.importances(self.estimator_weights_, self.n_features_in_)
        return out / out.sum() if out.sum() > 0 else out

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return read_rows(self, X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.estimator is None or isinstance(self.estimator, Learner)
        return tags


def workers(n_jobs: int | None) -> int:
    """How many threads ``n_jobs`` stands for."""
    if n_jobs is None:
        return 1
    if n_jobs > 0:
        return n_jobs
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, (cores or 1) + 1 + n_jobs)
