"""What the benchmark programs share: the data, the contenders and the table printer.

Every contender has `fit(X, y)` and `predict(X)` giving 0/1 labels, and imports its library only
when it is made, so that a process loads nothing but what it measures.
"""

import os

# Before numpy loads: libraries that are not told a thread count take one.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

from importlib.util import find_spec  # noqa: E402

import numpy as np  # noqa: E402

LABEL_NOISE = 0.07


class LightGBM:
    """LightGBM stumps through its native interface, the one that checks least."""

    def __init__(self, rounds, threads):
        import lightgbm

        self.lib = lightgbm
        self.rounds = rounds
        self.params = {
            "objective": "binary",
            "num_leaves": 2,
            "max_depth": 1,
            "num_threads": threads,
            "force_col_wise": True,
            "verbosity": -1,
        }

    def fit(self, X, y):
        data = self.lib.Dataset(X, y, params=self.params)
        self.model = self.lib.train(self.params, data, num_boost_round=self.rounds)
        return self

    def predict(self, X):
        raw = self.model.predict(X, num_threads=self.params["num_threads"])
        return (raw > 0.5).astype(np.int64)


class XGBoost:
    """XGBoost stumps through its native interface."""

    def __init__(self, rounds, threads):
        import xgboost

        self.lib = xgboost
        self.rounds = rounds
        self.params = {
            "objective": "binary:logistic",
            "tree_method": "hist",
            "max_depth": 1,
            "nthread": threads,
            "verbosity": 0,
        }

    def fit(self, X, y):
        data = self.lib.QuantileDMatrix(X, y, nthread=self.params["nthread"])
        self.model = self.lib.train(self.params, data, num_boost_round=self.rounds)
        return self

    def predict(self, X):
        return (self.model.inplace_predict(X) > 0.5).astype(np.int64)


def nacre(rounds, threads):
    from nacre import AdaBoostClassifier

    return AdaBoostClassifier(n_estimators=rounds, max_bins=255, n_jobs=threads, random_state=0)


def sklearn_adaboost(rounds, threads):
    from sklearn.ensemble import AdaBoostClassifier

    return AdaBoostClassifier(n_estimators=rounds, random_state=0)


def sklearn_hist(rounds, threads):
    """Takes its threads from OpenMP's limit: wrap the calls in threadpoolctl."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        max_iter=rounds, max_leaf_nodes=2, max_depth=1, early_stopping=False, random_state=0
    )


MAKERS = {
    "nacre": nacre,
    "sklearn": sklearn_adaboost,
    "hist": sklearn_hist,
    "lightgbm": LightGBM,
    "xgboost": XGBoost,
}
MODULES = {"sklearn": "sklearn", "hist": "sklearn", "lightgbm": "lightgbm", "xgboost": "xgboost"}
PEERS = list(MODULES)
LABELS = {
    "nacre": "nacre",
    "sklearn": "sklearn AdaBoost",
    "hist": "sklearn HistGB",
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
}


def make(name, rounds, threads=1):
    return MAKERS[name](rounds, threads)


def installed(peers):
    return [name for name in peers if find_spec(MODULES[name])]


def parse_size(text):
    """'10kx50' or '10000x50' -> (10000, 50)."""
    rows, columns = text.split("x")
    unit = {"k": 1_000, "M": 1_000_000}.get(rows[-1])
    return (int(rows[:-1]) * unit if unit else int(rows)), int(columns)


def show_size(rows, columns):
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if rows % unit == 0:
            return f"{rows // unit}{letter}x{columns}"
    return f"{rows}x{columns}"


def synthetic(rows, columns, seed):
    """Gaussian clusters at corners of a cube, two to a class, with a share of labels flipped.

    A fifth of the columns are informative. The corners depend on `columns` alone, so another
    seed gives fresh rows of the same distribution.
    """
    informative = max(2, columns // 5)
    corners = np.random.default_rng(columns).choice([-1.0, 1.0], size=(4, informative))
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    cluster = rng.integers(0, 4, size=rows)
    X[:, :informative] += corners[cluster]
    y = cluster % 2
    y[rng.random(rows) < LABEL_NOISE] ^= 1
    return X, y


def breast_cancer():
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return np.ascontiguousarray(X), y.astype(np.int64)


def print_table(title, head, rows, left=2):
    """The first `left` columns aligned left, the rest right; cells are strings."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    print(f"\n{title}\n")
    for row in [head, ["-" * w for w in widths], *rows]:
        cells = [
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
    print(flush=True)


def at_most(what, got, asked, unit=""):
    """A goal: what was measured, what it should be at most, and whether it is."""
    return [what, f"{got:.3g}{unit}", f"<= {asked:g}{unit}", "yes" if got <= asked else "no"]


def at_least(what, got, asked):
    """A goal that is met from ``asked`` on."""
    return [what, f"{got:.3g}", f">= {asked:g}", "yes" if got >= asked else "no"]


def print_goals(goals):
    """The table of the goals, if any were measured."""
    if goals:
        met = sum(goal[-1] == "yes" for goal in goals)
        print_table(f"Goals: {met} of {len(goals)} met", ["what", "got", "asked", "met"], goals, 1)
