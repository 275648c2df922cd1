"""Tables that are read in parts: row groups of Parquet files, stretches of a CSV file."""

from __future__ import annotations

import codecs
import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from nacre.io.arrow import pa
from nacre.io.delimited import BLOCK, Format, find_format, read_fields, typed
from nacre.io.place import folder_of, is_wild
from nacre.io.size import shown_size

PART = 64_000_000
"""Bytes of numbers that a part should take in memory: 8 a cell. A row group is never cut."""

PARQUET = b"PAR1"
"""How Parquet files begin."""

WHOLE = (
    b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"ARRO", b"SQLi", b"{", b"[",
)  # fmt: skip
"""How files begin that can only be read whole, but for those of DuckDB."""

CELL = 6
"""Bytes of a cell of a CSV file, about."""


@dataclass(frozen=True)
class Part:
    """A stretch of rows of a table.

    Attributes
    ----------
    number : which part it is, from 0
    path : the file that it is in
    mark : size and time of the last change of the file
    span : its row groups in the file, or its bytes
    rows : how many there are, where that is known
    """

    number: int
    path: str
    mark: tuple[int, int]
    span: tuple[int, int]
    rows: int | None = None

    def __str__(self) -> str:
        what = "bytes" if self.rows is None else "row groups"
        first, last = self.span
        return f"part {self.number} ({what} {first} to {last - 1} of {Path(self.path).name!r})"


@dataclass(frozen=True)
class PartedTable:
    """A table in parts.

    Attributes
    ----------
    source : what it is called
    parts : tuple of Part
    names : of the columns
    cells : how many there are, about
    suffix : .parquet or .csv
    base : the folder whose folders key=value are columns, or None
    form : how a CSV file is written, or None
    head : bytes of a CSV file above its rows
    notes : lines on what may surprise
    """

    source: str
    parts: tuple[Part, ...]
    names: tuple[str, ...]
    cells: int
    suffix: str
    base: str | None = None
    schema: Any = field(default=None, repr=False)
    form: Format | None = None
    head: int = 0
    notes: tuple[str, ...] = ()

    def read(self, part: Part, types: dict[str, Any] | None = None) -> pa.Table:
        """The rows of a part.

        Parameters
        ----------
        part : Part
        types : Arrow types of the columns of a CSV file, by name
            Default: what this part alone looks like.

        Raises
        ------
        ValueError
            Where the file has changed, or cannot be read.
        """
        if file_stamp(part.path) != part.mark:
            raise ValueError(f"{part.path!r} has changed since the audit began: begin anew.")
        if self.form is None:
            return self._row_groups(part)
        return self.as_types(self.text(part), types)

    def as_types(self, text: pa.Table, types: dict[str, Any] | None = None) -> pa.Table:
        """Rows of a CSV file as they are spelled, as values."""
        columns = []
        for name, column in zip(text.column_names, text.columns, strict=True):
            found = typed(column)
            kind = None if types is None else types[name]
            if kind is not None and found.type != kind:
                found = typed(column, plain=True) if kind == pa.string() else found.cast(kind)
            columns.append(found)
        return pa.Table.from_arrays(columns, text.column_names)

    def text(self, part: Part) -> pa.Table:
        """The rows of a part of a CSV file, as they are spelled."""
        assert self.form is not None
        with Path(part.path).open("rb") as file:
            head = file.read(self.head)
            file.seek(part.span[0])
            data = file.read(part.span[1] - part.span[0])
        columns = read_fields(Path(part.path), pa.BufferReader(head + data), self.form)
        return pa.Table.from_arrays(columns, self.form.names)

    def _row_groups(self, part: Part) -> pa.Table:
        fragment = _fragment(part.path, part.mark, self.base)
        groups = fragment.subset(row_group_ids=list(range(*part.span)))
        table = groups.to_table(schema=self.schema, use_threads=False)
        table.validate(full=True)
        return table


def file_stamp(path: str | os.PathLike[str]) -> tuple[int, int]:
    """By what it is seen that a file has changed."""
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns


