"""Text of files as text only: nothing that a terminal, or XML, takes for more."""

from __future__ import annotations

import re

SEQUENCE = re.compile(
    r"(?:\x1b[\]P^_X]|[\x9d\x90\x9e\x9f\x98]).*?(?:\x07|\x1b\\|\x9c|$)"  # OSC, DCS and their like
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI
    r"|\x1b[ -/]*[0-~]?",
    re.DOTALL,
)
"""Escape codes, which move the cursor, set titles, colours and the clipboard."""

UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""Control characters but for tabs and ends of lines, turns of direction, halves of letters, and
what is no letter at all; XML has none of these."""


def printable(text: str) -> str:
    """Text without what a terminal would take for a command."""
    return UNPRINTABLE.sub("", SEQUENCE.sub("", text))
