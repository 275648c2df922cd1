"""How far to go along a hypothesis: F <- shrink * F + vote * h, z <- shrink * z + drive * u.

The formulas are in :mod:`nacre.kernels.formulas`; A stands for 1/2 log((1 - err) / err).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from nacre.kernels import formulas as fm


class Step(Protocol):
    """A step in numbers: its kind and two parameters.

    ``logistic`` says whether votes are on the scale of half log-odds, so that probabilities follow
    without further fitting.
    """

    kind: ClassVar[int]
    logistic: ClassVar[bool]

    def numbers(self, rounds: int) -> tuple[float, float]: ...


class _Plain:
    def numbers(self, rounds: int) -> tuple[float, float]:
        return 0.0, 0.0


@dataclass(frozen=True)
class LogOdds(_Plain):
    """vote = drive = A: AdaBoost."""

    kind: ClassVar[int] = fm.LOG_ODDS
    logistic: ClassVar[bool] = True


@dataclass(frozen=True)
class AverageWeights(_Plain):
    """drive = G = 1/2 log(1 / (beta gamma)), vote = A: AveBoost."""

    kind: ClassVar[int] = fm.AVERAGED
    logistic: ClassVar[bool] = False


@dataclass(frozen=True)
class AverageBoth(_Plain):
    """drive = vote = G: AveBoost2."""

    kind: ClassVar[int] = fm.AVERAGED_2
    logistic: ClassVar[bool] = False


@dataclass(frozen=True)
class NaiveHull:
    """drive = A, vote = A^(1/p): naive p-boost."""

    p: float = 1.0
    kind: ClassVar[int] = fm.NAIVE
    logistic: ClassVar[bool] = False

    def numbers(self, rounds: int) -> tuple[float, float]:
        return self.p, 0.0


@dataclass(frozen=True)
class SloppyHull:
    """The step A / t^acceleration, then all votes rescaled to p-norm 1: sloppy p-boost."""

    p: float = 1.0
    acceleration: float = 0.0
    kind: ClassVar[int] = fm.SLOPPY
    logistic: ClassVar[bool] = False

    def numbers(self, rounds: int) -> tuple[float, float]:
        return self.p, self.acceleration


@dataclass(frozen=True)
class StrictHull:
    """The step of least cost after rescaling to p-norm 1: strict p-boost."""

    p: float = 1.0
    kind: ClassVar[int] = fm.STRICT
    logistic: ClassVar[bool] = False

    def numbers(self, rounds: int) -> tuple[float, float]:
        return self.p, 0.0


@dataclass(frozen=True)
class Gravity:
    """The step of least cost plus ``gravity`` times the p-norm of the votes."""

    p: float = 1.0
    gravity: float = 0.01
    kind: ClassVar[int] = fm.GRAVITY
    logistic: ClassVar[bool] = True

    def numbers(self, rounds: int) -> tuple[float, float]:
        return self.p, self.gravity


@dataclass(frozen=True)
class ConvexHull:
    """v = k / (k + t), then all votes rescaled to sum 1: MarginBoost.L1. ``k=None``: the rounds."""

    k: float | None = None
    kind: ClassVar[int] = fm.HULL
    logistic: ClassVar[bool] = False

    def numbers(self, rounds: int) -> tuple[float, float]:
        return float(rounds if self.k is None else self.k), 0.0


@dataclass(frozen=True)
class CoreLogOdds(_Plain):
    """vote = 1/2 log((1 - err - a) / (err - a)), a from the noise-corrected cost: Core AdaBoost."""

    kind: ClassVar[int] = fm.CORE
    logistic: ClassVar[bool] = True


@dataclass(frozen=True)
class Harmonic(_Plain):
    """vote = 1 / t: Stochastic Core AdaBoost."""

    kind: ClassVar[int] = fm.HARMONIC
    logistic: ClassVar[bool] = False
