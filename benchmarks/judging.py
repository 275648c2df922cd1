"""Which labels are wrong, from the same out-of-fold probabilities: judge_labels beside cleanlab.

Data of the kind that cleanlab's tutorials show: three Gaussian classes in the plane with a noise
matrix, exam scores that make a letter grade, digits. Out-of-fold probabilities of a logistic
regression and of a random forest go to nacre's ``judge_labels`` and to cleanlab's
``find_label_issues`` and ``get_label_quality_scores``. Reported: precision, recall and F1 of the
rows called wrong, average precision of the ranking, and how far the noise rate is off.

Run: python benchmarks/judging.py [--seeds 5]
"""

import argparse
import warnings
from collections import defaultdict

import numpy as np
from cleanlab.count import compute_confident_joint, estimate_latent
from cleanlab.filter import find_label_issues
from cleanlab.rank import get_label_quality_scores
from contenders import print_table
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, f1_score, precision_score, recall_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nacre import judge_labels
from nacre.noise import flip_labels

MODELS = {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "random forest": RandomForestClassifier(random_state=0),
}


def planar(rng):
    """Three Gaussian classes of uneven size; two go wrong often, one seldom."""
    sizes, means = (400, 200, 200), ((3, 2), (7, 7), (0, 8))
    X = np.vstack([rng.normal(mean, 1.5, (n, 2)) for n, mean in zip(sizes, means, strict=True)])
    matrix = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.02, 0.03, 0.95]]
    return X, np.repeat([0, 1, 2], sizes), matrix


def grades(rng):
    """Three exams of 100 points make a grade from A to F; one grade in five is entered wrongly."""
    exams = np.clip(rng.normal(75, 15, (900, 1)) + rng.normal(0, 8, (900, 3)), 0, 100)
    return exams, np.digitize(exams.mean(axis=1), [60, 70, 80, 90]), 0.2


def digits(rng):
    X, y = load_digits(return_X_y=True)
    return X, y, 0.1


def measured(flags, scores, rate, flipped):
    return (
        precision_score(flipped, flags, zero_division=1.0),
        recall_score(flipped, flags),
        f1_score(flipped, flags),
        average_precision_score(flipped, scores),
        abs(rate - flipped.mean()),
    )


def of_nacre(chances, labels):
    found = judge_labels(chances, labels)
    return found.suspected, found.scores, found.noise.rate


def of_cleanlab(chances, labels):
    flags = find_label_issues(labels, chances, n_jobs=1)
    joint = compute_confident_joint(labels, chances)
    prior, noise, _ = estimate_latent(joint, labels)
    rate = 1.0 - float(prior @ np.diag(noise))
    return flags, 1.0 - get_label_quality_scores(labels, chances), rate


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    found = defaultdict(list)
    for make in (planar, grades, digits):
        for seed in range(args.seeds):
            X, y, noise = make(np.random.default_rng(seed))
            labels, flipped = flip_labels(y, noise, exact=False, random_state=seed)
            folds = StratifiedKFold(5, shuffle=True, random_state=seed)
            for model, one in MODELS.items():
                chances = cross_val_predict(one, X, labels, cv=folds, method="predict_proba")
                for who, judge in (("nacre", of_nacre), ("cleanlab", of_cleanlab)):
                    found[make.__name__, model, who].append(
                        measured(*judge(chances, labels), flipped)
                    )
    rows = [
        [*what, *(f"{value:.3f}" for value in np.mean(values, axis=0))]
        for what, values in found.items()
    ]
    print_table(
        f"Wrong labels from the same probabilities, means over {args.seeds} seeds",
        [
            "data",
            "model",
            "judged by",
            "precision",
            "recall",
            "F1",
            "average precision",
            "rate off by",
        ],
        rows,
        left=3,
    )


if __name__ == "__main__":
    main()
