"""Two audits of a table: ``nacre compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from nacre.cli import options
from nacre.cli.app import TABLES, app, counted, one_line, print_json
from nacre.cli.terminal import Terminal

LISTED = 10
"""Rows of each kind that are printed."""

Old = Annotated[
    Path,
    typer.Argument(
        help="The audit.json of the earlier audit, or its folder.",
        show_default=False,
        metavar="OLD",
    ),
]
New = Annotated[
    Path, typer.Argument(help="That of the later one.", show_default=False, metavar="NEW")
]


@app.command(
    epilog="Example: nacre compare audit-monday/audit.json audit-friday/audit.json",
    rich_help_panel=TABLES,
)
def compare(old: Old, new: New, as_json: options.AsJson = False) -> None:
    """What changed between two audits of a table.

    Rate, rows and suspects. Rows are known again by their --id and label or, where the audits have
    none, by all that stands in them; their order does not matter.
    """
    with one_line():
        from nacre.auditing.difference import difference
        from nacre.auditing.stored import read_summary

        found = difference(read_summary(old), read_summary(new))
    if as_json:
        print_json(found)
    else:
        print_difference(found)


def print_difference(found: dict[str, Any]) -> None:
    """What changed, in a terminal."""
    console, noise = Terminal(), found["noise"]
    grid = Table("", "noise rate", "95% interval", "labelled rows", "suspects", box=None)
    for name in ("old", "new"):
        low, high = noise[name]["interval"]
        grid.add_row(
            name, f"{noise[name]['rate']:.1%}", f"{low:.1%} to {high:.1%}",
            str(found["rows"][name]), str(found["suspects"][name]),
        )  # fmt: skip
    console.print(grid)
    low, high = noise["interval"]
    said = "risen" if noise["rose"] else "fallen" if noise["fell"] else ""
    console.print(
        f"The noise rate has {said} by {abs(noise['difference']):.1%}"
        if said
        else f"A difference of {noise['difference']:+.1%} may be chance",
        f"(95% interval {low:+.1%} to {high:+.1%}).",
    )
    rows, suspects = found["rows"], found["suspects"]
    if rows["added"] is None:
        print_rows("listed as suspect now and not before", suspects["raised"])
        print_rows("listed before and not now", suspects["cleared"])
    else:
        many = counted(rows["added"], "row")
        console.print(f"{many} added, {rows['removed']} removed; a changed one is both.")
        print_rows("suspect among the rows that were added", suspects["added"])
        print_rows("suspect now, of rows that were there", suspects["raised"])
        print_rows("suspect no more, of rows that are still there", suspects["cleared"])
        print_rows("suspect before, of rows that were removed", suspects["removed"])
    console.print(f"{suspects['kept']} suspect then and now.")
    for line in found["notes"]:
        console.print(escape(line), style="dim")


def print_rows(title: str, rows: list[dict[str, Any]]) -> None:
    """How many rows of a kind there are, and the most suspect of them."""
    console = Terminal()
    console.print(f"[bold]{len(rows)}[/bold] {title}{':' if rows else '.'}")
    listed = [one for one in rows if one["row"] is not None][:LISTED]
    if not listed:
        return
    grid = Table("row", "line", "id", "score", "given", "suggested", box=None, padding=(0, 1, 0, 2))
    for one in listed:
        line = "" if one["lines"] is None else str(one["lines"][0])
        words = ("" if one["id"] is None else one["id"], one["given"], one["suggested"])
        id, *labels = (escape(str(word)[:200]) for word in words)
        grid.add_row(str(one["row"]), line, id, f"{one['score']:.0%}", *labels)
    console.print(grid)
