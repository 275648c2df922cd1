"""What text stands for: nothing, or plain numbers; and dates in days."""

from __future__ import annotations

import numpy as np

from nacre.io.arrow import pa, pc, without

_WORDS = ("", "?", "na", "n/a", "nan", "null", "<na>", "#n/a", "nat")
MISSING = tuple(sorted({*_WORDS, *map(str.upper, _WORDS), *map(str.title, _WORDS), "NaN", "NaT"}))
"""How people write that there is no value."""

NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"

WHOLE = r"^[+-]?[0-9]+$"

CODE = r"^[+-]?0[0-9xX]"
"""Whole numbers that begin so are codes, such as those of post offices; 0x10 is no 16."""

POINTED = r"^[+-]?([1-9][0-9]{0,2}(\.[0-9]{3})?|0)$"
"""Numbers below 1000, and points before three digits."""

GLANCE = 100
"""Rows that are tried first."""


def trimmed(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text without spaces around it; null where that says there is no value."""
    distinct = text.unique()
    short = pc.utf8_trim_whitespace(distinct)
    gone = pc.is_in(short, value_set=pa.array(MISSING, short.type))
    short = without(short, gone)
    if short.equals(distinct):
        return text
    return short.take(pc.index_in(text, value_set=distinct))


def numbers(text: pa.ChunkedArray, codes: bool = True) -> pa.ChunkedArray | None:
    """Text as whole numbers or floats; None where some is neither.

    Unless ``codes`` are wanted too, numbers that begin with a needless 0 are none, and whole ones
    of so many digits that floats could not tell them apart.
    """
    found = _cast(text, pa.int64())
    if found is None:
        found = _cast(text, pa.float64())
        wide = not codes and found is not None and _all_whole(text)
        return None if wide else found
    coded = not codes and pc.any(pc.match_substring_regex(text, CODE)).as_py()
    return None if coded else found


def maybe_thousands(text: pa.ChunkedArray, found: pa.ChunkedArray) -> bool:
    """Whether decimals may be thousands: three digits behind every point, or none and no point.

    Numbers of three decimals all have a point, or not all of them three digits.
    """
    if not pa.types.is_floating(found.type):
        return False
    for part in (text.slice(0, GLANCE), text):
        if not pc.all(pc.match_substring_regex(part, POINTED)).as_py():
            return False
    pointed = pc.match_substring(text, ".")
    rounded = pc.any(pc.match_substring_regex(text, r"\..*0$")).as_py()
    return bool(rounded and not pc.all(pointed).as_py())


def _all_whole(text: pa.ChunkedArray) -> bool:
    return all(pc.all(pc.match_substring_regex(part, WHOLE)).as_py()
               for part in (text.slice(0, GLANCE), text))  # fmt: skip


def _cast(text: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray | None:
    """Text as values of a type; None where some is not.

    The first rows are tried first: Arrow is slow to fail, since it goes through all rows.
    """
    for part in (text.slice(0, GLANCE), text):
        try:
            found = part.cast(kind)
        except pa.ArrowInvalid:
            return None
    return found


PER_DAY = {"s": 86_400.0, "ms": 864e5, "us": 864e8, "ns": 864e11}


def days(values: pa.ChunkedArray) -> np.ndarray:
    """Dates and times as days since 1970, durations and times of a day in days; NaN for gaps."""
    kind = values.type
    whole = values.cast(pa.int32() if kind.bit_width == 32 else pa.int64())
    per_day = 1.0 if pa.types.is_date32(kind) else PER_DAY[getattr(kind, "unit", "ms")]
    return np.asarray(whole.cast(pa.float64(), safe=False).to_numpy()) / per_day
