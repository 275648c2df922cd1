import datetime

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from nacre.io.kinds import days, numbers, trimmed


def column(*texts):
    return pa.chunked_array([texts], pa.large_string())


def test_trimming():
    assert trimmed(column(" a", "a\t", "?", " n/a ", "", None, "b b")).to_pylist() == [
        *["a"] * 2, *[None] * 4, "b b",
    ]  # fmt: skip
    same = column("a", None)
    assert trimmed(same) is same


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_whole_numbers_come_back(values):
    assert numbers(column(*map(str, values))).to_pylist() == values


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_floats_come_back(values):
    assert numbers(column("0.5", *map(repr, values))).to_pylist() == [0.5, *values]


@given(st.lists(st.text("01+-.eE", max_size=4), min_size=1))
def test_numbers_are_what_python_takes_for_numbers(texts):
    def reads(text):
        try:
            return float(text)
        except ValueError:
            return None

    expected = [reads(text) for text in texts]
    found = numbers(column(*texts))
    assert (found and found.to_pylist()) == (None if None in expected else expected)


def test_codes_are_no_numbers_unless_wanted():
    for codes in (["007", "1"], ["-01"], ["00"]):
        assert numbers(column(*codes), codes=False) is None
        assert numbers(column(*codes)).to_pylist() == list(map(int, codes))
    for plain in (["0", "10"], ["0.5", "00.5"]):
        assert numbers(column(*plain), codes=False) is not None


def test_a_word_after_many_numbers_is_found():
    assert numbers(column(*["1"] * 1000, "one")) is None


@given(st.lists(st.datetimes(), min_size=1), st.sampled_from(["s", "ms", "us"]))
def test_days(values, unit):
    whole = [one.replace(microsecond=0) for one in values]
    found = days(pa.chunked_array([whole], pa.timestamp(unit)))
    epoch = datetime.datetime(1970, 1, 1)
    assert_allclose(found, [(one - epoch) / datetime.timedelta(1) for one in whole], rtol=1e-14)


def test_days_of_all_types():
    second = np.datetime64("1970-01-02T06:00:00")
    for unit in ("s", "ms", "us", "ns"):
        array = pa.array(np.array([second], f"M8[{unit}]"))
        assert days(pa.chunked_array([array])) == [1.25]
        assert days(pa.chunked_array([array.cast(pa.timestamp(unit, "UTC"))])) == [1.25]
    for kind in (pa.date32(), pa.date64()):
        found = days(pa.chunked_array([pa.array([datetime.date(1970, 1, 3), None], kind)]))
        assert_allclose(found, [2, np.nan])
    for kind in (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")):
        assert days(pa.chunked_array([pa.array([datetime.time(6)], kind)])) == [0.25]


def test_whole_numbers_that_floats_cannot_tell_apart_stay_text():
    wide = column("10000000000000000001", "10000000000000000002")
    assert numbers(wide, codes=False) is None
    assert numbers(wide).type == pa.float64()
    mixed = column("10000000000000000001", "1.5")
    assert numbers(mixed, codes=False).to_pylist() == [1e19, 1.5]
