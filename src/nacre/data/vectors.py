"""Columns of lists of numbers, all of one length: embeddings in one column."""

from __future__ import annotations

import numpy as np

from nacre.io.arrow import is_number, is_text, pa, pc

WRITTEN = r"^\[[^\[\]]*\]$"
"""A list as text files have it."""

BETWEEN = r"\s*,\s*|\s+"
"""What stands between its numbers."""


def as_lists(values: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """A column of lists of numbers, or of text that is written so; None where it is neither."""
    kind = values.type
    if is_text(kind):
        return _parsed(values)
    lists = pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list
    if any(check(kind) for check in lists) and is_number(kind.value_type):
        return values
    return None


def lengths(lists: pa.ChunkedArray) -> list[int]:
    """The different lengths of lists, ascending."""
    return sorted(pc.list_value_length(lists).drop_null().unique().to_pylist())


def read_vectors(lists: pa.ChunkedArray, width: int) -> np.ndarray:
    """Lists of one length as rows of numbers, NaN where there is none."""
    there = lists.is_valid().to_numpy()
    numbers = pc.list_flatten(lists.drop_null()).cast(pa.float64(), safe=False)
    out = np.full((len(there), width), np.nan)
    out[there] = numbers.to_numpy().reshape(-1, width)
    out[np.isinf(out)] = np.nan
    return out


def _parsed(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    there = text.drop_null()
    if not len(there) or not pc.match_substring_regex(there[0], WRITTEN).as_py():
        return None
    if not pc.all(pc.match_substring_regex(there, WRITTEN)).as_py():
        return None
    inside = pc.utf8_trim_whitespace(pc.utf8_slice_codeunits(text, 1, -1))
    words = pc.split_pattern_regex(inside, BETWEEN)
    try:
        return words.cast(pa.large_list(pa.float64()))
    except pa.ArrowInvalid:
        return None
