import numpy as np
import pytest

from nacre.kernels import vectors as kernel


@pytest.fixture(params=[0, 1, 3, 64, 1001])
def size(request):
    return request.param


def test_plain_loops(size):
    rng = np.random.default_rng(size)
    a, b = rng.normal(size=(2, size))
    assert kernel.add_up(a) == pytest.approx(a.sum())
    assert kernel.dot(a, b) == pytest.approx(a @ b)
    out = a.copy()
    kernel.add_scaled(out, 2.5, b)
    np.testing.assert_allclose(out, a + 2.5 * b, atol=1e-14)
    kernel.copy(out, b)
    assert np.array_equal(out, b)


def test_places(size):
    rng = np.random.default_rng(size)
    x, out = rng.normal(size=(2, size))
    places = rng.integers(-1, 4, size).astype(np.int32)
    table = rng.normal(size=4)
    there = places >= 0
    sums, picked = table.copy(), out.copy()
    kernel.scatter(sums, x, places)
    np.testing.assert_allclose(sums, table + np.bincount(places[there], x[there], 4))
    kernel.add_placed(picked, table, places)
    np.testing.assert_allclose(picked, out + np.where(there, table[places], 0.0))
