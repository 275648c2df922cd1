"""Tables from files and from memory, as data frames."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from nacre.io.arrow import as_array, pa
from nacre.io.delimited import read_delimited
from nacre.io.frames import as_frame

PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
"""How compressed files begin."""


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
    >>> from nacre.io import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "people.csv"
    ...     _ = path.write_text("age;smokes;height\\n34;no;1,74\\n51;yes;NA\\n")
    ...     frame = read_table(path)
    >>> frame.to_native().to_pydict()
    {'age': [34, 51], 'smokes': ['no', 'yes'], 'height': [1.74, None]}
    """
    if names is not None and not isinstance(source, np.ndarray):
        raise TypeError("names are for the columns of a NumPy array: other tables have their own.")
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
    return pa.table({name: _from_vector(column) for name, column in columns.items()})


def _from_vector(column: np.ndarray) -> pa.Array:
    if column.dtype.kind in "biufM":
        try:
            return pa.array(column)
        except pa.ArrowException:  # other byte orders, say
            pass
    return as_array(column.tolist())


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
    except (OSError, pa.ArrowException, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ValueError(f"{path.name!r} cannot be read: {' '.join(reason.split())}") from None
    _check_names(table.column_names, repr(path.name))
    if not len(table):
        raise ValueError(f"{path.name!r} has names of columns, but no rows.")
    return table


def packing(start: bytes) -> str | None:
    """How a file is compressed, by its first bytes."""
    return next((name for mark, name in PACKED.items() if start.startswith(mark)), None)


def _read_known(path: Path, start: bytes) -> pa.Table:
    if not start:
        raise ValueError(f"{path.name!r} is empty.")
    if start.startswith(b"PAR1"):
        with pa.parquet.ParquetFile(path) as file:
            table = file.read()
    elif start.startswith(b"ARROW1"):
        table = pa.feather.read_table(path, memory_map=False)
    else:
        return read_delimited(path, packing(start))
    table.validate(full=True)
    return table
