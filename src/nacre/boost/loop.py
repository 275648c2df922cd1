"""The boosting loop.

Here it is plain, for any weak learner and any parts, and short enough to read as the definition.
:mod:`nacre.boost.compiled` drives a compiled one for native stumps. Tests hold them equal. Either
can be stopped after any round and continued.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from nacre.boost.algorithm import Algorithm
from nacre.boost.cost import Pull
from nacre.boost.draw import drawn_weights
from nacre.boost.result import ROUNDS_DONE, Run, Steps
from nacre.boost.step import STOP_REASONS, Round
from nacre.boost.stopping import Watch, hits_by_each, watch_votes
from nacre.data import TrainingRows
from nacre.data.seeds import derive_seed
from nacre.kernels import formulas as fm
from nacre.kernels.weights import mark_said, move, weigh_misses
from nacre.learners.base import Fitter


class Boosting(ABC):
    """A run that can be stopped after any round and continued.

    A subclass takes one round, and says what it has noted. ``before`` is a run to continue.
    """

    def __init__(
        self, fitter: Any, training: TrainingRows, seed: int = 0, before: Run | None = None
    ) -> None:
        self.fitter, self.training, self.before = fitter, training, before
        self.seed = seed if before is None else before.seed
        self.known = 0 if before is None else len(before)
        self.end = before.stop_reason if before is not None and before.ended else None
        self.hypotheses: list[Any] = []

    @abstractmethod
    def _round(self, t: int) -> str | None:
        """Take round t = 1, 2, ...; note hypothesis and step, and return why it is the last."""

    @abstractmethod
    def since(self, start: int) -> Run:
        """The rounds from some round on, none of them from ``before``."""

    @abstractmethod
    def watch(self, held: TrainingRows, on: str) -> Watch:
        """Something that follows the run on other rows, by their "error" or their "loss"."""

    def advance(self, rounds: int) -> None:
        """Go on until there are so many rounds in all, or none is left to take."""
        while self.end is None and self.done < rounds:
            self.end = self._round(self.done + 1)

    @property
    def done(self) -> int:
        """How many rounds there are."""
        return self.known + len(self.hypotheses)

    def run(self) -> Run:
        """All that there is so far."""
        new = self.since(self.known)
        return new if self.before is None else self.before.joined(new)

    def _collect(self, start: int) -> Any:
        return self.fitter.collect(self.hypotheses[start - self.known :])


class Note(NamedTuple):
    """What is kept of a round of a voting booster."""

    error: float
    log_cost: float
    shrink: float
    vote: float
    drive: float
    state: np.ndarray
    carry: float | None = None


class VotingBoosting(Boosting):
    """A run whose hypotheses vote, and whose rounds are noted one by one."""

    def __init__(
        self, fitter: Any, training: TrainingRows, seed: int = 0, before: Run | None = None
    ) -> None:
        super().__init__(fitter, training, seed, before)
        self.notes: list[Note] = []
        self.state = np.empty(0)

    def since(self, start: int) -> Run:
        """The rounds from some round on, none of them from ``before``."""
        notes = self.notes[start - self.known :]
        columns = np.array([note[:5] for note in notes], float).reshape(-1, 5).T.copy()
        errors, log_costs, shrinks, votes, drives = columns
        carries = [note.carry for note in notes]
        carried = None if None in carries or not carries else np.array(carries, float)
        steps = Steps(shrinks, votes, drives, carried)
        states = np.array([note.state for note in notes]).reshape(len(notes), len(self.state))
        return Run(
            self._collect(start), steps.votes, errors, self.end or ROUNDS_DONE, self.seed,
            log_costs=log_costs, steps=steps, states=states,
        )  # fmt: skip


class PlainBoosting(VotingBoosting):
    """The plain loop."""

    def __init__(
        self,
        fitter: Fitter,
        training: TrainingRows,
        algorithm: Algorithm,
        rounds: int,
        seed: int = 0,
        noise: np.ndarray | None = None,
        before: Run | None = None,
    ) -> None:
        super().__init__(fitter, training, seed, before)
        self.algorithm = algorithm
        self.pull = algorithm.cost.ready(seed, noise)
        self.rules = algorithm.rules(training.n_classes, rounds)
        self.state, self.z = algorithm.step.start(), np.zeros(len(training.y))
        if before is not None:
            self.state = last_state(before, self.state)
            self.z = replayed(before, training, self.pull)

    def _round(self, t: int) -> str | None:
        """Weigh, draw, fit, step."""
        algorithm, s, z = self.algorithm, self.training.weight, self.z
        clock = algorithm.step.clock(t, self.state)
        w, log_cost = self.pull.weigh(z, s, clock)
        if log_cost == -np.inf:
            return STOP_REASONS[fm.VANISHED]
        for drawn in drawn_weights(algorithm.draw, self.training, w, self.seed, t):
            fitted = self.fitter.fit(drawn, derive_seed(self.seed, t))
            if fitted is not None:
                break
        else:
            return STOP_REASONS[fm.NO_SPLIT]
        hypothesis, said = fitted
        u = np.empty_like(z)
        mark_said(said, self.training.y, u)
        error, edge = weigh_misses(u, w, z)
        now = Round(t, error, edge, log_cost, clock, s, z, u, self.pull)
        shrink, vote, drive, end, kept, carry = algorithm.step.take(now, self.state, self.rules)
        if kept:
            move(z, u, shrink if carry is None else carry, drive)
            self.hypotheses.append(hypothesis)
            self.notes.append(Note(error, log_cost, shrink, vote, drive, self.state.copy(), carry))
        return end

    def watch(self, held: TrainingRows, on: str) -> Watch:
        """Follow the votes, or the cost."""
        return watch_votes(held, on, self.pull, self.algorithm.step)


def last_state(run: Run, start: np.ndarray) -> np.ndarray:
    """What a step remembers after a run; ``start`` is what it begins with."""
    return run.states[-1].copy() if run.states is not None and len(run) else start


def replayed(run: Run, training: TrainingRows, pull: Pull | None = None) -> np.ndarray:
    """The margins of the rows after a run; a ``pull`` that remembers sees those of each round."""
    z = np.zeros(len(training.y))
    assert run.steps is not None
    margins = run.steps.margins(hits_by_each(run.hypotheses, training), z)
    for _ in itertools.chain([z], margins):
        if pull is not None and pull.remembers:
            pull.weigh(z, training.weight, 1.0)
    return z
