"""Time to import and time of the first fit, each in a fresh process.

Run: python benchmarks/start.py [--repeats 5] [--peers sklearn lightgbm]
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from contenders import LABELS, PEERS, installed, print_table

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


def main():
    args = options()
    import_table(args.repeats)
    first_fit_table(["nacre", *installed(args.peers)], args.repeats, args.rounds)


if __name__ == "__main__":
    main()
