"""A table read in parts is the table."""

import csv

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.io.parts import find_parts, table_size
from nacre.io.read import read_source


def rows_of(table, types=None):
    return [row for part in table.parts for row in table.read(part, types).to_pylist()]


CELLS = st.text('ab"\n\r, ;é', max_size=6).map(lambda text: f"x{text}x")


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=30), st.integers(8, 200))
def test_stretches_of_a_csv_file_never_cut_a_row(tmp_path_factory, rows, size):
    path = tmp_path_factory.getbasetemp() / "cut.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("one\nname", "other"), *rows])
    table = find_parts(path, size)
    assert rows_of(table) == read_source(path).frame.to_native().to_pylist()
    assert [part.number for part in table.parts] == list(range(len(table.parts)))


@pytest.mark.parametrize("note", ["plain", '"two\nlines"'])
def test_marks_within_fields_enclose_nothing(tmp_path, note):
    """5" is five inches; a last line that spans two is no sign of a mark that is left open."""
    counts = []
    for stray in ((), (10,), (10, 1990)):
        lines = [f"5{chr(34) * (i in stray)} pipe,{i % 2},{note}\n" for i in range(2000)]
        path = tmp_path / f"{len(stray)}.csv"
        path.write_text("size,y,note\n" + "".join(lines))
        table = find_parts(path, 4000)
        assert [row["y"] for row in rows_of(table)] == [i % 2 for i in range(2000)]
        counts.append(len(table.parts))
    assert counts[0] > 5
    assert len({*counts}) == 1


@pytest.mark.parametrize("above", ["\ufeff", "\n\n", "sep=,\r\n\r\n", "\ufeffsep=,\n"])
def test_what_stands_above_the_names_costs_no_row(tmp_path, above):
    path = tmp_path / "a.csv"
    path.write_text(above + '"one\nname",y\n' + "".join(f"{i},2\n" for i in range(100)), "utf-8")
    table = find_parts(path, 60)
    assert len(table.parts) > 5
    assert [list(row.values()) for row in rows_of(table)] == [[i, 2] for i in range(100)]


def test_columns_of_all_parts_have_the_types_they_are_told(tmp_path):
    path = tmp_path / "mixed.csv"
    lines = [f"{i},{i},{i}.5" for i in range(100)] + ["none,7,8"] * 100
    path.write_text("\n".join(["word,whole,number", *lines]) + "\n")
    table = find_parts(path, 400)
    assert len(table.parts) > 3
    types = {"word": pa.string(), "whole": pa.int64(), "number": pa.float64()}
    found = [table.read(part, types) for part in table.parts]
    assert {tuple(map(str, one.schema.types)) for one in found} == {("string", "int64", "double")}
    assert pa.concat_tables(found).to_pylist() == read_source(path).frame.to_native().to_pylist()


@pytest.fixture
def folder(tmp_path):
    for year in (2024, 2025):
        place = tmp_path / "sales" / f"year={year}"
        place.mkdir(parents=True)
        table = pa.table({"a": list(range(year, year + 50)), "b": ["x", "y"] * 25})
        pq.write_table(table, place / "one.parquet", row_group_size=10)
    return tmp_path / "sales"


@pytest.mark.parametrize("place", ["", "*/*.parquet", "year=2025/*.parquet"])
def test_row_groups_make_parts_and_folders_columns(folder, place):
    path = folder / place if place else folder
    table = find_parts(path, 20 * 8 * 2)
    assert {part.rows for part in table.parts} == {10, 20}
    assert rows_of(table) == read_source(path).frame.to_native().to_pylist()
    assert ("year" in table.names) == (place != "year=2025/*.parquet")


def test_the_size_of_a_table_is_known_before_it_is_read(folder, tmp_path):
    cells, pages = table_size(folder)
    assert cells == 200
    assert pages > 0
    (tmp_path / "a.csv").write_text("a,b\n" + "1,2\n" * 300)
    assert table_size(tmp_path / "a.csv")[0] == 1204 // 6
    (tmp_path / "a.json").write_text('{"a": 1}\n')
    assert table_size(tmp_path / "a.json") is None
    (tmp_path / "a.duckdb").write_bytes(bytes(8) + b"DUCK" + bytes(100))
    assert table_size(tmp_path / "a.duckdb") is None


def test_other_columns_in_a_file_are_refused(folder):
    two = folder / "year=2025" / "two.parquet"
    pq.write_table(pa.table({"c": [1.5], "b": ["x"]}), two)
    with pytest.raises(ValueError, match=r"beginning with 'c': they are not of one table\."):
        find_parts(folder)
    pq.write_table(pa.table({"a": ["x"], "b": ["x"]}), two)
    with pytest.raises(ValueError, match=r"Column 'a' is string in 'two\.parquet', but int64 in"):
        find_parts(folder)


def test_whole_numbers_in_one_file_and_others_in_the_next(folder):
    pq.write_table(pa.table({"a": [1.5], "b": ["x"]}), folder / "year=2025" / "two.parquet")
    table = find_parts(folder)
    assert {str(table.read(part).schema.field("a").type) for part in table.parts} == {"double"}
    assert rows_of(table) == read_source(folder).frame.to_native().to_pylist()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x1f\x8bpacked", "can only be read whole: save it as Parquet"),
        (b'{"a": 1}\n', "can only be read whole"),
        ("a,b\n1,2\n".encode("utf-16"), "is UTF-16"),
        (b'a,b\n1,"2\n3,4\n', "opened and never closed"),
        (b'a,b\n5",2\n1,"2\n3,4\n', "opened and never closed"),
        (b"a,b\n", "no rows"),
    ],
)
def test_what_cannot_be_read_in_parts_is_refused_in_a_line(tmp_path, content, said):
    path = tmp_path / "table"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=said):
        find_parts(path)


def test_files_that_are_not_there_or_change(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no file .*no\.csv"):
        find_parts(tmp_path / "no.csv")
    with pytest.raises(FileNotFoundError, match=r"There is no file .*\*\.parquet"):
        find_parts(tmp_path / "*.parquet")
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n")
    table = find_parts(path)
    path.write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(ValueError, match="has changed since the audit began"):
        table.read(table.parts[0])


def test_a_file_that_was_written_anew_is_read_anew(tmp_path):
    path = tmp_path / "a.parquet"
    for values in (np.arange(1000.0), np.arange(1500.0) + 5000):
        pq.write_table(pa.table({"x": values}), path, row_group_size=500)
        table = find_parts(path, 1)
        assert len(table.parts) == len(values) // 500
        assert [row["x"] for row in rows_of(table)] == values.tolist()
