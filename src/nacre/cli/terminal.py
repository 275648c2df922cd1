"""What is printed: text of files reaches a terminal as text only."""

from __future__ import annotations

import re
from typing import Any

from rich.console import Console
from rich.text import Text

SEQUENCE = re.compile(
    r"(?:\x1b[\]P^_X]|[\x9d\x90\x9e\x9f\x98]).*?(?:\x07|\x1b\\|\x9c|$)"  # OSC, DCS and their like
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI
    r"|\x1b[ -/]*[0-~]?",
    re.DOTALL,
)
"""Escape codes, which move the cursor, set titles, colours and the clipboard."""

UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but for tabs and ends of lines, turns of direction, and halves of letters."""


def printable(text: str) -> str:
    """Text without what a terminal would take for a command."""
    return UNPRINTABLE.sub("", SEQUENCE.sub("", text))


class Terminal(Console):
    """Standard output or error; every string that is printed is made printable."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"highlight": False, "emoji": False, **options})

    def render_str(self, text: str, **options: Any) -> Text:
        """A string with its markup."""
        return super().render_str(printable(text), **options)
