"""Where a table is: a file, a sheet or table in a file, a folder, or standard input."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

INPUT = "-"
"""Standard input, as commands have it."""

MARK = "::"
"""What parts a file and the sheet or table in it."""


WILD = re.compile(r"[*?\[]")
"""What a path holds that stands for several files."""


def is_wild(source: str | os.PathLike[str]) -> bool:
    """Whether a path stands for several files: ``folder/*.parquet``."""
    return WILD.search(os.fspath(source)) is not None and not Path(source).exists()


def folder_of(pattern: Path) -> Path:
    """The folder that the files of a pattern are in, or in folders of it."""
    return next(one for one in pattern.parents if not WILD.search(str(one))).absolute()


def split_place(source: str | os.PathLike[str]) -> tuple[Path, str | None]:
    """A path, and the sheet or table in its file: ``shop.db::orders``."""
    text = os.fspath(source)
    path, mark, part = text.rpartition(MARK)
    if not mark or not part or Path(text).exists():
        return Path(text), None
    return Path(path), part


def known_file(source: Any) -> Path | None:
    """The one file that a table comes from, if it does."""
    if not isinstance(source, (str, os.PathLike)) or os.fspath(source) == INPUT:
        return None
    path, _ = split_place(source)
    return path.absolute() if path.is_file() else None


def beside(source: str | os.PathLike[str], ending: str) -> Path:
    """A path in the same folder, named after a table: shop-orders-audit of shop.db::orders.

    That of a pattern is beside its folder.
    """
    if os.fspath(source) == INPUT:
        return Path(f"table{ending}")
    path, part = split_place(source)
    if is_wild(source):
        path = folder_of(path)
        return path.with_name(f"{path.name}{ending}")
    plain = "" if part is None else "-" + re.sub(r"[^\w. -]", "_", part)
    return path.with_name(f"{path.stem}{plain}{ending}")


def no_part(path: Path, part: str, known: list[str], what: str) -> ValueError:
    """An error that says which sheets or tables there are."""
    there = ", ".join(map(repr, known[:10])) + (f" and {len(known) - 10} more" * (len(known) > 10))
    return ValueError(f"There is no {what} {part!r} in {path.name!r}: it has {there or 'none'}.")
