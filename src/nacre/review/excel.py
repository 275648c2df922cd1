"""A workbook that spreadsheets open: sheets of plain values, no formulas."""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

MOST_ROWS, MOST_COLUMNS, MOST_TEXT = 1_048_576, 16_384, 32_767
"""What a sheet, and a cell, can hold."""

SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
CONTENT = "application/vnd.openxmlformats-officedocument.spreadsheetml"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
"""Characters that XML cannot have."""

Sheet = tuple[Sequence[str], Iterable[Sequence[Any]]]
"""Names of columns, and rows."""


def write_workbook(path: Path, sheets: Mapping[str, Sheet]) -> None:
    """Write sheets to an .xlsx file, each row as it comes.

    Text is text, whatever it begins with; what is no number or boolean is written as text. Rows and
    characters beyond what a sheet can hold are left out.
    """
    names = list(sheets)
    parts = [f"xl/worksheets/sheet{k + 1}.xml" for k in range(len(names))]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("[Content_Types].xml", _types(parts))
        book.writestr("_rels/.rels", _relations([("officeDocument", "xl/workbook.xml")]))
        book.writestr("xl/workbook.xml", _workbook(names))
        targets = [("worksheet", part.removeprefix("xl/")) for part in parts]
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
