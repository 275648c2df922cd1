"""The runner: all cells of an experiment, on all cores, each kept when it is finished.

Cells go out to processes of joblib's loky: it comes with scikit-learn, starts clean interpreters
(a fork would copy the threads of compiled kernels half-way), sends functions that are defined
anywhere, batches cells of milliseconds, and notices a worker that was killed. Only this process
writes to the store.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import cache
from threading import Thread
from typing import Any

from joblib import Parallel, delayed
from threadpoolctl import ThreadpoolController

from nacre.experiments.experiment import Cell, Experiment, Record, Results, Setting
from nacre.experiments.store import Store
from nacre.progress import Progress, Tally, silent


def to_run(experiment: Experiment, size: str) -> tuple[list[Setting], list[str]]:
    """The settings whose data can be had, and a line on each set that cannot."""
    settings = list(experiment.settings[size])
    if not experiment.files:
        return settings, []
    from nacre.datasets import load  # late: it brings all of the models

    used = {setting.values.get("data") for setting in settings}
    missing = {}
    for data, name in experiment.files.items():
        if data in used:
            try:
                load(name)
            except FileNotFoundError as error:
                missing[data] = str(error)
    kept = [setting for setting in settings if setting.values.get("data") not in missing]
    return kept, list(missing.values())


def run(
    experiment: Experiment,
    settings: list[Setting],
    store: Store,
    n_jobs: int = 1,
    progress: Progress = silent,
) -> Results:
    """Measure all cells that the store does not have, and return all results.

    Parameters
    ----------
    experiment : Experiment
    settings : those to run
    store : Store
    n_jobs : int
        Processes; -1 for one per core. The results are the same for any number.
    progress : Progress, optional
        Is told of every cell that is finished.
    """
    cells = [cell for setting in settings for cell in experiment.cells(setting)]
    due = [cell for cell in cells if cell not in store]
    finished = Tally("cell", len(cells), progress, done=len(cells) - len(due))
    for cell, record, seconds in _measured(experiment.measure, due, n_jobs):
        store.put(cell, record, seconds)
        finished.step()
    return gather(experiment, settings, store)


def gather(experiment: Experiment, settings: list[Setting], store: Store) -> Results:
    """The results of settings whose cells are all in the store."""
    return Results(
        (setting.values, [store.get(cell) for cell in experiment.cells(setting)])
        for setting in settings
    )


def _measured(
    measure: Callable[[Cell], Record], cells: list[Cell], n_jobs: int
) -> Iterator[tuple[Cell, Record, float]]:
    """Cells with their records, as they finish."""
    if not cells:
        return iter(())
    pool: Any = Parallel(
        n_jobs=n_jobs,
        return_as="generator_unordered",
        initializer=_end_with,
        initargs=(os.getpid(),),
    )
    finished: Iterator[tuple[Cell, Record, float]] = pool(
        delayed(measure_cell)(measure, cell) for cell in cells
    )
    return finished


def measure_cell(measure: Callable[[Cell], Record], cell: Cell) -> tuple[Cell, Record, float]:
    """One cell's record, and how long it took.

    On one thread: sums of several would depend on their number, which joblib sets by that of the
    workers.
    """
    begun = time.perf_counter()
    try:
        with _threads().limit(limits=1):
            record = measure(cell)
    except Exception as error:
        raise RuntimeError(f"The cell {cell.key} failed: {error}") from error
    return cell, record, time.perf_counter() - begun


def _end_with(parent: int) -> None:
    """End this process, a worker, soon after its parent has ended, even where that was killed."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()
