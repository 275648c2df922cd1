r"""How much a row matters: costs of the margin.

A row of margin :math:`z` pulls on the next hypothesis with weight :math:`s\,(-c'(z))`, where
:math:`s` is its sample weight. The formulas of the costs here are compiled
(:mod:`nacre.kernels.formulas`). A :class:`CustomCost` is one of your own, in plain NumPy.

A cost may depend on time: the *clock* is a number that the step moves. It multiplies the slope of
the costs here; a cost of your own may use it as it likes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from nacre.data.storable import storable
from nacre.kernels import formulas as fm
from nacre.kernels.weights import weigh

NONE = np.empty(0)


class Pull(Protocol):
    """A cost that is ready to weigh the rows of one run."""

    @property
    def numbers(self) -> fm.CostNumbers | None:
        """The cost in numbers, for the compiled loop; None where it has none."""
        ...

    @property
    def remembers(self) -> bool:
        """Whether it has to see the margins of every round, also of a run to be continued."""
        ...

    def weigh(self, z: np.ndarray, s: np.ndarray, clock: float) -> tuple[np.ndarray, float]:
        """Weights of sum 1 and the log of the mean pull, -inf where all pulls are 0."""
        ...

    def mean(self, z: np.ndarray, s: np.ndarray, clock: float) -> float:
        """The mean cost of rows."""
        ...


class Cost(Protocol):
    """How much a row matters, by its margin."""

    def ready(self, seed: int, noise: np.ndarray | None) -> Pull:
        """Make ready for a run; with noise rates of the rows, in its noise-corrected form."""
        ...


class CustomCost(ABC):
    """A cost of your own: subclasses give the log of its pull, and its value.

    Best as a frozen dataclass, so that it prints itself and compares. Runs with it take the plain
    loop, whatever the learner.

    Examples
    --------
    >>> import numpy as np
    >>> from dataclasses import dataclass
    >>> from nacre.boost import CustomCost
    >>> @dataclass(frozen=True)
    ... class Cauchy(CustomCost):
    ...     def log_pull(self, z, clock):
    ...         return -np.log1p(z**2)
    ...
    ...     def value(self, z, clock):
    ...         return 0.5 - np.arctan(z) / np.pi
    >>> weights, _ = Cauchy().weigh(np.array([-3.0, 0.0, 3.0]), np.full(3, 1 / 3), clock=1.0)
    >>> weights.round(3)
    array([0.083, 0.833, 0.083])
    """

    numbers: ClassVar[fm.CostNumbers | None] = None
    remembers: ClassVar[bool] = False

    @abstractmethod
    def log_pull(self, z: np.ndarray, clock: float) -> np.ndarray:
        """log(-c'(z)), up to a constant."""

    @abstractmethod
    def value(self, z: np.ndarray, clock: float) -> np.ndarray:
        """c(z), for early stopping on the loss."""

    def ready(self, seed: int, noise: np.ndarray | None) -> Pull:
        """The cost itself; it has no noise-corrected form."""
        if noise is not None:
            raise ValueError(f"{self} has no noise-corrected form: use another cost.")
        return self

    def weigh(self, z: np.ndarray, s: np.ndarray, clock: float) -> tuple[np.ndarray, float]:
        """Weights of sum 1, and the log of the mean pull."""
        logs = self.log_pull(z, clock)
        top = float(logs.max())
        if top == -np.inf:
            return np.zeros_like(s), top
        w = s * np.exp(logs - top)
        return w / w.sum(), float(top + np.log(w.sum()))

    def mean(self, z: np.ndarray, s: np.ndarray, clock: float) -> float:
        """The mean cost of rows."""
        return float(s @ self.value(z, clock))


@dataclass(frozen=True)
class CompiledPull:
    """A cost in numbers, weighing by the compiled formulas."""

    numbers: fm.CostNumbers
    remembers: ClassVar[bool] = False

    def weigh(self, z: np.ndarray, s: np.ndarray, clock: float) -> tuple[np.ndarray, float]:
        """Weights of sum 1, and the log of the mean pull."""
        w = np.empty_like(z)
        top = weigh(self.numbers, clock, s, z, w)
        if top == -np.inf:
            return w, top
        whole = w.sum()
        w /= whole
        return w, float(top + np.log(whole))

    def mean(self, z: np.ndarray, s: np.ndarray, clock: float) -> float:
        """The mean cost of rows, before any correction for noise."""
        cost = self.numbers
        return float(fm.mean_cost(cost.kind, cost.slope * clock, s, z))


class CompiledCost(ABC):
    """A cost that the compiled formulas know: its kind, its slope and (noise reaction) its draws.

    ``corrected`` is the kind of its noise-corrected form, where it has one.
    """

    corrected: ClassVar[int | None] = None

    @property
    @abstractmethod
    def kind(self) -> int:
        """Its number among the compiled formulas."""

    @property
    def steepness(self) -> float:
        return 1.0

    def table(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        return NONE, NONE

    def ready(self, seed: int, noise: np.ndarray | None) -> CompiledPull:
        """In numbers, for a run."""
        kind = self.kind
        if noise is not None:
            if self.corrected is None:
                raise ValueError(f"{self} has no noise-corrected form: use another cost.")
            kind = self.corrected
        rates = NONE if noise is None else noise
        return CompiledPull(fm.CostNumbers(kind, self.steepness, *self.table(seed), rates))


@storable
@dataclass(frozen=True)
class Exponential(CompiledCost):
    """exp(-z): AdaBoost's. Where noise rates are given, its noise-corrected form."""

    kind: ClassVar[int] = fm.EXPONENTIAL
    corrected: ClassVar[int | None] = fm.CORRECTED


@storable
@dataclass(frozen=True)
class Logistic(CompiledCost):
    """log2(1 + exp(-z)): pulls of wrong rows stay below 1."""

    kind: ClassVar[int] = fm.LOGISTIC
    corrected: ClassVar[int | None] = fm.CORRECTED_LOGISTIC


@storable
@dataclass(frozen=True)
class Tanh(CompiledCost):
    """(1 - tanh(slope z)) / 2: rows far on the wrong side are given up."""

    slope: float = 5.0
    kind: ClassVar[int] = fm.TANH

    @property
    def steepness(self) -> float:
        return self.slope


@storable
@dataclass(frozen=True)
class Sigmoid(CompiledCost):
    """1 / (1 + exp(slope z)): the same curve as ``Tanh(slope / 2)``."""

    slope: float = 5.0
    kind: ClassVar[int] = fm.TANH

    @property
    def steepness(self) -> float:
        return self.slope / 2.0


@storable
@dataclass(frozen=True)
class ZeroOne(CompiledCost):
    """1[z < 0], its derivative by stochastic noise reaction.

    ``draws`` Gaussian numbers of variance ``sigma2``, brought to sample mean 0 and sample variance
    ``sigma2``, are drawn once. ``draws=None`` is the limit of many: a Gaussian bell of the margin.
    """

    sigma2: float = 0.1
    draws: int | None = None

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
