"""From suspects to decisions: ``nacre review`` and ``nacre apply``."""

from __future__ import annotations

import getpass
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from nacre.cli import options
from nacre.cli.app import TABLES, app, counted, one_line, print_json, progress_bar
from nacre.cli.audit import read_file, write_audit
from nacre.cli.terminal import Terminal

Folder = Annotated[
    Path,
    typer.Argument(
        help="The folder of an audit, or the file to audit.", show_default=False, metavar="FOLDER"
    ),
]
Table = Annotated[
    Path | None,
    options.given("FILE", "The file that was audited, if it is elsewhere now."),
]


def audit_folder(
    target: Path,
    label: str | None,
    effort: options.HowMuch,
    **columns: Any,
) -> Path:
    """The folder of an audit: the one named, the one beside a file, or a new one.

    ``columns`` says what the columns of a file are, as ``read_file`` takes it.
    """
    from nacre.auditing.stored import SUMMARY
    from nacre.io.place import beside
    from nacre.io.size import parse_size

    asked = {"label": label, "effort": effort, **columns}
    if target.is_dir() and ((target / SUMMARY).exists() or label is None):
        return _as_asked(target, asked)
    folder = beside(target, "-audit")
    if (folder / SUMMARY).exists():
        return _as_asked(folder, asked)
    if label is None:
        raise ValueError(f"There is no audit of {str(target)!r} yet: name its --label to make one.")
    with progress_bar() as progress:
        size = parse_size(options.DEFAULT_SIZE)
        loaded = read_file(target, label, progress, max_size=size, **columns)
        return write_audit(loaded, target, None, False, False, effort, 0, None, progress)[1]


def _as_asked(folder: Path, asked: dict[str, Any]) -> Path:
    """The folder of an audit, if no other one is asked for by the options."""
    from nacre.auditing.stored import read_summary

    given = {name: value for name, value in asked.items() if value}
    if not given:
        return folder
    found = read_summary(folder)
    made = found | {"id": found["suspects"]["id"], "effort": found["settings"]["effort"]}
    for name, value in given.items():
        if name == "label" and value != made[name]:
            raise ValueError(
                f"The audit in {str(folder)!r} is of the labels in {made[name]!r}, not {value!r}: "
                "leave --label out to review it, or run nacre audit --force for another."
            )
        if value != made.get(name):
            raise ValueError(
                f"There is an audit in {str(folder)!r} already, which "
                f"--{name.replace('_', '-')} does not change: leave it out to review that one, or "
                "run nacre audit --force for another."
            )
    return folder


@app.command(epilog="Example: nacre review patients.csv --label diagnosis", rich_help_panel=TABLES)
def review(
    target: Folder,
    label: Annotated[
        str | None,
        options.given("COLUMN", "The column of labels, if there is no audit yet."),
    ] = None,
    clean: options.Clean = None,
    original: options.Original = None,
    id: options.Id = None,
    group: options.Group = None,
    categorical: options.Categorical = None,
    text: options.Text = None,
    ignore: options.Ignore = None,
    read: options.Read = None,
    join_labels: options.JoinLabels = False,
    effort: options.HowMuch = None,
    table: Table = None,
    random: Annotated[
        float | None,
        options.given(None, "Share of random rows; default 0.2.", min=0.0, max=1.0),
    ] = None,
    seed: Annotated[
        int | None,
        options.given(None, "Seed of the random rows; default 0.", min=0, max=options.MOST_SEED),
    ] = None,
    goal: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of wrong labels left to stop at.")
    ] = 0.02,
    every: Annotated[
        int, typer.Option(min=0, help="Learn anew after so many decisions; 0 only when asked.")
    ] = 0,
    who: Annotated[
        str | None, options.given("NAME", "Name of the reviewer; default the user's.")
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            help="Address to serve at; all but this machine's opens it to others.",
            metavar="ADDRESS",
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 is any free one.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    frame: Annotated[bool, typer.Option(hidden=True)] = False,
) -> None:  # fmt: skip
    """Decide about the suspects, on a page in the browser.

    Takes the folder of an audit, or a file, which is audited first if it was not yet. Decisions are
    kept in the folder (review.sqlite) as they are made; nacre apply writes the corrected table.
    """
    with one_line():
        from nacre.review.session import Review

        try:
            from nacre.review.guard import OWN
            from nacre.review.server import bind, make_app, serve
        except ModuleNotFoundError as error:
            raise ValueError(str(error)) from None
        folder = audit_folder(
            target, label, effort, clean=clean, original=original, id=id, group=group,
            categorical=categorical, text=text, ignore=ignore, read=read, join_labels=join_labels,
        )  # fmt: skip
        found = Review(folder, table, share=random, seed=seed, goal=goal)
        at = bind(host, port)
        open_to_others = host not in OWN
        guard = make_app(
            found, who or _user(), every, (*OWN, host.lower()), open_to_others,
            frames="'self' http://localhost:* http://127.0.0.1:*" if frame else "'none'",
        )  # fmt: skip
        name = f"[{host}]" if ":" in host else "localhost" if frame else host
        place = f":{at.getsockname()[1]}/?token="
        address = f"http://{name}{place}{guard.invite()}"
        console = Terminal(soft_wrap=True)
        console.print(
            f"Review of {escape(found.loaded.source)}: {counted(found.progress().checked, 'row')} "
            "decided so far. Open, once:"
        )
        console.print(f"  {escape(address)}")
        if frame:  # a notebook shows the first; the second is for a tab
            console.print(f"  http://127.0.0.1{place}{guard.invite()}")
        if open_to_others:
            console.print("Everybody who gets hold of this address may decide, over plain HTTP.")
        console.print("Control-C ends it; every decision is kept.")
        if browser:
            import webbrowser

            webbrowser.open(address)
        with suppress(KeyboardInterrupt):
            serve(guard, at)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # no such user, as in some containers
        return "reviewer"


@app.command(epilog="Example: nacre apply patients-audit", rich_help_panel=TABLES)
def apply(
    target: Annotated[
        Path,
        typer.Argument(
            help="The folder of an audit, or the file beside it.",
            show_default=False,
            metavar="FOLDER",
        ),
    ],
    table: Table = None,
    out: Annotated[
        Path | None,
        options.given("FOLDER", "Folder to write to; default the same."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Write what was decided: the corrected table, a certificate.

    corrected.csv is the table as it came with the right labels (.parquet where the file is no CSV);
    its column checked is for nacre audit --clean checked. decisions.csv has who decided what, and
    label-studio.json and argilla.json are tasks for those tools.
    """
    with one_line():
        from nacre.io.place import beside
        from nacre.review.outputs import write_outputs
        from nacre.review.session import STORE, Review

        folder = target if target.is_dir() else beside(target, "-audit")
        if not (folder / STORE).exists():
            raise ValueError(f"Nothing was decided in {str(target)!r} yet: run nacre review first.")
        found = Review(folder, table)
        written = write_outputs(found, out)
        now = found.outlook()
    if as_json:
        files = [str(path) for path in written]
        print_json({**{name: now[name] for name in now if name != "curve"}, "files": files})
        return
    console = Terminal(soft_wrap=True)
    low, high = (end / now["rows"] for end in (now["left"]["low"], now["left"]["high"]))
    console.print(
        f"[bold]{counted(now['checked'], 'row')} decided[/bold], {now['drawn']} of the random "
        f"sample: {now['found']} labels were wrong; {low:.1%} to {high:.1%} of all labels still "
        "are (95% interval)."
    )
    console.print("Written, the corrected table first:")
    for path in written:
        console.print(f"  {escape(str(path))}")
