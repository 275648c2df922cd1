"""Filters and volumes on the Wisconsin breast cancer data, as in Chan's thesis.

Prints how many rows the vote filter flags, and whether cell and decision volumes tell the flagged
rows from the others. Needs wisconsin-breast-cancer-original.csv.gz in the folder NACRE_DATA names.

Run: NACRE_DATA=folder python examples/chan_wisconsin.py
"""

import sys

import numpy as np

from nacre import AdaBoostClassifier
from nacre.datasets import load
from nacre.diagnostics import cell_volumes, decision_volumes, mean_volumes
from nacre.filters import VoteFilter

SEEDS = range(20)
ROUNDS = 50


def flagged(X, y, voters, seed):
    return VoteFilter(n_voters=voters, n_folds=3, random_state=seed).fit(X, y).mislabeled_


def main():
    try:
        data = load("wisconsin-breast-cancer-original")
    except FileNotFoundError as missing:
        sys.exit(str(missing))
    X, y = np.where(np.isnan(data.X), np.nanmean(data.X, axis=0), data.X), data.y
    print(f"{len(y)} rows, {X.shape[1]} columns; medians over {len(SEEDS)} ways to make 3 folds\n")
    for voters, paper in ((4, "2.3-2.4 %"), (50, "about 4.5 %")):
        shares = [flagged(X, y, voters, seed).mean() for seed in SEEDS]
        share, low, high = np.median(shares), min(shares), max(shares)
        print(
            f"flagged by {voters:2d} stumps: {share:.1%} ({low:.1%} to {high:.1%}; paper: {paper})"
        )
    model = AdaBoostClassifier(n_estimators=ROUNDS).fit(X, y)
    decision = decision_volumes(model, X, rounds=-1, rescale=False)
    cell = cell_volumes(model, X, rounds=-1, rescale=False)
    ratios, gaps = [], []
    for seed in SEEDS:
        found = flagged(X, y, 4, seed)
        ratios.append(np.exp(mean_volumes(decision[~found]) - mean_volumes(decision[found])))
        gaps.append(cell[~found].mean() - cell[found].mean())
    print(f"\nafter {ROUNDS} rounds of AdaBoost on all rows:")
    print(
        f"mean decision volume, others over flagged: {np.median(ratios):.1f}"
        "   (paper: 2 to 3 times larger)"
    )
    print(
        f"mean log cell volume, others less flagged: {np.median(gaps):+.1f}"
        "   (paper: no lasting difference)"
    )


if __name__ == "__main__":
    main()
