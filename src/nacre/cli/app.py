"""What all commands share."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from nacre.cli.terminal import Terminal
from nacre.io.printable import printable
from nacre.progress import Event, PrintProgress, Progress, Stage, duration


class _Plain:
    """Help that names arguments as others do, FILE, and says no type of what is only there."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Options and arguments."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for one in found:
            if getattr(one, "is_flag", False) or one.param_type_name == "argument":
                one.display_type_rich = lambda ctx: None  # today's Typer says <bool> and <path>
        return found


class Group(_Plain, TyperGroup):
    """All commands."""


class Command(_Plain, TyperCommand):
    """A command; FILE, not {FILE}."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words of the line "Usage"."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]


class App(typer.Typer):
    """Such commands."""

    def command(self, *args: Any, **options: Any) -> Any:
        """A decorator that makes a function a command."""
        return super().command(*args, **{"cls": Command, **options})


app = App(
    cls=Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

TABLES, PAPERS, HELP = "Tables", "Papers", "Help"
"""What the commands are about."""

A_WHILE, EVERY = 5.0, 30.0
"""Seconds after which progress is told where there is no terminal, and between two lines of it."""

MOST_SEED = 2**32 - 1

File = Annotated[
    Path,
    typer.Argument(
        help="A CSV, JSON lines, Parquet, Arrow or Excel file (book.xlsx::Sheet), a database "
        "(shop.db::orders), a folder of Parquet files, or - for standard input.",
        show_default=False,
        metavar="FILE",
    ),
]
Label = Annotated[
    str, typer.Option(help="The column of labels.", show_default=False, metavar="COLUMN")
]
Id = Annotated[
    str | None,
    typer.Option(help="A column that identifies rows.", show_default=False, metavar="COLUMN"),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        help="A column that holds categories. May be repeated.",
        show_default=False,
        metavar="COLUMN",
    ),
]
Text = Annotated[
    list[str] | None,
    typer.Option(
        help="A column that holds text to read. May be repeated.",
        show_default=False,
        metavar="COLUMN",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        help="A column to leave out. May be repeated.", show_default=False, metavar="COLUMN"
    ),
]
READ_AS = (
    "number", "decimal-comma", "decimal-point", "time", "boolean", "date", "day-first",
    "month-first", "category", "text", "ignore",
)  # fmt: skip
"""What a column can be said to be."""


def _read_as(text: str) -> tuple[str, str]:
    """A column and what it is, from the words of a command."""
    column, sign, kind = text.rpartition("=")
    if not sign or not column:
        raise typer.BadParameter(f"{text!r} is not COLUMN=KIND, such as income=number.")
    if kind not in READ_AS:
        raise typer.BadParameter(f"{kind!r} is not one of {', '.join(READ_AS)}.")
    return column, kind


Read = Annotated[
    list[Any] | None,
    typer.Option(
        help=f"What a column is, if it is misunderstood: {', '.join(READ_AS)}. May be repeated.",
        parser=_read_as,
        show_default=False,
        metavar="COLUMN=KIND",
    ),
]
JoinLabels = Annotated[
    bool,
    typer.Option("--join-labels", help="Take labels for one that differ in case and spaces only."),
]
Seed = Annotated[
    int, typer.Option(min=0, max=MOST_SEED, help="Seed of all that is drawn by chance.")
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1, help="Threads, by default one per core; no result changes.", show_default=False
    ),
]


def _size(text: str) -> int:
    from nacre.io.size import parse_size

    try:
        return parse_size(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


DEFAULT_SIZE = "4GB"
MaxSize = Annotated[
    Any,
    typer.Option(
        help="How large a table may become as it is read, such as 500MB.",
        parser=_size,
        metavar="SIZE",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print everything as JSON instead.")]
Force = Annotated[bool, typer.Option("--force", help="Replace files that are there already.")]


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="And of all that it runs on.")] = False,
) -> None:
    """Learning from wrong labels by boosting. To begin with: nacre demo."""
    if version:
        from nacre.cli.versions import versions

        for line in versions(verbose):
            print(line)
        raise typer.Exit
    if verbose:
        raise typer.BadParameter("--verbose goes with --version.")
    if context.invoked_subcommand is None:
        raise typer.BadParameter("name a command; nacre --help lists them.")


UNMAPPED = "failed to map segment", "cannot allocate memory"
"""What the system says of a library for which there is no room."""


@contextmanager
def one_line() -> Iterator[None]:
    """Have bad input end in one line and code 1, and warnings be one line each."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: say(str(message))
            yield
    except OSError as error:
        parts = [str(part) for part in (error.filename, error.strerror) if part is not None]
        _refuse(": ".join(parts) + "." if error.strerror else str(error))
    except ValueError as error:
        _refuse(str(error))
    except MemoryError as error:
        why = f" ({error})" if str(error) else ""
        _refuse(f"there is not enough memory{why}: take fewer rows or columns, or --effort fast.")
    except ImportError as error:
        if not any(text in str(error).lower() for text in UNMAPPED):
            raise
        _refuse("there is not enough memory to load the libraries; see ulimit -v.")


def _refuse(said: str) -> None:
    say(said)
    raise typer.Exit(1)


def say(said: str) -> None:
    """One line on standard error."""
    typer.echo(f"nacre: {' '.join(printable(said).split())}", err=True)


def counted(number: int, what: str) -> str:
    """A number of things, in words: "1 row", "2 rows"."""
    return f"{number} {what}{'' if number == 1 else 's'}"


COMPILING = "compiling, once:"
"""What a terminal shows beside two numbers where kernels are not yet in the cache."""


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Show what is being done, a bar and the time left, on standard error.

    Where that is no terminal there is one line at the end, which says how long it took; and lines
    now and then on what is being done, once it has taken a while.
    """
    begun, console = time.monotonic(), Terminal(stderr=True)
    if not console.is_terminal:
        printed = PrintProgress(every=EVERY)

        def tell(event: Event) -> None:
            if time.monotonic() - begun > A_WHILE:
                printed(event)

        yield tell
        say(f"done in {duration(time.monotonic() - begun)}.")
        return
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Display

    from nacre.kernels.watch import watch_compiling

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeRemainingColumn(),
    )
    with Display(*columns, console=console, transient=True) as display:
        bar = display.add_task("Starting", total=None)
        stage, lock, latest = Stage(), Lock(), Event("Starting")

        def show(event: Event) -> None:
            nonlocal bar, latest
            with lock:
                latest = latest if event.what == COMPILING else event
                counted = stage.fraction is not None
                if stage.hear(event) or counted != (stage.fraction is not None):
                    display.remove_task(bar)  # another takes its place: its time counts anew
                    bar = display.add_task("", total=None if stage.fraction is None else 1.0)
                display.update(
                    bar, description=printable(str(event)), completed=stage.fraction or 0.0
                )

        def compile_to(done: int, total: int) -> None:
            show(Event(COMPILING, done, total) if done < total else latest)

        with watch_compiling(compile_to):
            yield show


def print_json(found: Any) -> None:
    """Print plain data."""
    print(json.dumps(found, indent=2, allow_nan=False))
