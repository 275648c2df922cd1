"""Tables out again."""

from __future__ import annotations

import csv
import json
import os
from io import StringIO
from pathlib import Path
from typing import Any, BinaryIO

from nacre.io.arrow import TEXT, as_text, as_typed, chunked, decoded, is_number, is_text, pa, pc
from nacre.io.excel import MOST_COLUMNS, MOST_ROWS, looks, write_workbook
from nacre.io.kinds import NUMBER
from nacre.io.read import read_table
from nacre.io.spelling import Spelling
from nacre.io.whole import whole_file

FORMULA = "^[=+@\t\r\n-]"
"""How text begins that a spreadsheet would run as a formula."""

SIGNS = "^[+-]+$"
"""Signs alone, by which people say that there is no value: nothing to run."""


def write_table(
    frame: Any,
    path: str | os.PathLike[str],
    safe: bool = False,
    spelling: Spelling | None = None,
) -> None:
    """Write a table as CSV, Parquet or an Excel workbook, as the end of the path's name says.

    The file appears at its place only when it is complete. CSV has commas, quotes where a column
    needs them, and UTF-8; what it has no type for becomes text, lists and structs as JSON. Parquet
    keeps the types of all columns that it knows. A table that was read from a workbook keeps the
    name of its sheet and the number formats of its columns there.

    Parameters
    ----------
    frame : whatever ``read_table`` takes
    path : that ends in .csv, .parquet or .xlsx
    safe : bool
        Put an apostrophe before text that a spreadsheet would take for a formula, as it begins
        with one of = + - @ or a tab, and is no number and more than signs. For tables that people
        will open there.
    spelling : Spelling, optional
        How to write a CSV file cell for cell as another, whose values the table has.

    Raises
    ------
    OSError
        Where there is no such folder, or the file cannot be written.
    ValueError
        Where the ending is another one.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from pathlib import Path
    >>> from nacre.io import write_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "out.csv"
    ...     write_table(np.array([["=1+1", "-5"]]), path, safe=True)
    ...     path.read_text().split()
    ['x0,x1', "'=1+1,-5"]
    """
    path, suffix = Path(path), check_ending(path)
    frame = read_table(frame)
    spelling = spelling or Spelling()
    columns = [as_typed(frame[name]) for name in frame.columns]
    names = frame.columns
    if suffix == ".csv":
        columns = [
            spelling.cells[name] if name in spelling.cells else _for_csv(column)
            for name, column in zip(names, columns, strict=True)
        ]
        names = [spelling.names.get(name, name) for name in names]
    if safe and suffix != ".xlsx":  # where text is never a formula
        columns = [_harmless(column) for column in columns]
        names = _harmless(chunked(pa.array(names, pa.string()))).to_pylist()
    with whole_file(path) as half:
        if suffix == ".csv":
            with half.open("wb") as file:
                _write_csv(columns, names, file, spelling)
        elif suffix == ".xlsx":
            _write_sheet(columns, names, half, *looks(frame.to_native()))
        else:
            _write_parquet(pa.table(columns, names), half)


