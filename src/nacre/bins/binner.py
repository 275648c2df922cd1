"""Histogram binning: a numeric matrix becomes packed uint8 bins, cut at (sketched) quantiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from nacre.data.categories import category_codes, commonest
from nacre.data.training import TrainingRows, infinite_message
from nacre.kernels import binning as kernel
from nacre.kernels.binning import MISSING, WIDTH
from nacre.kernels.histogram import ABSENT, CATEGORICAL, NUMERIC, SIZE

SAMPLE = 8192
"""Rows of the quantile sketch: cut points of columns with many values come from so many."""

MORE = 16
"""So many times as many where a column that seemed to have few values has more."""

TRUST = 10.0
"""Shrinkage of categories: after so many rows a category's own vote counts half."""


def sort_by_class(codes: np.ndarray, n_classes: int) -> tuple[np.ndarray, ...]:
    """Rows sorted by class, ties in order; each row's place among them; where classes begin."""
    starts = np.zeros(n_classes + 1, np.int64)
    order, rank = np.empty((2, len(codes)), np.int32)
    kernel.sort_by_class(codes, starts, order, rank)
    return order, rank, starts


@dataclass(frozen=True)
class Bins:
    """The bins of a table's rows, and what they stand for.

    Attributes
    ----------
    words : uint64 array of shape (blocks, rows)
        The bins of eight neighbouring columns, one byte each, lowest byte first.
    bins, last : int64 arrays, one entry a column
        Bins (or categories) of a column, and split points of a numeric one.
    kind : uint8 array
        Numeric, categorical, or absent (columns that pad the last block).
    missing : uint8 array
        Whether the column has missing values.
    cuts : float64 array of shape (columns, 256)
        Split points; a value up to the cut belongs left of it.
    categories : dict of int to array
        The values of each categorical column that have a bin, ascending.
    """

    words: np.ndarray
    bins: np.ndarray
    last: np.ndarray
    kind: np.ndarray
    missing: np.ndarray
    cuts: np.ndarray
    categories: dict[int, np.ndarray]

    def take(self, rows: np.ndarray) -> Bins:
        """The bins of some of the rows, cut as they are."""
        return replace(self, words=np.ascontiguousarray(self.words[:, rows]))


