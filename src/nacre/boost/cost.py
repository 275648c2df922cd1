r"""How much a row matters: costs of the margin.

A row of margin :math:`z` pulls on the next hypothesis with weight :math:`s\,(-c'(z))`, where
:math:`s` is its sample weight. The formulas are in :mod:`nacre.kernels.formulas`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from nacre.kernels import formulas as fm

NONE = np.empty(0)


class Cost(Protocol):
    """A cost in numbers: its kind, its slope, and (noise reaction) its draws."""

    @property
    def kind(self) -> int: ...

    @property
    def corrected(self) -> int | None: ...

    @property
    def steepness(self) -> float: ...

    def table(self, seed: int) -> tuple[np.ndarray, np.ndarray]: ...


class _Smooth:
    """A cost whose pull has a closed form."""

    corrected: ClassVar[int | None] = None

    @property
    def steepness(self) -> float:
        return 1.0

    def table(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        return NONE, NONE


@dataclass(frozen=True)
class Exponential(_Smooth):
    """exp(-z): AdaBoost's. Where noise rates are given, its noise-corrected form."""

    kind: ClassVar[int] = fm.EXPONENTIAL
    corrected: ClassVar[int | None] = fm.CORRECTED


@dataclass(frozen=True)
class Logistic(_Smooth):
    """log2(1 + exp(-z)): pulls of wrong rows stay below 1."""

    kind: ClassVar[int] = fm.LOGISTIC
    corrected: ClassVar[int | None] = fm.CORRECTED_LOGISTIC


@dataclass(frozen=True)
class Tanh(_Smooth):
    """(1 - tanh(slope z)) / 2: rows far on the wrong side are given up."""

    slope: float = 5.0
    kind: ClassVar[int] = fm.TANH

    @property
    def steepness(self) -> float:
        return self.slope


@dataclass(frozen=True)
class Sigmoid(_Smooth):
    """1 / (1 + exp(slope z)): the same curve as ``Tanh(slope / 2)``."""

    slope: float = 5.0
    kind: ClassVar[int] = fm.TANH

    @property
    def steepness(self) -> float:
        return self.slope / 2.0


@dataclass(frozen=True)
class ZeroOne:
    """1[z < 0], its derivative by stochastic noise reaction.

    ``draws`` Gaussian numbers of variance ``sigma2``, brought to sample mean 0 and sample variance
    ``sigma2``, are drawn once. ``draws=None`` is the limit of many: a Gaussian bell of the margin.
    """

    sigma2: float = 0.1
    draws: int | None = None
    corrected: ClassVar[int | None] = None

    @property
    def kind(self) -> int:
        return fm.GAUSSIAN if self.draws is None else fm.REACTION

    @property
    def steepness(self) -> float:
        return float(np.sqrt(self.sigma2))

    def table(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """The draws in ascending order, and the scaled running sums the derivative needs."""
        if self.draws is None:
            return NONE, NONE
        draws = np.random.default_rng(seed).normal(size=self.draws)
        draws = np.sort((draws - draws.mean()) / draws.std() * np.sqrt(self.sigma2))
        return draws, np.cumsum(draws) / (self.sigma2 * self.draws)
