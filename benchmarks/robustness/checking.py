"""What rows that a person has checked are worth: drawn at random, or the most suspect first.

A model is fitted, some rows are chosen, their labels are put right, and the model is fitted again,
told which rows to trust and what their labels were. Reported: the error on test rows, how far the
noise rate of the other rows is off, and the width of its interval and whether it holds the rate.

Run: NACRE_DATA=folder PYTHONPATH=benchmarks python -m robustness.checking [--effort full]
     [--seeds 2] [--sets ring moons ...] [--workers 2] [--out folder] [--report-only]
     [--page docs/explain]
"""

import argparse
import sys
from functools import lru_cache
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from contenders import print_table

from nacre.experiments.experiment import Experiment, Setting
from nacre.experiments.plot import BLUE, ORANGE, panels, save
from nacre.experiments.reproduce import write_csv
from nacre.experiments.run import run
from nacre.experiments.store import Store
from nacre.progress import PrintProgress
from robustness.data import SETS, draw
from robustness.noise import spoil, suits
from robustness.report import ZERO, column
from robustness.roster import ROSTER
from robustness.tables import missing

CHECKED = (0, 20, 50, 100, 200)
HOW = {"random": BLUE, "most suspect": ORANGE}
NOISES = [("symmetric", 0.0), ("symmetric", 0.2), ("along the columns", 0.25), ("real", 0.0)]
CHOSEN = (  # of the reporting sets: classes that overlap and that do not, and all real noise
    "adult",
    "banana",
    "credit-approval",
    "electricity",
    "kepler-koi",
    "kr-vs-kp",
    "moons",
    "pima-diabetes",
    "szz-jit",
    "amazon-isbook",
    "hausa-topics",
    "music-genre",
)
CONTENDERS = {"fast": "nacre fast", "full": "nacre"}
MEASURES = {
    "error": "error",
    "rate_error": "noise rate off by",
    "width": "width of its interval",
    "covered": "intervals that hold it",
}


def settings(sets, effort, seeds):
    """What is to be measured; without a checked row there is one way only."""
    return [
        Setting(
            {
                "data": data,
                "noise": noise,
                "level": level,
                "contender": CONTENDERS[effort],
                "version": ROSTER[CONTENDERS[effort]].version,
                "checked": checked,
                "how": how,
            },
            seeds,
        )
        for data in sets
        for noise, level in NOISES
        if suits(data, noise)
        for checked in CHECKED
        for how in HOW
        if checked or how == "random"
    ]


def measure(cell):
    """The second fit: its error, and what it says of the rows that were not checked."""
    seeds = [cell.seed(*of) for of in (("data",), ("data", "noise", "level"))]
    split = draw(cell["data"], seeds[0])
    given, flipped, _ = spoil(split, cell["noise"], cell["level"], seeds[1])
    seed = cell.seed("data", "noise", "level", use="model")
    clean = np.zeros(len(given), bool)
    if cell["checked"] and cell["how"] == "random":
        clean[np.random.RandomState(seed).permutation(len(given))[: cell["checked"]]] = True
    elif cell["checked"]:
        told = (cell[name] for name in ("contender", "data", "noise", "level"))
        clean[most_suspect(*told, *seeds, seed)[: cell["checked"]]] = True
    model = ROSTER[cell["contender"]].make(seed, split.categorical)
    trusted = {"clean": clean, "original": given} if clean.any() else {}
    model.fit(split.X, np.where(clean, split.y, given), **trusted)
    true = float(flipped[~clean].mean())
    low, high = model.noise_.interval
    return {
        "error": float(np.mean(model.predict(split.X_test) != split.y_test)),
        "rate_error": abs(model.noise_rate_ - true),
        "width": float(high - low),
        "covered": float(low <= true <= high or (true == 0 and low <= ZERO)),
        "wrong": int(flipped[clean].sum()),
    }


@lru_cache(maxsize=8)
def most_suspect(contender, data, noise, level, data_seed, noise_seed, seed):
    """Rows in the order of the first fit, the same for any number that is checked."""
    split = draw(data, data_seed)
    given, _, _ = spoil(split, noise, level, noise_seed)
    model = ROSTER[contender].make(seed, split.categorical).fit(split.X, given)
    return model.label_quality_.argsort(kind="stable")


