"""Sweeping over rows finds the split that histograms of all classes do."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from nacre.kernels.drawn import fill_lane
from nacre.kernels.histogram import SIZE
from nacre.kernels.split import split_numbers
from nacre.kernels.sweep import sort_by_bin, sweep

LANE = 3


def node(seed, n, classes, values, gaps):
    """Rows of a node among others: words, codes, weights, the rows, totals."""
    rng = np.random.default_rng(seed)
    bins = rng.integers(0, values, 2 * n)
    bins[rng.random(2 * n) < gaps] = 255
    words = bins.astype(np.uint64) << np.uint64(8 * LANE)
    codes, weight = rng.integers(0, classes, 2 * n), rng.integers(1, 4, 2 * n).astype(float)
    rows = rng.permutation(2 * n).astype(np.int32)
    own = rows[:n]
    return words, codes, weight, rows, np.bincount(codes[own], weight[own], classes)


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 40),
    classes=st.integers(3, 12),
    values=st.sampled_from([1, 2, 7, 255]),
    gaps=st.sampled_from([0.0, 0.2, 1.0]),
    least=st.sampled_from([0.5, 5.0]),
)
def test_the_split_is_that_of_histograms(seed, n, classes, values, gaps, least):
    words, codes, weight, rows, total = node(seed, n, classes, values, gaps)
    whole = total.sum()
    places, order, side = np.empty(257, np.int64), np.empty(2 * n, np.int32), np.empty((3, classes))
    args = words, LANE, values, codes, weight, rows, 0, n, total, whole, least
    found = sweep(*args, math.inf, places, order, side)
    hist = np.zeros((classes, SIZE))
    fill_lane(words, LANE, values, codes, weight, np.empty(0), rows, 0, n, hist)
    twin = split_numbers(classes, LANE, values, hist, total, whole, least, math.inf, side)
    assert_allclose(found[2], twin[2], rtol=1e-9)
    if math.isfinite(twin[2]):  # the first of those that are as good but for rounding
        goal = twin[2] * (1.0 - 1e-9)
        first = sweep(*args, goal, places, order, side)
        assert first[:2] == split_numbers(
            classes, LANE, values, hist, total, whole, least, goal, side
        )[:2]  # fmt: skip


def test_rows_in_the_order_of_their_bins():
    words, *_, rows, _ = node(0, 30, 3, 9, 0.2)
    places, order = np.empty(257, np.int64), np.empty(60, np.int32)
    sort_by_bin(words, LANE, rows, 5, 25, places, order)
    bins = words >> np.uint64(8 * LANE)
    expected = sorted(rows[5:25].tolist(), key=lambda i: bins[i])
    assert order[:20].tolist() == expected
    assert places[255] == 20
    assert places[254] == np.sum(bins[rows[5:25]] < 255)
