"""Base models as programs of the time had them: multiway stumps, and learners of drawn rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import xlogy

from nacre.data import TrainingRows
from nacre.learners.adapter import AnyHypotheses
from nacre.learners.base import Fitter, Learner


class Resampled(Learner):
    """A learner that is fitted to rows drawn by weight, with replacement (Oza's footnote 1)."""

    def __init__(self, learner: Learner, categorical_features: Any = None) -> None:
        self.learner = learner
        self.categorical_features = categorical_features

    def prepare(self, training: TrainingRows, n_jobs: int = 1) -> Fitter:
        """Prepare the learner: a row that is drawn twice has twice the weight."""
        return ResampledFitter(self.learner.prepare(training, n_jobs))


class ResampledFitter:
    """Draws as many rows as there are, and counts how often each was drawn."""

    def __init__(self, fitter: Fitter) -> None:
        self.fitter, self.collect = fitter, fitter.collect

    def fit(self, weights: np.ndarray, seed: int = 0) -> tuple[Any, np.ndarray] | None:
        """Fit to drawn rows."""
        n = len(weights)
        drawn = np.random.default_rng(seed).multinomial(n, weights / weights.sum())
        return self.fitter.fit(drawn / n, seed)


class GainStump(Learner):
    """A stump of most information gain: a branch for each category, two for a number.

    Each branch says its heaviest class. Missing values are a branch of their own; where a column
    has none, they say the heaviest class of all rows, as categories do that were not seen.
    """

    def __init__(self, categorical_features: Any = None) -> None:
        self.categorical_features = categorical_features

    def prepare(self, training: TrainingRows, n_jobs: int = 1) -> GainFitter:
        """Number the values of each column."""
        return GainFitter(training)


@dataclass(frozen=True)
class Branching:
    """One such stump: what it says of each branch, by the least value of the branch.

    Values of a categorical column are those of ``values``; a number belongs to the last one that is
    not above it. Missing values and unknown categories say ``other``.
    """

    column: int
    values: np.ndarray
    said: np.ndarray
    other: int
    categorical: bool

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Class codes said for the rows of ``X``."""
        x = X[:, self.column]
        place = np.searchsorted(self.values, x, "right") - 1
        known = (place >= 0) & ~np.isnan(x)
        if self.categorical:
            known &= self.values[place] == x
        return np.where(known, self.said[place], self.other)


class GainFitter:
    """Values of the columns as numbers 0, 1, ..., in one table for all."""

    def __init__(self, training: TrainingRows) -> None:
        self.training = training
        self.K = training.n_classes
        self.values, codes = [], []
        for column in training.X.T:
            own = np.unique(column[~np.isnan(column)])
            place = np.searchsorted(own, column)  # NaN comes last: a place of its own
            self.values.append(own)
            codes.append(place)
        sizes = [len(own) + 1 for own in self.values]
        self.starts = np.cumsum([0, *sizes])
        self.codes = np.array(codes) + self.starts[:-1, None]
        self.keys = (self.codes * self.K + training.y).ravel()

    def fit(self, weights: np.ndarray, seed: int = 0) -> tuple[Branching, np.ndarray] | None:
        """The stump of least weighted entropy."""
        every = np.tile(weights, len(self.values))
        table = np.bincount(self.keys, every, self.starts[-1] * self.K).reshape(-1, self.K)
        mass = np.bincount(self.training.y, weights, self.K)
        best, found = float(entropy(mass[None])[0]) - 1e-12, None
        for j, own in enumerate(self.values):
            sums = table[self.starts[j] : self.starts[j + 1]]
            for left, groups in self._groups(j, sums):
                here = float(entropy(groups).sum())
                if here < best:
                    best, found = here, (j, left, groups, own)
        if found is None:
            return None
        j, left, groups, own = found
        categorical = j in self.training.categorical
        middle = 0.0 if categorical else own[left : left + 2].mean()
        values = own if categorical else np.array([-np.inf, middle])
        missing = groups[-1] if groups[-1].sum() > 0.0 else mass
        branching = Branching(j, values, groups.argmax(axis=1), int(missing.argmax()), categorical)
        return branching, branching.predict(self.training.X)

    def _groups(self, j: int, sums: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """The ways to part the rows by a column: all values apart, or at a threshold."""
        if j in self.training.categorical:
            yield -1, sums
            return
        below = np.cumsum(sums[:-1], axis=0)[:-1]
        if not len(below):
            return
        above = sums[:-1].sum(axis=0) - below
        left = int((entropy(below) + entropy(above)).argmin())
        yield left, np.array([below[left], above[left], sums[-1]])

    def collect(self, hypotheses: list[Any]) -> AnyHypotheses:
        """The stumps of all rounds, ready to vote."""
        return AnyHypotheses(hypotheses, self.K)


def entropy(groups: np.ndarray) -> np.ndarray:
    """The weight of each group times the entropy of its classes."""
    whole = groups.sum(axis=1)
    return np.asarray(xlogy(whole, whole) - xlogy(groups, groups).sum(axis=1))
