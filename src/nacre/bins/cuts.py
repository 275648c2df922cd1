"""The cut points of a fit, to read more rows into the same bins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nacre.bins.binner import Bins
from nacre.data.categories import category_codes, check_known
from nacre.data.check import check_form
from nacre.data.storable import storable
from nacre.kernels.binned_trees import LANES, read_bins
from nacre.kernels.binning import MAX_BINS


@storable
@dataclass(frozen=True, eq=False)
class Cuts:
    """Where the columns of a table are cut.

    Attributes
    ----------
    counts : int64 array of shape (d,)
        How many cut points each column has, at most 254; 0 for a column of categories.
    points : float64 array
        The cut points, column by column, ascending; a value up to a cut belongs left of it.
    categories : dict of int to array
        The values of each categorical column that have a bin, ascending.
    """

    counts: np.ndarray
    points: np.ndarray
    categories: dict[int, np.ndarray]

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        check_known(self.categories)
        check_form(self.counts, "counts", np.int64, (None,), 0, MAX_BINS)
        check_form(self.points, "points", np.float64, (int(self.counts.sum()),))
        falls = np.ones(len(self.points), bool)
        falls[1:] = ~(np.diff(self.points) > 0.0)
        falls[np.cumsum(self.counts)[self.counts > 0] - self.counts[self.counts > 0]] = False
        if np.any(falls) or np.any(np.isnan(self.points)):
            raise ValueError("cut points must ascend.")
        if max([-1, *self.categories]) >= len(self.counts):
            raise ValueError("categories must be of columns.")

    @property
    def width(self) -> int:
        """How many columns a table must have."""
        return len(self.counts)

    @cached_property
    def _padded(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        numeric = np.setdiff1d(np.arange(self.width), list(self.categories))
        table = np.full((len(numeric), 256), np.inf)
        ends = np.cumsum(self.counts)
        for row, j in zip(table, numeric, strict=True):
            row[: self.counts[j]] = self.points[ends[j] - self.counts[j] : ends[j]]
        return numeric, self.counts[numeric], table

    def __getstate__(self) -> dict[str, object]:
        return {"counts": self.counts, "points": self.points, "categories": self.categories}

    def read(self, X: np.ndarray) -> np.ndarray:
        """The bins of rows, uint8, a row a column; filled up to whole vectors of rows.

        There is an odd number of vectors: columns at distances that are powers of 2 would drive
        each other out of the cache.
        """
        vectors = -(-len(X) // LANES) | 1
        bins = np.zeros((self.width, vectors * LANES), np.uint8)
        rows = np.ascontiguousarray(X, np.float64)
        read_bins(rows, *self._padded, np.empty(LANES), np.empty(LANES, np.uint32), bins)
        for j, known in self.categories.items():
            bins[j, : len(X)] = category_codes(np.asarray(X[:, j], float), known)
        return bins


def cuts_of(bins: Bins) -> Cuts:
    """The cut points of binned rows."""
    d = len(bins.cuts)
    counts = bins.last[:d].astype(np.int64)
    points = [row[:count] for row, count in zip(bins.cuts, counts, strict=True)]
    return Cuts(counts, np.concatenate(points), bins.categories)


class Rows:
    """Rows to predict for, read into bins once for all that share cut points."""

    def __init__(self, X: np.ndarray) -> None:
        self.X = X
        self._read: dict[int, tuple[Cuts, np.ndarray]] = {}

    def __len__(self) -> int:
        return len(self.X)

    def binned(self, cuts: Cuts) -> np.ndarray:
        """As :meth:`Cuts.read` has them."""
        if id(cuts) not in self._read:
            self._read[id(cuts)] = cuts, cuts.read(self.X)
        return self._read[id(cuts)][1]
