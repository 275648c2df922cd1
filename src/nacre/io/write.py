"""Tables out again."""

from __future__ import annotations

import csv
import os
from io import StringIO
from pathlib import Path
from typing import Any, BinaryIO

from nacre.io.arrow import as_column, is_text, pa, pc
from nacre.io.kinds import NUMBER
from nacre.io.read import read_table
from nacre.io.whole import whole_file

FORMULA = "^[=+@\t\r\n-]"
"""How text begins that a spreadsheet would run as a formula."""


def write_table(frame: Any, path: str | os.PathLike[str], safe: bool = False) -> None:
    """Write a table as CSV or Parquet, as the end of the path's name says.

    The file appears at its place only when it is complete. CSV has commas, quotes where a column
    needs them, and UTF-8.

    Parameters
    ----------
    frame : whatever ``read_table`` takes
    path : that ends in .csv or .parquet
    safe : bool
        Put an apostrophe before text that a spreadsheet would take for a formula, as it begins
        with one of = + - @ or a tab and is no number. For tables that people will open there.

    Raises
    ------
    OSError
        Where there is no such folder, or the file cannot be written.
    ValueError
        Where the ending is another one, or columns hold what CSV cannot.

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
    path = Path(path)
    if path.suffix not in (".csv", ".parquet"):
        raise ValueError(f"{path.name!r} must end in .csv or .parquet.")
    frame = read_table(frame)
    columns = [as_column(frame[name]) for name in frame.columns]
    names = pa.array(frame.columns)
    if safe:
        columns, names = [_harmless(column) for column in columns], _harmless(names)
    table = pa.table(columns, names.to_pylist())
    write = _write_csv if path.suffix == ".csv" else pa.parquet.write_table
    with whole_file(path) as half, half.open("wb") as file:
        try:
            write(table, file)
        except pa.ArrowException as error:
            raise ValueError(f"{str(path)!r} cannot be written: {error}") from None


def _write_csv(table: pa.Table, file: BinaryIO) -> None:
    """Write without quotes, or with them around all text where a value needs them."""
    header = StringIO()
    csv.writer(header, lineterminator="\n").writerow(table.column_names)
    try:
        _write_rows(table, header.getvalue(), file, "none")
    except pa.ArrowInvalid:
        file.seek(0)
        file.truncate()
        _write_rows(table, header.getvalue(), file, "needed")


def _write_rows(table: pa.Table, header: str, file: BinaryIO, quotes: str) -> None:
    file.write(header.encode())
    options = pa.csv.WriteOptions(include_header=False, quoting_style=quotes)
    pa.csv.write_csv(table, file, options)


def _harmless(text: Any) -> Any:
    """Text with an apostrophe before what would be a formula; all else as it is."""
    if not is_text(text.type):
        return text
    formula = pc.and_not(
        pc.match_substring_regex(text, FORMULA), pc.match_substring_regex(text, NUMBER)
    )
    return pc.if_else(formula, pc.replace_substring_regex(text, FORMULA, r"'\0"), text)
