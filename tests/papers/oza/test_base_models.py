"""Multiway stumps of most information gain, and learners of drawn rows."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from nacre import AdaBoostClassifier, NaiveBayes, Stump
from nacre.papers.oza.base_models import GainFitter, GainStump, Resampled, entropy
from tests.training import make_problem, noisy_problem


def test_entropy_by_hand():
    groups = np.array([[1.0, 1.0], [3.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(entropy(groups), [2 * np.log(2), 0.0, 0.0])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_numbers_as_scikit_learn_splits_them(n_classes):
    training = noisy_problem(120, 3, n_classes, weights="random")
    said = GainFitter(training).fit(training.weight)[1]
    tree = DecisionTreeClassifier(criterion="entropy", max_depth=1)
    peer = tree.fit(training.X, training.y, training.weight * 120).predict(training.X)
    np.testing.assert_array_equal(said, peer)


def test_categories_by_brute_force():
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = rng.integers(0, 4, (60, 3)).astype(float)
        X[rng.random((60, 3)) < 0.05] = np.nan
        y, w = rng.integers(0, 3, 60), rng.random(60)
        training = make_problem(X, y, w / w.sum(), categorical=(0, 1, 2))
        rule, said = GainFitter(training).fit(training.weight)
        left = []
        for column in X.T:
            values = [column == v for v in range(4)] + [np.isnan(column)]
            left.append(
                sum(entropy(np.array([[w[v & (y == k)].sum() for k in range(3)]]))[0]
                    for v in values)
            )  # fmt: skip
        assert rule.column == int(np.argmin(left))
        for v in range(4):
            here = X[:, rule.column] == v
            if here.any():
                mass = [w[here & (y == k)].sum() for k in range(3)]
                assert set(said[here]) == {int(np.argmax(mass))}
        np.testing.assert_array_equal(rule.predict(X), said)
        unknown = np.full((1, 3), 9.0)
        assert rule.predict(unknown)[0] in range(3)


def test_as_a_base_model():
    training = noisy_problem(100, 3)
    model = AdaBoostClassifier(GainStump(), 10).fit(training.X, training.y)
    other = AdaBoostClassifier(Stump(), 10).fit(training.X, training.y)
    assert abs(model.score(training.X, training.y) - other.score(training.X, training.y)) < 0.15
    assert GainFitter(make_problem(np.ones((4, 1)), [0, 1, 1, 0])).fit(np.full(4, 0.25)) is None


def test_drawn_rows():
    """As many as there are, by weight: what is fitted is what a table of the drawn rows gives."""
    training = noisy_problem(80, 3)
    weights = np.random.default_rng(1).random(80)
    weights /= weights.sum()
    fitter = Resampled(NaiveBayes()).prepare(training)
    _, said = fitter.fit(weights, seed=5)
    times = np.random.default_rng(5).multinomial(80, weights)
    rows = np.repeat(np.arange(80), times)
    by_hand = NaiveBayes().fit(training.X[rows], training.y[rows])
    assert np.mean(by_hand.predict(training.X) == said) > 0.97
    assert np.array_equal(fitter.fit(weights, seed=5)[1], said)
    assert not np.array_equal(np.random.default_rng(6).multinomial(80, weights), times)
