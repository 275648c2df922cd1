"""Rounds of voting trees over partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nacre.boost.draw import Draw
from nacre.boost.step import STOP_REASONS
from nacre.dask.partition import Partition
from nacre.dask.rounds import PartitionedVoting, Sums, flipped_back
from nacre.dask.trees import Grower, Grown, NodeSums, Pulls, plant
from nacre.kernels import formulas as fm
from nacre.kernels import random as rd
from nacre.kernels.weights import mark_said, move, weigh, weigh_misses


@dataclass(frozen=True, eq=False)
class Weigh:
    """Move the margins by the last tree, if there is one, and weigh the rows."""

    recipe: Any
    rates: tuple[float, float] | None
    leaves: int
    clock: float
    last: tuple[float, float] | None  # shrink and drive

    def run(self, rows: Partition, state: dict[str, Any]) -> Sums:
        """The weight of the rows, in units of the largest pull."""
        cost = self.recipe.cost
        if self.last is None:
            state["leaves"], state["z"] = self.leaves, np.zeros(len(rows))
        else:
            move(state["z"], state["u"], *self.last)
        if self.rates is not None:
            cost = cost._replace(noise=np.where(rows.clean, *self.rates))
        z, w = state["z"], np.empty(len(rows))
        top = weigh(cost, self.clock, rows.weight, z, w)
        state["w"], state["top"] = w, top
        back = whole = 0.0
        if self.recipe.step.kind == fm.CORE and self.rates is not None:
            back, whole = flipped_back(cost, z, rows.weight, top)
        return Sums(top, 0.0, 0.0, float(w.sum()), float(w @ z), 0.0, back, whole)


def drawn(rows: Partition, weight: np.ndarray, draw: Draw, seed: int, t: int) -> np.ndarray:
    """Weights times how often rows are drawn."""
    if draw.kind == rd.ALL_ROWS:
        return weight
    times, single = np.empty(len(rows)), np.ones(len(rows), np.int64)
    rd.draw_rows(rows.key, single, np.uint64(seed), t, draw.kind, draw.share, times)
    return weight * times


@dataclass(frozen=True, eq=False)
class Root:
    """Begin a tree on the rows that are drawn; ``log_cost`` is the log of the mean pull."""

    log_cost: float
    draw: Draw
    seed: int
    t: int
    everyone: bool

    def run(self, rows: Partition, state: dict[str, Any]) -> NodeSums:
        """The sums of the root."""
        state["own"] = state["w"] * np.exp(state["top"] - self.log_cost)
        own = state["own"]
        some = own if self.everyone else drawn(rows, own, self.draw, self.seed, self.t)
        return plant(rows, state, Pulls(some, np.empty(0), np.empty(0)), rows.n_classes)


@dataclass(frozen=True, eq=False)
class Said:
    """Find out which rows a tree gets wrong."""

    grown: Grown

    def run(self, rows: Partition, state: dict[str, Any]) -> np.ndarray:
        """The weight of its misses, and the weighted sum of the margins."""
        said = self.grown.tree.value[self.grown.leaves(rows, state)].astype(np.int64)
        u = state["u"] = np.empty(len(rows))
        mark_said(said, rows.y, u)
        return np.array(weigh_misses(u, state["own"], state["z"]))


class PartitionedTrees(PartitionedVoting):
    """Rounds of trees: the votes are those of the plain loop, up to rounding."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        fitter = self.fitter
        self.grower = Grower(fitter.bins, fitter.share, fitter.n_classes, fitter.limits, self.waves)
        self.last: tuple[float, float] | None = None

    def _round(self, t: int) -> str | None:
        """Weigh, grow, find out what the tree gets wrong, step."""
        step, ask = self.recipe.step, self.waves.ask
        clock = fm.clock(step.kind, step.b, t)
        sums = ask(Weigh(self.recipe, self.rates, self.fitter.limits.leaves, clock, self.last))
        if sums is None or not sums.weight > 0.0:
            return STOP_REASONS[fm.VANISHED]
        log_cost = sums.unit + float(np.log(sums.weight))
        draw = self.algorithm.draw
        for everyone in (True,) if draw.kind == rd.ALL_ROWS else (False, True):
            grown = self.grower.grow(ask(Root(log_cost, draw, self.seed, t, everyone)))
            if len(grown.tree) > 1:
                break
        else:
            return STOP_REASONS[fm.NO_SPLIT]
        wrong, edge = ask(Said(grown)).tolist()
        end = self._step(fm.Round(t, wrong, edge, log_cost), sums, grown.tree)
        self.last = self.moved
        return end
