"""The pages of results: what a folder of stored cells comes to, as Markdown, tables and figures.

``python -m nacre.papers.page nacre-results docs/papers`` writes ``docs/papers/results.md``, an
overview, and to ``docs/papers/results`` a fragment for each paper, which the paper's page includes,
with the tables and the figures of its experiments. Nothing is measured, and no data set is needed.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nacre.experiments.experiment import Experiment, Results, Row, Setting
from nacre.experiments.reproduce import (
    Verdict,
    columns_of,
    draw_figures,
    judge,
    shown,
    table_of,
    write_csv,
)
from nacre.experiments.run import gather
from nacre.experiments.store import NAME, Store
from nacre.io.whole import whole_file
from nacre.papers.catalogue import EXPERIMENTS
from nacre.progress import duration

SIZE = "paper"
DPI = 90
SHORT = 24
"""Rows of a table up to which it is open; longer ones open at a click."""
FEW = 8
"""Values of a setting up to which each is named."""
WORDS = ("agree", "differ", "not run")
PAPERS = tuple(dict.fromkeys(experiment.paper for experiment in EXPERIMENTS.values()))
"""Short names; each paper has a page of that name."""
HEAD = """\
# Results

Every experiment of five papers on boosting and wrong labels, run again with
`nacre reproduce all --size paper`: the papers' own trials, rounds and repeats. This page, and the
tables and figures on the papers' pages, are made from the stored results
(`python -m nacre.papers.page nacre-results docs/papers`).

