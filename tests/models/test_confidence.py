"""Real and Modest AdaBoost: trees whose leaves say how sure they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeRegressor

from nacre import (
    AdaBoostClassifier,
    GentleBoostClassifier,
    ModestAdaBoostClassifier,
    RealAdaBoostClassifier,
    Stump,
    Tree,
)
from nacre.boost.gradient import GradientBoosting
from nacre.noise import flip_labels
from tests.boost.test_gradient import naive_learner
from tests.textbook import gradient as twin
from tests.training import examples, noisy_problem, problems

KINDS = {
    "real": (RealAdaBoostClassifier, twin.real_adaboost),
    "modest": (ModestAdaBoostClassifier, twin.modest_adaboost),
}
CANCER = load_breast_cancer(return_X_y=True)
ROUNDS = 4


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
@examples(0.7)
@given(
    training=problems(rows=25, columns=3, classes=(2, 4), weights=("equal", "random")),
    depth=st.integers(1, 3),
    rate=st.sampled_from([1.0, 0.3]),
)
def test_trees_and_twin(name, training, depth, rate):
    assert_twin(name, training, depth, rate)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_tree_and_twin(name, n_classes):
    assert_twin(name, noisy_problem(60, 3, n_classes, weights="random"), 2, 0.5)


def assert_twin(name, training, depth, rate):
    kind, run = KINDS[name]
    model = kind(Tree(depth), learning_rate=rate)
    fitter = model._prepare(model._learner(), training)
    start = np.zeros(1 if training.n_classes == 2 else training.n_classes)
    boosting = GradientBoosting(fitter, training, model._aim(), start, rate)
    boosting.advance(ROUNDS)
    counts = np.ones(len(training.y)) if training.count is None else training.count
    learn = naive_learner(training, depth)
    stages = run(
        learn, training.y, training.n_classes, ROUNDS, training.weight, rate, counts=counts
    )
    found = boosting.run()
    staged = found.hypotheses.staged(training.X, found.votes)
    for t, moved in enumerate(staged):
        np.testing.assert_allclose(moved, stages[t], rtol=1e-7, atol=1e-9)
    assert len(found) == ROUNDS or found.stop_reason == "nothing to learn"


def test_weight_two_is_two_rows():
    X, y = CANCER
    times = np.random.default_rng(0).integers(1, 4, len(y))
    for kind, _ in KINDS.values():
        weighted = kind(Tree(2), 10).fit(X, y, times).decision_function(X)
        repeated = kind(Tree(2), 10).fit(X.repeat(times, 0), y.repeat(times)).decision_function(X)
        np.testing.assert_allclose(weighted, repeated, atol=1e-8)


def test_real_lowers_the_cost_most():
    """No other values of the same leaves would, so it falls faster than GentleBoost's at first."""
    X, y = CANCER
    real = RealAdaBoostClassifier(n_estimators=1, smoothing=1e-9).fit(X, y)
    gentle = GentleBoostClassifier(n_estimators=1).fit(X, y)
    assert real.train_losses_[0] < gentle.train_losses_[0]
    leaves = real._scores(X)
    signs = 2.0 * y - 1.0
    for leaf in np.unique(leaves):
        here = signs[leaves == leaf]
        assert leaf == pytest.approx(0.5 * np.log((here > 0).sum() / (here < 0).sum()), abs=1e-6)


def test_modest_is_modest():
    X, y = CANCER
    modest = ModestAdaBoostClassifier(n_estimators=50).fit(X, y)
    ada = AdaBoostClassifier(n_estimators=50).fit(X, y)
    assert modest.score(X, y) < ada.score(X, y)
    assert np.abs(modest.decision_function(X)).max() < np.abs(ada.decision_function(X)).max()
    errors = dict.fromkeys(("ada", "modest"), 0.0)
    for seed in range(4):
        labels, _ = flip_labels(y[::2], 0.2, random_state=seed)
        for name, model in {"ada": ada, "modest": modest}.items():
            errors[name] += np.mean(model.fit(X[::2], labels).predict(X[1::2]) != y[1::2])
    assert errors["modest"] < 0.8 * errors["ada"]


def test_probabilities():
    X, y = CANCER
    labels, _ = flip_labels(y, 0.2, random_state=0)
    assert RealAdaBoostClassifier().fit(X, labels).link_scale_ == 1.0
    modest = ModestAdaBoostClassifier().fit(X, labels)
    assert modest.link_scale_ > 1.0


def test_learners():
    for kind, _ in KINDS.values():
        same = [kind(one, 5).fit(*CANCER).decision_function(CANCER[0]) for one in (None, Stump())]
        np.testing.assert_array_equal(*same)
        for other in (DecisionTreeRegressor(), 3, Stump):
            with pytest.raises(TypeError, match="must be a Tree or a Stump"):
                kind(other).fit(*CANCER)


@pytest.mark.parametrize("value", [0, -1.0, np.inf, "1"])
def test_bad_smoothing(value):
    with pytest.raises((TypeError, ValueError), match="smoothing must be"):
        RealAdaBoostClassifier(smoothing=value).fit(*CANCER)
