"""The ways in which training labels are made wrong."""

import numpy as np
from scipy.stats import rankdata
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from nacre.noise import flip_labels
from nacre.noise.quality import symmetric_matrix
from robustness.data import REAL, UNEVEN, columns

NOISES = [("symmetric", level) for level in (0.0, 0.1, 0.2, 0.3, 0.4)]
NOISES += [("by class", 0.2), ("boundary", 0.2), ("along the columns", 0.25)]
NOISES += [("imbalanced", 0.0), ("imbalanced", 0.1), ("real", 0.0)]
NOISES += [("one class", 0.4), ("trusted", 0.3)]
REPORTED = [  # what the page shows; the others are for whole runs
    (kind, level)
    for kind, level in NOISES
    if kind not in ("one class", "trusted") and (kind != "symmetric" or level in (0.0, 0.2, 0.4))
]
TRUSTED = 0.2  # share of rows whose labels are known to be right


def suits(data, kind):
    """Whether a data set can have a kind of noise."""
    return data in {"imbalanced": UNEVEN, "real": REAL}.get(kind, [data])


def spoil(split, kind, level, seed):
    """Labels, which of them are wrong, and which are known to be right (None: not told)."""
    rng = np.random.RandomState(seed)
    y, K = split.y, split.n_classes
    if kind == "symmetric":
        return *flip_labels(y, level, random_state=rng), None
    if kind == "imbalanced":  # of each class the same share
        return *flip_labels(y, symmetric_matrix(level, K), random_state=rng), None
    if kind == "by class":
        return *flip_labels(y, class_matrix(K, rng), random_state=rng), None
    if kind == "one class":
        matrix = np.eye(K)
        matrix[rng.randint(K)] = level / (K - 1)
        np.fill_diagonal(matrix, 0.0)
        np.fill_diagonal(matrix, 1.0 - matrix.sum(axis=1))
        return *flip_labels(y, matrix, random_state=rng), None
    if kind == "boundary":
        # The chance falls from twice the level at the boundary to 0 farthest off, evenly in the
        # rank: never above 1/2, so that the best classifier stays the same.
        prone = len(y) - rankdata(distances(split))
        return *flip_labels(y, level, score=prone, exact=False, random_state=rng), None
    if kind == "along the columns":
        # Likewise, from 0 to twice the level along a direction that has nothing to do with labels.
        places = columns(split.categorical).fit_transform(split.X)
        along = places @ rng.normal(size=places.shape[1])
        prone = rankdata(along) - 1.0
        return *flip_labels(y, level, score=prone, exact=False, random_state=rng), None
    if kind == "real":
        return split.noisy, split.noisy != y, None
    if kind == "trusted":
        clean = np.zeros(len(y), bool)
        clean[rng.permutation(len(y))[: round(TRUSTED * len(y))]] = True
        return *flip_labels(y, level, clean=clean, random_state=rng), clean
    raise ValueError(f"There is no noise {kind!r}.")


def class_matrix(K, rng):
    """Two classes: 30 % of one, 5 % of the other. More: each to one other class, 5 to 35 %."""
    order = rng.permutation(K)
    rates = [0.3, 0.05] if K == 2 else rng.uniform(0.05, 0.35, K)
    matrix = np.eye(K)
    for k in range(K):
        matrix[order[k], order[k]] -= rates[k]
        matrix[order[k], order[(k + 1) % K]] += rates[k]
    return matrix


def distances(split):
    """How far rows are from the boundary of a support vector machine, which no contender is."""
    model = make_pipeline(columns(split.categorical), SVC()).fit(split.X, split.y)
    scores = model.decision_function(split.X)
    if scores.ndim == 1:
        return np.abs(scores)
    ordered = np.sort(scores, axis=1)
    return ordered[:, -1] - ordered[:, -2]
