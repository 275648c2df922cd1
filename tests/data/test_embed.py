"""Rows as points."""

import numpy as np
from numpy.testing import assert_allclose

from nacre.data.embed import coordinates, embed
from tests.training import make_problem

nan = np.nan


def test_coordinates():
    matrix = np.array([[1.0, 7.0, 5.0], [3.0, nan, 5.0], [nan, 7.0, 5.0], [5.0, nan, 5.0]])
    numbers, places = coordinates(make_problem(matrix, [0, 1, 0, 1], categorical=[1]))
    spread = np.std([1.0, 3.0, 5.0])
    assert_allclose(numbers, [[-2 / spread], [0], [0], [2 / spread]])  # the last one never varies
    assert places.tolist() == [[0], [-1], [0], [-1]]


def test_a_category_that_differs_is_one_apart():
    matrix = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, nan], [2.0, 1.0]])
    points = embed(make_problem(matrix, [0, 1, 0, 1], categorical=[1]))
    apart = ((points[:, None] - points) ** 2).sum(axis=2)
    assert_allclose(apart[0, :3], [0.0, 1.0, 1.0])
    assert_allclose(apart[1, 2], 1.0)
    assert_allclose(apart[0, 3], (2.0 / np.std([0, 0, 0, 2])) ** 2)


def test_rows_that_are_all_equal_are_one_point():
    assert_allclose(embed(make_problem(np.ones((5, 2)), [0, 1, 0, 1, 0])), np.zeros((5, 1)))
