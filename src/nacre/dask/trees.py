"""A tree grown over partitions: local sums, one decision, and every partition parts its rows.

A question costs as much as some hundred thousand rows. So all nodes that may be split next are
parted in one: those that turn out not to be were parted in vain, and do no harm.
"""

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
from nacre.kernels.histogram import add_chosen, add_up
from nacre.kernels.split import SLOT, TIE
from nacre.learners.branches import Branches
from nacre.learners.tree import as_branches, make_room

AT_ONCE = 16
"""Nodes that are split in one question, at most."""


class NodeSums(NamedTuple):
    """What the rows of nodes add up to.

    Attributes
    ----------
    hist : float64 array of shape (nodes read, blocks, channels, SIZE)
    total : float64 array of shape (nodes, channels)
    weight, curvature, rows : float64 arrays, one entry a node
    size : sums of sizes and of weights of all rows
    """

    hist: Any
    total: Any
    weight: Any
    curvature: Any
    rows: Any
    size: Any

    def __add__(self, other: Any) -> NodeSums:
        return NodeSums(*(one + two for one, two in zip(self, other, strict=True)))


class Pulls(NamedTuple):
    """What a tree is grown on, one entry a row.

    ``first`` is the weight of each row and ``second`` empty, or ``first`` is the weighted response
    and ``second`` its weight; ``third`` is the weighted curvature, or empty.
    """

    first: np.ndarray
    second: np.ndarray
    third: np.ndarray


def plant(rows: Partition, state: dict[str, Any], pulls: Pulls, classes: int) -> NodeSums:
    """Set up the root of a tree on a partition."""
    name = f"room of {classes}"
    if name not in state:
        codes = rows.y if classes else np.empty(0, np.int64)
        shape = 1, len(rows.bins.words)
        state[name] = make_room(rows.bins, codes, classes, state["leaves"], shape)
    table, work, nodes = state[name]
    state["tree"] = table, work, nodes, pulls
    weighty = grow.list_rows(pulls.first if classes else pulls.second, work.rows)
    state["spans"] = {0: (0, weighty)}
    sizes = np.array(grow.add_sizes(pulls.first, pulls.second))
    return _sums(state, [0], [0])._replace(size=sizes)


@dataclass(frozen=True, eq=False)
class Cut:
    """Where a stretch of rows is parted.

    Attributes
    ----------
    span : int, the number of the stretch
    links, sides : the decision
    left : int, the number of the stretch of the rows that go left; the others' is the next
    read : int, optional, the one of the two whose histograms are wanted
    """

    span: int
    links: np.ndarray
    sides: np.ndarray | None
    left: int
    read: int | None


@dataclass(frozen=True, eq=False)
class Split:
    """Part the rows of some nodes."""

    cuts: tuple[Cut, ...]

    def run(self, rows: Partition, state: dict[str, Any]) -> NodeSums:
        """The totals of all children, and the histograms of those that are to be read."""
        table, work, nodes, _ = state["tree"]
        spans = state["spans"]
        for cut in self.cuts:
            nodes.links[0] = cut.links
            if cut.sides is not None:
                nodes.sides[0] = cut.sides
            start, stop = spans[cut.span]
            grow.place_node(work, 0, start, stop, 0)
            middle = grow.part(table, work, nodes, 0)
            spans[cut.left], spans[cut.left + 1] = (start, middle), (middle, stop)
        children = [cut.left + k for cut in self.cuts for k in range(2)]
        return _sums(state, children, [cut.read for cut in self.cuts if cut.read is not None])


def _sums(state: dict[str, Any], which: list[int], read: list[int]) -> NodeSums:
    """The sums of some stretches of rows, and the histograms of those to be read."""
    table, work, _, (first, second, third) = state["tree"]
    spans = state["spans"]
    total, weight = np.empty((len(which), len(work.total))), np.empty(len(which))
    hist = np.empty((len(read), *work.hist.shape[1:]))
    for k, one in enumerate(read):
        grow.place_node(work, 0, *spans[one], 0)
        work.place[0, SLOT] = 0
        grow.fill(table, first, second, work, 0)
        hist[k] = work.hist[0]
    for k, one in enumerate(which):
        if one in read:
            total[k] = hist[read.index(one), 0, :, ::WIDTH].sum(axis=1)
            weight[k] = total[k].sum() if table.classes else total[k, 1]
        else:
            weight[k] = add_up(table.codes, first, second, work.rows, *spans[one], total[k])
    bend = [add_chosen(third, work.rows, *spans[one]) if len(third) else 0.0 for one in which]
    rows = np.array([spans[one][1] - spans[one][0] for one in which], float)
    return NodeSums(hist, total, weight, np.array(bend), rows, np.zeros(2))


