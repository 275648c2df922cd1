"""From results to files and verdicts."""

import csv
import sys
from dataclasses import replace

import numpy as np
import pytest

from nacre.experiments.experiment import Claim, Finding, Results
from nacre.experiments.reproduce import everything, means, reproduce, write_csv
from nacre.experiments.store import Store
from tests.experiments.toy import TOY

RESULTS = Results(
    [
        (
            {"data": "a"},
            [
                {"error": 0.25, "curve": [1.0, 2.0], "raw_X": [[5.0]]},
                {"error": 0.75, "curve": [3.0, np.nan], "raw_X": [[7.0]]},
            ],
        ),
        ({"data": "b", "p": 2}, [{"error": 1.0}]),
    ]
)


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toy")
    return folder, reproduce(TOY, "quick", folder, n_jobs=1)


def test_means():
    assert means(RESULTS) == [
        {"data": "a", "trials": 2, "error": 0.5},
        {"data": "b", "p": 2, "trials": 1, "error": 1.0},
    ]


def test_everything():
    rows = everything(RESULTS)
    first = {"data": "a", "quantity": "error", "place": "", "trials": 2, "mean": 0.5}
    assert rows[0] == {**first, "sd": pytest.approx(np.std([0.25, 0.75], ddof=1))}
    assert rows[1]["mean"] == 2.0
    assert (rows[2]["place"], rows[2]["trials"], rows[2]["mean"], rows[2]["sd"]) == (1, 1, 2.0, "")
    assert rows[3] == {
        "data": "b", "p": 2, "quantity": "error", "place": "", "trials": 1, "mean": 1.0, "sd": "",
    }  # fmt: skip
    assert len(rows) == 4


def test_csv(tmp_path):
    path = write_csv(tmp_path / "t.csv", [{"a": 1 / 3, "b": "x, y"}, {"a": 2, "c": True}])
    assert path.read_text() == 'a,b,c\n0.333333,"x, y",\n2,,True\n'
    assert [one.name for one in tmp_path.iterdir()] == ["t.csv"]


def test_the_files(done):
    folder, outcome = done
    names = ["toy-1.csv", "toy-1-all.csv", "toy-1.png"]
    assert [path.name for path in outcome.files] == names
    assert {path.name for path in folder.iterdir()} == {*names, "cells.sqlite"}
    table = read(folder / "toy-1.csv")
    assert len(table) == 4 == len(outcome.table)
    assert list(table[0]) == ["data", "model", "trials", "shared", "error"]
    whole = read(folder / "toy-1-all.csv")
    assert len(whole) == 4 * (1 + 1 + 3)
    assert (folder / "toy-1.png").read_bytes().startswith(b"\x89PNG")


def test_verdicts(done):
    _, outcome = done
    below, elsewhere = outcome.verdicts
    assert (below.word, below.paper) == ("agree", "yes")
    assert float(below.ours) < 1
    assert (elsewhere.word, elsewhere.agrees, elsewhere.ours) == ("not run", None, "not run")


def test_a_difference_is_a_verdict_too(tmp_path):
    never = Claim("it rains", "yes", lambda results: Finding("no", False))
    outcome = reproduce(replace(TOY, claims=(never,)), out=tmp_path, n_jobs=1)
    assert [one.word for one in outcome.verdicts] == ["differ"]


def test_a_mistake_in_a_check_is_not_taken_for_missing_data(tmp_path):
    wrong = Claim(
        "x", "y", lambda results: Finding(str(results.get("errror", data="a", model="x")), True)
    )
    with pytest.raises(KeyError, match="errror"):
        reproduce(replace(TOY, claims=(wrong,)), out=tmp_path, n_jobs=1)


def test_an_unknown_size(tmp_path):
    with pytest.raises(ValueError, match=r"^size must be one of quick, paper; got 'huge'\.$"):
        reproduce(TOY, "huge", tmp_path)


def test_the_last_outcome_is_kept(done):
    folder, outcome = done
    with Store(folder) as store:
        kept = store.outcomes()["toy-1"]
    assert kept["size"] == "quick"
    assert kept["seconds"] == outcome.seconds
    assert [one["agrees"] for one in kept["verdicts"]] == [True, None]


def test_a_table_of_its_own(tmp_path):
    toy = replace(TOY, table=lambda results: [{"answer": 42}])
    assert reproduce(toy, out=tmp_path, n_jobs=1).table == [{"answer": 42}]
    assert (tmp_path / "toy-1.csv").read_text() == "answer\n42\n"


def test_figures_by_name(tmp_path):
    (draw,) = TOY.figures.values()
    outcome = reproduce(replace(TOY, figures={"3": draw, "E": draw}), out=tmp_path, n_jobs=1)
    assert [path.name for path in outcome.files[2:]] == ["toy-1-3.png", "toy-1-E.png"]


def test_without_matplotlib_the_tables_are_written(tmp_path, monkeypatch):
    for name in list(sys.modules):
        if name.split(".")[0] == "matplotlib":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    outcome = reproduce(TOY, out=tmp_path, n_jobs=1)
    assert [path.suffix for path in outcome.files] == [".csv", ".csv"]
