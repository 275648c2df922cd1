"""Finished cells, kept on disk the moment they are finished.

SQLite does what is hard here: a transaction is on disk or it is not, whenever the process is
killed, and writers of several processes wait for each other. Write-ahead logging lets readers go on
meanwhile.
"""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from nacre.experiments.experiment import Cell, Record

NAME = "cells.sqlite"
PATIENCE = 60.0
"""Seconds to wait for another run that is writing."""


class Store:
    """The cells and outcomes of one folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / NAME
        with ExitStack() as undo:
            try:
                self._file = sqlite3.connect(self._path, timeout=PATIENCE, isolation_level=None)
                undo.callback(self._file.close)
                self._log_ahead()
                self._make_tables()
            except sqlite3.Error as error:
                raise self._unusable(error) from error
            undo.pop_all()

    def _unusable(self, error: Exception) -> ValueError:
        return ValueError(f"{self._path} cannot be used ({error}): name another folder.")

    def _run(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        try:
            return self._file.execute(query, values).fetchall()
        except sqlite3.Error as error:  # damaged, or no space left
            raise self._unusable(error) from error

    def _make_tables(self) -> None:
        self._file.execute("PRAGMA synchronous = NORMAL")
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS cells (key TEXT PRIMARY KEY, record TEXT, seconds REAL)"
            " WITHOUT ROWID"
        )
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS outcomes (experiment TEXT PRIMARY KEY, outcome TEXT)"
        )

    def _log_ahead(self) -> None:
        """Switch to write-ahead logging, the one statement that does not wait for other writers."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                self._file.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > until:
                    raise
                time.sleep(0.01)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __contains__(self, cell: Cell) -> bool:
        return bool(self._run("SELECT 1 FROM cells WHERE key = ?", (cell.key,)))

    def put(self, cell: Cell, record: Record, seconds: float) -> None:
        """Keep a finished cell. Where another run was first, its record stays: it is the same."""
        row = cell.key, json.dumps(record), seconds
        self._run("INSERT OR IGNORE INTO cells VALUES (?, ?, ?)", row)

    def get(self, cell: Cell) -> Record:
        """The record of a finished cell."""
        ((text,),) = self._run("SELECT record FROM cells WHERE key = ?", (cell.key,))
        record: Record = self._parsed(text)
        return record

    def _parsed(self, text: Any) -> Any:
        """What a text says, which must be an object of JSON."""
        try:
            found = json.loads(text)
        except (TypeError, ValueError) as error:
            raise self._unusable(error) from error
        if not isinstance(found, dict):
            raise self._unusable(ValueError("it holds what nacre has not written"))
        return found

    def seconds(self, cells: list[Cell]) -> float:
        """How long cells took, all together."""
        query = "SELECT seconds FROM cells WHERE key = ?"
        return sum(self._run(query, (cell.key,))[0][0] for cell in cells)

    def put_outcome(self, experiment: str, outcome: dict[str, Any]) -> None:
        """Keep the last result of an experiment, as plain data."""
        self._run(
            "INSERT OR REPLACE INTO outcomes VALUES (?, ?)", (experiment, json.dumps(outcome))
        )

    def outcomes(self) -> dict[str, dict[str, Any]]:
        """The last result of every experiment."""
        found = self._run("SELECT experiment, outcome FROM outcomes")
        return {experiment: self._parsed(outcome) for experiment, outcome in found}


class ReadOnly(Store):
    """The outcomes of a folder that may be read only."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        place = self._path.resolve().as_uri()
        for how in ("mode=ro", "immutable=1"):  # the first needs a folder that can be written to
            with ExitStack() as undo:
                try:
                    self._file = sqlite3.connect(f"{place}?{how}", timeout=PATIENCE, uri=True)
                    undo.callback(self._file.close)
                    self._file.execute("SELECT 1 FROM outcomes")
                    undo.pop_all()
                    return
                except sqlite3.Error as error:
                    last = error
        raise self._unusable(last) from last
