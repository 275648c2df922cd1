"""An audit in the formats that other programs read: one function of its summary for each.

Text of the table is made printable in all of them: labels may hold escape codes, markup, or
characters that XML does not have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nacre.auditing.formats.junit import as_junit
from nacre.auditing.formats.markdown import as_markdown
from nacre.auditing.formats.plain import as_json
from nacre.auditing.formats.sarif import as_sarif
from nacre.auditing.gate import Check
from nacre.auditing.stored import Summary

FORMATS: dict[str, Callable[[Summary, Sequence[Check]], str]] = {
    "json": as_json,
    "markdown": as_markdown,
    "junit": as_junit,
    "sarif": as_sarif,
}

__all__ = ["FORMATS", "as_json", "as_junit", "as_markdown", "as_sarif"]
