"""Distances from landmarks, and sums that fade with them, against plain NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from nacre.kernels.distances import fill_distances, turn_to_kernels


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
def test_kernels_follow_from_products(root):
    rng = np.random.default_rng(0)
    here, there, costs = rows(7, 3, 2, rng), rows(5, 3, 2, rng), rng.random(2)
    here[0][0], here[1][0] = there[0][3], there[1][3]  # at a landmark itself
    apart = brute_force(*here, *there, costs)
    near = here[0] @ there[0].T
    squares = [(one[0] ** 2).sum(axis=1) for one in (here, there)]
    turn_to_kernels(near, *squares, here[1], there[1].T.copy(), costs, 0.3, root)
    expected = np.exp(-0.3 * (np.sqrt(apart) if root else apart))
    assert_allclose(near, expected, rtol=1e-12, atol=1e-7 if root else 1e-12)


def test_nothing_is_left_far_away():
    near, nowhere = np.zeros((1, 2)), np.empty((1, 0), np.int32)
    at = np.empty((0, 2), np.int32)
    turn_to_kernels(near, np.zeros(1), np.array([0.0, 1e300]), nowhere, at, np.zeros(0), 1.0, False)
    assert near[0, 0] == 1.0
    assert near[0, 1] < 1e-300
