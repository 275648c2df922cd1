"""How far to go along a hypothesis: F <- shrink * F + vote * h, z <- shrink * z + drive * u.

The formulas of the steps here are compiled (:mod:`nacre.kernels.formulas`); A stands for
1/2 log((1 - err) / err). A :class:`CustomStep` is one of your own, in plain Python.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from nacre.boost.cost import NONE, Pull
from nacre.data.storable import storable
from nacre.kernels import formulas as fm

STOP_REASONS = {
    fm.CHANCE: "no better than chance",
    fm.PERFECT: "perfect",
    fm.NO_DESCENT: "no descent",
    fm.VANISHED: "weights vanished",
    fm.UNDEFINED: "step undefined",
    fm.NO_SPLIT: "nothing to learn",
}
"""How a round may end, but for those that go on."""

KEPT = (fm.GO, fm.PERFECT)
"""Ends of rounds whose hypothesis is kept."""

NO_COST = fm.CostNumbers(fm.EXPONENTIAL, 1.0, NONE, NONE, NONE)


class Round(NamedTuple):
    """What a step gets to see of a round.

    Attributes
    ----------
    t : int
        1, 2, ...
    error : float
        The weighted error of the hypothesis.
    edge : float
        The edge of the ensemble so far: the weighted mean of its margins.
    log_cost : float
        The log of the mean pull, which is the cost itself where that is exponential.
    clock : float
        What the step said the time is, before the round.
    s, z, u : arrays of shape (n,)
        Sample weights (sum 1), margins before the step, and hits: +1 or -1.
    pull : the cost
    """

    t: int
    error: float
    edge: float
    log_cost: float
    clock: float
    s: np.ndarray
    z: np.ndarray
    u: np.ndarray
    pull: Pull


class Rules(NamedTuple):
    """What an algorithm says about its steps.

    Attributes
    ----------
    n_classes, rounds : int
        Of the run; the latter is how many there may be.
    learning_rate : float
    extra : float
        1/2 log(K - 1) for SAMME, else 0: what is added to half log-odds.
    limit : float
        The error of chance.
    stops : bool
        Whether to stop where a step no longer descends.
    """

    n_classes: int
    rounds: int
    learning_rate: float = 1.0
    extra: float = 0.0
    limit: float = 0.5
    stops: bool = True


class Move(NamedTuple):
    """What a round does: F <- shrink F + vote h, z <- carry z + drive u.

    ``end`` is why the round is the last one, None where it is not; ``kept`` whether its hypothesis
    counts. ``carry`` is None where it is ``shrink``, as it is of all but steps of your own.
    """

    shrink: float = 1.0
    vote: float = 0.0
    drive: float = 0.0
    end: str | None = None
    kept: bool = True
    carry: float | None = None


class Step(Protocol):
    """How far to go along a hypothesis.

    ``logistic`` says whether votes are on the scale of half log-odds, so that probabilities follow
    without further fitting.
    """

    logistic: ClassVar[bool]

    def start(self) -> np.ndarray:
        """What the step remembers before the first round: as many numbers as it likes."""
        ...

    def clock(self, t: int, state: np.ndarray) -> float:
        """The time in round t, which the cost may depend on.

        ``state`` is that before the round or, where held-out rows are judged, after it.
        """
        ...

    def take(self, now: Round, state: np.ndarray, rules: Rules) -> Move:
        """Take a step, and change ``state`` to what is to be remembered."""
        ...


class CustomStep(ABC):
    """A step of your own: subclasses say how far to go.

    Best as a frozen dataclass, so that it prints itself and compares. Runs with it take the plain
    loop, whatever the learner.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from nacre.boost import CustomStep, Move
    >>> @dataclass(frozen=True)
    ... class Constant(CustomStep):
    ...     vote: float = 0.1
    ...
    ...     def take(self, now, state, rules):
    ...         if now.error >= rules.limit:
    ...             return Move(end="no better than chance", kept=False)
    ...         return Move(vote=self.vote, drive=self.vote)
    """

    logistic: ClassVar[bool] = False

    def start(self) -> np.ndarray:
        """Nothing to remember."""
        return np.empty(0)

    def clock(self, t: int, state: np.ndarray) -> float:
        """Time stands still."""
        return 1.0

    @abstractmethod
    def take(self, now: Round, state: np.ndarray, rules: Rules) -> Move:
        """Take a step, and change ``state`` to what is to be remembered."""


class CompiledStep:
    """A step that the compiled formulas know: its kind and two parameters."""

    kind: ClassVar[int]
    logistic: ClassVar[bool] = False

    def numbers(self, rounds: int) -> tuple[float, float]:
        return 0.0, 0.0

    def ready(self, rules: Rules) -> fm.StepNumbers:
        """In numbers, for a run."""
        a, b = self.numbers(rules.rounds)
        return fm.StepNumbers(
            self.kind, a, b, rules.learning_rate, rules.extra, rules.limit, rules.stops
        )

    def start(self) -> np.ndarray:
        """A running sum."""
        return np.zeros(1)

    def clock(self, t: int, state: np.ndarray) -> float:
        """t^acceleration for accelerated sloppy p-boost, else 1."""
        return float(fm.clock(self.kind, self.numbers(0)[1], t))

    def take(self, now: Round, state: np.ndarray, rules: Rules) -> Move:
        """By the compiled formulas."""
        shrink, vote, drive, end = fm.judge(
            now.pull.numbers or NO_COST,
            self.ready(rules),
            fm.Round(now.t, now.error, now.edge, now.log_cost),
            fm.Margins(now.s, now.z, now.u),
            state,
        )
        return Move(shrink, vote, drive, STOP_REASONS.get(end), end in KEPT)


@storable
@dataclass(frozen=True)
class LogOdds(CompiledStep):
    """vote = drive = A: AdaBoost."""

    kind: ClassVar[int] = fm.LOG_ODDS
    logistic: ClassVar[bool] = True


@storable
@dataclass(frozen=True)
class AverageWeights(CompiledStep):
    """drive = G = 1/2 log(1 / (beta gamma)), vote = A: AveBoost."""

    kind: ClassVar[int] = fm.AVERAGED


@storable
@dataclass(frozen=True)
class AverageBoth(CompiledStep):
    """drive = vote = G: AveBoost2."""

    kind: ClassVar[int] = fm.AVERAGED_2


@storable
@dataclass(frozen=True)
class NaiveHull(CompiledStep):
    """drive = A, vote = A^(1/p): naive p-boost."""

    p: float = 1.0
    kind: ClassVar[int] = fm.NAIVE

    def numbers(self, rounds: int) -> tuple[float, float]:
        return self.p, 0.0


@storable
@dataclass(frozen=True)
class SloppyHull(CompiledStep):
    """The step A / t^acceleration, then all votes rescaled to p-norm 1: sloppy p-boost."""

    p: float = 1.0
    acceleration: float = 0.0
    kind: ClassVar[int] = fm.SLOPPY

    def numbers(self, rounds: int) -> tuple[float, float]:
        return self.p, self.acceleration


@storable
@dataclass(frozen=True)
class StrictHull(CompiledStep):
    """The step of least cost after rescaling to p-norm 1: strict p-boost."""

    p: float = 1.0
    kind: ClassVar[int] = fm.STRICT

    def numbers(self, rounds: int) -> tuple[float, float]:
        return self.p, 0.0


@storable
@dataclass(frozen=True)
class Gravity(CompiledStep):
    """The step of least cost plus ``gravity`` times the p-norm of the votes."""

    p: float = 1.0
    gravity: float = 0.01
    kind: ClassVar[int] = fm.GRAVITY
    logistic: ClassVar[bool] = True

    def numbers(self, rounds: int) -> tuple[float, float]:
        return self.p, self.gravity


@storable
@dataclass(frozen=True)
class ConvexHull(CompiledStep):
    """v = k / (k + t), then all votes rescaled to sum 1: MarginBoost.L1. ``k=None``: the rounds."""

    k: float | None = None
    kind: ClassVar[int] = fm.HULL

    def numbers(self, rounds: int) -> tuple[float, float]:
        return float(rounds if self.k is None else self.k), 0.0


@storable
@dataclass(frozen=True)
class CoreLogOdds(CompiledStep):
    """vote = 1/2 log((1 - err - a) / (err - a)), a from the noise-corrected cost: Core AdaBoost."""

    kind: ClassVar[int] = fm.CORE
    logistic: ClassVar[bool] = True


@storable
@dataclass(frozen=True)
class Harmonic(CompiledStep):
    """vote = 1 / t: Stochastic Core AdaBoost."""

    kind: ClassVar[int] = fm.HARMONIC
