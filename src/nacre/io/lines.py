"""The rows of a text file as they stand there, and in which lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from nacre.io.arrow import pa
from nacre.io.delimited import MIXED, find_format


class Row(NamedTuple):
    """A row of a text file: its first and last line, from 1, and its fields."""

    first: int
    last: int
    fields: list[str]


def read_rows(path: Path, packed: str | None = None) -> Iterator[Row]:
    """The rows of a text file, the names of the columns first; empty lines are none.

    Quoted fields may hold ends of lines: such a row has several lines. A line ends with a line
    feed, as editors, git and SARIF count them.
    """
    form = find_format(path, packed)
    encoding = form.encoding
    if encoding in ("utf-8", MIXED):
        encoding = "utf-8-sig"  # with a mark or without
    usual = csv.field_size_limit(2**31 - 1)
    try:
        with pa.input_stream(path, compression=packed) as stream:
            lines = _Lines(io.TextIOWrapper(stream, encoding, MIXED, newline=""))
            for _ in range(form.skip):
                next(lines)
            first = lines.ended + 1
            for fields in csv.reader(lines, delimiter=form.delimiter):
                if fields:
                    yield Row(first, lines.here, fields)
                first = lines.ended + 1
    finally:
        csv.field_size_limit(usual)


class _Lines:
    """An iterator over lines that counts them."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self.text = text
        self.ended = 0
        self.here = 1

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = next(self.text)
        self.here = self.ended + 1
        self.ended += line.endswith("\n")  # not a carriage return alone
        return line
