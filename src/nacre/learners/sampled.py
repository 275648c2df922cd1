"""Regression trees on samples of rows and columns, as stochastic gradient boosting grows them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nacre.bins import Bins
from nacre.data import TrainingRows
from nacre.kernels import drawn, grow, sample, split
from nacre.kernels import tree as kernel
from nacre.kernels.binning import WIDTH
from nacre.kernels.histogram import ABSENT, KIND, SIZE
from nacre.learners.branches import Branches
from nacre.learners.tree import Tree, TreeFitter, as_branches, count_slots, make_room


class SampledTreeFitter(TreeFitter):
    """Binned rows, ready for trees that see the rows of weight and some of the columns.

    Columns are drawn for a tree, not for each node: so the histograms of a node are those of its
    parent less its sibling's. What a tree sees is copied together first, and stays in the cache.

    Parameters
    ----------
    tree : Tree
        What trees are like; its ``max_features`` are drawn for each of them.
    training : TrainingRows
    bins : Bins
        Of those rows.

    Attributes
    ----------
    leaf : int32 array of shape (n,)
        The leaf of every row, of weight or not, in the tree grown last.
    """

    def __init__(self, tree: Tree, training: TrainingRows, bins: Bins) -> None:
        n, d = training.X.shape
        limits = tree._limits(n, d)
        self.width = limits.features or d
        super().__init__(training, limits._replace(features=0), bins=bins)
        blocks = -(-self.width // WIDTH)
        room = make_room(
            replace(bins, words=np.empty((blocks, n), np.uint64)), np.empty(0, np.int64), 0,
            limits.leaves, (count_slots(limits, n), blocks),
        )  # fmt: skip
        self._table, self._work, self._nodes = room
        self._about = np.stack([bins.last, bins.bins, bins.kind, bins.missing])
        self._columns, self._state = np.empty(d, np.int32), np.empty(1, np.uint64)
        self._first, self._second = np.empty((2, n))
        self._rows, self._found = np.empty((2, n), np.int32)

    def fit_sample(self, response: np.ndarray, weights: np.ndarray, seed: int) -> Branches:
        """The tree of numbers, by weighted least squares, of columns drawn by the seed."""
        columns = self._draw_columns(seed)
        nodes, count = self._nodes, grow.list_rows(weights, self._rows)
        rows, found = self._rows[:count], self._found[:count]
        first, second = self._first[:count], self._second[:count]
        words = self._table.words
        sample.copy_rows(self.bins.words, columns, rows, response, weights, words, first, second)
        size = grow.grow(
            self._part(columns), self._trust(columns), None, self.limits, first, second,
            self._work._replace(rows=self._work.rows[:count]), nodes, found,
        )  # fmt: skip
        feature = nodes.links[:size, kernel.FEATURE]
        feature[:] = np.where(feature < 0, feature, columns[feature])
        self.leaf[rows] = found
        whole, work = (
            self._table._replace(words=self.bins.words),
            self._work._replace(rows=self._rows),
        )
        grow.send_down(whole, work, nodes, size, count, self.leaf)
        return as_branches(nodes, size)

    def _draw_columns(self, seed: int) -> np.ndarray:
        """The columns of a tree, ascending."""
        self._state[0], self._columns[:] = seed, np.arange(len(self._columns))
        drawn.choose(self._state, self._columns, self.width)
        return self._columns[: self.width]

    def _part(self, columns: np.ndarray) -> split.Table:
        """The sample as a table of its own."""
        about = np.zeros((4, len(self._table.words) * WIDTH), np.int64)
        about[KIND] = ABSENT
        about[:, : self.width] = self._about[:, columns]
        return self._table._replace(columns=about, cuts=self.bins.cuts[columns])

    def _trust(self, columns: np.ndarray) -> np.ndarray | None:
        """The trust in the categories of some columns."""
        if self.share is None:
            return None
        out = np.ones((len(self._table.words), SIZE))
        for k, f in enumerate(columns.tolist()):
            out[k // WIDTH, k % WIDTH :: WIDTH] = self.share[f // WIDTH, f % WIDTH :: WIDTH]
        return out
