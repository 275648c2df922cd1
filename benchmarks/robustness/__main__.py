"""Errors of nacre's classifiers and their peers under wrong labels.

Run: NACRE_DATA=folder PYTHONPATH=benchmarks python -m robustness [--sets ring moons]
     [--contenders ours peers LightGBM ...] [--seeds 2] [--workers 2] [--out folder] [--report-only]
     [--page docs/explain]
"""

import argparse
import sys
import time
from pathlib import Path

from contenders import print_table  # first: it holds libraries to one thread

from nacre.experiments.experiment import Results
from nacre.experiments.plot import save
from nacre.experiments.reproduce import write_csv
from nacre.experiments.run import run, to_run
from nacre.experiments.store import Store
from robustness.data import SETS
from robustness.experiment import experiment
from robustness.figures import error_curves, mean_ranks
from robustness.page import write_page
from robustness.report import as_frame, failures, tables
from robustness.roster import OURS, PEERS, ROSTER

ALIASES = {"ours": list(OURS), "peers": [name for name in PEERS if name in ROSTER]}


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS, metavar="SET")
    parser.add_argument(
        "--contenders",
        nargs="+",
        choices=[*ALIASES, *ROSTER],
        default=list(ALIASES),
        metavar="NAME",
        help="ours, peers, or names as in the tables",
    )
    parser.add_argument("--seeds", type=int, default=2, help="splits and flips of every kind")
    parser.add_argument("--workers", type=int, default=1, help="processes; -1 for one per core")
    parser.add_argument("--out", type=Path, default=Path("robustness-results"))
    parser.add_argument("--report-only", action="store_true", help="of the cells there are")
    parser.add_argument("--page", type=Path, help="a folder: write robustness.md and .png there")
    args = parser.parse_args()
    args.contenders = [one for name in args.contenders for one in ALIASES.get(name, [name])]
    return args


class Progress:
    """A line now and then: cells finished, and the time left at this pace."""

    def __init__(self, every=30.0):
        self.every, self.begun, self.first, self.last = every, time.monotonic(), None, 0.0

    def __call__(self, done, total):
        self.first = done if self.first is None else self.first
        now = time.monotonic()
        if done < total and now - self.last < self.every:
            return
        self.last = now
        pace = (now - self.begun) / max(done - self.first, 1)
        left = f", {pace * (total - done) / 60:.0f} min left" if done > self.first else ""
        print(f"{done} of {total} cells{left}", file=sys.stderr, flush=True)


def finished(whole, store):
    """The settings all of whose cells the store has."""
    return Results(
        (setting.values, [store.get(cell) for cell in whole.cells(setting)])
        for setting in whole.settings["paper"]
        if all(cell in store for cell in whole.cells(setting))
    )


def measured(whole, store, args):
    """All settings whose data can be had; what the store lacks is measured."""
    settings, missing = to_run(whole, "paper")
    for line in missing:
        print(f"Left out: {line}", file=sys.stderr)
    return run(whole, settings, store, args.workers, Progress())


def main():
    args = options()
    whole = experiment(args.sets, args.contenders, args.seeds)
    with Store(args.out) as store:
        results = finished(whole, store) if args.report_only else measured(whole, store, args)
    cells = as_frame(results)
    found = list(tables(cells))
    for title, head, rows in found:
        print_table(title, head, rows, left=1)
    for line in failures(cells):
        print(line)
    if not found:
        print("There is no cell that all of these contenders have finished.")
        return
    if args.page:
        write_page(cells, args.page)
    write_csv(args.out / "robustness.csv", cells.to_dict("records"))
    for name, draw in (("error", error_curves), ("rank", mean_ranks)):
        save(draw, cells, args.out / f"robustness-{name}.png")


if __name__ == "__main__":
    main()
