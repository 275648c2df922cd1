"""From scores to flags: which rows are called mislabelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np


class Cut(Protocol):
    """Where to cut a ranking of rows."""

    def flags(self, scores: np.ndarray, rate: Callable[[], float]) -> np.ndarray:
        """Which rows are flagged; ``rate`` estimates the share of wrong labels, if asked."""
        ...


@dataclass(frozen=True)
class Threshold:
    """Rows whose score is above ``above``."""

    above: float = 0.5

    def flags(self, scores: np.ndarray, rate: Callable[[], float]) -> np.ndarray:
        return scores > self.above


@dataclass(frozen=True)
class Consensus:
    """Rows whose score is 1: no voter agrees with the label."""

    def flags(self, scores: np.ndarray, rate: Callable[[], float]) -> np.ndarray:
        return scores >= 1.0


@dataclass(frozen=True)
class Fraction:
    """The most suspect share of the rows."""

    share: float = 0.1

    def __post_init__(self) -> None:
        if not 0.0 <= self.share <= 1.0:
            raise ValueError(f"share must be from 0 to 1, got {self.share!r}.")

    def flags(self, scores: np.ndarray, rate: Callable[[], float]) -> np.ndarray:
        return most_suspect(scores, round(self.share * len(scores)))


@dataclass(frozen=True)
class Budget:
    """So many rows, the most suspect ones: as many as somebody has time to look at."""

    rows: int = 100

    def __post_init__(self) -> None:
        if isinstance(self.rows, bool) or self.rows != int(self.rows) or self.rows < 0:
            raise ValueError(f"rows must be a whole number of 0 or more, got {self.rows!r}.")

    def flags(self, scores: np.ndarray, rate: Callable[[], float]) -> np.ndarray:
        return most_suspect(scores, int(self.rows))


@dataclass(frozen=True)
class EstimatedRate:
    """As many rows as :func:`~nacre.noise.estimate_noise_rate` takes to be wrong."""

    def flags(self, scores: np.ndarray, rate: Callable[[], float]) -> np.ndarray:
        return most_suspect(scores, round(rate() * int(np.isfinite(scores).sum())))


def most_suspect(scores: np.ndarray, count: int) -> np.ndarray:
    """The rows of the highest scores, the first among equals; none that is minus infinity."""
    order = np.argsort(-scores, kind="stable")[:count]
    flags = np.zeros(len(scores), bool)
    flags[order] = np.isfinite(scores[order])
    return flags
