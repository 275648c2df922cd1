"""What a review writes."""

import csv
import json
import zipfile
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from nacre import audit
from nacre.auditing.load import DECIDED, load
from nacre.io import read_table
from nacre.review import outputs
from nacre.review.outputs import CORRECTED, OUTPUTS, write_outputs
from nacre.review.session import Review
from tests.auditing.test_page import Page, readable
from tests.review.conftest import made_up, make

pytestmark = pytest.mark.slow


@pytest.fixture
def review(folder, truth):
    """Ten rows set right, one unsure, one left out."""
    made = Review(folder)
    rows = [int(made.loaded.rows[place]) for place in made.queue.rows[:12]]
    for row in rows[:10]:
        made.decide(row, "change", truth[row], who="Ann", seen=0)
    made.decide(rows[10], "unsure", None, who="Ben", seen=0)
    made.decide(rows[11], "exclude", None, who="Ben", seen=0)
    made.rows = rows
    yield made
    made.store.close()


def test_everything_is_written_and_the_input_is_not_touched(review):
    table = review.folder.parent / "cases.csv"
    before = table.read_bytes()
    written = write_outputs(review)
    assert [path.name for path in written] == [one for one in OUTPUTS if one not in CORRECTED[1:]]
    assert all(path.exists() for path in written)
    assert table.read_bytes() == before
    assert write_outputs(review) == written


def test_the_corrected_table(review, truth):
    write_outputs(review)
    before = pd.read_csv(review.folder.parent / "cases.csv", dtype=str, keep_default_na=False)
    after = pd.read_csv(review.folder / "corrected.csv", dtype=str, keep_default_na=False)
    assert list(after.columns) == [*before.columns, *DECIDED]
    kept = before.drop(index=review.rows[11]).reset_index(drop=True)
    others = [name for name in before.columns if name != "state"]
    pd.testing.assert_frame_equal(after[others], kept[others])
    by_case = after.set_index("case")
    for row in review.rows[:10]:
        line = by_case.loc[f"C-{row}"]
        assert line["state"] == truth[row]
        assert line["nacre_given"] == before["state"][row]
        assert (line["checked"], line["nacre_who"]) == ("true", "Ann")
    unsure = by_case.loc[f"C-{review.rows[10]}"]
    assert (unsure["checked"], unsure["nacre_decision"]) == ("false", "unsure")
    assert (after["checked"] == "true").sum() == 10
    untouched = after["nacre_decision"] == ""
    assert (after["state"][untouched] == kept["state"][untouched]).all()


def test_round_again_with_what_was_checked(review):
    write_outputs(review)
    loaded = load(review.folder / "corrected.csv", "state", clean="checked", id="case")
    assert loaded.trusted.sum() == 10
    before = pd.read_csv(review.folder.parent / "cases.csv")["state"]
    known = {int(row): before[row] for row in review.rows[:10]}
    case = [int(one.removeprefix("C-")) for one in loaded.frame["case"].to_list()]
    told = dict(zip(case, loaded.original.tolist(), strict=True))
    assert {row: loaded.classes[code] for row, code in told.items() if code >= 0} == known
    assert not {*loaded.schema.names} & {*DECIDED}


