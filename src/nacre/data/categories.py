"""Categories of a column: which get a code of their own, and the codes of values."""

from __future__ import annotations

from typing import Any

import numpy as np

from nacre.data.check import check_form, check_whole
from nacre.kernels import binning as kernel
from nacre.kernels.binning import MISSING


def commonest(column: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """The commonest categories, at most 255, ascending."""
    present = ~np.isnan(column)
    values, codes = np.unique(column[present], return_inverse=True)
    if len(values) <= kernel.MAX_BINS:
        return values
    mass = np.bincount(codes, None if weight is None else weight[present])
    return np.sort(values[np.argsort(-mass, kind="stable")[: kernel.MAX_BINS]])


def category_codes(column: np.ndarray, categories: np.ndarray) -> np.ndarray:
    """The bin of each value of a categorical column; unknown and missing values share one."""
    codes = np.searchsorted(categories, column)
    codes[codes == len(categories)] = 0
    known = categories[codes] == column if len(categories) else np.zeros(len(column), bool)
    return np.where(known, codes, MISSING).astype(np.uint8)


def check_known(categories: Any) -> None:
    """Raise unless these are, by column, categories that ``category_codes`` can look up."""
    if not isinstance(categories, dict):
        raise ValueError("categories must be a dict of columns.")
    for j, values in categories.items():
        check_whole(j, "a categorical column", 0)
        check_form(values, "categories", np.float64, (None,))
        ascend = np.all(np.isfinite(values)) and np.all(values[:-1] < values[1:])
        if len(values) > kernel.MAX_BINS or not ascend:
            raise ValueError(f"categories must ascend, at most {kernel.MAX_BINS} a column.")
