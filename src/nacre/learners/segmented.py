"""Trees on large tables, grown by segments of the rows that threads share out."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

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
    """

    def __init__(
        self,
        room: tuple[split.Table, split.Work, tree_kernel.Nodes],
        limits: grow.Limits,
        count: int,
        threads: int,
    ) -> None:
        self.table, self.work, self.nodes = room
        self.limits, self.helpers = limits, min(threads, count) - 1
        self.pool = ThreadPoolExecutor(self.helpers) if self.helpers else None
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

    def grow(
        self, share: np.ndarray | None, first: np.ndarray, second: np.ndarray, leaf: np.ndarray
    ) -> int:
        """Grow a tree, as :func:`nacre.kernels.grow.grow` does; return its number of nodes."""
        table, work, nodes, segments = self.table, self.work, self.nodes, self.segments
        segments.tally[:], segments.shared[:] = 0, 0
        threads, helpers = self.helpers + 1, []
        for k in range(1, threads):
            assert self.pool is not None
            rest = table, first, second, work, nodes, segments, k, threads, leaf
            helpers.append(self.pool.submit(kernel.lend, *rest))
        try:
            while not kernel.lead(
                table, share, self.limits, first, second, work, nodes, segments, threads, leaf
            ):
                time.sleep(0.0)
        finally:
            for one in helpers:
                if not one.cancel():
                    one.result()
        return int(segments.tally[kernel.COUNT])
