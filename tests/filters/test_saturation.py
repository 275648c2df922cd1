"""Gamberger's filter against its definition, pair by pair."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.filters import SaturationFilter
from nacre.filters.saturation import saturation_scores
from tests.training import examples, make_problem


def every_test(X):
    """All tests of single columns, as answers: thresholds in order, column by column."""
    return [tuple(column > cut) for column in X.T for cut in np.unique(column)[:-1]]


def chosen(X, y):
    """Greedily, each test that parts most pairs of different labels that are not parted yet."""
    every, picked = every_test(X), []
    left = {pair for pair in combinations(range(len(y)), 2) if y[pair[0]] != y[pair[1]]}
    while left:
        parts = [sum(test[a] != test[b] for a, b in left) for test in every]
        best = int(np.argmax(parts))
        picked.append(every[best])
        left = {(a, b) for a, b in left if every[best][a] == every[best][b]}
    return picked


def weights(X, y):
    """1 / |E| of every test for the rows of a label that it alone parts from others."""
    picked, out = chosen(X, y), np.zeros(len(y))
    for test in picked:
        rest = list(picked)
        rest.remove(test)
        needs = {
            pair for pair in combinations(range(len(y)), 2)
            if y[pair[0]] != y[pair[1]] and all(one[pair[0]] == one[pair[1]] for one in rest)
        }  # fmt: skip
        rows = {row for pair in needs for row in pair}
        for row in rows:
            out[row] += 1 / sum(y[other] == y[row] for other in rows)
    return out


def set_aside(X, y, tolerance):
    """Scores by the definition, of rows that do not contradict each other."""
    left, scores = np.arange(len(y)), np.zeros(len(y))
    while len(left):
        scores[left] = weights(X[left], y[left])
        top = scores[left].max()
        if top <= tolerance:
            break
        left = left[scores[left] < top - 1e-9]
    return scores / tolerance


@examples(5)
@given(st.data())
def test_the_definition(data):
    n = data.draw(st.integers(4, 12))
    seed = data.draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (n, 2)).astype(float)
    X = X[np.sort(np.unique(X, axis=0, return_index=True)[1])]
    y = rng.integers(0, data.draw(st.integers(2, 3)), len(X))
    tolerance = data.draw(st.sampled_from([0.5, 1.0, 1.5]))
    found = saturation_scores(make_problem(X, y), tolerance)
    np.testing.assert_allclose(found.scores, set_aside(X, y, tolerance))


def test_an_exception_pays_for_its_rule():
    """One wrong label in the middle of a class: two thresholds are there for it alone."""
    X, y = np.arange(40.0)[:, None], np.repeat([0, 1], 20)
    y[5] = 1
    found = SaturationFilter().fit(X, y)
    assert np.flatnonzero(found.mislabeled_).tolist() == [5]
    assert found.suggested_[5] == 0
    assert not SaturationFilter(tolerance=2.5).fit(X, y).mislabeled_.any()


def test_rows_that_contradict_each_other():
    X = np.array([[1.0], [1.0], [1.0], [2.0], [2.0], [3.0], [4.0]])
    y = np.array([0, 0, 1, 0, 1, 1, 1])
    found = SaturationFilter(tolerance=5.0).fit(X, y)
    np.testing.assert_array_equal(found.mislabeled_, [0, 0, 1, 1, 1, 0, 0])
    assert found.suggested_[2] == 0


def test_categories_and_gaps():
    X = np.array([[k % 3, np.nan if k % 2 else k] for k in range(30)], float)
    y = (X[:, 0] == 1).astype(int)
    y[7] = 1 - y[7]
    X[7, 1] = 100.0  # a test can find it
    found = SaturationFilter(0.5, categorical_features=[0]).fit(X, y)
    assert np.flatnonzero(found.mislabeled_).tolist() == [7]


@pytest.mark.parametrize("tolerance", ["much", 0.0, -1.0])
def test_bad_tolerance(tolerance):
    with pytest.raises((TypeError, ValueError), match="tolerance must be a number above 0"):
        SaturationFilter(tolerance).fit(np.arange(4.0)[:, None], [0, 1, 0, 1])
