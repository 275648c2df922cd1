"""A tree grown over partitions: local sums, one decision, and every partition parts its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nacre.bins import Bins
from nacre.dask.partition import Partition
from nacre.dask.waves import Waves
from nacre.kernels import grow
from nacre.kernels import tree as kernel
from nacre.kernels.binning import MISSING, WIDTH
from nacre.kernels.histogram import add_up
from nacre.kernels.split import SLOT, TIE
from nacre.learners.branches import Branches
from nacre.learners.tree import as_branches, make_room


class NodeSums(NamedTuple):
    """What the rows of nodes add up to.

    Attributes
    ----------
    hist : float64 array of shape (blocks, channels, SIZE), of the node that was read
    total : float64 array of shape (nodes, channels)
    weight, rows : float64 arrays, one entry a node
    size : sums of sizes and of weights of all rows
    """

    hist: Any
    total: Any
    weight: Any
    rows: Any
    size: Any

    def __add__(self, other: Any) -> NodeSums:
        return NodeSums(*(one + two for one, two in zip(self, other, strict=True)))


def plant(
    rows: Partition, state: dict[str, Any], first: np.ndarray, second: np.ndarray, classes: int
) -> NodeSums:
    """Set up the root of a tree on a partition.

    ``first`` is the weight of each row and ``second`` empty, or ``first`` is the weighted response
    and ``second`` its weight.
    """
    name = f"room of {classes}"
    if name not in state:
        codes = rows.y if classes else np.empty(0, np.int64)
        shape = 1, len(rows.bins.words)
        most = state["leaves"]
        state[name] = make_room(rows.bins, codes, classes, most, shape)
    table, work, nodes = state[name]
    state["tree"] = table, work, nodes, first, second
    weighty = grow.list_rows(first if classes else second, work.rows)
    state["spans"] = {0: (0, weighty)}
    return _sums(state, [0], 0)


@dataclass(frozen=True, eq=False)
class Split:
    """Part the rows of a node, and read one of its children."""

    node: int
    links: np.ndarray
    sides: np.ndarray | None
    left: int
    read: int

    def run(self, rows: Partition, state: dict[str, Any]) -> NodeSums:
        """The totals of both children, and the histograms of one."""
        table, work, nodes, _, _ = state["tree"]
        nodes.links[self.node] = self.links
        if self.sides is not None:
            nodes.sides[self.node] = self.sides
        start, stop = state["spans"][self.node]
        grow.place_node(work, self.node, start, stop, 0)
        cut = grow.part(table, work, nodes, self.node)
        left, right = self.left, self.left + 1
        nodes.links[self.node, kernel.LEFT], nodes.links[self.node, kernel.RIGHT] = left, right
        state["spans"][left], state["spans"][right] = (start, cut), (cut, stop)
        return _sums(state, [left, right], self.read)


def leaves_of(rows: Partition, state: dict[str, Any], tree: Branches) -> np.ndarray:
    """The leaf of each row of a partition, those without weight too."""
    table, work, nodes, _, _ = state["tree"]
    count = len(tree)
    links = nodes.links[:count]
    links[:, kernel.LEFT], links[:, kernel.RIGHT] = tree.left, tree.right
    leaf = np.empty(len(rows), np.int32)
    for node, (start, stop) in state["spans"].items():
        if tree.left[node] < 0:
            leaf[work.rows[start:stop]] = node
    weighty = state["spans"][0][1]
    grow.send_down(table, work, nodes, count, weighty, leaf)
    return leaf


def _sums(state: dict[str, Any], which: list[int], read: int) -> NodeSums:
    table, work, _, first, second = state["tree"]
    spans = [state["spans"][node] for node in which]
    total = np.empty((len(which), len(work.total)))
    weight = np.array(
        [
            add_up(table.codes, first, second, work.rows, *span, total[k])
            for k, span in enumerate(spans)
        ]
    )
    sizes = np.array(grow.add_sizes(first, second)) if which == [0] else np.zeros(2)
    rows = np.array([stop - start for start, stop in spans], float)
    grow.place_node(work, read, *state["spans"][read], 0)
    work.place[read, SLOT] = 0
    grow.fill(table, first, second, work, read)
    return NodeSums(work.hist[0].copy(), total, weight, rows, sizes)


class Grower:
    """Decides where a tree is split, from sums over all partitions.

    The same decisions as :func:`nacre.kernels.grow.grow`, in the same order.
    """

    def __init__(
        self, bins: Bins, share: np.ndarray | None, classes: int, limits: grow.Limits, waves: Waves
    ) -> None:
        shape = 1, len(bins.words)
        codes = np.empty(0, np.int64)
        self.table, self.work, self.nodes = make_room(bins, codes, classes, limits.leaves, shape)
        self.share, self.limits, self.waves = share, limits, waves

    def grow(self, root: NodeSums) -> Branches:
        """Grow a tree whose root has been read."""
        limits, nodes = self.limits, self.nodes
        scale = grow.most_worth(*root.size.tolist())
        self._describe(0, root, 0)
        least = limits.weight * nodes.numbers[0, kernel.WEIGHT] * (1.0 - TIE)
        self.hist, self.depth, self.rows = {0: root.hist}, {0: 0}, {0: root.rows[0]}
        count, leaves, waiting = 1, 1, []
        fresh = [0]
        while True:
            for node in fresh:
                if leaves < limits.leaves and self._may_split(node, least):
                    self.work.hist[0] = self.hist[node]
                    self.work.place[node, SLOT] = 0
                    if grow.choose_split(
                        self.table, self.share, least, scale, self.work, nodes, node
                    ):
                        waiting.append(node)
                        continue
                self.hist.pop(node)
            if not waiting or leaves == limits.leaves:
                break
            node = self._pick(waiting)
            fresh = self._split(node, count)
            count, leaves = count + 2, leaves + 1
        for node in range(count):
            if nodes.links[node, kernel.LEFT] < 0:
                nodes.links[node, kernel.FEATURE], nodes.links[node, kernel.TABLE] = -1, -1
                nodes.numbers[node, kernel.GAIN] = 0.0
        return as_branches(nodes, count)

    def _split(self, node: int, left: int) -> list[int]:
        """Have all partitions split a node; its children, the heavier one first."""
        nodes, right = self.nodes, left + 1
        before = self.hist.pop(node)
        sides = nodes.sides[node].copy() if nodes.links[node, kernel.TABLE] >= 0 else None
        read = left if self._lighter_left(node, before, sides) else right
        sums = self.waves.ask(Split(node, nodes.links[node].copy(), sides, left, read))
        nodes.links[node, kernel.LEFT], nodes.links[node, kernel.RIGHT] = left, right
        for k, child in enumerate((left, right)):
            self._describe(child, sums, k)
            self.depth[child], self.rows[child] = self.depth[node] + 1, sums.rows[k]
        self.hist[read], self.hist[left + right - read] = sums.hist, before - sums.hist
        return [right, left] if sums.rows[0] <= sums.rows[1] else [left, right]

    def _lighter_left(self, node: int, hist: np.ndarray, sides: np.ndarray | None) -> bool:
        """Whether the left child has less weight, by the bins of the node's column."""
        links = self.nodes.links[node]
        block, lane = divmod(int(links[kernel.FEATURE]), WIDTH)
        by_bin = hist[block, :, lane::WIDTH]
        weight = by_bin.sum(axis=0) if self.table.classes else by_bin[1]
        goes = np.arange(256) <= links[kernel.SPLIT] if sides is None else sides != 0
        if sides is None:
            goes[MISSING] = links[kernel.GAP] != 0
        return bool(2.0 * weight[goes].sum() <= weight.sum())

    def _describe(self, node: int, sums: NodeSums, k: int) -> None:
        grow.describe(self.table, sums.total[k], float(sums.weight[k]), self.nodes, node)

    def _may_split(self, node: int, least: float) -> bool:
        weight = self.nodes.numbers[node, kernel.WEIGHT]
        return (
            self.depth[node] < self.limits.depth
            and self.rows[node] > 1
            and weight > 0.0
            and weight >= 2.0 * least
        )

    def _pick(self, waiting: list[int]) -> int:
        """The next node to split: the last to come or, of most gain, the first."""
        best = waiting[-1]
        if self.limits.best_first:
            best, gain = waiting[0], self.nodes.numbers[:, kernel.GAIN]
            for rival in waiting[1:]:
                better, near = gain[rival] - gain[best], TIE * gain[best]
                if better > near or (better >= -near and rival < best):
                    best = rival
        waiting.remove(best)
        return best
