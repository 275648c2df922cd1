"""Cross-fitted gradient boosting: each row's out-of-fold score by a run that has not seen it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nacre.boost.draw import AllRows, Subsample
from nacre.boost.gradient import Additive, GradientBoosting, NegativeGradient, Target
from nacre.boost.result import Run
from nacre.data import TrainingRows
from nacre.data.check import check_form
from nacre.data.seeds import derive_seed
from nacre.data.storable import storable
from nacre.learners.base import Regressor
from nacre.learners.branches import Branches

LEAST_BEND = 0.01
"""No row has less curvature: a leaf whose drawn rows are all wrong would step without bound."""


@dataclass(frozen=True)
class Damped(NegativeGradient):
    """The log loss with its Hessian (curvature) held above a floor, which damps Newton steps."""

    def target(self, p: np.ndarray, hit: np.ndarray) -> Target:
        """Minus the gradient, and a curvature well above 0."""
        pull, curvature = self.of.pull(p, hit)
        return Target(pull, np.ones_like(pull), np.maximum(curvature, LEAST_BEND))


class CrossFit:
    """K-fold cross-fitting: one run for each fold, all on the same prepared rows.

    The rows of its fold have no weight in a run, but are sent down its trees like all others: so
    their out-of-fold scores need no prediction, after any number of rounds.

    Parameters
    ----------
    fitter : of all rows
    training : TrainingRows
    fold : array of shape (n,)
        The fold of each row: 0, 1, ...
    learning_rate : float
    seed : int
    share : float, default=1.0
        Of the rows, drawn for each tree.
    aim : what the trees fit, default Damped()
    left_out : boolean array of shape (n,), optional
        Rows that no run sees.
    """

    def __init__(
        self,
        fitter: Regressor,
        training: TrainingRows,
        fold: np.ndarray,
        learning_rate: float,
        seed: int,
        share: float = 1.0,
        aim: NegativeGradient | None = None,
        left_out: np.ndarray | None = None,
    ) -> None:
        self.fold = fold
        self.runs = []
        for k in range(int(fold.max()) + 1):
            held = fold == k if left_out is None else (fold == k) | left_out
            part = _without(training, held)
            begin = prior_scores(part)
            self.runs.append(
                GradientBoosting(
                    fitter, part, aim or Damped(), begin, learning_rate,
                    AllRows() if share == 1.0 else Subsample(share),
                    derive_seed(seed, k),
                )
            )  # fmt: skip

    def advance(self, rounds: int) -> None:
        """Go on until each run has so many rounds."""
        for run in self.runs:
            run.advance(rounds)

    def held_out(self) -> np.ndarray:
        """Out-of-fold centred log-probabilities: each row's by the run that has not seen it."""
        out = np.empty_like(self.runs[0].scores)
        for k, run in enumerate(self.runs):
            out[self.fold == k] = run.scores[self.fold == k]
        return centred_logs(out)

    def trees(self, k: int) -> list[tuple[Branches, np.ndarray]]:
        """The trees of a run, and what each of their nodes adds to the scores: (nodes, columns)."""
        run = self.runs[k]
        own = np.eye(run.scores.shape[1]) * run.vote
        return [
            (tree, np.outer(tree.value, own[c]))
            for found in run.hypotheses
            for c, tree in enumerate(found)
        ]

    def first(self, rounds: int) -> CrossFitted:
        """All runs as they were after some rounds."""
        return CrossFitted(
            [one.run().first(min(rounds, one.done)) for one in self.runs],
            [one.start for one in self.runs],
        )


@storable
@dataclass(frozen=True, eq=False)
class CrossFitted:
    """Runs that are averaged, and the scores they began with."""

    runs: list[Run]
    starts: list[np.ndarray]

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        for part in (self.runs, self.starts):
            if not isinstance(part, list) or len(part) != len(self.runs) or not part:
                raise ValueError("every run has a start.")
        for run, start in zip(self.runs, self.starts, strict=True):
            if not isinstance(run, Run) or not isinstance(run.hypotheses, Additive):
                raise ValueError("runs must be of trees that add up.")
            check_form(start, "start", np.float64, (run.hypotheses.columns,))

    @property
    def width(self) -> int:
        """How many columns a table must have."""
        return max(run.hypotheses.width for run in self.runs)

    def scores(self, X: Any) -> np.ndarray:
        """The mean over the runs of their scores, centred, a column a class."""
        each = [
            start + run.hypotheses.scores(X, run.votes)
            for run, start in zip(self.runs, self.starts, strict=True)
        ]
        return centred_logs(np.mean(each, axis=0))

    def importances(self, d: int) -> np.ndarray:
        """The mean over the runs of the columns' gains."""
        each = [run.hypotheses.importances(run.votes, d) for run in self.runs]
        out: np.ndarray = np.mean(each, axis=0)
        return out


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
