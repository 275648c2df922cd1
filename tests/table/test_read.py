import bz2
import csv
import gzip
import io
import re
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

from nacre.table import read_table


def content(source, names=None):
    return read_table(source, names).to_arrow().to_pydict()


@pytest.fixture
def read(tmp_path):
    """What a file of the given text or bytes holds."""

    def reader(written, name="some.csv"):
        path = tmp_path / name
        path.write_bytes(written.encode() if isinstance(written, str) else written)
        return content(path)

    return reader


def as_parquet(table):
    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue()


def as_feather(table, compression="uncompressed"):
    buffer = io.BytesIO()
    feather.write_feather(table, buffer, compression)
    return buffer.getvalue()


# How text is written


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=repr)
def test_delimiters_and_line_ends(read, mark, end):
    rows = [["a", "b", "c"], ["1", "x y", "2.5"], ["2", "z", "-1e3"]]
    found = read(end.join(mark.join(row) for row in rows) + end)
    assert found == {"a": [1, 2], "b": ["x y", "z"], "c": [2.5, -1000.0]}


def test_the_delimiter_that_parts_all_rows_alike_is_taken(read):
    assert read("name;of, all\nx, y;1\nz;2\n") == {"name": ["x, y", "z"], "of, all": [1, 2]}


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]
)
def test_encodings(read, encoding):
    assert read("naïve,é\n1,ü\n2,ß\n".encode(encoding)) == {"naïve": [1, 2], "é": ["ü", "ß"]}


def test_a_letter_beyond_the_start_of_the_file_decides_the_encoding(read):
    text = "a,b\n" + "1,x\n" * 300_000 + "2,é\n"
    for encoding in ("utf-8", "cp1252"):
        assert read(text.encode(encoding))["b"][-1] == "é"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_compressed_text(read, pack):
    assert read(pack(b"a,b\n1,x\n"), "some.anything") == {"a": [1], "b": ["x"]}


def test_quoted_fields(read):
    found = read('a,b\n1,"x, ""y""\nz"\n"2",""\n')
    assert found == {"a": [1, 2], "b": ['x, "y"\nz', None]}


@pytest.mark.parametrize("gap", ["", "NA", "N/A", "n/a", "nan", "NaN", "null", "NULL", "?", " ? "])
def test_spellings_of_nothing(read, gap):
    found = read(f"a,b\n1,x\n{gap},{gap}\n2,y\n")
    assert found == {"a": [1, None, 2], "b": ["x", None, "y"]}


def test_text_is_trimmed(read):
    assert read("a , b\n 1, x \n2 ,y\n") == {"a": [1, 2], "b": ["x", "y"]}


def test_a_decimal_comma_goes_with_semicolons_only(read):
    assert read("a;b\n1,5;x\n-,25;y\n") == {"a": [1.5, -0.25], "b": ["x", "y"]}
    assert read("a\tb\n1,5\tx\n-,25\ty\n")["a"] == ["1,5", "-,25"]


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        (["1", "2.5", "3"], [1.0, 2.5, 3.0]),
        (["007", "010", "123"], ["007", "010", "123"]),
        (["0", "-0.5", "0.25"], [0.0, -0.5, 0.25]),
        (["1", "2", "x"], ["1", "2", "x"]),
        (["2020-01-01", "x", "y"], ["2020-01-01", "x", "y"]),
        (["True", "False", "True"], ["True", "False", "True"]),
        (["9" * 20, "1", "2"], [1e20, 1.0, 2.0]),
    ],
    ids=str,
)
def test_only_columns_of_numbers_become_numbers(read, fields, values):
    assert read("a,b\n" + "".join(f"{field},1\n" for field in fields))["a"] == values


def test_a_word_in_the_last_of_many_rows_makes_the_column_text(read):
    found = read("a,b\n" + "1,2\n" * 100_000 + "one,2\n")
    assert found["a"][-2:] == ["1", "one"]
    assert found["b"][-1] == 2


def test_columns_without_a_name_get_one(read):
    assert read(",a,\n1,2,3\n") == {"column 1": [1], "a": [2], "column 3": [3]}


