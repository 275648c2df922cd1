"""Workbooks of spreadsheets: a sheet in, and sheets of plain values out.

openpyxl reads, which knows all that programs write; what is written here is so little (values, no
formulas) that it needs nobody's help, and a review has its workbook without it.
"""

from __future__ import annotations

import datetime
import json
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
from nacre.io.place import MARK, no_part
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
    '<styleSheet xmlns="{sheet}">{formats}<fonts count="1"><font/></fonts><fills count="1">'
    '<fill><patternFill patternType="none"/></fill></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    "<cellXfs><xf/>{styles}</cellXfs>"
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
    "</styleSheet>"
)
"""How cells look: as they are (style 0), and as the formats say that follow."""

DATE, MOMENT, TIME, DURATION = KNOWN = 14, 22, 21, 46
"""Formats that every program knows by their numbers: their styles are 1 to 4."""

OWN = 164
"""The number of the first format that a workbook has of its own."""

PLAIN, LONGEST = "General", 255
"""The format of cells that have none, and how long one may be."""

LOOKS = b"nacre.sheet"
"""Where a table that was read from a sheet keeps, as JSON, what values do not say."""

LISTED = 10
"""Sheets that a message names."""

NAME = re.compile(r"[^\[\]:*?/\\]{1,31}")
"""What a sheet may be called."""

ZERO = datetime.datetime(1899, 12, 30)
"""Day 0 of spreadsheets, as far as days from March 1900 on go."""

DAY, NOTHING = datetime.timedelta(days=1), datetime.timedelta()

Sheet = tuple[Sequence[str], Iterable[Sequence[Any]]]
"""Names of columns, and rows."""


def read_sheet(path: Path, name: str | None, most: float) -> tuple[pa.Table, list[str]]:
    """A sheet of a workbook, by default the first, and notes on what may surprise.

    The table remembers the sheet's name and formats of columns: ``looks`` has them.

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
        seen: list[dict[str, int]] = []
        rows = list(_filled(path, sheet.iter_rows(), most, seen))
        book.close()
    where = f"The sheet {sheet.title!r} of {path.name!r}"
    unsaved = f"but {path.name!r} does not hold their values: open it in Excel and save it"
    others = [one for one in names if one != sheet.title] if name is None else []
    table, notes = _from_rows(rows)
    empty = [j for j, column in enumerate(table.columns) if column.null_count == len(column)]
    formulas = _formulas(path, sheet.title) if empty else set[int]()
    if formulas and not len(table):
        raise ValueError(f"{where} holds formulas, {unsaved}.")
    notes += [
        f"Column {table.column_names[j]!r} holds formulas, {unsaved}."
        for j in empty
        if j in formulas
    ]
    if not len(table):
        more = _choose(path, sheet.title, others) if others else "."
        what = "has names of columns, but no rows" if rows else "is empty"
        raise ValueError(f"{where} {what}{more}")
    if others:
        notes.append(f"{where} is read; {path.name}{MARK}SHEET reads another: {_listed(others)}.")
    first = len(rows) - len(table)
    own = {"name": sheet.title, "formats": _formats(seen, table.column_names, first)}
    return table.replace_schema_metadata({LOOKS: json.dumps(own)}), notes


def _formulas(path: Path, sheet: str) -> set[int]:
    """The columns of a sheet that hold formulas, by number."""
    from openpyxl import load_workbook

    with path.open("rb") as file, warnings.catch_warnings(), _damaged(path):
        warnings.simplefilter("ignore")
        book = load_workbook(file, read_only=True)
        book[sheet].reset_dimensions()
        rows = book[sheet].iter_rows()
        found = {j for row in rows for j, cell in enumerate(row) if cell.data_type == "f"}
        book.close()
    return found


def _choose(path: Path, first: str, others: list[str]) -> str:
    """How to name another sheet than the first, where that is no table."""
    return (
        f", and {path.name!r} has {len(others) + 1} sheets: name one, as in "
        f"{path.name}{MARK}{others[0]}. There are {_listed([first, *others])}."
    )


def _listed(names: list[str]) -> str:
    """The first names of some, and how many more there are."""
    more = len(names) - LISTED
    return ", ".join(map(repr, names[:LISTED])) + (f" and {more} more" if more > 0 else "")


def _formats(seen: list[dict[str, int]], names: list[str], first: int) -> dict[str, str]:
    """The formats of columns whose numbers, dates and times all have the same one.

    Parameters
    ----------
    seen : of each column, formats and the last row that has them
    names : of the columns
    first : row below the names
    """
    found = {}
    for name, column in zip(names, seen, strict=False):
        kinds = [one for one, last in column.items() if last >= first]
        if len(kinds) == 1 and kinds[0] != PLAIN and len(kinds[0]) <= LONGEST:
            found[name] = kinds[0]
    return found


def looks(table: Any) -> tuple[str | None, dict[str, str]]:
    """The name of the sheet that a table was read from, and formats by the names of columns."""
    kept = (getattr(getattr(table, "schema", None), "metadata", None) or {}).get(LOOKS)
    try:
        said = json.loads(kept or "")
        formats = {str(name): str(one)[:LONGEST] for name, one in said["formats"].items()}
        return (said["name"] if NAME.fullmatch(said["name"]) else None), formats
    except (ValueError, KeyError, TypeError, AttributeError):  # anybody may write such a key
        return None, {}


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


def _filled(
    path: Path, rows: Iterator[Sequence[Any]], most: float, seen: list[dict[str, int]]
) -> Iterator[list[Any]]:
    """Values of rows, without the empty ones and the empty cells at their ends.

    ``seen`` is told the formats of each column's cells that are no text, and the last such row.
    """
    size = place = 0
    while True:
        with _damaged(path):
            row = next(rows, None)
            if row is None:
                return
            cells = [one.value for one in row]
            seen += ({} for _ in range(len(cells) - len(seen)))
            for kinds, cell, value in zip(seen, row, cells, strict=False):
                if value is not None and not isinstance(value, (str, bool)):
                    kinds[cell.number_format] = place
        while cells and (cells[-1] is None or cells[-1] == ""):
            cells.pop()
        size += sum(PER_CELL + (len(one) if isinstance(one, str) else 0) for one in cells)
        check_expanded(path, size, most)
        if cells:
            yield cells
            place += 1


def _from_rows(rows: list[list[Any]]) -> tuple[pa.Table, list[str]]:
    """A table of rows whose first has the names, below titles."""
    if not rows:
        return pa.table({}), []
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


def write_workbook(
    path: Path, sheets: Mapping[str, Sheet], formats: Mapping[str, str] | None = None
) -> None:
    """Write sheets to an .xlsx file, each row as it comes.

    Text is text, whatever it begins with; what is no number, boolean, date or time is written as
    text. ``formats`` are those of columns, by name, such as 0.00%. Rows and characters beyond what
    a sheet can hold are left out.
    """
    formats = formats or {}
    own = list(dict.fromkeys(formats.values()))
    style = {name: 1 + len(KNOWN) + own.index(one) for name, one in formats.items()}
    names = list(sheets)
    parts = [f"xl/worksheets/sheet{k + 1}.xml" for k in range(len(names))]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("[Content_Types].xml", _types(parts))
        book.writestr("_rels/.rels", _relations([("officeDocument", "xl/workbook.xml")]))
        book.writestr("xl/workbook.xml", _workbook(names))
        book.writestr("xl/styles.xml", _styles(own))
        targets = [("worksheet", part.removeprefix("xl/")) for part in parts]
        targets.append(("styles", "styles.xml"))
        book.writestr("xl/_rels/workbook.xml.rels", _relations(targets))
        for part, (columns, rows) in zip(parts, sheets.values(), strict=True):
            with book.open(part, "w", force_zip64=True) as file:
                for text in _sheet(columns, rows, [style.get(name) for name in columns]):
                    file.write(text.encode())


def _styles(own: Sequence[str]) -> str:
    """The styles of cells: those of known formats, then of a workbook's own."""
    lines = "".join(
        f'<numFmt numFmtId="{OWN + k}" formatCode={quoteattr(UNFIT.sub("", one))}/>'
        for k, one in enumerate(own)
    )
    numbers = (*KNOWN, *range(OWN, OWN + len(own)))
    return HEAD + STYLES.format(
        sheet=SHEET,
        formats=f'<numFmts count="{len(own)}">{lines}</numFmts>' if own else "",
        styles="".join(f'<xf numFmtId="{one}" applyNumberFormat="1"/>' for one in numbers),
    )


