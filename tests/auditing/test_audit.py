"""The audit, from a table to its files."""

import csv
import importlib
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris, make_classification, make_moons
from sklearn.metrics import average_precision_score

import nacre
from nacre import audit, load_model
from nacre.auditing import Audit
from nacre.auditing.page import render
from nacre.auditing.summary import FIRST
from nacre.data import Schema
from nacre.io import read_argilla, read_label_studio, read_table
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
    frame.loc[frame["seen"], "state"] = frame["truth"]
    frame.loc[[7, 13], "state"] = None
    return frame, flipped & ~frame["seen"].to_numpy()


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
    robust = summary["metrics"]["models"][0]
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
    assert sorted(everyone["row"].to_list()) == np.flatnonzero(frame["state"].notna()).tolist()


def test_an_audit_comes_back_from_its_folder(table, found, tmp_path):
    found.save(tmp_path / "out")
    again = Audit.read(tmp_path / "out")
    assert again.to_dict() == found.to_dict()
    assert again.suspects["row"].to_pylist() == found.suspects["row"].tolist()
    assert again.cleaned["nacre_label"].to_pylist() == found.cleaned["nacre_label"].tolist()
    assert again.noise.rate == found.noise.rate
    assert again.schema == found.schema
    assert repr(again) == repr(found)
    X = again.schema.matrix(table[0])
    np.testing.assert_array_equal(again.model.predict_proba(X), found.model.predict_proba(X))
    again.report(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "out/report.html").read_bytes()
    with pytest.raises(ValueError, match="lists its suspects only"):
        again.save(tmp_path / "other", every=True)
    (tmp_path / "out/audit.json").write_text("{")
    with pytest.raises(ValueError, match=r"audit.json' is damaged"):
        Audit.read(tmp_path / "out")
    with pytest.raises(FileNotFoundError, match=r"There is no audit in .*: it has no audit\.json"):
        Audit.read(tmp_path)


def test_one_ill_row_of_twenty():
    """A fold that holds it leaves one class to the others."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(20, 3)), columns=["a", "b", "c"])
    frame["state"] = ["ill", *["well"] * 19]
    found = audit(frame, "state", effort="fast")
    assert found.summary["labelled"] == 20


def test_progress_is_told():
    said = []
    frame, _ = make(60)
    audit(frame, "state", ignore=["truth"], effort="fast", progress=lambda one: said.append(one))
    words = [str(one) for one in said]
    assert words[0] == "Reading the table"
    assert "Learning, and looking for wrong labels: member 1 of 6" in words
    assert any(word.startswith("Comparing models on held-out rows") for word in words)
    assert any(one.ended for one in said)


def spread_over_visits(seed=0):
    """120 patients of five visits; the labels of 12 patients are wrong, all of them."""
    X, y = make_classification(
        120, 6, n_informative=4, n_redundant=0, class_sep=1.5, flip_y=0.0, random_state=seed
    )
    rng = np.random.default_rng(seed)
    wrong = np.zeros(120, bool)
    wrong[rng.permutation(120)[:12]] = True
    patient = np.repeat(np.arange(120), 5)
    visits = X[patient] + 0.05 * rng.normal(size=(600, 6))
    frame = pd.DataFrame(visits, columns=list("abcdef"))
    frame["state"] = np.where(y ^ wrong, "sick", "well")[patient]
    frame["patient"] = [f"P{k}" for k in patient]
    return frame, wrong[patient]


def test_visits_of_a_patient_do_not_vouch_for_each_other():
    frame, wrong = spread_over_visits()
    together = audit(frame, "state", group="patient", effort="fast")
    apart = audit(frame, "state", ignore=["patient"], effort="fast")
    found, missed = (
        average_precision_score(wrong, one.cleaned["nacre_score"]) for one in (together, apart)
    )
    assert found > 0.65
    assert missed < 0.4
    assert together.summary["group"] == "patient"


def test_copies_of_a_row_do_not_vouch_for_each_other():
    """Each of 200 rows three times."""
    frame, flipped = make(200)
    rows = np.tile(np.arange(200), 3)
    found = audit(frame.iloc[rows].reset_index(drop=True), "state", ignore=["truth"], effort="fast")
    score = found.cleaned["nacre_score"].to_numpy()
    np.testing.assert_allclose(score[:200], score[200:400])  # copies fare alike
    alone = audit(frame, "state", ignore=["truth"], effort="fast").cleaned["nacre_score"]
    precision = average_precision_score(flipped[rows], score)
    assert precision > 0.8
    assert precision > average_precision_score(flipped, alone) - 0.1


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
    said = found.to_dict()
    assert any("no signal" in note for note in said["notes"])
    assert said["suspects"]["changed"] == 0
    assert said["suspects"]["queue"] == []
    assert all(model["corrected"] is None for model in said["metrics"]["models"])
    page = render(said)
    assert "how many of them are wrong cannot be told" in page
    assert '<p class="figure">not known</p>' in page
    assert page.index("The labels carry no signal") < page.index("Suspects</h3>")


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


@pytest.mark.slow
def test_suspects_become_tasks(table, found, tmp_path):
    """For Label Studio and Argilla; their answers make a table again."""
    frame, _ = table
    found.to_label_studio(tmp_path / "tasks.json")
    found.to_argilla(tmp_path / "records.json")
    tasks = json.loads((tmp_path / "tasks.json").read_text())
    records = json.loads((tmp_path / "records.json").read_text())
    rows = found.suspects["row"].tolist()
    assert [one["data"]["number"] for one in tasks] == rows == [int(one["id"]) for one in records]
    assert len(rows) > 5
    for task, record, row in zip(tasks, records, rows, strict=True):
        assert task["data"]["row"]["case"] == frame["case"][row]
        assert float(task["data"]["row"]["x 0"]) == frame["x 0"][row]
        assert "state" not in task["data"]["row"]
        assert task["data"]["given"] == frame["state"][row]
        suggested = record["suggestions"]["label"]
        assert suggested["value"] == task["predictions"][0]["result"][0]["value"]["choices"][0]
        assert abs(suggested["score"] - task["predictions"][0]["score"]) < 1e-9  # two classes
    assert '<Choice value="sick"/>' in (tmp_path / "tasks.xml").read_text()
    for task, record in zip(tasks, records, strict=True):
        task["annotations"] = [{"result": task["predictions"][0]["result"], "completed_by": 1}]
        value = record["suggestions"]["label"]["value"]
        record["responses"] = {"label": [{"value": value, "user_id": "u"}]}
    for answered in (read_label_studio(tasks), read_argilla(records)):
        assert answered.table["label"].to_list() == found.suspects["suggested"].tolist()


def test_suspects_keep_the_index_of_their_frame():
    """They had numbers from 0, so that nobody could look a suspect up by its own name."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=100)}, index=[f"p{i}" for i in range(100)])
    frame["y"] = flip_labels(np.where(frame["a"] > 0, "u", "v"), 0.1, random_state=0)[0]
    found = audit(frame, label="y", effort="fast")
    assert len(found.suspects) > 5
    assert found.suspects.index.tolist() == [f"p{row}" for row in found.suspects["row"]]
    pd.testing.assert_frame_equal(found.suspects[["a"]], frame.loc[found.suspects.index, ["a"]])
    assert found.cleaned.index.equals(frame.index)
