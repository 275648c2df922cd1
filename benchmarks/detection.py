"""How well filters find rows whose labels were flipped, on real data, beside cleanlab.

Area under the ROC curve and average precision of each filter's scores, and of cleanlab's label
quality scores from out-of-fold probabilities of LightGBM and of a random forest, all on the same
flips. Data sets from the folder NACRE_DATA (those found) and those that come with scikit-learn.

Run: NACRE_DATA=folder python benchmarks/detection.py [--rows 700] [--seeds 1] [--sets sonar ...]
"""

import argparse
import sys
import warnings
from collections import defaultdict

import numpy as np
from cleanlab.rank import get_label_quality_scores
from contenders import print_table
from lightgbm import LGBMClassifier
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from nacre import AdaBoostClassifier, GradientBoostClassifier, MarginBoostClassifier, Tree
from nacre.datasets import load
from nacre.filters import (
    Fraction,
    MarginFilter,
    NeighborFilter,
    VolumeFilter,
    VoteFilter,
    WeightFilter,
)
from nacre.noise import flip_labels

BUNDLED = {"breast cancer": datasets.load_breast_cancer, "wine": datasets.load_wine}
FILES = ["banana", "german-credit", "kr-vs-kp", "mushroom", "sonar"]
FILES += ["wisconsin-breast-cancer-original", "car"]
RATES = (0.1, 0.2, 0.3, 0.4)
ANY = Fraction(0.1)  # only scores are compared


def filters():
    return {
        "votes, 4 stumps": VoteFilter(),
        "votes, 50 stumps": VoteFilter(n_voters=50),
        "margin, AdaBoost": MarginFilter(),
        "margin, MarginBoost of trees": MarginFilter(MarginBoostClassifier(Tree(3), 100)),
        "margin, GradientBoost gce": MarginFilter(GradientBoostClassifier(loss="gce")),
        "area under the margin": MarginFilter(AdaBoostClassifier(Tree(2)), out_of_fold=False),
        "weight": WeightFilter(cut=ANY),
        "volume, signed": VolumeFilter(cut=ANY),
        "volume, paper": VolumeFilter(signed=False, cut=ANY),
        "neighbours, 5": NeighborFilter(5),
        "neighbours, all 5": NeighborFilter(5, all_k=True),
    }


def peers():
    return {
        "cleanlab, LightGBM": LGBMClassifier(n_jobs=1, verbosity=-1),
        "cleanlab, random forest": RandomForestClassifier(random_state=0),
    }


def table(name, rows):
    if name in BUNDLED:
        X, y = BUNDLED[name](return_X_y=True)
        categorical = ()
    else:
        data = load(name)
        X, y, categorical = data.X, np.unique(data.y, return_inverse=True)[1], data.categorical
    some = np.sort(np.random.default_rng(0).permutation(len(y))[:rows])
    return X[some], y[some], list(categorical)


def scores(X, labels, categorical, seed):
    for name, one in filters().items():
        one.set_params(categorical_features=categorical, random_state=seed)
        yield name, one.fit(X, labels).scores_
    filled = np.where(np.isnan(X), -1.0, X)  # codes and a value of its own for gaps
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    for name, model in peers().items():
        chances = cross_val_predict(model, filled, labels, cv=folds, method="predict_proba")
        yield name, 1.0 - get_label_quality_scores(labels, chances)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=700, help="at most, drawn at random")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--sets", nargs="+", default=[*BUNDLED, *FILES])
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    found = defaultdict(lambda: defaultdict(list))
    for name in args.sets:
        try:
            X, y, categorical = table(name, args.rows)
        except FileNotFoundError as missing:
            print(f"{name} left out: {missing}", file=sys.stderr)
            continue
        print(f"measuring {name}", file=sys.stderr, flush=True)
        for rate in RATES:
            for seed in range(args.seeds):
                labels, flipped = flip_labels(y, rate, random_state=seed)
                for what, suspect in scores(X, labels, categorical, seed):
                    pair = (
                        roc_auc_score(flipped, suspect),
                        average_precision_score(flipped, suspect),
                    )
                    found[what][rate].append(pair)
    rows = []
    for what, by_rate in found.items():
        means = np.array([np.mean(by_rate[rate], axis=0) for rate in RATES])
        cells = [f"{area:.3f} / {precision:.3f}" for area, precision in means]
        area, precision = means.mean(axis=0)
        rows.append([what, *cells, f"{area:.3f} / {precision:.3f}"])
    count = len(next(iter(found["weight"].values()))) if found else 0
    print_table(
        f"Detection of flipped labels, AUROC / average precision, means over {count} tables",
        ["scores", *(f"{rate:.0%} flipped" for rate in RATES), "mean"],
        rows,
    )


if __name__ == "__main__":
    main()
