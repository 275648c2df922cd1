"""How much of a table is shown: in the report and in ``audit.json``; the tables have all."""

from __future__ import annotations

from typing import Any

SHOWN = 1000
"""Suspects, at most."""

LONGEST = 1000
"""Characters of a cell, at most."""


def cut(value: Any) -> Any:
    """A value, of long text the beginning."""
    long = isinstance(value, str) and len(value) > LONGEST
    return f"{value[:LONGEST]}…" if long else value
