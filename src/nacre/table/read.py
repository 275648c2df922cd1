"""Tables from files and from memory, as data frames."""

from __future__ import annotations

import codecs
import csv
import os
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from nacre.table.arrow import as_array, pa, pc
from nacre.table.kinds import MISSING, numbers, trimmed
from nacre.table.matrix import as_frame

HEAD = 1 << 20
"""Bytes that the delimiter and the names of the columns are found in."""

BLOCK = 1 << 23
"""Bytes parsed at a time: no row may be longer."""

PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
NO_TABLE = {
    b"PK\x03\x04": "an Excel workbook or another ZIP archive: save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook: save the sheet as CSV",
    b"%PDF": "a PDF file",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"<": "HTML or XML: download the table itself, or save it as CSV",
    b"{": "JSON: save the table as CSV or Parquet",
    b"[{": "JSON: save the table as CSV or Parquet",
}
"""How files begin that people take for tables."""

DELIMITERS = ",;\t|"

LOOKED_AT = 100
"""Rows by which a delimiter is judged."""

CONTROL = r"[\x01-\x08\x0e-\x1a]"
"""Characters that no table has."""


def read_table(source: Any, names: Sequence[str] | None = None) -> nw.DataFrame[Any]:
    """Read a table from a file or from memory.

    Files are CSV (the delimiter is a comma, semicolon, tab or bar; the encoding UTF-8, UTF-16 or
    Windows-1252; both are found out), Parquet or Arrow, told apart by what they hold and not by
    their names; CSV may be compressed by gzip, bzip2 or Zstandard. The first row of a CSV file has
    the names of the columns. Columns of numbers become numbers (with a decimal comma too, where a
    semicolon parts the fields), unless one has a needless leading 0, as codes do; all else stays
    text. Fields that are empty or say NA, N/A, NaN, null or ? are missing.

    Parameters
    ----------
    source : path, data frame (pandas, polars, pyarrow and others) or NumPy array
        An array has two dimensions, or named fields. Data frames are not copied.
    names : of the columns of an array; default x0, x1, ...

    Returns
    -------
    narwhals.DataFrame
        Its names are text, and no two are alike; ``to_native()`` has what it stands for.

    Raises
    ------
    FileNotFoundError
        Where there is no such file.
    ValueError
        Where it is no table, or a broken one: one line says what and where.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from nacre.table import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "people.csv"
    ...     _ = path.write_text("age;smokes;height\\n34;no;1,74\\n51;yes;NA\\n")
    ...     frame = read_table(path)
    >>> frame.to_native().to_pydict()
    {'age': [34, 51], 'smokes': ['no', 'yes'], 'height': [1.74, None]}
    """
    if isinstance(source, (str, os.PathLike)):
        return nw.from_native(_read_file(Path(source)), eager_only=True)
    if isinstance(source, np.ndarray):
        return nw.from_native(_from_array(source, names), eager_only=True)
    frame = as_frame(source)
    if frame is None:
        raise TypeError(
            f"A table must be a path, a data frame or a NumPy array, not {type(source).__name__}."
        )
    texts = {name: str(name) for name in frame.columns if not isinstance(name, str)}
    _check_names([texts.get(name, name) for name in frame.columns], "the table")
    return frame.rename(texts) if texts else frame


def _check_names(names: Sequence[str], where: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"Two columns of {where} are named {name!r}: rename one.")
        seen.add(name)
    if not seen:
        raise ValueError(f"There are no columns in {where}.")


def _from_array(array: np.ndarray, names: Sequence[str] | None) -> pa.Table:
    if array.dtype.names:
        columns = {name: array[name] for name in array.dtype.names}
    elif array.ndim == 2:
        chosen = [f"x{j}" for j in range(array.shape[1])] if names is None else list(names)
        if len(chosen) != array.shape[1]:
            raise ValueError(f"There are {len(chosen)} names for {array.shape[1]} columns.")
        _check_names(chosen, "the array")
        columns = dict(zip(chosen, array.T, strict=True))
    else:
        raise ValueError(f"An array must have two dimensions to be a table, not {array.ndim}.")
    if any(column.ndim != 1 for column in columns.values()):
        raise ValueError("A field of the array has more than one value a row.")
    plain = "biufU"
    return pa.table(
        {
            name: pa.array(column) if column.dtype.kind in plain else as_array(column.tolist())
            for name, column in columns.items()
        }
    )


# Files


def _read_file(path: Path) -> pa.Table:
    try:
        with path.open("rb") as file:
            start = file.read(6)
        table = _read_known(path, start)
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {str(path)!r}.") from None
    except IsADirectoryError:
        raise ValueError(f"{str(path)!r} is a folder: name a file in it.") from None
    except (OSError, pa.ArrowException) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ValueError(f"{path.name!r} cannot be read: {' '.join(reason.split())}") from None
    _check_names(table.column_names, repr(path.name))
    if not len(table):
        raise ValueError(f"{path.name!r} has names of columns, but no rows.")
    return table


def _read_known(path: Path, start: bytes) -> pa.Table:
    if not start:
        raise ValueError(f"{path.name!r} is empty.")
    if start.startswith(b"PAR1"):
        with pa.parquet.ParquetFile(path) as file:
            table = file.read()
    elif start.startswith(b"ARROW1"):
        table = pa.feather.read_table(path, memory_map=False)
    else:
        packed = next((name for mark, name in PACKED.items() if start.startswith(mark)), None)
        return _read_text(path, packed)
    table.validate(full=True)
    return table


