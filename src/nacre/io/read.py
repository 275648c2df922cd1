"""Tables from files and from memory, as data frames."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from nacre.io.arrow import as_array, pa, workable
from nacre.io.delimited import read_delimited
from nacre.io.frames import as_frame, collected
from nacre.io.hugging_face import dataset_table, is_dataset
from nacre.io.jsonlines import JSON, read_json
from nacre.io.parts import as_dataset, pages_size, parquet_files, unified, with_folders
from nacre.io.place import INPUT, MARK, is_wild, split_place
from nacre.io.size import MOST, check_expanded
from nacre.io.spelling import Spelling

PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
"""How compressed files begin."""


ENDINGS = {
    ".parquet": "Parquet file", ".pq": "Parquet file", ".arrow": "Arrow file",
    ".feather": "Arrow file", ".xlsx": "Excel workbook",
}  # fmt: skip
"""What a file is taken for by its name, where it turns out to hold no table."""

START = 16
"""Bytes by which formats are told apart."""


class Source(NamedTuple):
    """A table, and what is known of the file that it comes from.

    Attributes
    ----------
    frame : the table
    spelling : how a text file spells it, or None
    notes : lines on what may surprise
    suffix : of files that hold such a table: .csv, .parquet or .xlsx
    """

    frame: nw.DataFrame[Any]
    spelling: Spelling | None = None
    notes: Sequence[str] = ()
    suffix: str = ".csv"


def read_table(
    source: Any, names: Sequence[str] | None = None, max_size: float = MOST
) -> nw.DataFrame[Any]:
    """Read a table from a file or from memory.

    Files are CSV (the delimiter is a comma, semicolon, tab or bar; the encoding UTF-8, UTF-16 or
    Windows-1252; both are found out), JSON (an object a line, or a list of objects), Parquet,
    Arrow, Excel workbooks and databases (SQLite, DuckDB), told apart by what they hold and not by
    their names; text may be compressed by gzip, bzip2 or Zstandard. ``book.xlsx::Sheet`` and
    ``shop.db::orders`` name a sheet or table in a file; a folder holds the Parquet files of one
    table; ``-`` is standard input. The first row of a CSV file has
    the names of the columns; a line ``sep=;`` and a title above it are left out. Columns of plain
    numbers become numbers, unless one has a needless leading 0 or more digits than numbers can
    hold, as codes do; all else stays text, which ``Schema`` reads. Fields that are empty or say NA,
    N/A, NaN, null or ? are missing.

    Parameters
    ----------
    source : path, data frame (pandas, polars, pyarrow and others), data set or NumPy array
        A data set is one of Hugging Face ``datasets``. An array has two dimensions, or named
        fields. Data frames are not copied, lazy ones are collected. Values that are masked are
        missing.
    names : of the columns of an array; default x0, x1, ...
    max_size : float, default=4e9
        Bytes that a compressed file may expand to.

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
    >>> from nacre.io import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "people.csv"
    ...     _ = path.write_text("age;smokes;height\\n34;no;1,74\\n51;yes;NA\\n")
    ...     frame = read_table(path)
    >>> frame.to_native().to_pydict()
    {'age': [34, 51], 'smokes': ['no', 'yes'], 'height': ['1,74', None]}
    """
    found = read_source(source, names, max_size, spell=False)
    for note in found.notes:
        warnings.warn(note, stacklevel=2)
    return found.frame


def read_source(
    source: Any,
    names: Sequence[str] | None = None,
    max_size: float = MOST,
    spell: bool = True,
) -> Source:
    """Read a table as ``read_table`` does, and how its file spells it."""
    if names is not None and not isinstance(source, np.ndarray):
        raise TypeError("names are for the columns of a NumPy array: other tables have their own.")
    if isinstance(source, (str, os.PathLike)):
        if os.fspath(source) == INPUT:
            return _read_input(max_size, spell)
        return _read_file(*split_place(source), max_size, spell)
    if isinstance(source, np.ndarray):
        return Source(_framed(_from_array(source, names)))
    if is_dataset(source):
        return Source(_framed(dataset_table(source)))
    if isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    frame = as_frame(collected(source))
    if frame is None:
        raise TypeError(
            f"A table must be a path, a data frame or a NumPy array, not {type(source).__name__}."
        )
    if any(isinstance(name, tuple) for name in frame.columns):
        raise ValueError(
            "The table has columns of several levels: join their names first, as in "
            'frame.columns = ["_".join(name) for name in frame.columns].'
        )
    texts = {name: str(name) for name in frame.columns if not isinstance(name, str)}
    _check_names([texts.get(name, name) for name in frame.columns], "the table")
    frame = frame.rename(texts) if texts else frame
    native = frame.to_native()
    return Source(_framed(native) if isinstance(native, pa.Table) else frame)


def _framed(table: pa.Table, where: str = "the table", header: bool = False) -> nw.DataFrame[Any]:
    """An Arrow table, whose columns can be worked with; ``header``: a line has their names."""
    _check_names(table.column_names, where, header)
    for j, column in enumerate(table.columns):
        if (plain := workable(column)) is not column:
            table = table.set_column(j, table.column_names[j], plain)
    return nw.from_native(table, eager_only=True)


def _check_names(names: Sequence[str], where: str, header: bool = False) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            hint = "; the first line must hold the names of the columns" if header else ""
            raise ValueError(f"Two columns of {where} are named {name!r}: rename one{hint}.")
        if any("\ud800" <= letter <= "\udfff" for letter in name):
            raise ValueError(f"The name {name!a} of a column in {where} is no text: rename it.")
        seen.add(name)
    if not seen:
        raise ValueError(f"There are no columns in {where}.")


def _from_array(array: np.ndarray, names: Sequence[str] | None) -> pa.Table:
    if array.dtype.names:
        _check_names(array.dtype.names, "the array")
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
    return pa.table({name: _from_vector(column) for name, column in columns.items()})


def _from_vector(column: np.ndarray) -> pa.Array:
    if np.ma.isMaskedArray(column):
        return as_array(column.tolist())  # None where masked
    if column.dtype.kind in "biufM":
        try:
            return pa.array(column)
        except pa.ArrowException:  # other byte orders, say
            pass
    return as_array(column.tolist())


# Files


def _read_input(max_size: float, spell: bool) -> Source:
    """Standard input, by way of a file: formats are told by looking at it more than once."""
    if sys.stdin.isatty():
        raise ValueError("Standard input is a terminal: pipe a table into it, or name a file.")
    with tempfile.TemporaryDirectory() as folder:
        path, size = Path(folder) / "standard input", 0
        with path.open("wb") as file:
            while block := sys.stdin.buffer.read(1 << 20):
                size += len(block)
                file.write(block)
                check_expanded(path, size, max_size)
        return _read_file(path, None, max_size, spell)


def _read_file(path: Path, part: str | None, max_size: float, spell: bool) -> Source:
    try:
        if part is None and (path.is_dir() or is_wild(path)):
            found = _read_folder(path, max_size)
        else:
            if not path.is_file():
                _refuse_special(path)
            with path.open("rb") as file:
                start = file.read(START)
            found = _read_known(path, part, start, max_size, spell)
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {str(path)!r}.") from None
    except (OSError, pa.ArrowException, UnicodeError, MemoryError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        reason = reason or "there is not enough memory."
        raise ValueError(f"{path.name!r} cannot be read: {' '.join(reason.split())}") from None
    if not len(found.frame):
        raise ValueError(f"{path.name!r} has names of columns, but no rows.")
    return found


def _refuse_special(path: Path) -> None:
    """Raise where a path is there and no file."""
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder: name a file in it.")
    if path.exists():
        raise ValueError(
            f"{str(path)!r} is a pipe or a device, which can be read once only: save the table to "
            "a file first, or pipe it into - (standard input)."
        )


def packing(start: bytes) -> str | None:
    """How a file is compressed, by its first bytes."""
    return next((name for mark, name in PACKED.items() if start.startswith(mark)), None)


def _read_known(path: Path, part: str | None, start: bytes, max_size: float, spell: bool) -> Source:
    """A table of the format that a file's first bytes tell."""
    where = repr(path.name)
    if not start:
        raise ValueError(f"{where} is empty.")
    if start.startswith(b"PK\x03\x04"):
        from nacre.io.excel import read_sheet

        table, notes = read_sheet(path, part, max_size)
        return Source(_framed(table, where, header=True), notes=notes, suffix=".xlsx")
    if start.startswith(b"SQLite format 3\0") or start[8:12] == b"DUCK":
        from nacre.io.database import read_duckdb, read_sqlite

        read = read_duckdb if start[8:12] == b"DUCK" else read_sqlite
        return Source(_framed(read(path, part, max_size), where), suffix=".parquet")
    if part is not None:
        raise ValueError(
            f"There is no {part!r} in {where}: {MARK} is for sheets of Excel workbooks and tables "
            "of databases."
        )
    if start.startswith(b"PAR1"):
        with pa.parquet.ParquetFile(path) as file:
            check_expanded(path, _parquet_size(file.metadata), max_size)
            table = file.read()
    elif start.startswith(b"ARROW1"):
        table = _read_arrow(path, max_size)
    else:
        packed = packing(start)
        if re.match(JSON, _beginning(path, packed)):
            return Source(_framed(read_json(path, packed, max_size), where))
        return _read_text(path, packed, max_size, spell)
    table.validate(full=True)
    return Source(_framed(table, where), suffix=".parquet")


