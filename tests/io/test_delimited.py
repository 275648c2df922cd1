import bz2
import csv
import gzip
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.io import read_table
from nacre.io.read import read_source

# How text is written


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=repr)
def test_delimiters_and_line_ends(read, mark, end):
    rows = [["a", "b", "c"], ["1", "x y", "2.5"], ["2", "z", "-1e3"]]
    found = read(end.join(mark.join(row) for row in rows) + end)
    assert found == {"a": [1, 2], "b": ["x y", "z"], "c": [2.5, -1000.0]}


def test_the_delimiter_that_parts_all_rows_alike_is_taken(read):
    assert read("name;of, all\nx, y;1\nz;2\n") == {"name": ["x, y", "z"], "of, all": [1, 2]}


def test_names_that_hold_commas_beside_decimal_commas(read):
    found = read("height, cm;weight, kg;label\n170,5;70,5;a\n180,5;80,5;b\n")
    assert found == {
        "height, cm": ["170,5", "180,5"],
        "weight, kg": ["70,5", "80,5"],
        "label": ["a", "b"],
    }
    assert list(read("a, b, c\n1, 2, 3\n")) == ["a", "b", "c"]


@pytest.mark.filterwarnings("ignore:'some.csv' is not UTF-8")
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]
)
def test_encodings(read, encoding):
    assert read("naïve,é\n1,ü\n2,ß\n".encode(encoding)) == {"naïve": [1, 2], "é": ["ü", "ß"]}


@pytest.mark.filterwarnings("ignore:'some.csv' is not UTF-8")
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


def test_what_may_be_read_in_two_ways_stays_text(read):
    assert read("a;b\n1,5;x\n-,25;y\n") == {"a": ["1,5", "-,25"], "b": ["x", "y"]}
    assert read("a;b\n35.000;1\n388;2\n")["a"] == ["35.000", "388"]
    for plain in (["35.125", "388"], ["35.000", "1.25"], ["35.000", "0.125"], ["35.000", "1.500"]):
        assert read(f"a;b\n{plain[0]};1\n{plain[1]};2\n")["a"] == [float(one) for one in plain]


TABLE = "name;sum;when\nx;1;2020-01-01\ny;2;2020-01-02\n"
VALUES = {"name": ["x", "y"], "sum": [1, 2], "when": ["2020-01-01", "2020-01-02"]}


@pytest.mark.filterwarnings("ignore:The line above")
@pytest.mark.parametrize(
    "above",
    [
        "sep=;\n", "sep=;\r\n", '"sep=;"\n', "\ufeffsep=;\n", "Sales, spring 2020\n",
        "Sales 2020\n\n", "Sales 2020;;\n", "sep=;\nSales 2020\n", 'Sales\nof "all" shops\n\n',
        '"Sales of\nall shops"\n', "\n\nSales\n",
    ],
    ids=repr,
)  # fmt: skip
def test_lines_above_the_names(read, above):
    assert read(above + TABLE) == VALUES


def test_a_title_is_noted(tmp_path):
    found = notes(tmp_path, ("Sales 2020\n" + TABLE).encode())
    assert found.notes == ["The line above the names of the columns is left out: 'Sales 2020'."]
    assert notes(tmp_path, ("sep=;\n" + TABLE).encode()).notes == []


@pytest.mark.filterwarnings("ignore:The line above")
def test_heads_of_groups_of_columns_are_no_names(read):
    groups = "Ward 7\n\nPatient;;Test;\n"
    names = {"name": ["x", "y"], "age": [1, 2], "value": [0.5, 0.7], "when": ["soon", "then"]}
    below = "name;age;value;when\nx;1;0.5;soon\ny;2;0.7;then\n"
    assert read(groups + below) == names
    assert list(read("Patient;;Test;\nx;1;0.5;soon\n")) == [
        "Patient",
        "column 2",
        "Test",
        "column 4",
    ]


def test_any_delimiter_may_be_told(read):
    assert read("sep=:\na:b\n1:2\n") == {"a": [1], "b": [2]}


def test_what_is_no_title(read):
    assert read("comment\nwell, so\nbad, then\n") == {"comment": ["well, so", "bad, then"]}
    assert list(read("a,,\n1,2,3\n4,5,6\n")) == ["a", "column 2", "column 3"]


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        (["1", "2.5", "3"], [1.0, 2.5, 3.0]),
        (["007", "010", "123"], ["007", "010", "123"]),
        (["0", "-0.5", "0.25"], [0.0, -0.5, 0.25]),
        (["1", "2", "x"], ["1", "2", "x"]),
        (["2020-01-01", "x", "y"], ["2020-01-01", "x", "y"]),
        (["True", "False", "True"], ["True", "False", "True"]),
        (["9" * 20, "1", "2"], ["9" * 20, "1", "2"]),
        (["9" * 20, "1.5", "2"], [1e20, 1.5, 2.0]),
        (["0x10", "16", "17"], ["0x10", "16", "17"]),
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


@pytest.mark.parametrize("name", ["<5", "{a}", "[x]", "<none>"])
def test_headers_that_begin_as_pages_do(read, name):
    assert read(f"{name},b\n1,2\n") == {name: [1], "b": [2]}


def test_long_headers(read):
    names = [f"column number {j:06d}" for j in range(70_000)]
    found = read(",".join(names) + "\n" + ",".join(["1"] * 70_000) + "\n")
    assert list(found) == names


def test_a_name_without_end_is_refused(refuse):
    refuse("h" * 140_000 + ",y\n1,2\n", "holds a name of more than 131072 letters")


def test_blank_lines_are_left_out(read):
    assert read("\na,b\n\n1,2\n\n3,4\n\n") == {"a": [1, 3], "b": [2, 4]}


