"""The audit, from a table to its files."""

import csv
import importlib
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris, make_classification, make_moons

import nacre
from nacre import audit, load_model
from nacre.auditing.result import FIRST
from nacre.data import Schema
from nacre.io import read_table
from nacre.noise import flip_labels


def make(n=300, seed=0, **flips):
    """Two classes, a number, a category with gaps, an id; 10 % of the labels flipped."""
    X, y = make_classification(n, 6, n_informative=4, class_sep=2.0, random_state=seed)
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(X.round(3), columns=[f"x {j}" for j in range(6)])
    frame["kind"] = np.where(rng.random(n) < 0.8, np.where(y, "big", "small"), None)
    frame["truth"] = np.where(y, "sick", "well")
    frame["state"], flipped = flip_labels(frame["truth"], 0.1, random_state=seed, **flips)
    frame["case"] = [f"C-{i}" for i in range(n)]
    return frame, flipped


@pytest.fixture(scope="module")
def table():
    frame, flipped = make()
    frame["seen"] = np.arange(300) % 10 == 0
    frame.loc[[7, 13], "state"] = None
    return frame, flipped


@pytest.fixture(scope="module")
def found(table):
    return audit(table[0], "state", id="case", ignore=["truth"], clean="seen", effort="fast")


@pytest.mark.slow
def test_suspects_are_mostly_flipped_rows(table, found):
    frame, flipped = table
    suspects = found.suspects
    assert isinstance(suspects, pd.DataFrame)
    assert list(suspects.columns) == [*FIRST, *frame.columns]
    assert flipped[suspects["row"]].mean() > 0.7
    assert suspects["score"].is_monotonic_decreasing
    np.testing.assert_array_equal(suspects["given"], frame["state"][suspects["row"]])
    np.testing.assert_array_equal(suspects["case"], frame["case"][suspects["row"]])
    assert (suspects["given"] != suspects["suggested"]).all()
    assert suspects["reason"].str.contains("Held-out models say").all()
    assert suspects["reason"].str.contains("nearest rows").all()
    assert not suspects["row"].isin([7, 13]).any()


@pytest.mark.slow
def test_the_cleaned_table(table, found):
    frame, flipped = table
    cleaned = found.cleaned
    pd.testing.assert_frame_equal(cleaned[list(frame.columns)], frame)
    assert list(cleaned.columns[-3:]) == ["nacre_label", "nacre_suspect", "nacre_score"]
    assert (cleaned["nacre_label"] != frame["truth"]).sum() < flipped.sum()
    assert cleaned["nacre_suspect"].sum() == len(found.suspects)
    assert cleaned["nacre_score"].isna().to_numpy().nonzero()[0].tolist() == [7, 13]
    kept = ~cleaned["nacre_suspect"] & frame["state"].notna()
    np.testing.assert_array_equal(cleaned["nacre_label"][kept], frame["state"][kept])


def test_the_summary_is_plain_and_adds_up(table, found):
    summary = found.to_dict()
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert (summary["rows"], summary["labelled"], summary["columns"]) == (300, 298, 7)
    assert summary["trusted"] == 30 == summary["labelled"] - summary["noise"]["of"]
    assert (
        summary["unlabelled"]["count"] == 2 == sum(one["predicted"] for one in summary["classes"])
    )
    assert sum(one["given"] for one in summary["classes"]) == 298
    assert sum(one["suspect"] for one in summary["classes"]) == summary["suspects"]["count"]
    quality = summary["quality"]
    assert sum(quality["flagged"]) == summary["suspects"]["count"]
    assert sum(quality["flagged"] + quality["other"]) == 298
    low, high = summary["noise"]["interval"]
    assert 0 <= low <= summary["noise"]["rate"] <= high < 0.5
    assert summary["suspects"]["rows"][0]["id"] == f"C-{summary['suspects']['rows'][0]['row']}"
    robust = summary["scores"]["models"][0]
    assert robust["trusted"]["accuracy"]["mean"] > 0.85
    assert 0.8 < robust["given"]["accuracy"]["mean"] < robust["corrected"] <= 1


