"""What is shown first, and how much of a table, in the report and in ``audit.json``."""

from __future__ import annotations

from typing import Any

SHOWN = 1000
"""Suspects, at most."""

LONGEST = 1000
"""Characters of a cell, at most."""

UNDOING = ("leak", "group")
"""Kinds of findings that make the answer worthless: said before it."""


def cut(value: Any) -> Any:
    """A value, of long text the beginning."""
    long = isinstance(value, str) and len(value) > LONGEST
    return f"{value[:LONGEST]}…" if long else value
