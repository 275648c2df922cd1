"""Cross-fitted gradient boosting: each row's out-of-fold score by a run that has not seen it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nacre.bins.cuts import Cuts, Rows
from nacre.boost.draw import AllRows, Draw, Subsample, drawn_weights
from nacre.boost.gradient import LONGEST
from nacre.data import TrainingRows
from nacre.data.check import check_form
from nacre.data.seeds import derive_seed
from nacre.data.storable import storable
from nacre.kernels.shared_trees import add_leaves, leaf_vectors, project_pulls
from nacre.learners.binned import BinnedTrees, bin_trees, single
from nacre.learners.branches import Branches
from nacre.learners.sampled import SampledTreeFitter


class Bend(NamedTuple):
    """The Hessian (curvature) that Newton's steps go by: how it is bounded from below."""

    least: float = 0.0  # no row has less
    longest: float = LONGEST  # no row's own step, in log-odds, is longer


DAMPED = Bend(0.01, np.inf)
"""A leaf whose drawn rows are all wrong would step without bound."""


class SharedBoosting:
    r"""Gradient boosting of the log loss, one tree a round for all classes.

    A tree is grown by least squares on one number a row: minus the gradient (two classes), or its
    projection to a direction drawn anew in every round (several) [1]_. Its leaves then say a
    vector, a step of Newton's method for each class, from the whole gradients. So a round costs
    little more with many classes than with two.

    References
    ----------
    .. [1] L. Iosipoi, A. Vakhrushev, "SketchBoost: fast gradient boosted decision tree for
       multioutput problems", NeurIPS 2022; random projections.
    """

    def __init__(
        self,
        fitter: SampledTreeFitter,
        training: TrainingRows,
        learning_rate: float,
        draw: Draw,
        seed: int,
        bend: Bend,
    ) -> None:
        self.fitter, self.training, self.draw, self.seed = fitter, training, draw, seed
        self.bend = bend
        self.start = prior_scores(training)
        n, columns = len(training.y), len(self.start)
        self.vote = 0.5 * learning_rate * (1.0 if columns == 1 else (columns - 1) / columns)
        self.scores = np.tile(self.start, (n, 1))
        self.trees: list[Branches] = []
        self.values: list[np.ndarray] = []
        self.ended = False
        self._pulls, self._response = np.empty((n, columns)), np.empty(n)

    def advance(self, rounds: int) -> None:
        """Go on until there are so many rounds, or nothing is left to split."""
        while len(self.trees) < rounds and not self.ended:
            self._round(len(self.trees) + 1)

    def _round(self, t: int) -> None:
        fitter, training = self.fitter, self.training
        direction = self._direction(t)
        for weight in drawn_weights(self.draw, training, training.weight, self.seed, t):
            project_pulls(self.scores, training.y, weight, direction, self._pulls, self._response)
            tree = fitter.fit_sample(self._response, weight, derive_seed(self.seed, t, 0))
            if len(tree) > 1:
                break
        else:
            self.ended = True
            return
        values = np.empty((len(tree), len(direction)))
        leaf_vectors(fitter.leaf, self._pulls, weight, *self.bend, np.empty_like(values), values)
        add_leaves(fitter.leaf, values, self.vote, self.scores)
        self.trees.append(tree)
        self.values.append(values)

    def _direction(self, t: int) -> np.ndarray:
        """What gradients are projected to."""
        columns = len(self.start)
        if columns == 1:
            return np.ones(1)
        return np.random.default_rng(derive_seed(self.seed, t, 1)).normal(size=columns)


