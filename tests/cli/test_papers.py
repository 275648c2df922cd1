"""The command line."""

import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from typer.testing import CliRunner

from nacre import __version__
from nacre.cli import app
from nacre.noise import flip_labels


def run(*words):
    return CliRunner().invoke(app, words)


@pytest.fixture(scope="module")
def found():
    result = run("demo", "--json", "--seed", "3")
    assert result.exit_code == 0
    return json.loads(result.stdout)


def test_demo():
    result = run("demo")
    assert result.exit_code == 0
    for words in ("569 rows, 30 columns", "57 labels were flipped", "most suspect", "true labels"):
        assert words in result.stdout


def test_json_holds_what_the_demo_found(found):
    assert (found["rows"], found["columns"], found["rate"]) == (569, 30, 0.1)
    assert found["flipped"] == 57 == len(found["suspects"])
    caught = sum(one["given"] != one["truth"] for one in found["suspects"])
    assert found["caught"] == caught
    assert all(one["suggested"] != one["given"] for one in found["suspects"])
    margins = [one["margin"] for one in found["suspects"]]
    assert margins == sorted(margins)
    assert -1 <= margins[0] <= margins[-1] <= 1


def test_json_has_the_true_labels(found):
    data = load_breast_cancer()
    names = data.target_names[data.target]
    given, _ = flip_labels(names, 0.1, random_state=3)
    rows = [one["row"] for one in found["suspects"]]
    assert len(set(rows)) == len(rows)
    assert [one["truth"] for one in found["suspects"]] == names[rows].tolist()
    assert [one["given"] for one in found["suspects"]] == given[rows].tolist()


def test_the_demo_keeps_its_promise(found):
    assert found["caught"] / found["flipped"] > 0.7
    assert found["error_on_truth"] <= found["error_without_suspects"] < found["error_on_flipped"]


def test_the_demo_without_flips():
    result = run("demo", "--json", "--rate", "0")
    found = json.loads(result.stdout)
    assert found["flipped"] == 0
    assert found["suspects"] == []
    errors = [value for name, value in found.items() if name.startswith("error")]
    assert np.ptp(errors) == 0
    assert "0 labels were flipped" in run("demo", "--rate", "0").stdout


@pytest.mark.parametrize("rate", ["-0.1", "0.5", "2", "many", "nan"])
def test_bad_rates(rate):
    result = run("demo", "--rate", rate)
    assert result.exit_code == 2
    assert "--rate" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("words", [["demo", "--seed", "-1"], ["demo", "--what"], ["nothing"]])
def test_other_bad_words(words):
    result = run(*words)
    assert result.exit_code == 2
    assert words[-1] in result.stderr or words[-2] in result.stderr


@pytest.mark.parametrize("seed", [str(2**32 - 1), str(2**32)])
def test_seeds_are_taken_or_refused(seed):
    result = run("demo", "--json", "--seed", seed)
    assert result.exit_code in (0, 2)
    assert result.exception is None or isinstance(result.exception, SystemExit)


def test_version():
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout.strip() == f"nacre {__version__}"


def test_the_module_runs():
    words = [sys.executable, "-m", "nacre", "--version"]
    result = subprocess.run(words, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == f"nacre {__version__}"


@pytest.mark.parametrize("words", [["--help"], ["demo", "--help"], []])
def test_help(words):
    result = run(*words)
    assert "demo" in result.output
    assert "Usage" in result.output


def test_help_of_a_command_shows_an_example():
    assert "Example: nacre demo" in run("demo", "--help").stdout


def test_without_typer_one_line_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None\nfrom nacre.__main__ import main\nmain()"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr.strip().count("\n") == 0
    assert "pip install 'nacre[cli]'" in result.stderr


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


def test_no_number_is_cut_off_in_a_narrow_terminal(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    result = run("reproduce", "sano-3", "--out", str(tmp_path), "--workers", "1")
    assert "mean distance flipped" in result.stdout
    assert "…" not in result.stdout


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
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.strip().count("\n") == 0
    assert "There is no experiment 'sano-33': did you mean sano-3" in result.stderr


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


def test_a_run_without_matplotlib_says_what_figures_need(tmp_path):
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "sys.argv = ['nacre', 'reproduce', 'sano-3', '--workers', '1', '--out', sys.argv[1]]\n"
        "from nacre.__main__ import main\nmain()"
    )
    words = [sys.executable, "-c", code, str(tmp_path)]
    result = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "pip install 'nacre[plot]'" in result.stdout
    assert not list(tmp_path.glob("*.png"))
