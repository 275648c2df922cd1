"""JSON: what ``audit.json`` holds, and the outcome of the gate where there is one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from nacre.auditing.gate import Check, gate_dict
from nacre.auditing.stored import Summary
from nacre.io.printable import printable


def as_json(summary: Summary, checks: Sequence[Check] = ()) -> str:
    """All of it."""
    return dumped({**summary, "gate": gate_dict(checks)} if checks else summary)


def dumped(found: Any) -> str:
    """Plain data as JSON, in ASCII: escape codes stay spelled out."""
    return json.dumps(found, indent=2, allow_nan=False)


def one_line(text: Any) -> str:
    """Text of a table on one line, without what a terminal would take for a command."""
    return " ".join(printable(str(text)).split())


def question(one: dict[str, Any]) -> str:
    """What is asked of a suspect."""
    named = "" if one["id"] is None else f" of {one_line(one['id'])}"
    return (
        f"Label {one_line(one['given'])!r}{named} is wrong with a probability of "
        f"{one['score']:.0%}: {one_line(one['suggested'])!r}?"
    )