def _read_text(path: Path, packed: str | None, max_size: float, spell: bool) -> Source:
    """A text file; one whose name says something else, and that is no table, is told so."""
    named = ENDINGS.get(path.suffix.lower())
    try:
        text = read_delimited(path, packed, max_size, spell)
    except ValueError as error:
        if named is None:
            raise
        raise ValueError(f"{path.name!r} is no {named}, in spite of its name: {error}") from None
    if named is not None and not len(text.table):
        raise ValueError(f"{path.name!r} is no {named}, in spite of its name, and no other table.")
    frame = _framed(text.table, repr(path.name), header=True)
    return Source(frame, text.spelling, text.notes)


def _beginning(path: Path, packed: str | None) -> bytes:
    """The first bytes of a text file, without spaces and marks before them."""
    with pa.input_stream(path, compression=packed) as stream:
        return bytes(stream.read(1 << 10)).removeprefix(b"\xef\xbb\xbf").lstrip()


def _read_folder(place: Path, max_size: float) -> Source:
    """Parquet files of a folder or pattern as one table; folders key=value are columns."""
    files, folder = parquet_files(place)
    size, first = 0, None
    for path in files:
        with pa.parquet.ParquetFile(path) as file:
            size += _parquet_size(file.metadata)
            check_expanded(folder, size, max_size)
            form = file.schema_arrow.remove_metadata()
        first = unified(form, first, path, files[0], folder.name)
    parts = as_dataset(files, str(folder))
    schema = with_folders(parts, first)
    table = pa.concat_tables(one.to_table(schema=schema) for one in parts.get_fragments())
    table.validate(full=True)
    return Source(_framed(table, repr(folder.name)), suffix=".parquet")


def _read_arrow(path: Path, max_size: float) -> pa.Table:
    batches, size = [], 0
    with pa.ipc.open_file(pa.OSFile(str(path))) as file:
        for i in range(file.num_record_batches):
            batches.append(file.get_batch(i))
            size += batches[-1].get_total_buffer_size()
            check_expanded(path, size, max_size)
        return pa.Table.from_batches(batches, file.schema)


def _parquet_size(metadata: Any) -> int:
    """Bytes that a Parquet file expands to at least: its pages, or four for each value."""
    return max(pages_size(metadata), 4 * metadata.num_rows * metadata.num_columns)
