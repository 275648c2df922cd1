"""Errors of nacre's classifiers and their peers under wrong labels.

Run: NACRE_DATA=folder PYTHONPATH=benchmarks python -m robustness [--sets ring moons]
     [--contenders ours peers LightGBM ...] [--seeds 2] [--workers 2] [--out folder] [--report-only]
     [--page docs/explain] [--quick]
"""

import argparse
import sys
from pathlib import Path

from contenders import print_table  # first: it holds libraries to one thread

from nacre.experiments.experiment import Results
from nacre.experiments.plot import save
from nacre.experiments.reproduce import write_csv
from nacre.experiments.run import run, to_run
from nacre.experiments.store import Store
from nacre.progress import PrintProgress
from robustness.data import HELD_OUT, SETS
from robustness.experiment import QUICK_NOISES, experiment
from robustness.figures import error_curves, mean_ranks
from robustness.noise import NOISES
from robustness.page import write_page
from robustness.report import as_frame, failures, tables
from robustness.roster import OURS, PEERS, ROSTER

ALIASES = {"ours": list(OURS), "peers": [name for name in PEERS if name in ROSTER]}


WHOLE = {
    "sets": SETS,
    "contenders": list(ALIASES),
    "seeds": 2,
    "noises": NOISES,
    "out": Path("robustness-results"),
}
QUICK = {  # within ten minutes on two cores; a store of its own leaves that of whole runs alone
    "sets": HELD_OUT,
    "contenders": ["nacre", "nacre fast"],
    "seeds": 1,
    "noises": QUICK_NOISES,
    "out": Path("robustness-quick"),
}


def options(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--quick",
        action="store_true",
        help="nacre and nacre fast on held-out sets, four kinds of noise and one seed",
    )
    parser.add_argument("--sets", nargs="+", choices=SETS, metavar="SET")
    parser.add_argument(
        "--contenders",
        nargs="+",
        choices=[*ALIASES, *ROSTER],
        metavar="NAME",
        help="ours, peers, or names as in the tables",
    )
    parser.add_argument("--seeds", type=int, help="splits and flips of every kind")
    parser.add_argument("--workers", type=int, default=1, help="processes; -1 for one per core")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--report-only", action="store_true", help="of the cells there are")
    parser.add_argument("--page", type=Path, help="a folder: write robustness.md and .png there")
    args = parser.parse_args(words)
    if args.quick and args.page:
        parser.error("--page is for whole runs: leave out --quick.")
    for name, value in (QUICK if args.quick else WHOLE).items():
        if getattr(args, name, None) is None:
            setattr(args, name, value)
    args.contenders = [one for name in args.contenders for one in ALIASES.get(name, [name])]
    return args


def finished(whole, store):
    """The cells that the store has, by setting; of trials in their order."""
    found = []
    for setting in whole.settings["paper"]:
        there = [store.get(cell) for cell in whole.cells(setting) if cell in store]
        if there:
            found.append((setting.values, there))
    return Results(found)


def measured(args, store):
    """Measure what the store lacks, seed by seed, of all sets that can be had."""
    absent = missing(args.sets)
    for line in absent.values():
        print(f"Left out: {line}", file=sys.stderr)
    sets = [name for name in args.sets if name not in absent]
    for seeds in range(1, args.seeds + 1):
        print(f"seed {seeds}", file=sys.stderr, flush=True)
        some = experiment(sets, args.contenders, seeds, args.noises)
        run(some, some.settings["paper"], store, args.workers, PrintProgress(30.0))


def main():
    args = options()
    whole = experiment(args.sets, args.contenders, args.seeds, args.noises)
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
