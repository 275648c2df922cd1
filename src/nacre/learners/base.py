"""What a weak learner is: prepare the data once, fit every round."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from nacre.data import TrainingRows, read_rows, read_training
from nacre.data.check import check_whole
from nacre.data.training import check_noted

MOST_ROWS = 2**31
MOST_BYTES = 2**33
"""Of histograms: more than that many classes are likely no classes."""


class Hypotheses(Protocol):
    """What the rounds leave behind: weak hypotheses, ready to vote."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: Any) -> Any: ...

    def __iter__(self) -> Iterator[Any]: ...

    @property
    def width(self) -> int:
        """How many columns a table must have."""
        ...

    def first(self, count: int) -> Any:
        """The first so many hypotheses."""
        ...

    def joined(self, other: Any) -> Any:
        """These and others of the same kind."""
        ...

    def importances(self, votes: np.ndarray, d: int) -> np.ndarray:
        """How much each of the ``d`` columns counts, given the hypotheses' votes."""
        ...

    def said_by_each(self, X: Any) -> Iterator[np.ndarray]:
        """Class codes said for the rows of ``X``, hypothesis by hypothesis."""
        ...

    def scores(self, X: Any, votes: np.ndarray) -> np.ndarray:
        """Votes per row: for class 1 less class 0 of two, else one column per class."""
        ...


class Fitter(Protocol):
    """A learner that has prepared its data."""

    def fit(self, weights: np.ndarray, seed: int = 0) -> tuple[Any, np.ndarray] | None:
        """Fit to row weights; return the hypothesis and the class codes it says for the rows.

        None where there is nothing to learn.
        """
        ...

    def collect(self, hypotheses: list[Any]) -> Hypotheses:
        """The hypotheses of all rounds, ready to vote."""
        ...


class Regressors(Protocol):
    """Regressors of an ensemble, whose values add up."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: Any) -> Any: ...

    @property
    def width(self) -> int:
        """How many columns a table must have."""
        ...

    def first(self, count: int) -> Any:
        """The first so many regressors."""
        ...

    def joined(self, other: Any) -> Any:
        """These and others of the same kind."""
        ...

    def importances(self, votes: np.ndarray, d: int) -> np.ndarray:
        """How much each of the ``d`` columns counts, given the regressors' votes."""
        ...

    def values_by_each(self, X: Any) -> Iterator[np.ndarray]:
        """Values for the rows of ``X``, one regressor after the other."""
        ...

    def add_values(self, X: Any, votes: np.ndarray, column: np.ndarray, out: np.ndarray) -> None:
        """Add what each regressor says, times its vote, to its column of ``out``."""
        ...


class Regressor(Protocol):
    """A regressor that has prepared its data."""

    def fit_response(
        self,
        response: np.ndarray,
        weights: np.ndarray,
        seed: int = 0,
        curvature: np.ndarray | None = None,
    ) -> tuple[Any, np.ndarray]:
        """Fit by weighted least squares; return the regressor and its values for the rows.

        With ``curvature``, leaves say the sum of the weighted response over that of the curvature.
        """
        ...

    def collect(self, hypotheses: list[Any]) -> Any:
        """The regressors of all rounds, ready to add up."""
        ...


ROUNDING = 1e-12
"""Of classes whose weights differ by a smaller share, the first is the heaviest."""


class Learner(ClassifierMixin, BaseEstimator, ABC):
    """A native weak learner, which is also a classifier of its own."""

    categorical_features: Any

    @abstractmethod
    def prepare(self, training: TrainingRows, n_jobs: int = 1) -> Fitter:
        """Do once what does not depend on the weights."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Learner:
        """Fit to a table and its labels.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        y : labels, n of them
        sample_weight : weights of the rows, optional

        Returns
        -------
        self
        """
        training = read_training(self, X, y, sample_weight, self.categorical_features)
        fitter = self.prepare(training)
        fitted = fitter.fit(training.weight, self._seed())
        mass = np.bincount(training.y, training.weight)
        self._majority = int(np.argmax(mass >= mass.max() * (1.0 - ROUNDING)))
        self._said = fitter.collect([] if fitted is None else [fitted[0]])
        return self

    @property
    def rule_(self) -> Any:
        """The hypothesis found; None where there was nothing to learn."""
        return self._said[0] if len(self._said) else None

    def predict(self, X: Any) -> np.ndarray:
        """The class said for each row; the heaviest one where there was nothing to learn."""
        check_is_fitted(self)
        rows = read_rows(self, X)
        majority = np.full(len(rows), self._majority)
        return self.classes_[next(self._said.said_by_each(rows), majority)]

    def _check_loaded(self) -> None:
        """Raise unless the fitted attributes, out of a file, fit together."""
        d, n_classes = check_noted(self)
        check_voters(self._said, d, n_classes)
        check_whole(self._majority, "the heaviest class", 0)
        if len(self._said) > 1 or self._majority >= n_classes:
            raise ValueError("a learner has one hypothesis, and a class where it has none.")

    def _seed(self) -> int:
        """What a fit of its own starts from; learners that draw have a ``random_state``."""
        return 0

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.classifier_tags.poor_score = True
        return tags


def check_size(bytes_needed: int, n_classes: int, rows: int) -> None:
    """Raise where histograms would not fit into memory."""
    if bytes_needed > MOST_BYTES:
        raise ValueError(
            f"y has {n_classes} classes, for which histograms would need {bytes_needed >> 30} GiB: "
            "is it an identifier?"
        )
    if rows >= MOST_ROWS:
        raise ValueError(f"X has {rows} rows: native learners take fewer than {MOST_ROWS}.")


def check_call(hypotheses: Any, X: np.ndarray, *counts: int) -> None:
    """Raise where kernels, which check no bounds, would read beyond the rows or the votes.

    ``counts`` are the lengths of what must have one entry for each hypothesis.
    """
    if X.shape[1] < hypotheses.width:
        raise ValueError(f"X has {X.shape[1]} columns, the model needs {hypotheses.width}.")
    if any(count != len(hypotheses) for count in counts):
        raise ValueError(f"{len(hypotheses)} weak hypotheses need one vote each, got {counts}.")


def check_voters(said: Any, d: int, n_classes: int) -> None:
    """Raise unless hypotheses out of a file fit a table of so many columns and classes."""
    if said.n_classes != n_classes or said.width > d:
        raise ValueError(f"the weak hypotheses do not fit {d} columns and {n_classes} classes.")


def check_categories(one: dict[int, np.ndarray], other: dict[int, np.ndarray]) -> None:
    """Raise unless two tables have the same categories."""
    if one.keys() != other.keys() or not all(np.array_equal(one[j], other[j]) for j in one):
        raise ValueError(
            "warm_start=True needs the table of the first fit, but the categories of X differ: "
            "fit anew with warm_start=False."
        )
