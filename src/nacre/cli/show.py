"""What an audit has found, on the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.table import Table

from nacre.cli.app import counted
from nacre.cli.terminal import Terminal

if TYPE_CHECKING:
    from nacre.auditing import Audit

LISTED = 10
"""Suspects that are printed."""

FEWEST = 10
"""Suspects of whom it is worth saying how many are wrong."""


def print_audit(found: Audit, truth: list[str] | None = None) -> None:
    """The answer, in a terminal; with the true labels beside it, where they are known."""
    from nacre.data.column import TELLING
    from nacre.noise.quality import GUESSES

    console, summary = Terminal(), found.to_dict()
    noise, suspects, metrics = summary["noise"], summary["suspects"], summary["metrics"]
    console.print(
        f"[bold]{escape(summary['source'])}[/bold]: {counted(summary['rows'], 'row')}, "
        f"{counted(summary['columns'], 'column')} to learn from, {len(summary['classes'])} classes "
        f"in {escape(summary['label'])}."
    )
    print_findings(console, summary["findings"], first=True)
    loud = [line for line in summary["notes"] if line.endswith((TELLING, GUESSES))]
    for line in loud:
        console.print(escape(line), style="bold yellow")
    said = noise["said"]
    console.print(f"[bold]{said[0].upper()}{said[1:]}[/bold].", highlight=False)
    if summary["trusted"]:
        verb = "is" if summary["trusted"] == 1 else "are"
        console.print(
            f"({counted(summary['trusted'], 'row')} {verb} trusted; rates are of the other "
            f"{noise['of']}.)",
            highlight=False,
        )
    if summary["annotators"] is not None:
        console.print(annotators_table(summary["annotators"]))
    if suspects["count"]:
        console.print(suspects_table(suspects, truth))
    console.print(queue_line(suspects))
    print_findings(console, summary["findings"], first=False)
    console.print(metrics_table(metrics))
    for line in summary["notes"]:
        if line not in loud:
            console.print(escape(line), style="dim")


def print_findings(console: Terminal, findings: list[dict[str, Any]], first: bool) -> None:
    """What else was found, with the first rows of each: what undoes the answer before all else."""
    from nacre.auditing.shown import UNDOING

    for one in findings:
        if (one["kind"] in UNDOING) == first:
            rows = ", ".join(map(str, one["rows"][:LISTED]))
            more = ", ..." if len(one["rows"]) > LISTED else ""
            which = "Row" if len(one["rows"]) == 1 else "Rows"
            said = f"{one['said']} {which} {rows}{more}." if rows else one["said"]
            console.print(escape(said), style="bold red" if first else None, highlight=False)


def annotators_table(annotators: dict[str, Any]) -> Table:
    """Who is wrong how often, and how many rows deserve another opinion."""
    what = "answers" if annotators["several"] else "labels"
    ask = annotators["to_ask"]["count"]
    more = f"; {counted(ask, 'row')} deserve another opinion" if ask else ""
    title = f"{counted(annotators['count'], 'annotator')}, {annotators['answers']} {what}{more}"
    table = Table(title=title, box=None)
    table.add_column("annotator")
    for name in (what, "wrong", "between"):
        table.add_column(name, justify="right")
    for one in annotators["listed"][:LISTED]:
        low, high = one["interval"]
        table.add_row(
            escape(str(one["name"])[:40]), str(one["answers"]), f"{one['rate']:.1%}",
            f"{low:.1%} and {high:.1%}",
        )  # fmt: skip
    return table


def queue_line(suspects: dict[str, Any]) -> str:
    """How long the list is, and how many of it are expected to be wrong."""
    if not suspects["count"]:
        return "[bold]No label is suspect[/bold]."
    found = ", ".join(
        f"{one['first']}: about {one['wrong']:.0f}"
        for one in suspects["queue"]
        if one["first"] >= FEWEST
    )
    verb = "is" if suspects["count"] == 1 else "are"
    changed, rows = suspects["changed"], counted(suspects["count"], "row")
    if not suspects["queue"]:
        return f"[bold]{rows}[/bold] to look at first: how many are wrong cannot be told."
    return (
        f"[bold]{counted(suspects['count'], 'label')} {verb} suspect[/bold]. "
        + (f"Wrong among the first {found}. " if found else "")
        + (
            f"{changed} changed in the cleaned table, being sure enough."
            if changed
            else "None is sure enough to be changed in the cleaned table."
        )
    )


def suspects_table(suspects: dict[str, Any], truth: list[str] | None = None) -> Table:
    """The most suspect rows; with the truth beside them, where it is known."""
    from nacre.auditing.explain import main_reason

    shown = suspects["rows"][:LISTED]
    table = Table(title=f"The {len(shown)} most suspect of {suspects['count']}", box=None)
    lines = any(one["lines"] for one in shown)
    for name in ("row", *(["line"] if lines else []), "score"):
        table.add_column(name, justify="right")
    for name in ("given", "suggested", *(["in truth"] if truth is not None else []), "why"):
        table.add_column(name)
    for one in shown:
        known = [] if truth is None else [truth[one["row"]]]
        words = [one["given"], one["suggested"], *known, main_reason(one["reasons"])]
        places = [one["row"], *([one["lines"][0]] if lines else [])]
        table.add_row(
            *map(str, places), f"{one['score']:.0%}", *(escape(str(word)[:200]) for word in words)
        )
    return table


def metrics_table(metrics: dict[str, Any]) -> Table:
    """What the models score on rows that they have not seen."""
    table = Table(title=f"Accuracy on held-out rows, {metrics['folds']} folds", box=None)
    table.add_column("learns from")
    table.add_column("against labels as given", justify="right")
    table.add_column("against true ones, about", justify="right")
    for model in metrics["models"]:
        score, free = model["given"]["accuracy"], model["corrected"]
        table.add_row(
            model["what"],
            f"{score['mean']:.1%} ± {100 * score['error']:.1f}",
            "" if free is None else f"{free:.1%}",
        )
    return table


def print_files(folder: Path) -> None:
    """Where the answer is."""
    from nacre.auditing.result import FILES

    console = Terminal()
    console.print("Written, the report first:")
    for name in FILES:
        if (folder / name).exists():
            console.print(f"  {escape(str(folder / name))}", soft_wrap=True)
