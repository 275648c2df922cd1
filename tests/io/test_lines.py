"""Rows of a text file, and the lines where they stand."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.io.lines import Row, read_rows


def rows(tmp_path, data):
    path = tmp_path / "table.csv"
    path.write_bytes(data)
    return list(read_rows(path))


def test_a_row_may_have_several_lines(tmp_path):
    data = b'a,b\n1,"two\nlines"\n\n2,x\n3,"\n\n"\n4,y'
    assert rows(tmp_path, data) == [
        Row(1, 1, ["a", "b"]),
        Row(2, 3, ["1", "two\nlines"]),
        Row(5, 5, ["2", "x"]),
        Row(6, 8, ["3", "\n\n"]),
        Row(9, 9, ["4", "y"]),
    ]


@pytest.mark.parametrize("mark", [b"", "\ufeff".encode()])
def test_ends_of_lines_of_windows_are_one(tmp_path, mark):
    found = rows(tmp_path, mark + b'a;b\r\n1;"x\r\ny"\r\n2;z\r\n')
    assert [one[:2] for one in found] == [(1, 1), (2, 3), (4, 4)]
    assert found[0].fields == ["a", "b"]


def test_a_carriage_return_in_a_cell_ends_no_line(tmp_path):
    found = rows(tmp_path, b'a,b\n1,"x\ry"\n2,z\n')
    assert [one[:2] for one in found] == [(1, 1), (2, 2), (3, 3)]


CELL = st.text(st.sampled_from('ab ,"\n\ré'), max_size=6)


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=8))
def test_lines_are_those_that_an_editor_shows(tmp_path_factory, cells):
    """The text from the first to the last line of a row, and no other, is the row."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([("first", "second"), *cells])
    found = rows(tmp_path_factory.mktemp("lines"), text.getvalue().encode())
    lines = text.getvalue().split("\n")
    for row, wanted in zip(found, [("first", "second"), *cells], strict=True):
        alone = io.StringIO("\n".join(lines[row.first - 1 : row.last]), newline="")
        assert [tuple(one) for one in csv.reader(alone)] == [wanted] == [tuple(row.fields)]
