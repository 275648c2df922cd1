"""Finished cells, kept on disk the moment they are finished.

SQLite does what is hard here: a transaction is on disk or it is not, whenever the process is
killed, and writers of several processes wait for each other. Write-ahead logging lets readers go on
meanwhile.
"""

from __future__ import annotations

import json
import sqlite3
import time
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
        path = folder / NAME
        try:
            self._file = sqlite3.connect(path, PATIENCE, isolation_level=None)
            self._log_ahead()
            self._make_tables()
        except sqlite3.Error as error:
            raise ValueError(f"{path} cannot be used ({error}): name another folder.") from error

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
        found = self._file.execute("SELECT 1 FROM cells WHERE key = ?", (cell.key,))
        return found.fetchone() is not None

    def put(self, cell: Cell, record: Record, seconds: float) -> None:
        """Keep a finished cell. Where another run was first, its record stays: it is the same."""
        row = cell.key, json.dumps(record), seconds
        self._file.execute("INSERT OR IGNORE INTO cells VALUES (?, ?, ?)", row)

    def get(self, cell: Cell) -> Record:
        """The record of a finished cell."""
        found = self._file.execute("SELECT record FROM cells WHERE key = ?", (cell.key,))
        record: Record = json.loads(found.fetchone()[0])
        return record

    def seconds(self, cells: list[Cell]) -> float:
        """How long cells took, all together."""
        query = "SELECT seconds FROM cells WHERE key = ?"
        return sum(self._file.execute(query, (cell.key,)).fetchone()[0] for cell in cells)

    def put_outcome(self, experiment: str, outcome: dict[str, Any]) -> None:
        """Keep the last result of an experiment, as plain data."""
        self._file.execute(
            "INSERT OR REPLACE INTO outcomes VALUES (?, ?)", (experiment, json.dumps(outcome))
        )

    def outcomes(self) -> dict[str, dict[str, Any]]:
        """The last result of every experiment."""
        found = self._file.execute("SELECT experiment, outcome FROM outcomes")
        return {experiment: json.loads(outcome) for experiment, outcome in found}
