"""The pages of results: what is kept of all experiments, as Markdown, tables and figures.

``python -m nacre.papers.page docs/papers --results nacre-results`` keeps a summary (JSON) and the
figures of each experiment and reading whose cells that folder has in ``docs/papers/results``. From
all summaries there, old and new, it then makes ``docs/papers/results.md``, an overview, and a
fragment for each paper, which the paper's page includes, with the verdict on the paper where it is
declared beside its experiments. Nothing is measured, and no data set is
needed; without ``--results`` only the pages are made again.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import fill
from typing import Any

from nacre.experiments.experiment import Experiment, Row, Setting
from nacre.experiments.reproduce import Verdict, columns_of, draw_figures, shown, write_csv
from nacre.experiments.run import gather
from nacre.experiments.store import NAME, Store
from nacre.experiments.summary import SIZE, WORDS, Summary, complete, summarise
from nacre.io.whole import whole_file
from nacre.papers import barnes, sano, weil
from nacre.papers.catalogue import EXPERIMENTS
from nacre.papers.coverage import ITEMS
from nacre.progress import duration

DPI = 90
SHORT = 24
"""Rows of a table up to which it is open; longer ones open at a click."""
FEW = 8
"""Values of a setting up to which each is named."""
PAPERS = tuple(dict.fromkeys(experiment.paper for experiment in EXPERIMENTS.values()))
"""Short names; each paper has a page of that name."""
VERDICTS = {"barnes": barnes.verdict, "sano": sano.verdict, "weil": weil.verdict}
"""What we make of a paper as a whole: a text with places, and its numbers."""
NOTHING = Summary([], [], 0, 0.0)
HEAD = """\
# Results

Every experiment of five papers on boosting and wrong labels, run again with
`nacre reproduce all --size paper`: the papers' own trials, rounds and repeats. This page, and the
tables and figures on the papers' pages, are made from the kept results
(`python -m nacre.papers.page docs/papers`).

