"""Members of the consensus: models that also score every row without having seen its label."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import log_softmax

from nacre.bins.cuts import Cuts, Rows
from nacre.consensus.crossfit import CrossFit, CrossFitted
from nacre.consensus.outofbag import MOST_ROWS, OutOfBag
from nacre.consensus.task import Task
from nacre.data import fold_of
from nacre.data.storable import storable
from nacre.learners.binned import BinnedTrees, bin_trees, single
from nacre.learners.branches import Branches
from nacre.learners.naive_bayes import BayesHypotheses, NaiveBayes
from nacre.learners.sampled import SampledTreeFitter
from nacre.learners.soft import SoftHypotheses
from nacre.learners.tree import Tree, TreeFitter
from nacre.noise.noise_model import log_scores, spread

FOLDS = 5
SMALL = 2_000
"""Of more rows in a sample, leaves grow with their square root."""

MOST_COLUMNS = 48
"""Columns, at most, that a boosted tree chooses from: of an embedding, a sample says as much."""

ROUNDS = (5, 10, 20, 30, 45, 60, 80, 100, 130, 160, 200)
"""Numbers of rounds that boosters are judged after."""

SUREST = -60.0
"""No naive Bayes is surer than this log-probability of another class says."""

FARTHEST = 3.0
"""Its scores end so many spreads from 0."""

WORTH_THREADS = 1_000_000
"""Cells of a table whose folds are boosted in threads."""

PATIENCE = 3
"""Boosting ends when the last so many of these were no better."""


@storable
@dataclass(frozen=True, eq=False)
class BaggedTrees:
    """Trees of equal vote whose leaves say shares of the classes; of two, that of the second."""

    trees: BinnedTrees

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        if not isinstance(self.trees, BinnedTrees) or not len(self.trees):
            raise ValueError("a forest has trees.")

    @property
    def width(self) -> int:
        """How many columns a table must have."""
        return self.trees.width

    def mean_shares(self, rows: Rows) -> np.ndarray:
        """The mean share of each class over the trees."""
        shares = self.trees.sums(rows) / len(self.trees)
        return np.hstack([1.0 - shares, shares]) if shares.shape[1] == 1 else shares

    def scores(self, rows: Rows) -> np.ndarray:
        """The logs of the trees' mean shares."""
        return log_scores(self.mean_shares(rows))

    def importances(self, d: int) -> np.ndarray:
        """The mean over the trees of the gain of each column's splits."""
        return self.trees.importances(d)


def bag_trees(
    fitter: TreeFitter, trees: list[Branches], shares: list[np.ndarray], cuts: Cuts
) -> BaggedTrees:
    """The trees of a fitter, with shares in their nodes, as a forest."""
    first = 1 if fitter.n_classes == 2 else 0
    values = [single(one[:, first:]) for one in shares]
    gains = fitter.collect(trees).importances(np.full(len(trees), 1.0 / len(trees)), cuts.width)
    return BaggedTrees(bin_trees(trees, values, fitter.n_classes - first, cuts, gains))


