"""The files of an audit: the table as it came, whatever it holds."""

import codecs
import csv
import datetime
import json
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from nacre.auditing import Audit
from nacre.auditing.audit import audit
from nacre.auditing.summary import FIRST, free_names

N = 80
WRONG = [3, 5, 8, 11]


def columns():
    """Two numbers that tell the classes apart, and labels of which four are wrong."""
    rng = np.random.default_rng(0)
    size = rng.normal(size=N)
    state = np.where(size > 0, "ill", "well")
    state[WRONG] = np.where(size[WRONG] > 0, "well", "ill")
    return {"size": size + np.sign(size), "width": rng.normal(size=N), "state": state}


CELLS = [
    "0.10", "0x10", "NA", " lead", "0.123456789012345678", "=1+1", "-x", "?", "", "1e3", "@me",
    "007",
]  # fmt: skip
IDS = [str(10**19 * 2 + i) for i in range(N)]


def written():
    own = columns()
    cells = [CELLS[i % len(CELLS)] for i in range(N)]
    fields = [own["size"].round(3), own["width"].round(3), cells, IDS, own["state"]]
    fields = [list(map(str, field)) for field in fields]
    return [["size", " width", "note", "case", "state"], *map(list, zip(*fields, strict=True))]


def safe(cell):
    return f"'{cell}" if cell in ("=1+1", "-x", "@me") else cell


@pytest.fixture(scope="module", params=[",", ";"])
def found(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    with (folder / "in.csv").open("w", newline="") as file:
        csv.writer(file, delimiter=request.param).writerows(written())
    found = audit(folder / "in.csv", "state", id="case", effort="fast")
    found.save(folder / "out")
    return found, folder / "out", request.param


def rows(path, mark):
    with path.open(newline="") as file:
        return list(csv.reader(file, delimiter=mark))


def test_the_cleaned_table_is_the_input_cell_for_cell(found):
    """But for formulas, which have an apostrophe; new columns stand behind it."""
    _, out, mark = found
    cleaned = rows(out / "cleaned.csv", mark)
    assert cleaned[0] == [*written()[0], "nacre_label", "nacre_suspect", "nacre_score"]
    assert [row[:5] for row in cleaned[1:]] == [list(map(safe, row)) for row in written()[1:]]


def test_suspects_are_the_rows_as_they_came(found):
    result, out, mark = found
    head, *suspects = rows(out / "suspects.csv", mark)
    assert head == [*FIRST, *written()[0]]
    assert set(WRONG) & {int(row[0]) for row in suspects}
    for row in suspects:
        assert row[5:] == list(map(safe, written()[1 + int(row[0])]))
    shown = json.loads((out / "audit.json").read_text())["suspects"]["rows"]
    assert [one["id"] for one in shown] == [IDS[one["row"]] for one in shown]
    assert len(set(result.cleaned["case"].to_pylist())) == N


def test_a_folder_that_is_read_is_written_the_same(found, tmp_path):
    _, out, mark = found
    Audit.read(out).save(tmp_path / "again")
    for name in ("cleaned.csv", "suspects.csv"):
        assert rows(tmp_path / "again" / name, mark) == rows(out / name, mark)


def test_an_audit_without_suspects(found, tmp_path):
    """Columns that are made of no values have no type."""
    result, _, mark = found
    none = result.suspects.slice(0, 0).set_column(0, "row", pa.nulls(0))
    summary = {**result.summary, "suspects": {**result.summary["suspects"], "count": 0}}
    replace(result, suspects=none, summary=summary).save(tmp_path / "none")
    assert rows(tmp_path / "none" / "suspects.csv", mark) == [[*FIRST, *written()[0]]]
    assert Audit.read(tmp_path / "none").suspects.num_rows == 0


def test_labels_of_many_digits_stay_apart(tmp_path):
    own = columns()
    labels = np.where(own["size"] > 1.7, IDS[0], np.where(own["size"] < 0, IDS[1], IDS[2]))
    pd.DataFrame({**own, "state": labels}).to_csv(tmp_path / "in.csv", index=False)
    found = audit(tmp_path / "in.csv", "state", effort="fast")
    assert [one["name"] for one in found.summary["classes"]] == IDS[:3]


STRANGE = {
    "view": pa.array(["x", "y"] * 40, pa.string_view()),
    "bytes view": pa.array([b"x\xff", b"y"] * 40, pa.binary_view()),
    "bytes": pa.array([b"x\xff", b"y"] * 40),
    "list": pa.array([[1], [2, 3]] * 40),
    "views": pa.array([["x"], ["y"]] * 40, pa.list_(pa.string_view())),
    "struct": pa.array([{"a": 1}, None] * 40),
    "map": pa.array([[("a", 1)], []] * 40, pa.map_(pa.string(), pa.int64())),
    "uuid": pa.array([bytes([i] * 16) for i in range(80)], pa.uuid()),
    "interval": pa.array([(1, 2, 3), (4, 5, 6)] * 40, pa.month_day_nano_interval()),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([40, 80], pa.int32()), pa.array(["x", "y"])),
    "far": pa.array([10**18, -(10**18)] * 40, pa.timestamp("s")),
    "always far": pa.array([2**30] * 80, pa.date32()),
    "long": pa.array([10**18, 5] * 40, pa.duration("s")),
    "decimal": pa.array([Decimal("1.10"), Decimal("2.20")] * 40),
    "huge": pa.array([1e39, -1e39] * 40),
    "time": pa.array([datetime.time(1), datetime.time(2)] * 40),
    "zero": pa.array(["a\0b", "c"] * 40),
    "row": pa.array(range(80)),
    "row_": pa.array(range(80)),
    "reason": pa.array(range(80)),
}


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_no_type_costs_the_audit(tmp_path, suffix):
    """All learning is done when values are shown and written: none of them may fail."""
    table = pa.table({**STRANGE, **columns()})
    feather.write_feather(table, tmp_path / "in.arrow", compression="uncompressed")
    found = audit(tmp_path / "in.arrow", "state", effort="fast")
    assert set(WRONG) & set(found.suspects["row"].to_pylist())
    assert {"row", "row__", "row_", "reason_"} <= set(found.suspects.column_names)
    found.write(tmp_path, every=True, suffix=suffix)
    again = Audit.read(tmp_path)
    assert again.cleaned.num_rows == N
    assert again.suspects["list"].to_pylist()[0] in ("[1]", "[2, 3]")
    if suffix == ".parquet":
        kept = parquet.read_table(tmp_path / "cleaned.parquet")
        for name in ("list", "struct", "map", "decimal", "bytes", "time"):
            assert kept[name].to_pylist() == table[name].to_pylist()


