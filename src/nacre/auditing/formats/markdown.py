"""Markdown, for comments on changes and summaries of CI jobs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from nacre.auditing.formats.plain import one_line
from nacre.auditing.gate import Check, place
from nacre.auditing.stored import Summary

LISTED = 20
"""Suspects that are listed."""

MARKS = {True: "✅", False: "❌"}

LONGEST = 200
"""Characters of a cell."""


def as_markdown(summary: Summary, checks: Sequence[Check] = ()) -> str:
    """What was found, whether limits hold, and the most suspect rows."""
    said, suspects = summary["noise"]["said"], summary["suspects"]
    lines = [
        f"## Labels of {escaped(summary['source'])}",
        "",
        f"**{escaped(said[0].upper() + said[1:])}.** {summary['rows']} rows, labels in "
        f"{escaped(summary['label'])}; {suspects['count']} suspect.",
    ]
    lines += [""] * bool(checks)
    lines += [f"- {MARKS[one.passed]} {one.name}: {escaped(one.said)}" for one in checks]
    if suspects["rows"]:
        first = suspects["rows"][:LISTED]
        lines += ["", f"The {len(first)} most suspect of {suspects['count']}:", ""]
        cells = (
            (place(one), f"{one['score']:.0%}", one["given"], one["suggested"],
             (one["reasons"] or [""])[0])
            for one in first
        )  # fmt: skip
        lines += table(("where", "wrong", "given", "suggested", "why"), cells)
    lines += [f"\n> {escaped(note)}" for note in summary["notes"]]
    return "\n".join(lines)


def table(names: Sequence[str], rows: Any) -> list[str]:
    """Lines of a table."""
    return [
        f"| {' | '.join(names)} |",
        f"| {' | '.join('---' for _ in names)} |",
        *(f"| {' | '.join(map(escaped, row))} |" for row in rows),
    ]


MARKUP = re.compile(r"[\\`*_\[\]|~$]")
ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
REFERENCE = re.compile(r"[@#]|:(?=//)|(?<=www)\.")
"""What code hosts make a mention, an issue or an address of."""


def escaped(text: Any) -> str:
    """Text of a table as text, on one line: no markup, no HTML, no mention of anybody."""
    plain = one_line(text)
    plain = f"{plain[:LONGEST]}…" if len(plain) > LONGEST else plain
    plain = MARKUP.sub(lambda mark: f"\\{mark[0]}", plain.translate(ENTITIES))
    return REFERENCE.sub(lambda mark: f"{mark[0]}\u200b", plain)
