"""What is known of BrownBoost."""

import numpy as np
import pytest
from scipy.special import erf, erfc
from sklearn.datasets import load_breast_cancer

from nacre import AdaBoostClassifier, BrownBoostClassifier, Tree
from nacre.boost import Algorithm, boost
from nacre.learners.stump import StumpFitter
from nacre.models.brownboost import BrownCost, BrownStep, Line
from nacre.noise import flip_labels
from tests.training import agreement, noisy_problem

CANCER = load_breast_cancer(return_X_y=True)


def run_of(training, c, rounds=200):
    algorithm = Algorithm(BrownCost(c), BrownStep(c), samme=False)
    return boost(StumpFitter(training, 255, 1), training, algorithm, rounds)


@pytest.mark.parametrize("c", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("weights", ["equal", "random"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_both_equations_hold_after_each_round(c, weights, n_classes):
    training = noisy_problem(150, 4, n_classes, weights=weights)
    run = run_of(training, c)
    assert len(run) > 0
    s, u = training.weight, agreement(run.hypotheses, training.X, training.y)
    z, left, target = np.zeros(150), c, erfc(np.sqrt(c))
    for t in range(len(run)):
        w = s * np.exp(-((z + left) ** 2) / c)
        assert run.errors[t] == pytest.approx(w[u[t] < 0].sum() / w.sum(), rel=1e-9)
        z = z + run.votes[t] * u[t]
        assert 0.0 <= run.states[t, 0] <= left  # time never grows
        left = run.states[t, 0]
        assert s @ erfc((z + left) / np.sqrt(c)) == pytest.approx(target, rel=1e-9)
        w = s * np.exp(-((z + left) ** 2) / c)
        edge = w @ u[t] / w.sum()
        if left > 0.0:
            assert edge == pytest.approx(0.0, abs=1e-9)
        else:
            assert edge > -1e-9  # the time was up before the edge
    if run.stop_reason == "time is up":
        assert left == 0.0
        assert s[z < 0].sum() <= target  # the training error that c stands for


def test_the_time_is_used_up():
    training = noisy_problem(150, 4, flip=0.1)
    run = run_of(training, 0.5)
    assert run.stop_reason == "time is up"
    assert run.states[-1] == 0.0
    assert (run.votes > 0).all()


def test_long_times_are_adaboost():
    """Far from the end weights go with exp(-2 z s / c): AdaBoost's, with votes halved."""
    training = noisy_problem(200, 4)
    brown = run_of(training, 1e6, 10)
    ada = boost(StumpFitter(training, 255, 1), training, Algorithm(samme=False), 10)
    assert list(brown.hypotheses) == list(ada.hypotheses)
    np.testing.assert_allclose(brown.votes, ada.votes / 2, rtol=1e-2)


def test_rows_far_behind_are_given_up():
    cost = BrownCost(1.0)
    pulls = np.exp(cost.log_pull(np.array([-5.0, -0.5, 0.0, 3.0]), 0.5))
    assert pulls.argmax() == 1
    assert pulls[0] < pulls[3] < 1e-4
    np.testing.assert_allclose(cost.value(np.array([0.3]), 0.2), (1 - erf(0.5)) / 2)


@pytest.mark.parametrize("seed", range(20))
def test_steps_of_any_line_are_found(seed):
    rng = np.random.default_rng(seed)
    n, c = int(rng.integers(2, 60)), float(np.exp(rng.uniform(-4, 5)))
    a, u = rng.normal(size=n) * np.sqrt(c) * rng.choice([0.1, 1, 5]), rng.choice([-1.0, 1.0], n)
    u[:2] = 1, -1
    s = rng.random(n)
    line = Line(a, u, s / s.sum(), c)
    if line.edge(0.0) < 0.01:
        line = Line(a, -u, s / s.sum(), c)
    if line.edge(0.0) < 0.01:
        return
    left = float(c * rng.random())
    vote, time = line.solve(left)
    assert vote > 0.0
    assert 0.0 < time <= left
    assert line.potential(vote, time)[0] == pytest.approx(line.before, abs=1e-9)
    assert time == left or abs(line.edge(vote)) < 1e-9


def test_wrong_labels_harm_it_less():
    X, y = CANCER
    errors = {"ada": 0.0, "brown": 0.0}
    for seed in range(5):
        labels, _ = flip_labels(y[::2], 0.2, random_state=seed)
        for name, model in {
            "ada": AdaBoostClassifier(Tree(2)),
            "brown": BrownBoostClassifier(Tree(2), c=0.3),
        }.items():
            errors[name] += np.mean(model.fit(X[::2], labels).predict(X[1::2]) != y[1::2])
    assert errors["brown"] < 0.8 * errors["ada"]


@pytest.mark.parametrize("c", [0, -1.0, np.inf, "1"])
def test_bad_times(c):
    with pytest.raises((TypeError, ValueError), match="c must be"):
        BrownBoostClassifier(c=c).fit(*CANCER)
