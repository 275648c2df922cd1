"""Cells on disk: kept at once, whatever happens to the process that writes them."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from nacre.experiments.experiment import Cell
from nacre.experiments.store import NAME, Store

ROOT = Path(__file__).parents[2]
CELLS = [Cell("e-1", 1, {"data": "a"}, trial) for trial in range(5)]

WRITER = """
import sys
from contextlib import closing
from pathlib import Path
from nacre.experiments.experiment import Cell
from nacre.experiments.store import Store
with Store(Path(sys.argv[1])) as store:
    for trial in range(int(sys.argv[2])):
        store.put(Cell("e-1", 1, {"data": "a"}, trial), {"value": trial}, 0.0)
        print(trial, flush=True)
"""


def write(folder, count):
    words = [sys.executable, "-c", WRITER, str(folder), str(count)]
    return subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_what_is_put_can_be_got(tmp_path):
    record = {"error": 0.1 + 0.2, "curve": [1 / 3, np.nan, 1e-300], "rounds": 3}
    with Store(tmp_path / "deep" / "folder") as store:
        assert CELLS[0] not in store
        store.put(CELLS[0], record, 1.5)
        assert CELLS[0] in store
        assert CELLS[1] not in store
    with Store(tmp_path / "deep" / "folder") as store:
        found = store.get(CELLS[0])
        assert repr(found) == repr(record)
        assert store.seconds(CELLS[:1]) == 1.5


def test_the_first_record_stays(tmp_path):
    with Store(tmp_path) as store:
        store.put(CELLS[0], {"value": 1}, 1.0)
        store.put(CELLS[0], {"value": 2}, 2.0)
        assert store.get(CELLS[0]) == {"value": 1}


def test_another_version_is_another_cell(tmp_path):
    with Store(tmp_path) as store:
        store.put(CELLS[0], {"value": 1}, 1.0)
        assert Cell("e-1", 2, {"data": "a"}, 0) not in store


def test_stores_of_the_first_version_are_read(tmp_path):
    """Tables and keys as they have been since the first store was written."""
    key = '["barnes-6", 2, {"data": "ring0", "model": "adaboost", "rounds": 1000}, 7]'
    with closing(sqlite3.connect(tmp_path / NAME)) as file:
        file.execute(
            "CREATE TABLE cells (key TEXT PRIMARY KEY, record TEXT, seconds REAL) WITHOUT ROWID"
        )
        file.execute("INSERT INTO cells VALUES (?, ?, ?)", (key, '{"best": 0.25}', 2.5))
        file.commit()
    cell = Cell("barnes-6", 2, {"rounds": 1000, "model": "adaboost", "data": "ring0"}, 7)
    with Store(tmp_path) as store:
        assert cell in store
        assert store.get(cell) == {"best": 0.25}
        assert store.seconds([cell]) == 2.5


def test_outcomes(tmp_path):
    with Store(tmp_path) as store:
        assert store.outcomes() == {}
        store.put_outcome("e-1", {"size": "quick"})
        store.put_outcome("e-1", {"size": "paper"})
        assert store.outcomes() == {"e-1": {"size": "paper"}}


def test_a_killed_writer_loses_nothing_it_has_finished(tmp_path):
    process = write(tmp_path, 10**9)
    for line in process.stdout:
        if int(line) >= 200:
            break
    os.kill(process.pid, signal.SIGKILL)
    told = [int(line) for line in process.stdout if line.endswith("\n")]
    process.wait()
    process.stdout.close()
    last = max([*told, 200])
    with Store(tmp_path) as store:
        for trial in range(last + 1):
            cell = Cell("e-1", 1, {"data": "a"}, trial)
            assert store.get(cell) == {"value": trial}
    with closing(sqlite3.connect(tmp_path / NAME)) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_many_writers_at_once(tmp_path):
    writers = [write(tmp_path, 100) for _ in range(4)]
    outputs = [writer.communicate()[0] for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 4
    assert all(output.split() == [str(k) for k in range(100)] for output in outputs)
    file = sqlite3.connect(tmp_path / NAME)
    assert file.execute("SELECT count(*) FROM cells").fetchone() == (100,)
    file.close()


def test_a_folder_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        Store(tmp_path / "file")