def notes(tmp_path, written):
    path = tmp_path / "some.csv"
    path.write_bytes(written)
    return read_source(path)


def test_a_stray_byte_costs_that_letter_only_and_is_noted(tmp_path):
    """All of the file was read as Windows-1252, which spoils every letter beyond ASCII."""
    text = "a,b\n1,größe\n2,été\n3,na".encode() + b"\xefve\n4,x\n"
    with pytest.warns(UserWarning, match=r"is UTF-8 but for 1 byte, taken for Windows-1252"):
        found = read_table(write(tmp_path, text))
    assert found["b"].to_list() == ["größe", "été", "naïve", "x"]
    assert len(notes(tmp_path, text).notes) == 1
    cut = "a,b\n1,größe\n2,été".encode()[:-1]
    assert notes(tmp_path, cut).frame["b"].to_list() == ["größe", "étÃ"]


def test_what_is_taken_for_windows_1252_is_noted(tmp_path):
    """Any 8 bits look like it."""
    says = (
        "'some.csv' is not UTF-8 and is taken for Windows-1252 (such as 'èìÿ'): save it as UTF-8 "
        "if letters look wrong."
    )
    assert notes(tmp_path, "x,имя\n1,Анна\n".encode("cp1251")).notes == [says]
    assert notes(tmp_path, "x,имя\n1,Анна\n".encode()).notes == []
    assert notes(tmp_path, "a,b\n1,5 € 6 °\n".encode("cp1252")).notes == []


def write(tmp_path, written):
    (tmp_path / "some.csv").write_bytes(written)
    return tmp_path / "some.csv"


def test_quotes_that_swallow_rows_are_noted(tmp_path):
    rows = [f"{i},x{i},{i}.5\n" for i in range(9)]
    rows[3], rows[6] = '3,"x3,3.5\n', '6,x6",6.5\n'
    found = notes(tmp_path, "".join(["a,b,c\n", *rows]).encode())
    assert len(found.frame) == 6
    assert found.notes == [
        "A cell of row 3 (from 0) holds 3 line breaks and looks like rows of the table: is a "
        "quotation mark before it opened by mistake?"
    ]
    prose = 'a,b\n1,"One, two.\nThree"\n2,"so ""it"",\nsays"\n3,"x\ny"\n'
    assert notes(tmp_path, prose.encode()).notes == []


# What is no table


@pytest.mark.parametrize(
    ("written", "says"),
    [
        (b"\n \n", "'some.csv' is empty"),
        (b"a,b", "has names of columns, but no rows"),
        (b"a,b\n\n", "has names of columns, but no rows"),
        (b"a,b\n1,2\n3\n", "Line 3 of 'some.csv' has 1 field, but the header has 2: repair"),
        (b"a,b\n1,2\n3,4,5\n6\n7\n", r"Line 3 .* 3 fields, .* has 2 \(as 2 more rows\): repair"),
        (b'a,b\n1,"x\ny"\n3\n', "Line 4 of"),
        (b"a title\n\na,b,c\n\n1,2,3\n\n4\n", "Line 7 of"),
        (gzip.compress(b"a,b\n\n1,2\n3\n", mtime=0), "Line 4 of"),
        (b'a,b\n1,"2\n3,4\n', "quotation mark in 'some.csv' is opened and never closed"),
        (b'a,b\n"x' + b",1\n" * 9, "is opened and never closed"),
        (b"a,b, a\n1,2,3\n", "Two columns of 'some.csv' are named 'a': rename one"),
        (b"0,1,0\n1,2,3\n", "are named '0': .*; the first line must hold the names of the columns"),
        (b'"' + b"a" * 200_000 + b'",b\n1,2\n', "holds a name of more than"),
        (b"\x89PNG\r\n\x1a\n\0\0", "is no table but a picture"),
        (b"PK\x03\x04....", "is a damaged Excel workbook, or another ZIP archive"),
        (b"\n<!DOCTYPE html><table>", "is no table but HTML"),
        (b'{"a": 1, "b": }', "Line 1 of 'some.csv' is no JSON: Expecting value"),
        (b'[{"a": 1]', "'some.csv' is no JSON: "),
        (b"[]", "There are no columns in 'some.csv'"),
        (bytes(range(256)), "is no table: it does not hold text"),
        (b"\xff\xfea", "is no table: it does not hold text"),
        (b"a,b\n1,\x81\xff\n", "The encoding of 'some.csv' is not known: save it as UTF-8"),
        (b"a,b\n1,\x81\x01\xff\n", "is no table: it does not hold text"),
        (b"a,b\n1,\x01\xff\n", "is no table: it does not hold text"),
        (b"a,b\n" + b"1,2\n" * 300_000 + b"\0", "is no table: it does not hold text"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0)[:-9], "'some.csv' cannot be read: "),
    ],
    ids=lambda one: None if isinstance(one, str) else repr(one[:12]),
)
def test_broken_files_get_one_line(refuse, written, says):
    refuse(written, says)


def test_rows_longer_than_a_block_are_refused(read, monkeypatch):
    monkeypatch.setattr("nacre.io.delimited.BLOCK", 1000)
    with pytest.raises(ValueError, match=r"^A row of 'some.csv' is longer than 0 MB") as caught:
        read("a,b\n1," + "x" * 3000 + "\n")
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="is opened and never closed"):
        read('a,b\n1,"' + "x\n" * 3000)


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
        found = read_table(path).to_arrow().to_pydict()
    for name, given_column in zip("abc", zip(*rows, strict=True), strict=True):
        for value, cell in zip(found[name], given_column, strict=True):
            if isinstance(value, str):
                assert value == cell.strip()
