"""The options that several commands have."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

MOST_SEED = 2**32 - 1
DEFAULT_SIZE = "4GB"

READ_AS = (
    "number", "decimal-comma", "decimal-point", "time", "boolean", "date", "day-first",
    "month-first", "category", "text", "ignore",
)  # fmt: skip
"""What a column can be said to be."""


class Effort(StrEnum):
    """How much work the model may be."""

    full = "full"
    fast = "fast"


def given(metavar: str | None, help: str, *names: str, **more: Any) -> Any:
    """An option that has a value only where one is given."""
    return typer.Option(*names, help=help, show_default=False, metavar=metavar, **more)


def _read_as(text: str) -> tuple[str, str]:
    """A column and what it is, from the words of a command."""
    column, sign, kind = text.rpartition("=")
    if not sign or not column:
        raise typer.BadParameter(f"{text!r} is not COLUMN=KIND, such as income=number.")
    if kind not in READ_AS:
        raise typer.BadParameter(f"{kind!r} is not one of {', '.join(READ_AS)}.")
    return column, kind


def _effort(text: str) -> Effort:
    """Typer would put "Value error" before what it says of a wrong choice."""
    known = [one.value for one in Effort]
    if text not in known:
        raise typer.BadParameter(f"{text!r} is not one of {', '.join(known)}.")
    return Effort(text)


def _size(text: str) -> int:
    from nacre.io.size import parse_size

    try:
        return parse_size(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


File = Annotated[
    Path,
    typer.Argument(
        help="A CSV, JSON lines, Parquet, Arrow or Excel file (book.xlsx::Sheet), a database "
        "(shop.db::orders), a folder of Parquet files, or - for standard input.",
        show_default=False,
        metavar="FILE",
    ),
]
Label = Annotated[str, given("COLUMN", "The column of labels.")]
Clean = Annotated[
    str | None, given("COLUMN", "A column that says whose label is trusted: true or 1.")
]
Original = Annotated[
    str | None,
    given("COLUMN", "A column of the labels as they were before rows were checked; with --clean."),
]
Id = Annotated[str | None, given("COLUMN", "A column that identifies rows.")]
Group = Annotated[
    str | None,
    given("COLUMN", "A column that says which rows belong together, such as a patient."),
]
Categorical = Annotated[
    list[str] | None, given("COLUMN", "A column that holds categories. May be repeated.")
]
Text = Annotated[
    list[str] | None, given("COLUMN", "A column that holds text to read. May be repeated.")
]
Ignore = Annotated[list[str] | None, given("COLUMN", "A column to leave out. May be repeated.")]
Read = Annotated[
    list[Any] | None,
    given(
        "COLUMN=KIND",
        f"What a column is, if it is misunderstood: {', '.join(READ_AS)}. May be repeated.",
        parser=_read_as,
    ),
]
JoinLabels = Annotated[
    bool,
    typer.Option("--join-labels", help="Take labels for one that differ in case and spaces only."),
]
MaxSize = Annotated[
    Any,
    typer.Option(
        help="How large a table may become as it is read, such as 500MB.",
        parser=_size,
        metavar="SIZE",
    ),
]
HowMuch = Annotated[
    Effort | None,
    given(
        "full|fast",
        "How much work to do; full unless there are more than 100 000 rows.",
        parser=_effort,
        autocompletion=lambda: [one.value for one in Effort],
    ),
]
Seed = Annotated[
    int, typer.Option(min=0, max=MOST_SEED, help="Seed of all that is drawn by chance.")
]
Workers = Annotated[
    int | None, given(None, "Threads, by default one per core; no result changes.", min=1)
]
Force = Annotated[bool, typer.Option("--force", help="Replace files that are there already.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print everything as JSON instead.")]
