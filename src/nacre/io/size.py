"""How large a table may become: small files can expand without end."""

from __future__ import annotations

import re
from pathlib import Path

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