def test_blank_lines_are_left_out(read):
    assert read("\na,b\n\n1,2\n\n3,4\n\n") == {"a": [1, 3], "b": [2, 4]}


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
        (b"\n \n", "'some.csv' is empty"),
        (b"a,b", "has names of columns, but no rows"),
        (b"a,b\n\n", "has names of columns, but no rows"),
        (b"a,b\n1,2\n3\n", "Row 3 of 'some.csv' has 1 field, but the header has 2: repair"),
        (b"a,b\n1,2\n3,4,5\n6\n7\n", r"Row 3 .* 3 fields, .* has 2 \(as 2 more rows\): repair"),
        (b'a,b\n1,"x\ny"\n3\n', "Row 3 of"),
        (b'a,b\n1,"2\n3,4\n', "quotation mark in 'some.csv' is opened and never closed"),
        (b'a,b\n"x' + b",1\n" * 9, "is opened and never closed"),
        (b"a,b, a\n1,2,3\n", "Two columns of 'some.csv' are named 'a': rename one"),
        (b'"' + b"a" * 200_000 + b'",b\n1,2\n', "does not hold text"),
        (b"\x89PNG\r\n\x1a\n\0\0", "is no table but a picture"),
        (b"PK\x03\x04....", "Excel workbook.*save the sheet as CSV"),
        (b"\n<!DOCTYPE html><table>", "is no table but HTML"),
        (b'{"a": 1, "b": 2}', "is no table but JSON"),
        (bytes(range(256)), "is no table: it does not hold text"),
        (b"\xff\xfea", "is no table: it does not hold text"),
        (b"a,b\n1,\x01\xff\n", "is no table: it does not hold text"),
        (b"a,b\n" + b"1,2\n" * 300_000 + b"\0", "is no table: it does not hold text"),
        (gzip.compress(b"a,b\n1,2\n")[:-9], "'some.csv' cannot be read: "),
        (as_parquet(pa.table({"a": [1]}))[:-20], "'some.csv' cannot be read: "),
        (b"ARROW1" + bytes(30), "'some.csv' cannot be read: "),
        (as_parquet(pa.table({"a": pa.array([], pa.int64())})), "but no rows"),
        (as_parquet(pa.table([[1], [2]], ["a", "a"])), "Two columns of 'some.csv' are named 'a'"),
    ],
    ids=lambda one: None if isinstance(one, str) else repr(one[:12]),
)
def test_broken_files_get_one_line(read, written, says):
    with pytest.raises(ValueError, match=says) as caught:
        read(written)
    assert type(caught.value) is ValueError
    assert "\n" not in str(caught.value)


def test_rows_longer_than_a_block_are_refused(read, monkeypatch):
    monkeypatch.setattr("nacre.table.delimited.BLOCK", 1000)
    with pytest.raises(ValueError, match=r"^'some.csv' cannot be read: .*") as caught:
        read("a,b\n1," + "x" * 3000 + "\n")
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="is opened and never closed"):
        read('a,b\n1,"' + "x\n" * 3000)


def test_no_such_file(tmp_path):
    path = tmp_path / "no.csv"
    with pytest.raises(FileNotFoundError, match=re.escape(f"There is no file {str(path)!r}.")):
        read_table(path)
    with pytest.raises(ValueError, match="is a folder: name a file in it"):
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
        (pl.DataFrame({"a": [1]}).lazy(), None, TypeError, "collect"),
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
    gzip.compress(TEXT.encode()),
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


@given(written=st.one_of(st.binary(), damaged(), st.text('a1,;"\n.-é \t').map(str.encode)))
def test_any_bytes_are_a_table_or_refused_in_one_line(written):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "any"
        path.write_bytes(written)
        error = refusal(path)
    assert error is None or type(error) is ValueError
    assert "\n" not in str(error)


CELLS = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=5)


@given(rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1), mark=st.sampled_from(",;\t|"))
def test_quoted_text_comes_back(rows, mark):
    """Read by another reader of CSV, but for numbers, spaces and gaps."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=mark, quoting=csv.QUOTE_ALL)
    writer.writerows([("a", "b", "c"), *rows])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "some.csv"
        path.write_text(text.getvalue(), encoding="utf-8", newline="")
        found = content(path)
    for name, given_column in zip("abc", zip(*rows, strict=True), strict=True):
        for value, cell in zip(found[name], given_column, strict=True):
            if isinstance(value, str):
                assert value == cell.strip()
