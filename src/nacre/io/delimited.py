"""Tables in text files, whose fields are parted by commas or the like."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator
from io import RawIOBase, StringIO
from itertools import islice, takewhile
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from nacre.io.arrow import pa, pc, without
from nacre.io.kinds import MISSING, NUMBER, maybe_thousands, numbers, trimmed
from nacre.io.size import check_expanded, check_text
from nacre.io.spelling import Spelling, differs

HEAD = 1 << 20
"""Bytes that the delimiter and the names of the columns are found in."""

BLOCK = 1 << 23
"""Bytes parsed at a time: no row may be longer."""

NO_TABLE = {
    rb"\xd0\xcf\x11\xe0": "an old or encrypted Excel workbook: save it as .xlsx, without a "
        "password",
    rb"%PDF": "a PDF file",
    rb"\x89PNG|\xff\xd8\xff|GIF8": "a picture",
    rb"(?i)<(!doctype|!--|\?xml|(html|head|body|table|div|svg|rss)[\s>])":
        "HTML or XML: download the table itself, or save it as CSV",
}  # fmt: skip
"""How files begin that people take for tables: patterns, and what it is."""

DELIMITERS = ",;\t|"

SEPARATOR = r"(?i)\"?sep=([^\s\"])\"?[^\S\r\n]*(\r\n|\r|\n)"
"""A first line by which spreadsheets are told the delimiter."""

MOST_TITLES = 10
"""Rows that may stand above the names of the columns."""

LOOKED_AT = 100
"""Rows by which a delimiter is judged."""

CONTROL = r"[\x01-\x08\x0e-\x1a]"
"""Characters that no table has."""

FOREIGN = r"\w*[^\W\x00-\x7f]\w*"
"""A word with a letter beyond ASCII."""

MIXED = "utf-8-mixed"
"""UTF-8 with single bytes that are not, which are taken for Windows-1252."""


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    stray = error.object[error.start : error.end]
    return stray.decode("cp1252", "replace"), error.end


codecs.register_error(MIXED, _as_cp1252)


class Format(NamedTuple):
    """How a text file is written.

    Attributes
    ----------
    encoding, delimiter : str
    header : the fields of the row that has the names
    quotes : how many quotation marks there are
    notes : on the encoding, or lines above the names, if there is a need
    skip : lines above the names that are no part of the table
    lines : how many there are, those within quotes among them
    marked : whether UTF-8 begins with a byte order mark
    """

    encoding: str
    delimiter: str
    header: list[str]
    quotes: int
    notes: tuple[str, ...] = ()
    skip: int = 0
    lines: int = 0
    marked: bool = False

    @property
    def names(self) -> list[str]:
        """Of the columns."""
        return [name.strip() or f"column {j + 1}" for j, name in enumerate(self.header)]

    @property
    def open_quote(self) -> bool:
        """Whether one is opened and never closed."""
        return self.quotes % 2 == 1


class Delimited(NamedTuple):
    """A table from a text file, how the file spells it, and notes on what may surprise."""

    table: pa.Table
    spelling: Spelling
    notes: list[str]


def read_delimited(path: Path, packed: str | None, most: float, spell: bool = True) -> Delimited:
    """Read a table whose fields are parted by commas or the like, compressed or not.

    Parameters
    ----------
    path : of the file
    packed : how it is compressed, or None
    most : bytes that a compressed file may expand to
    spell : whether the text of cells is kept where values do not say all of it
    """
    found = find_format(path, packed, most)
    check_text(found.lines, len(found.names))
    with pa.input_stream(path, compression=packed) as stream:
        columns = read_fields(path, stream, found, packed)
    notes = list(found.notes)
    if found.quotes and (note := _swallowed(columns, found)):
        notes.append(note)
    cells = {}
    for j, name in enumerate(found.names):  # one after the other, so that memory is given back
        text, columns[j] = columns[j], typed(columns[j])
        if spell and differs(text, columns[j]):
            cells[name] = text
    header = dict(zip(found.names, found.header, strict=True))
    other = {name: field for name, field in header.items() if name != field}
    spelling = Spelling(found.delimiter, other, cells, found.marked)
    return Delimited(pa.Table.from_arrays(columns, found.names), spelling, notes)


def read_names(path: Path) -> list[str]:
    """The names of the columns only."""
    return find_format(path, None).names


def _swallowed(columns: list[pa.ChunkedArray], found: Format) -> str:
    """A note on a cell that holds line breaks, and for each as many delimiters as a row has.

    Text that people write has quotation marks of its own, or spaces after its commas.
    """
    prose = f'"|{re.escape(found.delimiter)} '
    parts = len(columns) - 1
    for column in columns if parts else []:
        broken = pc.match_substring(column, "\n")
        if not pc.any(broken).as_py():
            continue
        broken = pc.and_not(broken, pc.match_substring_regex(column, prose))
        text = column.filter(broken)
        lines = pc.count_substring(text, "\n")
        alike = pc.equal(pc.multiply(lines, parts), pc.count_substring(text, found.delimiter))
        if pc.any(alike).as_py():
            first = pc.index(alike, True).as_py()
            row, lost = pc.indices_nonzero(broken)[first].as_py(), lines[first].as_py()
            return (
                f"A cell of row {row} (from 0) holds {lost} line break{'s' * (lost != 1)} and "
                "looks like rows of the table: is a quotation mark before it opened by mistake?"
            )
    return ""


def read_fields(
    path: Path, stream: Any, found: Format, packed: str | None = None
) -> list[pa.ChunkedArray]:
    """The columns as text, without their names; ``path`` is what errors name."""
    keys = [str(j) for j in range(len(found.names))]
    ragged: list[tuple[int, int, str]] = []

    def note(row: Any) -> str:
        ragged.append((row.number, row.actual_columns, row.text if found.open_quote else ""))
        return "skip"

    open_quote = (
        f"A quotation mark in {path.name!r} is opened and never closed: "
        "it swallows the rows that follow."
    )
    mixed = found.encoding == MIXED
    try:
        table = pa.csv.read_csv(
            pa.PythonFile(_Mended(stream)) if mixed else stream,
            # Threads save little and lose the numbers of ragged rows.
            pa.csv.ReadOptions(
                use_threads=False,
                block_size=BLOCK,
                skip_rows=found.skip,
                column_names=keys,
                encoding="utf-8" if mixed else found.encoding,
            ),
            pa.csv.ParseOptions(
                delimiter=found.delimiter, newlines_in_values=True, invalid_row_handler=note
            ),
            pa.csv.ConvertOptions(
                column_types=dict.fromkeys(keys, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        if found.open_quote:
            raise ValueError(open_quote) from None
        if "straddling" in str(error):  # Arrow's word for a row that spans two blocks
            raise ValueError(_too_long(path)) from None
        raise
    end = [str(column[-1]) for column in table.columns if len(table)]
    end += [text for *_, text in ragged[-1:]]
    if found.open_quote and any("\n" in text for text in end):
        raise ValueError(open_quote)
    if ragged:
        (row, fields, _), more = ragged[0], len(ragged) - 1
        raise ValueError(
            f"{_line(path, packed, len(keys)) or f'Row {row}'} of {path.name!r} has {fields} "
            f"field{'s' * (fields != 1)}, but the header has {len(keys)}"
            + (f" (as {more} more row{'s' * (more != 1)})" if more else "")
            + ": repair the file, or put fields that hold a delimiter in quotes."
        )
    return table.slice(1).columns


def _line(path: Path, packed: str | None, fields: int) -> str:
    """The line of a file where the first row begins that has another number of fields.

    Arrow counts rows, and no empty lines.
    """
    from nacre.io.lines import read_rows

    first = next((row.first for row in read_rows(path, packed) if len(row.fields) != fields), None)
    return "" if first is None else f"Line {first}"


def typed(text: pa.ChunkedArray, plain: bool = False) -> pa.ChunkedArray:
    """Text as numbers, if all of it is that and can be nothing else, unless it is to be ``plain``.

    What says that there is no value is missing.
    """
    if plain:
        return trimmed(text)
    gaps = pc.is_in(text, value_set=pa.array(MISSING))
    if pc.any(gaps).as_py():
        text = without(text, gaps)
    found = numbers(text, codes=False)
    if found is None:
        clean = trimmed(text)
        found = None if clean is text else numbers(clean, codes=False)
        text = clean
    return text if found is None or maybe_thousands(text, found) else found


class _Mended(RawIOBase):
    """A stream of text in mixed encodings, as UTF-8."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.decoder = codecs.getincrementaldecoder("utf-8")(MIXED)
        self.left = b""

    def readable(self) -> bool:
        """It is."""
        return True

    def read(self, size: int = -1) -> bytes:
        """At most so many bytes."""
        while not self.left:
            block = self.stream.read(HEAD)
            self.left = self.decoder.decode(block, final=not block).encode()
            if not block:
                break
        size = len(self.left) if size < 0 else size
        out, self.left = self.left[:size], self.left[size:]
        return out


