import csv
import datetime
import json
import os
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.io import read_table, write_table
from nacre.io.read import read_source

TABLE = {
    "n": [1, None, 3],
    "x": [0.5, -1e300, None],
    "t": ["a", None, "b c"],
    "b": [True, False, True],
}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_tables_come_back(tmp_path, frame, suffix):
    path = tmp_path / f"out{suffix}"
    write_table(frame(TABLE), path)
    found = read_table(path).to_arrow().to_pydict()
    expected = dict(TABLE)
    if suffix == ".csv":
        expected["b"] = ["true", "false", "true"]
    assert found == expected


def test_csv_has_quotes_only_where_a_table_needs_them(tmp_path):
    path = tmp_path / "out.csv"
    write_table(pl.DataFrame({"a": ["x", None], "b": [1, 2]}), path)
    assert path.read_text() == "a,b\nx,1\n,2\n"
    write_table(pl.DataFrame({"a, b": ['x"', "y\nz"]}), path)
    assert path.read_text() == '"a, b"\n"x"""\n"y\nz"\n'


def test_dates_and_categories(tmp_path):
    path = tmp_path / "out.csv"
    frame = pd.DataFrame({"d": [datetime.date(2020, 1, 2)], "c": pd.Categorical(["x"])})
    write_table(frame, path)
    assert path.read_text() == "d,c\n2020-01-02,x\n"


@pytest.mark.parametrize("start", list("=+-@\t\r\n"), ids=repr)
def test_formulas_are_made_text(tmp_path, start):
    path = tmp_path / "out.parquet"
    cells = [f"{start}cmd|'/C calc'!A0", f"x{start}1", None, "-5", "+1.5e3", "-.5", "-", "--", "+"]
    write_table(pl.DataFrame({f"{start}a": cells, "n": [-1.0] * 9}), path, safe=True)
    frame = read_table(path)
    assert frame.columns == [f"'{start}a", "n"]
    assert frame[f"'{start}a"].to_list() == [f"'{cells[0]}", *cells[1:]]
    assert frame["n"].to_list() == [-1.0] * 9


@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"])), min_size=1))
def test_no_cell_of_a_safe_table_is_a_formula(cells):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "out.parquet"
        write_table(pl.DataFrame({"a": cells}), path, safe=True)
        found = read_table(path)["a"].to_list()
    for cell, given_cell in zip(found, cells, strict=True):
        assert cell.removeprefix("'") == given_cell.removeprefix("'")
        if cell[:1] in tuple("=+-@\t\r\n") and cell.strip("+-"):
            float(cell)


def test_nothing_is_left_of_a_table_that_cannot_be_written(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    path = tmp_path / "out.csv"
    path.write_text("before")
    monkeypatch.setattr("nacre.io.write._write_rows", fail)
    with pytest.raises(OSError, match="No space left"):
        write_table(pl.DataFrame({"a": [1, 2]}), path)
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["out.csv"]


STRANGE = {
    "list": (pa.array([[1, 2], None]), ["[1, 2]", ""]),
    "struct": (pa.array([{"a": 1}, None]), ['{"a": 1}', ""]),
    "map": (pa.array([[("a", 1)], []], pa.map_(pa.string(), pa.int64())), ['[["a", 1]]', "[]"]),
    "string view": (pa.array(["x", None], pa.string_view()), ["x", ""]),
    "views in a list": (pa.array([["x"], []], pa.list_(pa.string_view())), ["['x']", "[]"]),
    "binary": (pa.array([b"x\xff", b"y"]), [r"x\xff", "y"]),
    "binary view": (pa.array([b"x\xff", b"y"], pa.binary_view()), [r"x\xff", "y"]),
    "runs": (
        pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), pa.array(["x", "y"])),
        ["x", "y"],
    ),
    "uuid": (
        pa.array([bytes(range(16)), None], pa.uuid()),
        ["00010203-0405-0607-0809-0a0b0c0d0e0f", ""],
    ),
    "interval": (
        pa.array([(1, 2, 3), None], pa.month_day_nano_interval()),
        ["MonthDayNano(months=1, days=2, nanoseconds=3)", ""],
    ),
    "decimal": (pa.array([Decimal("1.10"), None]), ["1.10", ""]),
    "far date": (
        pa.array([10**18, None], pa.timestamp("s")),
        ["<value out of range: 1000000000000000000>", ""],
    ),
    "zero": (pa.array(["a\0b", "c"]), ["a␀b", "c"]),
    "categories": (pa.array(["=x", "y"]).dictionary_encode(), ["'=x", "y"]),
}


