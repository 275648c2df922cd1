"""From scores to flags: which rows are called mislabelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nacre.data.check import check_share, check_whole, is_number
from nacre.data.storable import storable


class Cut(Protocol):
    """Where to cut a ranking of rows."""

    def flags(self, scores: np.ndarray, rate: Callable[[], float]) -> np.ndarray:
        """Which rows are flagged; ``rate`` estimates the share of wrong labels, if asked."""
        ...


@storable
@dataclass(frozen=True)
class Threshold:
    """Rows of high scores.

    Parameters
    ----------
    above : float, default=0.5
        Scores above it are flagged.
    """

    above: float = 0.5

    def __post_init__(self) -> None:
        if not is_number(self.above):
            raise TypeError(f"above must be a number, got {self.above!r}.")

    def flags(self, scores: np.ndarray, rate: Callable[[], float]) -> np.ndarray:
        return scores > self.above


@storable
@dataclass(frozen=True)
class Consensus:
    """Rows whose score is 1: no voter agrees with the label."""

    def flags(self, scores: np.ndarray, rate: Callable[[], float]) -> np.ndarray:
        return scores >= 1.0


@storable
@dataclass(frozen=True)
class Fraction:
    """The most suspect share of the rows.

    Parameters
    ----------
    share : float from 0 to 1, default=0.1
    """

    share: float = 0.1

    def __post_init__(self) -> None:
        check_share(self.share, "share")

    def flags(self, scores: np.ndarray, rate: Callable[[], float]) -> np.ndarray:
        return most_suspect(scores, round(self.share * len(scores)))


@storable
@dataclass(frozen=True)
class Budget:
    """So many rows, the most suspect ones: as many as somebody has time to look at.

    Parameters
    ----------
    rows : int, default=100
    """

    rows: int = 100

    def __post_init__(self) -> None:
        check_whole(self.rows, "rows", 0)

    def flags(self, scores: np.ndarray, rate: Callable[[], float]) -> np.ndarray:
        return most_suspect(scores, self.rows)


@storable
@dataclass(frozen=True)
class EstimatedRate:
    """As many rows as :func:`~nacre.noise.estimate_noise_rate` takes to be wrong.

    None where the interval of the rate reaches down to 0: what looks wrong may be classes that
    overlap, and rows of a clean table are to stay. The filter's ``noise_`` says what is known.
    """

    def flags(self, scores: np.ndarray, rate: Callable[[], float]) -> np.ndarray:
        return most_suspect(scores, round(rate() * int(np.isfinite(scores).sum())))


def most_suspect(scores: np.ndarray, count: int) -> np.ndarray:
    """The rows of the highest scores, the first among equals; none that is minus infinity."""
    order = np.argsort(-scores, kind="stable")[:count]
    flags = np.zeros(len(scores), bool)
    flags[order] = np.isfinite(scores[order])
    return flags
