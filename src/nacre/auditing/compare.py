"""The score card: metrics of models on rows that they have not seen, and what cleaning changes."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy.special import softmax
from sklearn.metrics import roc_auc_score

from nacre.bins import Bins
from nacre.consensus.crossfit import Bend, CrossFit
from nacre.consensus.members import MOST_COLUMNS
from nacre.data import TrainingRows, fold_of, out_of_fold_probabilities
from nacre.data.folds import sample_rows
from nacre.learners.sampled import SampledTreeFitter
from nacre.learners.tree import Tree
from nacre.noise.quality import LabelQuality
from nacre.progress import Progress, each, silent

FOLDS = 5

ROWS = 10_000
"""Of more rows, a random sample of so many is judged."""

ROUNDS, DEPTH, LEARNING_RATE = 100, 3, 0.1
"""Ordinary boosting: the defaults of GradientBoostClassifier."""

LEAST = 1e-15
"""Smaller probabilities count as this in the log loss."""

SURE = 100.0
"""Condition of a noise matrix beyond which accuracy cannot be freed from the noise."""

LEARN_FROM = (
    "labels as given, noise in mind (nacre)",
    "labels as given, ordinary boosting",
    "without the suspects, ordinary boosting",
)


class Compared(NamedTuple):
    """What was compared.

    ``card`` is plain data: ``folds``, ``rows``, the metrics of the three ``models``, and how many
    predictions of ordinary boosting have ``changed``. ``training`` are the rows it is about, and
    ``without`` is ordinary boosting of them without the suspects.
    """

    card: dict[str, Any]
    training: TrainingRows
    without: CrossFit


def compare(
    found: LabelQuality,
    training: TrainingRows,
    bins: Bins,
    clean: np.ndarray | None,
    seed: int,
    progress: Progress = silent,
) -> Compared:
    """Metrics of the robust model, and of ordinary boosting with and without the suspects.

    The robust model's probabilities of each row are those it has judged its label by: of members
    that have not seen it. Ordinary boosting is cross-fitted on the same bins.

    Parameters
    ----------
    found : what the robust model found
    training : the labelled rows
    bins : of the labelled rows
    clean : boolean mask of trusted rows, or None
    seed : int
    progress : is told how far it is

    Returns
    -------
    Compared
    """
    clean = np.zeros(len(training.y), bool) if clean is None else clean
    rows = sample_rows(np.zeros_like(clean), ROWS, seed, training.units)
    part, some = training, clean
    if len(rows) < len(clean):
        part, some, bins = training.take(rows), clean[rows], bins.take(rows)
    suspect = found.suspected[rows]
    y, fold = part.y, fold_of(part, FOLDS, seed)
    left = {False: suspect & False, True: suspect}
    learned = [
        ordinary_boosting(part, bins, fold, left[without], seed)
        for without in each([False, True], "model", progress)
    ]
    chances = [found.probabilities[rows]]
    chances += [softmax(runs.held_out(), axis=1) for runs in learned]
    before, after = (one.argmax(axis=1) for one in chances[1:])
    card = {
        "folds": len(np.unique(fold)),
        "rows": len(y),
        "models": [
            {
                "what": what,
                "given": metrics(said, y, fold),
                "trusted": metrics(said[some], y[some], fold[some]) if some.any() else None,
                "corrected": noise_free_accuracy(
                    said[~some].argmax(axis=1), y[~some], found.noise.matrix
                )
                if found.noise.told
                else None,
            }
            for what, said in zip(LEARN_FROM, chances, strict=True)
        ],
        "changed": int(np.sum(before != after)),
    }
    return Compared(card, part, learned[1])


def ordinary_boosting(
    training: TrainingRows, bins: Bins, fold: np.ndarray, left_out: np.ndarray, seed: int
) -> CrossFit:
    """Cross-fitted gradient boosting, some rows left out of all training."""
    d = training.X.shape[1]
    tree = Tree(DEPTH, max_features=None if d <= MOST_COLUMNS else MOST_COLUMNS / d)
    fitter = SampledTreeFitter(tree, training, bins)
    runs = CrossFit([fitter], training, fold, LEARNING_RATE, seed, bend=Bend(), left_out=left_out)
    runs.advance(ROUNDS)
    return runs


def held_out_metrics(model: Any, training: TrainingRows, seed: int) -> dict[str, dict[str, float]]:
    """Metrics of a fitted model on rows held out, against the labels as given.

    The robust model has judged its training rows that way already; of any other, copies are fitted
    to the other folds, of large tables to a sample.
    """
    none = np.zeros(len(training.y), bool)
    rows = sample_rows(none, ROWS, seed, training.units)
    part = training.take(rows)
    fold = fold_of(part, min(FOLDS, len(rows)), seed)
    if hasattr(model, "found_"):
        return metrics(model.found_.probabilities[rows], part.y, fold)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a fold without a weak hypothesis
        return metrics(out_of_fold_probabilities(part, fold, model, seed), part.y, fold)


def metrics(chances: np.ndarray, y: np.ndarray, fold: np.ndarray) -> dict[str, dict[str, float]]:
    """Metrics of probabilities, each the mean over the folds and its standard error."""
    folds = [_metrics(chances[fold == k], y[fold == k]) for k in np.unique(fold)]
    found = {}
    for name in folds[0]:
        values = np.array([one[name] for one in folds])
        values = values[~np.isnan(values)]
        if len(values):
            error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
            found[name] = {"mean": float(values.mean()), "error": float(error)}
    return found


def _metrics(chances: np.ndarray, y: np.ndarray) -> dict[str, float]:
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
