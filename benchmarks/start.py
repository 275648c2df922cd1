"""Time to import, time of the first fit, and what a first run compiles, each in a fresh process.

Run: python benchmarks/start.py [--repeats 5] [--peers sklearn lightgbm]
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from contenders import LABELS, PEERS, at_most, installed, print_goals, print_table

IMPORTS = {
    "pass": None,
    "import nacre": "nacre",
    "from nacre import AdaBoostClassifier": "nacre",
    "import sklearn.ensemble": "sklearn",
    "import lightgbm": "lightgbm",
}
HEAVY = [
    "numpy",
    "scipy",
    "sklearn",
    "numba",
    "llvmlite",
    "pandas",
    "pyarrow",
    "polars",
    "joblib",
    "matplotlib",
    "lightgbm",
    "xgboost",
]
FIRST_FIT = """
import sys, time
sys.path.insert(0, {here!r})
from contenders import make, synthetic
X, y = synthetic(569, 30, seed=0)
start = time.perf_counter()
model = make({name!r}, {rounds})
imported = time.perf_counter()
model.fit(X, y)
first = time.perf_counter()
model.fit(X, y)
print(imported - start, first - imported, time.perf_counter() - first)
"""


COLD = {
    "AdaBoost.fit, 569x30": "from nacre import AdaBoostClassifier as M; M().fit(X, y)",
    "the same with trees": "from nacre import AdaBoostClassifier as M, Tree; M(Tree()).fit(X, y)",
    "NacreClassifier.fit": "from nacre import NacreClassifier as M; M(random_state=0).fit(X, y)",
    "nacre audit, 700x10": ["audit", "table.csv", "--label", "y"],
    "nacre demo": ["demo"],
}
GOALS = {"AdaBoost.fit, 569x30": 8, "nacre audit, 700x10": 20, "nacre demo": 45}
BREAST_CANCER = "import sklearn.datasets as d; X, y = d.load_breast_cancer(return_X_y=True)"


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5, help="processes per figure (best)")
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=["sklearn", "lightgbm"])
    parser.add_argument("--rounds", type=int, default=100)
    return parser.parse_args()


def fresh(code):
    """Run code in a new interpreter; what it prints."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def wall(code):
    start = time.perf_counter()
    fresh(code)
    return time.perf_counter() - start


def heavy_modules(code):
    asked = f"{code}\nimport sys, json\nprint(json.dumps([m for m in {HEAVY} if m in sys.modules]))"
    return json.loads(fresh(asked))


def import_table(repeats):
    have = {"nacre", None, *installed(["sklearn", "lightgbm"])}
    codes = [code for code, module in IMPORTS.items() if module in have]
    loaded = {code: heavy_modules(code) for code in codes}  # fills the file cache as well
    times = {code: [] for code in codes}
    for _ in range(repeats):
        for code in codes:
            times[code].append(wall(code))
    bare = min(times["pass"])
    rows = []
    for code in codes:
        best = min(times[code])
        modules = " ".join(loaded[code]) or "none"
        rows.append([code, modules, f"{best * 1e3:.0f}", f"{(best - bare) * 1e3:.0f}"])
    print_table(
        f"Import in a fresh process, best of {repeats} (ms); 'pass' is the bare interpreter",
        ["statement", "heavy modules loaded", "whole", "above bare"],
        rows,
    )


def first_fit_table(names, repeats, rounds):
    here = str(Path(__file__).resolve().parent)
    codes = {name: FIRST_FIT.format(here=here, name=name, rounds=rounds) for name in names}
    for code in codes.values():
        fresh(code)  # fills the kernel cache
    times = {name: [] for name in names}
    for _ in range(repeats):
        for name in names:
            times[name].append([float(t) for t in fresh(codes[name]).split()])
    rows = []
    for name in names:
        best = min(times[name], key=lambda t: t[0] + t[1])
        rows.append([LABELS[name], "569x30", *(f"{t * 1e3:.1f}" for t in best)])
    print_table(
        f"First fit in a fresh process, kernel cache warm, {rounds} rounds, "
        f"best of {repeats} by import + first fit (ms)",
        ["contender", "size", "import", "first fit", "second fit"],
        rows,
    )


def processor_seconds(command, folder, cache):
    """User and system seconds of a command that runs in a folder with its own kernel cache."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    there = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    subprocess.run(command, check=True, cwd=folder, env=there, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_table(path):
    """A CSV of 700 rows and 10 columns with a tenth of its labels wrong."""
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 10)).round(4)
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0) ^ (rng.random(700) < 0.1)
    names = ",".join([*(f"x{j}" for j in range(10)), "y"])
    np.savetxt(path, np.c_[X, y], "%g", ",", header=names, comments="")


def cold_table():
    """Each task twice, in folders of its own: with an empty kernel cache, and with the full one."""
    rows, goals = [], []
    for task, what in COLD.items():
        if isinstance(what, str):
            command = [sys.executable, "-c", f"{BREAST_CANCER}; {what}"]
        else:
            command = [sys.executable, "-m", "nacre", *what]
        with tempfile.TemporaryDirectory() as cache:
            times = []
            for _ in range(2):
                with tempfile.TemporaryDirectory() as folder:
                    write_table(Path(folder) / "table.csv")
                    times.append(processor_seconds(command, folder, cache))
        rows.append([task, *(f"{t:.1f}" for t in times)])
        if task in GOALS:
            goals.append(at_most(f"first {task}: processor", times[0], GOALS[task], " s"))
    print_table(
        "First run after installation, whole process, processor seconds",
        ["task", "kernels compiled", "kernels in the cache"],
        rows,
    )
    print_goals(goals)


def main():
    args = options()
    cold_table()
    import_table(args.repeats)
    first_fit_table(["nacre", *installed(args.peers)], args.repeats, args.rounds)


if __name__ == "__main__":
    main()
