import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nacre.dask import sketch
from nacre.dask.sketch import sort_column


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@given(st.data())
def test_any_floats_are_sorted_as_numpy_sorts_them(kind, data):
    width = 8 * np.dtype(kind).itemsize
    values = data.draw(hnp.arrays(kind, st.integers(0, 60), elements=st.floats(width=width)))
    got = values.copy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sketch, "MANY", 0)
        sort_column(got)
    np.testing.assert_array_equal(got, np.sort(values))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_gaps_of_either_sign_come_last_among_many_numbers(kind):
    values = np.random.default_rng(0).normal(size=20_000).astype(kind)
    values[::7], values[::11] = np.nan, -np.float64(np.nan)
    values[::13], values[::17], values[::19] = -0.0, np.inf, -np.inf
    values[::23] = np.float32(0.1)
    got = values.copy()
    sort_column(got)
    np.testing.assert_array_equal(got, np.sort(values))


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float16])
def test_other_numbers_are_left_to_numpy(kind):
    values = np.random.default_rng(0).integers(0, 50, 5000).astype(kind)
    got = values.copy()
    sort_column(got)
    np.testing.assert_array_equal(got, np.sort(values))
