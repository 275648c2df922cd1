"""Tables in the files of databases: SQLite and DuckDB."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nacre.io.arrow import as_array, pa
from nacre.io.place import MARK, no_part
from nacre.io.size import check_expanded

BATCH = 10_000
"""Rows fetched at a time."""

PER_VALUE = 8
"""Bytes that a value takes at least."""


def read_sqlite(path: Path, table: str | None, most: float) -> pa.Table:
    """A table or view of an SQLite file; default the only one."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as base:
            base.text_factory = lambda text: text.decode("utf-8", "replace")
            known = base.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
            )
            name = _chosen(path, table, [one for (one,) in known])
            rows = base.execute(f"SELECT * FROM {_quoted(name)}")
            names = [column[0] for column in rows.description]
            columns: list[list[Any]] = [[] for _ in names]
            size = 0
            while batch := rows.fetchmany(BATCH):
                for column, values in zip(columns, zip(*batch, strict=True), strict=True):
                    column += values
                    size += sum(PER_VALUE + len(one) if isinstance(one, (str, bytes)) else PER_VALUE
                                for one in values)  # fmt: skip
                check_expanded(path, size, most)
    except sqlite3.Error as error:
        raise ValueError(f"{path.name!r} cannot be read as an SQLite database: {error}.") from None
    return pa.Table.from_arrays([as_array(one) for one in columns], names)


def read_duckdb(path: Path, table: str | None, most: float) -> pa.Table:
    """A table or view of a DuckDB file; default the only one."""
    try:
        duckdb: Any = import_module("duckdb")
    except ModuleNotFoundError:
        raise ValueError(
            f"{path.name!r} is a DuckDB database, which needs one more package: "
            "pip install 'nacre-boost[duckdb]'"
        ) from None
    try:
        # Views could name other files: they are not followed.
        options = {"enable_external_access": "false"}
        with closing(duckdb.connect(str(path), read_only=True, config=options)) as base:
            known = base.execute(
                "SELECT table_name FROM information_schema.tables "
                "WHERE table_schema = 'main' ORDER BY table_name"
            ).fetchall()
            name = _chosen(path, table, [one for (one,) in known])
            rows = base.sql(f"SELECT * FROM {_quoted(name)}")
            later = hasattr(rows, "to_arrow_reader")  # its name in version 2
            reader = rows.to_arrow_reader(BATCH) if later else rows.fetch_arrow_reader(BATCH)
            return pa.Table.from_batches(_bounded(path, reader, most), reader.schema)
    except duckdb.Error as error:
        why = " ".join(str(error).split())
        if "set lock" in why:
            raise ValueError(
                f"{path.name!r} is in use by another program: close it there, or copy the file."
            ) from None
        raise ValueError(f"{path.name!r} cannot be read as DuckDB: {why[:200]}") from None


def _bounded(path: Path, batches: Iterable[pa.RecordBatch], most: float) -> list[pa.RecordBatch]:
    out, size = [], 0
    for batch in batches:
        size += batch.nbytes
        check_expanded(path, size, most)
        out.append(batch)
    return out


def _chosen(path: Path, table: str | None, known: list[str]) -> str:
    if table is None and len(known) == 1:
        return known[0]
    if table is None:
        raise ValueError(
            f"{path.name!r} has {len(known)} tables: name one, as in {path.name}{MARK}"
            f"{known[0] if known else 'table'}."
            + (f" There are {', '.join(map(repr, known[:10]))}." if known else "")
        )
    if table not in known:
        raise no_part(path, table, known, "table")
    return table


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
