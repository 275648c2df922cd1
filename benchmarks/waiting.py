"""What a person waits for: audits beside cleanlab's Datalab, predictions and files beside peers.

Processor time on one thread, contenders in turn within one process; of repeats the least counts.
The last table has what was aimed at beside what came out.
An audit is all that ``nacre audit`` computes, without reading and writing files; Datalab gets
out-of-fold probabilities of a random forest. Fits are timed by the clock, too: how much faster are
two threads than one?

Run: python benchmarks/waiting.py [--audits 700x10x2 ...] [--predict 3kx50 ...] [--fits 100kx50]
     [--stumps 1Mx30] [--repeats 2]
"""

import argparse
import pickle
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec
from itertools import product
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
from contenders import at_least, at_most, parse_size, print_goals, print_table, show_size
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

from nacre import AdaBoostClassifier, NacreClassifier, Tree, audit, load_model, save_model
from nacre.noise import flip_labels

AUDITS = ["700x10x2", "3kx20x2", "3kx20x6", "3kx20x40", "50kx20x2"]
PREDICT = ["3kx20", "3kx50", "50kx50"]
FITS = ["100kx50"]
STUMPS = ["1Mx30"]
NEW_ROWS = 20_000
SHORT = 4  # times as many repeats of fits that take a second or less
ONCE = 20_000  # audits of more rows are timed once: they take a minute or two
AUDIT_GOALS = {"3kx20x2": 5, "3kx20x6": 5, "3kx20x40": 10}  # to Datalab's time
TWO, FORTY, TO_TWO = "3kx20x2", "3kx20x40", 4  # classes, and how much more forty may take
ROW_GOALS = {"nacre, full": 15, "nacre, fast": 5}  # microseconds a row
TO_FOREST = 3
FILE = 3.3  # megabytes, of a model of 3000 rows: a tenth of what the smallest once had
LOAD = 1000  # milliseconds, of a model of 50 000 rows
FIT_GOALS = {("100kx50", "nacre, full"): 60}  # processor seconds
THREAD_GOALS = {
    ("100kx50", "nacre, full"): 1.7,
    ("100kx50", "AdaBoost of 100 trees"): 1.7,
    ("1Mx30", "AdaBoost of 100 stumps"): 1.5,
}


def table(rows, columns, n_classes=2, seed=0):
    """A table of some columns that tell and some that do not, a tenth of its labels wrong."""
    X, y = make_classification(
        rows, columns, n_informative=max(5, columns // 2), n_redundant=0, n_classes=n_classes,
        n_clusters_per_class=2 if n_classes < 10 else 1, class_sep=0.8, random_state=seed,
    )  # fmt: skip
    return X, flip_labels(y, 0.1, random_state=seed)[0]


def seconds(call):
    """Processor seconds of a call, and what it gave."""
    before = time.process_time()
    found = call()
    return time.process_time() - before, found


def least(calls, repeats):
    """The least seconds of each call; they take turns, so that a busy moment meets all of them."""
    times = [[seconds(call)[0] for call in calls] for _ in range(repeats)]
    return np.min(times, axis=0).tolist()


def compare_audits(sizes, repeats):
    from audits import datalab

    rows, goals, own = [], [], {}
    for text in sizes:
        size, _, n_classes = text.rpartition("x")
        X, y = table(*parse_size(size), int(n_classes))
        times = 1 if len(X) > ONCE else repeats
        frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]).assign(label=y)
        ours, theirs = least(
            (partial(audit, frame, label="label"), partial(datalab, X, y, 0)), times
        )
        rows.append([text, f"{ours:.1f} s", f"{theirs:.1f} s", f"{ours / theirs:.2f}"])
        own[text] = ours
        if text in AUDIT_GOALS:
            goals.append(at_most(f"audit, {text}: to Datalab's", ours / theirs, AUDIT_GOALS[text]))
    if TWO in own and FORTY in own:
        goals.append(at_most("audit: 40 classes to 2", own[FORTY] / own[TWO], TO_TWO))
    head = ["rows x columns x classes", "nacre", "Datalab, forest", "ratio"]
    print_table("Audits", head, rows, left=1)
    return goals


def contenders():
    """Models by name."""
    found = {
        "nacre, full": NacreClassifier(random_state=0),
        "nacre, fast": NacreClassifier("fast", random_state=0),
        "random forest": RandomForestClassifier(n_jobs=1, random_state=0),
    }
    if find_spec("lightgbm"):
        from lightgbm import LGBMClassifier

        found["LightGBM"] = LGBMClassifier(n_jobs=1, verbosity=-1, random_state=0)
    if find_spec("xgboost"):
        from xgboost import XGBClassifier

        found["XGBoost"] = XGBClassifier(n_jobs=1, random_state=0)
    if find_spec("catboost"):
        from catboost import CatBoostClassifier

        found["CatBoost"] = CatBoostClassifier(
            thread_count=1, verbose=0, random_seed=0, allow_writing_files=False
        )
    return found


def store(model, path):
    """Write a model to a file: ours as nacre does, others as pickles."""
    if isinstance(model, NacreClassifier):
        save_model(model, path)
    else:
        path.write_bytes(pickle.dumps(model))


def restore(model, path):
    """Read it again."""
    return (
        load_model(path) if isinstance(model, NacreClassifier) else pickle.loads(path.read_bytes())
    )