def find_parts(source: str | os.PathLike[str], size: int | None = None) -> PartedTable:
    """Find the parts of a table: a Parquet file, a folder or pattern of them, or a CSV file.

    Parameters
    ----------
    source : path, folder or pattern
    size : bytes of numbers that a part should take; default 64 MB

    Raises
    ------
    FileNotFoundError
        Where there is no such file.
    ValueError
        Where it can only be read whole.
    """
    path, size = Path(source).absolute(), PART if size is None else size
    if path.is_dir() or is_wild(path):
        files, base = parquet_files(path)
        return _parquet_parts(base.name, files, base, size)
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {str(source)!r}.")
    if _start(path) == PARQUET:
        return _parquet_parts(path.name, [path], None, size)
    return _csv_parts(path, size)


def parquet_files(place: Path) -> tuple[list[Path], Path]:
    """The Parquet files in a folder and those in it, or of a pattern; and the folder."""
    if is_wild(place):
        files = sorted(map(Path, glob.glob(os.fspath(place), recursive=True)))
        if not files:
            raise FileNotFoundError(f"There is no file {str(place)!r}.")
        if any(not one.is_file() or _start(one) != PARQUET for one in files):
            raise ValueError(f"{str(place)!r} stands for files that are not all Parquet files.")
        return files, folder_of(place)
    files = sorted(path for path in place.rglob("*.parquet") if path.name[0] not in "._")
    if not files:
        raise ValueError(f"{str(place)!r} is a folder without Parquet files: name a file in it.")
    return files, place


def table_size(source: Any) -> tuple[int, int] | None:
    """How many cells a table has that can be read in parts, and bytes of its pages, about."""
    path = Path(source)
    if path.is_dir() or is_wild(source):
        files = parquet_files(path)[0]
    elif path.is_file() and _start(path) == PARQUET:
        files = [path]
    elif path.is_file() and not _is_packed(path):
        return path.stat().st_size // CELL, 0
    else:
        return None
    cells = pages = 0
    for one in files:
        try:
            with pa.parquet.ParquetFile(one) as file:
                found = file.metadata
        except (OSError, pa.ArrowException) as error:
            raise ValueError(
                f"{one.name!r} cannot be read: {' '.join(str(error).split())}"
            ) from None
        cells += found.num_rows * found.num_columns
        pages += pages_size(found)
    return cells, pages


def pages_size(metadata: Any) -> int:
    """Bytes of the pages of a Parquet file, expanded."""
    return sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(4)


@lru_cache(maxsize=16)
def _fragment(path: str, mark: tuple[int, int], base: str | None) -> Any:
    """A Parquet file whose footer is read once, as long as it has the same ``mark``."""
    return next(as_dataset([path], base).get_fragments())


def as_dataset(files: Sequence[str | Path], base: str | None) -> Any:
    """Parquet files as one data set; folders key=value in the folder ``base`` are columns."""
    from pyarrow import dataset

    hive = None if base is None else dataset.partitioning(flavor="hive")
    paths = [str(path) for path in files]
    return dataset.dataset(paths, format="parquet", partitioning=hive, partition_base_dir=base)


def _parquet_parts(name: str, files: list[Path], base: Path | None, size: int) -> PartedTable:
    parts: list[Part] = []
    first, rows = None, 0
    for path in files:
        with pa.parquet.ParquetFile(path) as file:
            metadata, form = file.metadata, file.schema_arrow.remove_metadata()
        first = unified(form, first, path, files[0], name)
        mark, width = file_stamp(path), 8 * max(1, metadata.num_columns)
        begin = held = 0
        for group in range(metadata.num_row_groups):
            own = metadata.row_group(group).num_rows
            if held and (held + own) * width > size:
                parts.append(Part(len(parts), str(path), mark, (begin, group), held))
                begin, held = group, 0
            held += own
        if held:
            span = begin, metadata.num_row_groups
            parts.append(Part(len(parts), str(path), mark, span, held))
        rows += metadata.num_rows
    if not rows:
        raise ValueError(f"{name!r} has names of columns, but no rows.")
    place = None if base is None else str(base)
    schema = with_folders(as_dataset(files, place), first)
    return PartedTable(
        name, tuple(parts), tuple(schema.names), rows * len(schema.names), ".parquet", place, schema
    )