def bin_rows(
    X: np.ndarray,
    rank: np.ndarray,
    weight: np.ndarray | None = None,
    categorical: Sequence[int] = (),
    max_bins: int = kernel.MAX_BINS,
    workers: int = 1,
) -> Bins:
    """Bin a table.

    A column of at most ``max_bins`` distinct values keeps them all, one bin each; others are cut
    at quantiles (of at most ``SAMPLE`` rows). Missing values have a bin of their own. Of a
    categorical column the commonest 255 categories get a bin; rarer ones count as missing.

    Parameters
    ----------
    X : array of shape (n, d), numbers
    rank : int32 array of shape (n,)
        Place of each row among the binned rows.
    weight : float64 array of shape (n,), optional
        Weight of each row in the quantiles and in the choice of categories; default equal.
    categorical : columns that hold categories
    max_bins : from 2 to 255
    workers : threads, which share out the columns
    """
    check_bins(max_bins)
    n, d = X.shape
    blocks = -(-d // WIDTH)
    words = np.zeros((blocks, n), np.uint64)
    plan = Plan(d, max_bins)
    numeric = np.ones(d, bool)
    numeric[list(categorical)] = False
    unsure, size = np.flatnonzero(numeric), SAMPLE
    while len(unsure):
        shared_out(partial(plan.cut, X, weight, size), unsure, workers)
        plan.run(X, rank, np.unique(unsure // WIDTH), words, workers)
        unsure, size = np.flatnonzero(plan.found & kernel.FOUND_UNKNOWN), size * MORE

    missing = plan.found & kernel.FOUND_MISSING
    categories = {}
    for j in map(int, categorical):
        column = np.asarray(X[:, j], float)
        if np.any(np.isinf(column)):
            raise ValueError(infinite_message(j))
        categories[j] = commonest(column, weight)
        codes = category_codes(column, categories[j])
        put_codes(words, j, rank, codes)
        missing[j] = np.any(codes == MISSING)
    return plan.bins_of(words, categories, missing)


def bin_training(training: TrainingRows, max_bins: int = kernel.MAX_BINS, workers: int = 1) -> Bins:
    """Bin training rows in their own order: one table for every learner and member of a fit."""
    rank = np.arange(len(training.y), dtype=np.int32)
    return bin_rows(training.X, rank, training.count, training.categorical, max_bins, workers)


def check_bins(max_bins: Any) -> None:
    """Raise unless ``max_bins`` is None or a whole number from 2 to 255."""
    if max_bins is None:
        return
    if isinstance(max_bins, bool) or not isinstance(max_bins, (int, np.integer)):
        raise TypeError(f"max_bins must be None or a whole number, got {max_bins!r}.")
    if not 2 <= max_bins <= kernel.MAX_BINS:
        least = f"at least 2, got {max_bins}."
        most = f"at most 255, got {max_bins}: use None for all thresholds."
        raise ValueError(f"max_bins must be {least if max_bins < 2 else most}")


class Plan:
    """Where each column is cut, and the tables that make cutting fast."""

    def __init__(self, d: int, limit: int) -> None:
        self.limit = limit
        self.cuts = np.full((d, 256), np.inf)
        self.bins = np.zeros(d, np.int64)
        self.tables = np.zeros((d, kernel.CELLS), np.uint8)
        self.grid = np.zeros((d, 2))
        self.steps = np.zeros(d, np.int64)
        self.distinct = np.zeros((d, 256))
        self.check = np.zeros(d, bool)
        self.found = np.zeros(d, np.uint8)

    def cut(self, X: np.ndarray, weight: np.ndarray | None, size: int, columns: np.ndarray) -> None:
        """Cut some columns by a sample of rows; those found lossless are to be checked by all."""
        n, d = X.shape
        rows = np.arange(n) if n <= size else _sample(n, size)
        whole = n <= size and len(columns) == d
        values = np.array((X if whole else X[np.ix_(rows, columns)]).T, np.float64, order="C")
        if weight is None:
            values.sort(axis=1)
            mass = np.arange(1.0, values.shape[1] + 1)[None]
        else:
            order = np.argsort(values, axis=1, kind="stable")
            values = np.take_along_axis(values, order, axis=1)
            mass = np.cumsum(weight[rows][order], axis=1)
        self.cut_sorted(columns, values, mass)
        if n <= size:
            self.check[columns] = False
        self.found[columns] = 0

    def cut_sorted(self, columns: np.ndarray, values: np.ndarray, mass: np.ndarray) -> None:
        """Cut columns by values that are sorted, missing ones last; ``mass`` has running totals."""
        kernel.plan_columns(
            columns, values, mass, self.limit, self.cuts, self.bins, self.tables, self.grid,
            self.steps, self.distinct, self.check,
        )  # fmt: skip

    def bins_of(
        self, words: np.ndarray, categories: dict[int, np.ndarray], missing: np.ndarray
    ) -> Bins:
        """Binned rows, and what their bins stand for."""
        d, lanes = len(self.bins), len(words) * WIDTH
        kind, gaps = np.full(lanes, ABSENT, np.uint8), np.zeros(lanes, np.uint8)
        bins = np.zeros(lanes, np.int64)
        kind[:d], gaps[:d], bins[:d] = NUMERIC, missing, self.bins
        for j, known in categories.items():
            kind[j], bins[j] = CATEGORICAL, len(known)
        last = np.where(kind == NUMERIC, np.maximum(bins - 1, 0), 0)
        return Bins(words, bins, last, kind, gaps, self.cuts, categories)

    def run(
        self, X: np.ndarray, rank: np.ndarray, blocks: np.ndarray, words: np.ndarray, workers: int
    ) -> None:
        """Bin the columns of the given blocks."""

        def bin_share(share: np.ndarray) -> None:
            tile = np.empty((kernel.TILE, WIDTH), np.uint8)
            kernel.bin_rows(
                X, rank, share, self.cuts, self.tables, self.grid, self.steps, self.check,
                self.distinct, tile, tile.ravel().view(np.uint64), words, self.found,
            )  # fmt: skip

        shared_out(bin_share, blocks, workers)
        infinite = np.flatnonzero(self.found & kernel.FOUND_INFINITE)
        if len(infinite):
            raise ValueError(infinite_message(infinite[0]))


def shared_out(work: Callable[[np.ndarray], None], parts: np.ndarray, workers: int) -> None:
    """Have threads do some work, each of them a share of its parts."""
    workers = min(workers, len(parts))
    if workers == 1:
        work(parts)
        return
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, np.array_split(parts, workers)))


def put_codes(words: np.ndarray, j: int, rank: np.ndarray, codes: np.ndarray) -> None:
    """Write the codes of a categorical column into the words of its block."""
    lanes = words.view(np.uint8).reshape(*words.shape, WIDTH)
    lanes[j // WIDTH, rank, j % WIDTH] = codes


def _sample(n: int, size: int) -> np.ndarray:
    """The quantile sketch's rows, by stratified sampling: one from each of equal stretches."""
    edges = np.linspace(0, n, size + 1)
    inside = np.random.default_rng(0).random(size)
    return (edges[:-1] + inside * np.diff(edges)).astype(np.int64)


def category_trust(bins: Bins, count: np.ndarray) -> np.ndarray:
    """Shrinkage of each category's own vote, c / (c + TRUST) for c rows of it, per bin."""
    blocks = len(bins.words)
    share = np.ones((blocks, SIZE))
    lanes = bins.words.view(np.uint8).reshape(blocks, -1, WIDTH)
    for j in bins.categories:
        rows = np.bincount(lanes[j // WIDTH, :, j % WIDTH], count, 256)
        share[j // WIDTH, j % WIDTH :: WIDTH] = rows / (rows + TRUST)
    return share


def cut_at(bins: Bins, feature: np.ndarray, split: np.ndarray) -> np.ndarray:
    """Thresholds of splits between bins; infinite where all present values go left."""
    inner = (bins.kind[feature] != CATEGORICAL) & (split < bins.last[feature])
    return np.where(inner, bins.cuts[feature, np.clip(split, 0, MISSING)], np.inf)
