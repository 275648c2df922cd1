"""Sparse tables, such as TF-IDF: their columns reduced by truncated SVD."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from nacre.data.check import check_form, check_whole
from nacre.data.storable import storable

RANK = 60
"""Components. Of no more columns, none is needed: the table is made dense."""

MOST_COLUMNS = 50_000
"""Columns that the components are made of: those filled in most rows."""


@storable
@dataclass(frozen=True, eq=False)
class Reducer:
    """The first right singular vectors of a sparse table, learned without labels.

    Attributes
    ----------
    width : int
        Columns of the table.
    columns : int64 array
        Those that count, ascending.
    components : float32 array of shape (columns, rank)
    """

    width: int
    columns: np.ndarray
    components: np.ndarray

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        check_whole(self.width, "width", 1)
        check_form(self.columns, "columns", np.int64, (None,), 0, self.width)
        check_form(self.components, "components", np.float32, (len(self.columns), None))
        if not self.components.shape[1] or not np.all(np.isfinite(self.components)):
            raise ValueError("components must be finite.")

    @property
    def rank(self) -> int:
        """Columns of what ``read`` gives."""
        return int(self.components.shape[1])

    def read(self, X: Any) -> np.ndarray:
        """The components of rows of a sparse table, or of a dense one of the same columns."""
        return np.asarray(self.words(X) @ self.components, float)

    def words(self, X: Any) -> sparse.csr_matrix:
        """The columns that count."""
        rows = read_sparse(X if sparse.issparse(X) else np.asarray(X, float))
        if rows.shape[1] != self.width:
            raise ValueError(
                f"X has {rows.shape[1]} features, but this model is expecting {self.width} "
                "features as input."
            )
        return rows[:, self.columns]

    def importances(self, own: np.ndarray) -> np.ndarray:
        """How much the columns of the table are used, where components are used so much."""
        out = np.zeros(self.width)
        out[self.columns] = np.square(self.components, dtype=np.float64) @ own
        return out / out.sum() if out.any() else out


def learn_reducer(X: sparse.csr_matrix) -> Reducer | None:
    """How to reduce a sparse table; None where it has so few columns that it is made dense."""
    from sklearn.utils.extmath import randomized_svd

    n, d = X.shape
    if d <= RANK:
        return None
    filled = X.getnnz(axis=0)
    columns = np.sort(np.argsort(-filled, kind="stable")[:MOST_COLUMNS]).astype(np.int64)
    columns = columns[filled[columns] > 0] if filled.any() else columns[:1]
    rank = min(RANK, len(columns), n)
    axes = randomized_svd(X[:, columns], rank, random_state=0)[2]
    return Reducer(d, columns, np.ascontiguousarray(axes.T, np.float32))


def read_sparse(X: Any) -> sparse.csr_matrix:
    """A sparse table of any form, checked."""
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(f"Found array with 0 sample(s) or feature(s) (shape={X.shape}).")
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported: X must hold real numbers.")
    rows = sparse.csr_matrix(X, dtype=np.float64)
    rows.sum_duplicates()
    if not np.all(np.isfinite(rows.data)):
        raise ValueError("X contains NaN or infinity, which a sparse table cannot: fill them in.")
    return rows
