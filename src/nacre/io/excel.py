"""Workbooks of spreadsheets: a sheet in, and sheets of plain values out.

openpyxl reads, which knows all that programs write; what is written here is so little (values, no
formulas) that it needs nobody's help, and a review has its workbook without it.
"""

from __future__ import annotations

import datetime
import math
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError
from xml.sax.saxutils import escape, quoteattr

from nacre.io.arrow import as_array, pa
from nacre.io.delimited import LOOKED_AT, title_rows
from nacre.io.place import no_part
from nacre.io.size import check_expanded

MOST_ROWS, MOST_COLUMNS, MOST_TEXT = 1_048_576, 16_384, 32_767
"""What a sheet, and a cell, can hold."""

SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
CONTENT = "application/vnd.openxmlformats-officedocument.spreadsheetml"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
"""Characters that XML cannot have."""

PER_CELL = 8
"""Bytes that a cell takes at least, once it is read."""

BROKEN = (
    ValueError, KeyError, IndexError, TypeError, AttributeError, EOFError, RuntimeError, ParseError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""What a library may raise where a workbook is damaged."""

STYLES = (
    f'<styleSheet xmlns="{SHEET}"><fonts count="1"><font/></fonts><fills count="1">'
    '<fill><patternFill patternType="none"/></fill></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="3"><xf/><xf numFmtId="14" applyNumberFormat="1"/>'
    '<xf numFmtId="22" applyNumberFormat="1"/></cellXfs><cellStyles count="1">'
    '<cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)
"""How cells look: as they are, as dates (style 1), as dates with the time (2)."""

ZERO = datetime.datetime(1899, 12, 30)
"""Day 0 of spreadsheets, as far as days from March 1900 on go."""

Sheet = tuple[Sequence[str], Iterable[Sequence[Any]]]
"""Names of columns, and rows."""


def read_sheet(path: Path, name: str | None, most: float) -> tuple[pa.Table, list[str]]:
    """A sheet of a workbook, by default the first, and notes on what may surprise.

    Parameters
    ----------
    path : of the .xlsx file
    name : of the sheet
    most : bytes that it may expand to
    """
    try:
        from openpyxl import load_workbook
    except ModuleNotFoundError:
        raise ValueError(
            f"{path.name!r} is an Excel workbook, which needs one more package: "
            "pip install 'nacre-boost[excel]'"
        ) from None
    with _damaged(path), zipfile.ZipFile(path) as archive:
        size = sum(part.file_size for part in archive.infolist())
        archive.getinfo("xl/workbook.xml")
    check_expanded(path, size, most)
    with path.open("rb") as file, warnings.catch_warnings():  # of a name, the ending would count
        warnings.simplefilter("ignore")  # of what it does not know, such as drawings
        with _damaged(path):
            book = load_workbook(file, read_only=True, data_only=True)
            names = [sheet.title for sheet in book.worksheets]
        if name is not None and name not in names:
            raise no_part(path, name, names, "sheet")
        with _damaged(path):
            sheet = book.worksheets[0 if name is None else names.index(name)]
            sheet.reset_dimensions()  # what a file says of its size need not be true
        rows = list(_filled(path, sheet.iter_rows(values_only=True), most))
        book.close()
    where = f"The sheet {sheet.title!r} of {path.name!r}"
    table, notes = _from_rows(rows, where)
    if name is None and len(names) > 1:
        notes.append(f"{where} is read; {path.name}::SHEET reads another.")
    return table, notes


@contextmanager
def _damaged(path: Path) -> Iterator[None]:
    """Have whatever a library says of a broken file be one line."""
    try:
        yield
    except BROKEN as error:
        why = " ".join(str(error).split())[:100]
        raise ValueError(
            f"{path.name!r} is a damaged Excel workbook, or another ZIP archive ({why})."
        ) from None


def _filled(path: Path, rows: Iterator[Sequence[Any]], most: float) -> Iterator[list[Any]]:
    """Rows without the empty ones and the empty cells at their ends."""
    size = 0
    while True:
        with _damaged(path):
            row = next(rows, None)
        if row is None:
            return
        cells = list(row)
        while cells and (cells[-1] is None or cells[-1] == ""):
            cells.pop()
        size += sum(PER_CELL + (len(one) if isinstance(one, str) else 0) for one in cells)
        check_expanded(path, size, most)
        if cells:
            yield cells


def _from_rows(rows: list[list[Any]], where: str) -> tuple[pa.Table, list[str]]:
    """A table of rows whose first has the names, below titles."""
    if not rows:
        raise ValueError(f"{where} is empty.")
    first = [["" if one is None else str(one) for one in row] for row in islice(rows, LOOKED_AT)]
    titles = title_rows(first)
    width = max(map(len, rows[titles:]))
    names = [name.strip() for name in first[titles]]
    names += [""] * (width - len(names))
    columns = [name or f"column {j + 1}" for j, name in enumerate(names)]
    cells = [[row[j] if j < len(row) else None for row in rows[titles + 1 :]]
             for j in range(width)]  # fmt: skip
    title = " ".join(field for row in first[:titles] for field in row if field)
    notes = [f"The line above the names of the columns is left out: {title[:60]!r}."]
    arrays = [_cells(one) for one in cells]
    return pa.Table.from_arrays(arrays, columns), notes if titles else []


def _cells(values: list[Any]) -> pa.Array:
    """Cells of a column in one type: dates and times too, which Arrow would not be asked for."""
    values = [None if one == "" else one for one in values]
    kinds = {type(one) for one in values} - {type(None)}
    if kinds and kinds <= {datetime.datetime, datetime.date}:
        return pa.array([_moment(one) for one in values], pa.timestamp("us"))
    if kinds == {datetime.time}:
        return pa.array(values, pa.time64("us"))
    if kinds == {datetime.timedelta}:
        return pa.array(values, pa.duration("us"))
    return as_array(values)


def _moment(value: Any) -> datetime.datetime | None:
    if value is None or isinstance(value, datetime.datetime):
        return value
    return datetime.datetime(value.year, value.month, value.day)


def write_workbook(path: Path, sheets: Mapping[str, Sheet]) -> None:
    """Write sheets to an .xlsx file, each row as it comes.

    Text is text, whatever it begins with; what is no number, boolean or date is written as text.
    Rows and characters beyond what a sheet can hold are left out.
    """
    names = list(sheets)
    parts = [f"xl/worksheets/sheet{k + 1}.xml" for k in range(len(names))]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("[Content_Types].xml", _types(parts))
        book.writestr("_rels/.rels", _relations([("officeDocument", "xl/workbook.xml")]))
        book.writestr("xl/workbook.xml", _workbook(names))
        book.writestr("xl/styles.xml", HEAD + STYLES)
        targets = [("worksheet", part.removeprefix("xl/")) for part in parts]
        targets.append(("styles", "styles.xml"))
        book.writestr("xl/_rels/workbook.xml.rels", _relations(targets))
        for part, (columns, rows) in zip(parts, sheets.values(), strict=True):
            with book.open(part, "w", force_zip64=True) as file:
                for text in _sheet(columns, rows):
                    file.write(text.encode())


def _sheet(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    yield f'{HEAD}<worksheet xmlns="{SHEET}"><sheetData>'
    yield _row(columns)
    for _, row in zip(range(MOST_ROWS - 1), rows, strict=False):
        yield _row(row)
    yield "</sheetData></worksheet>"


def _row(values: Sequence[Any]) -> str:
    return f"<row>{''.join(map(_cell, values[:MOST_COLUMNS]))}</row>"


def _cell(value: Any) -> str:
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, (int, float)) and math.isfinite(value) and abs(value) < 1e15:
        return f"<c><v>{value!r}</v></c>"
    if isinstance(value, datetime.date) and value.year > 1900:
        at = _moment(value)
        assert at is not None
        days = (at.replace(tzinfo=None) - ZERO) / datetime.timedelta(days=1)
        return f'<c s="{1 if days == int(days) else 2}"><v>{days!r}</v></c>'
    text = escape(UNFIT.sub("\ufffd", str(value))[:MOST_TEXT])
    return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def _types(parts: Sequence[str]) -> str:
    sheets = "".join(
        f'<Override PartName="/{part}" ContentType="{CONTENT}.worksheet+xml"/>' for part in parts
    )
    return (
        f'{HEAD}<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{CONTENT}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{CONTENT}.styles+xml"/>'
        f"{sheets}</Types>"
    )


def _relations(targets: Sequence[tuple[str, str]]) -> str:
    lines = "".join(
        f'<Relationship Id="r{k + 1}" Type="{LINKS}/{kind}" Target="{target}"/>'
        for k, (kind, target) in enumerate(targets)
    )
    return f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{lines}</Relationships>'


def _workbook(names: Sequence[str]) -> str:
    sheets = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{k + 1}" r:id="r{k + 1}"/>'
        for k, name in enumerate(names)
    )
    return f'{HEAD}<workbook xmlns="{SHEET}" xmlns:r="{LINKS}"><sheets>{sheets}</sheets></workbook>'
