import gzip
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather, parquet

from nacre.io import read_table


def content(source, names=None):
    return read_table(source, names).to_arrow().to_pydict()


def as_parquet(table):
    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue()


def as_feather(table, compression="uncompressed"):
    buffer = io.BytesIO()
    feather.write_feather(table, buffer, compression)
    return buffer.getvalue()


# Other files


def test_parquet_and_arrow_whatever_the_name(read):
    table = pa.table({"a": [1, None], "b": ["x", "y"]})
    for written in (as_parquet(table), as_feather(table), as_feather(table, "lz4")):
        assert read(written, "some.csv") == table.to_pydict()


# What is no table


@pytest.mark.parametrize(
    ("written", "says"),
    [
        (b"", "'some.csv' is empty"),
        (as_parquet(pa.table({"a": [1]}))[:-20], "'some.csv' cannot be read: "),
        (b"ARROW1" + bytes(30), "'some.csv' cannot be read: "),
        (as_parquet(pa.table({"a": pa.array([], pa.int64())})), "but no rows"),
        (as_parquet(pa.table([[1], [2]], ["a", "a"])), "Two columns of 'some.csv' are named 'a'"),
    ],
    ids=lambda one: None if isinstance(one, str) else repr(one[:12]),
)
def test_broken_files_get_one_line(refuse, written, says):
    refuse(written, says)


def test_no_such_file(tmp_path):
    path = tmp_path / "no.csv"
    with pytest.raises(FileNotFoundError, match=re.escape(f"There is no file {str(path)!r}.")):
        read_table(path)
    with pytest.raises(ValueError, match="is a folder without Parquet files: name a file"):
        read_table(str(tmp_path))


def test_files_that_may_not_be_read(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ValueError, match=r"'no\.csv' cannot be read: Permission denied"):
        read_table(tmp_path / "no.csv")


# From memory


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_data_frames_are_taken_as_they_are(frame):
    given = frame({"a": [1, 2], "b": ["x", "y"]})
    assert read_table(given).to_native() is given


def test_names_of_pandas_columns_become_text():
    assert content(pd.DataFrame([[1, 2]], columns=[0, "b"])) == {"0": [1], "b": [2]}
    with pytest.raises(ValueError, match="Two columns of the table are named '0'"):
        read_table(pd.DataFrame([[1, 2]], columns=[0, "0"]))
    with pytest.raises(ValueError, match="'a'"):
        read_table(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_arrays():
    assert content(np.array([[1, 2.5], [3, 4]])) == {"x0": [1, 3], "x1": [2.5, 4]}
    assert content(np.array([[1, 2]]), ["a", "b"]) == {"a": [1], "b": [2]}
    assert content(np.array([["x", 1], [None, 2.5]], object)) == {"x0": ["x", None], "x1": [1, 2.5]}
    fields = np.array([(1, "x"), (2, "y")], [("a", ">i4"), ("b", "U1")])
    assert content(fields) == {"a": [1, 2], "b": ["x", "y"]}


@pytest.mark.parametrize(
    ("source", "names", "kind", "says"),
    [
        (np.zeros(3), None, ValueError, "two dimensions to be a table, not 1"),
        (np.zeros((2, 2)), ["a"], ValueError, "There are 1 names for 2 columns"),
        (np.zeros((2, 2)), ["a", "a"], ValueError, "Two columns of the array are named 'a'"),
        (np.zeros((2, 0)), None, ValueError, "no columns in the array"),
        (np.zeros(2, [("a", float, 3)]), None, ValueError, "more than one value a row"),
        (pd.DataFrame(), None, ValueError, "no columns in the table"),
        (pd.DataFrame({"a": [1]}), ["b"], TypeError, "names are for the columns of a NumPy array"),
        ([[1, 2]], None, TypeError, "must be a path, a data frame or a NumPy array, not list"),
        (None, None, TypeError, "not NoneType"),
    ],
    ids=str,
)
def test_what_is_no_table_in_memory(source, names, kind, says):
    with pytest.raises(kind, match=says) as caught:
        read_table(source, names)
    assert "\n" not in str(caught.value)


# Anything at all

TABLE = pa.table({"a": [1, 2, None] * 9, "b": ["x", None, "é"] * 9, "c": [0.5, 2.0, None] * 9})
TEXT = 'a;b;c\n1;"é\n";2,5\n"";x;?\n5;y;-1,5\n'
SEEDS = [
    as_parquet(TABLE),
    as_feather(TABLE),
    as_feather(TABLE, "zstd"),
    TEXT.encode(),
    TEXT.encode("utf-16"),
    TEXT.encode("cp1252"),
    gzip.compress(TEXT.encode(), mtime=0),
]
PIECES = st.one_of(st.binary(max_size=5), st.sampled_from([b'"', b"\n", b"\r", b";", b",", b"\0"]))


@st.composite
def damaged(draw):
    """A file of any kind in which some bytes are others."""
    whole = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(whole)))
        whole = whole[:place] + draw(PIECES) + whole[place + draw(st.integers(0, 9)) :]
    return whole


