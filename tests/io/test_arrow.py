import datetime
from decimal import Decimal
from fractions import Fraction

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nacre.io.arrow import as_array, as_column, is_plain, plain_values, spelled

nan = float("nan")


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, None, 3], pa.int64(), [1, None, 3]),
        ([1, 2.5, Decimal("0.5"), np.float32(2)], pa.float64(), [1, 2.5, 0.5, 2]),
        ([Fraction(1, 4), None], pa.float64(), [0.25, None]),
        ([True, None, False], pa.bool_(), [True, None, False]),
        (["a", nan, pd.NA, pd.NaT, None], pa.string(), ["a", *[None] * 4]),
        ([1, "x", 2.0, True], pa.large_string(), ["1", "x", "2", "True"]),
        ([10**30, 1], pa.large_string(), [str(10**30), "1"]),
        ([10**400, 0.5], pa.large_string(), [str(10**400), "0.5"]),
        ([datetime.date(2020, 1, 2)], pa.large_string(), ["2020-01-02"]),
        (["\ud800", "a"], pa.large_string(), ["?", "a"]),
        ([1 + 2j, None], pa.large_string(), ["(1+2j)", None]),
        ([None, nan], pa.null(), [None, None]),
    ],
    ids=str,
)  # fmt: skip
def test_objects(values, kind, expected):
    found = as_array(values)
    assert found.to_pylist() == expected
    assert found.type == kind


@pytest.mark.parametrize(
    ("frame", "kind", "expected"),
    [
        (pd.DataFrame({"a": pd.Categorical(["x", None])}), pa.large_string(), ["x", None]),
        (pd.DataFrame({"a": pd.Categorical([2, 1])}), pa.int64(), [2, 1]),
        (pd.DataFrame({"a": pd.Categorical([(1,), (3,)])}), pa.large_string(), ["(1,)", "(3,)"]),
        (pd.DataFrame({"a": [1.5, nan]}), pa.float64(), [1.5, None]),
        (pd.DataFrame({"a": ["\ud800"]}, dtype=object), pa.large_string(), ["?"]),
        (pl.DataFrame({"a": [1.5, nan]}), pa.float64(), [1.5, None]),
        (pl.DataFrame({"a": [Decimal("1.5"), None]}), pa.float64(), [1.5, None]),
        (pl.DataFrame({"a": [10**30, 1]}), pa.large_string(), [str(10**30), "1"]),
        (pl.DataFrame({"a": pl.Series([1, "x"], dtype=pl.Object)}), pa.large_string(), ["1", "x"]),
        (pl.DataFrame({"a": ["x"]}, schema={"a": pl.Categorical}), pa.large_string(), ["x"]),
        (pa.table({"a": pa.array(["x", "y"], pa.string_view())}), pa.large_string(), ["x", "y"]),
        (pa.table({"a": [b"x", b"y"]}), pa.large_string(), ["x", "y"]),
        (pa.table({"a": [b"\xff"]}), pa.binary(), [b"\xff"]),
        (pa.table({"a": np.array([1.5, nan], np.float16)}), pa.float64(), [1.5, None]),
        (pa.table({"a": pa.nulls(2)}), pa.null(), [None, None]),
        (pa.table({"a": [Decimal(10**20), Decimal(10**20 + 1)]}), pa.large_string(),
         [str(10**20), str(10**20 + 1)]),
        (pa.table({"a": [Decimal(3), None]}), pa.int64(), [3, None]),
        (pa.table({"a": pa.array([b"x", b"y"], pa.binary_view())}), pa.large_string(), ["x", "y"]),
        (pa.table({"a": pa.array([bytes(16)], pa.uuid())}), pa.large_string(),
         ["00000000-0000-0000-0000-000000000000"]),
        (pd.DataFrame({"a": pd.period_range("2020", periods=2, freq="M")}), pa.large_string(),
         ["2020-01", "2020-02"]),
    ],
    ids=str,
)  # fmt: skip
def test_columns_of_frames(frame, kind, expected):
    found = as_column(nw.from_native(frame)["a"])
    assert found.to_pylist() == expected
    assert found.type == kind


def test_equal_numbers_are_spelled_alike():
    def words(values, kind=None):
        return spelled(pa.chunked_array([values], kind)).to_pylist()

    assert words([1, -2, None], pa.int8()) == ["1", "-2", None]
    assert words([1.0, -2.0, 0.5, -0.0, 1e300]) == ["1", "-2", "0.5", "0", str(int(1e300))]
    assert words([True, False]) == ["True", "False"]
    assert words(["1.0", "x"], pa.large_string()) == ["1.0", "x"]
    assert words([datetime.date(2020, 1, 2)]) == ["2020-01-02"]


def test_plain_types():
    for kind in (pa.int8(), pa.float64(), pa.bool_(), pa.null(), pa.string(), pa.date32()):
        assert is_plain(kind)
    for kind in (pa.list_(pa.int8()), pa.struct([]), pa.binary(), pa.month_day_nano_interval()):
        assert not is_plain(kind)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, None], [1, None]),
        ([True, None], [True, None]),
        (["text", None], ["text", None]),
        ([0.5, nan, float("inf"), None], [0.5, None, "inf", None]),
        ([datetime.date(2020, 1, 2)], ["2020-01-02"]),
        (pa.array([10**18], pa.timestamp("s")), ["<value out of range: 1000000000000000000>"]),
        ([Decimal("1.10")], ["1.10"]),
        (pa.array(["x", None]).dictionary_encode(), ["x", None]),
        ([[1, 2]], ["[1, 2]"]),
        ([b"\xff"], [r"\xff"]),
    ],
    ids=str,
)
def test_values_as_json_has_them(values, expected):
    found = plain_values(nw.from_native(pa.table({"a": values}))["a"])
    assert found == expected
    assert [type(one) for one in found] == [type(one) for one in expected]
