"""The runner: the same numbers however the work is shared out, stopped and taken up again."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace

import pytest

from nacre.experiments.experiment import Results, grid
from nacre.experiments.reproduce import reproduce
from nacre.experiments.run import run, to_run
from nacre.experiments.store import NAME, Store
from tests.experiments.toy import TOY, measure

NAME_OF_ONE = "barnes-3"
"""A real experiment that needs no files: 80 cells, none of them long."""
CELLS = 80
FILES = (f"{NAME_OF_ONE}.csv", f"{NAME_OF_ONE}-all.csv")


def start(folder, workers=2):
    """``nacre reproduce``, in a process group of its own."""
    words = ["reproduce", NAME_OF_ONE, "--out", str(folder), "--workers", str(workers)]
    return subprocess.Popen(
        [sys.executable, "-m", "nacre", *words],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def tables(folder):
    return [(folder / name).read_bytes() for name in FILES]


def stored(folder):
    """The finished cells, with their records and how long they took."""
    try:
        with closing(sqlite3.connect(folder / NAME)) as file:
            return set(file.execute("SELECT * FROM cells"))
    except sqlite3.OperationalError:  # no file, or no table, yet
        return set()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The tables of a run by one process, from beginning to end."""
    folder = tmp_path_factory.mktemp("whole")
    assert start(folder, workers=1).wait() == 0
    return tables(folder)


@pytest.mark.slow
def test_a_run_killed_in_the_middle_is_taken_up_again(whole, tmp_path):
    process = start(tmp_path)
    try:
        while len(before := stored(tmp_path)) < 5:
            assert process.poll() is None
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # its workers, which would idle for minutes
    kept = stored(tmp_path)
    assert before <= kept
    assert 5 <= len(kept) < CELLS
    assert not any((tmp_path / name).exists() for name in FILES)
    assert start(tmp_path).wait() == 0
    after = stored(tmp_path)
    assert kept <= after  # a cell measured again would not take the same time to the last digit
    assert len(after) == CELLS
    assert tables(tmp_path) == whole


@pytest.mark.slow
def test_two_runs_at_once(whole, tmp_path):
    both = [start(tmp_path, workers=1) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert len(stored(tmp_path)) == CELLS
    assert tables(tmp_path) == whole


def counted(calls):
    def measure_and_count(cell):
        calls.append(cell.key)
        return measure(cell)

    return measure_and_count


def settings_of(size):
    return list(TOY.settings[size])


def test_nothing_is_measured_twice(tmp_path):
    calls = []
    toy = replace(TOY, measure=counted(calls))
    with Store(tmp_path) as store:
        first = run(toy, settings_of("quick"), store)
        assert len(calls) == len(set(calls)) == 60
        again = run(toy, settings_of("quick"), store)
        assert len(calls) == 60
        assert list(again) == list(first)
        run(toy, settings_of("paper"), store)
        assert len(calls) == 80


def test_cells_of_another_version_are_not_used(tmp_path):
    calls = []
    settings = grid(2, data="a", model="x")
    with Store(tmp_path) as store:
        run(replace(TOY, measure=counted(calls)), settings, store)
        run(replace(TOY, measure=counted(calls), version=2), settings, store)
    assert len(set(calls)) == 4


def test_results_do_not_depend_on_the_order_of_the_work(tmp_path):
    settings = settings_of("quick")
    with Store(tmp_path / "one") as one, Store(tmp_path / "two") as two:
        forward = run(TOY, settings, one)
        backward = run(TOY, settings[::-1], two)
    assert isinstance(forward, Results)
    assert list(forward) == list(backward)[::-1]


def test_models_that_are_compared_see_the_same_draws(tmp_path):
    with Store(tmp_path) as store:
        results = run(TOY, settings_of("quick"), store)
    x, y = (results.get("shared", data="a", model=model) for model in "xy")
    assert x.tolist() == y.tolist()
    assert len(set(x.tolist())) == 15
    assert not set(x.tolist()) & set(results.get("shared", data="b", model="x").tolist())


def test_a_cell_that_fails_is_named_and_the_others_are_kept(tmp_path):
    def fails(cell):
        if cell.trial == 3:
            raise ValueError("no such luck")
        return measure(cell)

    toy = replace(TOY, measure=fails)
    with Store(tmp_path) as store:
        with pytest.raises(RuntimeError, match=r'toy-1.*"model": "x"}, 3\] failed: no such luck'):
            run(toy, grid(5, data="a", model="x"), store)
        assert len(stored(tmp_path)) == 3


def test_data_that_cannot_be_had_are_left_out(tmp_path, monkeypatch):
    def load(name):
        if name == "file-of-b":
            raise FileNotFoundError("put file-of-b here")

    monkeypatch.setattr("nacre.datasets.load", load)
    toy = replace(TOY, files={"a": "file-of-a", "b": "file-of-b", "c": "never asked for"})
    settings, missing = to_run(toy, "quick")
    assert missing == ["put file-of-b here"]
    assert {setting.values["data"] for setting in settings} == {"a"}
    outcome = reproduce(toy, out=tmp_path, n_jobs=1)
    assert outcome.missing == missing
    assert outcome.cells == 30


def test_seconds_are_those_of_the_cells(tmp_path):
    outcome = reproduce(TOY, out=tmp_path, n_jobs=1)
    assert outcome.cells == 60
    assert outcome.seconds >= 60 * 0.02


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal")
def test_workers_end_with_a_parent_that_is_killed(tmp_path):
    """They went on for minutes, each with a cell that nobody would keep."""
    code = (
        "import sys\n"
        "from nacre.experiments.run import _measured\n"
        "def measure(folder):\n"
        "    import os, pathlib, time\n"
        "    pathlib.Path(folder, str(os.getpid())).touch()\n"
        "    time.sleep(120)\n"
        "list(_measured(measure, [sys.argv[1]] * 2, 2))\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) as process:
        workers = until(
            lambda: [int(one.name) for one in tmp_path.iterdir()], lambda x: len(x) == 2
        )
        process.kill()
        process.wait(10)
    assert until(lambda: [pid for pid in workers if is_alive(pid)], lambda x: not x) == []


def test_a_worker_whose_parent_is_gone_before_it_has_begun_ends():
    code = "from nacre.experiments.run import _end_with; _end_with(0); import time; time.sleep(60)"
    assert subprocess.run([sys.executable, "-c", code], timeout=50).returncode == 1


def until(look, enough, seconds=60):
    end = time.monotonic() + seconds
    while not enough(seen := look()) and time.monotonic() < end:
        time.sleep(0.1)
    return seen


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