def _too_long(path: Path) -> str:
    return (
        f"A row of {path.name!r} is longer than {BLOCK >> 20} MB, which no table needs: is a "
        "quotation mark opened by mistake, or another file meant?"
    )


def find_format(path: Path, packed: str | None, most: float = inf) -> Format:
    """Find out how a text file is written; ValueError where it holds no table."""
    head = _read_head(path, packed)
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()
    for mark, what in NO_TABLE.items():
        if re.match(mark, start):
            raise ValueError(f"{path.name!r} is no table but {what}.")
    for encoding in _encodings(head):
        try:
            quotes, lines, strays, letters, word = _look_through(path, packed, encoding, most)
        except UnicodeError:
            continue
        notes = []
        if strays:  # letters of UTF-8 and others
            if letters < strays:
                continue
            notes.append(
                f"{path.name!r} is UTF-8 but for {strays} byte{'s' * (strays != 1)}, taken for "
                "Windows-1252: look at the letters beyond ASCII."
            )
        if word:
            notes.append(
                f"{path.name!r} is not UTF-8 and is taken for Windows-1252 (such as {word!r}): "
                "save it as UTF-8 if letters look wrong."
            )
        text = _decode_head(head, encoding)
        if quotes is None or (encoding == "cp1252" and re.search(CONTROL, text)):
            break
        if not text.strip():
            raise ValueError(f"{path.name!r} is empty.")
        text = text.removeprefix("\ufeff")
        told = re.match(SEPARATOR, text)
        marks = told[1] if told else DELIMITERS
        top = _top(text[told.end() :] if told else text, marks)
        if top is None:
            raise ValueError(
                f"The first row of {path.name!r} holds a name of more than "
                f"{csv.field_size_limit()} letters: is the first row the names of the columns?"
            )
        delimiter, title, header, above = top
        if title:
            notes.append(f"The line above the names of the columns is left out: {title!r}.")
        skip, marked = above + bool(told), head.startswith(codecs.BOM_UTF8)
        return Format(encoding, delimiter, header, quotes, tuple(notes), skip, lines, marked)
    else:
        if encoding == "cp1252" and not re.search(CONTROL.encode(), head):
            raise ValueError(f"The encoding of {path.name!r} is not known: save it as UTF-8.")
    raise ValueError(f"{path.name!r} is no table: it does not hold text.")


