r"""Losses of a gradient booster: what its regressors aim at.

The score :math:`F_k` of class k is half a log-odds: :math:`p = \mathrm{softmax}(2 F)` or, for two
classes and one column of scores, :math:`p_1 = 1 / (1 + e^{-2 F})`. Each loss here is a function of
the probability of the given label. Its gradient is that of the log loss, times how far the row is
trusted: :math:`-\partial \ell / \partial (2 F_k) = c(p_y)\,([y = k] - p_k)`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy.special import expit, softmax

from nacre.data.check import check_number
from nacre.data.storable import storable

LEAST = 1e-12
"""Probabilities are kept this far from 0."""


@runtime_checkable
class Loss(Protocol):
    """A loss in numbers, for arrays of probabilities of shape (n, K), or (n, 1) for two classes."""

    def pull(self, p: np.ndarray, hit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Minus the gradient in twice the scores, and a curvature above 0."""
        ...

    def value(self, p: np.ndarray, hit: np.ndarray) -> np.ndarray:
        """The loss of each row."""
        ...


def chances(scores: np.ndarray) -> np.ndarray:
    """Probabilities from half log-odds: one column for two classes, else one each."""
    out: np.ndarray = expit(2.0 * scores) if scores.shape[1] == 1 else softmax(2.0 * scores, axis=1)
    return out


def of_label(p: np.ndarray, hit: np.ndarray) -> np.ndarray:
    """The probability of the given label; ``hit`` is 1 for its class, else 0."""
    if p.shape[1] == 1:
        return np.where(hit[:, 0] > 0, p[:, 0], 1.0 - p[:, 0])
    return (p * hit).sum(axis=1)


def bend(p: np.ndarray, trust: Any) -> np.ndarray:
    """The curvature of the log loss, p (1 - p), or its largest, 1/4, as far as trust is lacking.

    So a leaf of rows that are given up takes no step, where Newton's own would be of any length.
    """
    return trust * p * (1.0 - p) + (1.0 - trust) / 4.0


class _Trusting(ABC):
    """A loss whose gradient is the log loss's, times a trust in the row."""

    @abstractmethod
    def trust(self, p: np.ndarray, n_classes: int) -> np.ndarray:
        """c(p), given the probability of the label."""

    def pull(self, p: np.ndarray, hit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        trust = self.trust(of_label(p, hit), max(2, p.shape[1]))[:, None]
        return trust * (hit - p), bend(p, trust)


@storable
@dataclass(frozen=True)
class LogLoss(_Trusting):
    """-log p: every row is trusted."""

    def trust(self, p: np.ndarray, n_classes: int) -> np.ndarray:
        return np.ones_like(p)

    def value(self, p: np.ndarray, hit: np.ndarray) -> np.ndarray:
        return -np.log(np.maximum(of_label(p, hit), LEAST))


@storable
@dataclass(frozen=True)
class TanhLoss(_Trusting):
    """1 - p, which is (1 - tanh(y F)) / 2: a row is trusted as far as it is believed."""

    def trust(self, p: np.ndarray, n_classes: int) -> np.ndarray:
        return p

    def value(self, p: np.ndarray, hit: np.ndarray) -> np.ndarray:
        return 1.0 - of_label(p, hit)


@storable
@dataclass(frozen=True)
class CrossEntropy(_Trusting):
    """(1 - p^q) / q, the generalised cross-entropy: the log loss for q -> 0, 1 - p for q = 1.

    Parameters
    ----------
    q : float above 0 and up to 1, default=0.7
    """

    q: float = 0.7

    def __post_init__(self) -> None:
        check_number(self.q, "q")
        if self.q > 1:
            raise ValueError(f"q must be at most 1, got {self.q!r}.")

    _check_loaded = __post_init__

    def trust(self, p: np.ndarray, n_classes: int) -> np.ndarray:
        return np.power(p, self.q)

    def value(self, p: np.ndarray, hit: np.ndarray) -> np.ndarray:
        return (1.0 - np.power(of_label(p, hit), self.q)) / self.q


@storable
@dataclass(frozen=True)
class Forward(_Trusting):
    """Forward correction (Patrini et al.): -log of the label's chance under symmetric noise.

    A row is trusted as far as its label is likely to be right.

    Parameters
    ----------
    rate : float from 0 to below (K - 1) / K
        e, the chance that a label is wrong.
    """

    rate: float

    def __post_init__(self) -> None:
        check_number(self.rate, "rate", zero=True)

    _check_loaded = __post_init__

    def _seen(self, p: np.ndarray, n_classes: int) -> tuple[np.ndarray, float]:
        other = self.rate / (n_classes - 1)
        return (1.0 - self.rate - other) * p + other, other

    def trust(self, p: np.ndarray, n_classes: int) -> np.ndarray:
        seen, other = self._seen(p, n_classes)
        return (seen - other) / np.maximum(seen, LEAST)

    def value(self, p: np.ndarray, hit: np.ndarray) -> np.ndarray:
        seen, _ = self._seen(of_label(p, hit), max(2, p.shape[1]))
        return -np.log(np.maximum(seen, LEAST))


@storable
@dataclass(frozen=True)
class Backward:
    """Backward correction (Natarajan et al.): its mean over flips is the log loss of true labels.

    Its targets lie outside [0, 1]: above 1 for the given label, below 0 for the others.

    Parameters
    ----------
    rate : float from 0 to below (K - 1) / K
        The chance that a label is wrong.
    """

    rate: float

    def __post_init__(self) -> None:
        check_number(self.rate, "rate", zero=True)

    _check_loaded = __post_init__

    def _target(self, hit: np.ndarray) -> np.ndarray:
        n_classes = max(2, hit.shape[1])
        other = self.rate / (n_classes - 1)
        return (hit - other) / (1.0 - n_classes * other)

    def pull(self, p: np.ndarray, hit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._target(hit) - p, bend(p, 1.0 - self.rate)

    def value(self, p: np.ndarray, hit: np.ndarray) -> np.ndarray:
        target = self._target(hit)
        logs = np.log(np.maximum(p, LEAST))
        if p.shape[1] == 1:
            others = np.log(np.maximum(1.0 - p, LEAST))
            return -(target * logs + (1.0 - target) * others)[:, 0]
        return -(target * logs).sum(axis=1)