@pytest.mark.parametrize(("values", "words"), STRANGE.values(), ids=STRANGE)
def test_all_types_can_be_written(tmp_path, values, words):
    table = pa.table({"a": values, "n": [1, 2]})
    write_table(table, tmp_path / "out.csv", safe=True)
    with (tmp_path / "out.csv").open(newline="") as file:
        assert [row["a"] for row in csv.DictReader(file)] == words
    write_table(table, tmp_path / "out.parquet")
    found = pa.parquet.read_table(tmp_path / "out.parquet")["a"]
    if pa.types.is_interval(values.type) or words[0].startswith("<"):
        assert found.cast(pa.string()).to_pylist() == [words[0], None]
    elif "views in" not in str(values.type) and not pa.types.is_nested(values.type):
        assert found.to_pylist() == values.to_pylist()


def test_parquet_keeps_types(tmp_path):
    table = pa.table(
        {
            "decimal": pa.array([Decimal("1.10")]),
            "category": pa.array(["x"]).dictionary_encode(),
            "list": pa.array([[1]]),
            "float": pa.array([1.5], pa.float32()),
            "nan": [float("nan")],
        }
    )
    write_table(table, tmp_path / "out.parquet")
    assert pa.parquet.read_table(tmp_path / "out.parquet").schema.types == table.schema.types


CELLS = [
    "0.10", "0x10", "NA", " lead", "0.123456789012345678", "12345678901234567891", "1e3", "",
    "?", "1.", "x ", "nan", "007", "+5", "-0", "1,5", 'a "b"', "a\nb", "é",
]  # fmt: skip


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("each", [True, False])
def test_a_text_file_is_written_cell_for_cell(tmp_path, mark, each):
    """Each spelling in a column of its own, beside 1, and all in one."""
    names = [f" c{j}" for j in range(len(CELLS))] if each else ["a ", "", "c"]
    rows = [names, CELLS, ["1"] * len(CELLS)] if each else [names, *([x, x, "1"] for x in CELLS)]
    with (tmp_path / "in.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=mark).writerows(rows)
    found = read_source(tmp_path / "in.csv")
    write_table(found.frame, tmp_path / "out.csv", spelling=found.spelling)
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file, delimiter=mark)) == rows


@pytest.mark.parametrize("last", ["2", '"2,5"'])
def test_a_byte_order_mark_is_kept(tmp_path, last):
    written = f"\ufeffé,b\nä,1\nö,{last}\n".encode()
    (tmp_path / "in.csv").write_bytes(written)
    found = read_source(tmp_path / "in.csv")
    write_table(found.frame, tmp_path / "out.csv", spelling=found.spelling)
    assert (tmp_path / "out.csv").read_bytes().replace(b'"', b"") == written.replace(b'"', b"")


def test_only_spellings_that_values_do_not_say_are_kept(tmp_path):
    (tmp_path / "in.csv").write_text("n,x,f,g,t\n1,0.5,1.0,,a\n2,2.25,2.0,3,\n")
    found = read_source(tmp_path / "in.csv")
    assert list(found.spelling.cells) == ["f"]


@pytest.mark.parametrize(
    ("name", "kind", "says"),
    [
        ("out.ods", ValueError, r"'out\.ods' must end in \.csv, \.parquet or \.xlsx"),
        ("out", ValueError, "must end in"),
        ("no/out.csv", FileNotFoundError, "There is no folder"),
    ],
)
def test_wrong_paths(tmp_path, name, kind, says):
    with pytest.raises(kind, match=says):
        write_table(np.ones((2, 2)), tmp_path / name)


def test_a_folder_in_the_way(tmp_path):
    (tmp_path / "out.csv").mkdir()
    with pytest.raises(IsADirectoryError, match=r"out\.csv' is a folder: name a file\."):
        write_table(np.ones((2, 2)), tmp_path / "out.csv")
    assert os.listdir(tmp_path) == ["out.csv"]


def test_numbers_are_written_as_numbers(tmp_path):
    table = pa.table(
        {"a": [float("nan"), 1.5], "b": [True, None], "c": pa.array([1, None], pa.int8())}
    )
    write_table(table, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "a,b,c\n,true,1\n1.5,,\n"


def test_what_is_nested_is_json_in_csv(tmp_path):
    """A table of JSON lines goes out as CSV, and can be read from there."""
    rows = [{"b": 1.5, "tags": ["q", "é"]}, None]
    write_table(pa.table({"meta": rows, "n": [1, 2]}), tmp_path / "out.csv")
    written = read_table(tmp_path / "out.csv")["meta"].to_list()
    assert [one and json.loads(one) for one in written] == rows
