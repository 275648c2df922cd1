"""Data frames of any library, and the ways to say that a value is missing."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np


def as_frame(X: Any) -> nw.DataFrame[Any] | None:
    """The data frame that ``X`` is, whatever its library, or None."""
    if isinstance(X, np.ndarray):
        return None
    try:
        frame = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError:
        names = [str(name) for name in X.columns]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"Two columns of X are named {twice!r}: rename one.") from None
    if isinstance(frame, nw.LazyFrame):
        raise TypeError("X is a lazy frame: call collect() first.")
    return frame if isinstance(frame, nw.DataFrame) else None


def collected(X: Any) -> Any:
    """What a lazy frame stands for; anything else as it is."""
    try:
        frame = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError:
        return X
    if not isinstance(frame, nw.LazyFrame):
        return X
    try:
        return frame.collect().to_native()
    except OSError:
        raise
    except Exception as error:  # of any library, and of many lines
        said = str(error).strip().partition("\n")[0]
        raise ValueError(f"The lazy frame cannot be collected: {said or type(error)}.") from error


def unmasked(values: Any) -> Any:
    """A masked array with NaN (or None) where it is masked; anything else as it is."""
    if not np.ma.isMaskedArray(values):
        return values
    if not np.ma.is_masked(values):
        return values.data
    numeric = values.dtype.kind in "biuf"
    plain = values.data.astype(np.float64 if numeric else object)
    plain[np.ma.getmaskarray(values)] = np.nan if numeric else None
    return plain


def free_name(name: str, taken: Container[str]) -> str:
    """A name for a column, with ``_`` behind it until no other has it."""
    while name in taken:
        name += "_"
    return name


def is_missing(value: Any) -> bool:
    """Whether a value is any of the ways to say that there is none."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(value != value)
