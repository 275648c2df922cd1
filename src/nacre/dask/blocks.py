"""Dask collections become blocks of rows: aligned, checked, and still to be computed."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from nacre.dask.partition import Block
from nacre.data.features import Layout, as_matrix, levels_of, numbers_of_columns
from nacre.data.folds import hashed_rows
from nacre.data.target import as_labels
from nacre.data.training import as_mask
from nacre.io.frames import is_missing


@dataclass(frozen=True)
class Table:
    """A collection of features, cut into partitions of rows.

    Attributes
    ----------
    parts : list of delayed tables
    names : names of the columns, where they have some
    width : how many columns there are
    layout : how to read them
    named : whether these names are text, which tables to predict must have, too
    """

    parts: list[Any]
    names: list[str] | None
    width: int
    layout: Layout
    named: bool = False


def is_frame(X: Any) -> bool:
    """Whether this is a Dask data frame or series."""
    return hasattr(X, "npartitions") and hasattr(X, "to_delayed") and hasattr(X, "_meta")


def is_array(X: Any) -> bool:
    """Whether this is a Dask array."""
    return hasattr(X, "chunks") and hasattr(X, "rechunk") and hasattr(X, "to_delayed")


def read_table(X: Any, categorical_features: Any = None) -> Table:
    """Find out what the columns of a Dask collection are; nothing is computed."""
    if is_array(X):
        if X.ndim != 2:
            raise ValueError(f"Expected 2D array for X, got {X.ndim}D array instead.")
        if X.dtype.kind not in "fiub":
            raise TypeError(f"X holds values of type {X.dtype}: a Dask array must hold numbers.")
        if X.numblocks[1] > 1:
            X = X.rechunk({1: -1})
        d = X.shape[1]
        chosen = numbers_of_columns(categorical_features, [None] * d, d)
        return Table(list(X.to_delayed()[:, 0]), None, d, Layout(chosen, {}))
    if not is_frame(X):
        raise TypeError(
            f"X must be a Dask array or data frame, got {type(X).__name__}: "
            "other tables are fitted by the estimator's own fit."
        )
    names = [str(name) for name in X.columns]
    kinds = {isinstance(name, str) for name in X.columns}
    if len(kinds) > 1:
        raise TypeError("Some names of columns of X are text, others are not: make all text.")
    symbolic = set(numbers_of_columns(categorical_features, names, len(names)))
    levels = {}
    for j, dtype in enumerate(X.dtypes):
        if hasattr(dtype, "categories"):
            if not X.iloc[:, j].cat.known:
                raise ValueError(
                    f"The categories of column {names[j]!r} are not known yet: call "
                    "X.categorize() first."
                )
            symbolic.add(j)
            known = dtype.categories.tolist()
            if not all(isinstance(one, (int, float)) for one in known):
                levels[j] = levels_of(known)
        elif getattr(dtype, "kind", "O") not in "fiub":
            raise TypeError(
                f"Column {names[j]!r} of X holds {dtype}, not numbers: make it a category "
                "(X.categorize()), or drop it."
            )
    layout = Layout(tuple(sorted(symbolic)), levels)
    return Table(list(X.to_delayed()), names, len(names), layout, True in kinds)


def along(values: Any, X: Any, name: str) -> list[Any]:
    """The parts of a column that has a value for each row of ``X``."""
    if values is None:
        return []
    count = X.numblocks[0] if is_array(X) else X.npartitions
    if is_array(values):
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        if values.ndim != 1:
            raise ValueError(f"{name} must be 1D, got {values.ndim}D: one value per row.")
        known = is_array(X) and not np.isnan(X.shape[0]) and not np.isnan(values.shape[0])
        if known and values.shape[0] != X.shape[0]:
            raise ValueError(
                f"{name} has {values.shape[0]} entries, X has {X.shape[0]} rows: give one per row."
            )
        if known and values.chunks[0] != X.chunks[0]:
            values = values.rechunk((X.chunks[0],))
        parts = list(values.to_delayed())
    elif is_frame(values):
        parts = list(values.to_delayed())
    else:
        raise TypeError(
            f"{name} must be a Dask array or series as X is, got {type(values).__name__}."
        )
    if len(parts) != count:
        raise ValueError(
            f"{name} has {len(parts)} partitions, X has {count}: they must be parted alike."
        )
    return parts


def read_block(X: Any, y: Any, weight: Any, clean: Any, groups: Any, table: Table) -> Block:
    """Read the rows of a partition; those of weight 0 are left out."""
    n = X.shape[0]
    lengths = {"y": y, "sample_weight": weight, "clean": clean, "groups": groups}
    for name, values in lengths.items():
        if values is not None and len(values) != n:
            raise ValueError(f"{name} has {len(values)} entries for {n} rows of X.")
    if n == 0:
        none = np.empty(0, bool)
        matrix, key = np.empty((0, table.width)), np.empty(0, np.uint64)
        return Block(matrix, np.asarray(y)[:0], None if weight is None else np.empty(0), key, none)
    matrix = as_matrix(X, layout=table.layout)[0]
    labels = as_labels(y, n)
    mask = None if clean is None else as_mask(clean, n)
    key = hashed_rows(matrix) if groups is None else hashed_groups(np.asarray(groups))
    mass = None if weight is None else read_mass(weight)
    if mass is None or np.all(mass > 0.0):
        return Block(matrix, labels, mass, key, mask)
    return Block(matrix, labels, mass, key, mask).take(mass > 0.0)


def read_mass(weight: Any) -> np.ndarray:
    """Weights of rows, 0 or more; in a partition all may be 0."""
    mass = np.asarray(weight, np.float64)
    if not np.all(np.isfinite(mass)):
        raise ValueError("sample_weight contains NaN or infinity: 0 leaves a row out.")
    if np.any(mass < 0):
        raise ValueError("Negative values in sample_weight: weights must be 0 or more.")
    return mass


def hashed_groups(groups: np.ndarray) -> np.ndarray:
    """A number for each row by its group, the same in every partition."""
    values = groups.tolist()
    if any(is_missing(value) for value in values):
        raise ValueError("groups contains a missing value: give such rows a group of their own.")
    known = {
        value: int.from_bytes(blake2b(repr(value).encode(), digest_size=8).digest(), "little")
        for value in set(values)
    }
    return np.array([known[value] for value in values], np.uint64)
