"""How common values like a row's are among the rows of each class."""

import numpy as np
import pytest

from nacre.review.evidence import _Shares

nan = np.nan


@pytest.mark.parametrize("category", [False, True])
def test_gaps_are_values_of_their_own(category):
    values = np.array([1.0, 2.0, 3.0, 4.0, 4.0, nan, nan, nan])
    y = np.array([0, 0, 0, 0, 1, 1, 1, 0])
    shares = _Shares(values, y, 2, category)
    np.testing.assert_allclose(shares.of(nan), [1 / 5, 2 / 3])
    np.testing.assert_allclose(shares.of(4.0), [1 / 5, 1 / 3])


def test_categories_that_were_not_seen_are_nobodys():
    shares = _Shares(np.array([0.0, 1.0, nan]), np.array([0, 1, 1]), 2, True)
    assert shares.of(7.0).tolist() == [0.0, 0.0]