A claim is something a paper says, with a rule, part of the experiment's declaration, by which our
numbers agree or differ. Where they differ the pages say by how much: nothing was tuned to agree.
Claims of *[beyond](beyond.md)* are what a paper expects of work it leaves to others, or none ("not
tried").

{claims} claims: {counts}.

{cells} cells took {time} of computing, added up over the processes of a machine with
{cores} cores. That is by the clock: other work on the machine counts, too. Of the papers' data sets
only Barnes' acacia is left out, which was never public.
"""


@dataclass(frozen=True)
class Entry:
    """An experiment and what its stored cells come to."""

    experiment: Experiment
    results: Results
    verdicts: list[Verdict]
    table: list[Row]
    cells: int
    seconds: float

    def count(self, word: str) -> int:
        """How many claims agree, differ or were not run."""
        return [one.word for one in self.verdicts].count(word)


def read(experiment: Experiment, store: Store) -> Entry:
    """An entry from the data sets whose cells are all stored."""
    every = experiment.settings[SIZE]
    missing = {
        setting.values.get("data")
        for setting in every
        if any(cell not in store for cell in experiment.cells(setting))
    }
    settings = [setting for setting in every if setting.values.get("data") not in missing]
    results = gather(experiment, settings, store)
    cells = [cell for setting in settings for cell in experiment.cells(setting)]
    return Entry(
        experiment,
        results,
        judge(experiment, results),
        table_of(experiment, results) if results else [],
        len(cells),
        store.seconds(cells),
    )


def write_pages(results: Path, docs: Path) -> list[Path]:
    """Write the overview, a fragment for each paper, and their files.

    Parameters
    ----------
    results : folder of results, as ``nacre reproduce`` fills it
    docs : folder to write to, that of the papers' pages

    Returns
    -------
    list of Path
        Of the overview and of the fragments.

    Raises
    ------
    FileNotFoundError
        Where there are no results.
    """
    if not (results / NAME).exists():
        raise FileNotFoundError(
            f"{results} has no results: run nacre reproduce all --size {SIZE} --out {results}."
        )
    files = docs / "results"
    files.mkdir(parents=True, exist_ok=True)
    with Store(results) as store:
        entries = [read(experiment, store) for experiment in EXPERIMENTS.values()]
    written = [_write(docs / "results.md", [_head(entries), _overview(entries)])]
    for paper in PAPERS:
        own = [entry for entry in entries if entry.experiment.paper == paper]
        parts = [part for entry in own for part in _section(entry, files)]
        written.append(_write(files / f"{paper}.md", parts))
    return written


def _write(path: Path, parts: list[str]) -> Path:
    with whole_file(path) as half:
        half.write_text("\n\n".join(part.strip() for part in parts) + "\n", encoding="utf-8")
    return path


def _head(entries: list[Entry]) -> str:
    counts = [(sum(entry.count(word) for entry in entries), word) for word in WORDS]
    return HEAD.format(
        claims=sum(count for count, _ in counts),
        counts=", ".join(f"{count} {word}" for count, word in counts if count),
        cells=sum(entry.cells for entry in entries),
        time=duration(sum(entry.seconds for entry in entries)),
        cores=os.cpu_count(),
    )


def _overview(entries: list[Entry]) -> str:
    return markdown([_line(entry) for entry in entries])


def _line(entry: Entry) -> Row:
    """An experiment's line of the overview, with links to the paper's page."""
    name, paper = entry.experiment.name, entry.experiment.paper
    return {
        "paper": f"[{paper}]({paper}.md)",
        "experiment": f"[{name}]({paper}.md#{name})",
        "what": entry.experiment.title,
        **{word: entry.count(word) or "" for word in WORDS},
        "computing": duration(entry.seconds),
    }


def _section(entry: Entry, files: Path) -> Iterator[str]:
    """One experiment, part by part; its files lie beside the fragment."""
    experiment = entry.experiment
    yield f"### {experiment.name}"
    yield f"**{experiment.title}.** {experiment.conclusion}"
    if not entry.cells:
        yield "Not run."
        return
    yield markdown(
        [
            {"claim": one.what, "paper": one.paper, "ours": one.ours, "": one.word}
            for one in entry.verdicts
        ]
    )
    for path in draw_figures(experiment, entry.results, files, DPI):
        yield f"![{experiment.name}: {experiment.title}]({path.name})"
    write_csv(files / f"{experiment.name}.csv", entry.table)
    if len(entry.table) <= SHORT:
        yield markdown(entry.table)
    else:
        yield f"<details><summary>Table of {len(entry.table)} rows</summary>"
        yield markdown(entry.table)
        yield "</details>"
    yield (
        f"Settings: {describe(experiment.settings[SIZE])}. {entry.cells} cells, "
        f"{duration(entry.seconds)} of computing. "
        f"[The table as CSV]({experiment.name}.csv)."
    )
    if experiment.notes:
        yield "\n".join(f"- {note}" for note in experiment.notes)


def describe(settings: Sequence[Setting]) -> str:
    """All settings in a line: the values of each name, and the trials."""
    names = dict.fromkeys(name for setting in settings for name in setting.values)
    words = []
    for name in names:
        found = [one.values[name] for one in settings if name in one.values]
        words.append(f"{name.replace('_', ' ')} {_several(found)}")
    trials = _several([setting.trials for setting in settings])
    return "; ".join([*words, f"{trials} trials"])


def _several(values: list[Any]) -> str:
    """The distinct values; of many only the first, the last and their number."""
    distinct = list(dict.fromkeys(values))
    if len(distinct) <= FEW:
        return ", ".join("all" if value is None else shown(value) for value in distinct)
    return f"{shown(distinct[0])} to {shown(distinct[-1])} ({len(distinct)} values)"


def markdown(rows: Sequence[Row]) -> str:
    """A table in Markdown, numbers to the right."""
    columns = columns_of(rows)
    numbers = [
        all(isinstance(row.get(column, 0), (int, float)) or row[column] == "" for row in rows)
        for column in columns
    ]
    lines = [
        [column.replace("_", " ") for column in columns],
        ["---:" if number else "---" for number in numbers],
        *([shown(row.get(column, "")) for column in columns] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    """Write the pages of results from a folder of results to that of the papers' pages."""
    parser = argparse.ArgumentParser(prog="python -m nacre.papers.page", description=main.__doc__)
    parser.add_argument("results", type=Path, help="as nacre reproduce --out fills it")
    parser.add_argument("docs", type=Path, help="gets results.md and results/")
    words = parser.parse_args()
    try:
        print(*write_pages(words.results, words.docs), sep="\n")
    except FileNotFoundError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
