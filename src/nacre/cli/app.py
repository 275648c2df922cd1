"""What all commands share."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
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
