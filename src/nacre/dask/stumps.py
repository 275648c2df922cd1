"""Rounds of stumps over partitions: histograms of all partitions, one decision, one step for all.

A round asks once: the step of the round before is applied, and the weights are added up. What the
best stump gets wrong follows from the histograms, unless rows were drawn (then histograms are of
the rows that were), or hardly any weight is wrong (then sums of differences are not exact enough).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nacre.boost.step import STOP_REASONS
from nacre.dask.partition import Partition
from nacre.dask.rounds import PartitionedVoting, Sums, flipped_back
from nacre.kernels import exponential
from nacre.kernels import formulas as fm
from nacre.kernels import random as rd
from nacre.kernels import rounds as kernel
from nacre.kernels import stump_search as search
from nacre.kernels.binning import WIDTH
from nacre.kernels.round_state import COUNTED, FEATURE, ROUND, Recipe
from nacre.learners.stump import StumpFitter


@dataclass(frozen=True, eq=False)
class Begin:
    """Weigh the rows before the first round."""

    recipe: Recipe
    rates: tuple[float, float] | None  # noise rates of trusted rows and of the others

    def run(self, rows: Partition, state: dict[str, Any]) -> Sums:
        """Set everything up; return the first histograms."""
        recipe = self.recipe
        if self.rates is not None:
            noise = np.where(rows.clean, *self.rates)
            recipe = recipe._replace(cost=recipe.cost._replace(noise=noise))
        fitter = StumpFitter.of_bins(rows.bins, rows.y, rows.weight, rows.n_classes, rows.share)
        keys = None if recipe.draw == rd.ALL_ROWS else rows.key
        state["fitter"], state["recipe"] = fitter, recipe
        work = state["work"] = fitter.work(recipe, keys)
        work.clock[ROUND] = 1
        (kernel.start if recipe.incremental else kernel.reweigh)(fitter.rows, recipe, work)
        return add_up(state)


@dataclass(frozen=True, eq=False)
class Step:
    """Move the margins by a stump, and weigh anew."""

    stump: np.ndarray
    said: np.ndarray
    shrink: float
    drive: float
    log_cost: float

    def run(self, rows: Partition, state: dict[str, Any]) -> Sums:
        """Apply the step; return the histograms of the next round."""
        fitter, recipe, work = state["fitter"], state["recipe"], state["work"]
        work.said[:] = self.said
        if not recipe.incremental:
            kernel.sum_rows(fitter.rows, recipe, work, self.stump)  # which marks the hits
        work.clock[ROUND] += 1
        kernel.apply_step(
            fitter.rows, recipe, work, self.stump, self.shrink, self.drive, self.log_cost
        )
        return add_up(state)


@dataclass(frozen=True, eq=False)
class TakeAll:
    """Have all rows count in a round in which none was drawn."""

    def run(self, rows: Partition, state: dict[str, Any]) -> Sums:
        """The histograms of all rows."""
        kernel.take_all_if_none(state["recipe"], state["work"])
        return add_up(state)


@dataclass(frozen=True, eq=False)
class Misses:
    """Add up row by row what a stump gets wrong."""

    stump: np.ndarray
    said: np.ndarray

    def run(self, rows: Partition, state: dict[str, Any]) -> Sums:
        """The weight of its misses, and all else that is added up row by row."""
        fitter, recipe, work = state["fitter"], state["recipe"], state["work"]
        work.said[:] = self.said
        found = kernel.sum_rows(fitter.rows, recipe, work, self.stump)
        return Sums(found.log_scale, 0.0, 0.0, found.weight, found.edge, found.wrong, 0.0, 0.0)


def add_up(state: dict[str, Any]) -> Sums:
    """Read the rows that have changed, and bring what they add up to to one unit."""
    fitter, recipe, work = state["fitter"], state["recipe"], state["work"]
    search.scan_blocks(fitter.rows, work, 0, len(fitter.rows.words))
    work.clock[COUNTED] = 1
    edge = back = whole = 0.0
    unit = kernel.log_scale(work)
    if recipe.incremental:
        weight = float(work.mass.sum())
    else:
        weight, edge = float(work.w.sum()), float(work.w @ work.z)
    if recipe.step.kind == fm.CORE and len(recipe.cost.noise):
        back, whole = flipped_back(recipe.cost, work.z, fitter.rows.s, unit)
    hist = work.hist * work.gain[:, None]
    return Sums(unit, hist, work.mass.copy(), weight, edge, 0.0, back, whole)


class PartitionedStumps(PartitionedVoting):
    """Rounds of stumps: the votes are those of the compiled loop, up to rounding."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.work = self.fitter.work(self.recipe, np.empty(0, np.uint64))
        self.trace = self.fitter.trace(1)
        self.next: Any = Begin(self.recipe, self.rates)

    def _round(self, t: int) -> str | None:
        """Ask for the histograms, choose the stump, find out what it gets wrong, step."""
        sums = self.waves.ask(self.next)
        if sums is None or sums.weight <= 0.0 or sums.unit == -np.inf:
            return STOP_REASONS[fm.VANISHED]
        if not sums.mass.sum() > 0.0:
            sums = self.waves.ask(TakeAll())
        self.work.hist[:], self.work.mass[:] = sums.hist, sums.mass
        search.find_edges(self.fitter.rows, self.work)
        if not search.best_stump(self.fitter.rows, self.work, self.trace, 0):
            return STOP_REASONS[fm.NO_SPLIT]
        stump, said = self.trace.stump[0].copy(), self.work.said.copy()
        wrong = self._wrong(stump, said, sums)
        now = fm.Round(
            t, wrong / sums.weight, sums.edge / sums.weight, sums.unit + np.log(sums.weight)
        )
        end = self._step(now, sums, self.fitter.stumps(self.trace, 0, 1))
        shrink, drive = self.moved
        self.next = Step(stump, said, shrink, drive, now.log_cost)
        return end

    def _wrong(self, stump: np.ndarray, said: np.ndarray, sums: Sums) -> float:
        """The weight that a stump gets wrong: by the bins of its column, or row by row."""
        if self.recipe.draw == rd.ALL_ROWS:
            block, lane = divmod(int(stump[FEATURE]), WIDTH)
            by_bin = self.work.hist[block, :, lane::WIDTH]
            wrong = by_bin[said != np.arange(len(by_bin))[:, None]].sum()
            if wrong > exponential.SMALL_ERROR * sums.weight:
                return float(wrong)
        found = self.waves.ask(Misses(stump, said))
        return float(found.wrong * np.exp(found.unit - sums.unit))