def unified(form: Any, first: Any, path: Path, other: Path, name: str) -> Any:
    """The schema of a Parquet file and the first of its table: types that hold what both have.

    Raises
    ------
    ValueError
        Where they have other columns, or types of which none holds the other.
    """
    if first is None or form == first:
        return form
    if form.names != first.names:
        differs = next((a for a, b in zip(form.names, first.names, strict=False) if a != b), None)
        raise ValueError(
            f"{path.name!r} in {name!r} has other columns than {other.name!r}"
            + (f", beginning with {differs!r}" if differs else "")
            + ": they are not of one table."
        )
    try:
        return pa.unify_schemas([first, form], promote_options="permissive")
    except pa.ArrowException:
        differs = next(one.name for one in form if not _unite(one, first.field(one.name)))
        raise ValueError(
            f"Column {differs!r} is {form.field(differs).type} in {path.name!r}, but "
            f"{first.field(differs).type} in {other.name!r}: write it in one type."
        ) from None


def _unite(one: Any, other: Any) -> bool:
    try:
        pa.unify_schemas([pa.schema([one]), pa.schema([other])], promote_options="permissive")
    except pa.ArrowException:
        return False
    return True


def with_folders(found: Any, form: Any) -> Any:
    """The schema of a data set whose files have that of ``form``: folders are columns, too."""
    schema = found.schema.remove_metadata()
    folders = [one for one in schema if one.name not in form.names]
    return pa.schema([*form, *folders])


def _csv_parts(path: Path, size: int) -> PartedTable:
    """Stretches of a CSV file, which end with a line break that no quotation marks enclose."""
    refuse_packed(path)
    form = find_format(path, None)
    if form.encoding.startswith("utf-16"):
        raise ValueError(f"{path.name!r} is UTF-16: save it as UTF-8 to have it read in parts.")
    mark = file_stamp(path)
    with path.open("rb") as file:
        ends = list(row_ends(file, _names_begin(file, form), max(1, size * CELL // 8), form))
    parts = tuple(Part(i, str(path), mark, span) for i, span in enumerate(pairwise(ends)))
    if not parts:
        raise ValueError(f"{path.name!r} has names of columns, but no rows.")
    cells, names = ends[-1] // CELL, tuple(form.names)
    form = form._replace(quotes=0)  # none is left open, however many there are
    return PartedTable(
        path.name, parts, names, cells, ".csv", form=form, head=ends[0], notes=form.notes
    )


def refuse_packed(path: Path) -> None:
    """Raise where a file is of a format that can only be read whole."""
    if _is_packed(path):
        raise ValueError(
            f"{path.name!r} ({shown_size(path.stat().st_size)}) can only be read whole: save it as "
            "Parquet, or as a plain CSV file, to have it read in parts."
        )


def _is_packed(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(12)
    return start.startswith(WHOLE) or start[8:] == b"DUCK"


def _names_begin(file: Any, form: Format) -> int:
    """Where the row of names begins: behind a byte order mark, lines to skip and empty ones."""
    place = len(codecs.BOM_UTF8) if file.read(3) == codecs.BOM_UTF8 else 0
    file.seek(place)
    for number, line in enumerate(file):
        if number >= form.skip and line.strip(b"\r\n"):
            break
        place += len(line)
    return place


def row_ends(file: Any, start: int, step: int, form: Format) -> Iterator[int]:
    """Where stretches of rows of a CSV file end: the first row alone, then all others.

    Parameters
    ----------
    file : open to read bytes
    start : where the first row begins
    step : bytes of a stretch, at least; but for the last
    form : how the file is written

    Raises
    ------
    ValueError
        Where a quotation mark is not closed at the end of the file.
    """
    from nacre.kernels import quotes

    file.seek(start)
    delimiter, state = ord(form.delimiter), quotes.START
    place = end = after = start
    while block := file.read(BLOCK):
        text, at = np.frombuffer(block, np.uint8), 0
        while at < len(text):
            at, state, found = quotes.next_row(text, at, after - place, delimiter, state)
            if found:
                end = place + at
                after = end + step
                yield end
        place += len(text)
    if state == quotes.QUOTED:
        raise ValueError(
            f"A quotation mark in {Path(file.name).name!r} is opened and never closed: "
            "it swallows the rows that follow."
        )
    if end < place:
        yield place
