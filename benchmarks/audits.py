"""How many of an audit's suspects are wrong indeed, beside cleanlab's Datalab on the same tables.

Files of NACRE_DATA are read as a user's would be, some labels are flipped and looked for.
Datalab gets out-of-fold probabilities of a random forest, on the columns as nacre reads them.

Run: NACRE_DATA=folder python benchmarks/audits.py [--rows 1000] [--rates .05 .1 .2] [--sets ...]
"""

import argparse
import os
import sys
from pathlib import Path

import numpy as np
from cleanlab import Datalab
from contenders import print_table
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from nacre import find_mislabeled
from nacre.data import Schema
from nacre.io import read_table
from nacre.noise import flip_labels

SETS = (
    "wisconsin-breast-cancer-original",
    "sonar",
    "german-credit",
    "adult-train",
    "banana",
    "kr-vs-kp",
    "mushroom",
    "car",
    "balance-scale",
)


def datalab(X, labels, seed):
    """The rows that cleanlab calls label issues."""
    filled = np.where(np.isnan(X), -1.0, X)
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    chances = cross_val_predict(
        RandomForestClassifier(random_state=seed), filled, labels, cv=folds, method="predict_proba"
    )
    lab = Datalab({"label": labels}, label_name="label", verbosity=0)
    lab.find_issues(pred_probs=chances, issue_types={"label": {}})
    return lab.get_issues("label")["is_label_issue"].to_numpy()


def judged(flagged, flipped):
    """Precision and recall of what was flagged."""
    right = (flagged & flipped).sum()
    return right / max(flagged.sum(), 1), right / flipped.sum()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1000, help="at most, drawn at random")
    parser.add_argument("--rates", type=float, nargs="+", default=[0.05, 0.1, 0.2])
    parser.add_argument("--sets", nargs="+", default=SETS)
    args = parser.parse_args()
    folder = Path(os.environ.get("NACRE_DATA", "."))
    rows, found = [], []
    for name in args.sets:
        path = folder / f"{name}.csv.gz"
        if not path.exists():
            print(f"{name} left out: {path} is not there.", file=sys.stderr)
            continue
        frame = read_table(path)
        columns = Schema.learn(frame, "label")
        X, (y, known) = columns.matrix(frame), columns.labels(frame)
        some = np.sort(np.random.default_rng(0).permutation(len(y))[: args.rows])
        X, y = X[known][some], np.unique(y[some], return_inverse=True)[1]
        for rate in args.rates:
            labels, flipped = flip_labels(y, rate, random_state=0)
            ours = find_mislabeled(
                X, labels, categorical_features=list(columns.categorical), random_state=0
            )
            both = judged(ours.suspected, flipped), judged(datalab(X, labels, 0), flipped)
            found.append(both)
            cells = [f"{p:.2f} / {r:.2f}" for p, r in both]
            rows.append([name, f"{rate:.0%}", f"{ours.noise.rate:.1%}", *cells])
    means = [f"{p:.2f} / {r:.2f}" for p, r in np.mean(found, axis=0)]
    rows.append(["mean", "", "", *means])
    head = ["table", "flipped", "estimated", "nacre", "Datalab, random forest"]
    print_table("Suspects: precision / recall", head, rows)


if __name__ == "__main__":
    main()
