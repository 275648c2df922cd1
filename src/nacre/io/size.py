"""How large a table may become: small files can expand without end."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

resource: Any
try:
    import resource
except ModuleNotFoundError:  # Windows
    resource = None

MOST = 4 * 10**9
"""Bytes that a compressed file may expand to, unless it is told otherwise."""

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def parse_size(text: str) -> int:
    """Bytes from a number with a unit, such as 500MB or 2.5 GB."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)b?\s*", text.lower())
    if found is None:
        raise ValueError(f"{text!r} is no size: write 500MB or 2GB.")
    return int(float(found[1]) * UNITS[found[2]])


def shown_size(size: float) -> str:
    """Bytes as a person reads them."""
    unit = next((name for name in "tgmk" if size >= UNITS[name]), "")
    return f"{size / UNITS[unit]:.3g} {unit.upper()}B"


def check_expanded(path: Path, size: float, most: float) -> None:
    """Raise where a file has expanded, or will, to more bytes than it may."""
    if size > most:
        raise ValueError(
            f"{path.name!r} ({shown_size(path.stat().st_size)}) expands to more than "
            f"{shown_size(most)}: if that is meant, --max-size (max_size=) allows more."
        )


LESS = "take fewer rows or columns, or more memory."

PER_CELL = 24
"""Bytes for each cell, to read and to learn: text, numbers, a copy of them, bins and ranks."""

PER_COLUMN = 6_000
"""Bytes that learning takes for each column, however few its rows: cuts, bins and their tables."""

PER_FIELD = 20_000
"""Bytes that reading a text file takes for each column, however few its rows."""

PER_SCORE = 720
"""Bytes for each row and class: the scores of members, of their parts and of the blend."""

PER_REGRESSED, REGRESSED = 8_000, 20_000
"""Bytes for each row, of so many at most, that kernel ridge regressions learn from: a number for
each of 500 landmarks, of two regressions at a time."""

MEMBERS = 40e6
"""Bytes that members take for any table: histograms, trees, scratch."""

LEAST = 2.3e9
"""Bytes of address space that libraries and compiling take, whatever the table; little of it is
ever used. Where there is less, LLVM ends the process."""


def needed(cells: float) -> float:
    """Bytes that learning from so many cells takes, about."""
    return PER_CELL * cells


def room() -> float:
    """Bytes of memory that a table may have."""
    return min(_free(), _limit() - LEAST)


def check_memory(rows: int, columns: int, classes: int = 0) -> None:
    """Raise where a table cannot be learned from in the memory there is.

    Measured peaks of audits of 3000 to 50 000 rows, 2 to 40 classes, lie between two thirds of this
    (members fitted one at a time) and a fifth above it (two at a time).

    Libraries that are refused memory may wait for it for ever.
    """
    need = needed(rows * columns) + PER_COLUMN * columns
    if classes:
        need += PER_SCORE * rows * classes + PER_REGRESSED * min(rows, REGRESSED) + MEMBERS
    parts = [f"{rows} rows", f"{columns} columns", *([f"{classes} classes"] if classes else [])]
    table = f"The table ({', '.join(parts)}) needs about"
    limit = _limit()
    if limit < LEAST:
        raise ValueError(
            f"Learning takes {shown_size(LEAST)} of address space for any table, and ulimit -v "
            f"allows {shown_size(limit)}: raise that limit."
        )
    if need + LEAST > limit:
        raise ValueError(
            f"{table} {shown_size(need + LEAST)} of address space, and ulimit -v allows "
            f"{shown_size(limit)}: {LESS}"
        )
    _check_free(table, need)


def check_text(lines: int, columns: int) -> None:
    """Raise where a text file of so many lines cannot be read in the memory there is."""
    need = needed(lines * columns) + PER_FIELD * columns
    _check_free(f"The table ({lines} lines, {columns} columns) needs about", need)


def _check_free(table: str, need: float) -> None:
    free = _free()
    if need > free:
        raise ValueError(
            f"{table} {shown_size(need)} of memory, and {shown_size(free)} are free: {LESS}"
        )


def _limit() -> float:
    """Bytes of address space that this process may have."""
    if resource is None:
        return float("inf")
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return float("inf") if soft == resource.RLIM_INFINITY else float(soft)


def _free() -> float:
    """Bytes of memory that nobody uses, where the system says so."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        found = dict(line.split(":") for line in lines)
        return 1024.0 * sum(int(found[name].split()[0]) for name in ("MemAvailable", "SwapFree"))
    except (OSError, KeyError, ValueError):
        return float("inf")
