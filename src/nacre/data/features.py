"""Features: a data frame or an array becomes a numeric matrix, and we know which are categories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse

from nacre.data.check import check_whole
from nacre.data.storable import storable
from nacre.io.frames import as_frame, is_missing, unmasked

PLAIN = (str, bool, int, float, np.generic)
"""What a category in a model file may be."""


@storable
@dataclass(frozen=True)
class Layout:
    """How the columns of the training table were read, to read later tables the same way.

    Attributes
    ----------
    categorical : columns that hold categories
    levels : the values of those that are not numbers, in the order of their codes
    """

    categorical: tuple[int, ...] = ()
    levels: dict[int, list[Any]] = field(default_factory=dict)

    def _check_loaded(self) -> None:
        """Raise unless what a file says of the columns can be."""
        if not isinstance(self.categorical, tuple) or not isinstance(self.levels, dict):
            raise ValueError("categories must be a tuple of columns and a dict of values.")
        for j in self.categorical:
            check_whole(j, "a categorical column", 0)
        for j, known in self.levels.items():
            plain = isinstance(known, list) and all(isinstance(one, PLAIN) for one in known)
            if j not in self.categorical or not plain:
                raise ValueError("categories must be text or numbers.")


def as_matrix(
    X: Any, categorical_features: Any = None, layout: Layout | None = None
) -> tuple[np.ndarray, Layout]:
    """Read a table of features.

    Parameters
    ----------
    X : array or data frame (pandas, polars, pyarrow and others) of shape (n, d)
        Values that are masked are missing.
    categorical_features : column numbers, names or a boolean mask, optional
        Columns that hold categories; columns of a data frame with a categorical type are added.
    layout : Layout, optional
        That of the training table; without it one is made.

    Returns
    -------
    matrix : array of shape (n, d) of floats or whole numbers
        Categories that are not numbers are replaced by codes, unknown ones by NaN.
    layout : Layout
    """
    X = unmasked(X)
    frame = as_frame(X)
    if frame is not None:
        _refuse_empty(frame.shape)
        if layout is None:
            layout = _read_layout(frame, categorical_features)
        return _frame_matrix(frame, layout), layout
    if sparse.issparse(X):
        raise TypeError(
            "Sparse data was passed for X, but dense data is required: use X.toarray() or, of many "
            "columns, scikit-learn's TruncatedSVD. NacreClassifier takes sparse data."
        )
    try:
        matrix = np.asarray(X)
    except ValueError:
        raise ValueError("The rows of X have different lengths: X must be a table.") from None
    if matrix.ndim != 2:
        hint = ": X.reshape(-1, 1) makes one column of it." if matrix.ndim == 1 else "."
        raise ValueError(
            f"Expected 2D array for X, got {matrix.ndim}D array instead. Reshape your data{hint}"
        )
    _refuse_empty(matrix.shape)
    if layout is None:
        names = [None] * matrix.shape[1]
        chosen = numbers_of_columns(categorical_features, names, matrix.shape[1])
        layout = Layout(chosen, _array_levels(matrix, chosen))
    return _array_matrix(matrix, layout), layout


def _refuse_empty(shape: tuple[int, ...]) -> None:
    for size, what in zip(shape, ("sample(s)", "feature(s)"), strict=False):
        if size == 0:
            raise ValueError(
                f"Found array with 0 {what} (shape={shape}) while a minimum of 1 is required."
            )


def numbers_of_columns(chosen: Any, names: Sequence[Any], d: int) -> tuple[int, ...]:
    """Column numbers from numbers, names or a mask."""
    if chosen is None:
        return ()
    picked = np.asarray(chosen)
    if isinstance(chosen, (bool, np.bool_)):
        raise ValueError("categorical_features must name columns: numbers, names or a mask.")
    if picked.dtype == bool:
        if picked.shape != (d,):
            raise ValueError(
                f"categorical_features has {len(picked)} entries for {d} columns: "
                "a mask needs one entry per column."
            )
        return tuple(np.flatnonzero(picked).tolist())
    numbers = []
    for one in picked.reshape(-1).tolist():
        if isinstance(one, str):
            if one not in names:
                raise ValueError(f"categorical_features names {one!r}, which is not a column of X.")
            numbers.append(names.index(one))
        elif not isinstance(one, int) or not -d <= one < d:
            raise ValueError(f"categorical_features holds {one!r}, but X has {d} columns.")
        else:
            numbers.append(one % d)
    return tuple(sorted(set(numbers)))


def _is_categorical(dtype: Any) -> bool:
    return isinstance(dtype, (nw.Categorical, nw.Enum))


def _read_layout(frame: nw.DataFrame[Any], categorical_features: Any) -> Layout:
    names = frame.columns
    chosen = set(numbers_of_columns(categorical_features, names, len(names)))
    chosen |= {j for j, dtype in enumerate(frame.schema.dtypes()) if _is_categorical(dtype)}
    levels = {}
    for j in sorted(chosen):
        if not _is_numeric(frame[:, j]):
            found = _levels(_values(frame[:, j]), f"Column {names[j]!r}")
            if found is not None:
                levels[j] = found
    return Layout(tuple(sorted(chosen)), levels)


def _is_numeric(column: nw.Series[Any]) -> bool:
    return column.dtype.is_numeric() or column.dtype == nw.Boolean


def _values(column: nw.Series[Any]) -> np.ndarray:
    """The values of a column that is not of numbers, missing ones None."""
    gone = column.is_null().to_numpy()
    values = np.empty(len(gone), dtype=object)
    values[:] = [
        None if null else _or_none(value)
        for null, value in zip(gone, column.to_list(), strict=True)
    ]
    return values


def _levels(values: np.ndarray, where: str) -> list[Any] | None:
    """The distinct values in a fixed order; None where all are numbers, which need no codes."""
    present = [value for value in values.tolist() if value is not None]
    if all(isinstance(value, (int, float, np.number, np.bool_)) for value in present):
        return None
    try:
        return levels_of(set(present))
    except TypeError:
        raise TypeError(
            f"{where} of X holds values that cannot be categories, such as "
            f"{_shown(present[0])}: text and numbers can."
        ) from None


def levels_of(present: Iterable[Any]) -> list[Any]:
    """Distinct values in a fixed order."""
    return sorted(present, key=lambda value: (str(type(value)), value))


def _codes(values: np.ndarray, levels: list[Any]) -> np.ndarray:
    """The places of values among the levels; a number that is none may be one as it is spelled."""
    place = {value: float(code) for code, value in enumerate(levels)}
    return np.array(
        [
            place[value] if value in place else place.get(spelled(value), np.nan)
            for value in values.tolist()
        ],
        dtype=float,
    )


def spelled(value: Any) -> str:
    """A value in words; a whole number without its point."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)


