"""What all commands share."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    epilog="To begin with: nacre demo. Then: nacre audit FILE --label COLUMN",
)

TABLES, PAPERS = "Tables", "Papers"
"""What the commands are about."""

MOST_SEED = 2**32 - 1

File = Annotated[Path, typer.Argument(help="A CSV, Parquet or Arrow file.", show_default=False)]
Label = Annotated[str, typer.Option(help="The column of labels.", show_default=False)]
Id = Annotated[str | None, typer.Option(help="A column that identifies rows.", show_default=False)]
Categorical = Annotated[
    list[str] | None,
    typer.Option(help="A column that holds categories. May be repeated.", show_default=False),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(help="A column to leave out. May be repeated.", show_default=False),
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
AsJson = Annotated[bool, typer.Option("--json", help="Print everything as JSON instead.")]
Force = Annotated[bool, typer.Option("--force", help="Replace files that are there already.")]


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


@contextmanager
def one_line() -> Iterator[None]:
    """Have bad input end in one line and code 1, and warnings be one line each."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: _say(str(message))
            yield
    except OSError as error:
        parts = [str(part) for part in (error.filename, error.strerror) if part is not None]
        _refuse(": ".join(parts) + "." if error.strerror else str(error))
    except ValueError as error:
        _refuse(str(error))


def _refuse(said: str) -> None:
    _say(said)
    raise typer.Exit(1)


def _say(said: str) -> None:
    typer.echo(f"nacre: {' '.join(said.split())}", err=True)


def counted(number: int, what: str) -> str:
    """A number of things, in words: "1 row", "2 rows"."""
    return f"{number} {what}{'' if number == 1 else 's'}"


@contextmanager
def watching() -> Iterator[Callable[[str], None]]:
    """A line that says what is being done, for as long as it takes."""
    with Console(stderr=True).status("Starting (the first run also compiles the kernels)") as line:
        yield line.update


def print_json(found: Any) -> None:
    """Print plain data."""
    print(json.dumps(found, indent=2, allow_nan=False))
