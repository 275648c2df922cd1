"""``nacre reproduce`` and ``nacre experiments``."""

import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from nacre.experiments.store import NAME, Store
from tests.cli.runner import run


@pytest.mark.slow
def test_reproduce(tmp_path):
    words = ["reproduce", "sano-3", "--out", str(tmp_path), "--workers", "1"]
    result = run(*words)
    assert result.exit_code == 0
    shown = " ".join(result.stdout.split())
    assert "sano-3: The toy data" in shown
    assert "agree: rows flipped of 300, each within its half. Paper: 6, 6 and 0. Ours: " in shown
    assert "A quick run: too few trials" in shown
    assert {path.name for path in tmp_path.iterdir()} == {
        "cells.sqlite", "sano-3.csv", "sano-3-all.csv", "sano-3.png",
    }  # fmt: skip
    table = (tmp_path / "sano-3.csv").read_bytes()
    assert run(*words).exit_code == 0
    assert (tmp_path / "sano-3.csv").read_bytes() == table
    paper = run(*words, "--size", "paper")
    assert "A quick run" not in paper.stdout


@pytest.mark.slow
def test_no_number_is_cut_off_in_a_narrow_terminal(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    result = run("reproduce", "sano-3", "--out", str(tmp_path), "--workers", "1")
    assert "mean distance flipped" in result.stdout
    assert "…" not in result.stdout


@pytest.mark.slow
def test_reproduce_a_whole_paper_and_list_what_came_of_it(tmp_path):
    before = run("experiments", "--out", str(tmp_path))
    assert before.exit_code == 0
    assert list(tmp_path.iterdir()) == []
    assert "agree" not in before.stdout
    assert "barnes-4-5" in before.stdout
    result = run("reproduce", "sano", "--out", str(tmp_path), "--workers", "1")
    assert result.exit_code == 0
    after = " ".join(run("experiments", "--out", str(tmp_path)).stdout.split())
    assert "1 of 1 agree" in after
    assert "2 of 2 agree" in after


def test_an_unknown_experiment_gets_one_line_with_near_names():
    result = run("reproduce", "sano-33")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.strip().count("\n") == 0
    assert "nacre: There is no experiment 'sano-33': did you mean sano-3" in result.stderr


@pytest.mark.parametrize("words", [["reproduce", "sano-3", "--workers", "1"], ["experiments"]])
def test_a_folder_of_something_else_gets_one_line(words, tmp_path):
    (tmp_path / "cells.sqlite").write_text("this is no store of results " * 50)
    result = run(*words, "--out", tmp_path)
    assert result.exit_code == 1
    assert result.stderr.strip().count("\n") == 0
    assert "cells.sqlite cannot be used" in result.stderr
    assert "name another folder" in result.stderr


def test_stores_that_hold_something_else(tmp_path):
    with Store(tmp_path) as store:
        store.put_outcome("sano-3", {"strange": 1})
    result = run("experiments", "--out", tmp_path)
    assert result.exit_code == 0
    assert "unreadable" in result.stdout
    for text in ("[1]", "{", "7"):
        with closing(sqlite3.connect(tmp_path / NAME)) as file, file:
            file.execute("UPDATE outcomes SET outcome = ?", (text,))
        result = run("experiments", "--out", tmp_path)
        assert result.exit_code == 1
        assert "cells.sqlite cannot be used" in result.stderr
        assert result.stderr.count("\n") == 1


def test_a_store_that_is_damaged_later_on_gets_one_line(tmp_path):
    with Store(tmp_path) as store:
        store.put_outcome("sano-3", {"text": "x" * 100_000})
        store._run("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = (tmp_path / NAME).read_bytes()
    (tmp_path / NAME).write_bytes(whole[:8192] + b"\xff" * 40_000 + whole[48_192:])
    result = run("experiments", "--out", tmp_path)
    assert result.exit_code == 1
    assert "cells.sqlite cannot be used" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_folder_that_can_be_read_only(tmp_path, monkeypatch):
    """As root may write anywhere, the file is opened as it would be for others."""
    with Store(tmp_path) as store:
        store.put_outcome("sano-3", {"verdicts": [], "size": "quick", "finished": "today"})
    opened = []
    connect = sqlite3.connect

    def refuse_writers(place, *words, **options):
        opened.append(place)
        if not str(place).endswith("immutable=1"):
            raise sqlite3.OperationalError("attempt to write a readonly database")
        return connect(place, *words, **options)

    monkeypatch.setattr(sqlite3, "connect", refuse_writers)
    result = run("experiments", "--out", tmp_path)
    assert result.exit_code == 0, result.stderr
    assert "0 of 0 agree" in result.stdout
    assert len(opened) == 2


@pytest.mark.parametrize(
    "words", [["--size", "huge"], ["--workers", "0"], ["--workers", "many"], ["--out", __file__]]
)
def test_bad_words_for_reproduce(words):
    result = run("reproduce", "sano-3", *words)
    assert result.exit_code == 2
    assert words[0] in result.stderr
    assert "Traceback" not in result.stderr


def test_data_that_are_missing_get_a_line(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("NACRE_DATA", raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", refuse)
    result = run("reproduce", "weil-4b", "--out", str(tmp_path / "out"), "--workers", "1")
    assert result.exit_code == 0
    shown = " ".join(result.stdout.split())
    assert "The data set adult is not here, and OpenML did not answer" in shown
    assert "not run: Core is far below both" in shown


def refuse(**_):
    raise OSError("no network in tests")


def test_help_of_reproduce_shows_an_example():
    result = run("reproduce", "--help")
    assert "Example: nacre reproduce barnes-6 --size paper" in result.stdout
    assert "Example: nacre experiments" in run("experiments", "--help").stdout


@pytest.mark.slow
def test_a_run_without_matplotlib_says_what_figures_need(tmp_path):
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "sys.argv = ['nacre', 'reproduce', 'sano-3', '--workers', '1', '--out', sys.argv[1]]\n"
        "from nacre.__main__ import main\nmain()"
    )
    words = [sys.executable, "-c", code, str(tmp_path)]
    result = subprocess.run(words, capture_output=True, text=True, check=True)
    said = "No figures will be drawn: they need pip install 'nacre-boost[plot]'"
    assert result.stdout.startswith(said)
    assert not list(tmp_path.glob("*.png"))
