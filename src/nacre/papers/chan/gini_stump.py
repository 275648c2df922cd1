"""Stumps of least Gini index, as decision trees of one level choose them."""

from __future__ import annotations

from typing import Any

import numpy as np

from nacre.data import TrainingRows
from nacre.learners.base import Learner
from nacre.learners.stump import Stumps
from nacre.learners.tree import Tree


class GiniStump(Learner):
    """A tree of one level, kept as a stump, so that volumes can be measured around it."""

    def __init__(self, categorical_features: Any = None) -> None:
        self.categorical_features = categorical_features

    def prepare(self, training: TrainingRows, n_jobs: int = 1) -> GiniFitter:
        """Bin the rows."""
        return GiniFitter(training, n_jobs)


class GiniFitter:
    """Grows trees of one level on columns of numbers."""

    def __init__(self, training: TrainingRows, n_jobs: int) -> None:
        self.fitter = Tree(max_depth=1).prepare(training, n_jobs)
        self.n_classes = training.n_classes

    def fit(self, weights: np.ndarray, seed: int = 0) -> tuple[Stumps, np.ndarray] | None:
        """The stump of most gain."""
        found = self.fitter.fit(weights, seed)
        if found is None:
            return None
        tree, said = found
        if tree.feature[0] < 0:
            return None
        left, right = (
            tree.value[[side]].astype(np.int64) for side in (tree.left[0], tree.right[0])
        )
        missing = left if tree.gap[0] else right
        return self._stumps(tree.feature[:1], tree.threshold[:1], left, right, missing), said

    def _stumps(
        self,
        feature: np.ndarray,
        threshold: np.ndarray,
        left: np.ndarray,
        right: np.ndarray,
        missing: np.ndarray,
    ) -> Stumps:
        none = np.zeros((len(feature), 256), np.int64)
        column = feature.astype(np.int64)
        return Stumps(column, threshold.copy(), left, right, missing, none, {}, self.n_classes)

    def collect(self, hypotheses: list[Stumps]) -> Stumps:
        """The stumps of all rounds as one ensemble."""
        none = np.empty(0, np.int64)
        return self._stumps(none, np.empty(0), none, none, none).joined(*hypotheses)
