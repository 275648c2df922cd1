"""Which rows the weak learner sees in a round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nacre.kernels import random as rd


@dataclass(frozen=True)
class AllRows:
    """Every row, every round."""

    share: ClassVar[float] = 1.0
    kind: ClassVar[int] = rd.ALL_ROWS


@dataclass(frozen=True)
class Bootstrap:
    """Rows drawn with replacement, each draw keeping the row's weight."""

    share: float = 1.0
    kind: ClassVar[int] = rd.BOOTSTRAP


@dataclass(frozen=True)
class Subsample:
    """A share of the rows, drawn without replacement."""

    share: float = 0.5
    kind: ClassVar[int] = rd.SUBSAMPLE


Draw = AllRows | Bootstrap | Subsample