def refusal(path):
    """Why a file is no table, or None if it is one."""
    try:
        frame = read_table(path)
    except ValueError as error:
        return error
    assert len(frame) > 0
    assert len(set(frame.columns)) == len(frame.columns) > 0
    return None


@pytest.mark.filterwarnings("ignore:'any' is")
@given(written=st.one_of(st.binary(), damaged(), st.text('a1,;"\n.-é \t').map(str.encode)))
def test_any_bytes_are_a_table_or_refused_in_one_line(written):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "any"
        path.write_bytes(written)
        error = refusal(path)
    assert error is None or type(error) is ValueError
    assert "\n" not in str(error)


def test_pyarrow_is_asked_for_when_it_is_needed():
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import nacre.io\n"
        "try: nacre.io.read_table\n"
        "except ModuleNotFoundError as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.endswith("needs one more package: pip install 'nacre-boost[table]'\n")


def test_what_is_masked_is_missing():
    array = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])
    assert read_table(array).to_arrow().to_pydict() == {"x0": [1.0, 3.0], "x1": [None, 4.0]}


def test_columns_of_several_levels_are_refused():
    frame = pd.DataFrame({("a", "x"): [1], ("a", "z"): [2]})
    with pytest.raises(ValueError, match="columns of several levels: join their names first"):
        read_table(frame)


def test_pipes_and_devices_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero", "/dev/stdin"):
        with pytest.raises(ValueError, match="is a pipe or a device"):
            read_table(path)


def test_small_files_that_expand_without_end_are_refused(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 1_000_000))
    with pytest.raises(ValueError, match=r"'bomb.csv.gz' \(.* KB\) expands to more than 1 MB"):
        read_table(path, max_size=1e6)
    assert len(read_table(path)) == 1_000_000
    same = pa.table({"a": pa.array(["x" * 1000]).dictionary_encode().take([0] * 300_000)})
    pa.parquet.write_table(same, tmp_path / "bomb.parquet")
    pa.feather.write_feather(
        pa.table({"a": np.zeros(300_000)}), tmp_path / "bomb.arrow", compression="zstd"
    )
    for name in ("bomb.parquet", "bomb.arrow"):
        assert (tmp_path / name).stat().st_size < 50_000
        with pytest.raises(ValueError, match="expands to more than 1 MB: if that is meant"):
            read_table(tmp_path / name, max_size=1e6)


def test_a_first_row_without_end_is_refused(tmp_path):
    path = tmp_path / "some.csv"
    path.write_bytes(b"a" * (9 << 20))
    with pytest.raises(ValueError, match="is longer than 8 MB"):
        read_table(path)


def test_names_that_are_no_text_are_refused():
    """Halves of letters, which no file can hold."""
    frame = pd.DataFrame({"a": [1.0]})
    frame.columns = pd.Index(["a\ud800"], dtype=object)
    for source in (frame, np.zeros(2, [("a\ud800", float)])):
        with pytest.raises(ValueError, match=r"name 'a\\ud800' of a column in the .* is no text"):
            read_table(source)
