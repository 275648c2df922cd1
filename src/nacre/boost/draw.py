"""Which rows the weak learner sees in a round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.data import TrainingRows
from nacre.data.storable import storable
from nacre.kernels import random as rd


@storable
@dataclass(frozen=True)
class AllRows:
    """Every row, every round."""

    share: ClassVar[float] = 1.0
    kind: ClassVar[int] = rd.ALL_ROWS


@storable
@dataclass(frozen=True)
class Bootstrap:
    """A bootstrap sample: each row as often as a Poisson number of mean ``share`` says.

    That is online bagging, which drawing with replacement comes to where rows are many. Equal rows,
    and rows of a group, are drawn together.
    """

    share: float = 1.0
    kind: ClassVar[int] = rd.BOOTSTRAP


@storable
@dataclass(frozen=True)
class Subsample:
    """A subsample: each row with probability ``share``. Equal rows are drawn together."""

    share: float = 0.5
    kind: ClassVar[int] = rd.SUBSAMPLE


Draw = AllRows | Bootstrap | Subsample


def drawn_weights(
    draw: Draw, training: TrainingRows, weights: np.ndarray, seed: int, t: int
) -> Iterator[np.ndarray]:
    """Weights of rows times how often they are drawn in round t; then those of all rows.

    The latter are for draws that have nothing to tell apart, such as no row of a rare class.
    """
    if draw.kind != rd.ALL_ROWS:
        drawn = weights * draw_times(draw, training, seed, t)
        if drawn.any():
            yield drawn
    yield weights


def draw_times(draw: Draw, training: TrainingRows, seed: int, t: int) -> np.ndarray:
    """How often each row is drawn in round t; of rows that stand for several, the mean of these."""
    times, units = np.empty(len(training.y)), training.units
    rd.draw_rows(units.key, units.copies, np.uint64(seed), t, draw.kind, draw.share, times)
    return times
