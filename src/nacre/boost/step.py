"""How far to go along a hypothesis: F <- shrink * F + vote * h, z <- shrink * z + drive * u.

The formulas are in :mod:`nacre.kernels.formulas`; A stands for 1/2 log((1 - err) / err).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from nacre.kernels import formulas as fm


class Step(Protocol):
    """A step in numbers: its kind and two parameters."""

    kind: ClassVar[int]

    def numbers(self, rounds: int) -> tuple[float, float]: ...


class _Plain:
    def numbers(self, rounds: int) -> tuple[float, float]:
        return 0.0, 0.0


@dataclass(frozen=True)
class LogOdds(_Plain):
    """vote = drive = A: AdaBoost."""

    kind: ClassVar[int] = fm.LOG_ODDS


@dataclass(frozen=True)
class AverageWeights(_Plain):
    """drive = G = 1/2 log(1 / (beta gamma)), vote = A: AveBoost."""

    kind: ClassVar[int] = fm.AVERAGED


@dataclass(frozen=True)
class AverageBoth(_Plain):
    """drive = vote = G: AveBoost2."""

    kind: ClassVar[int] = fm.AVERAGED_2


@dataclass(frozen=True)
class NaiveHull:
    """drive = A, vote = A^(1/p): naive p-boost."""

    p: float = 1.0
    kind: ClassVar[int] = fm.NAIVE

    def numbers(self, rounds: int) -> tuple[float, float]:
        return self.p, 0.0


@dataclass(frozen=True)
class SloppyHull:
    """The step A / t^acceleration, then all votes rescaled to p-norm 1: sloppy p-boost."""

    p: float = 1.0
    acceleration: float = 0.0
    kind: ClassVar[int] = fm.SLOPPY

    def numbers(self, rounds: int) -> tuple[float, float]:
        return self.p, self.acceleration


@dataclass(frozen=True)
class StrictHull:
    """The step of least cost after rescaling to p-norm 1: strict p-boost."""

    p: float = 1.0
    kind: ClassVar[int] = fm.STRICT

    def numbers(self, rounds: int) -> tuple[float, float]:
        return self.p, 0.0


@dataclass(frozen=True)
class Gravity:
    """The step of least cost plus ``gravity`` times the p-norm of the votes."""

    p: float = 1.0
    gravity: float = 0.1
    kind: ClassVar[int] = fm.GRAVITY

    def numbers(self, rounds: int) -> tuple[float, float]:
        return self.p, self.gravity


@dataclass(frozen=True)
class ConvexHull:
    """v = k / (k + t), then all votes rescaled to sum 1: MarginBoost.L1. ``k=None``: the rounds."""

    k: float | None = None
    kind: ClassVar[int] = fm.HULL

    def numbers(self, rounds: int) -> tuple[float, float]:
        return float(rounds if self.k is None else self.k), 0.0


@dataclass(frozen=True)
class CoreLogOdds(_Plain):
    """vote = 1/2 log((1 - err - a) / (err - a)), a from the noise-corrected cost: Core AdaBoost."""

    kind: ClassVar[int] = fm.CORE


@dataclass(frozen=True)
class Harmonic(_Plain):
    """vote = 1 / t: Stochastic Core AdaBoost."""

    kind: ClassVar[int] = fm.HARMONIC
