"""What learners share whose hypotheses put out a number for each class and say the largest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import log_softmax, softmax
from sklearn.utils.validation import check_is_fitted

from nacre.bins.binner import sort_by_class
from nacre.data import TrainingRows, read_rows
from nacre.data.check import check_form, check_whole
from nacre.data.standardize import Standardizer, fit_standardizer
from nacre.learners.base import Learner, check_call

CHUNK = 16_384
"""Rows whose votes are counted at a time."""


class SoftLearner(Learner):
    """A native learner that knows how probable the classes are."""

    _said: SoftHypotheses

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, one column each."""
        return softmax(self._outputs(X), axis=1)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of ``predict_proba``."""
        return log_softmax(self._outputs(X), axis=1)

    def _check_loaded(self) -> None:
        super()._check_loaded()
        if not isinstance(self._said, SoftHypotheses) or len(self._said) != 1:
            raise ValueError("the learner must have a hypothesis of its kind.")

    def _outputs(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._said.outputs(read_rows(self, X))


class SoftHypotheses(Sequence[Any], ABC):
    """Hypotheses of one kind, kept as arrays with one entry for each."""

    def __init__(self, columns: Standardizer, n_classes: int, *parts: np.ndarray) -> None:
        self.columns = columns
        self.n_classes = n_classes
        self.parts = parts

    @abstractmethod
    def _show(self, alone: Any, *parts: np.ndarray) -> Any:
        """A hypothesis to be read, from its parts."""

    @abstractmethod
    def _put_out(self, numbers: np.ndarray, places: np.ndarray, t: int, out: np.ndarray) -> None:
        """Fill in the outputs of hypothesis ``t``, by class."""

    @abstractmethod
    def _vote(
        self, numbers: np.ndarray, places: np.ndarray, votes: np.ndarray, totals: np.ndarray
    ) -> None:
        """Add the votes of all hypotheses."""

    @abstractmethod
    def _shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of the parts."""

    def _check_loaded(self) -> None:
        """Raise unless the arrays, out of a file, are safe for the kernels."""
        check_whole(self.n_classes, "n_classes", 2)
        if not isinstance(self.columns, Standardizer):
            raise ValueError("the columns are missing.")
        for part, shape in zip(self.parts, self._shapes(), strict=True):
            check_form(part, "a part", np.float64, shape)

    def __len__(self) -> int:
        return len(self.parts[0])

    @property
    def width(self) -> int:
        """How many columns a table must have."""
        return self.columns.width

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        t = range(len(self))[index]
        return self._show(self._cut(slice(t, t + 1)), *(part[t] for part in self.parts))

    def _cut(self, some: slice) -> Any:
        return type(self)(self.columns, self.n_classes, *(part[some] for part in self.parts))

    def first(self, count: int) -> Any:
        """The first so many hypotheses."""
        return self._cut(slice(count))

    def joined(self, other: Any) -> Any:
        """These and others."""
        shapes = [[part.shape[1:] for part in one.parts] for one in (self, other)]
        if shapes[0] != shapes[1] or not self.columns.same(other.columns):
            raise ValueError(
                "warm_start=True needs the table, the weights and the learner of the first fit: "
                "fit anew with warm_start=False."
            )
        parts = (np.concatenate(both) for both in zip(self.parts, other.parts, strict=True))
        return type(self)(self.columns, self.n_classes, *parts)

    def importances(self, votes: np.ndarray, d: int) -> np.ndarray:
        """There are none: every hypothesis uses all columns."""
        raise AttributeError("The weak learner has no feature_importances_.")

    def outputs(self, X: np.ndarray, t: int = 0) -> np.ndarray:
        """Outputs of a hypothesis, the first unless told, one column per class."""
        out = np.empty((self.n_classes, len(X)))
        self._put_out(*self.columns.read(X), t, out)
        return out.T

    def said_by_each(self, X: np.ndarray) -> Iterator[np.ndarray]:
        """Class codes said for the rows of ``X``, hypothesis by hypothesis."""
        numbers, places = self.columns.read(X)
        out = np.empty((self.n_classes, len(X)))
        for t in range(len(self)):
            self._put_out(numbers, places, t, out)
            yield out.argmax(axis=0)

    def scores(self, X: np.ndarray, votes: np.ndarray) -> np.ndarray:
        """Votes per row: for class 1 less class 0 of two, else one column per class."""
        check_call(self, X, len(votes))
        totals = np.zeros((len(X), 1 if self.n_classes == 2 else self.n_classes))
        for start in range(0, len(X), CHUNK):
            rows = slice(start, start + CHUNK)
            self._vote(*self.columns.read(X[rows]), votes, totals[rows])
        return totals[:, 0] if self.n_classes == 2 else totals


@dataclass(frozen=True)
class Shown:
    """A hypothesis in words a person can read; it predicts as the arrays do that it came from."""

    alone: SoftHypotheses = field(repr=False, compare=False, kw_only=True)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Class codes said for the rows of ``X``."""
        return next(self.alone.said_by_each(X))


class SoftFitter(ABC):
    """Rows by column and sorted by class, ready for any number of fits.

    A hypothesis is a tuple of arrays.
    """

    kind: type[SoftHypotheses]

    def __init__(self, training: TrainingRows, missing: float = np.nan) -> None:
        self.n_classes = training.n_classes
        self.columns = fit_standardizer(training, missing)
        self.order, _, self.starts = sort_by_class(training.y, training.n_classes)
        self.numbers, self.places = self.columns.read(training.X[self.order])

    def scaled(self, weights: np.ndarray, total: float) -> np.ndarray:
        """Weights of the sorted rows, brought to a total."""
        w = weights[self.order] / weights.max()  # first, so that nothing overflows
        return w * (total / w.sum())

    @abstractmethod
    def room(self, count: int) -> tuple[np.ndarray, ...]:
        """Arrays for so many hypotheses."""

    def collect(self, hypotheses: list[tuple[np.ndarray, ...]]) -> SoftHypotheses:
        """The hypotheses of all rounds, ready to vote."""
        parts = self.room(len(hypotheses))
        for t, one in enumerate(hypotheses):
            for part, own in zip(parts, one, strict=True):
                part[t] = own
        return self.kind(self.columns, self.n_classes, *parts)
