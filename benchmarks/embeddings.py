"""Time to find wrong labels of an embedding, beside cleanlab with logistic regression and a forest.

Made data: classes are Gaussian clouds in a few of many directions, turned at random, as the axes of
an embedding mean nothing by themselves; 10 % of the labels are flipped. One thread each, processor
seconds, one run.

Run: python benchmarks/embeddings.py [--rows 10000] [--columns 768] [--classes 10] [--only fast ...]
"""

import argparse
import time
import warnings

import numpy as np
from cleanlab.filter import find_label_issues
from cleanlab.rank import get_label_quality_scores
from contenders import print_table
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict
from threadpoolctl import threadpool_limits

from nacre import find_mislabeled
from nacre.noise import flip_labels


def embedding(n, d, K, apart=0.8, directions=40):
    """Rows, and their classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(K, size=n)
    own = apart * rng.normal(size=(K, directions))[y] / 2 + rng.normal(size=(n, directions))
    turn = np.linalg.qr(rng.normal(size=(d, directions)))[0]
    return own @ turn.T + 0.1 * rng.normal(size=(n, d)), y


def cleanlab(model):
    """How suspect rows are, by cleanlab's default score."""

    def run(X, labels):
        chances = cross_val_predict(model, X, labels, cv=5, method="predict_proba")
        find_label_issues(labels, chances)
        return 1.0 - get_label_quality_scores(labels, chances)

    return run


def nacre(effort):
    return lambda X, labels: (
        find_mislabeled(X, labels, effort=effort, random_state=0, n_jobs=1).scores
    )


CONTENDERS = {
    "forest": ("cleanlab, random forest", cleanlab(RandomForestClassifier(random_state=0))),
    "logistic": ("cleanlab, logistic regression", cleanlab(LogisticRegression(max_iter=1000))),
    "fast": ("nacre, fast", nacre("fast")),
    "full": ("nacre, full", nacre("full")),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=768)
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--only", nargs="*", choices=CONTENDERS, default=list(CONTENDERS))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    X, y = embedding(args.rows, args.columns, args.classes)
    labels, flipped = flip_labels(y, 0.1, random_state=0)
    find_mislabeled(X[:400, :50], labels[:400] % 2, random_state=0)  # compiles
    lines, first = [], None
    for key in args.only:
        name, run = CONTENDERS[key]
        start = time.process_time()
        with threadpool_limits(1):
            scores = run(X, labels)
        taken = time.process_time() - start
        first = first or taken
        precision = average_precision_score(flipped, scores)
        lines.append([name, f"{taken:.0f}", f"{taken / first:.2f}", f"{precision:.3f}"])
        print(lines[-1], flush=True)
    title = f"{args.rows} x {args.columns}, {args.classes} classes, 10 % of the labels flipped"
    print_table(title, ["", "processor s", "ratio", "average precision"], lines, left=1)


if __name__ == "__main__":
    main()
