"""Tables in text files, whose fields are parted by commas or the like."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from nacre.io.arrow import pa, pc
from nacre.io.kinds import MISSING, numbers, trimmed

HEAD = 1 << 20
"""Bytes that the delimiter and the names of the columns are found in."""

BLOCK = 1 << 23
"""Bytes parsed at a time: no row may be longer."""

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


class Format(NamedTuple):
    """How a text file is written.

    Attributes
    ----------
    encoding, delimiter : str
    names : of the columns, from the first row
    open_quote : whether the number of quotation marks is odd
    """

    encoding: str
    delimiter: str
    names: list[str]
    open_quote: bool


def read_delimited(path: Path, packed: str | None) -> pa.Table:
    """Read a table whose fields are parted by commas or the like, compressed or not."""
    found = find_format(path, packed)
    columns = _read_fields(path, packed, found)
    for j in range(len(columns)):  # one after the other, so that memory is given back
        columns[j] = _typed(columns[j], found.delimiter == ";")
    return pa.Table.from_arrays(columns, found.names)


def _read_fields(path: Path, packed: str | None, found: Format) -> list[pa.ChunkedArray]:
    """The columns as text, without their names."""
    keys = [str(j) for j in range(len(found.names))]
    ragged: list[tuple[int, int, str]] = []

    def note(row: Any) -> str:
        ragged.append((row.number, row.actual_columns, row.text if found.open_quote else ""))
        return "skip"

    open_quote = (
        f"A quotation mark in {path.name!r} is opened and never closed: "
        "it swallows the rows that follow."
    )
    try:
        with pa.input_stream(path, compression=packed) as stream:
            table = pa.csv.read_csv(
                stream,
                # Threads save little and lose the numbers of ragged rows.
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
        raise ValueError(open_quote) from None
    end = [str(column[-1]) for column in table.columns if len(table)]
    end += [text for *_, text in ragged[-1:]]
    if found.open_quote and any("\n" in text for text in end):
        raise ValueError(open_quote)
    if ragged:
        (row, fields, _), more = ragged[0], len(ragged) - 1
        raise ValueError(
            f"Row {row} of {path.name!r} has {fields} field{'s' * (fields != 1)}, but the header "
            f"has {len(keys)}"
            + (f" (as {more} more row{'s' * (more != 1)})" if more else "")
            + ": repair the file, or put fields that hold a delimiter in quotes."
        )
    return table.slice(1).columns


def _typed(text: pa.ChunkedArray, decimal_comma: bool) -> pa.ChunkedArray:
    """Text as numbers, if all of it is that."""
    found = numbers(text, codes=False)
    if found is not None:
        return found
    clean = trimmed(text)
    if clean is not text:
        found = numbers(clean, codes=False)
    if found is None and decimal_comma:
        found = numbers(pc.replace_substring(clean, ",", "."), codes=False)
    return clean if found is None else found


def find_format(path: Path, packed: str | None) -> Format:
    """Find out how a text file is written; ValueError where it holds no table."""
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
        header = next(_rows(text.removeprefix("\ufeff"), delimiter), None)
        if header is None:
            break
        names = [name.strip() or f"column {j + 1}" for j, name in enumerate(header)]
        return Format(encoding, delimiter, names, quotes % 2 == 1)
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