@pytest.mark.parametrize(
    ("encoding", "delimiter", "ending"),
    [("utf-8", ";", "\n"), ("cp1252", ",", "\r\n"), ("utf-16", "\t", "\n"),
     ("utf-8-sig", "|", "\r\n")],
)  # fmt: skip
def test_format_and_fields_stay_as_they_were(tmp_path, encoding, delimiter, ending):
    """Numbers as they were written, labels as the file spells them, quotes, gaps, empty lines."""
    rng = np.random.default_rng(0)
    lines = [["größe", "kind", "note", "ill"]]
    for i in range(60):
        ill = rng.random() < 0.5
        lines.append([f"{rng.normal() + 3 * ill:.4f}0", f"k{i % 3}", f'a "b"{delimiter} é{i}',
                      " 01 " if ill else ""] if i % 20 else ["", "NA", "", " 02 "])  # fmt: skip
    for line in lines[1:]:
        line[3] = line[3] or " 02 "
    with (tmp_path / "t.csv").open("w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator=ending).writerows(lines)
        file.write(ending)
    audit(tmp_path / "t.csv", "ill", effort="fast").save(tmp_path / "t-audit")
    review = Review(tmp_path / "t-audit")
    given = review.classes[review.given[3]]
    other = next(name for name in review.classes if name != given)
    review.decide(3, "change", other, who="Ann", seen=0)
    write_outputs(review)
    review.store.close()
    raw = (tmp_path / "t-audit" / "corrected.csv").read_bytes()
    assert raw.startswith((tmp_path / "t.csv").read_bytes()[:3])
    text = raw.decode(encoding)
    assert text.count(ending) >= 61
    found = list(csv.reader(text.splitlines(keepends=True), delimiter=delimiter))
    assert [line[:3] for line in found] == [line[:3] for line in lines]
    changed = [i for i, (a, b) in enumerate(zip(found, lines, strict=True)) if a[3] != b[3]]
    assert changed == [4]
    assert found[4][3].strip() == other
    assert found[4][3].startswith(" ")


def test_parquet_comes_back_as_parquet(tmp_path):
    frame = make(80).drop(columns=["note", "picture"])
    frame["state"] = frame["state"].astype("category")
    frame["when"] = pd.Timestamp("2020-01-01")
    frame.to_parquet(tmp_path / "t.parquet")
    audit(tmp_path / "t.parquet", "state", ignore=["truth"], effort="fast").save(tmp_path / "out")
    review = Review(tmp_path / "out")
    given = review.classes[review.given[5]]
    review.decide(5, "change", "sick" if given == "well" else "well", who="Ann", seen=0)
    review.decide(6, "exclude", None, who="Ann", seen=0)
    write_outputs(review)
    review.store.close()
    after = read_table(tmp_path / "out" / "corrected.parquet").to_native().to_pandas()
    assert len(after) == 79
    assert after["state"][5] != frame["state"][5]
    same = frame.drop(index=6).reset_index(drop=True)
    pd.testing.assert_series_equal(after["x 0"], same["x 0"])
    assert after["when"].dtype.kind == "M"
    assert after["checked"].tolist() == [i == 5 for i in range(79)]


def test_what_is_decided_meanwhile_is_in_no_file(tmp_path, monkeypatch):
    """All files are of one moment."""
    draw = np.random.default_rng(0)
    frame = pd.DataFrame({"x": draw.normal(size=60), "y": [f"k{i % 3}" for i in range(60)]})
    review = Review(made_up(tmp_path, frame, "y"), tmp_path / "table.parquet")
    made = review.decide(0, "change", "k1", who="Ann", seen=0)
    standing = outputs.standing

    def meanwhile(of):
        found = standing(of)
        if review.revision == made.id:
            review.decide(0, "unsure", None, who="Ben", seen=made.id)
        return found

    monkeypatch.setattr(outputs, "standing", meanwhile)
    write_outputs(review)
    assert review.last[0].who == "Ben"
    review.store.close()
    corrected = pd.read_parquet(review.folder / "corrected.parquet").iloc[0]
    assert corrected[["y", "nacre_decision", "nacre_who"]].tolist() == ["k1", "change", "Ann"]
    assert corrected["checked"]
    decided = pd.read_csv(review.folder / "decisions.csv")
    assert decided[["label", "who"]].to_numpy().tolist() == [["k1", "Ann"]]
    text = (review.folder / "certificate.html").read_text()
    assert "Ann (1)" in readable(Page(text))


def test_decisions_and_tasks(review):
    write_outputs(review)
    with (review.folder / "decisions.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [int(one["row"]) for one in lines] == sorted(review.rows)
    assert {one["how"] for one in lines} == {"suspect", "random"}
    tasks = json.loads((review.folder / "label-studio.json").read_text())
    decided = [one for one in tasks if "annotations" in one]
    assert len(decided) == 10
    for task in tasks:
        (prediction,) = task["predictions"]
        assert prediction["result"][0]["value"]["choices"][0] in review.classes
        assert task["data"]["row"]["case"] == f"C-{task['data']['number']}"
        assert "state" not in task["data"]["row"]
    view = (review.folder / "label-studio.xml").read_text()
    assert '<Choice value="sick"/>' in view
    records = json.loads((review.folder / "argilla.json").read_text())
    assert [one["id"] for one in records] == [str(one["data"]["number"]) for one in tasks]
    agents = [one["suggestions"]["label"]["agent"] for one in records]
    assert agents.count("Ann") == 10


@pytest.mark.parametrize("id", ["case", "row", "label", "who", "decision"])
def test_decisions_have_the_id_whatever_its_name(review, id):
    loaded = review.loaded
    review.loaded = replace(
        loaded, frame=loaded.frame.rename({"case": id}), schema=replace(loaded.schema, id=id)
    )
    table = outputs.decisions_table(review)
    rows = sorted(review.rows)
    assert table.column_names[:2] == ["row", id if id == "case" else f"{id}_"]
    assert table.column(1).to_pylist() == [f"C-{row}" for row in rows]
    assert table["row"].to_pylist() == rows
    assert set(table["who"].to_pylist()) == {"Ann", "Ben"}


SPREAD = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def test_the_workbook(review):
    """Read by hand: every cell is a value, and text that looks like a formula is text."""
    write_outputs(review)
    with zipfile.ZipFile(review.folder / "review.xlsx") as book:
        assert book.testzip() is None
        names = [one.get("name") for one in ElementTree.fromstring(
            book.read("xl/workbook.xml")).iter(f"{SPREAD}sheet")]  # fmt: skip
        sheets = [
            [["".join(cell.itertext()) for cell in row] for row in ElementTree.fromstring(
                book.read(f"xl/worksheets/sheet{k}.xml")).iter(f"{SPREAD}row")]
            for k in (1, 2)
        ]  # fmt: skip
        assert b"<f>" not in book.read("xl/worksheets/sheet1.xml")
    assert names == ["corrected", "decisions"]
    assert sheets[0][0] == [*review.loaded.frame.columns, *DECIDED]
    assert [len(sheets[0]), len(sheets[1])] == [300, 13]
    text = [line[sheets[0][0].index("text")] for line in sheets[0]]
    assert any(one.startswith("=cmd|") for one in text)


def test_the_workbook_is_one_for_others(review):
    openpyxl = pytest.importorskip("openpyxl")
    write_outputs(review)
    book = openpyxl.load_workbook(review.folder / "review.xlsx")
    first, *rows = book["corrected"].iter_rows(values_only=True)
    assert first[0] == "case"
    assert rows[0][1] == review.loaded.frame["x 0"][0]
    assert {row[-1] for row in rows} == {True, False}


def test_the_certificate(review):
    write_outputs(review)
    text = (review.folder / "certificate.html").read_text()
    said = readable(Page(text))
    for words in ("cases.csv", "12 rows", "Ann (10), Ben (2)", "hypergeometric", "seed 0",
                  review.audit.summary["file"]["sha256"]):  # fmt: skip
        assert words in said
    assert "<script" not in text
