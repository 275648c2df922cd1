"""What voting rounds share over partitions: sums in one unit, and the step from them."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from nacre.boost.algorithm import Algorithm
from nacre.boost.cost import CompiledPull
from nacre.boost.loop import Note, VotingBoosting
from nacre.boost.step import KEPT, STOP_REASONS
from nacre.boost.stopping import Watch, watch_votes
from nacre.dask.waves import HeldOut, Waves
from nacre.data import TrainingRows
from nacre.kernels import formulas as fm

NOBODY = fm.Margins(np.empty(0), np.empty(0), np.empty(0))


class Sums(NamedTuple):
    """What the weights of some rows add up to, in units of exp(``unit``).

    Attributes
    ----------
    unit : float
    hist : float64 array of shape (blocks, classes, SIZE), weights drawn by class and bin
    mass : float64 array, weights drawn by class
    weight, edge : the weight of all rows, drawn or not, and the weighted sum of their margins
    wrong : the weight that a stump gets wrong, where one was asked about
    back, whole : of Core AdaBoost, the weight that stands for labels flipped back, and all of it
    """

    unit: float
    hist: Any
    mass: Any
    weight: float
    edge: float
    wrong: float
    back: float
    whole: float

    def __add__(self, other: Any) -> Sums:
        low, high = (self, other) if self.unit <= other.unit else (other, self)
        if high.unit == -np.inf:
            return self
        factor = np.exp(low.unit - high.unit)
        sums = [factor * one for one in low[1:]]
        for k, two in enumerate(high[1:]):
            sums[k] += two  # in place: fresh memory of histograms costs more than adding them
        return Sums(high.unit, *sums)


def flipped_back(
    cost: fm.CostNumbers, z: np.ndarray, s: np.ndarray, unit: float
) -> tuple[float, float]:
    """Of Core AdaBoost: the weight that stands for labels flipped back, and all of it."""
    top, back, whole = fm.core_sums(cost.kind, cost.slope, cost.noise, z, s)
    return float(np.exp(top - unit) * back), float(np.exp(top - unit) * whole)


class PartitionedVoting(VotingBoosting):
    """A voting run over partitions; ``fitter`` and ``training`` have no rows of their own.

    Parameters
    ----------
    waves : the partitions
    fitter, training : of no rows
    algorithm : Algorithm
    rounds, seed : int
    rates : noise rates of trusted rows and of the others, where the cost is corrected for noise
    """

    def __init__(
        self,
        waves: Waves,
        fitter: Any,
        training: TrainingRows,
        algorithm: Algorithm,
        rounds: int,
        seed: int,
        rates: tuple[float, float] | None,
    ) -> None:
        super().__init__(fitter, training, seed)
        self.waves, self.algorithm, self.rates = waves, algorithm, rates
        noise = None if rates is None else np.empty(0)
        self.recipe = algorithm.recipe(training.n_classes, rounds, seed, noise)
        self.state = np.zeros(1)
        self.moved = 1.0, 0.0  # by what the last step shrinks and drives margins

    def _step(self, now: fm.Round, sums: Sums, hypothesis: Any) -> str | None:
        """Take a step, and note it; why the round is the last one, or None."""
        recipe, state = self.recipe, self.state
        if recipe.step.kind == fm.CORE and sums.whole > 0.0:
            correction = sums.back / sums.whole
            shrink, vote, drive, end = fm.take_step(recipe.step, now, correction, 0.0, state)
        else:
            shrink, vote, drive, end = fm.judge(recipe.cost, recipe.step, now, NOBODY, state)
        if end in KEPT:
            self.hypotheses.append(hypothesis)
            self.notes.append(Note(now.error, now.log_cost, shrink, vote, drive, state.copy()))
            self.moved = shrink, drive
        return STOP_REASONS.get(end)

    def watch(self, held: Any, on: str) -> Watch:
        """Follow the run on the rows that the partitions hold out."""
        pull = CompiledPull(self.recipe.cost)
        return HeldOut(self.waves, partial(watch_votes, on=on, pull=pull, step=self.algorithm.step))
