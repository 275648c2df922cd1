"""Summaries of partitions that merge: quantile sketches of columns, classes, a sample of rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nacre.bins.binner import TRUST, Plan
from nacre.data.categories import commonest
from nacre.data.training import infinite_message
from nacre.kernels.binning import MISSING, WIDTH, infinite_column
from nacre.kernels.histogram import SIZE
from nacre.kernels.sorting import DIGIT, DIGITS, sort_bits

POINTS = 4096
"""Points of a quantile sketch. A column of no more distinct values is kept exactly."""

LEVELS = 100_000
"""Categories of a column, at most: more are no categories."""

ROWS_AT_ONCE = 4096
"""Rows of a matrix that are turned together."""

MANY = 4096
"""Numbers from which on radix sort is the faster one."""

SAMPLE = 20_000
"""Rows of the sample, those of the lowest keys: the same ones however the rows are parted."""


@dataclass(frozen=True)
class Sketch:
    """A weighted quantile sketch that merges: values, and the mass up to each since the one before.

    Attributes
    ----------
    values : float64 array, ascending
    mass : float64 array
    error : float
        By how much mass a rank may be off. Each time a sketch of mass M is cut down to ``POINTS``
        points, M / ``POINTS`` are added: over a tree of merges of depth L, the ranks are off by a
        share of at most (L + 1) / ``POINTS``. 0 while nothing was cut.
    """

    values: np.ndarray
    mass: np.ndarray
    error: float = 0.0

    @classmethod
    def of(cls, values: np.ndarray, mass: np.ndarray, points: int | None) -> Sketch:
        """Of weighted values of a column, which may be missing."""
        there = ~np.isnan(values)
        order = np.argsort(values[there], kind="stable")
        values, mass = values[there][order], mass[there][order]
        return cls(values.astype(np.float64), mass).joined().cut(points)

    @classmethod
    def of_sorted(cls, values: np.ndarray, points: int | None) -> Sketch:
        """Of values that weigh the same, ascending, missing ones last: as ``joined().cut()``.

        Of many different values only those are looked at that the sketch keeps.
        """
        if values.dtype.kind == "f":
            values = values[: np.searchsorted(values, values.dtype.type(np.nan))]
        n, error = len(values), 0.0
        last = values[:0]
        if points is not None and n > points:
            rank = np.ceil(np.linspace(0.0, n, points + 1)[1:]).astype(np.int64) - 1
            last, error = np.unique(values[rank]), n / points
        if len(last) != points or values[0] == last[0]:  # there may be no more than points
            new = np.flatnonzero(values[1:] != values[:-1])
            if points is None or len(new) < points:
                last, error = values[np.append(new, n - 1)] if n else values, 0.0
        up_to = np.searchsorted(values, last, "right")
        return cls(last.astype(np.float64), np.diff(up_to, prepend=0).astype(np.float64), error)

    def joined(self) -> Sketch:
        """Equal values as one."""
        if not len(self.values):
            return self
        first = np.flatnonzero(np.append(True, self.values[1:] != self.values[:-1]))
        return Sketch(self.values[first], np.add.reduceat(self.mass, first), self.error)

    def merged(self, other: Sketch, points: int | None) -> Sketch:
        """Both together."""
        values = np.concatenate([self.values, other.values])
        order = np.argsort(values, kind="stable")
        mass = np.concatenate([self.mass, other.mass])[order]
        return Sketch(values[order], mass, self.error + other.error).joined().cut(points)

    def cut(self, points: int | None) -> Sketch:
        """No more than so many points: each the last of a stretch of about equal mass."""
        if points is None or len(self.values) <= points:
            return self
        up_to = np.cumsum(self.mass)
        aims = np.linspace(0.0, up_to[-1], points + 1)[1:]
        last = np.unique(np.minimum(np.searchsorted(up_to, aims), len(up_to) - 1))
        mass = np.diff(up_to[last], prepend=0.0)
        return Sketch(self.values[last], mass, self.error + float(up_to[-1]) / points)


@dataclass(frozen=True)
class Sample:
    """Some rows, in the order of their keys.

    Where there are more rows than a sample has, equal rows of one label are one, which knows how
    many it stands for: the copies of a few rows would fill it.

    Attributes
    ----------
    keys : uint64 array, hashes of the rows
    X, labels, weight : of the rows
    times : how many rows each stands for, which have its weight together
    whole : whether there are no other rows
    """

    keys: np.ndarray
    X: np.ndarray
    labels: np.ndarray
    weight: np.ndarray
    times: np.ndarray
    whole: bool

    @classmethod
    def of(
        cls,
        keys: np.ndarray,
        X: np.ndarray,
        labels: np.ndarray,
        weight: np.ndarray,
        times: np.ndarray | None = None,
        whole: bool = True,
    ) -> Sample:
        """The rows of the lowest keys."""
        times = np.ones(len(keys), np.int64) if times is None else times
        if whole and len(keys) <= SAMPLE:
            low = np.argsort(keys, kind="stable")
            return cls(keys[low], X[low], labels[low], weight[low], times[low], True)
        some = lowest(keys)
        codes = np.unique(labels[some], return_inverse=True)[1]
        order = np.lexsort((codes, keys[some]))
        some, codes = some[order], codes[order]
        new = (np.diff(keys[some]) != 0) | (np.diff(codes) != 0)
        first = np.flatnonzero(np.append(True, new))
        mass, rows = (np.add.reduceat(one[some], first)[:SAMPLE] for one in (weight, times))
        low = some[first][:SAMPLE]
        return cls(keys[low], X[low], labels[low], mass, rows, False)

    def merged(self, other: Sample) -> Sample:
        """The lowest keys of both."""
        return Sample.of(
            np.concatenate([self.keys, other.keys]),
            np.concatenate([self.X, other.X]),
            np.concatenate([self.labels, other.labels]),
            np.concatenate([self.weight, other.weight]),
            np.concatenate([self.times, other.times]),
            self.whole and other.whole,
        )

    def spread(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows with their copies, no more than a sample has: their places here, and weights."""
        up_to = np.cumsum(self.times)
        count = min(int(up_to[-1]), SAMPLE)
        some = np.searchsorted(up_to, (np.arange(count) + 0.5) * (up_to[-1] / count))
        return some, self.weight[some] / self.times[some]


