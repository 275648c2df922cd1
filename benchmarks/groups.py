"""What `groups=` buys where rows hang together: near-copies whose labels are wrong together.

A generated table of patients, each five times with measurements that differ a little; a tenth of
the patients have a wrong label in all five rows. Suspects of `find_mislabeled` with and without
`groups=`: how many, precision, recall, average precision of the scores, and the rate that is said;
means over the seeds and their standard errors. Without suspects there is no precision.

Run: python benchmarks/groups.py [--seeds 5] [--patients 200] [--effort full]
"""

import argparse
import sys

import numpy as np
from contenders import print_table
from sklearn.metrics import average_precision_score

from nacre import find_mislabeled

COPIES, COLUMNS, WRONG = 5, 6, 0.1
JITTER = 0.05
"""Deviation of a patient's rows, where patients have deviation 1."""


def table(patients, seed):
    """The rows, their labels, which of these are wrong, and whose they are."""
    rng = np.random.default_rng(seed)
    centre = rng.normal(size=(patients, COLUMNS))
    truth = centre[:, 0] + centre[:, 1] > 0
    wrong = np.zeros(patients, bool)
    wrong[rng.permutation(patients)[: round(WRONG * patients)]] = True
    patient = np.repeat(np.arange(patients), COPIES)
    X = centre[patient] + JITTER * rng.normal(size=(len(patient), COLUMNS))
    return X, (truth ^ wrong)[patient].astype(int), wrong[patient], patient


def measure(X, labels, wrong, groups, effort, seed):
    found = find_mislabeled(X, labels, groups=groups, effort=effort, random_state=seed)
    hits = wrong[found.suspected].sum()
    return (
        found.suspected.sum(),
        hits / found.suspected.sum() if found.suspected.any() else np.nan,
        hits / wrong.sum(),
        average_precision_score(wrong, found.scores),
        found.noise.rate,
    )


def cell(values, digits=3):
    there = values[~np.isnan(values)]
    if not len(there):
        return "-"
    error = there.std(ddof=1) / np.sqrt(len(there)) if len(there) > 1 else np.nan
    return f"{there.mean():.{digits}f} +-{error:.{digits}f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--patients", type=int, default=200)
    parser.add_argument("--effort", choices=["fast", "full"], default="full")
    args = parser.parse_args()
    kinds = {"with groups": [], "without groups": []}
    for seed in range(args.seeds):
        print(f"measuring seed {seed}", file=sys.stderr, flush=True)
        X, labels, wrong, patient = table(args.patients, seed)
        for kind, groups in zip(kinds, (patient, None), strict=True):
            kinds[kind].append(measure(X, labels, wrong, groups, args.effort, seed))
    print_table(
        f"{args.patients} patients, {COPIES} near-copies each, {WRONG:.0%} of the patients with a "
        f"wrong label, means over {args.seeds} seeds",
        ["find_mislabeled", "suspects", "precision", "recall", "average precision", "rate said"],
        [
            [kind, cell(some[:, 0], 0), *(cell(one) for one in some[:, 1:].T)]
            for kind, some in ((kind, np.array(some, float)) for kind, some in kinds.items())
        ],
    )


if __name__ == "__main__":
    main()
