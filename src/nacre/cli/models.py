"""Models on files: ``nacre fit`` and ``nacre predict``."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

import nacre
from nacre.cli import options
from nacre.cli.app import TABLES, app, counted, one_line, print_json, progress_bar
from nacre.cli.audit import read_file
from nacre.cli.terminal import Terminal
from nacre.progress import Event

MODELS = [
    name.removesuffix("Classifier")
    for name in dir(nacre)
    if name.endswith("Classifier") and name != "BoostedClassifier"
]
"""The classifiers, by a short name; that of any composition has none to offer here."""


def model_named(name: str) -> str:
    """The classifier of that name, in any case of its letters."""
    for model in MODELS:
        if name.lower() == model.lower():
            return model
    raise typer.BadParameter(f"{name!r} is not one of {', '.join(MODELS).lower()}.")


def read_settings(model: str, settings: list[str]) -> dict[str, Any]:
    """Parameters of a classifier out of NAME=VALUE: numbers, None, True or False, or else text."""
    known = list(getattr(nacre, f"{model}Classifier")().get_params(deep=False))
    found: dict[str, Any] = {}
    for one in settings:
        name, equals, value = one.partition("=")
        if not equals or name not in known:
            raise typer.BadParameter(
                f"{one!r} must be NAME=VALUE, the name one of {', '.join(known)}.",
                param_hint="--set",
            )
        try:
            found[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            found[name] = value
    return found


@app.command(
    epilog="Example: nacre fit patients.csv --label diagnosis --model pboost --set p=0.9",
    rich_help_panel=TABLES,
)
def fit(
    file: options.File,
    label: options.Label,
    model: Annotated[
        str,
        typer.Option(
            help=f"Which classifier: {', '.join(MODELS).lower()}.",
            parser=model_named,
            metavar="NAME",
        ),
    ] = "nacre",
    settings: Annotated[
        list[str] | None,
        options.given(
            "NAME=VALUE",
            "A parameter of the classifier, such as n_estimators=50. May be repeated.",
            "--set",
        ),
    ] = None,
    out: Annotated[
        Path | None, options.given("FILE", "The model's file; default beside the table.")
    ] = None,
    categorical: options.Categorical = None,
    text: options.Text = None,
    ignore: options.Ignore = None,
    read: options.Read = None,
    join_labels: options.JoinLabels = False,
    max_size: options.MaxSize = options.DEFAULT_SIZE,
    force: options.Force = False,
    seed: options.Seed = 0,
    workers: options.Workers = None,
    as_json: options.AsJson = False,
) -> None:
    """Train a classifier on a table, measure it and save it."""
    chosen = read_settings(model, settings or [])
    with one_line(), progress_bar() as progress:
        from nacre.auditing.compare import held_out_metrics
        from nacre.io.place import beside
        from nacre.io.whole import whole_file

        table = read_file(
            file, label, progress, categorical=categorical, text=text, ignore=ignore, read=read,
            join_labels=join_labels, max_size=max_size,
        )  # fmt: skip
        path = beside(file, ".nacre") if out is None else out
        with whole_file(path, force, parents=True) as half:
            progress(Event("Learning"))
            own = {
                "categorical_features": list(table.schema.categorical),
                "random_state": seed,
                "n_jobs": workers or -1,
            }
            made = getattr(nacre, f"{model}Classifier")(**(own | chosen))
            if isinstance(made, nacre.NacreClassifier):  # which also learns from words
                made.fit_training(table.training, table.classes)
            else:
                made.fit(table.training.X, table.classes[table.training.y])
            nacre.save_model(made, half, table.schema.to_dict())
            progress(Event("Measuring on held-out rows"))
            measured = held_out_metrics(made, table.training, seed)
    found = {
        "model": type(made).__name__,
        "file": str(path),
        "rows": len(table.rows),
        "columns": list(table.schema.names),
        "classes": list(table.schema.classes),
        "settings": chosen,
        "metrics": measured,
        "notes": list(table.notes),
    }
    if as_json:
        print_json(found)
        return
    console = Terminal()
    console.print(
        f"{found['model']} learned {len(table.schema.classes)} classes from "
        f"{counted(len(table.rows), 'row')} and {counted(len(table.schema.names), 'column')}: "
        f"[bold]{escape(str(path))}[/bold]"
    )
    score, loss = measured["accuracy"], measured["log_loss"]
    console.print(
        f"On held-out rows, against the labels as given: [bold]accuracy {score['mean']:.1%}[/bold] "
        f"± {100 * score['error']:.1f}, log loss {loss['mean']:.3f}."
    )
    for line in table.notes:
        console.print(escape(line), style="dim")


@app.command(
    epilog="Example: nacre predict patients.nacre new.csv --explain", rich_help_panel=TABLES
)
def predict(
    model: Annotated[
        Path, typer.Argument(help="A model's file.", show_default=False, metavar="MODEL")
    ],
    file: options.File,
    out: Annotated[
        Path | None,
        options.given("FILE", "Where to, .csv, .parquet or .xlsx; default beside the table."),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say which values each prediction hangs on.")
    ] = False,
    max_size: options.MaxSize = options.DEFAULT_SIZE,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Predict the labels of a table with a saved model."""
    with one_line(), progress_bar() as progress:
        from nacre.auditing.predictions import PREDICTED, predict_table
        from nacre.io import write_table
        from nacre.io.place import beside
        from nacre.io.whole import whole_file
        from nacre.io.write import check_ending

        progress(Event("Predicting"))
        path = beside(file, "-predicted.csv") if out is None else out
        suffix = check_ending(path)
        with whole_file(path, force, parents=True) as half:
            made = predict_table(model, file, explain, max_size)
            found = made.frame
            write_table(found, half, safe=suffix == ".csv", spelling=made.spelling)
    counts = Counter(found["nacre_predicted"].to_list()).most_common()
    if as_json:
        added = PREDICTED if explain else PREDICTED[:2]
        print_json(
            {
                "file": str(path),
                "rows": len(found),
                "predicted": [{"label": label, "rows": rows} for label, rows in counts],
                "predictions": found.select(added).rows(named=True),
                "notes": list(made.notes),
            }
        )
        return
    console = Terminal()
    console.print(f"{counted(len(found), 'row')} predicted: [bold]{escape(str(path))}[/bold]")
    for label, rows in counts:
        console.print(f"  {escape(str(label))}: {rows}")
    for line in made.notes:
        console.print(escape(line), style="dim")
