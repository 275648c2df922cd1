"""Labels and weights: class codes, and weights that sum to 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import column_or_1d

from nacre.io.frames import is_missing

GLANCE = 10_000
"""Rows whose labels are tried first."""

MOST_ROWS = 1e9
"""A larger weight is not taken for a number of rows."""


@dataclass(frozen=True)
class Target:
    """Labels and weights of the rows that count.

    Attributes
    ----------
    classes : the distinct labels, ascending
    codes : int64 array, the place of each row's label among them
    weight : float64 array, sum 1
    count : float64 array or None
        How many rows each row stands for: the weights themselves where they are whole numbers,
        else the weights brought to mean 1. None where all are equal.
    kept : int64 array or None
        The rows that count, where some have weight 0.
    """

    classes: np.ndarray
    codes: np.ndarray
    weight: np.ndarray
    count: np.ndarray | None
    kept: np.ndarray | None


def as_target(y: Any, sample_weight: Any, n: int, known: np.ndarray | None = None) -> Target:
    """Read the labels and weights of ``n`` rows; rows of weight 0 are left out.

    The classes are ``known`` or those that are found.
    """
    labels = as_labels(y, n)
    weight = read_weights(sample_weight, n)
    kept = None
    if weight is not None:
        counts = weight / weight.max() / n > 0
        if not np.all(counts):
            kept = np.flatnonzero(counts)
            labels, weight = labels[kept], weight[kept]
    classes, codes = encode(labels) if known is None else (known, encode_known(labels, known))
    if len(classes) < 2:
        raise ValueError(
            f"All rows have one class, {classes.tolist()[0]!r}"
            + (" (once rows of weight 0 are left out)" if kept is not None else "")
            + ": a classifier needs at least two classes in y."
        )
    if weight is None or np.all(weight == weight[0]):
        n = len(codes)
        count = None
        if weight is not None and 1 < weight[0] < MOST_ROWS and weight[0] == np.round(weight[0]):
            count = np.full(n, float(weight[0]))
        return Target(classes, codes, np.full(n, 1.0 / n), count, kept)
    share = weight / weight.max()
    share = share / share.sum()
    whole = bool(np.all(weight == np.round(weight))) and weight.max() < MOST_ROWS
    return Target(classes, codes, share, weight if whole else share * len(share), kept)


def as_labels(y: Any, n: int, rows: str = "X") -> np.ndarray:
    """Read the labels of ``n`` rows; ``rows`` is what has these."""
    if y is None:
        raise ValueError("This classifier requires y to be passed, but the target y is None.")
    if np.ma.is_masked(y):
        raise ValueError("Input y has masked labels: drop those rows, or label them.")
    if np.asarray(y).dtype.kind == "c":
        raise ValueError("Complex data not supported: y must hold text, whole numbers or booleans.")
    plain = type(y) is np.ndarray and y.ndim == 1
    labels = y if plain else column_or_1d(y, warn=True)
    if len(labels) != n:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {rows} has {n} rows, "
            f"y has {len(labels)}."
        )
    if labels.dtype.kind == "f" and not np.all(np.isfinite(labels)):
        raise ValueError("Input y contains NaN or infinity: drop those rows, or label them.")
    if labels.dtype.kind in "mM" and np.any(np.isnat(labels)):
        raise ValueError("Input y contains NaN or NaT: drop those rows, or label them.")
    return _plain(labels) if labels.dtype.kind == "O" else labels


def _plain(labels: np.ndarray) -> np.ndarray:
    """Labels given as objects, as text or numbers."""
    values = labels.tolist()
    if any(is_missing(value) for value in values):
        raise ValueError("Input y contains NaN or None: drop those rows, or label them.")
    text = {isinstance(value, str) for value in values}
    if len(text) > 1:
        raise ValueError("Input y mixes text and numbers: make all labels the same type.")
    if text == {True}:
        if any(value.endswith("\0") for value in set(values)):  # NumPy drops it
            raise ValueError("Input y holds labels that end in a NUL character: take it out first.")
        return labels.astype(str)
    if all(isinstance(value, (int, float, np.number, np.bool_)) for value in values):
        return np.array(values)
    return labels


def take_labels(y: Any, source: np.ndarray) -> Any:
    """Labels taken from the rows that ``source`` names, so that whatever holds them keeps its type.

    An index stays as it was.
    """
    labels = _safe_indexing(y, source)
    return labels.set_axis(y.index) if hasattr(y, "set_axis") else labels


def encode(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct labels, ascending, and the place of each row's label among them.

    Sorting all labels is slow where there are many rows and few classes, so the classes of the
    first rows are tried first.
    """
    classes = np.unique(labels[:GLANCE])
    codes = np.searchsorted(classes, labels)
    codes[codes == len(classes)] = 0
    if not np.array_equal(classes[codes], labels):
        classes, codes = np.unique(labels, return_inverse=True)
    if classes.dtype.kind == "f" and np.any(classes != np.round(classes)):
        raise ValueError(
            "Unknown label type: continuous. y holds fractions, but a classifier needs classes: "
            "text, whole numbers or booleans."
        )
    return classes, codes.astype(np.int64, copy=False)


def encode_known(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The place of each label among known classes."""
    if not np.all(np.isin(labels, classes)):
        raise ValueError("y must hold labels of classes_ only.")
    return np.searchsorted(classes, labels)


def read_weights(sample_weight: Any, n: int) -> np.ndarray | None:
    """Read the weights of ``n`` rows, 0 or more; None where there are none."""
    if sample_weight is None:
        return None
    if np.ma.is_masked(sample_weight):
        raise ValueError("sample_weight has masked entries: 0 leaves a row out.")
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("sample_weight must hold numbers, one per row.") from None
    if weight.ndim == 0:
        weight = np.full(n, float(weight))
    if weight.ndim != 1:
        raise ValueError("sample_weight must be 1D: one weight per row.")
    if len(weight) != n:
        raise ValueError(
            f"sample_weight has {len(weight)} entries, X has {n} rows: give one per row."
        )
    if not np.all(np.isfinite(weight)):
        raise ValueError("sample_weight contains NaN or infinity: 0 leaves a row out.")
    if np.any(weight < 0):
        raise ValueError("Negative values in sample_weight: weights must be 0 or more.")
    if not np.any(weight > 0):
        raise ValueError("sample_weight is zero for every row: one must be positive.")
    return weight
