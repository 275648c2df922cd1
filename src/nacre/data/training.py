"""What an estimator is given, read and checked: once to train, again to predict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing, check_array
from sklearn.utils.validation import _num_samples, validate_data

from nacre.data.check import check_form, check_whole
from nacre.data.features import Layout, as_matrix
from nacre.data.folds import Units, find_units
from nacre.data.target import as_target
from nacre.io.frames import as_frame, is_missing, unmasked

MOST_FEATURES = 10_000_000
"""Columns that a model out of a file may claim: arrays are made of so many."""


@dataclass(frozen=True)
class TrainingRows:
    """The training rows as every learner sees them.

    Attributes
    ----------
    X : array of shape (n, d), or whatever a scikit-learn learner takes
    y : int64 array of shape (n,)
        Class codes 0, 1, ...
    n_classes : int
    weight : float64 array of shape (n,)
        Sample weights; sum 1. None is zero: such rows are left out before.
    count : float64 array of shape (n,), optional
        How many rows each row stands for; default one each.
    categorical : columns that hold categories
    n_given : int
        How many rows were given.
    kept : int64 array, optional
        Those that are left, where some had weight 0.
    groups : array of shape (n,), optional
        The group of each row. Rows of a group are held out, and drawn, together.
    words : sparse array of shape (n, words), optional
        TF-IDF of the words of texts, for those who can learn from so many columns.
    components : columns that are components of texts, where there are words
    """

    X: Any
    y: np.ndarray
    n_classes: int
    weight: np.ndarray
    count: np.ndarray | None = None
    categorical: Sequence[int] = ()
    n_given: int = 0
    kept: np.ndarray | None = None
    groups: np.ndarray | None = None
    words: Any = None
    components: Sequence[int] = ()

    @cached_property
    def units(self) -> Units:
        """Which rows are held out, and drawn, together: those of a group, and copies."""
        return find_units(self.X, self.groups, self.count)

    def weighted(self, weight: np.ndarray) -> TrainingRows:
        """The same rows with other weights, brought to sum 1; some may be 0."""
        other = replace(self, weight=weight / weight.sum())
        other.__dict__["units"] = self.units  # found once: they do not depend on weights
        return other

    def take(self, rows: np.ndarray) -> TrainingRows:
        """Some of the rows, weights brought to sum 1."""
        weight = self.weight[rows]
        return replace(
            self,
            X=_safe_indexing(self.X, rows),
            y=self.y[rows],
            weight=weight / weight.sum(),
            count=None if self.count is None else self.count[rows],
            kept=rows if self.kept is None else self.kept[rows],
            groups=None if self.groups is None else self.groups[rows],
            words=None if self.words is None else self.words[rows],
        )


def read_training(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    categorical_features: Any = None,
    native: bool = True,
    groups: Any = None,
) -> TrainingRows:
    """Read training data for ``estimator`` and note what it needs to read more of the kind.

    Sets ``classes_``, ``n_features_in_`` and, for named columns, ``feature_names_in_``. Learners
    that are not ``native`` get the table as it is.
    """
    if native:
        matrix, layout = as_matrix(X, categorical_features)
        estimator._layout = layout
        categorical: Sequence[int] = layout.categorical
    else:
        matrix, categorical = as_it_is(X), ()
        estimator._layout = None
    validate_data(estimator, X if hasattr(X, "shape") else matrix, skip_check_array=True)
    n = _num_samples(matrix)
    target = as_target(y, sample_weight, n)
    group = None if groups is None else as_groups(groups, n)
    estimator.classes_ = target.classes
    if target.kept is not None:
        matrix = _safe_indexing(matrix, target.kept)
        group = None if group is None else group[target.kept]
    return TrainingRows(
        matrix,
        target.codes,
        len(target.classes),
        target.weight,
        target.count,
        categorical,
        n,
        target.kept,
        group,
    )


def note_training(estimator: Any, training: TrainingRows, classes: np.ndarray) -> None:
    """Note what ``read_training`` would, of rows that are numbers and codes already."""
    estimator._layout = Layout(tuple(training.categorical))
    estimator.n_features_in_ = training.X.shape[1]
    estimator.__dict__.pop("feature_names_in_", None)
    estimator.classes_ = classes


def check_noted(estimator: Any) -> tuple[int, int]:
    """How many columns and classes an estimator out of a file has noted.

    Raise unless all that ``read_training`` notes for ``read_rows`` can be.
    """
    d, classes, layout = estimator.n_features_in_, estimator.classes_, estimator._layout
    check_whole(d, "n_features_in_", 1)
    if d > MOST_FEATURES:
        raise ValueError(f"n_features_in_ must be at most {MOST_FEATURES}.")
    if not isinstance(classes, np.ndarray) or classes.ndim != 1 or len(classes) < 2:
        raise ValueError("classes_ must be an array of two labels or more.")
    if not np.all(classes[:-1] < classes[1:]):
        raise ValueError("classes_ must ascend.")
    if not isinstance(layout, Layout) or max(layout.categorical, default=0) >= d:
        raise ValueError(f"categories must be of the {d} columns.")
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None:
        check_form(names, "feature_names_in_", object, (d,))
        if not all(isinstance(name, str) for name in names):
            raise ValueError("feature_names_in_ must be text.")
    return d, len(classes)


def as_groups(groups: Any, n: int) -> np.ndarray:
    """Read the group of each of ``n`` rows, as codes 0, 1, ..."""
    values = np.asarray(groups)
    if values.ndim != 1:
        raise ValueError(f"groups must be 1D, got {values.ndim}D: one group per row.")
    if len(values) != n:
        raise ValueError(f"groups has {len(values)} entries for {n} rows: give one per row.")
    if any(is_missing(value) for value in values.tolist()):
        raise ValueError("groups contains a missing value: give such rows a group of their own.")
    if values.dtype == object:
        values = np.array([f"{type(value).__name__} {value}" for value in values.tolist()])
    codes = np.unique(values, return_inverse=True)[1].astype(np.int64, copy=False)
    if not codes.any():
        raise ValueError("groups holds one group only: no row could be held out. Leave it out.")
    return codes


def as_mask(clean: Any, n: int) -> np.ndarray:
    """Read a mask of ``n`` rows."""
    mask = np.asarray(clean)
    if mask.ndim != 1 or mask.dtype != bool:
        raise ValueError("clean must be a boolean mask: True for each row whose label is trusted.")
    if len(mask) != n:
        raise ValueError(f"clean has {len(mask)} entries for {n} rows: give one per row.")
    return mask


def as_original(original: Any, clean: np.ndarray, classes: np.ndarray) -> np.ndarray | None:
    """Labels as they were before rows were checked, as places in ``classes``.

    -1 where that is not known: missing, none of the classes, or of a row that is not ``clean``.
    """
    if original is None:
        return None
    labels = np.asarray(original)
    if labels.ndim != 1 or len(labels) != len(clean):
        raise ValueError(
            f"original has shape {labels.shape} for {len(clean)} rows: give one label per row, as "
            "it was before it was checked."
        )
    if not clean.any():
        raise ValueError("original is of no use without clean: say which rows were checked.")
    place = {label: k for k, label in enumerate(classes.tolist())}
    known = [place.get(one, -1) for one in labels[clean].tolist()]
    if max(known) < 0:
        raise ValueError("original holds no label of the classes for any clean row.")
    out = np.full(len(clean), -1)
    out[clean] = known
    return out


def read_rows(estimator: Any, X: Any) -> Any:
    """Read rows to predict as the training rows of ``estimator`` were read."""
    as_frame(X)
    shaped = X if hasattr(X, "shape") else np.asarray(X)
    if estimator._layout is not None:
        if len(shaped.shape) == 2:
            validate_data(estimator, shaped, reset=False, skip_check_array=True)
        matrix, _ = as_matrix(X, layout=estimator._layout)
        refuse_infinite(matrix)
        return matrix
    validate_data(estimator, shaped, reset=False, skip_check_array=True)
    return as_it_is(X)


def as_it_is(X: Any) -> Any:
    """Data frames untouched; all else checked to be a table."""
    if as_frame(X) is not None:
        return X
    return check_array(
        unmasked(X), dtype=None, ensure_all_finite=False, accept_sparse=("csr", "csc")
    )


def refuse_infinite(matrix: np.ndarray) -> None:
    """Raise where a value is infinite."""
    from nacre.kernels.binning import infinite_column

    j = infinite_column(matrix) if matrix.dtype.kind == "f" else -1
    if j >= 0:
        raise ValueError(infinite_message(j))


def infinite_message(j: int) -> str:
    """What to do about an infinite value in column ``j``."""
    return (
        f"Column {j} of X contains infinity: replace it by a finite value, "
        "or by NaN if it means that the value is missing."
    )
