"""Learning curves: errors against the number of training rows, with right and wrong labels.

Run: NACRE_DATA=folder PYTHONPATH=benchmarks python -m robustness.curves [--sets adult ...]
     [--most 32000] [--contenders nacre LightGBM ...] [--seeds 1] [--workers 1] [--out folder]
     [--report-only] [--page docs/explain]
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from contenders import print_table  # first: it holds libraries to one thread
from sklearn.model_selection import train_test_split

from nacre.experiments.experiment import Experiment, Setting
from nacre.experiments.plot import PALETTE, panels, save
from nacre.experiments.run import run
from nacre.experiments.store import Store
from nacre.noise import flip_labels
from nacre.papers.page import markdown
from nacre.progress import PrintProgress
from robustness.experiment import timed
from robustness.roster import ROSTER
from robustness.tables import GENERATORS, made, whole

SETS = ("adult", "connect-4-win", "electricity", "magic-telescope", "skin-segmentation")
SETS += ("hastie-10-2",)  # as many rows as one likes
SIZES = (500, 2000, 8000, 32_000, 200_000)
LEVELS = (0.0, 0.2, 0.4)
TEST = 5000
CONTENDERS = ("nacre", "nacre fast", "LightGBM", "CatBoost", "forest")
SLOW = {("CatBoost", "connect-4-win"): 8000}  # 42 columns of categories: ten minutes a fit


def settings(sets, contenders, seeds, most):
    """Small tables first: a run that was stopped has whole rows of the report."""
    return [
        Setting(
            {
                "data": data,
                "rows": size,
                "level": level,
                "contender": name,
                "version": ROSTER[name].version,
            },
            seeds,
        )
        for size in SIZES
        if size <= most
        for data in sets
        if data in GENERATORS or size + TEST <= len(whole(data))
        for level in LEVELS
        for name in contenders
        if size <= SLOW.get((name, data), most)
    ]


def drawn(data, size, seed):
    """A table, rows to train on and rows to test on.

    All sizes have the same rows to test on, and larger ones the training rows of smaller ones: a
    curve shows what more rows do, not what other rows do.
    """
    table = made(data, SIZES[-1] + TEST, seed) if data in GENERATORS else whole(data)
    rest, others = train_test_split(
        np.arange(len(table)), test_size=TEST, stratify=table.y, random_state=seed
    )
    return table, rest[:size], others


def measure(cell):
    """The error on right labels, and the processor time of the fit."""
    table, rows, others = drawn(cell["data"], cell["rows"], cell.seed("data"))
    given = table.y[rows]
    if cell["level"]:
        given, _ = flip_labels(given, cell["level"], random_state=cell.seed("data", "level"))
    contender = ROSTER[cell["contender"]]
    model = contender.make(cell.seed("data", "level", use="model"), table.categorical)
    X, X_test = (contender.table(table.X[some], table.categorical) for some in (rows, others))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, seconds = timed(lambda: model.fit(X, given))
        said = np.ravel(model.predict(X_test))
    return {"error": float(np.mean(said != table.y[others])), "fit_seconds": seconds}


def as_frame(results):
    rows = [{**setting, **record} for setting, records in results for record in records]
    return pd.DataFrame(rows)


def listed(cells):
    """Head and rows: a line for each table, noise and size, errors in percent."""
    means = cells.pivot_table(
        index=["data", "level", "rows"], columns="contender", values="error", sort=False
    )
    names = [name for name in CONTENDERS if name in means]
    head = ["table", "wrong", "rows", *names]
    body = [
        [data, f"{level:.0%}", str(size)] + [shown(one) for one in line[names]]
        for (data, level, size), line in means.sort_index().iterrows()
    ]
    return head, body


def compact(cells):
    """For a page: a line for each table and noise, sizes side by side, contenders in a cell."""
    means = cells.pivot_table(
        index=["data", "level"], columns=["rows", "contender"], values="error"
    )
    names = [name for name in CONTENDERS if name in set(cells["contender"])]
    return [
        {"table": data, "wrong": f"{level:.0%}"}
        | {
            f"{size} rows": " / ".join(shown(line.get((size, one))) for one in names)
            for size in sorted(set(cells["rows"]))
        }
        for (data, level), line in means.iterrows()
    ]


def shown(error):
    return "-" if error is None or np.isnan(error) else f"{100 * error:.1f}"


def draw(cells, figure):
    """A panel for each table and noise level."""
    pairs = list(dict.fromkeys(zip(cells["data"], cells["level"], strict=True)))
    pairs.sort()
    for axes, (data, level) in zip(panels(figure, len(pairs), 3, 3.4, 2.6), pairs, strict=True):
        some = cells[(cells["data"] == data) & (cells["level"] == level)]
        for place, name in enumerate(CONTENDERS):
            means = some[some["contender"] == name].groupby("rows")["error"].mean()
            wide = 2.2 if name == "nacre" else 1.0
            if len(means):
                axes.plot(
                    means.index, 100 * means, "o-", c=PALETTE[place], lw=wide, ms=3, label=name
                )
        axes.set(xscale="log", title=f"{data}, {level:.0%} wrong")
        axes.set(xlabel="training rows", ylabel="test error, %")
    axes.legend(fontsize="small")


def options(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS, metavar="SET")
    parser.add_argument("--contenders", nargs="+", choices=list(ROSTER), metavar="NAME")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="training rows")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="processes; -1 for one per core")
    parser.add_argument("--out", type=Path, default=Path("robustness-results"))
    parser.add_argument("--report-only", action="store_true", help="of the cells there are")
    parser.add_argument("--page", type=Path, help="a folder: write curves.md and .png there")
    args = parser.parse_args(words)
    if args.contenders is None:
        args.contenders = [name for name in CONTENDERS if name in ROSTER]
    return args


def experiment(sets, contenders, seeds, most):
    return Experiment(
        name="curves",
        title="Learning curves under wrong labels",
        version=2,
        settings={"paper": settings(sets, contenders, seeds, most)},
        measure=measure,
        claims=(),
        figures={},
    )


def main():
    args = options()
    curves = experiment(args.sets, args.contenders, args.seeds, args.most)
    asked = curves.settings["paper"]
    with Store(args.out) as store:
        if args.report_only:
            asked = [one for one in asked if all(cell in store for cell in curves.cells(one))]
        cells = as_frame(run(curves, asked, store, args.workers, PrintProgress(30.0)))
    if cells.empty:
        print("There is no cell yet.")
        return
    head, rows = listed(cells)
    print_table("Test error in percent by training rows", head, rows, left=2)
    save(draw, cells, args.out / "curves.png")
    if args.page:
        (args.page / "curves.md").write_text(markdown(compact(cells)) + "\n", "utf-8")
        save(draw, cells, args.page / "curves.png", 100)


if __name__ == "__main__":
    main()
