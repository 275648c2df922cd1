"""The command line. Commands import what they need when they run, so that help is quick."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from nacre.demo import Demo

SHOWN = 12

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


def _show_version(wanted: bool) -> None:
    if wanted:
        from nacre import __version__

        print(f"nacre {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Learning from wrong labels by boosting."""


@app.command(epilog="Example: nacre demo --rate 0.2")
def demo(
    rate: Annotated[
        float, typer.Option(min=0.0, max=0.4, help="Share of the labels to flip.")
    ] = 0.1,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Which labels are flipped.")] = 0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print everything as JSON instead.")
    ] = False,
) -> None:
    """Flip labels of real data on purpose, find them, and train in spite of them."""
    with Console(stderr=True).status("Boosting (the first run also compiles the kernels)"):
        from nacre.demo import run_demo

        found = run_demo(rate, seed)
    if as_json:
        print(json.dumps(found.as_dict(), indent=2))
    else:
        _print_demo(found)


def _print_demo(found: Demo) -> None:
    console = Console()
    console.print(
        f"Breast-cancer data: {found.rows} rows, {found.columns} columns. "
        f"[bold]{found.flipped} labels were flipped[/bold] ({found.rate:.0%})."
    )
    if found.flipped:
        table = Table(title=f"The {min(SHOWN, found.flipped)} most suspect labels")
        table.add_column("row", justify="right")
        table.add_column("margin", justify="right")
        for column in ("given label", "suggested", "in truth"):
            table.add_column(column)
        for one in found.suspects[:SHOWN]:
            right = one.suggested == one.truth
            table.add_row(
                str(one.row),
                f"{one.margin:+.2f}",
                one.given,
                one.suggested,
                f"{one.truth} [green]flipped[/green]" if right else f"{one.truth} [red]not[/red]",
            )
        console.print(table)
        console.print(
            "The margin is the out-of-fold vote for the given label, from -1 (all against) to +1."
        )
        console.print(
            f"Of the {found.flipped} most suspect rows, [bold]{found.caught}[/bold] "
            f"({found.caught / found.flipped:.0%}) were flipped."
        )
    console.print("Cross-validated error against the true labels, AdaBoost trained on")
    console.print(f"  the labels as given        {found.error_on_flipped:6.1%}")
    if found.flipped:
        console.print(f"  all but the suspects       {found.error_without_suspects:6.1%}")
        console.print(f"  the true labels            {found.error_on_truth:6.1%}")