def _read_head(path: Path, packed: str | None) -> bytes:
    """The first bytes of a file: as many as its first row needs."""
    with pa.input_stream(path, compression=packed) as stream:
        head = stream.read(HEAD)
        while len(head) < BLOCK and not re.search(rb"[\r\n]", head.lstrip()):
            if not (more := stream.read(HEAD)):
                break
            head += more
        else:
            if not re.search(rb"[\r\n]", head.lstrip()):
                raise ValueError(_too_long(path))
    return head


def _decode_head(head: bytes, encoding: str) -> str:
    if encoding == MIXED:
        return codecs.getincrementaldecoder("utf-8")(MIXED).decode(head)
    return codecs.getincrementaldecoder(encoding)().decode(head)


def _encodings(head: bytes) -> tuple[str, ...]:
    """What to try: a mark says it, or where the zeros of Latin letters are, or it is 8 bits."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return ("utf-16",)
    zeros = [head[side:1024:2].count(0) for side in (0, 1)]
    if 0 in zeros and sum(zeros) > 0:
        return ("utf-16-be" if zeros[0] else "utf-16-le",)
    return ("utf-8", MIXED, "cp1252")


def _look_through(
    path: Path, packed: str | None, encoding: str, most: float
) -> tuple[int | None, int, int, int, str]:
    """Go through a whole file, block by block.

    Returns
    -------
    quotes : quotation marks, or None if the file has zeros, which text has not
    lines : line breaks
    strays, letters : in mixed encodings, bytes that are not UTF-8, and letters beyond ASCII
    word : in Windows-1252, the first with a letter beyond ASCII
    """
    mixed = encoding == MIXED
    decoder = codecs.getincrementaldecoder("utf-8" if mixed else encoding)(
        "surrogateescape" if mixed else "strict"
    )
    quotes = lines = strays = letters = size = 0
    word = ""
    with pa.input_stream(path, compression=packed) as stream:
        block = None
        while block != b"":
            block = stream.read(HEAD)
            size += len(block)
            if packed:
                check_expanded(path, size, most)
            text = decoder.decode(block, final=not block)
            if "\0" in text:
                return None, 0, 0, 0, ""
            quotes += text.count('"')
            lines += text.count("\n")
            if mixed:
                found = len(re.findall("[\udc80-\udcff]", text))
                strays += found
                letters += len(re.findall(r"[^\x00-\x7f]", text)) - found
            if encoding == "cp1252" and not word and (foreign := re.search(FOREIGN, text)):
                word = foreign[0][:20]
    return quotes, lines, strays, letters, word


def _rows(text: str, delimiter: str) -> Iterator[tuple[list[str], int]]:
    """The first rows of a table, those without anything left out, and the lines above each."""
    reader, above = csv.reader(StringIO(text, newline=""), delimiter=delimiter), 0
    try:
        for row in reader:
            if row:
                yield row, above
            above = reader.line_num
    except csv.Error:
        return


def _top(text: str, marks: str) -> tuple[str, str, list[str], int] | None:
    """The delimiter that fits best, a title, the row of names, and the lines above that."""
    first = {mark: list(islice(_rows(text, mark), LOOKED_AT)) for mark in marks}
    titles = {mark: title_rows([row for row, _ in rows]) for mark, rows in first.items()}
    mark = max(marks, key=lambda one: _fit([row for row, _ in first[one]][titles[one] :]))
    if len(first[mark]) <= titles[mark]:
        return None
    header, above = first[mark][titles[mark]]
    title = " ".join(field for row, _ in first[mark][: titles[mark]] for field in row if field)
    return mark, title[:60], header, above if titles[mark] else 0


def title_rows(rows: list[list[str]]) -> int:
    """How many rows stand above the names: titles of one field, and heads of groups of columns.

    These fill half of the fields at most; the names are all there.
    """
    width = max((len(row) for row in rows), default=0)
    titles = list(takewhile(lambda row: sum(map(bool, map(str.strip, row))) <= width // 2, rows))
    if width < 3 or not 0 < len(titles) <= MOST_TITLES or len(rows) < len(titles) + 2:
        return 0
    names = [field.strip() for field in rows[len(titles)]]
    named = len(names) == width and len(set(names)) == width and all(names)
    return 0 if not named or any(re.match(NUMBER, name) for name in names) else len(titles)


def _fit(rows: list[list[str]]) -> tuple[bool, float, int, bool]:
    """How well a delimiter fits: whether it parts the header, and other rows into as many.

    Of two that do, the one without a space behind it: "height, cm" is one name.
    """
    widths = [len(row) for row in rows] or [0]
    spaced = any(name.startswith(" ") for row in rows[:1] for name in row[1:])
    return widths[0] > 1, widths.count(widths[0]) / len(widths), widths[0], not spaced