def lowest(keys: np.ndarray) -> np.ndarray:
    """Where the lowest keys are: so many different ones as a sample has rows."""
    if len(keys) <= SAMPLE:
        return np.arange(len(keys))
    some = np.flatnonzero(keys <= np.partition(keys, SAMPLE - 1)[SAMPLE - 1])
    if len(np.unique(keys[some])) < SAMPLE:
        some = np.flatnonzero(keys <= np.unique(keys)[:SAMPLE][-1])
    return some


@dataclass(frozen=True)
class Summary:
    """What is known of some rows before they are binned.

    Attributes
    ----------
    rows : int
    classes, mass : the distinct labels, ascending, and the weight of the rows that have them
    columns : a sketch of each column
    missing : boolean array, which columns have missing values
    sample : Sample
    held : the weight of the rows that are held out besides, by their labels
    """

    rows: int
    classes: np.ndarray
    mass: np.ndarray
    columns: list[Sketch]
    missing: np.ndarray
    sample: Sample
    held: dict[Any, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        X: np.ndarray,
        labels: np.ndarray,
        weight: np.ndarray | None,
        keys: np.ndarray,
        categorical: tuple[int, ...],
    ) -> Summary:
        """Of the rows of a partition; none of them of weight 0."""
        infinite = infinite_column(X) if X.dtype.kind == "f" else -1
        if infinite >= 0:
            raise ValueError(infinite_message(infinite))
        columns, missing = [], np.zeros(X.shape[1], bool)
        for j, column in enumerate(by_column(X)):
            missing[j] = np.isnan(column.max(initial=0))
            points = None if j in categorical else POINTS
            if weight is None:
                sort_column(column)
                columns.append(Sketch.of_sorted(column, points))
            else:
                columns.append(Sketch.of(column, weight, points))
        refuse_many(columns, categorical)
        classes, codes = np.unique(labels, return_inverse=True)
        each = np.ones(len(labels)) if weight is None else weight
        sample = Sample.of(keys, X, labels, each)
        return cls(len(X), classes, np.bincount(codes, each), columns, missing, sample)

    def merged(self, other: Summary, categorical: tuple[int, ...]) -> Summary:
        """Of both."""
        if len({one.classes.dtype.kind in "UST" for one in (self, other)}) > 1:
            raise ValueError("Input y mixes text and numbers: make all labels the same type.")
        classes, place = np.unique(
            np.concatenate([self.classes, other.classes]), return_inverse=True
        )
        columns = [
            one.merged(two, None if j in categorical else POINTS)
            for j, (one, two) in enumerate(zip(self.columns, other.columns, strict=True))
        ]
        refuse_many(columns, categorical)
        labels = {**self.held, **other.held}
        return Summary(
            self.rows + other.rows,
            classes,
            np.bincount(place, np.concatenate([self.mass, other.mass])),
            columns,
            self.missing | other.missing,
            self.sample.merged(other.sample),
            {one: self.held.get(one, 0.0) + other.held.get(one, 0.0) for one in labels},
        )

    @property
    def held_mass(self) -> float:
        """The weight of held-out rows whose labels are among the classes."""
        return sum(self.held.get(one, 0.0) for one in self.classes.tolist())


