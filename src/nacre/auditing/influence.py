"""What the columns of a table do: to predictions of held-out rows, and to single suspects.

Both are taken from ordinary boosting without the suspects: no run has seen the label of any
suspect, and each predicts the rows of its fold without having seen them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import softmax

from nacre.consensus.crossfit import CrossFit, centred_logs
from nacre.data import TrainingRows
from nacre.diagnostics.importances import noisy_log_loss
from nacre.learners.branches import Branches, Trees

ROWS = 1_000
"""Rows, at most, whose values are shuffled."""

WORK = 200_000_000
"""Outputs of nodes that are looked at, at most: seconds. Of more, the first rows only."""

CELLS = 4_000_000
"""Contributions that are computed together, so that memory does not grow with the suspects."""


def held_out_importances(
    runs: CrossFit,
    training: TrainingRows,
    matrix: np.ndarray,
    sources: Sequence[str],
    seed: int,
) -> dict[str, float]:
    """Permutation importances of the table's columns, as shares.

    By how much the forward-corrected log loss of held-out rows rises when the values of a column
    are shuffled among the rows of a fold; all features that come of one column together.

    Parameters
    ----------
    runs : cross-fitted on ``training``
    training : TrainingRows
    matrix : the noise matrix
    sources : the column that each feature comes from
    seed : of the rows and of how they are shuffled
    """
    draw = np.random.default_rng(seed)
    rows = np.sort(draw.permutation(len(training.y))[:ROWS])
    fold, y = runs.fold[rows], training.y[rows]
    before = runs.held_out()[rows]
    features: dict[str, list[int]] = {}
    for j, name in enumerate(sources):
        features.setdefault(name, []).append(j)
    moved: dict[str, np.ndarray] = {}  # of columns that trees decide by
    for k in np.unique(fold).tolist():
        here = np.flatnonzero(fold == k)
        X = training.X[rows[here]]
        grown = runs.trees(k)
        decided = [{sources[j] for j in tree.feature.tolist() if j >= 0} for tree, _ in grown]
        for name in features:
            order = draw.permutation(len(here))
            some = [one for one, used in zip(grown, decided, strict=True) if name in used]
            if not some:
                continue
            trees, outputs = joined(runs, some)
            shuffled = X.copy()
            shuffled[:, features[name]] = X[order][:, features[name]]
            change = np.zeros((len(here), outputs.shape[1]))
            trees.add_outputs(shuffled, outputs, change)
            trees.add_outputs(X, -outputs, change)
            moved.setdefault(name, np.zeros_like(before))[here] = centred_logs(change)
    least = _loss(before, y, matrix)
    rises = dict.fromkeys(features, 0.0)
    for name, change in moved.items():
        rises[name] = max(0.0, _loss(before + change, y, matrix) - least)
    whole = sum(rises.values())
    return {name: rise / whole if whole else 0.0 for name, rise in rises.items()}


def joined(runs: CrossFit, grown: list[tuple[Branches, np.ndarray]]) -> tuple[Trees, np.ndarray]:
    """Trees as one ensemble, and what each of their nodes puts out."""
    none = np.empty((0, len(runs.runs[0].start)))
    trees = runs.runs[0].fitter.collect([tree for tree, _ in grown])
    return trees, np.concatenate([none, *(outputs for _, outputs in grown)])


def _loss(logs: np.ndarray, y: np.ndarray, matrix: np.ndarray) -> float:
    return noisy_log_loss(softmax(logs, axis=1), y, matrix)


def label_evidence(
    runs: CrossFit, X: np.ndarray, given: np.ndarray, suggested: np.ndarray
) -> Iterator[tuple[np.ndarray, float]]:
    """For each row what each feature adds to the log-odds of its suggested label over its given.

    The numbers of a row and the intercept, which comes second, add up to those log-odds by the mean
    of all runs: Shapley values (path-dependent TreeSHAP). Of many rows and classes, only the first
    rows have some.
    """
    start = np.mean([run.start for run in runs.runs], axis=0)
    grown = [one for k in range(len(runs.runs)) for one in runs.trees(k)]
    trees, outputs = joined(runs, grown)
    outputs /= len(runs.runs)
    step = max(1, CELLS // (X.shape[1] * len(start)))
    count = min(len(X), 1 + WORK // max(outputs.size, 1))
    for first in range(0, count, step):
        some = slice(first, min(first + step, count))
        values, alone = trees.output_contributions(X[some], outputs)
        base = alone + start
        for own, a, b in zip(values, given[some], suggested[some], strict=True):
            if len(start) == 1:
                sign = 2.0 if b == 1 else -2.0
                yield sign * own[:, 0], sign * float(base[0])
            else:
                yield 2.0 * (own[:, b] - own[:, a]), 2.0 * float(base[b] - base[a])