A claim is something a paper says, with a rule, part of the experiment's declaration, by which our
numbers agree or differ. Where they differ the pages say by how much: nothing was tuned to agree.
Claims of *[beyond](beyond.md)* are what a paper expects of work it leaves to others, or none ("not
tried").

Papers leave things open. Where a claim differs, other *readings* of its paper were tried, each run
as a whole on fresh draws (or, where only the test is another one, on the same cells) and judged by
all claims that it reaches. They were chosen after the first results, so agreement under one is
weaker evidence; every reading that was tried is shown.

{claims} claims: {counts}.

{cells} cells took {time} of computing, added up over the processes of a machine with
two cores. That is by the clock: other work on the machine counts, too. Of the papers' data sets
only Barnes' acacia is left out, which was never public.
"""

COVERAGE = """\
# Coverage

Every figure, table and theorem of the five papers that has a number: the experiment that has it,
and what became of its claims; or why there is none.
"""


@dataclass(frozen=True)
class Entry:
    """An experiment and what is kept of its results."""

    experiment: Experiment
    summary: Summary

    @property
    def parts(self) -> list[Summary]:
        """Of the experiment, then of its readings that have cells of their own."""
        own = {reading.name for reading in self.experiment.readings if reading.judges is None}
        readings = self.summary.readings
        return [self.summary, *(readings[name] for name in readings if name in own)]

    @property
    def cells(self) -> int:
        """How many there are, with those of the readings."""
        return sum(one.cells for one in self.parts)

    @property
    def seconds(self) -> float:
        """How long they took."""
        return sum(one.seconds for one in self.parts)

    def count(self, word: str) -> int:
        """How many claims have come to that."""
        return self.summary.words().count(word)

    def filled(self, text: str) -> str:
        """A conclusion or a reason with its numbers."""
        if not self.experiment.numbers:
            return text
        return text.format(**self.experiment.numbers(self.summary))


def kept(experiment: Experiment, files: Path) -> Entry:
    """An entry from the folder of summaries."""
    path = files / f"{experiment.name}.json"
    return Entry(
        experiment, _declared(experiment, Summary.read(path) if path.exists() else NOTHING)
    )


def _declared(experiment: Experiment, found: Summary) -> Summary:
    """A summary of the claims and readings that are declared, in their order."""
    named = {reading.name for reading in experiment.readings}
    readings = {name: _declared(experiment, found.readings[name]) for name in found.readings
                if name in named}  # fmt: skip
    verdicts = {one.what: one for one in found.verdicts}
    return replace(
        found,
        verdicts=[
            verdicts.get(claim.what, Verdict(claim.what, claim.paper, "not run", None))
            for claim in experiment.claims
        ],
        readings=readings,
    )


def keep(experiment: Experiment, store: Store, files: Path) -> None:
    """Write the summary and the figures of what a store has, beside what was kept before."""
    before = kept(experiment, files).summary
    main = summarise(experiment, store)
    readings = {}
    for reading in experiment.readings:
        found = summarise(experiment.under(reading), store) or before.readings.get(reading.name)
        if found:
            readings[reading.name] = found
    if not (main or before.cells):
        return
    replace(main or before, readings=readings).write(files / f"{experiment.name}.json")
    if main:
        results = gather(experiment, complete(experiment, store), store)
        draw_figures(experiment, results, files, DPI)


def write_pages(docs: Path, results: Path | None = None) -> list[Path]:
    """Write the overview, a fragment for each paper, and their files.

    Parameters
    ----------
    docs : folder to write to, that of the papers' pages
    results : folder of results, as ``nacre reproduce`` fills it, whose results are to be kept

    Returns
    -------
    list of Path
        Of the overview and of the fragments.

    Raises
    ------
    FileNotFoundError
        Where there are no results.
    """
    if results and not (results / NAME).exists():
        raise FileNotFoundError(
            f"{results} has no results: run nacre reproduce all --size {SIZE} --out {results}."
        )
    files = docs / "results"
    files.mkdir(parents=True, exist_ok=True)
    if results:
        with Store(results) as store:
            for experiment in EXPERIMENTS.values():
                keep(experiment, store, files)
    entries = [kept(experiment, files) for experiment in EXPERIMENTS.values()]
    overview = [_head(entries), _overview(entries), *_doubtful(entries)]
    written = [_write(docs / "results.md", overview)]
    written.append(_write(docs / "coverage.md", [COVERAGE, *_coverage(entries)]))
    for paper in PAPERS:
        own = [entry for entry in entries if entry.experiment.paper == paper]
        parts = [part for entry in own for part in _section(entry, files)]
        written.append(_write(files / f"{paper}.md", parts))
        if paper in VERDICTS:
            written.append(_write(files / f"{paper}-verdict.md", [_verdict(paper, own)]))
    return written


def _verdict(paper: str, entries: list[Entry]) -> str:
    """The verdict on a paper, with the numbers of its experiments."""
    if not all(entry.summary.cells for entry in entries):
        return "Not run."
    found = {entry.experiment.name: entry.summary for entry in entries}
    text = VERDICTS[paper].TEXT.format(**VERDICTS[paper].numbers(found))
    return "\n\n".join(fill(part, 100) for part in text.split("\n\n"))


def _coverage(entries: list[Entry]) -> Iterator[str]:
    """Every numbered part of the papers, and the experiments that have none of their own."""
    by_name = {entry.experiment.name: entry for entry in entries}
    for paper in dict.fromkeys(item.paper for item in ITEMS):
        yield f"## [{paper}]({paper}.md)"
        yield markdown(
            [
                {
                    "number": item.number,
                    "what": item.what,
                    "command": _command(item.experiment),
                    "claims": _counts(by_name.get(item.experiment)),
                    "or why not": item.why,
                }
                for item in ITEMS
                if item.paper == paper
            ]
        )
    named = {item.experiment for item in ITEMS}
    rest = [entry for entry in entries if entry.experiment.name not in named]
    if rest:
        yield "## Experiments beside them"
        yield markdown(
            [
                {
                    "what": one.experiment.title,
                    "command": _command(one.experiment.name),
                    "claims": _counts(one),
                }
                for one in rest
            ]
        )


def _command(name: str) -> str:
    return f"`nacre reproduce {name} --size {SIZE}`" if name else ""


def _counts(entry: Entry | None) -> str:
    """What became of the claims of an experiment."""
    if entry is None:
        return ""
    counts = [(entry.count(word), word) for word in WORDS]
    return f"{_link(entry)}: " + ", ".join(f"{count} {word}" for count, word in counts if count)


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
    )


def _overview(entries: list[Entry]) -> str:
    return markdown([_line(entry) for entry in entries])


def _line(entry: Entry) -> Row:
    """An experiment's line of the overview, with links to the paper's page."""
    paper = entry.experiment.paper
    return {
        "paper": f"[{paper}]({paper}.md)",
        "experiment": _link(entry),
        "what": entry.experiment.title,
        **{word: entry.count(word) or "" for word in WORDS},
        "computing": duration(entry.seconds),
    }


def _link(entry: Entry) -> str:
    name, paper = entry.experiment.name, entry.experiment.paper
    return f"[{name}]({paper}.md#{name})"


def _doubtful(entries: list[Entry]) -> Iterator[str]:
    """Claims that do not simply agree, and why."""
    for word, title in (
        ("agree under a reading", "Claims that agree under a stated reading"),
        ("differ", "Claims that differ under every reading tried"),
    ):
        rows = [
            {
                "experiment": _link(entry),
                "claim": claim.what,
                "paper": claim.paper,
                "ours": entry.summary.verdicts[k].ours,
                "readings": _readings(entry.summary, k),
                "why": entry.filled(claim.reason),
            }
            for entry in entries
            for k, claim in enumerate(entry.experiment.claims)
            if entry.summary.words()[k] == word
        ]
        if rows:
            yield f"## {title}"
            yield markdown(rows)


def _readings(summary: Summary, claim: int) -> str:
    """Those under which a claim agrees and, of the others, how many there are."""
    tried = [one for one in summary.readings.values() if one.verdicts[claim].agrees is not None]
    agreeing = summary.agreeing(claim)
    return f"{', '.join(agreeing) or 'none'} of {len(tried)}" if tried else "none tried"


def _section(entry: Entry, files: Path) -> Iterator[str]:
    """One experiment, part by part; its files lie beside the fragment."""
    experiment, summary = entry.experiment, entry.summary
    yield f"### {experiment.name}"
    if not summary.cells:
        yield f"**{experiment.title}.**"
        yield "Not run."
        return
    yield f"**{experiment.title}.** {entry.filled(experiment.conclusion)}"
    yield markdown(
        [
            {
                "": k + 1,
                "claim": claim.what,
                "paper": claim.paper,
                "ours": one.ours,
                "verdict": word,
            }
            for k, (claim, one, word) in enumerate(
                zip(experiment.claims, summary.verdicts, summary.words(), strict=True)
            )
        ]
    )
    yield from _reasons(entry)
    yield from _readings_tried(entry)
    for end in experiment.figures:
        name = f"{experiment.name}-{end}.png" if end else f"{experiment.name}.png"
        yield f"![{experiment.name}: {experiment.title}]({name})"
    yield from _table(experiment, summary, files)
    if experiment.notes:
        yield "\n".join(f"- {note}" for note in experiment.notes)


def _reasons(entry: Entry) -> Iterator[str]:
    """Why claims do not simply agree."""
    words = entry.summary.words()
    lines = [
        f"- {k + 1}: {entry.filled(claim.reason)}"
        for k, claim in enumerate(entry.experiment.claims)
        if claim.reason and words[k] != "agree"
    ]
    if lines:
        yield "\n".join(lines)


def _readings_tried(entry: Entry) -> Iterator[str]:
    """All readings: why, and what becomes of each claim that one reaches."""
    rows = []
    for reading in entry.experiment.readings:
        found = entry.summary.readings.get(reading.name)
        verdicts = found.verdicts if found else []
        judged = [(k, one) for k, one in enumerate(verdicts) if one.agrees is not None]
        first = {"reading": f"*{reading.name}*", "why it is plausible": reading.why}
        for k, one in judged:
            row = {"claim": k + 1, "our numbers": one.ours, "verdict": one.word}
            rows.append({**first, **row})
            first = dict.fromkeys(first, "")
        if not judged:
            rows.append({**first, "claim": "", "our numbers": "not run", "verdict": ""})
    if rows:
        yield "Readings tried, each on fresh draws unless it says that cells are the same:"
        yield markdown(rows)


def _table(experiment: Experiment, summary: Summary, files: Path) -> Iterator[str]:
    """The table of the experiment, then those of its readings behind a click."""
    own = [(experiment, summary, len(summary.table) > SHORT)]
    readings = {reading.name: experiment.under(reading) for reading in experiment.readings}
    for one, found, folded in own + [(readings[k], v, True) for k, v in summary.readings.items()]:
        write_csv(files / f"{one.name}.csv", found.table)
        words = f"Table of {len(found.table)} rows" if one is experiment else f"Table of {one.name}"
        if folded:
            yield f"<details><summary>{words}</summary>"
        yield markdown(found.table)
        yield (
            f"Settings: {describe(one.settings[SIZE])}. {found.cells} cells, "
            f"{duration(found.seconds)} of computing. "
            f"[The table as CSV]({one.name}.csv)."
        )
        if folded:
            yield "</details>"


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
    """Write the pages of results to the folder of the papers' pages."""
    parser = argparse.ArgumentParser(prog="python -m nacre.papers.page", description=main.__doc__)
    parser.add_argument("docs", type=Path, help="gets results.md and results/")
    parser.add_argument("--results", type=Path, help="as nacre reproduce --out fills it")
    words = parser.parse_args()
    try:
        print(*write_pages(words.docs, words.results), sep="\n")
    except FileNotFoundError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
