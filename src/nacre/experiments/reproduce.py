"""From an experiment to its table, files and verdicts."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nacre.data.check import check_choice
from nacre.experiments.experiment import (
    SIZES,
    Claim,
    Experiment,
    NotRun,
    Record,
    Results,
    Row,
    mean_present,
)
from nacre.experiments.plot import save
from nacre.experiments.run import run, to_run
from nacre.experiments.store import Store
from nacre.io.whole import whole_file
from nacre.progress import Event, Progress, silent, within


@dataclass(frozen=True)
class Verdict:
    """A claim and what we found: ``agrees`` is None where its data were not to be had."""

    what: str
    paper: str
    ours: str
    agrees: bool | None

    @property
    def word(self) -> str:
        """In a word."""
        return {True: "agree", False: "differ", None: "not run"}[self.agrees]


@dataclass(frozen=True)
class Outcome:
    """What a reproduction came to.

    Attributes
    ----------
    table : its rows
    verdicts : the paper's claims and our findings
    missing : a line on every data set that could not be had
    files : what was written
    cells : how many there are
    seconds : how long these took, added up over all workers and runs
    """

    table: list[Row]
    verdicts: list[Verdict]
    missing: list[str]
    files: list[Path]
    cells: int
    seconds: float


def reproduce(
    experiment: Experiment,
    size: str = "quick",
    out: str | Path = "nacre-results",
    n_jobs: int = -1,
    progress: Progress = silent,
) -> Outcome:
    """Run an experiment and write its table, its numbers and its figures.

    Finished cells are kept in ``cells.sqlite`` in the same folder: a run that was stopped goes on
    where it was, and larger sizes use what smaller ones have done. Several runs may share a folder.

    Parameters
    ----------
    experiment : Experiment
    size : {"quick", "paper"}
    out : folder
    n_jobs : int
        Processes; -1 for one per core. The results are the same for any number.
    progress : Progress, optional
        Is told of every cell that is finished, within the experiment's name.

    Returns
    -------
    Outcome

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from nacre.papers.catalogue import find
    >>> from nacre.experiments.reproduce import reproduce
    >>> (experiment,) = find("barnes-4-5")
    >>> with TemporaryDirectory() as folder:
    ...     outcome = reproduce(experiment, out=folder, n_jobs=1)
    >>> outcome.verdicts[0].word
    'agree'
    """
    check_choice(size, "size", SIZES)
    folder = Path(out)
    settings, missing = to_run(experiment, size)
    with Store(folder) as store:
        named = within(Event(experiment.name), progress)
        results = run(experiment, settings, store, n_jobs, named)
        cells = [cell for setting in settings for cell in experiment.cells(setting)]
        seconds = store.seconds(cells)
        verdicts = judge(experiment, results)
        outcome = {
            "size": size,
            "finished": time.strftime("%Y-%m-%d %H:%M"),
            "seconds": seconds,
            "verdicts": [asdict(verdict) for verdict in verdicts],
        }
        store.put_outcome(experiment.name, outcome)
    table = table_of(experiment, results)
    files = []
    if results:  # none of its data may be there
        files = [
            write_csv(folder / f"{experiment.name}.csv", table),
            write_csv(folder / f"{experiment.name}-all.csv", everything(results)),
            *draw_figures(experiment, results, folder),
        ]
    return Outcome(table, verdicts, missing, files, len(cells), seconds)


def judge(experiment: Experiment, results: Results) -> list[Verdict]:
    """What becomes of each claim."""
    return [_verdict(claim, results) for claim in experiment.claims]


def _verdict(claim: Claim, results: Results) -> Verdict:
    try:
        if not results:  # nothing would agree with anything
            raise NotRun("None of its data were to be had.")
        finding = claim.check(results)
    except NotRun:
        return Verdict(claim.what, claim.paper, "not run", None)
    return Verdict(claim.what, claim.paper, finding.ours, bool(finding.agrees))


def draw_figures(
    experiment: Experiment, results: Results, folder: Path, dpi: int = 120
) -> list[Path]:
    """Write the figures, where Matplotlib is installed."""
    paths = []
    for end, draw in experiment.figures.items():
        path = folder / (f"{experiment.name}-{end}.png" if end else f"{experiment.name}.png")
        try:
            save(draw, results, path, dpi)
        except ModuleNotFoundError as error:
            if error.name != "matplotlib":
                raise
            return []
        paths.append(path)
    return paths


def table_of(experiment: Experiment, results: Results) -> list[Row]:
    """The experiment's own table, or means over the trials."""
    return experiment.table(results) if experiment.table else means(results)


def means(results: Results) -> list[Row]:
    """The default table: a row for each setting, with means of all numbers recorded."""
    rows = []
    for setting, records in results:
        row = dict(setting, trials=len(records))
        for quantity in _averaged(records[0]):
            if not isinstance(records[0][quantity], list):
                row[quantity] = float(mean_present(_column(records, quantity)))
        rows.append(row)
    return rows


def everything(results: Results) -> list[Row]:
    """Mean and standard deviation of all quantities, curves point by point."""
    rows = []
    for setting, records in results:
        for quantity in _averaged(records[0]):
            values = _column(records, quantity)
            points = values.reshape(len(records), -1)
            for place, point in enumerate(points.T):
                there = point[~np.isnan(point)]
                rows.append(
                    dict(
                        setting,
                        quantity=quantity,
                        place=place if values.ndim > 1 else "",
                        trials=len(there),
                        mean=there.mean() if len(there) else "",
                        sd=there.std(ddof=1) if len(there) > 1 else "",
                    )
                )
    return rows


def _averaged(record: Record) -> list[str]:
    return [quantity for quantity in record if not quantity.startswith("raw_")]


def _column(records: Sequence[Mapping[str, Any]], quantity: str) -> np.ndarray:
    return np.array([record[quantity] for record in records], float)


def columns_of(rows: Sequence[Row]) -> list[str]:
    """All columns that any row has."""
    return list(dict.fromkeys(name for row in rows for name in row))


def shown(value: Any) -> str:
    """A value as a reader wants it: four digits, nothing for what is not there."""
    if isinstance(value, float):
        return "" if value != value else f"{value:.4g}"
    return str(value)


def write_csv(path: Path, rows: Iterable[Row]) -> Path:
    """Write a table; a reader finds the old file or the whole new one, never a part."""
    rows = list(rows)
    text = io.StringIO()
    writer = csv.DictWriter(text, columns_of(rows), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _plain(value) for name, value in row.items()} for row in rows)
    with whole_file(path) as half:
        half.write_text(text.getvalue(), encoding="utf-8")
    return path


def _plain(value: Any) -> Any:
    return f"{value:.6g}" if isinstance(value, float) else value