def compare_models(sizes, repeats):
    rows, goals = [], []
    for size in sizes:
        X, y = table(*size)
        models = {name: model.fit(X, y) for name, model in contenders().items()}
        new = table(NEW_ROWS, size[1], seed=1)[0]
        predict = [partial(model.predict_proba, new) for model in models.values()]
        for call in predict:
            call()  # what is compiled or built once
        times = dict(zip(models, least(predict, max(repeats, 3)), strict=True))
        for name, model in models.items():
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "model"
                store(model, path)
                load = least([partial(restore, model, path)], max(repeats, 3))[0]
                megabytes = path.stat().st_size / 1e6
            each, ratio = times[name] / NEW_ROWS * 1e6, times[name] / times["random forest"]
            shape = show_size(*size)
            rows.append([
                shape, name, f"{each:.2f} us", f"{ratio:.2f}", f"{megabytes:.2f} MB",
                f"{load * 1e3:.0f} ms",
            ])  # fmt: skip
            if name not in ROW_GOALS:
                continue
            if size[1] == 50:
                text = f"predict, {shape}, {name}: a row"
                goals.append(at_most(text, each, ROW_GOALS[name], " us"))
            goals.append(at_most(f"predict, {shape}, {name}: to a forest's", ratio, TO_FOREST))
            if size[0] == 3_000:
                goals.append(at_most(f"model file, {shape}, {name}", megabytes, FILE, " MB"))
            if size[0] >= 50_000:
                goals.append(at_most(f"model file, {shape}, {name}: load", load * 1e3, LOAD, " ms"))
    head = ["fitted to", "model", "a row", "to a forest's", "file", "to load"]
    print_table(f"Predicting {NEW_ROWS} rows, and model files", head, rows)
    return goals


def models_to_fit():
    """What is fitted with one thread and with two, by name."""
    return {
        "nacre, full": partial(NacreClassifier, random_state=0),
        "nacre, fast": partial(NacreClassifier, "fast", random_state=0),
        "AdaBoost of 100 trees": partial(AdaBoostClassifier, Tree(), n_estimators=100),
        "AdaBoost of 100 stumps": partial(AdaBoostClassifier, n_estimators=100),
    }


def fit_seconds(name, size, repeats):
    """The least seconds by the clock of a fit on one thread; in a process of its own."""
    X, y = table(*size)
    model = models_to_fit()[name]
    walls = []
    with threadpool_limits(1):
        for _ in range(repeats):
            before = time.perf_counter()
            model(n_jobs=1).fit(X, y)
            walls.append(time.perf_counter() - before)
    return min(walls)


def bound(name, size, one, repeats):
    """How much sooner two threads could be done: by two processes that know nothing of each other.

    They work at the same time, each on a fit of its own; caches and memory are all they share.
    """
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        both = [pool.submit(fit_seconds, name, size, repeats) for _ in range(2)]
        return 2 * one / max(each.result() for each in both)


def compare_fits(sizes, stump_sizes, repeats):
    """Processor seconds on one thread, and how much sooner two are done by the clock."""
    rows, goals = [], []
    *models, stumps = models_to_fit()
    for size, name in [*product(sizes, models), *product(stump_sizes, [stumps])]:
        X, y = table(*size)
        model = models_to_fit()[name]
        times = repeats
        if model.func is AdaBoostClassifier:
            times *= SHORT  # fits of a second or less
            for threads in (1, 2):  # compiles what large tables need
                model(n_jobs=threads, n_estimators=2).fit(X, y)
        clock = {1: [], 2: []}
        processor = []
        for _ in range(times):
            for threads, walls in clock.items():
                before = time.perf_counter()
                took, _ = seconds(partial(model(n_jobs=threads).fit, X, y))
                walls.append(time.perf_counter() - before)
                if threads == 1:
                    processor.append(took)
        one, two = min(clock[1]), min(clock[2])
        most = bound(name, size, one, times)
        rows.append([
            show_size(*size), name, f"{min(processor):.2f} s", f"{one:.2f} s", f"{two:.2f} s",
            f"{one / two:.2f}", f"{most:.2f}",
        ])  # fmt: skip
        what = show_size(*size), name
        if what in FIT_GOALS:
            text = f"fit, {', '.join(what)}: processor"
            goals.append(at_most(text, min(processor), FIT_GOALS[what], " s"))
        if what in THREAD_GOALS:
            text = f"fit, {', '.join(what)}: two threads, times as fast"
            goals.append(at_least(text, one / two, THREAD_GOALS[what]))
    head = ["size", "model", "processor", "one thread", "two threads", "times as fast", "bound"]
    print_table("Fits, processor time and by the clock", head, rows)
    print("The bound: two processes at the same time, each with a fit of its own on one thread.")
    return goals


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--audits", nargs="*", metavar="ROWSxCOLUMNSxCLASSES", default=AUDITS)
    parser.add_argument("--predict", nargs="*", metavar="ROWSxCOLUMNS", default=PREDICT)
    parser.add_argument("--fits", nargs="*", metavar="ROWSxCOLUMNS", default=FITS)
    parser.add_argument("--stumps", nargs="*", metavar="ROWSxCOLUMNS", default=STUMPS)
    parser.add_argument("--repeats", type=int, default=2)
    args = parser.parse_args()
    with threadpool_limits(1):
        warm_X, warm_y = table(2_100, 6, 3)
        frame = pd.DataFrame(warm_X, columns=list("abcdef")).assign(label=warm_y)
        audit(frame, label="label")  # compiles
        audit(frame[frame["label"] < 2], label="label")
        goals = []
        if args.audits:
            goals += compare_audits(args.audits, args.repeats)
        if args.predict:
            goals += compare_models([parse_size(size) for size in args.predict], args.repeats)
        if args.fits or args.stumps:
            sizes = ([parse_size(size) for size in some] for some in (args.fits, args.stumps))
            goals += compare_fits(*sizes, args.repeats)
        print_goals(goals)


if __name__ == "__main__":
    main()