@dataclass(frozen=True, eq=False)
class Grown:
    """A tree, and where its rows are.

    Attributes
    ----------
    tree : Branches
    spans : the number of the stretch of each node's rows
    curvature : float64 array, the sum over each node's rows
    """

    tree: Branches
    spans: list[int]
    curvature: np.ndarray

    def take_newton_steps(self) -> None:
        """Have leaves say the sum of their responses over that of the curvatures."""
        if not self.curvature.any():
            return
        numbers, leaf = self.tree.numbers, self.tree.left < 0
        above = numbers[:, kernel.VALUE] * numbers[:, kernel.WEIGHT]
        below = np.where(leaf, self.curvature, 0.0)
        self.tree.value[:] = np.divide(above, below, out=np.zeros(len(leaf)), where=below > 0.0)

    def leaves(self, rows: Partition, state: dict[str, Any], room: Any = None) -> np.ndarray:
        """The leaf of each row of a partition, those without weight too; in ``room``, if given."""
        table, work, nodes, _ = state["tree"]
        tree, count = self.tree, len(self.tree)
        leaf = np.empty(len(rows), np.int32) if room is None else room
        for node in np.flatnonzero(tree.left < 0).tolist():
            start, stop = state["spans"][self.spans[node]]
            grow.mark_rows(work.rows, start, stop, node, leaf)
        weighty = state["spans"][0][1]
        if weighty < len(rows):
            nodes.links[:count] = tree.links
            for node in np.flatnonzero(tree.table >= 0).tolist():
                nodes.sides[node] = tree.sides[tree.table[node]]
            grow.send_down(table, work, nodes, count, weighty, leaf)
        return leaf


