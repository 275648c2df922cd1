"""AdaBoost over nacre's naive Bayes and network, beside scikit-learn's over its own.

Run: python benchmarks/learners.py [--quick] [--cases numbers network] [--rounds 100]
"""

import argparse
import sys
import warnings

import numpy as np
from contenders import parse_size, print_table, show_size, synthetic
from speed import (
    ACCURACY_HEAD,
    TEST_ROWS,
    TIME_HEAD,
    accuracy_cells,
    calls_per_timing,
    interleaved,
    limited,
    time_cells,
)

CUTS = [-1.0, -0.3, 0.3, 1.0]
SIZES = {
    "numbers": ["1kx10", "10kx20", "100kx20"],
    "categories": ["1kx10", "10kx20", "100kx20"],
    "network": ["1kx5", "5kx10"],
}


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the smallest size of each case")
    parser.add_argument("--cases", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--repeats", type=int, default=3, help="timings per contender")
    parser.add_argument("--rounds", type=int, default=100)
    return parser.parse_args()


def load(case, size, seed):
    if case == "network":
        return sphere(*size, seed)
    X, y = synthetic(*size, seed)
    return (np.searchsorted(CUTS, X) if case == "categories" else X), y


def sphere(rows, columns, seed):
    """Gaussian rows; the class is whether they lie outside a sphere that holds half of them."""
    X = np.random.default_rng(seed).standard_normal((rows, columns))
    return X, ((X**2).sum(axis=1) > columns - 2 / 3).astype(np.int64)


def bayes(case, size, rounds):
    """A small learning rate: at 1, boosting naive Bayes ends after three or four rounds."""
    from sklearn.ensemble import AdaBoostClassifier as SklearnAdaBoost
    from sklearn.naive_bayes import CategoricalNB, GaussianNB

    from nacre import AdaBoostClassifier, NaiveBayes

    rows, columns = size
    shared = {"n_estimators": rounds, "learning_rate": 0.1, "random_state": 0}
    if case == "numbers":
        ours, theirs = NaiveBayes(), GaussianNB()
    else:
        ours = NaiveBayes(categorical_features=range(columns))
        # weights sum to 1 there, and to the number of rows here
        theirs = CategoricalNB(alpha=1.0 / rows, min_categories=len(CUTS) + 1)
    return {
        "nacre": AdaBoostClassifier(ours, **shared),
        f"sklearn {type(theirs).__name__}": SklearnAdaBoost(theirs, **shared),
    }


def networks(rounds):
    from sklearn.ensemble import AdaBoostClassifier as SklearnAdaBoost
    from sklearn.neural_network import MLPClassifier
    from sklearn.utils.validation import has_fit_parameter

    from nacre import AdaBoostClassifier, Network

    shared = {"n_estimators": rounds, "random_state": 0}
    theirs = MLPClassifier((3,), activation="tanh", solver="lbfgs", max_iter=100, alpha=1e-5)
    # before scikit-learn 1.7 it takes no weights; nacre then draws rows by weight
    weighted = has_fit_parameter(theirs, "sample_weight")
    boost = SklearnAdaBoost if weighted else AdaBoostClassifier
    return {
        "nacre": AdaBoostClassifier(Network(), **shared),
        "sklearn MLPClassifier": boost(theirs, **shared),
    }


def measure(case, size, args):
    """Rows of both tables, one of each for a contender."""
    X, y = load(case, size, seed=0)
    models = networks(args.rounds) if case == "network" else bayes(case, size, args.rounds)
    fits = {name: lambda m=model: m.fit(X, y) for name, model in models.items()}
    predicts = {name: lambda m=model: m.predict(X) for name, model in models.items()}
    repeats = dict.fromkeys(models, args.repeats)
    fits["nacre"]()  # compiles
    numbers = {name: calls_per_timing(fits[name], len(X)) for name in models}
    fit_times = interleaved(fits, repeats, numbers)
    predicts["nacre"]()
    numbers = {name: calls_per_timing(predicts[name], len(X)) for name in models}
    predict_times = interleaved(predicts, repeats, numbers)
    X_test, y_test = load(case, (TEST_ROWS, size[1]), seed=1)
    right = {name: model.predict(X_test) == y_test for name, model in models.items()}
    fit_rows, predict_rows = [], []
    for name, model in models.items():
        start = [case, show_size(*size), name]
        accuracy = accuracy_cells(right[name], right["nacre"])
        kept = str(len(model.estimators_))
        times = time_cells(fit_times[name], best(fit_times))
        fit_rows.append([*start, *times, kept, *accuracy])
        predict_rows.append([*start, *time_cells(predict_times[name], best(predict_times))])
    return fit_rows, predict_rows


def best(times):
    return min(wall for wall, _ in times["nacre"])


def main():
    args = options()
    warnings.filterwarnings("ignore", "lbfgs failed to converge")
    fit_rows, predict_rows = [], []
    with limited(1):
        for case in args.cases:
            for size in SIZES[case][: 1 if args.quick else None]:
                print(f"measuring {case}, {size}", file=sys.stderr, flush=True)
                fits, predicts = measure(case, parse_size(size), args)
                fit_rows += fits
                predict_rows += predicts
    head = ["case", *TIME_HEAD]
    what = f"{args.rounds} rounds of AdaBoost, one thread"
    print_table(f"fit, {what}", [*head, "kept", *ACCURACY_HEAD], fit_rows, left=3)
    print_table(f"predict on the training rows, {what}", head, predict_rows, left=3)


if __name__ == "__main__":
    main()
