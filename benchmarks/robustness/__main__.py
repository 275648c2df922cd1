"""Errors of nacre's classifiers and their peers under wrong labels.

Run: NACRE_DATA=folder PYTHONPATH=benchmarks python -m robustness [--quick | --full]
     [--sets ring moons "R packages"] [--contenders nacre peers limit ...] [--seeds 2] [--workers 2]
     [--out folder] [--report-only] [--before VERSION] [--page docs/explain]
"""

import argparse
import sys
from pathlib import Path

from contenders import print_table  # first: it holds libraries to one thread

from nacre.experiments.experiment import Setting
from nacre.experiments.plot import save
from nacre.experiments.reproduce import write_csv
from nacre.experiments.run import run
from nacre.experiments.store import Store
from nacre.progress import PrintProgress
from robustness.data import GROUPS, QUICK, REPORTING, SETS
from robustness.experiment import experiment
from robustness.figures import error_curves, mean_ranks
from robustness.goals import free_table, goal_table
from robustness.listing import change_tables, changes, listing
from robustness.noise import NOISES, REPORTED
from robustness.page import write_page
from robustness.report import as_frame, failures, tables
from robustness.roster import LIMIT, OURS, PEERS, ROSTER
from robustness.tables import missing

ALIASES = {"ours": list(OURS), "peers": [name for name in PEERS if name in ROSTER]}
WORDS = ("what", "contender", "noise")  # second columns that hold no numbers
BOTH = ["nacre", "nacre fast"]
LIMITS = [name for name in [LIMIT] if name in ROSTER]
FORMS = {
    "reporting": {
        "sets": REPORTING,
        "contenders": [*BOTH, "peers", *LIMITS],
        "seeds": 2,
        "noises": REPORTED,
        "out": Path("robustness-results"),
    },
    "full": {
        "sets": SETS,
        "contenders": ["ours", "peers", *LIMITS],
        "seeds": 2,
        "noises": NOISES,
        "out": Path("robustness-results"),
    },
    "quick": {  # ten minutes on two cores; a store of its own leaves that of whole runs alone
        "sets": QUICK,
        "contenders": [
            *BOTH,
            *(name for name in ("forest", "cleanlab forest", "LightGBM") if name in ROSTER),
        ],
        "seeds": 1,
        "noises": REPORTED,
        "out": Path("robustness-quick"),
    },
}


def options(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--quick",
        dest="form",
        action="store_const",
        const="quick",
        help="nacre and three peers on some of the reporting sets, one seed",
    )
    form.add_argument(
        "--full",
        dest="form",
        action="store_const",
        const="full",
        help="all sets, all kinds of noise and all of nacre's boosters: many hours",
    )
    parser.add_argument("--sets", nargs="+", choices=[*SETS, *GROUPS], metavar="SET")
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
    parser.add_argument(
        "--before", type=int, metavar="VERSION", help="of nacre: what has changed since"
    )
    parser.add_argument("--page", type=Path, help="a folder: write robustness.md and .png there")
    args = parser.parse_args(words)
    args.form = args.form or "reporting"
    if args.form == "quick" and args.page:
        parser.error("--page is for whole runs: leave out --quick.")
    for name, value in FORMS[args.form].items():
        if getattr(args, name, None) is None:
            setattr(args, name, value)
    args.sets = [one for name in args.sets for one in GROUPS.get(name, [name])]
    args.contenders = [one for name in args.contenders for one in ALIASES.get(name, [name])]
    return args


def measure(args, store):
    """Measure what the store lacks, seed by seed, of all sets that can be had."""
    absent = missing(args.sets)
    for line in absent.values():
        print(f"Left out: {line}", file=sys.stderr)
    sets = [name for name in args.sets if name not in absent]
    for seeds in range(1, args.seeds + 1):
        some = experiment(sets, args.contenders, seeds, args.noises)
        run(some, some.settings["paper"], store, args.workers, PrintProgress(30.0))


def stored(whole, store, version=None):
    """What the store has, a row per cell; of another version of the contenders if one is named."""
    found = []
    for setting in whole.settings["paper"]:
        values = {**setting.values, "version": version or setting.values["version"]}
        trials = enumerate(whole.cells(Setting(values, setting.trials)))
        found.append((values, [(trial, store.get(one)) for trial, one in trials if one in store]))
    return as_frame(found)


def main():
    args = options()
    with Store(args.out) as store:
        if not args.report_only:
            measure(args, store)
        cells = stored(experiment(args.sets, args.contenders, args.seeds, args.noises), store)
        own = experiment(args.sets, ["nacre"], args.seeds, args.noises)
        before = stored(own, store, args.before) if args.before else None
    if cells.empty:
        print("None of these cells has been measured.")
        return
    found = [*tables(cells), *free_table(cells), *goal_table(cells)]
    if before is not None:
        found += change_tables(before, cells)
        write_csv(args.out / "changes.csv", changes(before, cells))
    for title, head, rows in found:
        print_table(title, head, rows, left=2 if head[1] in WORDS else 1)
    for line in failures(cells):
        print(line)
    if args.page:
        write_page(cells, args.page)
    write_csv(args.out / "robustness.csv", cells.to_dict("records"))
    write_csv(args.out / "tables.csv", listing(cells))
    for name, draw in (("error", error_curves), ("rank", mean_ranks)):
        save(draw, cells, args.out / f"robustness-{name}.png")


if __name__ == "__main__":
    main()
