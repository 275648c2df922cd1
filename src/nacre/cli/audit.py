"""From a file to an answer: ``nacre audit``, ``nacre noise`` and ``nacre demo``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from nacre.cli import options
from nacre.cli.app import TABLES, app, counted, one_line, print_json, progress_bar, say
from nacre.cli.gate import (
    Baseline,
    FailAbove,
    Format,
    How,
    MaxSuspects,
    NoFiles,
    OutputFile,
    chosen_format,
    compared,
    end_by,
    formatted,
    make_gate,
    output,
    print_checks,
    refuse_without_files,
)
from nacre.cli.parts import (
    OnCluster,
    SampleSize,
    choose_parts,
    refuse_in_parts,
    write_parts,
)
from nacre.cli.show import (
    LISTED,
    print_audit,
    print_files,
)
from nacre.cli.terminal import Terminal
from nacre.progress import Event, Progress

if TYPE_CHECKING:
    from nacre.auditing import Audit
    from nacre.auditing.load import Loaded


Labels = Annotated[
    list[str] | None,
    options.given(
        "COLUMN", "The column of labels. May be repeated: answers of several annotators."
    ),
]
Annotator = Annotated[str | None, options.given("COLUMN", "A column that says who gave the label.")]
AnswersFile = Annotated[
    Path | None,
    options.given("FILE", "A file of answers instead of labels: columns row, annotator, answer."),
]
Probabilities = Annotated[
    Path | None,
    options.given(
        "FILE",
        "A file of held-out probabilities by a model of your own: a column for each class, rows "
        "in the same order.",
    ),
]
Out = Annotated[
    Path | None, options.given("FOLDER", "Folder for the answer; default beside the file.")
]


@app.command(
    epilog="Example: nacre audit patients.csv --label diagnosis --id patient",
    rich_help_panel=TABLES,
)
def audit(
    file: options.File,
    label: Labels = None,
    annotator: Annotator = None,
    answers: AnswersFile = None,
    clean: options.Clean = None,
    original: options.Original = None,
    id: options.Id = None,
    group: options.Group = None,
    categorical: options.Categorical = None,
    text: options.Text = None,
    ignore: options.Ignore = None,
    read: options.Read = None,
    join_labels: options.JoinLabels = False,
    probabilities: Probabilities = None,
    out: Out = None,
    force: options.Force = False,
    every: Annotated[
        bool, typer.Option("--all", help="List all labelled rows in suspects.csv, in order.")
    ] = False,
    max_size: options.MaxSize = options.DEFAULT_SIZE,
    effort: options.HowMuch = None,
    seed: options.Seed = 0,
    workers: options.Workers = None,
    as_json: options.AsJson = False,
    fail_above: FailAbove = None,
    max_suspects: MaxSuspects = None,
    baseline: Baseline = None,
    how: How = None,
    output_file: OutputFile = None,
    no_files: NoFiles = False,
    cluster: OnCluster = None,
    sample: SampleSize = None,
) -> None:
    """Which labels of a table are wrong, and what can be learned?

    Writes a report (report.html), the suspects (suspects.csv), the table with cleaned labels
    (cleaned.csv, or .parquet or .xlsx where the file is no text), the model (model.nacre) and
    everything as JSON (audit.json). Ends with code 3 where a limit does not hold.

    A table that does not fit into memory is audited in parts: Parquet files or a CSV file.
    """
    if label is None and answers is None:
        raise typer.BadParameter("name the column of labels.", param_hint="'--label'")
    how = chosen_format(how, as_json, output_file)
    if no_files:
        refuse_without_files({"--out": out, "--all": every, "--force": force})
    with one_line(), output(output_file, file) as show:
        gate = make_gate(fail_above, max_suspects, baseline)
        folder: Path | None
        with progress_bar() as progress:
            why = choose_parts(file, cluster, sample, max_size)
            if why is not None:
                refuse_in_parts(label, {
                    "--annotator": annotator, "--answers": answers, "--all": every,
                    "--probabilities": probabilities, "--no-files": no_files,
                    "--original": original,
                })  # fmt: skip
                assert label is not None
                gate.require_parts(label[0], id)
                found, folder = write_parts(
                    file, label, out, why, progress, clean=clean, id=id, group=group,
                    categorical=categorical, text=text, ignore=ignore, read=read,
                    join_labels=join_labels, sample=sample, cluster=cluster, effort=effort,
                    seed=seed, workers=workers, force=force,
                )  # fmt: skip
            else:
                loaded = read_file(
                    file, label, progress, clean=clean, original=original, id=id, group=group,
                    annotator=annotator, answers=answers, categorical=categorical, text=text,
                    ignore=ignore, read=read, join_labels=join_labels,
                    probabilities=probabilities, max_size=max_size,
                )  # fmt: skip
                gate.require(loaded)
                say_cost(loaded, effort)
                if no_files:
                    found, folder = judge(loaded, effort, seed, workers, progress), None
                else:
                    found, folder = write_audit(
                        loaded, file, out, force, every, effort, seed, workers, progress
                    )
        checks = gate.checks(compared(found, folder, gate))
        if how is not Format.text:
            show(formatted(found, checks, how))
    if how is Format.text:
        print_audit(found)
        print_checks(checks)
        if folder is not None:
            print_files(folder)
    end_by(checks)


def read_file(
    file: Path,
    label: str | list[str] | None,
    progress: Progress,
    *,
    categorical: list[str] | None = None,
    text: list[str] | None = None,
    ignore: list[str] | None = None,
    read: list[Any] | None = None,
    probabilities: Path | None = None,
    **others: Any,
) -> Loaded:
    """Read the table of a file; parameters as those of the commands, and of ``load``."""
    from nacre.auditing.load import load

    progress(Event("Reading the table"))
    return load(
        file,
        label,
        categorical_features=categorical or (),
        text=text or (),
        ignore=ignore or (),
        read=dict(read or ()),
        pred_probs=probabilities,
        **others,
    )


def say_cost(loaded: Loaded, effort: options.Effort | None) -> None:
    """Say what a table will take, before that begins, where it is long."""
    from nacre.auditing.audit import usual_effort
    from nacre.auditing.cost import cost_line

    if line := cost_line(*loaded.size, effort.value if effort else usual_effort(len(loaded.rows))):
        say(line)


def judge(
    loaded: Loaded,
    effort: options.Effort | None,
    seed: int,
    workers: int | None,
    progress: Progress,
) -> Audit:
    """Audit a table that has been read; parameters as those of the command."""
    from nacre.auditing.audit import examine

    return examine(loaded, effort and effort.value, seed, workers or -1, progress)


def write_audit(
    loaded: Loaded,
    file: Path,
    out: Path | None,
    force: bool,
    every: bool,
    effort: options.Effort | None,
    seed: int,
    workers: int | None,
    progress: Progress,
) -> tuple[Audit, Path]:
    """Audit a table and write the answer to its folder, which is claimed before."""
    from nacre.auditing.result import FILES
    from nacre.io.place import beside
    from nacre.io.whole import whole_folder

    folder = beside(file, "-audit") if out is None else out
    with whole_folder(folder, force, FILES) as half:
        found = judge(loaded, effort, seed, workers, progress)
        progress(Event("Writing the answer"))
        found.write(half, every, loaded.suffix)
    return found, folder


@app.command(epilog="Example: nacre noise patients.csv --label diagnosis", rich_help_panel=TABLES)
def noise(
    file: options.File,
    label: options.Label,
    clean: options.Clean = None,
    original: options.Original = None,
    id: options.Id = None,
    group: options.Group = None,
    categorical: options.Categorical = None,
    text: options.Text = None,
    ignore: options.Ignore = None,
    read: options.Read = None,
    join_labels: options.JoinLabels = False,
    max_size: options.MaxSize = options.DEFAULT_SIZE,
    effort: options.HowMuch = None,
    seed: options.Seed = 0,
    workers: options.Workers = None,
    as_json: options.AsJson = False,
) -> None:
    """How many labels are wrong? Only that, quicker than an audit.

    The rate is the one that an audit with the same --effort and --seed finds.
    """
    with one_line(), progress_bar() as progress:
        from nacre.auditing.audit import judge_table

        table = read_file(
            file, label, progress, clean=clean, original=original, id=id, group=group,
            categorical=categorical, text=text, ignore=ignore, read=read, join_labels=join_labels,
            max_size=max_size,
        )  # fmt: skip
        say_cost(table, effort)
        judged = judge_table(table, effort and effort.value, seed, workers or -1, progress)
        found, notes = judged.model.noise_, judged.notes
    classes = [str(one) for one in found.classes]
    if as_json:
        print_json(
            {
                "rate": found.rate,
                "interval": list(found.interval),
                "classes": list(table.schema.classes),
                "matrix": found.matrix.tolist(),
                "rows": len(table.rows),
                "notes": notes,
            }
        )
        return
    console = Terminal()
    console.print(f"{found}.")
    if len(classes) <= LISTED:
        grid = Table("truly", *(escape(one) for one in classes), title="labelled as", box=None)
        for name, line in zip(classes, found.matrix, strict=True):
            grid.add_row(escape(name), *(f"{chance:.1%}" for chance in line))
        console.print(grid)
    for line in notes:
        console.print(escape(line), style="dim")


@app.command(epilog="Example: nacre demo --rate 0.2", rich_help_panel=TABLES)
def demo(
    rate: Annotated[
        float, typer.Option(min=0.0, max=0.4, help="Share of the labels to flip.")
    ] = 0.1,
    effort: options.HowMuch = None,
    seed: options.Seed = 0,
    out: Annotated[Path, typer.Option(help="Folder for the answer.", metavar="FOLDER")] = Path(
        "nacre-demo"
    ),
    workers: options.Workers = None,
    as_json: options.AsJson = False,
) -> None:
    """Flip labels of real data, audit them, see what was found."""
    with one_line(), progress_bar() as progress:
        from nacre.auditing.demo import run_demo
        from nacre.auditing.result import FILES
        from nacre.io.whole import whole_folder

        with whole_folder(out, force=True, names=FILES) as half:
            found = run_demo(rate, effort and effort.value, seed, workers or -1, progress)
            progress(Event("Writing the answer"))
            found.audit.write(half)
    if as_json:
        print_json(found.to_dict())
        return
    console = Terminal()
    console.print(
        f"Breast-cancer data, of which [bold]{counted(found.flipped, 'label')} were flipped[/bold] "
        f"({found.rate:.0%}). nacre is not told which."
    )
    print_audit(found.audit, found.truth)
    if found.suspected:
        console.print(
            f"In truth [bold]{found.caught} of the {found.suspected} suspects[/bold] were flipped, "
            f"of {found.flipped} that there are."
        )
    console.print(
        f"Wrong labels before cleaning: {found.flipped}. After: [bold]{found.left}[/bold]."
    )
    print_files(out)
