"""The queue."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.review.queue import draw_rows, interleave


@given(st.integers(0, 40), st.floats(0, 1), st.integers(0, 5))
def test_each_row_stands_there_once_in_both_orders(n, share, seed):
    rng = np.random.default_rng(seed)
    ranking, draws = rng.permutation(n), rng.permutation(n)
    found = interleave(ranking, draws, share)
    assert sorted(found.rows) == list(range(n))
    for order, mask in ((ranking, ~found.random), (draws, found.random)):
        place = np.argsort(order)[found.rows[mask]]
        assert np.all(np.diff(place) > 0)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.2, 0.25, 0.5, 1.0])
def test_the_share_of_random_rows_is_kept_all_along(share):
    rows = np.arange(500)
    found = interleave(rows, draw_rows(rows, 0), share)
    counts = np.cumsum(found.random)
    np.testing.assert_array_less(np.abs(counts - share * np.arange(1, 501)), 1.0)


def test_draws_are_of_the_seed():
    rows = np.arange(100, 200)
    np.testing.assert_array_equal(draw_rows(rows, 3), draw_rows(rows, 3))
    assert not np.array_equal(draw_rows(rows, 3), draw_rows(rows, 4))
    assert sorted(draw_rows(rows, 3)) == list(rows)
