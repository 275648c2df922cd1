"""Tables as people have them, from file to answer."""

import json
import sqlite3

import numpy as np
import openpyxl
import pandas as pd
import pytest

from nacre import audit
from nacre.auditing import Audit
from nacre.io import read_table, write_table
from nacre.io.read import read_source
from tests.cli.runner import run

N = 90


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    ill = np.arange(N) % 2
    income = np.where(ill, 21_000, 42_000) + rng.integers(-9_000, 9_000, N)
    return pd.DataFrame(
        {
            "income": [f"{one:,} EUR".replace(",", ".") for one in income],
            "share": [f"{100 * one:.1f}%" for one in rng.uniform(size=N)],
            "seen": [f"{1 + i % 28} {'Jan' if i % 3 else 'Mar'} {2020 + i % 4}" for i in range(N)],
            "smokes": np.where(rng.uniform(size=N) < 0.3 + 0.5 * ill, "Yes", "no "),
            "state": np.where(ill, "ill", np.where(np.arange(N) % 6, "well", "Well ")),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory, frame):
    folder = tmp_path_factory.mktemp("tables")
    text = frame.to_csv(index=False, sep=";")
    (folder / "cases.csv").write_text("sep=;\nCases of the clinic\n" + text)
    frame.to_json(folder / "cases.jsonl", orient="records", lines=True)
    write_table(frame, folder / "cases.xlsx")
    with sqlite3.connect(folder / "clinic.db") as base:
        frame.to_sql("cases", base, index=False)
    base.close()
    words = ("--label", "state", "--model", "adaboost", "--join-labels", "--json")
    result = run("fit", folder / "cases.xlsx", *words)
    assert result.exit_code == 0, result.stderr
    (folder / "fit.json").write_text(result.stdout)
    return folder


def test_what_was_understood_is_said(folder):
    found = json.loads((folder / "fit.json").read_text())
    assert found["classes"] == ["ill", "well"]
    assert found["notes"][0] == "Labels are joined: 'Well' into 'well'."
    (income,) = (line for line in found["notes"] if "'income'" in line)
    assert income.startswith("Column 'income' is read as numbers of EUR, with a decimal comma: ")
    assert "money has no three decimals" in income


@pytest.mark.parametrize("door", ["cases.csv", "cases.jsonl", "clinic.db::cases", "cases.xlsx"])
def test_a_model_predicts_at_every_door(folder, door, tmp_path):
    out = tmp_path / "out.xlsx"
    result = run("predict", folder / "cases.nacre", folder / door, "--out", out)
    assert result.exit_code == 0, result.stderr
    predicted = read_table(out)["nacre_predicted"].to_list()
    run("predict", folder / "cases.nacre", folder / "cases.xlsx", "--out", tmp_path / "other.csv")
    assert predicted == read_table(tmp_path / "other.csv")["nacre_predicted"].to_list()


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--read", "income=money"], 2, "'money' is not one of number, decimal-comma"),
        (["--read", "income"], 2, "'income' is not COLUMN=KIND, such as income=number"),
        (["--read", "seen=number"], 1, "nacre: Column 'seen' cannot be read as number: it holds"),
        (["--read", "sene=date"], 1, "nacre: There is no column 'sene': did you mean 'seen'?"),
    ],
    ids=str,
)
def test_wrong_words(folder, words, code, says):
    before = sorted(folder.iterdir())
    result = run("audit", folder / "cases.csv", "--label", "state", *words)
    assert result.exit_code == code
    assert says in " ".join(result.stderr.replace("│", " ").split())
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("bad.xlsx", b"PK\x03\x04 and no more"),
        ("bad.parquet", b"PAR1 and no more"),
        ("bad.arrow", b"ARROW1 and no more"),
        ("bad.jsonl", b'{"a": 1}\n{"a":'),
        ("bad.db", b"SQLite format 3\0 and no more"),
        ("bad.duckdb", bytes(8) + b"DUCK and no more"),
        ("bad.csv", b""),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_damaged_files_get_one_line_and_leave_nothing(tmp_path, name, written):
    (tmp_path / name).write_bytes(written)
    result = run("audit", tmp_path / name, "--label", "state", "--out", tmp_path / "out")
    assert result.exit_code == 1
    (line,) = result.stderr.strip().splitlines()
    assert line.startswith("nacre: ")
    assert name in line
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_wrong_sheet_leaves_nothing(folder):
    before = sorted(folder.iterdir())
    result = run("audit", f"{folder / 'cases.xlsx'}::Cases", "--label", "state")
    assert result.exit_code == 1
    assert result.stderr.strip().startswith(
        "nacre: There is no sheet 'Cases' in 'cases.xlsx': it has 'table'."
    )
    assert sorted(folder.iterdir()) == before


@pytest.mark.slow
def test_an_audit_of_a_workbook(folder, frame):
    pytest.importorskip("starlette")
    from nacre.review.reopen import reopen

    place = f"{folder / 'cases.xlsx'}::table"
    words = ("--label", "state", "--effort", "fast", "--join-labels", "--read", "share=ignore")
    result = run("audit", place, *words)
    assert result.exit_code == 0, result.stderr
    home = folder / "cases-table-audit"
    cleaned = openpyxl.load_workbook(home / "cleaned.xlsx").worksheets[0]
    assert [cell.value for cell in cleaned["A"]][1:] == frame["income"].tolist()
    found = Audit.read(home)
    assert [one["column"] for one in found.summary["readings"]] == ["income", "seen", "smokes"]
    page = (home / "report.html").read_text(encoding="utf-8")
    assert "How columns were read" in page
    assert "money has no three decimals" in page
    _, loaded = reopen(home)
    assert (loaded.part, loaded.suffix, loaded.path) == ("table", ".xlsx", folder / "cases.xlsx")
    assert loaded.schema == found.schema


@pytest.mark.slow
def test_the_cleaned_table_is_the_input_cell_for_cell(folder):
    result = run("audit", folder / "cases.csv", "--label", "state", "--effort", "fast")
    assert result.exit_code == 0, result.stderr
    lines = (folder / "cases.csv").read_text().splitlines()[2:]
    written = (folder / "cases-audit" / "cleaned.csv").read_text().splitlines()
    assert [line.rsplit(";", 3)[0] for line in written] == lines


@pytest.mark.slow
def test_the_same_in_python(folder, frame):
    found = audit(
        frame, "state", join_labels=True, read={"share": "ignore", "smokes": "category"},
        effort="fast",
    )  # fmt: skip
    assert found.schema.classes == ("ill", "well")
    assert [column.kind for column in found.schema.columns] == ["number", "date", "category"]
    assert read_source(found.cleaned).frame["income"].to_list() == frame["income"].tolist()
