"""From a numeric matrix to packed uint8 bins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nacre.kernels import binning as kernel
from nacre.kernels.histogram import ABSENT, CATEGORICAL, MISSING, NUMERIC, SIZE, WIDTH
from nacre.table.problem import infinite_message

SAMPLE = 8192
"""Rows from which the cut points of columns with many values are found."""

TRUST = 10.0
"""Rows after which a category's own vote counts half."""


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


def bin_rows(
    X: np.ndarray,
    rank: np.ndarray,
    weight: np.ndarray | None = None,
    categorical: Sequence[int] = (),
    max_bins: int = kernel.MAX_BINS,
    run: Callable[..., Any] = map,
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
    run, workers : a ``map`` over shares of the columns, and how many shares
    """
    n, d = X.shape
    blocks = -(-d // WIDTH)
    padded = blocks * WIDTH
    numeric = np.ones(d, bool)
    numeric[list(categorical)] = False
    words = np.empty((blocks, n), np.uint64)
    plan = _Plan(d, max_bins)
    plan.cut_all(X, weight, numeric)
    plan.run(X, rank, [np.arange(w, blocks, workers) for w in range(workers)], words, run)
    infinite = np.flatnonzero(plan.found & kernel.FOUND_INFINITE)
    if len(infinite):
        raise ValueError(infinite_message(infinite[0]))
    surprised = np.flatnonzero(plan.found & kernel.FOUND_UNKNOWN)
    if len(surprised):
        for j in surprised.tolist():
            plan.cut_column(j, X[:, j].astype(float), weight)
        plan.run(X, rank, [np.unique(surprised // WIDTH)], words, map)
    kind = np.full(padded, ABSENT, np.uint8)
    kind[:d] = np.where(numeric, NUMERIC, CATEGORICAL)
    bins = np.zeros(padded, np.int64)
    bins[:d] = plan.bins
    missing = np.zeros(padded, np.uint8)
    missing[:d] = plan.found & kernel.FOUND_MISSING
    categories = {}
    lanes = words.view(np.uint8).reshape(blocks, n, WIDTH)
    for j in categorical:
        column = np.asarray(X[:, j], float)
        categories[j] = _commonest(column, weight)
        codes = category_codes(column, categories[j])
        lanes[j // WIDTH, rank, j % WIDTH] = codes
        bins[j] = len(categories[j])
        missing[j] = np.any(codes == MISSING)
    last = np.where(kind == NUMERIC, np.maximum(bins - 1, 0), 0)
    return Bins(words, bins, last, kind, missing, plan.cuts, categories)


class _Plan:
    """Where each column is cut, and the tables that make cutting fast."""

    def __init__(self, d: int, limit: int) -> None:
        self.limit = limit
        self.cuts = np.full((d, 256), np.inf)
        self.bins = np.zeros(d, np.int64)
        self.tables = np.zeros((d, kernel.CELLS), np.uint8)
        self.grid = np.zeros((d, 2))
        self.steps = np.zeros(d, np.int64)
        self.distinct = np.full((d, 256), np.nan)
        self.check = np.zeros(d, bool)
        self.found = np.zeros(d, np.uint8)

    def cut_all(self, X: np.ndarray, weight: np.ndarray | None, numeric: np.ndarray) -> None:
        rows = _sample(len(X))
        columns = np.array((X if len(rows) == len(X) else X[rows]).T, np.float64, order="C")
        if weight is None:
            columns.sort(axis=1)
        equal = np.arange(1.0, len(rows) + 1)
        for j in np.flatnonzero(numeric).tolist():
            own = None if weight is None else weight[rows]
            lossless = self.cut_column(j, columns[j], own, equal)
            self.check[j] = lossless and len(rows) < len(X)

    def cut_column(
        self,
        j: int,
        column: np.ndarray,
        weight: np.ndarray | None,
        equal: np.ndarray | None = None,
    ) -> bool:
        """Cut one column; ``equal`` says that it is sorted, with these running totals."""
        if weight is not None:
            order = np.argsort(column, kind="stable")
            column, mass = column[order], np.cumsum(weight[order])
        elif equal is not None:
            mass = equal
        else:
            column = np.sort(column)
            mass = np.arange(1.0, len(column) + 1)
        present = len(column)
        if present and column[-1] != column[-1]:
            present = int(np.searchsorted(column, np.nan))
        self.cuts[j] = np.inf
        self.bins[j], lossless = kernel.cut_points(
            column[:present], mass[:present], self.limit, self.cuts[j], self.distinct[j]
        )
        self.grid[j, 0], self.grid[j, 1], self.steps[j] = kernel.index_cuts(
            self.cuts[j], max(self.bins[j] - 1, 0), self.tables[j]
        )
        self.check[j] = False
        return bool(lossless)

    def run(
        self,
        X: np.ndarray,
        rank: np.ndarray,
        shares: list[np.ndarray],
        words: np.ndarray,
        run: Callable[..., Any],
    ) -> None:
        def bin_share(blocks: np.ndarray) -> None:
            kernel.bin_rows(
                X, rank, blocks, self.cuts, self.tables, self.grid, self.steps, self.check,
                self.distinct, words, self.found,
            )  # fmt: skip

        list(run(bin_share, shares))


def _sample(n: int) -> np.ndarray:
    """Rows to find quantiles from: one at random from each of equal stretches."""
    if n <= SAMPLE:
        return np.arange(n)
    edges = np.linspace(0, n, SAMPLE + 1)
    inside = np.random.default_rng(0).random(SAMPLE)
    return (edges[:-1] + inside * np.diff(edges)).astype(np.int64)


def _commonest(column: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """The commonest categories, at most 255, ascending."""
    present = ~np.isnan(column)
    values, codes = np.unique(column[present], return_inverse=True)
    if len(values) <= kernel.MAX_BINS:
        return values
    mass = np.bincount(codes, None if weight is None else weight[present])
    return np.sort(values[np.argsort(-mass, kind="stable")[: kernel.MAX_BINS]])


def category_codes(column: np.ndarray, categories: np.ndarray) -> np.ndarray:
    """The bin of each value of a categorical column; unknown and missing values share one."""
    codes = np.searchsorted(categories, column)
    codes[codes == len(categories)] = 0
    known = categories[codes] == column if len(categories) else np.zeros(len(column), bool)
    return np.where(known, codes, MISSING).astype(np.uint8)


def category_trust(bins: Bins, count: np.ndarray, blocks: int) -> np.ndarray:
    """How far a category's own vote counts, c / (c + TRUST) for c rows of it, per bin."""
    share = np.ones((blocks, SIZE))
    lanes = bins.words.view(np.uint8).reshape(blocks, -1, WIDTH)
    for j in bins.categories:
        rows = np.bincount(lanes[j // WIDTH, :, j % WIDTH], count, 256)
        share[j // WIDTH, j % WIDTH :: WIDTH] = rows / (rows + TRUST)
    return share
