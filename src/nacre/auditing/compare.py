"""What models score on rows that they have not seen, and what cleaning the labels changes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from nacre.data import TrainingRows, fold_of

FOLDS = 5

ROWS = 10_000
"""Of more rows, a random sample of so many is judged."""

LEAST = 1e-15
"""Smaller probabilities count as this in the log loss."""

SURE = 100.0
"""Condition of a noise matrix beyond which accuracy cannot be freed from the noise."""

LEARN_FROM = (
    "labels as given, noise in mind (nacre)",
    "labels as given, ordinary boosting",
    "without the suspects, ordinary boosting",
)


def compare(
    robust: Any,
    ordinary: Any,
    training: TrainingRows,
    clean: np.ndarray | None,
    noise: np.ndarray,
    seed: int,
    watch: Callable[[str], None],
) -> dict[str, Any]:
    """Cross-validate a robust model, and an ordinary one with and without the suspects.

    The suspects are those that the robust model finds among the training rows of each fold, so
    that no row has a say in how it is judged itself.

    Parameters
    ----------
    robust : classifier with ``fit(X, y, clean=)`` and ``suspects_``
    ordinary : classifier
    training : the labelled rows
    clean : boolean mask of trusted rows, or None
    noise : noise matrix
    seed : int
    watch : is told how far it is

    Returns
    -------
    dict
        Plain data: ``folds``, ``rows``, the scores of the three ``models``, and how many
        predictions of the ordinary one have ``changed``.
    """
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.permutation(len(training.y))[:ROWS])
    training = training.take(rows)
    clean = np.zeros(len(rows), bool) if clean is None else clean[rows]
    y, fold = training.y, fold_of(training, FOLDS, seed)
    chances = np.zeros((len(LEARN_FROM), len(y), training.n_classes))
    for k in range(FOLDS):
        watch(f"Judging held-out rows, fold {k + 1} of {FOLDS}")
        train, held = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        fitted = _fits(robust, ordinary, training.X[train], y[train], clean[train])
        for said, model in zip(chances, fitted, strict=True):
            said[np.ix_(held, model.classes_)] = model.predict_proba(training.X[held])
    _, before, after = chances.argmax(axis=2)
    return {
        "folds": FOLDS,
        "rows": len(y),
        "models": [
            {
                "what": what,
                "given": scores(said, y, fold),
                "trusted": scores(said[clean], y[clean], fold[clean]) if clean.any() else None,
                "corrected": noise_free_accuracy(said[~clean].argmax(axis=1), y[~clean], noise),
            }
            for what, said in zip(LEARN_FROM, chances, strict=True)
        ],
        "changed": int(np.sum(before != after)),
    }


def _fits(
    robust: Any, ordinary: Any, X: np.ndarray, y: np.ndarray, clean: np.ndarray
) -> Iterator[Any]:
    """The three models, one after the other."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the fit to all rows has told them
        model = clone(robust).fit(X, y, clean=clean if clean.any() else None)
    yield model
    yield clone(ordinary).fit(X, y)
    kept = np.delete(np.arange(len(y)), model.suspects_)
    several = len(np.unique(y[kept])) > 1
    yield clone(ordinary).fit(X[kept], y[kept]) if several else clone(ordinary).fit(X, y)


def scores(chances: np.ndarray, y: np.ndarray, fold: np.ndarray) -> dict[str, dict[str, float]]:
    """Scores of probabilities, each the mean over the folds and its standard error."""
    folds = [_scores(chances[fold == k], y[fold == k]) for k in np.unique(fold)]
    found = {}
    for name in folds[0]:
        values = np.array([one[name] for one in folds])
        values = values[~np.isnan(values)]
        if len(values):
            error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
            found[name] = {"mean": float(values.mean()), "error": float(error)}
    return found


def _scores(chances: np.ndarray, y: np.ndarray) -> dict[str, float]:
    right = chances.argmax(axis=1) == y
    said = np.maximum(chances[np.arange(len(y)), y], LEAST)
    found = {
        "accuracy": float(right.mean()),
        "balanced_accuracy": float(np.mean([right[y == k].mean() for k in np.unique(y)])),
        "log_loss": float(-np.log(said).mean()),
    }
    if chances.shape[1] == 2:
        both = len(np.unique(y)) == 2
        found["auc"] = float(roc_auc_score(y, chances[:, 1])) if both else np.nan
    return found


def noise_free_accuracy(said: np.ndarray, given: np.ndarray, noise: np.ndarray) -> float | None:
    r"""Accuracy against the true classes, from given ones and the noise matrix T.

    Where labels go wrong by class only, the shares of (said, given) are those of (said, true)
    times T, so that the latter are the former times its inverse; accuracy is their trace.
    """
    if not len(given) or np.linalg.cond(noise) > SURE:
        return None
    K = len(noise)
    pairs = np.bincount(said * K + given, minlength=K * K).reshape(K, K) / len(given)
    return float(np.clip(np.trace(np.linalg.solve(noise.T, pairs.T)), 0.0, 1.0))
