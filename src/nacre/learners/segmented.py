"""Trees on large tables, grown by segments of the rows that threads share out."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor, wait

import numpy as np

from nacre.kernels import grow, split
from nacre.kernels import segments as kernel
from nacre.kernels import tree as tree_kernel
from nacre.kernels.histogram import SIZE
from nacre.kernels.weights import CHUNK

LEAST = 40_000
"""Rows of a segment, at least; as many again for every eight classes."""

MOST = 8
"""Segments at most."""

WAVE = 4
"""Nodes that are split at a time, where trees are not deep and tables not wide."""

SHALLOW, NARROW = 8, 32

MOST_LEAVES = 10_000
"""Trees that may have more are grown in one piece: each segment knows all nodes."""


def count_segments(n: int, classes: int, limits: grow.Limits) -> int:
    """Segments of a table: a power of two, by its rows, its classes and the form of the trees."""
    if limits.features or limits.leaves > MOST_LEAVES:
        return 1
    least = LEAST * (1 + classes // 8)
    return int(min(MOST, 2 ** int(np.log2(max(1, n // least)))))


def wave_size(limits: grow.Limits, blocks: int) -> int:
    """Nodes that are split at a time."""
    one = limits.best_first or limits.depth > SHALLOW or blocks > NARROW
    return 1 if one else WAVE


def count_slots(limits: grow.Limits, n: int, blocks: int) -> int:
    """How many nodes have histograms at a time, beside what segments have."""
    if limits.best_first:
        return limits.leaves + 1
    wave = wave_size(limits, blocks)
    if wave == 1:
        return min(limits.leaves, int(np.log2(n)) + 2)
    return min(limits.leaves, 2 * wave * limits.depth) + wave


class Grower:
    """Room for growing by ``count`` segments.

    Parameters
    ----------
    room : Table, Work and Nodes
    limits : Limits
    count : int
    threads : int
        How many make no difference to the trees.
    leaf : int32 array
        For the leaf of each row.
    """

    def __init__(
        self,
        room: tuple[split.Table, split.Work, tree_kernel.Nodes],
        limits: grow.Limits,
        count: int,
        threads: int,
        leaf: np.ndarray,
    ) -> None:
        self.table, self.work, self.nodes = room
        self.limits, self.leaf, self.threads = limits, leaf, min(threads, count)
        blocks, n = self.table.words.shape
        size, channels = len(self.nodes.links), len(self.work.total)
        wave = wave_size(limits, blocks)
        chunk = np.arange(n) // CHUNK % count
        self.segments = kernel.Segments(
            starts=np.append(0, np.cumsum(np.bincount(chunk, minlength=count))),
            place=np.empty((count, size, 4), np.int64),
            hist=np.empty((count, wave, blocks, channels, SIZE)),
            total=np.empty((count, wave, 2, channels)),
            weight=np.empty((count, wave, 2)),
            sizes=np.empty((count, 2)),
            wave=np.empty((wave, 3), np.int64),
            tally=np.zeros(5, np.int64),
            bounds=np.empty(2),
            goes=np.empty((count, 256), np.uint8),
            pairs=np.empty((count, *self.work.pairs.shape)),
            shared=np.zeros((2 + count) * kernel.LINE, np.int64),
        )
        self.helpers: dict[int, Future[None]] = {}
        if self.threads > 1:  # helpers stay from tree to tree, and so do the arrays that they read
            self.pool = ThreadPoolExecutor(self.threads - 1)
            self.first, self.second = np.empty(n), np.empty(0 if self.table.classes else n)
            self._lend(1, 0)  # compiles

    def grow(self, share: np.ndarray | None, first: np.ndarray, second: np.ndarray) -> int:
        """Grow a tree, as :func:`nacre.kernels.grow.grow` does; return its number of nodes."""
        table, work, nodes, segments = self.table, self.work, self.nodes, self.segments
        if self.threads > 1:
            self.first[:], self.second[:] = first, second
            first, second = self.first, self.second
            self._call_helpers()
        again = False
        try:
            while not kernel.lead(
                table, share, self.limits, first, second, work, nodes, segments, self.threads,
                self.leaf, again,
            ):  # fmt: skip
                time.sleep(0.0)
                again = True
        except BaseException:  # nobody may be at work when the next tree begins
            wait(self.helpers.values())
            raise
        return int(segments.tally[kernel.COUNT])

    def _call_helpers(self) -> None:
        """Have somebody help, unless those of the last tree are still there."""
        for k in range(1, self.threads):
            if k not in self.helpers or self.helpers[k].done():
                self.helpers[k] = self.pool.submit(self._lend, k, kernel.STAYS)

    def _lend(self, thread: int, stays: int) -> None:
        """Help, as one of the threads."""
        kernel.lend(
            self.table, self.first, self.second, self.work, self.nodes, self.segments, thread,
            self.threads, self.leaf, stays,
        )  # fmt: skip
