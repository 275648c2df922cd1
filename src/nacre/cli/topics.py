"""``nacre help``: what no help of a single command says."""

from __future__ import annotations

import inspect
from typing import Annotated

import typer
from rich.markup import escape

from nacre.cli.app import HELP, app
from nacre.cli.terminal import Terminal

TOPICS = {
    "files": """
        Tables are CSV, JSON lines, Parquet or Arrow files, told apart by what they hold, sheets of
        a workbook (book.xlsx::Sheet), tables of a SQLite or DuckDB file (shop.db::orders), folders
        of Parquet files, or standard input (-). Of a CSV the delimiter (comma, semicolon, tab or
        bar) and the encoding are found out; it may be compressed. Its first row has the names of
        the columns. Empty cells, NA, N/A, NaN, null and ? are missing values.

        A cleaned or predicted table is the input cell for cell, and new columns after it. Nothing
        is written half: files and folders appear when they are complete, and nothing that is
        there is replaced without --force.
    """,
    "answers": """
        The rate is the share of wrong labels, with a 95 % interval. Where that begins at 0, classes
        overlap, which looks the same as wrong labels: check as many random rows as it says.

        Suspects are a queue: as many rows as labels are expected to be wrong, most suspect first.
        The score of a row is the probability that its label is wrong. Labels are changed in the
        cleaned table only where another class has 80 % or more. Rows count from 0.
    """,
    "exit-codes": """
        0    all went well
        1    something in the data or the files is wrong; one line says what
        2    the words of the command are wrong
        3    a limit does not hold: --fail-above, --max-suspects or --baseline of nacre audit
        128+n  ended by signal n; nothing half written is left
    """,
    "environment": """
        NACRE_DATA        folder of data sets for nacre reproduce
        NUMBA_CACHE_DIR   folder of compiled kernels; by default beside the sources or in the
                          user's cache, else a private temporary folder
        NO_COLOR          if set, no colours
        COLUMNS           width of what is printed, in characters

        nacre --version --verbose says what is used.
    """,
    "same-results": """
        The same table, seed and version give the same answer, whatever the order of the rows and
        the number of workers. On another processor, or with another library of linear algebra,
        sums may round differently: probabilities then differ in their last digits, and seldom a
        row near a limit changes sides. NUMBA_CPU_NAME=generic and OPENBLAS_CORETYPE=Haswell (or
        any other, the same on all machines) take that away on one kind of processor.
    """,
    "completion": """
        nacre --install-completion   writes a file that completes commands and options with the
                                     tabulator, for the shell that it is called in (bash, zsh, fish
                                     or PowerShell); open a new one afterwards
        nacre --show-completion      prints that file, for you to put where you want it
    """,
}
"""What there is to say, by topic."""


def _topic(text: str) -> str:
    known = [*TOPICS, *_commands()]
    if text not in known:
        raise typer.BadParameter(f"{text!r} is none of {', '.join(known)}.")
    return text


def _commands() -> list[str]:
    return [one.name or one.callback.__name__ for one in app.registered_commands if one.callback]


@app.command("help", epilog="Example: nacre help answers", rich_help_panel=HELP)
def show(
    context: typer.Context,
    topic: Annotated[
        str | None,
        typer.Argument(
            help=f"{', '.join(TOPICS)}, or a command.",
            metavar="TOPIC",
            parser=_topic,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Explain a topic: files, answers, exit codes and more."""
    console = Terminal()
    if topic is None:
        for name in TOPICS:
            console.print(f"  nacre help {name}")
        console.print("  nacre help COMMAND, the same as nacre COMMAND --help")
    elif topic in TOPICS:
        console.print(escape(inspect.cleandoc(TOPICS[topic])), soft_wrap=True)
    else:
        group = context.parent
        assert group is not None
        command = group.command.commands[topic]  # type: ignore[attr-defined]
        with typer.Context(command, info_name=topic, parent=group) as one:
            typer.echo(command.get_help(one))