@dataclass(frozen=True)
class Bagged:
    """Out-of-bag MarginBoost: bagged trees, rows weighted by a bounded cost of their margins.

    Attributes
    ----------
    least : int
        Rows in a leaf; more on large tables.
    random_cuts : bool
        Whether columns are cut at random, as in extra trees.
    trees : int
    slope : float
        Of the cost; 0 gives all rows the same weight.
    """

    least: int
    random_cuts: bool
    trees: int
    slope: float = 1.5

    def fit(self, task: Task, seed: int) -> tuple[BaggedTrees, np.ndarray]:
        """The trees, and the log-probabilities out of bag."""
        training = task.training
        n, d = training.X.shape
        size = min(n, MOST_ROWS)
        least = self.least * max(1.0, np.sqrt(size / SMALL))
        tree = Tree(
            None,
            min_weight=min(least / size, 0.25),
            max_features=None if d <= 3 else round(np.sqrt(d)),
            random_cuts=self.random_cuts,
        )
        run = OutOfBag(self.trees, max(10, self.trees // 4), self.slope)
        fitter = tree.prepare(training, bins=task.bins)
        trees, shares, held = run.run(fitter, training, task.clean, seed)
        return bag_trees(fitter, trees, shares, task.cuts), log_scores(held)


@dataclass(frozen=True)
class Boosted:
    """Cross-fitted gradient boosting, its rounds chosen by the forward-corrected log loss.

    Attributes
    ----------
    leaves : int
        Of each tree.
    """

    leaves: int

    def fit(self, task: Task, seed: int) -> tuple[CrossFitted, np.ndarray]:
        """The folds' runs after the best number of rounds, and the out-of-fold scores."""
        training = task.training
        n, d = training.X.shape
        tree = Tree(
            None,
            max_leaves=self.leaves,
            min_weight=min(10.0 / n, 0.25),
            max_features=None if d <= 6 else min(0.7, MOST_COLUMNS / d),
        )
        fold = fold_of(training, min(FOLDS, n), seed)
        share = min(0.6, MOST_ROWS / n)
        threads = task.threads if training.X.size >= WORTH_THREADS else 1
        fitters = [SampledTreeFitter(tree, training, task.bins) for _ in range(threads)]
        runs = CrossFit(fitters, training, fold, 0.1, seed, share)
        losses: list[float] = []
        best: Any = None
        for rounds in ROUNDS:
            runs.advance(rounds)
            scores = runs.held_out()
            losses.append(task.loss(scores))
            if losses[-1] <= min(losses):
                best = rounds, scores
            if len(losses) - np.argmin(losses) > PATIENCE:
                break
        return runs.first(best[0], task.cuts), best[1]


@storable
@dataclass(frozen=True, eq=False)
class BayesFolds:
    """A naive Bayes for each fold, and the spread of what they put out."""

    hypotheses: SoftHypotheses
    scale: float

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        if not isinstance(self.hypotheses, BayesHypotheses) or not len(self.hypotheses):
            raise ValueError("folds have naive Bayes hypotheses.")
        if type(self.scale) is not float or not self.scale > 0.0:
            raise ValueError("the spread must be above 0.")

    @property
    def width(self) -> int:
        """How many columns a table must have."""
        return self.hypotheses.width

    def scores(self, rows: Rows) -> np.ndarray:
        """The mean over the folds of log-probabilities, brought to one spread and clipped."""
        each = [self._said(rows.X, k) for k in range(len(self.hypotheses))]
        return np.clip(np.mean(each, axis=0) / self.scale, -FARTHEST, FARTHEST)

    def _said(self, X: np.ndarray, k: int) -> np.ndarray:
        logs = np.maximum(log_softmax(self.hypotheses.outputs(X, k), axis=1), SUREST)
        out: np.ndarray = logs - logs.mean(axis=1, keepdims=True)
        return out

    def importances(self, d: int) -> np.ndarray:
        """None: all columns are used."""
        return np.zeros(d)


@dataclass(frozen=True)
class Bayes:
    """Cross-fitted naive Bayes: little to learn, so that wrong labels do little harm.

    It takes columns for independent and so is far too sure: what it says is clipped.
    """

    def fit(self, task: Task, seed: int) -> tuple[BayesFolds, np.ndarray]:
        """The folds' naive Bayes, and the out-of-fold scores."""
        training = task.training
        n = len(training.y)
        fold = fold_of(training, min(FOLDS, n), seed)
        folds = range(int(fold.max()) + 1)
        fitter = NaiveBayes().prepare(training)
        found = [fitter.fit(np.where(fold == k, 0.0, training.weight))[0] for k in folds]
        model = BayesFolds(fitter.collect(found), 1.0)
        held = np.empty((n, training.n_classes))
        for k in folds:
            held[fold == k] = model._said(training.X[fold == k], k)
        scale = spread(held)
        return replace(model, scale=scale), np.clip(held / scale, -FARTHEST, FARTHEST)
