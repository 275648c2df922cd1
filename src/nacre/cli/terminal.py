"""What is printed: text of files reaches a terminal as text only."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from nacre.io.printable import printable


class Terminal(Console):
    """Standard output or error; every string that is printed is made printable."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"highlight": False, "emoji": False, **options})

    def render_str(self, text: str, **options: Any) -> Text:
        """A string with its markup."""
        return super().render_str(printable(text), **options)