def check_ending(path: str | os.PathLike[str]) -> str:
    """The end of a path's name, which says how a table is written; raise where it is another."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".parquet", ".xlsx"):
        raise ValueError(f"{path.name!r} must end in .csv, .parquet or .xlsx.")
    return suffix


def _write_sheet(
    columns: list[pa.ChunkedArray],
    names: list[str],
    path: Path,
    sheet: str | None,
    formats: dict[str, str],
) -> None:
    rows = max((len(column) for column in columns), default=0)
    if rows >= MOST_ROWS or len(names) > MOST_COLUMNS:
        raise ValueError(
            f"A sheet holds {MOST_ROWS - 1} rows and {MOST_COLUMNS} columns, the table has {rows} "
            f"and {len(names)}: write .csv or .parquet."
        )
    plain = [decoded(column) for column in columns]
    held = [one if _fits_cells(one.type) else as_text(one) for one in plain]
    cells = zip(*(one.to_pylist() for one in held), strict=True)
    write_workbook(path, {sheet or "table": (names, cells)}, formats)


def _fits_cells(kind: pa.DataType) -> bool:
    spans = pa.types.is_timestamp(kind) or pa.types.is_time(kind) or pa.types.is_duration(kind)
    times = pa.types.is_date(kind) or (spans and kind.unit != "ns")  # which Python cannot have
    return is_number(kind) or pa.types.is_boolean(kind) or is_text(kind) or times


def _write_parquet(table: pa.Table, path: Path) -> None:
    """Write all columns in their types, but as text those that Parquet cannot have."""
    for j, field in enumerate(table.schema):
        if field.type == pa.timestamp("s", getattr(field.type, "tz", None)):
            table = table.set_column(j, field.name, _in_milliseconds(table[j]))
    try:
        pa.parquet.write_table(table, path)
    except (pa.ArrowException, OverflowError):
        for j, name in enumerate(table.column_names):
            try:
                pa.parquet.write_table(table.select([j]), pa.BufferOutputStream())
            except (pa.ArrowException, OverflowError):
                table = table.set_column(j, name, as_text(table[j]))
        pa.parquet.write_table(table, path)


def _in_milliseconds(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Times as Parquet has them: some versions of Arrow let those that are too far overflow."""
    try:
        return values.cast(pa.timestamp("ms", values.type.tz))
    except pa.ArrowInvalid:
        return as_text(values)


def _for_csv(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column in a type that CSV can have."""
    if is_number(values.type) or pa.types.is_boolean(values.type):
        if pa.types.is_float16(values.type):
            values = values.cast(pa.float64())
        if not pa.types.is_floating(values.type):
            return values
        return pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    text = _as_json(values) if pa.types.is_nested(values.type) else as_text(values)
    if pc.any(pc.match_substring(text, "\0")).as_py():  # no reader of CSV gets past it
        text = pc.replace_substring(text, "\0", "\u2400")
    return text


def _as_json(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Lists and structs as any program reads them; as text what JSON has no form for."""
    try:
        words = [None if one is None else json.dumps(one, ensure_ascii=False, default=str)
                 for one in values.to_pylist()]  # fmt: skip
        return chunked(pa.array(words, TEXT))
    except (ValueError, TypeError, OverflowError, pa.ArrowException):  # dates that Python has not
        return as_text(values)


def _write_csv(
    columns: list[pa.ChunkedArray], names: list[str], file: BinaryIO, spelling: Spelling
) -> None:
    """Write without quotes, or with them around all text where a value needs them."""
    header, delimiter = StringIO(), spelling.delimiter
    header.write("\ufeff" * spelling.marked)
    csv.writer(header, delimiter=delimiter, lineterminator="\n").writerow(names)
    table = pa.table(columns, [str(j) for j in range(len(names))])
    try:
        _write_rows(table, header.getvalue(), file, "none", delimiter)
    except pa.ArrowInvalid:
        file.seek(0)
        file.truncate()
        _write_rows(table, header.getvalue(), file, "needed", delimiter)


def _write_rows(table: pa.Table, header: str, file: BinaryIO, quotes: str, delimiter: str) -> None:
    file.write(header.encode())
    options = pa.csv.WriteOptions(include_header=False, quoting_style=quotes, delimiter=delimiter)
    pa.csv.write_csv(table, file, options)


def _harmless(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text with an apostrophe before what would be a formula; all else as it is."""
    text = decoded(text)
    if not is_text(text.type):
        return text
    harmless = pc.match_substring_regex(text, f"{NUMBER}|{SIGNS}")
    formula = pc.and_not(pc.match_substring_regex(text, FORMULA), harmless)
    return pc.if_else(formula, pc.replace_substring_regex(text, FORMULA, r"'\0"), text)
