"""Every reason to stop, through an estimator."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from nacre import (
    AdaBoostClassifier,
    BrownBoostClassifier,
    CoreBoostClassifier,
    GentleBoostClassifier,
    GradientBoostClassifier,
    LogitBoostClassifier,
    LPBoostClassifier,
    MarginBoostClassifier,
    PBoostClassifier,
    SNRBoostClassifier,
    Tree,
)
from nacre.boost.result import EARLY, ROUNDS_DONE
from nacre.boost.step import STOP_REASONS
from tests.training import noisy_problem

NOISY = noisy_problem(100, 3, flip=0.3)
LINE = np.arange(10.0)[:, None]
ONE_WRONG = np.array([0] * 4 + [1] + [1] * 4 + [0])

ENDS = {
    "rounds done": [(AdaBoostClassifier(n_estimators=5), NOISY.X, NOISY.y)],
    "no better than chance": [
        (AdaBoostClassifier(), [[0], [0], [1], [1]], [0, 1, 0, 1]),
        (AdaBoostClassifier(variant="m2"), [[0]] * 3 + [[1]] * 3, [0, 1, 2] * 2),
    ],
    "perfect": [
        (AdaBoostClassifier(), LINE, LINE[:, 0] > 4),
        (AdaBoostClassifier(Tree(max_depth=None)), NOISY.X, NOISY.y),
    ],
    "no descent": [
        (MarginBoostClassifier(bootstrap=False, descent_test=True), NOISY.X, NOISY.y),
        (PBoostClassifier(variant="strict", p=0.5), NOISY.X, NOISY.y),
        (PBoostClassifier(variant="gravity", gravity=10.0), NOISY.X, NOISY.y),
    ],
    "weights vanished": [
        (SNRBoostClassifier(sigma2=0.01, draws=100, bootstrap=False), NOISY.X, NOISY.y)
    ],
    "optimal": [(LPBoostClassifier(nu=0.9), NOISY.X, NOISY.y)],
    "time is up": [(BrownBoostClassifier(c=0.3), NOISY.X, NOISY.y)],
    "step undefined": [(CoreBoostClassifier(noise_rate=0.2, stochastic=False), LINE, ONE_WRONG)],
    "nothing to learn": [
        (AdaBoostClassifier(), np.ones((4, 2)), [0, 1, 1, 1]),
        (AdaBoostClassifier(Tree()), [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]),
        (GradientBoostClassifier(), np.ones((4, 2)), [0, 1, 1, 1]),
    ],
    EARLY: [
        (AdaBoostClassifier(n_iter_no_change=3, random_state=0), NOISY.X, NOISY.y),
        (LogitBoostClassifier(n_iter_no_change=3, random_state=0), NOISY.X, NOISY.y),
    ],
}


@pytest.mark.parametrize(
    ("reason", "model", "X", "y"), [(reason, *case) for reason in ENDS for case in ENDS[reason]]
)
@pytest.mark.filterwarnings("ignore:Boosting stopped in the first round")
def test_why_it_stopped(reason, model, X, y):
    model.fit(X, y)
    assert model.stop_reason_ == reason
    assert len(model.estimators_) < 100
    assert set(model.predict(X)) <= set(model.classes_)
    assert np.isfinite(model.predict_proba(X)).all()


def rare(n, positives):
    """A table with few rows of a class, well apart from the others."""
    X = np.random.default_rng(1).normal(size=(n, 3))
    X[:positives] += 2.5
    return X, (np.arange(n) < positives).astype(int)


@pytest.mark.parametrize("booster", [GradientBoostClassifier, GentleBoostClassifier])
@pytest.mark.parametrize("seed", range(12))
def test_a_subsample_without_a_rare_class_ends_nothing(booster, seed):
    X, y = rare(2000, 20)
    model = booster(learning_rate=0.1, subsample=0.1, random_state=seed).fit(X, y)
    assert len(model.estimators_) == 100
    assert model.predict(X).any()


@pytest.mark.parametrize(
    "model", [MarginBoostClassifier(Tree(2)), CoreBoostClassifier(Tree(3), noise_rate=0.05)]
)
def test_a_bootstrap_without_a_rare_class_ends_nothing(model):
    X, y = rare(1000, 3)
    for seed in range(4):
        assert len(clone(model).set_params(random_state=seed).fit(X, y).estimators_) == 100


def test_these_are_all_reasons():
    assert set(ENDS) == {*STOP_REASONS.values(), ROUNDS_DONE, EARLY, "time is up", "optimal"}


# Barnes' example: ten rows, of which two hypotheses get 7 right together, 2 and 1 alone


class Scripted(ClassifierMixin, BaseEstimator):
    """Says the first column to begin with, then the second."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.column_ = 0 if np.ptp(sample_weight) < 1e-12 else 1
        return self

    def predict(self, X):
        return X[:, self.column_].astype(int)


def seven_two_one(p):
    """The votes of strict p-boost where h1 is right on 7 + 2 rows and h2 on 7 + 1."""
    y = np.arange(10) % 2
    right = np.array([[1, 1]] * 7 + [[1, 0]] * 2 + [[0, 1]])
    X = np.where(right, y[:, None], 1 - y[:, None])
    model = PBoostClassifier(Scripted(), n_estimators=2, variant="strict", p=p).fit(X, y)
    return model.estimator_weights_, model.stop_reason_


def cost(a, p):
    """Mean exp(-margin) of votes 1 and a, brought to p-norm 1."""
    margins = np.array([1 + a] * 7 + [1 - a] * 2 + [a - 1]) / (1 + a**p) ** (1 / p)
    return np.exp(-margins).mean()


def test_the_example_has_an_interior_minimum_from_there_on():
    grid = np.geomspace(1e-3, 1, 20_000)[:-1]

    def interior(p):
        costs = np.array([cost(a, p) for a in grid])
        inside = costs[1:-1]
        return ((inside < costs[:-2]) & (inside < costs[2:])).any()

    assert not interior(0.6697)
    assert interior(0.6698)


@pytest.mark.parametrize("p", [0.5, 0.6690, 0.6698, 0.6790])
def test_uphill_steps_are_refused(p):
    # between 0.66974 and 0.6791 the cost has a minimum, but above that of standing still
    votes, reason = seven_two_one(p)
    assert votes.tolist() == [1.0]
    assert reason == "no descent"


@pytest.mark.parametrize("p", [0.6792, 0.7, 0.8])
def test_downhill_steps_are_taken(p):
    votes, reason = seven_two_one(p)
    assert reason == "rounds done"
    assert (votes**p).sum() == pytest.approx(1.0)
    a = votes[1] / votes[0]
    assert 0 < a < 1
    assert cost(a, p) < cost(0.0, p)
    nearby = a * np.array([0.999, 1.001])
    assert cost(a, p) < min(cost(other, p) for other in nearby)
