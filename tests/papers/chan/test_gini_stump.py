"""Stumps of least Gini index."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from nacre import AdaBoostClassifier, Tree
from nacre.diagnostics import decision_volumes
from nacre.papers.chan.gini_stump import GiniFitter, GiniStump
from tests.training import make_problem, noisy_problem


@pytest.mark.parametrize("n_classes", [2, 3])
def test_as_scikit_learn_splits(n_classes):
    training = noisy_problem(120, 3, n_classes, weights="random")
    _, said = GiniFitter(training, 1).fit(training.weight)
    tree = DecisionTreeClassifier(max_depth=1)
    peer = tree.fit(training.X, training.y, training.weight * 120)
    np.testing.assert_array_equal(said, peer.predict(training.X))


def test_the_same_ensemble_as_of_trees():
    training = noisy_problem(100, 3)
    X, y = training.X, training.y
    stumps = AdaBoostClassifier(GiniStump(), 20).fit(X, y)
    trees = AdaBoostClassifier(Tree(1), 20).fit(X, y)
    np.testing.assert_allclose(stumps.decision_function(X), trees.decision_function(X))
    np.testing.assert_allclose(
        decision_volumes(stumps, X, rounds=-1), decision_volumes(trees, X, rounds=-1)
    )


def test_nothing_to_split():
    assert GiniFitter(make_problem(np.ones((4, 1)), [0, 1, 1, 0]), 1).fit(np.full(4, 0.25)) is None