def _frame_matrix(frame: nw.DataFrame[Any], layout: Layout) -> np.ndarray:
    matrix = np.empty((len(frame), len(frame.columns)))
    for j, name in enumerate(frame.columns):
        column = frame[:, j]
        if j in layout.levels:
            matrix[:, j] = _codes(_values(column), layout.levels[j])
        elif _is_numeric(column):
            matrix[:, j] = column.cast(nw.Float64).to_numpy()
        else:
            known = j in layout.categorical
            matrix[:, j] = _numbers(_values(column), f"Column {name!r}", known)
    return matrix


def _array_levels(matrix: np.ndarray, categorical: tuple[int, ...]) -> dict[int, list[Any]]:
    if matrix.dtype.kind not in "OUS":
        return {}
    found = {j: _levels(_objects(matrix[:, j]), f"Column {j}") for j in categorical}
    return {j: levels for j, levels in found.items() if levels is not None}


def _objects(column: np.ndarray) -> np.ndarray:
    """A column as objects, missing ones None."""
    values = np.empty(len(column), dtype=object)
    values[:] = [_or_none(value) for value in column.tolist()]
    return values


def _or_none(value: Any) -> Any:
    return None if is_missing(value) else value


def _array_matrix(matrix: np.ndarray, layout: Layout) -> np.ndarray:
    if matrix.dtype.kind in "fiu" and matrix.dtype.itemsize <= 8 and not layout.levels:
        if matrix.dtype == np.float16 or not matrix.dtype.isnative:
            matrix = matrix.astype(np.float64)
        if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
            matrix = np.ascontiguousarray(matrix)
        return matrix
    if matrix.dtype.kind == "b" and not layout.levels:
        return matrix.astype(np.uint8)
    if matrix.dtype.kind == "c":
        raise ValueError("Complex data not supported: X must hold real numbers.")
    if matrix.dtype.kind not in "OUSfiub":
        raise ValueError(f"X holds values of type {matrix.dtype}: it must hold numbers.")
    out = np.empty(matrix.shape)
    for j in range(matrix.shape[1]):
        values = _objects(matrix[:, j])
        if j in layout.levels:
            out[:, j] = _codes(values, layout.levels[j])
        else:
            out[:, j] = _numbers(values, f"Column {j}", j in layout.categorical)
    return out


def _numbers(values: np.ndarray, where: str, categorical: bool = False) -> np.ndarray:
    """Numbers from objects; anything else gets one clear line.

    In a ``categorical`` column of numbers anything else is an unknown category: missing.
    """
    out = np.full(len(values), np.nan)
    for i, value in enumerate(values.tolist()):
        if value is None:
            continue
        try:
            out[i] = float(value)
        except OverflowError:
            raise ValueError(f"{where} of X holds a number beyond floats.") from None
        except TypeError as error:
            raise TypeError(f"{where} of X holds a value that is not a number: {error}.") from None
        except ValueError:
            if categorical:
                continue
            raise ValueError(
                f"{where} of X holds text ({_shown(value)}), not numbers: "
                "name it in categorical_features, or drop it."
            ) from None
    return out


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else str(value)
    short = text if len(text) <= 30 else text[:27] + "..."
    return repr(short) if isinstance(value, str) else " ".join(short.split())
