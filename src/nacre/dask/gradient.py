"""Rounds of gradient boosting over partitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from nacre.boost.draw import AllRows, Draw
from nacre.boost.gradient import Additive, Aim, ScoreWatch, hits
from nacre.boost.loop import Boosting
from nacre.boost.result import ROUNDS_DONE, Run
from nacre.boost.step import STOP_REASONS
from nacre.boost.stopping import Watch
from nacre.dask.partition import Partition
from nacre.dask.trees import Grower, Grown, NodeSums, Pulls, plant
from nacre.dask.voting import drawn
from nacre.dask.waves import HeldOut, Waves, plus
from nacre.data import TrainingRows
from nacre.kernels import formulas as fm
from nacre.kernels import random as rd

ROWS_AT_ONCE = 8192
"""Rows whose scores are looked at together: what is made of them on the way stays in the cache."""


class Begun(NamedTuple):
    """The error and the loss of the scores so far, the weight that is drawn, and a tree's root."""

    noted: np.ndarray
    root: NodeSums | None

    def __add__(self, other: Any) -> Begun:
        return Begun(self.noted + other.noted, plus(self.root, other.root))


@dataclass(frozen=True, eq=False)
class Aimed:
    """Add what the last trees say to the scores, and begin the first tree of the next round."""

    aim: Aim
    start: np.ndarray
    leaves: int
    last: Planted | None
    values: list[np.ndarray] | None  # what the leaves of the last trees say, times their vote
    draw: Draw
    seed: int
    t: int
    more: bool

    def run(self, rows: Partition, state: dict[str, Any]) -> Begun:
        """What the scores come to, and the sums of the root if there is more to come."""
        if "scores" not in state:
            state["leaves"], state["leaf"] = self.leaves, {}
            state["scores"] = np.tile(self.start, (len(rows), 1))
        if self.last is not None:
            self.last.settle(rows, state)
        mass = drawn(rows, rows.weight, self.draw, self.seed, self.t)
        noted = look_at_scores(rows, state, self.aim, mass, self.values)
        root = plant(rows, state, pulls_of(state, 0), 0) if self.more else None
        return Begun(np.array([*noted, mass.sum()]), root)


def look_at_scores(
    rows: Partition,
    state: dict[str, Any],
    aim: Aim,
    mass: np.ndarray,
    values: list[np.ndarray] | None,
) -> tuple[float, float]:
    """Move the scores, and note what trees are to fit; the error and the loss."""
    scores, error, loss = state["scores"], 0.0, 0.0
    n, width = scores.shape
    if "pulls" not in state:
        state["pulls"] = [Pulls(np.empty(n), np.empty(n), np.empty(n)) for _ in range(width)]
    for begin in range(0, n, ROWS_AT_ONCE):
        some = slice(begin, begin + ROWS_AT_ONCE)
        for k, value in enumerate(values or []):
            scores[some, k] += value[state["leaf"][k][some]]
        here, y, weight = scores[some], rows.y[some], rows.weight[some]
        hit, view = hits(y, rows.n_classes), aim.view(here)
        said = here[:, 0] > 0 if width == 1 else here.argmax(axis=1)
        error += float(weight @ (said != y))
        loss += aim.loss(view, hit, weight)
        target = aim.target(view, hit)
        for k, pulls in enumerate(state["pulls"]):
            np.multiply(mass[some], target.weight[:, k], out=pulls.second[some])
            np.multiply(target.response[:, k], pulls.second[some], out=pulls.first[some])
            if target.curvature is not None:
                np.multiply(target.curvature[:, k], mass[some], out=pulls.third[some])
    state["curved"] = target.curvature is not None
    return error, loss


def pulls_of(state: dict[str, Any], column: int) -> Pulls:
    """What the tree of a column of scores is grown on."""
    pulls: Pulls = state["pulls"][column]
    return pulls if state["curved"] else pulls._replace(third=np.empty(0))


class Planted(NamedTuple):
    """The tree of a column of scores."""

    column: int
    grown: Grown

    def settle(self, rows: Partition, state: dict[str, Any]) -> None:
        """Note which leaf each row comes to, before another tree is begun."""
        room = state["leaf"].get(self.column)
        state["leaf"][self.column] = self.grown.leaves(rows, state, room)


@dataclass(frozen=True, eq=False)
class Plant:
    """Begin the tree of a further column of scores; or the first anew, for ``everyone``."""

    column: int
    last: Planted | None
    everyone: Aim | None

    def run(self, rows: Partition, state: dict[str, Any]) -> NodeSums:
        """The sums of the root."""
        if self.last is not None:
            self.last.settle(rows, state)
        elif self.everyone is not None:
            look_at_scores(rows, state, self.everyone, rows.weight, None)
        return plant(rows, state, pulls_of(state, self.column), 0)


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
        self.last: Planted | None = None
        self.values: list[np.ndarray] | None = None
        self.notes: list[tuple[float, float]] = []
        self.asked = 0

    def _aimed(self, t: int, more: bool = True) -> Begun:
        """Take the last round in, and note what it came to."""
        most, known = self.fitter.limits.leaves, (self.last, self.values)
        entry = Aimed(self.aim, self.start, most, *known, self.draw, self.seed, t, more)
        begun: Begun = self.waves.ask(entry)
        if self.last is not None:
            self.notes.append((float(begun.noted[0]), float(begun.noted[1])))
        self.asked, self.last, self.values = t, None, None
        return begun

    def _round(self, t: int) -> str | None:
        """A tree for each column of scores."""
        begun = self._aimed(t)
        end = self._grow(begun.root) if begun.noted[2] > 0.0 else STOP_REASONS[fm.VANISHED]
        if end is not None and self.draw.kind != rd.ALL_ROWS:
            end = self._grow(self.waves.ask(Plant(0, None, self.aim)))
        return end

    def _grow(self, root: NodeSums | None) -> str | None:
        """Grow the trees, the first from its root; why there are none, or None."""
        last, found = None, []
        for k in range(len(self.start)):
            if k:
                root = self.waves.ask(Plant(k, last, None))
            if root is None or not root.weight[0] > 0.0:
                return STOP_REASONS[fm.VANISHED]
            grown = self.grower.grow(root)
            grown.take_newton_steps()
            last = Planted(k, grown)
            found.append(grown.tree)
        if all(np.ptp(tree.value[tree.left < 0]) == 0.0 for tree in found):
            return STOP_REASONS[fm.NO_SPLIT]
        self.hypotheses.append(found)
        self.last, self.values = last, [self.vote * tree.value for tree in found]
        return None

    def since(self, start: int) -> Run:
        """The rounds from some round on; the last is taken in first, to know what it came to."""
        if len(self.notes) < len(self.hypotheses):
            self._aimed(self.asked + 1, more=False)
        flat = [one for found in self.hypotheses[start:] for one in found]
        errors, losses = np.array(self.notes[start:], float).reshape(-1, 2).T.copy()
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
