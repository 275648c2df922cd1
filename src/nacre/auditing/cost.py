"""What an audit will cost, said before it begins."""

from __future__ import annotations

from typing import NamedTuple

from nacre.progress import duration


class Cost(NamedTuple):
    """Processor seconds: for any table, for a row, and for each of its columns and classes."""

    once: float
    row: float
    column: float
    class_: float


COSTS = {"fast": Cost(0.3, 1.1e-4, 3.3e-6, 1.3e-5), "full": Cost(0.6, 2.5e-4, 6e-6, 2.2e-5)}
"""By effort: fitted to some twenty audits of 1000 to 16 000 rows, 5 to 1000 columns and 2 to 100
classes on one machine. Rough: what is not much like these may take twice as long, or half."""

PER_COLUMN = 1.2e-3
"""Seconds for each column, however few the rows: 200 rows of 20 000 columns take 29 s at fast
effort, of 100 000 columns 237 s."""

LONG = 60.0
"""Seconds from which on a cost is worth a word."""


def expected_seconds(rows: int, columns: int, classes: int, effort: str) -> float:
    """Roughly the processor time of an audit."""
    cost = COSTS[effort]
    each = cost.row + columns * cost.column + classes * cost.class_
    return cost.once + PER_COLUMN * columns + rows * each


def cost_line(rows: int, columns: int, classes: int, effort: str) -> str | None:
    """A line on what an audit will take, where that is long."""
    seconds = expected_seconds(rows, columns, classes, effort)
    if seconds < LONG:
        return None
    said = (
        f"this takes about {duration(seconds)} of processor time ({rows} rows, {columns} columns, "
        f"{classes} classes)"
    )
    if effort == "full":
        less = expected_seconds(rows, columns, classes, "fast")
        said += f"; with --effort fast about {duration(less)}"
    return f"{said}."
