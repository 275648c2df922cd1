import numpy as np
import pytest

from nacre.dask.rounds import Sums


def test_sums_of_different_units_add_up():
    one = Sums(0.0, np.array([1.0, 2.0]), np.array([3.0]), 1.0, 0.1, 0.2, 0.0, 0.5)
    other = Sums(-np.log(10.0), np.array([10.0, 0.0]), np.array([5.0]), 5.0, 1.0, 2.0, 1.0, 0.0)
    for found in (one + other, other + one):
        assert found.unit == 0.0
        np.testing.assert_allclose(found.hist, [2.0, 2.0])
        np.testing.assert_allclose(found.mass, [3.5])
        assert found[3:] == pytest.approx((1.5, 0.2, 0.4, 0.1, 0.5))


def test_rows_without_any_weight_add_nothing():
    none = Sums(-np.inf, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    some = Sums(-3.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    assert some + none == none + some == some
    assert (none + none).unit == -np.inf
