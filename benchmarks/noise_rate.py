"""How far estimates of the noise rate are from the truth, on real data with known flips.

nacre without clean rows, and with a fifth of the rows clean (the default method, and Weil's by
neighbours), beside cleanlab, which gets out-of-fold probabilities of the same model. Data sets from
the folder NACRE_DATA and those that come with scikit-learn.

Run: NACRE_DATA=folder python benchmarks/noise_rate.py [--sets sonar wine] [--repeats 2]
"""

import argparse
import os
import sys
import warnings
from pathlib import Path

import numpy as np
from cleanlab.count import estimate_joint
from contenders import print_table
from sklearn import datasets
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from nacre.data.features import as_matrix
from nacre.noise import Neighbors, OutOfFold, estimate_noise_rate, flip_labels
from nacre.noise.outoffold import default_model

BUNDLED = {
    "breast cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
}
FILES = {
    "adult": "adult-train",
    "balance": "balance-scale",
    "banana": "banana",
    "car": "car",
    "german": "german-credit",
    "kr-vs-kp": "kr-vs-kp",
    "mushroom": "mushroom",
    "sonar": "sonar",
    "wisconsin": "wisconsin-breast-cancer-original",
}
NOT_FEATURES = ["id", "name", "label"]
RATES = {"symmetric": (0.05, 0.1, 0.2, 0.3, 0.4), "by class": (0.05, 0.1, 0.2, 0.3)}
CONTENDERS = ("nacre", "with clean rows", "by neighbours", "cleanlab")


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="*", default=[*BUNDLED, *FILES])
    parser.add_argument("--repeats", type=int, default=1, help="random flips of each kind and rate")
    parser.add_argument("--rows", type=int, default=2000, help="at most, drawn at random")
    return parser.parse_args()


def load(name, most):
    """Matrix, categorical columns and label codes; None where the data are not there."""
    if name in BUNDLED:
        X, y = BUNDLED[name](return_X_y=True)
        categorical = ()
    else:
        path = Path(os.environ.get("NACRE_DATA", "")) / f"{FILES[name]}.csv.gz"
        if not path.is_file():
            print(f"{name}: skipped, there is no {path.name} in NACRE_DATA")
            return None
        import pandas as pd

        frame = pd.read_csv(path)
        y = frame["label"].to_numpy()
        frame = frame.drop(columns=NOT_FEATURES, errors="ignore")
        X, layout = as_matrix(frame, list(frame.select_dtypes(exclude="number").columns))
        categorical = layout.categorical
    rows = np.random.default_rng(0).permutation(len(y))[:most]
    return X[rows], list(categorical), np.unique(y[rows], return_inverse=True)[1]


def by_class(rate, n_classes):
    """Classes flipped at one and a half times the rate and at half of it in turn, to the next."""
    matrix = np.eye(n_classes)
    for k in range(n_classes):
        share = rate * (0.5 if k % 2 else 1.5)
        matrix[k, k] -= share
        matrix[k, (k + 1) % n_classes] += share
    return matrix


def cleanlab_rate(X, given, seed):
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    model = default_model(seed)
    chances = cross_val_predict(model, X, given, cv=folds, method="predict_proba")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return 1.0 - np.trace(estimate_joint(given, chances))


def outcomes(X, categorical, y, rate, seed):
    """Estimate less truth of each contender, and whether its interval holds the truth."""
    given, flipped = flip_labels(y, rate, random_state=seed)
    clean = np.random.default_rng(seed).random(len(y)) < 0.2
    partly, wrong = flip_labels(y, rate, clean=clean, random_state=seed)

    def ours(labels, truth, trusted, method):
        found = estimate_noise_rate(
            X,
            labels,
            clean=trusted,
            method=method,
            categorical_features=categorical,
            random_state=seed,
        )
        low, high = found.interval
        return found.rate - truth, low <= truth <= high

    return (
        ours(given, flipped.mean(), None, OutOfFold()),
        ours(partly, wrong[~clean].mean(), clean, OutOfFold()),
        ours(partly, wrong[~clean].mean(), clean, Neighbors()),
        (cleanlab_rate(X, given, seed) - flipped.mean(), np.nan),
    )


def cells(found):
    """Mean absolute error and, in brackets, mean error of each contender."""
    error = np.array(found)[:, :, 0]
    return [
        f"{one:.3f} ({bias:+.3f})"
        for one, bias in zip(np.abs(error).mean(axis=0), error.mean(axis=0), strict=True)
    ]


def run(kind, sets, repeats):
    found = {}
    for name, (X, categorical, y) in sets.items():
        print(f"{kind}: {name}", file=sys.stderr, flush=True)
        for rate in RATES[kind]:
            noise = rate if kind == "symmetric" else by_class(rate, y.max() + 1)
            found[name, rate] = [outcomes(X, categorical, y, noise, s) for s in range(repeats)]

    def of(wanted):
        return [one for key, many in found.items() if wanted in key for one in many]

    every = [one for many in found.values() for one in many]
    rows = [[name, *cells(of(name))] for name in sets]
    rows += [[f"rate {rate}", *cells(of(rate))] for rate in RATES[kind]]
    rows += [["all", *cells(every)]]
    held = np.array(every)[:, :, 1].mean(axis=0)
    rows += [["in interval", *("-" if np.isnan(one) else f"{one:.2f}" for one in held)]]
    title = f"noise {kind}: absolute error of the rate (and signed)"
    print_table(title, ["", *CONTENDERS], rows, left=1)


def main():
    args = options()
    sets = {name: load(name, args.rows) for name in args.sets}
    sets = {name: data for name, data in sets.items() if data is not None}
    for kind in RATES:
        run(kind, sets, args.repeats)


if __name__ == "__main__":
    main()
