import datetime
import os
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
    cells = [f"{start}cmd|'/C calc'!A0", f"x{start}1", None, "-5", "+1.5e3", "-.5"]
    write_table(pl.DataFrame({f"{start}a": cells, "n": [-1.0] * 6}), path, safe=True)
    frame = read_table(path)
    assert frame.columns == [f"'{start}a", "n"]
    assert frame[f"'{start}a"].to_list() == [f"'{cells[0]}", *cells[1:]]
    assert frame["n"].to_list() == [-1.0] * 6


@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"])), min_size=1))
def test_no_cell_of_a_safe_table_is_a_formula(cells):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "out.parquet"
        write_table(pl.DataFrame({"a": cells}), path, safe=True)
        found = read_table(path)["a"].to_list()
    for cell, given_cell in zip(found, cells, strict=True):
        assert cell.removeprefix("'") == given_cell.removeprefix("'")
        if cell[:1] in tuple("=+-@\t\r\n"):
            float(cell)


def test_nothing_is_left_of_a_table_that_cannot_be_written(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("before")
    with pytest.raises(ValueError, match=r"out\.csv' cannot be written: ") as caught:
        write_table(pl.DataFrame({"a": [[1], [2]]}), path)
    assert "\n" not in str(caught.value)
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["out.csv"]


@pytest.mark.parametrize(
    ("name", "kind", "says"),
    [
        ("out.xlsx", ValueError, r"'out\.xlsx' must end in \.csv or \.parquet"),
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