def _sheet(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], styles: Sequence[int | None]
) -> Iterator[str]:
    yield f'{HEAD}<worksheet xmlns="{SHEET}"><sheetData>'
    yield _row(columns, styles)
    for _, row in zip(range(MOST_ROWS - 1), rows, strict=False):
        yield _row(row, styles)
    yield "</sheetData></worksheet>"


def _row(values: Sequence[Any], styles: Sequence[int | None]) -> str:
    return f"<row>{''.join(map(_cell, values[:MOST_COLUMNS], styles))}</row>"


def _cell(value: Any, style: int | None = None) -> str:
    """A cell; numbers, dates and times look as a style says, or as usual."""
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, (int, float)) and math.isfinite(value) and abs(value) < 1e15:
        look = "" if style is None else f' s="{style}"'
        return f"<c{look}><v>{value!r}</v></c>"
    if isinstance(value, datetime.date) and value.year > 1900:
        at = _moment(value)
        assert at is not None
        days = (at.replace(tzinfo=None) - ZERO) / DAY
        return _days(days, style, DATE if days == int(days) else MOMENT)
    if isinstance(value, datetime.time):
        at = datetime.datetime.combine(ZERO, value.replace(tzinfo=None))
        return _days((at - ZERO) / DAY, style, TIME)
    if isinstance(value, datetime.timedelta) and value >= NOTHING:  # sheets show none below 0
        return _days(value / DAY, style, DURATION)
    text = escape(UNFIT.sub("\ufffd", str(value))[:MOST_TEXT])
    return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def _days(days: float, style: int | None, usual: int) -> str:
    return f'<c s="{style or 1 + KNOWN.index(usual)}"><v>{days!r}</v></c>'


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
        for k, name in enumerate(UNFIT.sub("", one) for one in names)
    )
    return f'{HEAD}<workbook xmlns="{SHEET}" xmlns:r="{LINKS}"><sheets>{sheets}</sheets></workbook>'
