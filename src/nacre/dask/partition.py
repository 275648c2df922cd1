"""A partition of the training rows, and what a worker remembers of it.

A fit is a *journal*: a list of entries, each of which does something to every partition (apply a
step, split a node) and asks for a sum over its rows. What a partition is after some entries is a
function of its rows and of the entries, so it may be forgotten at any time: a partition that comes
to another worker, or back from the disk, replays the journal, and finds the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple, Protocol

import numpy as np

from nacre.bins import Bins
from nacre.bins.binner import put_codes, sort_by_class
from nacre.dask.sketch import Cuts
from nacre.data import TrainingRows
from nacre.data.categories import category_codes
from nacre.kernels.binning import WIDTH
from nacre.kernels.random import mixed

HELD = 2**40
"""In place of the number of a round: what rows draw to be held out."""


class Block(NamedTuple):
    """The rows of a partition as they came: numbers, labels, and what else is known of them.

    None of them has weight 0. ``key`` is what their draws go by.
    """

    X: np.ndarray
    labels: np.ndarray
    weight: np.ndarray | None
    key: np.ndarray
    clean: np.ndarray | None

    def take(self, some: np.ndarray) -> Block:
        """Some of the rows."""
        parts: list[Any] = [None if one is None else one[some] for one in self]
        return Block(*parts)


class HoldOut(NamedTuple):
    """Which rows are held out for early stopping: by their keys, a share of them."""

    seed: int
    fraction: float

    def mask(self, key: np.ndarray) -> np.ndarray:
        """Whether each row is held out."""
        drawn = mixed(key, np.uint64(self.seed), np.uint64(HELD)) >> np.uint64(11)
        return drawn * 2.0**-53 < self.fraction


def part_block(block: Block, hold: HoldOut | None) -> tuple[Block, Block | None]:
    """The rows to train on, and those that are held out."""
    if hold is None or not len(block.key):
        return block, None
    out = hold.mask(block.key)
    return block.take(~out), block.take(out)


class Entry(Protocol):
    """An entry of the journal."""

    def run(self, rows: Partition, state: dict[str, Any]) -> Any:
        """Change ``state`` and return a sum over the rows."""
        ...


class Behind(NamedTuple):
    """The answer of a partition that cannot know: it has only done so many entries."""

    done: int


@dataclass(eq=False)
class Partition:
    """Binned rows in the order of their classes.

    Attributes
    ----------
    bins : Bins
    y : int64 array, class codes, ascending
    weight : float64 array, sums to 1 over all partitions
    key : uint64 array, what draws go by
    clean : boolean array, rows whose labels are trusted
    share : trust in categories
    n_classes : int
    held : TrainingRows, optional
        Rows that are held out for early stopping; their weights sum to 1 over all partitions.
    """

    bins: Bins
    y: np.ndarray
    weight: np.ndarray
    key: np.ndarray
    clean: np.ndarray
    share: np.ndarray
    n_classes: int
    held: TrainingRows | None = None
    _state: dict[str, Any] = field(default_factory=dict, repr=False)
    _done: int = 0
    _last: Any = field(default=None, repr=False)
    _lock: Any = field(default_factory=Lock, repr=False)

    def answer(self, start: int, entries: list[Entry]) -> Any:
        """Do the entries from number ``start`` on; the sum that the last of them asks for."""
        with self._lock:
            stop = start + len(entries)
            if self._done < start:
                return Behind(self._done)
            if self._done > stop:  # an old question: begin anew
                self._state, self._done = {}, 0
                return Behind(0)
            for entry in entries[self._done - start :]:
                self._last = self.run(entry, self._state)
                self._done += 1
            return self._last

    def run(self, entry: Entry, state: dict[str, Any]) -> Any:
        """The sum that an entry asks for; None where there are no rows that it looks at."""
        return entry.run(self, state) if len(self) or isinstance(entry, See) else None

    def __getstate__(self) -> dict[str, Any]:
        """Without what was remembered: it can be found again."""
        forgotten = {"_state": {}, "_done": 0, "_last": None}
        return {**{k: v for k, v in vars(self).items() if k != "_lock"}, **forgotten}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=Lock())

    def __sizeof__(self) -> int:
        """With its arrays, and about what a fit remembers, so that Dask knows what it holds."""
        own = self.bins.words.nbytes + self.y.nbytes + self.weight.nbytes + self.key.nbytes
        return own + 40 * len(self.y)

    def __len__(self) -> int:
        return len(self.y)


class Whole(NamedTuple):
    """What a partition must know of all rows.

    Attributes
    ----------
    classes : the labels, ascending
    mass, held_mass : the weight of the rows to train on, and of those held out of the classes
    equal : whether all rows weigh the same
    hold : which rows are held out
    """

    classes: np.ndarray
    mass: float
    held_mass: float
    equal: bool
    hold: HoldOut | None


def make_partition(block: Block, cuts: Cuts, whole: Whole) -> Partition:
    """Bin the rows of a block."""
    block, aside = part_block(block, whole.hold)
    classes = whole.classes
    codes = np.searchsorted(classes, block.labels).astype(np.int64)
    order, rank, _ = sort_by_class(codes, len(classes))
    n, d = block.X.shape
    words = np.zeros((-(-d // WIDTH), n), np.uint64)
    if n:
        cuts.plan.run(block.X, rank, np.arange(len(words)), words, 1)
        for j, known in cuts.categories.items():
            column = np.asarray(block.X[:, j], float)
            put_codes(words, j, rank, category_codes(column, known))
    weight = np.ones(n) if whole.equal or block.weight is None else block.weight
    clean = np.zeros(n, bool) if block.clean is None else block.clean
    return Partition(
        cuts.plan.bins_of(words, cuts.categories, cuts.missing),
        codes[order],
        weight[order] / whole.mass,
        block.key[order],
        clean[order],
        cuts.share,
        len(classes),
        None if aside is None else hold_rows(aside, whole),
    )


def hold_rows(block: Block, whole: Whole) -> TrainingRows | None:
    """Rows that are held out, as they came: what follows a run looks at numbers, not bins."""
    known = np.isin(block.labels, whole.classes)
    if not known.any():
        return None
    weight = np.ones(len(known)) if block.weight is None else block.weight
    codes = np.searchsorted(whole.classes, block.labels[known])
    share = weight[known] / whole.held_mass
    return TrainingRows(np.asarray(block.X[known], float), codes, len(whole.classes), share)


@dataclass(frozen=True, eq=False)
class See:
    """Follow a run on the rows that are held out.

    ``begin`` makes what follows it, of those rows: one of :mod:`nacre.boost.stopping`.
    """

    rounds: Any
    begin: Any

    def run(self, rows: Partition, state: dict[str, Any]) -> np.ndarray | None:
        """The error or loss after each of the rounds: a part of it; None where none is held."""
        if rows.held is None:
            return None
        if "watch" not in state:
            state["watch"] = self.begin(rows.held)
        return np.array(state["watch"].see(self.rounds))
