"""Columns of any library as Arrow has them, in one of few types."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from math import isfinite, isnan
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from nacre.io.frames import is_missing

try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv
    import pyarrow.feather
    import pyarrow.parquet
except ModuleNotFoundError as error:
    if error.name != "pyarrow":
        raise
    raise ModuleNotFoundError(
        "Reading and writing tables needs one more package: pip install 'nacre-boost[table]'",
        name="pyarrow",
    ) from None

__all__ = [
    "as_array", "as_column", "as_text", "as_typed", "chunked", "decoded", "is_number", "is_plain",
    "is_text", "pa", "pc", "plain_values", "spelled", "workable",
]  # fmt: skip

TEXT = pa.large_string()


def as_column(column: nw.Series[Any]) -> pa.ChunkedArray:
    """A column of a frame as text, numbers, booleans, dates, times, or nulls only.

    Categories come as their values, decimals as numbers (as text where these could not tell whole
    ones apart), objects of several types as text. NaN is null. Other types (lists, say) stay as
    they are, and are not plain.
    """
    values = decoded(as_typed(column))
    if pa.types.is_dictionary(values.type):
        values = chunked(as_array(column.to_list()))
    if isinstance(values.type, pa.BaseExtensionType):
        values = as_text(values)
    if is_text(values.type):
        return values.cast(TEXT)
    if pa.types.is_binary(values.type) or pa.types.is_large_binary(values.type):
        try:
            return values.cast(TEXT)
        except pa.ArrowInvalid:
            return values
    if pa.types.is_decimal(values.type):
        values = _undecimal(values)
    if pa.types.is_float16(values.type):
        values = values.cast(pa.float64())
    if pa.types.is_floating(values.type):
        return pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    return values


def _undecimal(values: pa.ChunkedArray) -> pa.ChunkedArray:
    try:
        return values.cast(pa.int64())
    except pa.ArrowInvalid:
        whole = values.type.scale <= 0
        return values.cast(TEXT) if whole else values.cast(pa.float64())


def as_typed(column: nw.Series[Any]) -> pa.ChunkedArray:
    """A column of a frame in the type that it has in Arrow; text where there is none."""
    native = column.to_native()
    if column.dtype != nw.Object:
        try:
            if isinstance(native, pa.ChunkedArray):
                return workable(native)
            values = column.to_arrow()
            if not isinstance(values.type, pa.BaseExtensionType):  # as pandas has for periods
                return workable(values if isinstance(values, pa.ChunkedArray) else chunked(values))
        except (pa.ArrowException, OverflowError, UnicodeError):  # what Arrow has no type for
            pass
    return chunked(as_array(column.to_list()))


def chunked(values: pa.Array) -> pa.ChunkedArray:
    """An array as columns of tables are."""
    return pa.chunked_array([values])


def decoded(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values of a column of categories, if Arrow can tell; other columns as they are."""
    if not pa.types.is_dictionary(values.type):
        return values
    try:
        return workable(values.cast(values.type.value_type))
    except pa.ArrowException:  # categories that are lists, say
        return values


def workable(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column whose rows Arrow can pick: it has types that can only be looked at.

    Views and runs become ordinary columns; where they stand inside lists and structs, text.
    """
    kind = values.type
    if kind == pa.string_view():
        return values.cast(TEXT)
    if kind == pa.binary_view():
        return values.cast(pa.large_binary())
    if pa.types.is_run_end_encoded(kind):
        decoded = [pc.run_end_decode(chunk) for chunk in values.chunks]
        return workable(pa.chunked_array(decoded, kind.value_type))
    if pa.types.is_nested(kind):
        try:
            values.slice(0, 1).take(pa.array([], pa.int64()))
        except pa.ArrowNotImplementedError:
            return as_text(values)
    return values


def as_text(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of any type as a person reads it, text as it is. It never fails."""
    values = decoded(values)
    kind = values.type
    if is_text(kind):
        return values
    numeric = is_number(kind) or pa.types.is_decimal(kind)
    if numeric or pa.types.is_boolean(kind) or pa.types.is_temporal(kind):
        try:
            return values.cast(TEXT)
        except pa.ArrowException:  # intervals, and half floats
            pass
    words = [_said(chunk[i]) for chunk in values.chunks for i in range(len(chunk))]
    return chunked(pa.array(words, TEXT))


def _said(scalar: pa.Scalar) -> str | None:
    """A value as text, whatever it is."""
    try:
        value = scalar.as_py()
    except (ValueError, OverflowError, pa.ArrowException):  # dates that Python has not
        value = getattr(scalar, "value", scalar)
    return None if is_missing(value) else _word(value)


def plain_values(column: nw.Series[Any]) -> list[Any]:
    """The values of a column as JSON has them: None, booleans, numbers and text."""
    values = decoded(as_typed(column))
    kind = values.type
    if not (is_number(kind) or pa.types.is_boolean(kind)):
        values = as_text(values)
    found = values.to_pylist()
    if pa.types.is_floating(kind):
        return [one if one is None or isfinite(one) else _word_or_none(one) for one in found]
    return found


def _word_or_none(value: float) -> str | None:
    return None if isnan(value) else str(value)


def as_array(values: Iterable[Any]) -> pa.Array:
    """An Arrow array of objects: of one type if they are booleans, text, numbers or lists of
    numbers.

    Else of text: other types are not left to Arrow to guess, which may crash.
    """
    values = [None if is_missing(value) else value for value in values]
    kinds = {type(value) for value in values} - {type(None)}
    try:
        if kinds in ({bool}, {int}, {str}, {bytes}):
            return pa.array(values)
        if bool not in kinds and all(issubclass(kind, (Real, Decimal)) for kind in kinds):
            return pa.array([None if value is None else float(value) for value in values])
        if kinds and kinds <= {list, np.ndarray}:
            return _lists(values)
    except (pa.ArrowException, OverflowError, ValueError):
        pass
    return pa.array([None if value is None else _word(value) for value in values], TEXT)


def _lists(values: list[Any]) -> pa.Array:
    """Lists of whole numbers, or else of floats."""
    whole = all(np.asarray(one).dtype.kind in "iu" for one in values if one is not None)
    return pa.array(values, pa.large_list(pa.int64() if whole else pa.float64()))


def spelled(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Values as text, the same for equal numbers of different types: 1 and 1.0 are both 1."""
    if is_text(values.type):
        return values
    distinct = values.unique()
    if pa.types.is_temporal(values.type):
        words = distinct.cast(TEXT)
    else:
        words = pa.array(
            [None if is_missing(value) else _word(value) for value in distinct.to_pylist()], TEXT
        )
    return words.take(pc.index_in(values, value_set=distinct))


def without(text: pa.ChunkedArray, gone: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text with nothing in some rows; with a null scalar, Arrow before 23 reads beyond the end."""
    return pc.if_else(gone, pa.nulls(len(text), text.type), text)


def is_number(kind: pa.DataType) -> bool:
    """Whether an Arrow type is one of whole numbers or floats."""
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def is_text(kind: pa.DataType) -> bool:
    """Whether an Arrow type is one of text."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view()


def is_plain(kind: pa.DataType) -> bool:
    """Whether an Arrow type is one that columns of a table should have."""
    known = pa.types.is_null, pa.types.is_boolean, pa.types.is_temporal, is_number, is_text
    return not pa.types.is_interval(kind) and any(check(kind) for check in known)


def _word(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value).encode("utf-8", "replace").decode()
