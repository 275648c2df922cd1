"""Trees that add up, over bins: what is kept of trees once they are grown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nacre.bins.cuts import Cuts, Rows
from nacre.data.check import check_form
from nacre.data.storable import storable
from nacre.kernels import binned_trees as kernel
from nacre.kernels import tree as nodes
from nacre.kernels.binning import MISSING
from nacre.learners.branches import Branches, Trees

LEAF, GAP_RIGHT, GAP_LEFT, TABLE = 0, 1, 2, 3
"""Kinds of nodes: a leaf; a cut, missing values beyond it or before; a table of categories."""

PARTS = ("cuts", "kind", "feature", "split", "sides", "values", "gains")


@storable
class BinnedTrees:
    """Trees whose leaves say numbers, one for each of several columns, which are added up.

    Attributes
    ----------
    cuts : Cuts
        What the bins stand for.
    kind : uint8 array, an entry a node
        All trees one after the other, each in preorder: a node, what is left of it, what is right.
        So nothing else need be said on how they branch.
    feature, split : int64 and uint8 arrays, an entry a decision
        The column, and the last bin that goes left.
    sides : uint8 array of shape (tables, 256)
        For each decision on categories the codes that go left.
    values : float64 array of shape (leaves, columns)
    gains : float64 array of shape (d,)
        How much each column of the table is used.
    """

    def __init__(
        self,
        cuts: Cuts,
        kind: np.ndarray,
        feature: np.ndarray,
        split: np.ndarray,
        sides: np.ndarray,
        values: np.ndarray,
        gains: np.ndarray,
    ) -> None:
        self.cuts = cuts
        self.kind = kind
        self.feature = feature
        self.split = split
        self.sides = sides
        self.values = values
        self.gains = gains
        self._plan()

    def _plan(self) -> None:
        """Lay out the nodes for the kernels: small trees by decision, large ones by node."""
        inner = self.kind != LEAF
        right, stack = np.empty(len(inner), np.int64), np.empty(len(inner) + 1, np.int64)
        count = kernel.link(inner, stack, right)
        roots = stack[:count][::-1].copy()
        before = np.cumsum(~inner) - ~inner  # leaves before each node
        leaves = np.diff(before[roots], append=len(self.values))
        at = np.flatnonzero(inner)
        kinds = self.kind[at]
        least = np.where(kinds == TABLE, 0, self.split.astype(np.int64) + 1)
        gap = kinds == GAP_LEFT
        decisions = right[at].astype(np.uint64)
        parts = (least + gap, kernel.LEAST), (gap, kernel.GAP), (self.feature, kernel.COLUMN)
        for part, place in parts:
            decisions |= part.astype(np.uint64) << place
        tables = np.where(kinds == TABLE, np.cumsum(kinds == TABLE) - 1, -1)
        tree = np.repeat(np.arange(count), np.maximum(leaves - 1, 0))
        small = leaves <= kernel.SMALL
        own = small[tree]
        begin = (before[at] - before[roots][tree])[own]
        size = (before[right[at]] - before[at])[own]
        masks = ~(((1 << size) - 1) << begin).astype(np.uint32)
        begins = np.append(0, np.cumsum(leaves[small] - 1))
        firsts = before[roots[small]].astype(np.uint64)
        self._small = begins, decisions[own], tables[own], masks, self.sides, firsts
        by_node, by_table = right.astype(np.uint64), np.full(len(inner), -1)
        by_node[at], by_table[at] = decisions, tables
        self._large = roots[~small].astype(np.uint64), by_node, by_table, self.sides, before
        self._count = count

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in PARTS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._check()
        self._plan()

    def _check(self) -> None:
        """Raise unless rows of any table that is wide enough find their leaves."""
        if not isinstance(self.cuts, Cuts):
            raise ValueError("trees have cut points.")
        check_form(self.kind, "kind", np.uint8, (None,), 0, TABLE + 1)
        inner = self.kind != LEAF
        open_ends = np.cumsum(np.where(inner, 1, -1))  # less by one with each tree that is whole
        if len(open_ends) and open_ends[-1] >= open_ends[:-1].min(initial=0):
            raise ValueError("a tree is not whole.")
        count, tables = int(inner.sum()), self.kind[inner] == TABLE
        check_form(self.feature, "feature", np.int64, (count,), 0, self.cuts.width)
        check_form(self.split, "split", np.uint8, (count,), 0, MISSING)
        check_form(self.sides, "sides", np.uint8, (int(tables.sum()), 256))
        if not np.array_equal(np.isin(self.feature, list(self.cuts.categories)), tables):
            raise ValueError("categories of trees do not fit.")
        check_form(self.values, "values", np.float64, (len(inner) - count, None))
        check_form(self.gains, "gains", np.float64, (self.cuts.width,))

    def __len__(self) -> int:
        return self._count

    @property
    def width(self) -> int:
        """How many columns a table must have."""
        return self.cuts.width

    @property
    def columns(self) -> int:
        """How many numbers a leaf says."""
        return int(self.values.shape[1])

    def sums(self, rows: Rows) -> np.ndarray:
        """What the leaves that each row comes to say in sum."""
        bins, out = rows.binned(self.cuts), np.zeros((len(rows), self.columns))
        if len(self._small[-1]):
            alive = np.empty(kernel.LANES, np.uint32)
            kernel.add_small(bins, *self._small, alive, self.values, out)
        if len(self._large[0]):
            kernel.add_large(bins, *self._large, self.values, out)
        return out

    def first(self, count: int) -> BinnedTrees:
        """The first so many trees."""
        if count >= len(self):
            return self
        inner = self.kind != LEAF
        whole = np.cumsum(np.where(inner, 1, -1)) == -count
        nodes = int(np.argmax(whole)) + 1
        kind = self.kind[:nodes]
        decisions, tables = int(inner[:nodes].sum()), int((kind == TABLE).sum())
        return BinnedTrees(
            self.cuts, kind, self.feature[:decisions], self.split[:decisions],
            self.sides[:tables], self.values[: nodes - decisions], self.gains,
        )  # fmt: skip

    def importances(self, d: int) -> np.ndarray:
        """How much each of ``d`` columns is used."""
        return np.pad(self.gains, (0, d - len(self.gains)))


def bin_trees(
    trees: Sequence[Branches],
    values: Sequence[np.ndarray],
    columns: int,
    cuts: Cuts,
    gains: np.ndarray,
) -> BinnedTrees:
    """Keep what is needed of trees to add up their leaves.

    Parameters
    ----------
    trees : grown on the bins that ``cuts`` has
    values : for each tree an array of shape (nodes, columns)
        What its leaves say.
    columns : int
    cuts : Cuts
    gains : array of shape (d,)
    """
    kinds, splits = [np.empty(0, np.uint8)], [np.empty(0, np.uint8)]
    features, sides = [np.empty(0, np.int64)], [np.empty((0, 256), np.uint8)]
    said = [np.empty((0, columns))]
    for tree, value in zip(trees, values, strict=True):
        order, stack = np.empty(len(tree), np.int64), np.empty(len(tree) + 2, np.int64)
        kernel.preorder(tree.feature, tree.left, tree.right, stack, order)
        links = tree.links[order]
        inner, table = links[:, nodes.FEATURE] >= 0, links[:, nodes.TABLE] >= 0
        cut = np.where(links[:, nodes.GAP] == 1, GAP_LEFT, GAP_RIGHT)
        kinds.append(np.where(inner, np.where(table, TABLE, cut), LEAF).astype(np.uint8))
        features.append(links[inner, nodes.FEATURE].astype(np.int64))
        split = np.where(table, 0, links[:, nodes.SPLIT])[inner]
        splits.append(np.minimum(split, MISSING - 1).astype(np.uint8))
        sides.append(tree.sides[links[table, nodes.TABLE]])
        said.append(value[order[~inner]])
    join = np.concatenate
    return BinnedTrees(
        cuts, join(kinds), join(features), join(splits), join(sides), join(said), gains
    )


def single(values: np.ndarray) -> np.ndarray:
    """Numbers rounded to single precision: files need half as much for them."""
    return values.astype(np.float32).astype(np.float64)


def former_trees(trees: Trees, values: np.ndarray, gains: np.ndarray) -> BinnedTrees:
    """Trees of thresholds as trees over bins, which say the same.

    ``values`` has a row for each node of all trees.
    """
    d = len(gains)
    found: list[set[float]] = [set() for _ in range(d)]
    for tree in trees:
        cut = (tree.feature >= 0) & (tree.table < 0) & np.isfinite(tree.threshold)
        for j, point in zip(tree.feature[cut].tolist(), tree.threshold[cut].tolist(), strict=True):
            found[j].add(point)
    points = [np.array(sorted(one)) for one in found]
    counts = np.array([len(one) for one in points], np.int64)
    cuts = Cuts(counts, np.concatenate([np.empty(0), *points]), trees.categories)
    cuts._check_loaded()
    again = []
    for tree in trees:
        links = tree.links.copy()
        for node in np.flatnonzero((tree.feature >= 0) & (tree.table < 0)):
            links[node, nodes.SPLIT] = (
                np.searchsorted(points[tree.feature[node]], tree.threshold[node])
                if np.isfinite(tree.threshold[node])
                else MISSING - 1
            )
        again.append(Branches(links, tree.numbers, tree.sides))
    ends = np.cumsum([len(tree) for tree in trees])
    return bin_trees(again, np.split(values, ends[:-1]), values.shape[1], cuts, gains)