class CrossFit:
    """K-fold cross-fitting: one run for each fold, all on the same prepared rows.

    The rows of its fold have no weight in a run, but are sent down its trees like all others: so
    their out-of-fold scores need no prediction, after any number of rounds.

    Parameters
    ----------
    fitters : SampledTreeFitter, one or more
        Of all rows; a thread for each. Which run has which makes no difference.
    training : TrainingRows
    fold : array of shape (n,)
        The fold of each row: 0, 1, ...
    learning_rate : float
    seed : int
    share : float, default=1.0
        Of the rows, drawn for each tree.
    bend : Bend
    left_out : boolean array of shape (n,), optional
        Rows that no run sees.
    """

    def __init__(
        self,
        fitters: Sequence[SampledTreeFitter],
        training: TrainingRows,
        fold: np.ndarray,
        learning_rate: float,
        seed: int,
        share: float = 1.0,
        bend: Bend = DAMPED,
        left_out: np.ndarray | None = None,
    ) -> None:
        self.fold = fold
        draw = AllRows() if share == 1.0 else Subsample(share)
        self.runs: list[SharedBoosting] = []
        self.threads = len(fitters)
        for k in range(int(fold.max()) + 1):
            held = fold == k if left_out is None else (fold == k) | left_out
            part = _without(training, held)
            own, fitter = derive_seed(seed, k), fitters[k % self.threads]
            self.runs.append(SharedBoosting(fitter, part, learning_rate, draw, own, bend))

    def advance(self, rounds: int) -> None:
        """Go on until each run has so many rounds."""

        def go_on(first: int) -> None:
            for run in self.runs[first :: self.threads]:
                run.advance(rounds)

        if self.threads == 1:
            go_on(0)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(go_on, range(self.threads)))

    def held_out(self) -> np.ndarray:
        """Out-of-fold centred log-probabilities: each row's by the run that has not seen it."""
        out = np.empty_like(self.runs[0].scores)
        for k, run in enumerate(self.runs):
            out[self.fold == k] = run.scores[self.fold == k]
        return centred_logs(out)

    def trees(self, k: int) -> list[tuple[Branches, np.ndarray]]:
        """The trees of a run, and what their leaves add to the scores: (nodes, columns)."""
        run = self.runs[k]
        return [(tree, run.vote * own) for tree, own in zip(run.trees, run.values, strict=True)]

    def first(self, rounds: int, cuts: Cuts) -> CrossFitted:
        """The mean of all runs as they were after some rounds, as one run."""
        share = 1.0 / len(self.runs)
        fitter = self.runs[0].fitter
        trees = [tree for run in self.runs for tree in run.trees[:rounds]]
        values = [
            single(share * run.vote * value) for run in self.runs for value in run.values[:rounds]
        ]
        gains = fitter.collect(trees).importances(np.full(len(trees), share), cuts.width)
        start = np.mean([run.start for run in self.runs], axis=0)
        return CrossFitted(bin_trees(trees, values, len(start), cuts, gains), start)


@storable
@dataclass(frozen=True, eq=False)
class CrossFitted:
    """Trees whose leaves add up to scores, and the scores to begin with: the mean of all runs."""

    trees: BinnedTrees
    start: np.ndarray

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        if not isinstance(self.trees, BinnedTrees):
            raise ValueError("scores are added up by trees.")
        check_form(self.start, "start", np.float64, (self.trees.columns,))

    @property
    def width(self) -> int:
        """How many columns a table must have."""
        return self.trees.width

    def scores(self, rows: Rows) -> np.ndarray:
        """Centred log-probabilities, a column a class."""
        return centred_logs(self.start + self.trees.sums(rows))

    def importances(self, d: int) -> np.ndarray:
        """The mean over the runs of the columns' gains."""
        return self.trees.importances(d)


def _without(training: TrainingRows, held: np.ndarray) -> TrainingRows:
    """The training with rows that have no weight."""
    weight = np.where(held, 0.0, training.weight)
    if not weight.any():  # nothing is left: nothing can be held out
        weight = training.weight
    return training.weighted(weight)


def prior_scores(training: TrainingRows) -> np.ndarray:
    """Half the log of the class priors, half a row added to each; of two, their difference."""
    n, K = len(training.y), training.n_classes
    mass = np.bincount(training.y, training.weight, K) * n + 0.5
    logs = 0.5 * np.log(mass / mass.sum())
    return logs[1:] - logs[:1] if K == 2 else logs - logs.mean()


def centred_logs(scores: np.ndarray) -> np.ndarray:
    """Centred log-probabilities, a column a class, from boosting's scores, which are half of them.

    Two classes have one column of scores, half the log-odds of the second.
    """
    if scores.shape[1] == 1:
        return np.hstack([-scores, scores])
    return 2.0 * (scores - scores.mean(axis=1, keepdims=True))
