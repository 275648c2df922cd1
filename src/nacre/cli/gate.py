"""Limits for CI: options of ``nacre audit``, and what comes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from nacre.cli.app import say
from nacre.cli.options import given
from nacre.cli.terminal import Terminal

if TYPE_CHECKING:
    from nacre.auditing import Audit
    from nacre.auditing.gate import Check, Gate

GATE = "Limits, for CI"
"""What the options are about."""


class Format(StrEnum):
    """What to print."""

    text = "text"
    json = "json"
    markdown = "markdown"
    junit = "junit"
    sarif = "sarif"


def _share(text: str) -> float:
    from nacre.data.check import as_share

    try:
        return as_share(text, "the limit")
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


FailAbove = Annotated[
    Any,
    given(
        "SHARE",
        "End with code 3 where the whole interval of the noise rate lies above this share, such "
        "as 5% or 0.05.",
        parser=_share,
        rich_help_panel=GATE,
    ),
]
MaxSuspects = Annotated[
    int | None,
    given(
        None,
        "End with code 3 where more labels are suspect; with --baseline, more new ones (default "
        "0).",
        min=0,
        rich_help_panel=GATE,
    ),
]
Baseline = Annotated[
    Path | None,
    given(
        "FILE",
        "The audit.json of an earlier audit: end with code 3 where rows that are new or changed "
        "since are suspect, or the noise rate has risen by more than chance.",
        rich_help_panel=GATE,
    ),
]
How = Annotated[
    Format | None,
    given(None, "What to print; default text.", "--format", rich_help_panel=GATE),
]
OutputFile = Annotated[
    Path | None,
    given(
        "FILE",
        "Print to this file instead of standard output; it is replaced.",
        rich_help_panel=GATE,
    ),
]
NoFiles = Annotated[
    bool,
    typer.Option("--no-files", help="Write no folder: print only.", rich_help_panel=GATE),
]


def chosen_format(how: Format | None, as_json: bool, output_file: Path | None) -> Format:
    """What to print; a wrong word where the options contradict each other."""
    if as_json and how not in (None, Format.json):
        raise typer.BadParameter("--json is --format json: leave one of the two out.")
    found = Format.json if as_json else how or Format.text
    if found is Format.text and output_file is not None:
        raise typer.BadParameter("--output-file needs a --format: json, markdown, junit or sarif.")
    return found


def refuse_without_files(given: Mapping[str, Any]) -> None:
    """A wrong word where an option says something of files that are not written."""
    for name, value in given.items():
        if value:
            raise typer.BadParameter(
                f"{name} is about files, --no-files writes none: leave one of the two out."
            )


def compared(found: Audit, folder: Path | None, gate: Gate) -> dict[str, Any]:
    """What an audit found; of one in parts, with the hashes of its rows if they are needed."""
    from nacre.auditing.stored import in_parts, read_summary

    summary = found.to_dict()
    if gate.baseline is None or folder is None or not in_parts(summary):
        return summary
    return read_summary(folder)


def make_gate(fail_above: float | None, max_suspects: int | None, baseline: Path | None) -> Gate:
    """The limits; a baseline is read before any work is done."""
    from nacre.auditing.gate import Gate
    from nacre.auditing.stored import read_summary

    return Gate(fail_above, max_suspects, None if baseline is None else read_summary(baseline))


@contextmanager
def output(path: Path | None, table: Path) -> Iterator[Callable[[str], object]]:
    """A function that prints to standard output or a file, which is known to be possible before."""
    if path is None:
        yield typer.echo
        return
    if path.exists() and table.exists() and path.samefile(table):
        raise ValueError("--output-file is the table itself: name another file.")
    from nacre.io.whole import whole_file

    with whole_file(path) as half:
        yield lambda text: half.write_text(f"{text}\n", encoding="utf-8", errors="replace")


def formatted(found: Audit, checks: Sequence[Check], how: Format) -> str:
    """An audit in a format that programs read."""
    from nacre.auditing.formats import FORMATS

    return FORMATS[how.value](found.to_dict(), checks)


def print_checks(checks: Sequence[Check]) -> None:
    """Limits that hold, in a terminal."""
    for one in checks:
        if one.passed:
            Terminal().print(f"[bold]{one.name}[/bold]: holds. {escape(one.said)}", soft_wrap=True)


def end_by(checks: Sequence[Check]) -> None:
    """Say which limits do not hold, and end with their code."""
    from nacre.auditing.gate import FAILED

    failed = [one for one in checks if not one.passed]
    for one in failed:
        say(f"{one.name}: {one.said}")
    if failed:
        raise typer.Exit(FAILED)
