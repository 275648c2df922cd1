"""Distances from landmarks, and sums that fade with them, against plain NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from nacre.kernels.distances import add_up_near, fade, fill_distances


def rows(n, p, q, rng):
    return rng.normal(size=(n, p)), rng.integers(-1, 3, (n, q)).astype(np.int32)


def brute_force(numbers, places, at_numbers, at_places, costs):
    apart = np.zeros((len(numbers), len(at_numbers)))
    for i in range(len(numbers)):
        for j in range(len(at_numbers)):
            apart[i, j] = np.sum((numbers[i] - at_numbers[j]) ** 2)
            apart[i, j] += costs[places[i] != at_places[j]].sum()
    return apart


@given(
    st.integers(0, 6), st.integers(1, 6), st.integers(0, 9), st.integers(0, 3), st.integers(0, 99)
)
def test_distances_are_those_of_brute_force(n, m, p, q, seed):
    rng = np.random.default_rng(seed)
    here, there, costs = rows(n, p, q, rng), rows(m, p, q, rng), rng.random(q)
    out = np.empty((n, m))
    fill_distances(*here, *there, costs, out)
    assert_allclose(out, brute_force(*here, *there, costs), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("root", [False, True])
def test_sums_fade_with_the_distance(root):
    rng = np.random.default_rng(0)
    here, there, costs = rows(7, 3, 2, rng), rows(5, 3, 2, rng), rng.random(2)
    coefficients, out = rng.normal(size=(5, 4)), rng.normal(size=(7, 4))
    apart = brute_force(*here, *there, costs)
    expected = out + np.exp(-0.3 * (np.sqrt(apart) if root else apart)) @ coefficients
    add_up_near(*here, *there, costs, 0.3, root, coefficients, np.empty(5), out)
    assert_allclose(out, expected, rtol=1e-12)


def test_nothing_is_left_far_away():
    apart = np.array([0.0, 1e300])
    fade(apart, 1.0, False)
    assert apart[0] == 1.0
    assert apart[1] < 1e-300
