"""What is known of AdaBoost_Reg."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

from nacre import AdaBoostClassifier, AdaBoostRegClassifier
from nacre.boost import Algorithm, Round, Rules, boost
from nacre.diagnostics import weight_paths
from nacre.filters import WeightFilter
from nacre.learners.stump import StumpFitter
from nacre.models.adaboostreg import SoftMargin, SoftStep, least_cost
from nacre.noise import flip_labels
from tests.training import agreement, noisy_problem

CANCER = load_breast_cancer(return_X_y=True)


def run_of(training, strength, rounds=30):
    algorithm = Algorithm(SoftMargin(strength), SoftStep(), samme=False)
    return boost(StumpFitter(training, 255, 1), training, algorithm, rounds)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weights", ["equal", "random"])
def test_each_vote_is_of_least_cost(n_classes, weights):
    """The derivative of the mean cost of soft margins along each hypothesis is 0."""
    training, strength = noisy_problem(150, 4, n_classes, weights=weights), 0.2
    run = run_of(training, strength)
    assert len(run) > (5 if n_classes == 2 else 1)  # three classes end by chance
    s, u = training.weight, agreement(run.hypotheses, training.X, training.y)
    z = soft = np.zeros(150)
    for t in range(len(run)):
        w = s * np.exp(-z - strength * soft)
        assert run.log_costs[t] == pytest.approx(np.log(w.sum()), abs=1e-9)
        w /= w.sum()
        assert run.errors[t] == pytest.approx(w[u[t] < 0].sum(), rel=1e-9)
        z, soft = z + run.votes[t] * u[t], soft + run.votes[t] * w / s
        after = s * np.exp(-z - strength * soft)
        assert after @ (u[t] + strength * w / s) == pytest.approx(0.0, abs=1e-9 * after.sum())


def test_in_the_papers_terms():
    """Normalised margins plus C' times the influence, with weights of sum 1."""
    training, strength, n = noisy_problem(120, 4), 0.2, 120
    run = run_of(training, strength, 12)
    u = agreement(run.hypotheses, training.X, training.y)
    weights = [np.full(n, 1 / n)]
    for t in range(1, len(run)):
        votes = run.votes[:t]
        margin = votes @ u[:t] / votes.sum()
        influence = votes @ np.array(weights) / votes.sum()
        costs = np.exp(-votes.sum() * (margin + n * strength * influence))
        assert run.log_costs[t] == pytest.approx(np.log(costs.mean()), abs=1e-9)
        weights.append(costs / costs.sum())
        assert run.errors[t] == pytest.approx(weights[t][u[t] < 0].sum())


def test_none_is_adaboost():
    training = noisy_problem(200, 4)
    own = run_of(training, 0.0)
    ada = boost(StumpFitter(training, 255, 1), training, Algorithm(samme=False), 30)
    assert list(own.hypotheses) == list(ada.hypotheses)
    np.testing.assert_allclose(own.votes, ada.votes, rtol=1e-9)


def test_the_first_vote_by_hand():
    """All shares are 1: b = 1/2 log((1 - err)(1 + C) / (err (1 - C)))."""
    training = noisy_problem(100, 3)
    run = run_of(training, 0.4, 1)
    err = run.errors[0]
    assert run.votes[0] == pytest.approx(0.5 * np.log((1 - err) * 1.4 / (err * 0.6)))


def test_a_cost_that_falls_without_bound():
    gain, w = np.array([1.0, -1.0]), np.array([0.7, 0.3])
    assert least_cost(w, gain) == pytest.approx(0.5 * np.log(0.7 / 0.3))
    pull, s = SoftMargin(0.5).ready(0, None), np.full(10, 0.1)
    z = np.array([-2.0] + [0.0] * 9)
    w, _ = pull.weigh(z, s, 1.0)
    u = np.array([-1.0] + [1.0] * 9)  # wrong on the one row that weighs more than two
    assert pull.share[0] > 2.0
    now = Round(2, w[0], 0.0, 0.0, 1.0, s, z, u, pull)
    assert SoftStep().take(now, np.empty(0), Rules(2, 5)).end == "step undefined"


def test_wrong_labels_weigh_less_and_harm_less():
    X, y = CANCER
    errors, weight = {"ada": 0.0, "soft": 0.0}, {"ada": 0.0, "soft": 0.0}
    for seed in range(4):
        labels, wrong = flip_labels(y[::2], 0.2, random_state=seed)
        for name, model in {
            "ada": AdaBoostClassifier(variant="m1"),
            "soft": AdaBoostRegClassifier(),
        }.items():
            model.fit(X[::2], labels)
            errors[name] += np.mean(model.predict(X[1::2]) != y[1::2])
            scores = WeightFilter(clone(model)).fit(X[::2], labels).scores_
            weight[name] += scores[wrong].sum() / scores.sum()
    assert errors["soft"] < 0.8 * errors["ada"]
    assert weight["soft"] < weight["ada"]


def test_weights_are_replayed():
    training = noisy_problem(80, 3)
    algorithm = Algorithm(SoftMargin(0.3), SoftStep(), samme=False)
    run = boost(StumpFitter(training, 255, 1), training, algorithm, 10)
    hits = agreement(run.hypotheses, training.X, training.y)
    paths = weight_paths(hits, run.steps.drive, algorithm=algorithm)
    errors = [w[u < 0].sum() for w, u in zip(paths, hits, strict=True)]
    np.testing.assert_allclose(errors, run.errors, rtol=1e-9)


@pytest.mark.parametrize("value", [-1.0, 1.0, np.inf, "1"])
def test_bad_values(value):
    with pytest.raises((TypeError, ValueError), match="C must be"):
        AdaBoostRegClassifier(C=value).fit(*CANCER)


def test_the_step_needs_its_cost():
    training = noisy_problem(30, 2)
    with pytest.raises(TypeError, match="SoftMargin"):
        boost(StumpFitter(training, 255, 1), training, Algorithm(step=SoftStep()), 3)
    with pytest.raises(ValueError, match="noise-corrected"):
        SoftMargin().ready(0, np.zeros(3))
