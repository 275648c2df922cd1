"""The driver of the compiled loop, and the choice between the two loops."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from nacre.boost.algorithm import Algorithm, row_by_row
from nacre.boost.cost import CompiledPull
from nacre.boost.loop import Boosting, PlainBoosting, last_state, replayed
from nacre.boost.result import ROUNDS_DONE, Run, Steps
from nacre.boost.step import STOP_REASONS, Step
from nacre.boost.stopping import Watch, watch_votes
from nacre.data import TrainingRows
from nacre.kernels import exponential
from nacre.kernels import formulas as fm
from nacre.kernels import random as rd
from nacre.kernels import round_state as state
from nacre.kernels import rounds as kernel
from nacre.kernels import stump_search as search
from nacre.learners.base import Fitter
from nacre.learners.stump import StumpFitter

ROOM = 1024
"""Rounds that there is room for at first."""


def boosting(
    fitter: Fitter,
    training: TrainingRows,
    algorithm: Algorithm,
    rounds: int,
    seed: int = 0,
    noise: np.ndarray | None = None,
    before: Run | None = None,
) -> Boosting:
    """Begin to boost a prepared learner, or go on.

    Compiled where the learner is the native stump and all parts of the algorithm are compiled.
    ``rounds`` is how many there may be in all.
    """
    if isinstance(fitter, StumpFitter) and algorithm.compiled:
        recipe = algorithm.recipe(training.n_classes, rounds, seed, noise)
        return StumpBoosting(fitter, training, recipe, rounds, seed, before, algorithm.step)
    return PlainBoosting(fitter, training, algorithm, rounds, seed, noise, before)


def boost(
    fitter: Fitter,
    training: TrainingRows,
    algorithm: Algorithm,
    rounds: int,
    seed: int = 0,
    noise: np.ndarray | None = None,
) -> Run:
    """Boost a prepared learner.

    Parameters
    ----------
    fitter : a learner that has prepared the rows
    training : TrainingRows
    algorithm : Algorithm
    rounds : int
    seed : int, default=0
    noise : noise rates of the rows, optional
        With them the cost takes its noise-corrected form.

    Returns
    -------
    Run
        The hypotheses, their votes and why there are no more.
    """
    started = boosting(fitter, training, algorithm, rounds, seed, noise)
    started.advance(rounds)
    return started.run()


class StumpBoosting(Boosting):
    """The compiled loop, blocks of columns shared out among the fitter's threads."""

    def __init__(
        self,
        fitter: StumpFitter,
        training: TrainingRows,
        recipe: state.Recipe,
        rounds: int,
        seed: int = 0,
        before: Run | None = None,
        step: Step | None = None,
    ) -> None:
        super().__init__(fitter, training, seed, before)
        rows, self.step, self.pull = fitter.rows, step, CompiledPull(recipe.cost)
        if len(recipe.cost.noise):
            noise = recipe.cost.noise[rows.order]
            recipe = recipe._replace(cost=recipe.cost._replace(noise=noise))
        if fitter.exact is not None:
            recipe = row_by_row(recipe)
        self.recipe, self.most = recipe, rounds
        drawn = recipe.draw != rd.ALL_ROWS
        by = (training.units.key, training.units.copies) if drawn else ()
        self.work = fitter.work(recipe, *by)
        self.trace = fitter.trace(min(rounds, self.known + ROOM))
        self.work.clock[state.ROUND] = 1 + self.known
        if before is not None:
            self.work.state[:] = last_state(before, self.work.state)
            self.work.z[:] = replayed(before, training)[rows.order]

    def advance(self, rounds: int) -> None:
        """Go on until there are so many rounds in all, or none is left to take."""
        while self.end is None and self.done < rounds:
            self._advance(min(rounds, self._room()))

    def _room(self) -> int:
        """How many rounds the trace has room for: twice as many as before, where it is full."""
        full = len(self.trace.stump)
        if self.done == full:
            wider = self.fitter.trace(min(2 * full, self.most) if self.most > full else 2 * full)
            for old, new in zip(self.trace, wider, strict=True):
                new[: len(old)] = old
            self.trace = wider
        return len(self.trace.stump)

    def _advance(self, rounds: int) -> None:
        rows, blocks = self.fitter.rows, len(self.fitter.rows.words)
        workers = min(self.fitter.workers, blocks)
        if workers > 1:
            begun = self.work.clock[state.BEGUN]
            if not begun and not kernel.start(rows, self.recipe, self.work):
                self.end = STOP_REASONS[fm.VANISHED]
                return
            own, *others = pairwise(np.linspace(0, blocks, workers + 1).astype(int).tolist())
            with ThreadPoolExecutor(workers - 1) as self.pool:
                self.own, self.others = own, others
                super().advance(rounds)
        else:
            end = kernel.run_rounds(rows, self.recipe, self.work, self.trace, rounds)
            self.end = STOP_REASONS.get(end)

    def _round(self, t: int) -> str | None:
        """Have the threads scan their blocks, take the step, have them move their pieces."""
        rows, work, trace = self.fitter.rows, self.work, self.trace
        self._share_out(search.scan_blocks, (rows, work), [self.own, *self.others])
        end = kernel.step_round(rows, self.recipe, work, trace)
        if work.clock[state.MOVING]:
            pieces = range(len(work.grown))
            self._share_out(exponential.move_piece, (rows, work, trace), [(k,) for k in pieces])
            exponential.end_move(rows, work, trace)
        return STOP_REASONS.get(end)

    def _share_out(self, task: Any, fixed: tuple[Any, ...], parts: list[tuple[int, ...]]) -> None:
        """Have the threads do the parts of a task, each of them some."""
        threads = len(self.others) + 1

        def do(first: int) -> None:
            for part in parts[first::threads]:
                task(*fixed, *part)

        shares = [self.pool.submit(do, k) for k in range(1, threads)]
        do(0)
        for share in shares:
            share.result()

    def watch(self, held: TrainingRows, on: str) -> Watch:
        """Follow the votes, or the cost."""
        assert self.step is not None
        return watch_votes(held, on, self.pull, self.step)

    @property
    def done(self) -> int:
        """How many rounds there are."""
        return int(self.work.clock[state.ROUND]) - 1

    def since(self, start: int) -> Run:
        """The rounds from some round on, none of them from ``before``."""
        stop = self.done
        columns: Any = self.trace.numbers[start:stop].T.copy()
        steps = Steps(*columns[[state.SHRINK, state.VOTE, state.DRIVE]])
        return Run(
            self.fitter.stumps(self.trace, start, stop),
            steps.votes,
            columns[state.ERROR],
            self.end or ROUNDS_DONE,
            self.seed,
            log_costs=columns[state.LOG_COST],
            steps=steps,
            states=columns[[state.STATE]].T.copy(),
        )

    def run(self) -> Run:
        """All that there is so far."""
        if self.end == STOP_REASONS[fm.VANISHED] and self.done == self.most:
            self.end = None  # nobody asked for the round that has no weights
        return super().run()