@dataclass(eq=False)
class Node:
    """A node of a tree that is being grown, with its best split if it may have one.

    Its children are known, where they were asked for, before it is decided that it is split.
    ``read`` says whether they have histograms, ``divides`` whether the node may be split.
    """

    span: int
    depth: int
    rows: float
    curvature: float
    links: np.ndarray
    numbers: np.ndarray
    hist: Any = None
    sides: np.ndarray | None = None
    children: tuple[Node, Node] | None = None
    read: bool = False
    divides: bool | None = None
    number: int = 0

    @property
    def gain(self) -> float:
        """What its split gains."""
        return float(self.numbers[kernel.GAIN])


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

    def grow(self, sums: NodeSums) -> Grown:
        """Grow a tree whose root has been read."""
        root = self._node(sums, 0, 0, 0)
        root.hist = sums.hist[0]
        self.scale = grow.most_worth(*sums.size.tolist())
        self.least = self.limits.weight * root.numbers[kernel.WEIGHT] * (1.0 - TIE)
        self.spans = 1
        tree, leaves = [root], 1
        waiting = [root] if self.limits.leaves > 1 and self._may_split(root) else []
        while waiting and leaves < self.limits.leaves:
            node = self._pick(waiting)
            open_ends = self.limits.leaves - leaves
            if node.children is None or (open_ends > 1 and self._unread(node)):
                self._ask(waiting, open_ends)
            waiting.remove(node)
            leaves += 1
            assert node.children is not None
            for side, child in zip((kernel.LEFT, kernel.RIGHT), node.children, strict=True):
                node.links[side] = child.number = len(tree)
                tree.append(child)
            if leaves < self.limits.leaves:
                waiting += self._next(node)
        return self._grown(tree)

    def _grown(self, tree: list[Node]) -> Grown:
        """The nodes as a tree."""
        for number, node in enumerate(tree):
            if node.links[kernel.LEFT] < 0:
                node.links[kernel.FEATURE], node.links[kernel.TABLE] = -1, -1
                node.numbers[kernel.GAIN] = 0.0
            self.nodes.links[number], self.nodes.numbers[number] = node.links, node.numbers
            if node.sides is not None:
                self.nodes.sides[number] = node.sides
        curvature = np.array([node.curvature for node in tree])
        return Grown(as_branches(self.nodes, len(tree)), [node.span for node in tree], curvature)

    def _node(self, sums: NodeSums, k: int, span: int, depth: int) -> Node:
        grow.describe(self.table, sums.total[k], float(sums.weight[k]), self.nodes, 0)
        links, numbers = self.nodes.links[0].copy(), self.nodes.numbers[0].copy()
        return Node(span, depth, float(sums.rows[k]), float(sums.curvature[k]), links, numbers)

    def _next(self, node: Node) -> list[Node]:
        """The children of a node that may be split, the larger first."""
        assert node.children is not None
        left, right = node.children
        both = [right, left] if left.rows <= right.rows else [left, right]
        for child in both:
            if child.divides is None:
                child.divides = self._may_split(child)
        return [child for child in both if child.divides]

    def _may_split(self, node: Node) -> bool:
        """Find the best split of a node; False where there is none."""
        weight = node.numbers[kernel.WEIGHT]
        possible = node.depth < self.limits.depth and node.rows > 1 and weight > 0.0
        if not possible or weight < 2.0 * self.least:
            return False
        work, nodes = self.work, self.nodes
        work.hist[0], work.place[0, SLOT] = node.hist, 0
        nodes.links[0], nodes.numbers[0] = node.links, node.numbers
        if not grow.choose_split(self.table, self.share, self.least, self.scale, work, nodes, 0):
            return False
        node.links, node.numbers = nodes.links[0].copy(), nodes.numbers[0].copy()
        if node.links[kernel.TABLE] >= 0:
            node.sides = nodes.sides[0].copy()
        return True

    def _unread(self, node: Node) -> bool:
        """Whether its children may be split further, but have not been read."""
        return not node.read and node.depth + 1 < self.limits.depth

    def _ask(self, waiting: list[Node], open_ends: int) -> None:
        """Have all partitions split the nodes that may come next.

        A node that can only be the last one to be split has children that nobody looks at.
        """
        rest, asked = list(waiting), []
        cuts: list[Cut] = []
        for turn in range(open_ends):
            if not rest or len(cuts) == AT_ONCE:
                break
            node = self._pick(rest)
            rest.remove(node)
            last = turn == open_ends - 1
            if node.children is not None and (last or not self._unread(node)):
                rest += [] if last else self._next(node)
                continue
            read = None
            if not last and self._unread(node):
                read = self.spans + (0 if self._lighter_left(node) else 1)
            cuts.append(Cut(node.span, node.links.copy(), node.sides, self.spans, read))
            asked.append(node)
            self.spans += 2
        sums = self.waves.ask(Split(tuple(cuts)))
        found = iter(sums.hist)
        for k, (node, cut) in enumerate(zip(asked, cuts, strict=True)):
            left, right = (
                self._node(sums, 2 * k + j, cut.left + j, node.depth + 1) for j in range(2)
            )
            node.children = left, right
            if cut.read is not None:
                few, many = (left, right) if cut.read == cut.left else (right, left)
                few.hist = next(found)
                many.hist, node.hist, node.read = node.hist - few.hist, None, True

    def _lighter_left(self, node: Node) -> bool:
        """Whether the left child has less weight, by the bins of the node's column."""
        block, lane = divmod(int(node.links[kernel.FEATURE]), WIDTH)
        by_bin = node.hist[block, :, lane::WIDTH]
        weight = by_bin.sum(axis=0) if self.table.classes else by_bin[1]
        if node.sides is None:
            goes = np.arange(256) <= node.links[kernel.SPLIT]
            goes[MISSING] = node.links[kernel.GAP] != 0
        else:
            goes = node.sides != 0
        return bool(2.0 * weight[goes].sum() <= weight.sum())

    def _pick(self, waiting: list[Node]) -> Node:
        """The next node to split: the last to come or, of most gain, the first."""
        if not self.limits.best_first:
            return waiting[-1]
        best = waiting[0]
        for rival in waiting[1:]:
            better, near = rival.gain - best.gain, TIE * best.gain
            if better > near or (better >= -near and rival.number < best.number):
                best = rival
        return best
