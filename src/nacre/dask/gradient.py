"""Rounds of gradient boosting over partitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from nacre.boost.draw import AllRows, Draw
from nacre.boost.gradient import Additive, Aim, ScoreWatch, hits
from nacre.boost.loop import Boosting
from nacre.boost.result import ROUNDS_DONE, Run
from nacre.boost.step import STOP_REASONS
from nacre.boost.stopping import Watch
from nacre.dask.partition import Partition
from nacre.dask.trees import Grower, NodeSums, leaves_of, plant
from nacre.dask.voting import drawn
from nacre.dask.waves import HeldOut, Waves
from nacre.data import TrainingRows
from nacre.kernels import formulas as fm
from nacre.learners.branches import Branches


@dataclass(frozen=True, eq=False)
class Aimed:
    """Add up what the trees of the last round say, and find out what the next are to fit."""

    aim: Aim
    start: np.ndarray
    leaves: int
    last: list[np.ndarray] | None  # what the leaves of each tree say, times their vote
    draw: Draw
    seed: int
    t: int

    def run(self, rows: Partition, state: dict[str, Any]) -> np.ndarray:
        """The error and the loss of the scores so far, and the weight that is drawn."""
        if self.last is None:
            state["leaves"] = self.leaves
            state["hit"] = hits(rows.y, rows.n_classes)
            state["scores"] = np.tile(self.start, (len(rows), 1))
            state["leaf"] = {}
        else:
            for k, values in enumerate(self.last):
                state["scores"][:, k] += values[state["leaf"][k]]
        scores, hit = state["scores"], state["hit"]
        view = self.aim.view(scores)
        said = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
        error = float(rows.weight[said != rows.y].sum())
        state["target"] = self.aim.target(view, hit)
        state["drawn"] = drawn(rows, rows.weight, self.draw, self.seed, self.t)
        loss = self.aim.loss(view, hit, rows.weight)
        return np.array([error, loss, state["drawn"].sum()])


@dataclass(frozen=True, eq=False)
class Plant:
    """Begin the tree of a column of scores."""

    column: int
    everyone: bool

    def run(self, rows: Partition, state: dict[str, Any]) -> NodeSums:
        """The sums of the root."""
        target, k = state["target"], self.column
        state["mass"] = rows.weight if self.everyone else state["drawn"]
        weight = state["mass"] * target.weight[:, k]
        return plant(rows, state, target.response[:, k] * weight, weight, 0)


@dataclass(frozen=True, eq=False)
class Leaves:
    """Note which leaf each row comes to, and add up what a step of Newton's method needs."""

    column: int
    tree: Branches

    def run(self, rows: Partition, state: dict[str, Any]) -> np.ndarray:
        """The sums of responses and of curvatures by leaf."""
        leaf = state["leaf"][self.column] = leaves_of(rows, state, self.tree)
        count, target = len(self.tree), state["target"]
        first = state["tree"][3]
        if target.curvature is None:
            return np.zeros((2, count))
        curvature = target.curvature[:, self.column] * state["mass"]
        return np.stack([np.bincount(leaf, each, count) for each in (first, curvature)])


class PartitionedGradient(Boosting):
    """A run over partitions; ``fitter`` and ``training`` have no rows of their own."""

    def __init__(
        self,
        waves: Waves,
        fitter: Any,
        training: TrainingRows,
        aim: Aim,
        start: np.ndarray,
        learning_rate: float,
        draw: Draw | None,
        seed: int,
    ) -> None:
        super().__init__(fitter, training, seed)
        self.waves, self.aim, self.start, self.draw = waves, aim, start, draw or AllRows()
        self.vote = learning_rate * aim.factor(training.n_classes)
        self.grower = Grower(fitter.bins, fitter.share, 0, fitter.limits, waves)
        self.last: list[np.ndarray] | None = None
        self.notes: list[tuple[float, float]] = []
        self.asked = 0

    def _aimed(self, t: int) -> np.ndarray:
        """Take the last round in, and note what it came to."""
        entry = Aimed(
            self.aim, self.start, self.fitter.limits.leaves, self.last, self.draw, self.seed, t
        )
        sums: np.ndarray = self.waves.ask(entry)
        if self.last is not None:
            self.notes.append((float(sums[0]), float(sums[1])))
        self.asked = t
        return sums

    def _round(self, t: int) -> str | None:
        """A tree for each column of scores."""
        everyone = not self._aimed(t)[2] > 0.0
        found = []
        for k in range(len(self.start)):
            root = self.waves.ask(Plant(k, everyone))
            if not root.weight[0] > 0.0:
                return STOP_REASONS[fm.VANISHED]
            tree = self.grower.grow(root)
            above, below = self.waves.ask(Leaves(k, tree))
            if below.any():
                tree.value[:] = np.divide(above, below, out=np.zeros(len(tree)), where=below > 0.0)
            found.append(tree)
        if all(np.ptp(tree.value[tree.left < 0]) == 0.0 for tree in found):
            return STOP_REASONS[fm.NO_SPLIT]
        self.hypotheses.append(found)
        self.last = [self.vote * tree.value for tree in found]
        return None

    def since(self, start: int) -> Run:
        """All rounds; the last is taken in first, to know what it came to."""
        if len(self.notes) < len(self.hypotheses):
            self._aimed(self.asked + 1)
            self.last = None
        flat = [one for found in self.hypotheses for one in found]
        errors, losses = np.array(self.notes, float).reshape(-1, 2).T.copy()
        return Run(
            Additive(self.fitter.collect(flat), len(self.start)),
            np.full(len(errors), self.vote),
            errors,
            self.end or ROUNDS_DONE,
            self.seed,
            losses=losses,
        )

    def watch(self, held: Any, on: str) -> Watch:
        """Follow the run on the rows that the partitions hold out."""
        return HeldOut(self.waves, partial(ScoreWatch, on=on, aim=self.aim, start=self.start))
