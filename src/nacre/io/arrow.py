"""Columns of any library as Arrow has them, in one of few types."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw

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
        "Reading and writing tables needs one more package: pip install 'nacre[table]'",
        name="pyarrow",
    ) from None

__all__ = ["as_array", "as_column", "is_number", "is_plain", "is_text", "pa", "pc", "spelled"]

TEXT = pa.large_string()


def as_column(column: nw.Series[Any]) -> pa.ChunkedArray:
    """A column of a frame as text, numbers, booleans, dates, times, or nulls only.

    Categories come as their values, decimals as floats, objects of several types as text. NaN
    is null. Other types (lists, say) stay as they are, and are not plain.
    """
    values = _as_arrow(column)
    if isinstance(values, pa.Array):
        values = pa.chunked_array([values])
    if is_text(values.type):
        return values.cast(TEXT)
    if pa.types.is_binary(values.type) or pa.types.is_large_binary(values.type):
        try:
            return values.cast(TEXT)
        except pa.ArrowInvalid:
            return values
    if pa.types.is_decimal(values.type) or pa.types.is_float16(values.type):
        values = values.cast(pa.float64())
    if pa.types.is_floating(values.type):
        return pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    return values


def _as_arrow(column: nw.Series[Any]) -> Any:
    native = column.to_native()
    if column.dtype != nw.Object:
        try:
            values = native if isinstance(native, pa.ChunkedArray) else column.to_arrow()
            encoded = pa.types.is_dictionary(values.type)
            return values.cast(values.type.value_type) if encoded else values
        except (pa.ArrowException, OverflowError, UnicodeError):  # what Arrow has no type for
            pass
    return as_array(column.to_list())


def as_array(values: Iterable[Any]) -> pa.Array:
    """An Arrow array of objects: of one type if they are booleans, text or numbers, else of text.

    Other types are not left to Arrow to guess, which may crash.
    """
    values = [None if is_missing(value) else value for value in values]
    kinds = {type(value) for value in values} - {type(None)}
    try:
        if kinds in ({bool}, {int}, {str}, {bytes}):
            return pa.array(values)
        if bool not in kinds and all(issubclass(kind, (Real, Decimal)) for kind in kinds):
            return pa.array([None if value is None else float(value) for value in values])
    except (pa.ArrowException, OverflowError, ValueError):
        pass
    return pa.array([None if value is None else _word(value) for value in values], TEXT)


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


def is_number(kind: pa.DataType) -> bool:
    """Whether an Arrow type is one of whole numbers or floats."""
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def is_text(kind: pa.DataType) -> bool:
    """Whether an Arrow type is one of text."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view()


def is_plain(kind: pa.DataType) -> bool:
    """Whether an Arrow type is one that columns of a table should have."""
    known = pa.types.is_null, pa.types.is_boolean, pa.types.is_temporal, is_number, is_text
    return any(check(kind) for check in known)


def _word(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value).encode("utf-8", "replace").decode()
