"""By what a row is known again in a later audit: its content, wherever it stands."""

from __future__ import annotations

from base64 import b64decode, b64encode
from hashlib import blake2b
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from nacre.auditing.load import Loaded, added_columns
from nacre.io.arrow import TEXT, as_column, as_text, is_plain, pa, pc, plain_values, spelled
from nacre.io.lines import read_rows
from nacre.io.read import packing

SIZE = 6
"""Bytes of a hash: of a million rows, one in 300 million new ones is taken for an old one."""

BETWEEN, GAP = "\x1f", "\x00"
"""What stands between two cells, and for a cell that is empty."""


def key_columns(loaded: Loaded) -> list[str]:
    """The columns that rows are known by.

    These are the one that identifies them and the label or, where there is none or a value stands
    twice, all columns but those that nacre has added.
    """
    frame, label, id = loaded.frame, loaded.schema.label, loaded.schema.id
    if id is not None:
        values = plain_values(frame[id][loaded.rows])
        if len(set(values)) == len(values):
            return [id, label]
    return sorted({*frame.columns} - {*added_columns(frame.columns, label)})


def identify(loaded: Loaded, suspects: np.ndarray) -> dict[str, Any]:
    """Hashes of all labelled rows, and of the suspects in their order."""
    names = key_columns(loaded)
    hashes = row_hashes(loaded.frame[loaded.rows], names)
    return {"by": names, "rows": pack(hashes), "suspects": pack([hashes[i] for i in suspects])}


def row_hashes(frame: nw.DataFrame[Any], names: list[str]) -> list[bytes]:
    """A hash of each row; equal numbers of different types are the same: 1 and 1.0, say."""
    columns = []
    for name in names:
        column = as_column(frame[name])
        words = spelled(column) if is_plain(column.type) else as_text(column)
        columns.append(words.cast(TEXT))
    joined = pc.binary_join_element_wise(
        *columns, pa.scalar(BETWEEN, TEXT), null_handling="replace", null_replacement=GAP
    )
    return [blake2b(text.encode(), digest_size=SIZE).digest() for text in joined.to_pylist()]


def mark_rows(frame: nw.DataFrame[Any], names: list[str], suspected: np.ndarray) -> np.ndarray:
    """The hash of each row and, a byte more, whether it is a suspect."""
    out = np.empty((len(frame), SIZE + 1), np.uint8)
    out[:, :SIZE] = np.frombuffer(b"".join(row_hashes(frame, names)), np.uint8).reshape(-1, SIZE)
    out[:, SIZE] = suspected
    return out


def unmark_rows(plain: bytes) -> tuple[str, list[bytes]]:
    """The hashes of rows as text, and those of the suspects among them."""
    if len(plain) % (SIZE + 1):
        raise ValueError("its hashes are cut short")
    marks = np.frombuffer(plain, np.uint8).reshape(-1, SIZE + 1)
    suspects = marks[marks[:, SIZE] != 0, :SIZE].tobytes()
    return b64encode(marks[:, :SIZE].tobytes()).decode(), _cut(suspects)


def pack(hashes: list[bytes]) -> str:
    """Hashes as text."""
    return b64encode(b"".join(hashes)).decode()


def unpack(text: str) -> list[bytes]:
    """Hashes from text; ValueError where it is none."""
    return _cut(b64decode(text, validate=True))


def _cut(plain: bytes) -> list[bytes]:
    if len(plain) % SIZE:
        raise ValueError("hashes are cut short")
    return [plain[i : i + SIZE] for i in range(0, len(plain), SIZE)]


def as_numbers(text: str) -> np.ndarray:
    """Hashes from text as whole numbers: of millions of rows, these take less room."""
    plain = np.frombuffer(b64decode(text, validate=True), np.uint8)
    if len(plain) % SIZE:
        raise ValueError("hashes are cut short")
    out = np.zeros((len(plain) // SIZE, 8), np.uint8)
    out[:, :SIZE] = plain.reshape(-1, SIZE)
    found: np.ndarray = out.view(np.uint64)[:, 0]
    return found


def line_spans(loaded: Loaded, rows: list[int]) -> list[list[int] | None]:
    """The first and last line of rows in their file, from 1; None where it has no lines.

    These are places in the text itself: a compressed file, or one of another format, has none.
    """
    none: list[list[int] | None] = [None] * len(rows)
    if loaded.path is None or loaded.spelling is None or not rows or _packed(loaded.path):
        return none
    wanted = dict.fromkeys(rows)
    count = -1
    for count, (first, last, _) in enumerate(read_rows(loaded.path), start=-1):
        if count in wanted:
            wanted[count] = [first, last]
    return [wanted[row] for row in rows] if count + 1 == len(loaded.codes) else none


def _packed(path: Path) -> bool:
    with path.open("rb") as file:
        return packing(file.read(6)) is not None