class _Format(NamedTuple):
    """How a text file is written.

    Attributes
    ----------
    encoding, delimiter : str
    names : of the columns, as the first row has them
    open_quote : whether the number of quotation marks is odd
    """

    encoding: str
    delimiter: str
    names: list[str]
    open_quote: bool


def _read_text(path: Path, packed: str | None) -> pa.Table:
    found = _find_format(path, packed)
    keys = [str(j) for j in range(len(found.names))]
    ragged: list[tuple[int, int]] = []

    def note(row: Any) -> str:
        ragged.append((row.number, row.actual_columns))
        return "skip"

    try:
        with pa.input_stream(path, compression=packed) as stream:
            table = pa.csv.read_csv(
                stream,
                # Threads save little and lose the numbers of broken rows.
                pa.csv.ReadOptions(
                    use_threads=False, block_size=BLOCK, column_names=keys, encoding=found.encoding
                ),
                pa.csv.ParseOptions(
                    delimiter=found.delimiter, newlines_in_values=True, invalid_row_handler=note
                ),
                pa.csv.ConvertOptions(
                    column_types=dict.fromkeys(keys, pa.string()),
                    null_values=MISSING,
                    strings_can_be_null=True,
                ),
            )
    except pa.ArrowInvalid:
        if not found.open_quote:
            raise
        raise ValueError(_OPEN_QUOTE.format(path.name)) from None
    if ragged:
        (row, fields), more = ragged[0], len(ragged) - 1
        raise ValueError(
            f"Row {row} of {path.name!r} has {fields} field{'s' * (fields != 1)}, but the header "
            f"has {len(keys)}"
            + (f" (as {more} more row{'s' * (more != 1)})" if more else "")
            + ": repair the file, or put fields that hold a delimiter in quotes."
        )
    if found.open_quote and any("\n" in str(column[-1]) for column in table.columns):
        raise ValueError(_OPEN_QUOTE.format(path.name))
    columns = table.slice(1).columns
    del table
    for j in range(len(columns)):  # one after the other, so that memory is given back
        columns[j] = _typed(columns[j], found.delimiter == ";")
    names = [name.strip("\ufeff \t\r\n") or f"column {j + 1}" for j, name in enumerate(found.names)]
    _check_names(names, repr(path.name))
    return pa.table(columns, names)


_OPEN_QUOTE = "A quotation mark in {!r} is opened and never closed: it swallows the rows after it."


def _typed(text: pa.ChunkedArray, decimal_comma: bool) -> pa.ChunkedArray:
    """Text as numbers, if all of it is that."""
    found = numbers(text, codes=False)
    if found is None:
        text = trimmed(text)
        found = numbers(text, codes=False)
    if found is None and decimal_comma:
        found = numbers(pc.replace_substring(text, ",", "."), codes=False)
    return text if found is None else found


def _find_format(path: Path, packed: str | None) -> _Format:
    with pa.input_stream(path, compression=packed) as stream:
        head = stream.read(HEAD)
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()
    for mark, what in NO_TABLE.items():
        if start.startswith(mark):
            raise ValueError(f"{path.name!r} is no table but {what}.")
    for encoding in _encodings(head):
        try:
            quotes = _count_quotes(path, packed, encoding)
        except UnicodeError:
            continue
        text = codecs.getincrementaldecoder(encoding)().decode(head)
        if quotes is None or (encoding == "cp1252" and re.search(CONTROL, text)):
            break
        if not text.strip():
            raise ValueError(f"{path.name!r} is empty.")
        delimiter = max(DELIMITERS, key=lambda mark: _fit(text, mark))
        names = next(_rows(text, delimiter), [])
        return _Format(encoding, delimiter, names, quotes % 2 == 1)
    raise ValueError(f"{path.name!r} is no table: it does not hold text.")


def _encodings(head: bytes) -> tuple[str, ...]:
    """What to try: a mark says it, or where the zeros of Latin letters are, or it is 8 bits."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return ("utf-16",)
    zeros = [head[side:1024:2].count(0) for side in (0, 1)]
    if 0 in zeros and sum(zeros) > 0:
        return ("utf-16-be" if zeros[0] else "utf-16-le",)
    return ("utf-8", "cp1252")


def _count_quotes(path: Path, packed: str | None, encoding: str) -> int | None:
    """Quotation marks in a file, or None if it has zeros, which text has not."""
    decoder = codecs.getincrementaldecoder(encoding)()
    quotes = 0
    with pa.input_stream(path, compression=packed) as stream:
        while block := stream.read(HEAD):
            text = decoder.decode(block)
            if "\0" in text:
                return None
            quotes += text.count('"')
    decoder.decode(b"", final=True)
    return quotes


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """The first rows of a table, those without anything left out."""
    try:
        yield from filter(None, csv.reader(StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        return


def _fit(text: str, delimiter: str) -> tuple[bool, float, int]:
    """How well a delimiter fits: whether it parts the header, and other rows into as many."""
    widths = [len(row) for row in islice(_rows(text, delimiter), LOOKED_AT)] or [0]
    return widths[0] > 1, widths.count(widths[0]) / len(widths), widths[0]
