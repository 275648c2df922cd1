"""The boosting loop.

Twice: a plain one for any weak learner, short enough to read as the definition, and a driver of
the compiled one for native stumps. Both use the same compiled formulas; tests hold them equal.
Either can be stopped after any round and continued.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from nacre.boost.algorithm import STOP_REASONS, Algorithm, row_by_row
from nacre.data import TrainingRows
from nacre.data.check import check_form, check_whole
from nacre.data.storable import storable
from nacre.kernels import formulas as fm
from nacre.kernels import rounds as kernel
from nacre.kernels.random import draw_rows
from nacre.kernels.rounds import DRIVE, ERROR, LOG_COST, MEMORY, SHRINK, VOTE
from nacre.kernels.weights import mark_said, weigh, weigh_misses
from nacre.learners.base import Fitter
from nacre.learners.stump import StumpFitter, Stumps

KEPT = (fm.GO, fm.PERFECT)
EARLY = "no better on held-out rows"
COLUMNS = 6
"""Of a trace: ERROR, LOG_COST, SHRINK, VOTE, DRIVE, MEMORY."""

TIE = 1e-13
"""Votes closer than this share of all votes are equal but for rounding."""


@storable
@dataclass(frozen=True)
class Run:
    """What boosting leaves behind, and what it takes to go on.

    Attributes
    ----------
    hypotheses : sequence of the weak hypotheses kept
    trace : array of shape (rounds, 6)
        A row for each round: the weighted error, the log of the mean pull before it (of the cost
        itself where that is exponential), the step (shrink, vote, drive) and its running sum.
    stop_reason : why there are no more
    seed, state : of the random draws
    """

    hypotheses: Any
    trace: np.ndarray
    stop_reason: str
    seed: int = 0
    state: int = 0

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        check_form(self.trace, "trace", np.float64, (len(self.hypotheses), COLUMNS))
        for name in ("seed", "state"):
            check_whole(getattr(self, name), name, 0)
            if getattr(self, name) >= 2**64:
                raise ValueError(f"{name} must be below 2**64.")
        if not isinstance(self.stop_reason, str):
            raise ValueError("stop_reason must be text.")

    def __len__(self) -> int:
        return len(self.trace)

    @property
    def votes(self) -> np.ndarray:
        """Votes in the final ensemble: each times the shrinks of all later rounds."""
        return final_votes(self.trace[:, SHRINK], self.trace[:, VOTE])

    @property
    def errors(self) -> np.ndarray:
        """Weighted errors of the hypotheses in their rounds."""
        return self.trace[:, ERROR]

    @property
    def log_costs(self) -> np.ndarray:
        """Log of the mean pull before each round, the cost itself where it is exponential."""
        return self.trace[:, LOG_COST]

    def first(self, count: int, stop_reason: str) -> Run:
        """The run as it was after some rounds. Random draws go on from where they are."""
        return replace(
            self,
            hypotheses=self.hypotheses.first(count),
            trace=self.trace[:count],
            stop_reason=stop_reason,
        )


class Boosting(ABC):
    """A run that can be stopped after any round and continued.

    A subclass takes one round. ``before`` is a run to continue.
    """

    def __init__(
        self, fitter: Any, training: TrainingRows, seed: int = 0, before: Run | None = None
    ) -> None:
        self.fitter, self.training, self.before = fitter, training, before
        self.seed = seed if before is None else before.seed
        self.state = np.array([self.seed if before is None else before.state], np.uint64)
        self.memory = np.zeros(1)
        if before is not None and len(before):
            self.memory[0] = before.trace[-1, MEMORY]
        self.end = fm.GO if before is None else code_of(before.stop_reason)
        self.known = 0 if before is None else len(before)
        self.hypotheses: list[Any] = []
        self.trace: list[tuple[float, ...]] = []

    @abstractmethod
    def _round(self, t: int) -> int:
        """Take round t = 1, 2, ...; note hypothesis and step, and return how it ends."""

    def advance(self, rounds: int) -> None:
        """Go on until there are so many rounds in all, or none is left to take."""
        while self.end == fm.GO and self.done < rounds:
            self.end = self._round(self.done + 1)

    @property
    def done(self) -> int:
        """How many rounds there are."""
        return self.known + len(self.trace)

    def since(self, start: int) -> Any:
        """The hypotheses from some round on, none of them from ``before``."""
        return self.fitter.collect(self.hypotheses[start - self.known :])

    @property
    def steps(self) -> np.ndarray:
        """The trace so far, a row for each round."""
        new = np.array(self.trace).reshape(-1, COLUMNS)
        return new if self.before is None else np.concatenate([self.before.trace, new])

    @abstractmethod
    def watch(self, held: TrainingRows, on: str) -> Watch:
        """Something that follows the run on other rows, by their "error" or their "loss"."""

    def run(self) -> Run:
        """All that there is so far."""
        new = self.since(self.known)
        return Run(
            new if self.before is None else self.before.hypotheses.joined(new),
            self.steps,
            STOP_REASONS[self.end],
            self.seed,
            self.drawn(),
        )

    def drawn(self) -> int:
        """The state of the random draws before the next round."""
        return int(self.state[0])


class Watch(Protocol):
    """Follows a run on rows that it is not fitted to."""

    def see(self, hypotheses: Any, steps: np.ndarray) -> list[float]:
        """Take in more rounds; return the error or loss after each."""
        ...


class VoteWatch:
    """The weighted error of the votes on other rows, or their mean cost."""

    def __init__(self, held: TrainingRows, on: str, recipe: kernel.Recipe) -> None:
        self.held, self.on, self.recipe = held, on, recipe
        n = len(held.y)
        self.rows, self.t = np.arange(n), 0
        self.totals, self.votes = np.zeros((n, held.n_classes)), 0.0
        self.z, self.u = np.zeros(n), np.empty(n)

    def see(self, hypotheses: Any, steps: np.ndarray) -> list[float]:
        """Take in more rounds; return the error or loss after each."""
        held, recipe, losses = self.held, self.recipe, []
        for said, (shrink, vote, drive) in zip(
            hypotheses.said_by_each(held.X), steps[:, [SHRINK, VOTE, DRIVE]], strict=True
        ):
            self.t += 1
            if self.on == "error":
                self.totals *= shrink
                self.totals[self.rows, said] += vote
                self.votes = shrink * self.votes + abs(vote)
                wrong = first_of_most(self.totals, self.votes) != held.y
                losses.append(float(held.weight[wrong].sum()))
            else:
                mark_said(said, held.y, self.u)
                self.z *= shrink
                self.z += drive * self.u
                slope = fm.cost_slope(recipe.slope, recipe.step, recipe.b, self.t)
                losses.append(fm.mean_cost(recipe.cost, slope, held.weight, self.z))
        return losses


def first_of_most(totals: np.ndarray, votes: float) -> np.ndarray:
    """The class of the most votes for each row, the first of those that are equal but for rounding.

    ``votes`` is their number in all.
    """
    top = totals.max(axis=1, keepdims=True)
    return np.asarray(np.argmax(totals >= top - TIE * votes, axis=1))


def boost_watched(
    started: Boosting, rounds: int, watch: Watch, patience: int
) -> tuple[Run, np.ndarray]:
    """Boost until held-out rows have not done better for ``patience`` rounds; keep the best round.

    Returns the run and the error or loss after each round. Rounds are taken ``patience`` at a time;
    what comes after the one to stop at is dropped.
    """
    losses: list[float] = []
    if started.before is not None:
        losses += watch.see(started.before.hypotheses, started.before.trace)
    while True:
        best, stop = best_round(losses, patience)
        if stop is not None or started.end != fm.GO or started.done >= rounds:
            break
        done = started.done
        started.advance(min(done + patience, rounds))
        losses += watch.see(started.since(done), started.steps[done:])
    run = started.run()
    if best < len(run):
        run = run.first(best, EARLY)
    return run, np.array(losses[:stop])


def best_round(losses: list[float], patience: int) -> tuple[int, int | None]:
    """How many rounds are best, and after how many that is settled; None where it is not."""
    best = 0
    for t, loss in enumerate(losses, 1):
        if best == 0 or loss < losses[best - 1]:
            best = t
        if t - best >= patience:
            return best, t
    return best, None


def boosting(
    fitter: Fitter,
    training: TrainingRows,
    algorithm: Algorithm,
    rounds: int,
    seed: int = 0,
    noise: np.ndarray | None = None,
    before: Run | None = None,
) -> Boosting:
    """Begin to boost a prepared learner, or go on; compiled where it is the native stump.

    ``rounds`` is how many there may be in all.
    """
    recipe = algorithm.recipe(training.n_classes, rounds, seed, noise)
    if isinstance(fitter, StumpFitter):
        return StumpBoosting(fitter, training, recipe, rounds, seed, before)
    return PlainBoosting(fitter, training, recipe, seed, before)


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


class PlainBoosting(Boosting):
    """The plain loop."""

    def __init__(
        self,
        fitter: Fitter,
        training: TrainingRows,
        recipe: kernel.Recipe,
        seed: int = 0,
        before: Run | None = None,
    ) -> None:
        super().__init__(fitter, training, seed, before)
        n = len(training.y)
        self.recipe = recipe
        self.z = np.zeros(n) if before is None else replay(before, training)
        self.w, self.u, self.times = np.empty(n), np.empty(n), np.ones(n, np.int32)

    def _round(self, t: int) -> int:
        """Weigh, draw, fit, step."""
        recipe, s, z, w, u = self.recipe, self.training.weight, self.z, self.w, self.u
        slope = fm.cost_slope(recipe.slope, recipe.step, recipe.b, t)
        top = weigh(recipe.cost, slope, recipe.noise, recipe.draws, recipe.sums, s, z, w)
        if top == -np.inf:
            return fm.VANISHED
        log_cost = top + np.log(w.sum())
        w /= w.sum()
        draw_rows(self.state, recipe.draw, recipe.share, self.times)
        drawn = w * self.times
        fitted = self.fitter.fit(drawn if drawn.any() else w, self.seed + t)
        if fitted is None:
            return fm.NO_SPLIT
        hypothesis, said = fitted
        mark_said(said, self.training.y, u)
        error, ahead = weigh_misses(u, w, z)
        shrink, vote, drive, end = kernel.judge(
            recipe, t, error, ahead, log_cost, s, z, u, self.memory
        )
        if end in KEPT:
            z *= shrink
            z += drive * u
            self.hypotheses.append(hypothesis)
            self.trace.append((error, log_cost, shrink, vote, drive, self.memory[0]))
        return int(end)

    def watch(self, held: TrainingRows, on: str) -> Watch:
        """Follow the votes, or the cost."""
        return VoteWatch(held, on, self.recipe)


class StumpBoosting(Boosting):
    """The compiled loop, blocks of columns shared out among the fitter's threads."""

    def __init__(
        self,
        fitter: StumpFitter,
        training: TrainingRows,
        recipe: kernel.Recipe,
        rounds: int,
        seed: int = 0,
        before: Run | None = None,
    ) -> None:
        super().__init__(fitter, training, seed, before)
        rows = fitter.rows
        if len(recipe.noise):
            recipe = recipe._replace(noise=recipe.noise[rows.order])
        if len(rows.mixed):
            recipe = row_by_row(recipe)
        self.recipe, self.most = recipe, rounds
        self.state = np.repeat(self.state, 2)
        self.work = fitter.work(recipe)._replace(state=self.state, memory=self.memory)
        self.numbers = fitter.trace(rounds)
        self.work.clock[kernel.ROUND] = 1 + self.known
        if before is not None:
            self.work.z[:] = replay(before, training)[rows.order]
        if self.end == fm.GO and not kernel.start(rows, recipe, self.work):
            self.end = fm.VANISHED

    def advance(self, rounds: int) -> None:
        """Go on until there are so many rounds in all, or none is left to take."""
        rows, blocks = self.fitter.rows, len(self.fitter.rows.words)
        workers = min(self.fitter.workers, blocks)
        if workers > 1:
            own, *others = pairwise(np.linspace(0, blocks, workers + 1).astype(int).tolist())
            with ThreadPoolExecutor(workers - 1) as self.pool:
                self.own, self.others = own, others
                super().advance(rounds)
        elif self.end == fm.GO:
            self.end = kernel.run_rounds(rows, self.recipe, self.work, self.numbers, rounds)

    def _round(self, t: int) -> int:
        """Have the threads scan their blocks, then take the step."""
        rows, work = self.fitter.rows, self.work
        shares = [self.pool.submit(kernel.scan_blocks, rows, work, *other) for other in self.others]
        kernel.scan_blocks(rows, work, *self.own)
        for share in shares:
            share.result()
        return int(kernel.finish_round(rows, self.recipe, work, self.numbers))

    def watch(self, held: TrainingRows, on: str) -> Watch:
        """Follow the votes, or the cost."""
        return VoteWatch(held, on, self.recipe)

    @property
    def done(self) -> int:
        """How many rounds there are."""
        return int(self.work.clock[kernel.ROUND]) - 1

    def since(self, start: int) -> Stumps:
        """The stumps from some round on, none of them from ``before``."""
        return self.fitter.stumps(self.numbers, start, self.done)

    @property
    def steps(self) -> np.ndarray:
        """The trace so far, a row for each round."""
        steps = self.numbers.numbers[: self.done, :COLUMNS].copy()
        steps[: self.known] = steps[:0] if self.before is None else self.before.trace
        return steps

    def drawn(self) -> int:
        """The state of the random draws before the next round, whose rows are already drawn."""
        return int(self.state[1])

    def run(self) -> Run:
        """All that there is so far."""
        if self.end == fm.VANISHED and self.done == self.most:
            self.end = fm.GO  # nobody asked for the round that has no weights
        return super().run()


def final_votes(shrinks: np.ndarray, votes: np.ndarray) -> np.ndarray:
    """Each vote times the shrinks of all later rounds."""
    later = np.append(np.cumprod(shrinks[:0:-1])[::-1], 1.0)
    return votes * later[len(later) - len(votes) :]


def replay(run: Run, training: TrainingRows) -> np.ndarray:
    """The margins of the rows after a run."""
    z, u = np.zeros(len(training.y)), np.empty(len(training.y))
    for said, (shrink, drive) in zip(
        run.hypotheses.said_by_each(training.X), run.trace[:, [SHRINK, DRIVE]], strict=True
    ):
        mark_said(said, training.y, u)
        z *= shrink
        z += drive * u
    return z


def code_of(stop_reason: str) -> int:
    """How a run ended, as a number; stopping early is no end."""
    for code, reason in STOP_REASONS.items():
        if reason == stop_reason:
            return code
    return fm.GO
