import numpy as np
import pytest

from nacre.kernels import naive_bayes as kernel

nan = np.nan


@pytest.mark.parametrize("shift", [0.0, 1.0, 1e8])
@pytest.mark.parametrize("size", [1, 5, 1001])
def test_moments(shift, size):
    rng = np.random.default_rng(size)
    x, w = shift + rng.normal(size=size), rng.random(size)
    gaps = rng.random(size) < 0.3
    gaps[0] = False
    x[gaps] = nan
    mean, variance = kernel.moments(x, w)
    expected = np.average(x[~gaps], weights=w[~gaps])
    assert mean == pytest.approx(expected, rel=1e-12)
    spread = np.average((x[~gaps] - expected) ** 2, weights=w[~gaps])
    assert variance == pytest.approx(spread, rel=1e-6, abs=1e-12)


def test_moments_of_nothing_are_those_of_all_rows():
    for x, w in (([nan, nan], [1.0, 1.0]), ([3.0, 4.0], [0.0, 0.0]), ([], [])):
        assert kernel.moments(np.array(x, float), np.array(w, float)) == (0.0, 1.0)


def test_densities_of_missing_numbers_add_nothing():
    out = np.array([1.0, 1.0, 1.0])
    kernel.add_density(out, np.array([2.0, nan, 4.0]), 3.0, 0.5, 0.25)
    assert out.tolist() == [0.75, 1.0, 0.75]


def test_any_part_of_the_rows():
    rng = np.random.default_rng(0)
    numbers, prior = rng.normal(size=(2, 50)), np.log([0.2, 0.3, 0.5])
    places = rng.integers(-1, 4, (1, 50)).astype(np.int32)
    curves, tables = rng.random((2, 3, 3)), -rng.random((3, 4))
    whole, part = np.empty((3, 50)), np.empty((3, 20))
    kernel.put_out(numbers, places, 0, 50, prior, curves, tables, whole)
    kernel.put_out(numbers, places, 30, 50, prior, curves, tables, part)
    np.testing.assert_allclose(part, whole[:, 30:])
