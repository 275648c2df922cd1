"""Linear models along a path of penalties: the best strength is chosen out of fold."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from nacre.consensus.task import Task, relative_weight
from nacre.data import fold_of

FOLDS = 5

PATIENCE = 2
"""Strengths that may be no better before the search ends."""

ABSENT = np.log(1e-3)
"""The log-probability of a class that none of the rows of a fit has."""

MOST_ITERATIONS = 100
"""Of L-BFGS, at each strength; the next begins where the last has ended."""

Coefficients: TypeAlias = tuple[np.ndarray, np.ndarray]
"""Of linear scores: those of the columns of a design, (p, K), and the base, (K,)."""

Path: TypeAlias = Callable[[Any, np.ndarray, np.ndarray, int], Iterator[Coefficients]]
"""From a design, labels, weights and the number of classes to a model at each strength."""


def fit_path(
    path: Path, design: Any, task: Task, rows: np.ndarray, seed: int
) -> tuple[Coefficients, np.ndarray]:
    """The model of the best strength, fitted to some rows, and their out-of-fold scores.

    How closely labels are followed is chosen by the forward-corrected log loss.

    Parameters
    ----------
    path : callable
        Yields models of rising strength.
    design : array or sparse matrix of shape (m, p)
        Of these rows.
    task : Task
    rows : int64 array of shape (m,)
    seed : int
        Of the folds.
    """
    training, weight = task.training, relative_weight(task.training, rows)
    part = training if len(rows) == len(training.y) else training.take(rows)
    fold, K = fold_of(part, min(FOLDS, len(rows)), seed), training.n_classes
    outs = [fold == k for k in range(int(fold.max()) + 1)]
    best = np.zeros((len(rows), K))
    if len(outs) == 1:  # nothing can be held out
        return (np.zeros((design.shape[1], K)), np.zeros(K)), best
    runs = [path(design[~out], part.y[~out], weight[~out], K) for out in outs]
    losses: list[float] = []
    for models in zip(*runs, strict=True):
        held = np.empty((len(rows), K))
        for out, (coefficients, base) in zip(outs, models, strict=True):
            held[out] = design[out] @ coefficients + base
        losses.append(task.loss_of(held, rows))
        if np.argmin(losses) == len(losses) - 1:
            best = held
        if len(losses) - np.argmin(losses) > PATIENCE:
            break
    whole = path(design, part.y, weight, K)
    return next(islice(whole, int(np.argmin(losses)), None)), best


def logistic_path(
    design: Any, y: np.ndarray, weight: np.ndarray, n_classes: int, strengths: Sequence[float]
) -> Iterator[Coefficients]:
    """Multinomial logistic regression with a quadratic penalty, each fit from where the last ended.

    ``strengths`` are inverse penalties of rows whose mean square length is 1.
    """
    size, present = design.shape[1], np.unique(y)
    squares = design.multiply(design) if hasattr(design, "multiply") else design * design
    length = max(float(squares.sum()) / len(y), np.finfo(float).eps)
    model = LogisticRegression(max_iter=MOST_ITERATIONS, warm_start=True)
    for strength in strengths:
        coefficients, base = np.zeros((size, n_classes)), np.full(n_classes, ABSENT)
        if len(present) == 1 or size == 0:  # there is nothing to tell apart, or to tell it by
            base[present] = 0.0
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # near enough
                model.set_params(C=strength / length).fit(design, y, weight)
            own, start = model.coef_.T, model.intercept_
            if len(present) == 2:  # the log-odds of the second
                own, start = np.hstack([-own, own]) / 2.0, np.append(-start, start) / 2.0
            coefficients[:, present], base[present] = own, start
        yield centred(coefficients, base)


def centred(coefficients: np.ndarray, base: np.ndarray) -> Coefficients:
    """Scores that sum to 0 in every row."""
    return coefficients - coefficients.mean(axis=1, keepdims=True), base - base.mean()