def experiment(sets, effort, seeds):
    return Experiment(
        name="robustness-checking",
        title="Checked rows",
        version=2,  # 1 did not tell what labels were before
        settings={"paper": settings(sets, effort, seeds)},
        measure=measure,
        claims=(),
        figures={},
    )


def stored(whole, store):
    """What the store has, a row per cell."""
    return pd.DataFrame(
        {
            **setting.values,
            "column": column(setting.values["noise"], setting.values["level"]),
            "trial": cell.trial,
            **store.get(cell),
        }
        for setting in whole.settings["paper"]
        for cell in whole.cells(setting)
        if cell in store
    )


def means(cells):
    """By kind of noise, way and number of checked rows: means over sets and seeds.

    Only sets and seeds of which all is there; without a checked row all ways are the same.
    """
    cells = pd.concat([cells, cells[cells["checked"] == 0].assign(how="most suspect")])
    keys = ["column", "data", "trial"]
    size = cells.groupby(keys)["error"].transform("size")
    whole = cells[size == len(HOW) * len(CHECKED)]
    found = whole.groupby(["column", "how", "checked"])[[*MEASURES, "wrong"]].mean()
    noises = [column(*one) for one in NOISES]
    order = [(*one, checked) for one in product(noises, HOW) for checked in CHECKED]
    return found.loc[[one for one in order if one in found.index]]


def check_table(found):
    """Title, head and rows."""
    rows = [
        [noise, how, str(checked), f"{100 * one['error']:.1f}"]
        + [f"{one[name]:.3f}" for name in list(MEASURES)[1:]]
        + [f"{one['wrong']:.1f}"]
        for (noise, how, checked), one in found.iterrows()
    ]
    head = ["noise", "rows chosen", "checked", "error %", *list(MEASURES.values())[1:]]
    return "What checked rows are worth", [*head, "wrong among them"], rows


def curves(found, figure):
    """A row of panels per measure, a column per kind of noise."""
    noises = list(found.index.unique("column"))
    names = list(MEASURES)[:3]
    places = iter(panels(figure, len(names) * len(noises), len(noises), 2.6, 2.1, sharey="row"))
    for name in names:
        for noise in noises:
            axes = next(places)
            for how, color in HOW.items():
                line = found.xs((noise, how), level=("column", "how"))[name]
                axes.plot(line.index, line, "o-", c=color, ms=3, label=how)
            if name == names[0]:
                axes.set_title(noise)
            if noise == noises[0]:
                axes.set_ylabel(MEASURES[name])
            if name == names[-1]:
                axes.set_xlabel("rows checked")
    for axes in figure.axes:  # now that all lines of a row are there
        axes.set_ylim(bottom=0)
    figure.axes[0].legend()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=CHOSEN, metavar="SET")
    parser.add_argument("--effort", choices=list(CONTENDERS), default="full")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("robustness-results"))
    parser.add_argument("--report-only", action="store_true", help="of the cells there are")
    parser.add_argument("--page", type=Path, help="a folder: write checking.png there")
    args = parser.parse_args()
    absent = {} if args.report_only else missing(args.sets)
    for line in absent.values():
        print(f"Left out: {line}", file=sys.stderr)
    sets = [name for name in args.sets if name not in absent]
    with Store(args.out) as store:
        for seeds in range(1, args.seeds + 1):
            whole = experiment(sets, args.effort, seeds)
            if not args.report_only:
                run(whole, whole.settings["paper"], store, args.workers, PrintProgress(30.0))
        cells = stored(whole, store)
    if cells.empty:
        print("None of these cells has been measured.")
        return
    found = means(cells)
    print_table(*check_table(found), left=2)
    write_csv(args.out / "checking.csv", cells.to_dict("records"))
    save(curves, found, (args.page or args.out) / "checking.png", 110)


if __name__ == "__main__":
    from robustness.checking import main as run_main  # by its name, so that workers can load it

    run_main()
