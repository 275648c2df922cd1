"""How suspect each row is, and what its label might be instead.

Every function returns scores (higher = more suspect) and, per row, how much speaks for each class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import _safe_indexing

from nacre.data import TrainingRows
from nacre.data.embed import embed
from nacre.data.folds import fit_copy, out_of_fold
from nacre.diagnostics import area_under_margin, decision_volumes, hits, weight_paths
from nacre.diagnostics.weights import clocks
from nacre.models.calibration import votes_by_class
from nacre.models.voting_base import VotingBooster

ROUNDED = 9
"""Log volumes are compared to so many places: the order of sums must not order rows."""


AT_ONCE = 10_000_000
"""Neighbours looked at together, so that memory does not grow with the table."""


class Scored(NamedTuple):
    """Scores of the rows, and what speaks for each class: arrays of shape (n,) and (n, K)."""

    scores: np.ndarray
    support: np.ndarray


def vote_scores(
    training: TrainingRows, models: Sequence[Any], fold: np.ndarray, seed: int = 0
) -> Scored:
    """The share of voters, trained on the other folds, that disagree with the label.

    The voters are the weak hypotheses of a booster of nacre, or the classifiers themselves.
    """
    counts = np.zeros((len(training.y), training.n_classes))
    for model in models:
        for rows, fitted in out_of_fold(training, fold, fit_copy(model, seed)):
            for said in voters(fitted, _safe_indexing(training.X, rows)):
                counts[rows, said] += 1.0
    return Scored(1.0 - share_of_label(counts, training.y), counts)


def voters(model: Any, table: Any) -> Iterator[np.ndarray]:
    """What each voter of a fitted model says, as class codes."""
    if isinstance(model, VotingBooster) and len(model.estimators_):
        return (model.classes_[said] for said in model.estimators_.said_by_each(table))
    return iter([model.predict(table)])


def share_of_label(support: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The part of each row's support that is for its own label."""
    return support[np.arange(len(y)), y] / np.maximum(support.sum(axis=1), 1e-300)


def margin_scores(training: TrainingRows, model: Any, fold: np.ndarray, seed: int = 0) -> Scored:
    """Minus the margin of each row under a model of the other folds."""
    y = training.y
    scores, support = np.ones(len(y)), np.zeros((len(y), training.n_classes))
    for rows, fitted in out_of_fold(training, fold, fit_copy(model, seed)):
        table = _safe_indexing(training.X, rows)
        known = np.isin(y[rows], fitted.classes_)  # a class of one row is not: margin -1
        if hasattr(fitted, "margins"):
            here = rows[known]
            if len(here):
                scores[here] = -fitted.margins(_safe_indexing(training.X, here), y[here])
            support[np.ix_(rows, fitted.classes_)] = votes_by_class(fitted.decision_function(table))
        else:
            chances = fitted.predict_proba(table)
            support[np.ix_(rows, fitted.classes_)] = chances
            scores[rows] = 1.0 - 2.0 * support[rows, y[rows]]
    return Scored(scores, support)


def area_scores(training: TrainingRows, model: VotingBooster) -> Scored:
    """Minus the mean over the rounds of each row's margin under a model that has seen it."""
    shrinks, votes = model.estimator_steps_.T
    area = area_under_margin(hits(model, training.X, training.y), votes, shrinks=shrinks)
    return Scored(-area, _support(training, model))


def weight_scores(training: TrainingRows, model: VotingBooster) -> Scored:
    """The mean over the rounds of each row's weight, times the number of rows."""
    run, algorithm, n = model._run, model._algorithm(), len(training.y)
    if getattr(model, "variant", None) == "m2" and training.n_classes > 2:
        raise ValueError(
            "WeightFilter needs a weight for each row, and variant='m2' weighs pairs of a row and "
            "a class: use variant='samme'."
        )
    if not len(run):
        return _alike(training, model)
    assert run.steps is not None
    rate = getattr(model, "noise_rate_", None)
    paths = weight_paths(
        hits(model, training.X, training.y),
        run.steps.drive,
        shrinks=run.steps.shrink if run.steps.carry is None else run.steps.carry,
        clocks=clocks(algorithm.step, run),
        algorithm=algorithm,
        noise_rate=None if rate is None else np.broadcast_to(rate, n),
        random_state=model.random_state,
    )
    return Scored(paths.mean(axis=0) * n, _support(training, model))


def volume_scores(training: TrainingRows, model: VotingBooster, signed: bool) -> Scored:
    """The place of each row in order of its decision volume, from 1 down; equal ones share it.

    Small volumes are suspect. In the ``signed`` order, rows that the ensemble disagrees with come
    first of all, those of the largest volumes foremost.
    """
    if not len(model.estimators_):
        return _alike(training, model)
    volumes = decision_volumes(model, training.X, rounds=-1)
    against = (model.predict(training.X) != training.y) & signed
    keys = np.column_stack([~against, np.where(against, -volumes, volumes).round(ROUNDED)])
    _, group, sizes = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    ahead = np.cumsum(sizes) - sizes
    scores = 1.0 - ahead[group.ravel()] / len(against)
    return Scored(scores, _support(training, model))


def neighbor_scores(training: TrainingRows, k: int, all_k: bool) -> Scored:
    """The share of a row's k nearest others that have another label; its copies and group apart.

    With ``all_k``, the share of the rules "as most of the j nearest", j = 1 .. k, that say another.
    """
    labels = training.y[nearest_others(training, k)]
    running = np.cumsum(labels[:, :, None] == np.arange(training.n_classes), axis=1)
    support = running[:, -1].astype(float)
    if not all_k:
        return Scored(1.0 - share_of_label(support, training.y), support)
    own = np.take_along_axis(running, training.y[:, None, None], axis=2)[:, :, 0]
    return Scored((running.max(axis=2) > own).mean(axis=1), support)


def nearest_others(
    training: TrainingRows, k: int, rows: np.ndarray | None = None, pool: np.ndarray | None = None
) -> np.ndarray:
    """The k nearest rows of each row that are of other units, nearest first: fewer if few are.

    Of all ``rows``, among a ``pool`` of rows; default all.
    """
    everyone = np.arange(len(training.y))
    rows, pool = (everyone if one is None else one for one in (rows, pool))
    of = training.units.of
    largest = int(np.bincount(of[pool]).max())
    if largest == len(pool):  # all are of one unit
        of, largest = everyone, 1
    asked, wanted = min(k + largest, len(pool)), min(k, len(pool) - largest)
    both = np.concatenate([pool, rows])
    points = embed(training if len(both) == 2 * len(everyone) else training.take(both))
    there, here = (points, points) if len(points) == len(pool) else np.split(points, [len(pool)])
    search = NearestNeighbors(n_neighbors=asked).fit(there)
    out = np.empty((len(rows), wanted), np.int64)
    for some in np.array_split(np.arange(len(rows)), -(-len(rows) * asked // AT_ONCE)):
        found = pool[search.kneighbors(here[some], return_distance=False)]
        order = np.argsort(of[found] == of[rows[some], None], axis=1, kind="stable")[:, :wanted]
        out[some] = np.take_along_axis(found, order, axis=1)
    return out


def _alike(training: TrainingRows, model: Any) -> Scored:
    """Equal scores: of a booster without a weak hypothesis."""
    return Scored(np.ones(len(training.y)), _support(training, model))


def _support(training: TrainingRows, model: Any) -> np.ndarray:
    return votes_by_class(model.decision_function(training.X))