def test_frames_of_pandas(tmp_path):
    frame = pd.DataFrame({**columns(), "month": pd.period_range("2020", periods=N, freq="M")})
    found = audit(frame, "state", effort="fast")
    found.save(tmp_path / "out")
    assert (tmp_path / "out" / "cleaned.csv").read_text().splitlines()[1].split(",")[3] == "2020-01"


def test_free_names():
    assert free_names(["a", "b"]) == {}
    assert free_names(["row", "row_", "given", "row__"]) == {"row": "row___", "given": "given_"}


def test_long_cells_are_cut_where_they_are_shown(tmp_path):
    """Five suspects with cells of 5 MB made a report of 25 MB; the tables have all of it."""
    long = "\n".join(["word"] * 200_000)
    frame = pa.table({**columns(), "text": [long] * N, "id": [f"{i} {long}" for i in range(N)]})
    found = audit(frame, "state", id="id", effort="fast")
    found.save(tmp_path / "out")
    assert found.summary["suspects"]["count"] > 0
    for name in ("report.html", "audit.json"):
        assert (tmp_path / "out" / name).stat().st_size < 300_000
    assert (tmp_path / "out" / "suspects.csv").stat().st_size > 1_000_000


def test_wrong_labels_are_counted_among_those_not_trusted():
    frame = pd.DataFrame({**columns(), "seen": np.arange(N) >= N // 2})
    noise = audit(frame, "state", clean="seen", effort="fast").summary["noise"]
    assert noise["of"] == N // 2
    assert noise["wrong"] == round(noise["rate"] * (N // 2)) > 0


def test_a_byte_order_mark_is_kept(found, tmp_path):
    result, folder, _ = found
    replace(result, spelling=replace(result.spelling, marked=True)).save(tmp_path / "out")
    for name in ("cleaned.csv", "suspects.csv"):
        marked = (tmp_path / "out" / name).read_bytes()
        assert marked == codecs.BOM_UTF8 + (folder / name).read_bytes()
    again = Audit.read(tmp_path / "out")
    assert list(again.suspects.column_names) == list(Audit.read(folder).suspects.column_names)
