"""Trees whose leaves say shares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from nacre.consensus.forest import Forest
from nacre.learners.branches import Trees
from nacre.learners.tree import Tree
from tests.training import noisy_problem, problems


def forest_of(training, trees=4, **shape):
    fitter = Tree(**shape).prepare(training)
    found, shares, said = [], [], []
    for t in range(trees):
        times = np.random.default_rng(t).integers(0, 3, len(training.y))
        tree, own = fitter.fit_shares(training.weight * times, t)
        found.append(tree)
        shares.append(own)
        said.append(own[fitter.leaf])
    return Forest(fitter.collect(found), np.concatenate(shares)), np.mean(said, axis=0)


@given(training=problems(rows=40, classes=(2, 5)), cuts=st.booleans())
def test_shares_are_those_of_the_leaves(training, cuts):
    forest, expected = forest_of(training, max_depth=3, random_cuts=cuts)
    said = forest.mean_shares(training.X)
    assert_allclose(said, expected, rtol=1e-12)
    assert_allclose(said.sum(axis=1), 1.0)


def test_a_forest_is_a_sequence_of_trees():
    forest, _ = forest_of(noisy_problem(60, 3))
    assert len(forest) == 4
    assert list(forest) == forest.trees.trees
    assert forest.width == 1 + max(tree.feature.max() for tree in forest)
    assert forest.trees.nodes == sum(map(len, forest)) == len(forest.shares)


def test_importances_are_the_shares_of_gains():
    forest, _ = forest_of(noisy_problem(100, 3))
    expected = np.zeros(4)
    for tree in forest:
        for node in np.flatnonzero(tree.feature >= 0):
            expected[tree.feature[node]] += tree.gain[node] / tree.gain.sum()
    assert_allclose(forest.importances(4), expected)
    assert expected.argmax() == 0


def test_what_a_file_may_not_say():
    forest, _ = forest_of(noisy_problem(60, 3))
    forest._check_loaded()
    for trees, shares in (
        (None, forest.shares),
        (Trees([], {}, 2), np.zeros((0, 2))),
        (forest.trees, forest.shares[1:]),
        (forest.trees, forest.shares[:, :1]),
        (forest.trees, forest.shares.astype(np.float32)),
    ):
        with pytest.raises(ValueError, match=r"trees|shares"):
            Forest(trees, shares)._check_loaded()
