"""What all filters share: score, cut, treat."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from nacre.data import TrainingRows, as_mask, fold_of, read_training
from nacre.data.check import check_whole
from nacre.data.features import as_matrix
from nacre.data.seeds import seed_of
from nacre.filters.cut import Cut
from nacre.filters.score import Scored
from nacre.filters.treat import DownWeight, Drop, Treated, Treatment
from nacre.models.docs import inherit_docs
from nacre.noise import OutOfFold


@dataclass(eq=False, repr=False, kw_only=True)
class LabelFilter(BaseEstimator, ABC):
    """Finds rows whose labels look wrong.

    A subclass has parameters (it is a data class), a docstring that says what is new, and
    ``_score``.

    Parameters
    ----------
    cut : part, default=None
        Which scores are flagged: ``Threshold(above)``, ``Consensus()``, ``Fraction(share)``,
        ``Budget(rows)`` or ``EstimatedRate()``.
    treatment : part, default=None
        What ``treat`` and ``fit_resample`` do: ``Drop()``, ``Relabel()`` or ``DownWeight(weight)``.
        None is ``Drop()``.
    categorical_features : columns (numbers, names or a mask), optional
        Columns that hold categories, for native learners.
    random_state : int, RandomState or None, default=None
        Seeds the folds and the models.

    Attributes
    ----------
    scores_ : ndarray of shape (n,)
        How suspect each row is.
    mislabeled_ : ndarray of bool
        The rows flagged.
    suggested_ : ndarray
        A label for every row: the given one or, for flagged rows, the one of most votes.
    noise_ : NoiseRate
        Only where the cut asked for the noise rate.
    classes_ : ndarray
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only where ``X`` has column names.
    """

    cut: Cut | None = None
    treatment: Treatment | None = None
    categorical_features: Any = None
    random_state: Any = None

    default_cut: ClassVar[Any]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        inherit_docs(cls)

    @abstractmethod
    def _score(self, training: TrainingRows, seed: int) -> Scored: ...

    def _models(self) -> list[Any]:
        """The classifiers that it trains."""
        return []

    def fit(self, X: Any, y: Any, *, clean: Any = None, groups: Any = None) -> LabelFilter:
        """Score the rows and flag the suspects.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        y : labels, n of them
        clean : boolean mask of n rows, optional
            Rows whose labels are trusted: they help to judge the others and are never flagged.
        groups : the group of each row, optional
            Rows of a group, such as the visits of a patient, are held out together, as copies of
            a row are.

        Returns
        -------
        self
        """
        models = self._models()
        native = all(reads_categories(model) for model in models)
        if not native and self.categorical_features is not None:
            other = next(model for model in models if not reads_categories(model))
            raise ValueError(
                f"categorical_features is for models of nacre that have none of their own: "
                f"{type(other).__name__} gets the table as it is."
            )
        training = read_training(self, X, y, None, self.categorical_features, native, groups)
        trusted = (
            np.zeros(training.n_given, bool) if clean is None else as_mask(clean, training.n_given)
        )
        seed = seed_of(self.random_state)
        self.scores_, support = self._score(training, seed)
        self.__dict__.pop("noise_", None)  # of a former fit
        cut = self.default_cut if self.cut is None else self.cut
        self.mislabeled_ = cut.flags(
            np.where(trusted, -np.inf, self.scores_), lambda: self._rate(training, trusted, seed)
        )
        support = support.copy()
        support[np.arange(len(support)), training.y] = -np.inf
        best = np.where(self.mislabeled_, support.argmax(axis=1), training.y)
        self.suggested_ = self.classes_[best]
        return self

    def _rate(self, training: TrainingRows, clean: np.ndarray, seed: int) -> float:
        """The share of wrong labels; 0 where the labels do not say that some are wrong.

        A table that cannot be read as numbers is judged by a model of the filter.
        """
        if np.all(clean):
            return 0.0
        model = None
        if self._layout is None:
            try:
                matrix, layout = as_matrix(training.X)
                training = replace(training, X=matrix, categorical=layout.categorical)
            except (TypeError, ValueError):
                models = self._models()
                able = (one for one in models if hasattr(one, "predict_proba"))
                model = next(able, models[0])
        method = OutOfFold(model, min(OutOfFold.n_folds, len(training.y)))
        rng = check_random_state(seed)
        self.noise_ = method.estimate(training, self.classes_, clean, rng)
        return self.noise_.rate if self.noise_.settled else 0.0

    def treat(self, X: Any, y: Any) -> Treated:
        """Treat the table that the filter was fitted to.

        Returns
        -------
        X, y, sample_weight
            Without the flagged rows, or with other labels or weights, as ``treatment`` says: a
            named tuple for ``fit`` of any model.
        """
        check_is_fitted(self)
        treatment = Drop() if self.treatment is None else self.treatment
        if len(self.mislabeled_) != len(y):
            raise ValueError(
                f"y has {len(y)} rows, the filter was fitted to {len(self.mislabeled_)}: treat "
                "the table it was fitted to."
            )
        return treatment.apply(X, y, self.mislabeled_, self.suggested_)

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Fit and treat in one go, as imbalanced-learn's pipelines expect.

        Returns
        -------
        X, y
        """
        if isinstance(self.treatment, DownWeight):
            raise ValueError(
                "fit_resample cannot hand on weights: use fit and treat, or another treatment."
            )
        treated = self.fit(X, y).treat(X, y)
        return treated.X, treated.y

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        return tags


def reads_categories(model: Any) -> bool:
    """Whether a model of nacre, and its learner, is to be told which columns hold categories.

    One that has been told already gets the table as it is, as do models of other libraries.
    """
    kinds = type(model).__mro__
    if not is_classifier(model) or not any(one.__module__.startswith("nacre.") for one in kinds):
        return False
    own = model.get_params(deep=False)
    inner = own.get("estimator")
    told = own.get("categorical_features", True) is not None
    return not told and (inner is None or reads_categories(inner))


def ready(model: Any, training: TrainingRows) -> Any:
    """A copy of a model that knows which columns of the training rows hold categories."""
    if not is_classifier(model):
        raise TypeError(f"estimator must be a classifier, got {model!r}.")
    copy = clone(model)
    if reads_categories(model) and len(training.categorical):
        copy.set_params(categorical_features=list(training.categorical))
    return copy


def folds_for(training: TrainingRows, folds: Any, seed: int) -> np.ndarray:
    """Folds of a training's rows: by what they hold, if that can be read as numbers."""
    check_whole(folds, "n_folds", 2)
    n = len(training.y)
    if folds > n:
        raise ValueError(f"n_folds={folds} needs at least {folds} rows, got {n}: use fewer.")
    return fold_of(training, folds, seed)
