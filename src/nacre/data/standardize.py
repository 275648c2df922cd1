"""Standardisation: numbers by mean and standard deviation, categories by place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nacre.data import TrainingRows
from nacre.data.categories import category_codes, check_known, commonest
from nacre.data.check import check_form
from nacre.data.storable import storable
from nacre.data.training import refuse_infinite
from nacre.kernels.binning import MISSING

FAR = 1e100
"""Standard units beyond which a value counts as this far, so that its square stays finite."""


@storable
@dataclass(frozen=True)
class Standardizer:
    """Means, standard deviations and categories of columns, to read more rows the same way.

    Attributes
    ----------
    numeric : columns of numbers, those that vary
    mean, scale : their weighted means and standard deviations
    categories : the values of each categorical column, ascending
        At most the commonest 255; rarer and unknown ones count as missing.
    missing : what stands for a missing number
    """

    numeric: np.ndarray
    mean: np.ndarray
    scale: np.ndarray
    categories: dict[int, np.ndarray]
    missing: float

    @property
    def width(self) -> int:
        """How many columns a table must have."""
        return 1 + max([-1, *self.numeric.tolist(), *self.categories])

    def _check_loaded(self) -> None:
        """Raise unless what a file says of the columns can be."""
        check_known(self.categories)
        check_form(self.numeric, "numeric", np.intp, (None,), 0)
        for name in ("mean", "scale"):
            check_form(getattr(self, name), name, np.float64, self.numeric.shape)
        if not isinstance(self.missing, float):
            raise ValueError("what stands for a missing number must be one.")

    @property
    def firsts(self) -> np.ndarray:
        """Where the places of each categorical column begin, and where the last ones end."""
        return np.cumsum([0, *(len(known) for known in self.categories.values())])

    def read(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Numbers in standard units and places of categories (missing ones -1), by column."""
        numbers = np.empty((len(self.numeric), len(X)))
        with np.errstate(over="ignore"):
            np.subtract(X[:, self.numeric].T, self.mean[:, None], out=numbers)
            numbers /= self.scale[:, None]
        np.clip(numbers, -FAR, FAR, out=numbers)
        np.copyto(numbers, self.missing, where=np.isnan(numbers))
        places = np.empty((len(self.categories), len(X)), np.int32)
        for c, (j, known) in enumerate(self.categories.items()):
            codes = category_codes(np.asarray(X[:, j], float), known)
            places[c] = np.where(codes == MISSING, -1, codes + self.firsts[c])
        return numbers, places

    def same(self, other: Standardizer) -> bool:
        """Whether both read any table alike."""
        arrays = [
            (one.numeric, one.mean, one.scale, *one.categories.values()) for one in (self, other)
        ]
        same_kinds = self.categories.keys() == other.categories.keys()
        return same_kinds and all(map(np.array_equal, *arrays))

    def by_category(self, items: list[Any]) -> dict[int, dict[float, Any]]:
        """One item for each place, by column and category."""
        left = iter(items)
        return {
            j: {value: next(left) for value in known.tolist()}
            for j, known in self.categories.items()
        }


def fit_standardizer(training: TrainingRows, missing: float = np.nan) -> Standardizer:
    """Means, scales and categories of the training rows."""
    X = training.X
    refuse_infinite(X)
    categories = {
        j: commonest(np.asarray(X[:, j], float), training.count) for j in training.categorical
    }
    found = [
        (j, *_standard(np.asarray(X[:, j], float), training.weight))
        for j in range(X.shape[1])
        if j not in categories
    ]
    numeric, mean, scale = np.array([one for one in found if one[2] > 0]).reshape(-1, 3).T.copy()
    return Standardizer(numeric.astype(np.intp), mean, scale, categories, missing)


def _standard(column: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Weighted mean and standard deviation of the values present; 0 and 0 where all agree."""
    present = ~np.isnan(column)
    values, weight = column[present], weight[present]
    if not len(values) or values.min() == values.max():
        return 0.0, 0.0
    top = np.abs(values).max()
    values = values / top  # so that no square overflows
    mean = np.average(values, weights=weight)
    return top * mean, top * np.sqrt(np.average((values - mean) ** 2, weights=weight))
