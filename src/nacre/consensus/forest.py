"""Trees whose leaves say shares of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nacre.data.check import check_form
from nacre.data.storable import storable
from nacre.learners.branches import Branches, Trees


@storable
class Forest(Sequence[Branches]):
    """Trees of equal vote: a row's score is the mean of the shares in the leaves it comes to.

    Attributes
    ----------
    trees : Trees
    shares : float64 array of shape (nodes of all trees, classes)
    """

    def __init__(self, trees: Trees, shares: np.ndarray) -> None:
        self.trees = trees
        self.shares = shares

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        if not isinstance(self.trees, Trees) or not len(self.trees):
            raise ValueError("a forest has trees.")
        check_form(self.shares, "shares", np.float64, (self.trees.nodes, self.trees.n_classes))

    @property
    def width(self) -> int:
        """How many columns a table must have."""
        return self.trees.width

    def __len__(self) -> int:
        return len(self.trees)

    def __getitem__(self, index: Any) -> Any:
        return self.trees[index]

    def mean_shares(self, X: np.ndarray) -> np.ndarray:
        """The mean share of each class over the trees, a row for each row of ``X``."""
        out = np.zeros((len(X), self.shares.shape[1]))
        self.trees.add_outputs(X, self.shares, out)
        return out / len(self)

    def importances(self, d: int) -> np.ndarray:
        """The mean over the trees of the gain of each column's splits."""
        return self.trees.importances(np.ones(len(self)), d)
