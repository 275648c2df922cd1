"""The papers' experiments: ``nacre reproduce`` and ``nacre experiments``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from nacre.cli.app import PAPERS, app, one_line, progress_bar
from nacre.cli.terminal import Terminal

if TYPE_CHECKING:
    from nacre.experiments.experiment import Experiment
    from nacre.experiments.reproduce import Outcome


class Size(StrEnum):
    """How much of an experiment is run."""

    quick = "quick"
    paper = "paper"


Out = Annotated[Path, typer.Option(help="Folder of results.", file_okay=False, metavar="FOLDER")]
RESULTS = Path("nacre-results")


@app.command(epilog="Example: nacre reproduce barnes-6 --size paper", rich_help_panel=PAPERS)
def reproduce(
    name: Annotated[
        str,
        typer.Argument(
            help="An experiment, a paper, or all; a reading, or readings.", metavar="NAME"
        ),
    ],
    size: Annotated[
        Size, typer.Option(help="Seconds to a minute, or the paper's own trials and rounds.")
    ] = Size.quick,
    out: Out = RESULTS,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, help="Processes, by default one per core; no result changes.", show_default=False
        ),
    ] = None,
) -> None:
    """Run a paper's experiment again; see which of its claims hold.

    Prints its table and writes its numbers (CSV) and its figure (PNG).

    Finished parts are kept in the folder, so a run that was stopped goes on where it was.
    """
    with one_line():
        from nacre.experiments import reproduce as runner
        from nacre.papers.catalogue import find

        chosen = find(name)
        _say_what_figures_need()
        for experiment in chosen:
            with progress_bar() as progress:
                outcome = runner.reproduce(experiment, size.value, out, workers or -1, progress)
            _print_outcome(experiment, size.value, outcome)


def _say_what_figures_need() -> None:
    """Before hours of computing, not after them."""
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError:
        Terminal().print("No figures will be drawn: they need pip install 'nacre-boost\\[plot]'.")


def _print_outcome(experiment: Experiment, size: str, outcome: Outcome) -> None:
    console = Terminal()
    console.print(f"[bold]{experiment.name}[/bold]: {experiment.title}")
    if outcome.table:
        table = _as_table(outcome.table)
        width = table.__rich_measure__(console, console.options.update(max_width=1000)).maximum
        Terminal(highlight=True, width=max(width, console.width)).print(
            table
        )  # no number is cut off
    for line in (*experiment.notes, *outcome.missing):
        console.print(line, style="dim")
    colours = {"agree": "green", "differ": "red", "not run": "yellow"}
    for one in outcome.verdicts:
        word = f"[{colours[one.word]}]{one.word}[/]"
        console.print(f"{word}: {one.what}. Paper: {one.paper}. Ours: {one.ours}.")
    console.print(f"{outcome.cells} cells, {outcome.seconds:.1f} s of computing.")
    if size == "quick":
        console.print("A quick run: too few trials to settle anything. --size paper has them all.")
    for path in outcome.files:
        console.print(f"  {path}", soft_wrap=True)


def _as_table(rows: list[dict[str, Any]]) -> Table:
    from nacre.experiments.reproduce import columns_of, shown

    columns = columns_of(rows)
    table = Table()
    for column in columns:
        numbers = any(isinstance(row.get(column), (int, float)) for row in rows)
        table.add_column(column.replace("_", " "), justify="right" if numbers else "left")
    for row in rows:
        table.add_row(*(shown(row.get(column, "")) for column in columns))
    return table


@app.command(epilog="Example: nacre experiments", rich_help_panel=PAPERS)
def experiments(out: Out = RESULTS) -> None:
    """List the experiments, and what the last runs came to."""
    with one_line():
        from nacre.experiments.store import NAME, ReadOnly
        from nacre.papers.catalogue import EXPERIMENTS

        last = {}
        if (out / NAME).exists():
            with ReadOnly(out) as store:
                last = {name: _summary(one) for name, one in store.outcomes().items()}
    table = Table("experiment", "what", "last result")
    for name, experiment in EXPERIMENTS.items():
        table.add_row(name, experiment.title, last.get(name, ""))
    Terminal().print(table)


def _summary(outcome: dict[str, Any]) -> str:
    try:
        verdicts = [one["agrees"] for one in outcome["verdicts"]]
        agree = f"{verdicts.count(True)} of {len(verdicts)} agree"
        return f"{agree}, {outcome['size']}, {outcome['finished']}"
    except (KeyError, TypeError):
        return "unreadable"
