"""Stochastic noise reaction as its authors wrote it: draws for every row, and for any loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.boost.cost import Pull
from nacre.data.check import check_choice, check_number, check_whole
from nacre.data.storable import storable
from nacre.kernels import formulas as fm

LOSSES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "zero-one": lambda z: (z < 0.0).astype(float),
    "exponential": lambda z: np.exp(-z),
    "logistic": lambda z: np.logaddexp(0.0, -z) / np.log(2.0),
    "hinge": lambda z: np.maximum(0.0, 1.0 - z),
    "squared": lambda z: (1.0 - z) ** 2,
}
"""Losses of the margin, as in figure 1 of Sano, Suzuki and Koda (2007)."""


@storable
@dataclass(frozen=True)
class NoiseReaction:
    r"""A cost known by its values only, its derivative by stochastic noise reaction.

    Row i has M Gaussian draws of its own, brought to sample mean 0 and variance :math:`\sigma^2`:

    .. math:: d_i = \frac{1}{\sigma^2 M} \sum_{j=1}^{M} L(z + \xi(j))\, \xi_i(j).

    L is the loss of the row (``joint=False``) or, as for a loss that does not fall apart into rows,
    the sum over all of them. Weights are d divided by its sum, and 0 where that is negative. Sums
    are taken as they come: where every draw or none crosses 0, the zero-one loss leaves their
    rounding error, by which boosting goes on. :class:`~nacre.boost.ZeroOne` has one set of draws
    for all rows, and 0 there.

    Parameters
    ----------
    sigma2 : float, default=0.1
        Variance of the draws.
    draws : int, default=100
        M.
    loss : {"zero-one", "exponential", "logistic", "hinge", "squared"}, default="zero-one"
    joint : bool, default=False
        Whether the loss is that of all rows together.

    References
    ----------
    .. [1] N. Sano, H. Suzuki, M. Koda, "A robust ensemble learning using zero-one loss function",
       Journal of the Operations Research Society of Japan 50, 2007, equations 4 and 5.
    """

    sigma2: float = 0.1
    draws: int = 100
    loss: str = "zero-one"
    joint: bool = False

    def ready(self, seed: int, noise: np.ndarray | None) -> Pull:
        """With a seed of the draws; there is no noise-corrected form."""
        if noise is not None:
            raise ValueError(f"{self} has no noise-corrected form: use another cost.")
        check_number(self.sigma2, "sigma2")
        check_whole(self.draws, "draws", 2)
        check_choice(self.loss, "loss", tuple(LOSSES))
        return Reacting(self, seed)


class Reacting:
    """Noise reaction in a run: the rows' draws are made when their number is known."""

    numbers: fm.CostNumbers | None = None
    remembers: ClassVar[bool] = False

    def __init__(self, cost: NoiseReaction, seed: int) -> None:
        self.cost, self.seed = cost, seed
        self.xi = np.empty((0, cost.draws))

    def _draw(self, n: int) -> np.ndarray:
        if len(self.xi) != n:
            xi = np.random.default_rng(self.seed).normal(size=(n, self.cost.draws))
            xi -= xi.mean(axis=1, keepdims=True)
            self.xi = xi * np.sqrt(self.cost.sigma2) / xi.std(axis=1, keepdims=True)
        return self.xi

    def derivatives(self, z: np.ndarray) -> np.ndarray:
        """The derivative of the loss by each margin."""
        xi = self._draw(len(z))
        losses = LOSSES[self.cost.loss](z[:, None] + xi)
        summed = xi @ losses.sum(axis=0) if self.cost.joint else (losses * xi).sum(axis=1)
        found: np.ndarray = summed / (self.cost.sigma2 * self.cost.draws)
        return found

    def weigh(self, z: np.ndarray, s: np.ndarray, clock: float) -> tuple[np.ndarray, float]:
        """Weights of sum 1, and the log of the mean pull; before the first round, those of rows."""
        if not z.any():
            return s / s.sum(), 0.0
        d = s * self.derivatives(z)
        w = np.maximum(d * (-1.0 if d.sum() <= 0.0 else 1.0), 0.0)
        total = float(w.sum())
        if total == 0.0:
            return w, -np.inf
        return w / total, float(np.log(total))

    def mean(self, z: np.ndarray, s: np.ndarray, clock: float) -> float:
        """The mean loss of rows."""
        return float(s @ LOSSES[self.cost.loss](z))
