"""From a table in parts to an answer: survey, learn, judge, rank, write."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from shutil import copyfileobj, move
from typing import Any

import numpy as np

from nacre import __version__
from nacre.auditing.audit import usual_effort
from nacre.auditing.large.judging import clean_part, judge_part, marks_path
from nacre.auditing.large.learn import learn, learn_schema, load_rows, notes_path, read_back
from nacre.auditing.large.rank import Ranked, rank
from nacre.auditing.large.report import make_report
from nacre.auditing.large.survey import Asked, merge_surveys, survey
from nacre.auditing.large.work import Pool, Task, Work, do_all, open_pool
from nacre.auditing.result import CLEANED, CLEANED_FOLDER, FILES, Audit
from nacre.auditing.stored import ROWS
from nacre.io.parts import PartedTable, find_parts, row_ends, table_size
from nacre.io.size import check_memory, needed, room, shown_size
from nacre.io.whole import whole_folder
from nacre.models.base import workers
from nacre.progress import Event, Progress, silent

SAMPLE = 100_000
"""Rows that the model learns from, unless it is told otherwise."""

SHARE = 0.5
"""Of the memory there is, that a table may take which is audited whole."""

LEAST = 100
"""Rows that a sample has at least."""


def audit_parts(
    source: str | os.PathLike[str],
    label: str,
    folder: str | os.PathLike[str],
    *,
    clean: str | None = None,
    id: str | None = None,
    group: str | None = None,
    categorical_features: Iterable[str] = (),
    text: Iterable[str] = (),
    ignore: Iterable[str] = (),
    read: Mapping[str, str] | None = None,
    join_labels: bool = False,
    sample: int = SAMPLE,
    cluster: Any = None,
    effort: str | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    force: bool = False,
    why: str = "",
    progress: Progress = silent,
) -> Audit:
    """Audit a table that need not fit into memory, part by part, and write the answer.

    Parts are read three times: to count what they hold and draw a sample of the rows; to judge
    every label; to write the cleaned table. Between, a :class:`~nacre.NacreClassifier` is fitted to
    the sample. Labels of the sample are judged out of fold, all others by the model, which has not
    seen them. The answer is the same, to the bit, for any number of workers.

    Parameters
    ----------
    source : path, folder or pattern
        A Parquet file, a folder of them, ``folder/*.parquet``, or a CSV file.
    label : str
        The column of labels.
    folder : path
        Where the answer goes, as by :meth:`Audit.save`; the cleaned table of Parquet files is a
        folder of such. What is done of it is kept beside it until all is: a run that was killed
        goes on where it was.
    clean, id, group, categorical_features, text, ignore, read, join_labels : as of ``nacre.audit``
    sample : int, default=100000
        Rows to learn from. ``notes`` has the error on held-out rows with a fourth, a half and all
        of them.
    cluster : str or distributed.Client, optional
        An address of a Dask scheduler, whose workers must see the same files, or "local" for
        processes of this machine. Default: threads.
    effort, random_state : as of ``nacre.audit``
    n_jobs : int, optional
        Threads, or processes of a local cluster; default one per core.
    force : bool, default=False
        Replace what a former audit has written there.
    why : str, optional
        A line on why the table is audited in parts, for the notes.
    progress : callback, optional
        Is told how many parts are done: see :mod:`nacre.progress`.

    Returns
    -------
    Audit
        Its ``cleaned`` is an Arrow data set, which is read as it is needed.

    Raises
    ------
    ValueError
        Where the table has no such column, cannot be read in parts, or a part is broken.

    Notes
    -----
    Memory: that of the sample and of the model, some hundreds of megabytes, and for each worker
    about six times what a part takes as numbers, 64 MB, or its largest row group.

    *When not to.* Where the table fits into memory: :func:`nacre.audit` judges every label out of
    fold, and lists all suspects.
    """
    if sample < LEAST:
        raise ValueError(f"sample must be at least {LEAST} rows, got {sample}.")
    progress(Event("Looking for the parts"))
    table = find_parts(source)
    count = workers(-1 if n_jobs is None else n_jobs)
    asked = Asked(
        label, clean, id, group, tuple(categorical_features), tuple(text), tuple(ignore),
        tuple(sorted((read or {}).items())), join_labels, effort, sample, sample // 2, random_state,
    ).within(table.names)  # fmt: skip
    folder = Path(folder).absolute()
    work = Work(folder.with_name(f".{folder.name}.parts"))
    with ExitStack() as stack:
        half = stack.enter_context(whole_folder(folder, force, FILES))
        stack.enter_context(work.kept())
        pool = stack.enter_context(open_pool(cluster, count))
        Run(table, asked, work, pool, count, why, progress).write(half)
    work.remove()
    return Audit.read(folder)


def why_in_parts(source: str | os.PathLike[str], max_size: float) -> str | None:
    """Why a table should be audited in parts, by its size; None where it fits into memory."""
    size = table_size(source)
    if size is None:
        return None
    check_memory(0, 0)
    cells, pages = size
    need, free = needed(cells), room()
    if pages > max_size:
        return f"it expands to {shown_size(pages)}, more than {shown_size(max_size)} (--max-size)"
    if need > SHARE * free:
        return f"it would take about {shown_size(need)} of the {shown_size(free)} that are free"
    return None


class Run:
    """An audit in parts; each step takes from the work folder what is there."""

    def __init__(
        self,
        table: PartedTable,
        asked: Asked,
        work: Work,
        pool: Pool,
        n_jobs: int,
        why: str,
        progress: Progress,
    ) -> None:
        self.table, self.asked, self.work, self.pool = table, asked, work, pool
        self.reader = replace(table, parts=())  # tasks are sent without all the others' parts
        self.n_jobs, self.why, self.progress = n_jobs, why, progress
        self.key = () if asked.id is None else (asked.id, asked.label)

    def write(self, half: Path) -> None:
        """Do all of it, and write the files to a folder."""
        table = self.table
        surveyed = self._survey()
        found = merge_surveys(table, self.asked, surveyed)
        schema = learn_schema(found, self.asked)
        sample = load_rows(table, found, self.asked, schema, slice(0, found.learned))
        sample.require_rows()
        path = self.work.path("model", ".nacre", [one.name for one in surveyed])
        if not notes_path(path).exists():
            held = load_rows(table, found, self.asked, schema, slice(found.learned, None))
            effort = self.asked.effort or usual_effort(int(found.rows.sum()))
            learn(sample, held, effort, self.asked.seed, self.n_jobs, self.progress, path)
        learned = read_back(path)
        judged = self._judge(found, path)
        self.progress(Event("Ranking the suspects"))
        ranked = rank(judged, len(schema.classes))
        cleaned, listed = self._clean(found, schema.classes, judged, ranked)
        audit = make_report(
            found, sample, learned, ranked, listed, self.asked, self._notes(), self.progress
        )
        self.progress(Event("Writing the answer"))
        audit.write(half)
        _put_together(table, cleaned, half)
        if self.key and audit.summary["hashes"]["by"] == list(self.key):
            with (half / ROWS).open("wb") as file:
                for path in listed:
                    file.write(marks_path(path).read_bytes())

    def _notes(self) -> list[str]:
        said = f"The table was audited in parts ({len(self.table.parts)})"
        return [f"{said}{': ' + self.why if self.why else ''}."]

    def _survey(self) -> list[Path]:
        table, asked = self.table, self.asked
        sizes = np.array([one.rows or one.span[1] - one.span[0] for one in table.parts])
        key = __version__, asked, table.head, str(table.schema)  # of all files
        return self._each("survey", ".arrow", "Reading the table", survey, [
            ((part, *key, float(share)), (self.reader, asked, float(share), part))
            for part, share in zip(table.parts, sizes / sizes.sum(), strict=True)
        ])  # fmt: skip

    def _judge(self, found: Any, model: Path) -> list[Path]:
        learned = np.arange(found.learned)
        part, row = found.part[: found.learned], found.row[: found.learned]
        calls = []
        for one in self.table.parts:
            own = learned[part == one.number]
            args = self.reader, found.types, self.asked.clean, model, one, (row[own], own)
            calls.append(((one, model.name), args))
        return self._each("judge", ".npz", "Judging labels", judge_part, calls)

    def _clean(
        self, found: Any, classes: Any, judged: list[Path], ranked: Ranked
    ) -> tuple[list[Path], list[Path]]:
        calls, listed = [], []
        for one, verdict, cut in zip(self.table.parts, judged, ranked.cuts, strict=True):
            made_of = verdict.name, cut.below, cut.ties, cut.listed.tolist()
            listed.append(self.work.path("listed", ".arrow", *made_of))
            args = self.reader, found.types, classes, one, verdict, cut, listed[-1], self.key
            calls.append((made_of, args))
        return self._each(
            "clean", self.table.suffix, "Writing the cleaned table", clean_part, calls
        ), listed

    def _each(
        self, name: str, suffix: str, what: str, function: Any, calls: list[Any]
    ) -> list[Path]:
        """Call a function for each part; where the files are that it has written."""
        paths = [self.work.path(name, suffix, *made_of) for made_of, _ in calls]
        tasks = [
            Task(path, str(part), function, args)
            for part, path, (_, args) in zip(self.table.parts, paths, calls, strict=True)
        ]
        do_all(tasks, what, self.pool, self.progress)
        return paths


def _put_together(table: PartedTable, cleaned: list[Path], half: Path) -> None:
    """Parts of the cleaned table as one: a folder of Parquet files, or a CSV file."""
    if table.form is None:
        (half / CLEANED_FOLDER).mkdir()
        for part, path in zip(table.parts, cleaned, strict=True):
            move(path, half / CLEANED_FOLDER / f"part-{part.number:05}.parquet")
        return
    with (half / CLEANED[0]).open("wb") as whole:
        for k, path in enumerate(cleaned):
            with path.open("rb") as file:
                file.seek(next(row_ends(file, 0, 1, table.form)) if k else 0)  # past the names
                copyfileobj(file, whole)