def test_files(table, found, tmp_path):
    frame, _ = table
    found.save(tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"report.html", "suspects.csv", "cleaned.csv", "model.nacre", "audit.json"}
    assert json.loads((tmp_path / "out/audit.json").read_text()) == found.to_dict()
    with (tmp_path / "out/suspects.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["row"]) for row in rows] == found.suspects["row"].tolist()
    model, columns = load_model(tmp_path / "out/model.nacre")
    X = Schema.from_dict(columns).matrix(frame)
    np.testing.assert_array_equal(model.predict_proba(X), found.model.predict_proba(X))
    with pytest.raises(FileExistsError):
        found.save(tmp_path / "out")
    found.save(tmp_path / "out", force=True, every=True)
    everyone = read_table(tmp_path / "out/suspects.csv")
    assert sorted(everyone["row"].to_list()) == found.loaded.rows.tolist()


def test_the_report_and_what_a_notebook_shows(found, tmp_path):
    found.report(tmp_path / "report.html")
    assert "table · nacre audit" in (tmp_path / "report.html").read_text()
    assert found._repr_html_().startswith("<iframe srcdoc=")
    assert repr(found).startswith("<Audit of table: ")


@pytest.mark.slow
def test_formulas_in_cells_are_made_harmless(tmp_path):
    frame, _ = make(100)
    frame["note"] = "=cmd()"
    frame["score"], frame["row"] = "own", "-1+1"
    found = audit(frame, "state", ignore=["truth", "case"], effort="fast")
    assert {"score_", "row_"} < set(found.suspects.columns)
    found.save(tmp_path / "out")
    text = (tmp_path / "out/suspects.csv").read_text()
    assert "'=cmd()" in text
    assert ",=cmd()" not in text


def iris(**words):
    frame = load_iris(as_frame=True).frame
    frame["target"], _ = flip_labels(frame["target"], 0.1, random_state=0)
    kind = words.pop("kind", lambda frame: frame)
    return audit(kind(frame), "target", effort="fast", **words)


@pytest.fixture(scope="module")
def plain():
    return iris()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [pl.from_pandas, lambda frame: pl.from_pandas(frame).to_arrow()])
def test_tables_of_other_kinds_give_the_same(kind, plain):
    other = iris(kind=kind)
    assert other.to_dict() == plain.to_dict()
    assert type(other.suspects) is type(kind(plain.suspects))
    assert plain.cleaned["nacre_label"].dtype == plain.cleaned["target"].dtype


@pytest.mark.slow
def test_workers_change_nothing(plain):
    assert iris(n_jobs=2).to_dict() == plain.to_dict()


@pytest.mark.slow
def test_columns_that_say_nothing_are_a_note():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=80), "y": rng.integers(0, 2, 80)})
    found = audit(frame, "y", effort="fast")
    assert any("no signal" in note for note in found.to_dict()["notes"])


@pytest.mark.parametrize(
    ("change", "words", "match"),
    [
        ({}, {"label": "stat"}, "no column 'stat': did you mean 'state'"),
        ({"state": "well"}, {}, "All labels in column 'state' are 'well'"),
        ({"state": None}, {}, "has no label in any row"),
        ({}, {"ignore": ["truth", "kind", *(f"x {j}" for j in range(6))]}, "No column is left"),
        ({"seen": "perhaps"}, {"clean": "seen"}, "must hold true or false"),
        ({"seen": False}, {"clean": "seen"}, "'seen' trusts no label"),
        ({"seen": True}, {"clean": "seen"}, "'seen' trusts every label"),
        ({}, {"effort": "huge"}, "effort must be"),
    ],
)
def test_bad_input(change, words, match):
    frame, _ = make(40)
    with pytest.raises(ValueError, match=match):
        nacre.audit(frame.assign(**change), **{"label": "state", "ignore": ["truth"], **words})


def test_too_few_labels_to_judge_any():
    frame = pd.DataFrame({"a": range(9), "b": [0.1, 0.4] * 4 + [0.2], "y": list("xyxyxyxyx")})
    with pytest.raises(ValueError, match="Only 9 rows have a label: judging labels takes 10"):
        audit(frame, label="y")


@pytest.mark.slow
def test_many_rows_get_less_effort(monkeypatch):
    monkeypatch.setattr(importlib.import_module("nacre.auditing.audit"), "MANY", 50)
    X, y = make_moons(60, noise=0.1, random_state=0)
    found = audit(pd.DataFrame(X).assign(y=y).rename(columns=str), label="y")
    assert found.model.effort == "fast"