def by_column(X: np.ndarray) -> np.ndarray:
    """The columns of a matrix, each in one piece; so many rows at a time stay in the cache."""
    out = np.empty(X.shape[::-1], X.dtype)
    for start in range(0, len(X), ROWS_AT_ONCE):
        out[:, start : start + ROWS_AT_ONCE] = X[start : start + ROWS_AT_ONCE].T
    return out


def sort_column(values: np.ndarray) -> None:
    """Sort numbers in place, missing ones last."""
    if values.dtype not in (np.float32, np.float64) or len(values) < MANY:
        values.sort()
        return
    keys = values.view(f"u{values.itemsize}")
    counts = np.empty((-(-8 * values.itemsize // DIGIT), DIGITS), np.int64)
    infinite = np.array(np.inf, values.dtype).view(keys.dtype)
    rest = np.uint64(np.iinfo(keys.dtype).max >> 1)
    sort_bits(keys, np.empty_like(keys), counts, rest, np.uint64(infinite))


def merge(one: Any, other: Any, categorical: tuple[int, ...]) -> Any:
    """Two summaries together; None stands for no rows."""
    if one is None or other is None:
        return other if one is None else one
    return one.merged(other, categorical)


def refuse_many(columns: list[Sketch], categorical: tuple[int, ...]) -> None:
    """Raise where a categorical column has so many values that it cannot be one."""
    for j in categorical:
        if len(columns[j].values) > LEVELS:
            raise ValueError(
                f"Column {j} of X holds more than {LEVELS} categories: is it an identifier?"
            )


@dataclass(frozen=True)
class Cuts:
    """How the columns of all partitions are binned.

    Attributes
    ----------
    plan : Plan, the cuts of numeric columns
    categories : the values of categorical columns that have a bin
    missing : boolean array, which columns have a bin of missing values
    share : trust in categories, for the kernels
    error : the largest share by which the rank of a cut may be off
    """

    plan: Plan
    categories: dict[int, np.ndarray]
    missing: np.ndarray
    share: np.ndarray
    error: float


def cut_columns(summary: Summary, categorical: tuple[int, ...], max_bins: int) -> Cuts:
    """Where to cut, from a summary of all rows."""
    d = len(summary.columns)
    plan = Plan(d, max_bins)
    missing = summary.missing.copy()
    categories, trust = {}, {}
    for j, sketch in enumerate(summary.columns):
        if j in categorical:
            known = categories[j] = commonest(sketch.values, sketch.mass)
            inside = np.isin(sketch.values, known)
            missing[j] |= not inside.all()
            rows = np.zeros(256)
            rows[: len(known)] = sketch.mass[inside]
            rows[MISSING] = summary.mass.sum() - rows.sum()
            trust[j] = rows / (rows + TRUST)
            continue
        up_to = np.cumsum(sketch.mass)[None]
        plan.cut_sorted(np.array([j]), sketch.values[None], up_to)
    plan.check[:] = False  # the sketch has seen every value, or more than there are bins
    blocks = -(-d // WIDTH)
    share = np.ones((blocks if categories else 0, SIZE))
    for j, each in trust.items():
        share[j // WIDTH, j % WIDTH :: WIDTH] = each
    whole = summary.mass.sum()
    error = max((sketch.error / whole for sketch in summary.columns), default=0.0)
    return Cuts(plan, categories, missing, share, error)
