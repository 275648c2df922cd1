"""Tables in workbooks, JSON lines, databases, folders and standard input."""

import builtins
import datetime
import gzip
import io
import json
import re
import sqlite3
import subprocess
import sys
import zipfile

import duckdb
import openpyxl
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nacre.io import read_table, write_table
from nacre.io.place import beside, split_place
from nacre.io.read import read_source

DAYS = [datetime.datetime(2023, 1, day) for day in (1, 2, 3)]
VALUES = {"a": [1, 2, 3], "b": ["x", None, "z"], "c": [1.5, 2.0, -1.0]}
ROWS = list(zip(*VALUES.values(), strict=True))


@pytest.fixture
def folder(tmp_path):
    """A table behind every door."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "First"
    for row in (
        ["a", "b", "c", "day"],
        *((*row, day) for row, day in zip(ROWS, DAYS, strict=True)),
    ):
        sheet.append(row)
    other = book.create_sheet("Second")
    for row in (["Sales of 2023"], [], ["x", "y", "z"], [1, True, "=1+1"], [2, False, "t"]):
        other.append(row)
    book.create_sheet("Empty")
    book.save(tmp_path / "book.xlsx")
    with sqlite3.connect(tmp_path / "shop.db") as base:
        base.execute("CREATE TABLE orders (a INT, b TEXT, c REAL)")
        base.executemany("INSERT INTO orders VALUES (?, ?, ?)", ROWS)
        base.execute('CREATE VIEW "odd ""name""" AS SELECT a FROM orders')
    base.close()
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as base:
        base.execute("CREATE TABLE orders (a INT, b TEXT, c DOUBLE)")
        base.executemany("INSERT INTO orders VALUES (?, ?, ?)", ROWS)
    lines = [json.dumps(dict(zip(VALUES, row, strict=True))) for row in ROWS]
    (tmp_path / "lines.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "lines.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    (tmp_path / "list.json").write_text(f"[{', '.join(lines)}]")
    (tmp_path / "parts").mkdir()
    pq.write_table(pa.table(VALUES)[:2], tmp_path / "parts" / "0.parquet")
    pq.write_table(pa.table(VALUES)[2:], tmp_path / "parts" / "1.parquet")
    return tmp_path


def values(source, **options):
    return read_source(source, **options).frame.to_arrow().to_pydict()


@pytest.mark.parametrize(
    "door",
    ["shop.db::orders", "shop.duckdb", "shop.duckdb::orders", "lines.jsonl", "lines.jsonl.gz",
     "list.json", "parts"],
)  # fmt: skip
def test_every_door_leads_to_the_same_table(folder, door):
    assert values(folder / door) == VALUES
    assert values(str(folder / door)) == VALUES


def test_workbooks(folder):
    assert values(folder / "book.xlsx::First") == {**VALUES, "day": DAYS}
    found = read_source(folder / "book.xlsx")
    assert found.suffix == ".xlsx"
    assert found.notes == [
        "The sheet 'First' of 'book.xlsx' is read; book.xlsx::SHEET reads another: "
        "'Second', 'Empty'."
    ]
    second = read_source(folder / "book.xlsx::Second")
    assert second.frame.to_arrow().to_pydict()["y"] == [True, False]
    assert second.notes == ["The line above the names of the columns is left out: 'Sales of 2023'."]


def test_workbooks_come_back(folder):
    frame = read_source(folder / "book.xlsx").frame
    write_table(frame, folder / "out.xlsx")
    assert values(folder / "out.xlsx") == {**VALUES, "day": DAYS}
    risky = pa.table({"a": ["=1+1", "-5", "\x00<&>"], "n": [1, None, 3]})
    write_table(risky, folder / "out.xlsx", safe=True)
    (book,) = openpyxl.load_workbook(folder / "out.xlsx").worksheets
    assert all(cell.data_type != "f" for cell in book["A"])
    assert values(folder / "out.xlsx") == {"a": ["=1+1", "-5", "\ufffd<&>"], "n": [1, None, 3]}


def test_workbooks_keep_times_formats_and_the_name_of_the_sheet(tmp_path):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Ward & 3"
    day = datetime.date(2023, 1, 17)
    row = [datetime.time(7, 30), 0.25, day, 1.5, datetime.timedelta(hours=30), "a"]
    formats = ["h:mm", "0.00%", "dd/mm/yyyy", '#,##0.00 "€"', "[h]:mm:ss", "General"]
    sheet.append(["at", 2020, "day", "price", "took", "name"])  # a number that is a name
    for _ in range(2):
        sheet.append(row)
        for cell, one in zip(sheet[sheet.max_row], formats, strict=True):
            cell.number_format = one
    book.save(tmp_path / "in.xlsx")
    found = read_source(tmp_path / "in.xlsx")
    more = found.frame.with_columns(found.frame["name"].alias("nacre_label"))
    write_table(more.to_native(), tmp_path / "out.xlsx")
    (written,) = openpyxl.load_workbook(tmp_path / "out.xlsx").worksheets
    assert written.title == "Ward & 3"
    for cells in written.iter_rows(min_row=2):
        assert [cell.value for cell in cells] == [
            *row[:2], datetime.datetime(2023, 1, 17), *row[3:], "a"
        ]  # fmt: skip
        assert [cell.number_format for cell in cells] == [*formats, "General"]
    assert values(tmp_path / "out.xlsx") == {
        **values(tmp_path / "in.xlsx"),
        "nacre_label": ["a"] * 2,
    }


def test_columns_of_several_formats_keep_none(tmp_path):
    book = openpyxl.Workbook()
    for row in (["a", "b"], [0.5, 1], [2, 1]):
        book.active.append(row)
    book.active["A2"].number_format = "0%"
    book.save(tmp_path / "in.xlsx")
    write_table(read_table(tmp_path / "in.xlsx"), tmp_path / "out.xlsx")
    (written,) = openpyxl.load_workbook(tmp_path / "out.xlsx").worksheets
    assert {cell.number_format for cell in written["A"]} == {"General"}


def test_times_of_any_table_are_times_in_a_workbook(tmp_path):
    times = [(datetime.datetime.min + datetime.timedelta(seconds=s)).time()
             for s in (0, 1, 86_399, *range(7, 86_400, 997))]  # fmt: skip
    write_table(pa.table({"t": times, "n": range(len(times))}), tmp_path / "out.xlsx")
    assert values(tmp_path / "out.xlsx")["t"] == times


@pytest.mark.parametrize("said", [b"{", b"[]", b'{"name": 1, "formats": {}}', b'{"formats": 1}'])
def test_what_others_say_of_a_sheet_does_no_harm(tmp_path, said):
    table = pa.table(VALUES).replace_schema_metadata({b"nacre.sheet": said})
    write_table(table, tmp_path / "out.xlsx")
    assert values(tmp_path / "out.xlsx::table") == VALUES


@pytest.mark.parametrize(
    ("notes", "says"),
    [
        ([], "The sheet 'Notes' of 'x.xlsx' is empty, and 'x.xlsx' has 2 sheets: name one, as in "
             "x.xlsx::Data. There are 'Notes', 'Data'."),
        (["Ask Ann"], "The sheet 'Notes' of 'x.xlsx' has names of columns, but no rows, and "
                      "'x.xlsx' has 2 sheets: name one, as in x.xlsx::Data."),
    ],
)  # fmt: skip
def test_a_first_sheet_that_is_no_table(tmp_path, notes, says):
    book = openpyxl.Workbook()
    book.active.title = "Notes"
    book.active.append(notes)
    data = book.create_sheet("Data")
    for row in (["a", "b"], [1, 2]):
        data.append(row)
    book.save(tmp_path / "x.xlsx")
    with pytest.raises(ValueError, match=re.escape(says)):
        read_table(tmp_path / "x.xlsx")
    assert values(tmp_path / "x.xlsx::Data") == {"a": [1], "b": [2]}


def test_tables_too_large_for_a_sheet(tmp_path, monkeypatch):
    monkeypatch.setattr("nacre.io.write.MOST_COLUMNS", 2)
    with pytest.raises(ValueError, match=r"A sheet holds .* and 2 columns.* 3 and 3: write .csv"):
        write_table(pa.table(VALUES), tmp_path / "out.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_json_lines_of_several_kinds(tmp_path):
    path = tmp_path / "some.jsonl"
    path.write_text('{"a": 1, "d": "2023-01-17"}\n\n{"a": "x", "n": {"q": 1}}\n')
    found = values(path)
    assert found == {"a": ["1", "x"], "d": ["2023-01-17", None], "n": [None, {"q": 1}]}
    path.write_text('{"d": "2023-01-17", "l": [1]}\n{"d": "2023-01-18", "l": [2]}\n')
    assert values(path) == {"d": ["2023-01-17", "2023-01-18"], "l": [[1], [2]]}


def test_json_lines_end_with_a_line_feed_only(tmp_path):
    """Text may hold what Unicode has for line breaks."""
    path = tmp_path / "some.jsonl"
    path.write_bytes('{"a": 1, "b": "x\u2028y"}\r\n{"a": "z", "b": "\u0085"}\n'.encode())
    assert values(path) == {"a": ["1", "z"], "b": ["x\u2028y", "\u0085"]}


def test_folders_that_say_values(tmp_path):
    for year in (2020, 2021):
        place = tmp_path / f"year={year}"
        place.mkdir()
        pq.write_table(pa.table({"a": [year % 100]}), place / "0.parquet")
    assert values(tmp_path) == {"a": [20, 21], "year": [2020, 2021]}


def test_whole_numbers_and_others_in_the_files_of_a_folder(tmp_path):
    for year, column in ((2020, [1, 2]), (2021, [1.5, None]), (2022, [None, None])):
        (tmp_path / f"year={year}").mkdir()
        pq.write_table(
            pa.table({"a": column, "b": ["x", "y"]}), tmp_path / f"year={year}/0.parquet"
        )
    assert values(tmp_path) == {
        "a": [1.0, 2.0, 1.5, None, None, None],
        "b": ["x", "y"] * 3,
        "year": [2020, 2020, 2021, 2021, 2022, 2022],
    }


def test_formulas_without_values_are_said(tmp_path):
    book = openpyxl.Workbook()
    for row in (["a", "twice", "none"], [1, "=A2*2", None], [2, "=A3*2", None]):
        book.active.append(row)
    book.save(tmp_path / "some.xlsx")
    found = read_source(tmp_path / "some.xlsx")
    says = (
        "Column 'twice' holds formulas, but 'some.xlsx' does not hold their values: open it in "
        "Excel and save it."
    )
    assert found.notes == [says]
    book.active.delete_cols(1)
    book.save(tmp_path / "some.xlsx")
    with pytest.raises(ValueError, match=r"sheet 'Sheet' of 'some\.xlsx' holds formulas, but"):
        read_source(tmp_path / "some.xlsx")


@pytest.mark.parametrize(
    ("door", "says"),
    [
        ("book.xlsx::Nope", "no sheet 'Nope' in 'book.xlsx': it has 'First', 'Second', 'Empty'"),
        ("book.xlsx::Empty", "The sheet 'Empty' of 'book.xlsx' is empty"),
        ("cut.xlsx", "'cut.xlsx' is a damaged Excel workbook, or another ZIP archive"),
        ("other.zip", "'other.zip' is a damaged Excel workbook, or another ZIP archive"),
        ("broken.xlsx", "'broken.xlsx' is a damaged Excel workbook"),
        ("locked.xlsx", "old or encrypted Excel workbook: save it as .xlsx, without a password"),
        ("shop.db", "'shop.db' has 2 tables: name one, as in shop.db::odd"),
        ("shop.db::nope", "no table 'nope' in 'shop.db': it has"),
        ("bad.db", "'bad.db' cannot be read as an SQLite database: "),
        ("shop.duckdb::nope", "no table 'nope' in 'shop.duckdb': it has 'orders'"),
        ("bad.duckdb", "'bad.duckdb' cannot be read as DuckDB: "),
        ("bad.jsonl", "Line 2 of 'bad.jsonl' is no JSON: Expecting value"),
        ("row.jsonl", "Line 2 of 'row.jsonl' is no JSON object"),
        ("bad.json", "'bad.json' is no JSON: "),
        ("row.json", "Entry 2 of 'row.json' is no JSON object"),
        ("none", "is a folder without Parquet files: name a file in it"),
        (
            "differ",
            "'1.parquet' in 'differ' has other columns than '0.parquet', beginning with 'b'",
        ),
        ("kinds", "Column 'a' is string in '1.parquet', but int64 in '0.parquet': write it in one"),
        ("text.parquet", "'text.parquet' is no Parquet file, in spite of its name, and no other"),
        ("bytes.pq", "'bytes.pq' is no Parquet file, .*: 'bytes.pq' is no table"),
        ("text.xlsx", "'text.xlsx' is no Excel workbook, in spite of its name"),
        ("some.csv::x", "no 'x' in 'some.csv': :: is for sheets"),
    ],
)
def test_bad_input_gets_one_line(folder, door, says):
    whole = (folder / "book.xlsx").read_bytes()
    (folder / "cut.xlsx").write_bytes(whole[: len(whole) // 2])
    with zipfile.ZipFile(folder / "other.zip", "w") as archive:
        archive.writestr("some.csv", "a,b\n1,2\n")
    with zipfile.ZipFile(folder / "book.xlsx") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(folder / "broken.xlsx", "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text[:-40] if "sheet1" in name else text)
    (folder / "locked.xlsx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500))
    (folder / "text.parquet").write_text("garbage\n")
    (folder / "text.xlsx").write_text("garbage\n")
    (folder / "bytes.pq").write_bytes(bytes(range(256)))
    (folder / "bad.db").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    (folder / "bad.duckdb").write_bytes(bytes(8) + b"DUCK" + b"x" * 20_000)
    (folder / "bad.jsonl").write_text('{"a": 1}\n{"a": }\n')
    (folder / "row.jsonl").write_text('{"a": 1}\n[1]\n')
    (folder / "bad.json").write_text('[{"a": 1},')
    (folder / "row.json").write_text('[{"a": 1}, 2]')
    (folder / "none").mkdir()
    (folder / "differ").mkdir()
    pq.write_table(pa.table({"a": [1]}), folder / "differ" / "0.parquet")
    pq.write_table(pa.table({"b": ["x"]}), folder / "differ" / "1.parquet")
    (folder / "kinds").mkdir()
    pq.write_table(pa.table({"a": [1], "b": [1]}), folder / "kinds" / "0.parquet")
    pq.write_table(pa.table({"a": ["x"], "b": [1.5]}), folder / "kinds" / "1.parquet")
    (folder / "some.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=says) as caught:
        read_table(folder / door)
    assert type(caught.value) is ValueError
    assert "\n" not in str(caught.value)


def test_no_such_file_with_a_table(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no file .*nope.db'"):
        read_table(tmp_path / "nope.db::orders")


@pytest.mark.parametrize(
    "door",
    ["book.xlsx", "shop.db::orders", "shop.duckdb", "lines.jsonl.gz", "parts"],
)
def test_no_door_lets_in_more_than_it_may(folder, door):
    with pytest.raises(ValueError, match=r"expands to more than 10 B: .* --max-size"):
        read_table(folder / door, max_size=10)


def test_workbooks_that_expand_without_end_are_refused(tmp_path):
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b"<a>" + b" " * 10**7)
    assert path.stat().st_size < 10**5
    with pytest.raises(ValueError, match=r"'bomb.xlsx' \(.* KB\) expands to more than 1 MB"):
        read_table(path, max_size=1e6)


def test_databases_in_use(folder):
    hold = (
        "import duckdb, sys; base = duckdb.connect(sys.argv[1]); print('held', flush=True); input()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", hold, str(folder / "shop.duckdb")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert other.stdout.readline().strip() == b"held"
        with pytest.raises(ValueError, match=r"'shop.duckdb' is in use by another program"):
            read_table(folder / "shop.duckdb")
    finally:
        other.communicate(b"\n")


@pytest.mark.parametrize(
    ("door", "module", "extra"),
    [("book.xlsx", "openpyxl", "excel"), ("shop.duckdb", "duckdb", "duckdb")],
)
def test_what_is_missing_is_said(folder, monkeypatch, door, module, extra):
    usual = builtins.__import__

    def without(name, *rest):
        if name == module:
            raise ModuleNotFoundError(name=name)
        return usual(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.delitem(sys.modules, module)
    with pytest.raises(ValueError, match=rf"needs one more package: .*nacre-boost\[{extra}\]"):
        read_table(folder / door)


# Standard input


class Input(io.BytesIO):
    """Bytes as standard input has them."""

    tty = False

    @property
    def buffer(self):
        return self

    def isatty(self):
        return self.tty


@pytest.mark.parametrize("name", ["lines.jsonl", "list.json", "parts/0.parquet", "book.xlsx"])
def test_standard_input(folder, monkeypatch, name):
    monkeypatch.setattr(sys, "stdin", Input((folder / name).read_bytes()))
    expected = values(folder / name)
    assert values("-") == expected


def test_standard_input_that_is_no_table(monkeypatch):
    monkeypatch.setattr(sys, "stdin", Input(b""))
    with pytest.raises(ValueError, match="'standard input' is empty"):
        read_table("-")
    monkeypatch.setattr(sys, "stdin", Input(b"a,b\n" * 1000))
    with pytest.raises(ValueError, match=r"'standard input' .* more than 1 KB"):
        read_table("-", max_size=1000)
    terminal = Input(b"")
    terminal.tty = True
    monkeypatch.setattr(sys, "stdin", terminal)
    with pytest.raises(ValueError, match="Standard input is a terminal: pipe a table into it"):
        read_table("-")


# In memory


def test_lazy_frames_and_batches():
    lazy = pl.DataFrame(VALUES).lazy().filter(pl.col("a") > 1)
    assert values(lazy)["a"] == [2, 3]
    assert values(pa.record_batch(VALUES)) == VALUES
    assert values(duckdb.sql("SELECT 7 AS a")) == {"a": [7]}


def test_lazy_frames_that_cannot_be_collected(tmp_path):
    lazy = pl.DataFrame(VALUES).lazy().select("nope")
    with pytest.raises(ValueError, match=r"^The lazy frame cannot be collected: .*nope.*\.$"):
        read_table(lazy)
    with pytest.raises(FileNotFoundError, match=r"nope\.csv"):
        read_table(pl.scan_csv(tmp_path / "nope.csv"))


# Places


def test_places(tmp_path):
    assert split_place("shop.db::orders")[1] == "orders"
    assert split_place("shop.db") == (split_place("shop.db::x")[0], None)
    strange = tmp_path / "a::b.csv"
    strange.write_text("a,b\n1,2\n")
    assert split_place(strange) == (strange, None)
    assert values(strange) == {"a": [1], "b": [2]}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("in/data.csv", "in/data-audit"),
        ("in/shop.db::orders", "in/shop-orders-audit"),
        ("in/book.xlsx::a/b", "in/book-a_b-audit"),
        ("-", "table-audit"),
    ],
)
def test_where_answers_go(source, name):
    assert str(beside(source, "-audit")) == name
