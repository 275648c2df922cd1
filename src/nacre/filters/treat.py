"""What to do about flagged rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.utils import _safe_indexing

from nacre.data.check import check_share
from nacre.data.storable import storable
from nacre.data.target import take_labels


class Treated(NamedTuple):
    """A table after treatment, ready to be learned from: ``model.fit(*treated)``."""

    X: Any
    y: Any
    sample_weight: np.ndarray


class Treatment(Protocol):
    """What becomes of flagged rows."""

    def apply(self, X: Any, y: Any, flags: np.ndarray, suggested: np.ndarray) -> Treated:
        """Treat a table, given the flags and a label for every row."""
        ...


@storable
@dataclass(frozen=True)
class Drop:
    """Leave flagged rows out."""

    def apply(self, X: Any, y: Any, flags: np.ndarray, suggested: np.ndarray) -> Treated:
        kept = np.flatnonzero(~flags)
        return Treated(_safe_indexing(X, kept), _safe_indexing(y, kept), np.ones(len(kept)))


@storable
@dataclass(frozen=True)
class Relabel:
    """Give flagged rows the label that the filter suggests."""

    def apply(self, X: Any, y: Any, flags: np.ndarray, suggested: np.ndarray) -> Treated:
        classes, first = np.unique(np.asarray(y), return_index=True)
        source = np.arange(len(flags))
        source[flags] = first[np.searchsorted(classes, suggested[flags])]
        return Treated(X, take_labels(y, source), np.ones(len(flags)))


@storable
@dataclass(frozen=True)
class DownWeight:
    """Keep flagged rows, at a lower weight.

    Parameters
    ----------
    weight : float from 0 to 1, default=0.1
        Their weight; that of the others is 1.
    """

    weight: float = 0.1

    def __post_init__(self) -> None:
        check_share(self.weight, "weight")

    def apply(self, X: Any, y: Any, flags: np.ndarray, suggested: np.ndarray) -> Treated:
        return Treated(X, y, np.where(flags, self.weight, 1.0))
