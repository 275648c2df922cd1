import numpy as np
import pytest

from nacre import (
    AdaBoostClassifier,
    AveBoostClassifier,
    CoreBoostClassifier,
    MarginBoostClassifier,
    PBoostClassifier,
    SNRBoostClassifier,
)
from nacre.boost import Algorithm, ConvexHull, Exponential, Logistic, SloppyHull, Tanh, ZeroOne
from nacre.diagnostics import adaboost_bound, hits, weight_paths, weight_ranges
from tests.training import noisy_problem


def half_log_odds(errors):
    return np.log((1 - errors) / errors) / 2


def averaged(errors):
    """What AveBoost moves the margins by."""
    t = np.arange(1, len(errors) + 1)
    beta = errors / (1 - errors)
    gamma = (2 * (1 - errors) * t + 1) / (2 * errors * t + 1)
    return -np.log(beta * gamma) / 2


def sloppy(errors, p, acceleration=0.0):
    """Shrinks and drives of sloppy p-boosting."""
    steps = half_log_odds(errors) / np.arange(1, len(errors) + 1) ** acceleration
    shrinks = (1 + steps**p) ** (-1 / p)
    drives = steps * shrinks
    shrinks[0] = drives[0] = 1.0
    return drives, shrinks


def convex(rounds, k):
    v = k / (k + np.arange(1, rounds + 1))
    whole = np.cumsum(v)
    return v / whole, (whole - v) / whole


def replayed(model, training, drives, shrinks=None, algorithm=None, **more):
    """Weights found again, which must give the errors that the model saw."""
    table = hits(model, training.X, training.y)
    paths = weight_paths(
        table, drives, shrinks=shrinks, algorithm=algorithm, sample_weight=training.weight, **more
    )
    np.testing.assert_allclose(paths.sum(axis=1), 1.0)
    np.testing.assert_allclose((paths * (table < 0)).sum(axis=1), model.estimator_errors_)
    return paths


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weights", ["equal", "random"])
def test_adaboost(n_classes, weights):
    training = noisy_problem(n=90, d=3, n_classes=n_classes, weights=weights)
    model = AdaBoostClassifier(n_estimators=40, learning_rate=0.7)
    model.fit(training.X, training.y, training.weight)
    replayed(model, training, model.estimator_weights_)


@pytest.mark.parametrize("version", [1, 2])
def test_aveboost(version):
    training = noisy_problem(n=90, d=3)
    model = AveBoostClassifier(n_estimators=30, version=version).fit(training.X, training.y)
    replayed(model, training, averaged(model.estimator_errors_))


@pytest.mark.parametrize("acceleration", [0.0, 0.4])
def test_sloppy_pboost(acceleration):
    training = noisy_problem(n=90, d=3)
    model = PBoostClassifier(n_estimators=30, p=0.8, acceleration=acceleration)
    model.fit(training.X, training.y)
    drives, shrinks = sloppy(model.estimator_errors_, 0.8, acceleration)
    algorithm = Algorithm(step=SloppyHull(0.8, acceleration))
    replayed(model, training, drives, shrinks, algorithm)


@pytest.mark.parametrize(
    ("cost", "part"),
    [("tanh", Tanh(1.5)), ("logistic", Logistic()), ("exponential", Exponential())],
)
def test_marginboost(cost, part):
    training = noisy_problem(n=90, d=3)
    model = MarginBoostClassifier(n_estimators=30, cost=cost, slope=1.5, random_state=3)
    model.fit(training.X, training.y)
    drives, shrinks = convex(len(model.estimators_), 30)
    replayed(model, training, drives, shrinks, Algorithm(part, ConvexHull()))


def test_snrboost():
    training = noisy_problem(n=90, d=3)
    model = SNRBoostClassifier(n_estimators=30, sigma2=0.5, draws=100, random_state=3)
    model.fit(training.X, training.y)
    drives, shrinks = convex(len(model.estimators_), 30)
    algorithm = Algorithm(ZeroOne(0.5, 100), ConvexHull())
    replayed(model, training, drives, shrinks, algorithm, random_state=3)


def test_core():
    training = noisy_problem(n=90, d=3)
    clean = np.arange(90) % 3 == 0
    model = CoreBoostClassifier(n_estimators=20, noise_rate=0.1, stochastic=False)
    model.fit(training.X, training.y, clean=clean)
    noise = np.where(clean, 0.0, 0.1)
    paths = replayed(model, training, model.estimator_weights_, noise_rate=noise)
    assert paths[0, clean].max() < paths[0, ~clean].min()


def test_the_last_hypothesis_is_useless_under_the_next_weights():
    """And the mean of exp(-z) is the product of the bounds."""
    training = noisy_problem(n=90, d=3)
    model = AdaBoostClassifier(n_estimators=20).fit(training.X, training.y)
    table, votes = hits(model, training.X, training.y), model.estimator_weights_
    paths = weight_paths(table, votes)
    np.testing.assert_allclose((paths[1:] * (table[:-1] < 0)).sum(axis=1), 0.5)
    costs = np.exp(-np.cumsum(votes[:, None] * table, axis=0)).mean(axis=1)
    np.testing.assert_allclose(adaboost_bound(model.estimator_errors_), costs)
    np.testing.assert_allclose(np.exp(model.log_costs_[1:]), costs[:-1])


def test_aveboost2_s_reweighting_ratio_is_beta_gamma():
    training = noisy_problem(n=90, d=3)
    model = AveBoostClassifier(n_estimators=10).fit(training.X, training.y)
    table = hits(model, training.X, training.y)
    paths = weight_paths(table, model.estimator_weights_)
    for t, error in enumerate(model.estimator_errors_[:-1], start=1):
        grown = paths[t] / paths[t - 1]
        right, wrong = table[t - 1] > 0, table[t - 1] < 0
        gamma = (2 * (1 - error) * t + 1) / (2 * error * t + 1)
        ratio = grown[right].mean() / grown[wrong].mean()
        np.testing.assert_allclose(ratio, error / (1 - error) * gamma)


def test_many_rounds_stay_finite():
    rng = np.random.default_rng(0)
    table = rng.choice([-1, 1], (2000, 20))
    table[:, 0] = -1
    paths = weight_paths(table, np.full(2000, 5.0))
    np.testing.assert_allclose(paths.sum(axis=1), 1.0)
    assert paths[-1, 0] == 1.0


def test_weights_that_vanish():
    algorithm = Algorithm(ZeroOne(1e-6, 50))
    paths = weight_paths([[1, 1], [1, 1]], [1.0, 1.0], algorithm=algorithm)
    assert paths.tolist() == [[0.5, 0.5], [0.0, 0.0]]


def test_ranges():
    rng = np.random.default_rng(0)
    paths = rng.dirichlet(np.ones(8), size=5)
    mask = np.arange(8) < 3
    for found, rows in zip(weight_ranges(paths, mask), (mask, ~mask), strict=True):
        for t in range(5):
            own = paths[t, rows] * 8
            stats = found.least[t], found.mean[t], found.most[t]
            np.testing.assert_allclose(stats, (own.min(), own.mean(), own.max()))


def test_bad_input():
    with pytest.raises(ValueError, match="drives must be a list of 1"):
        weight_paths([[1, -1]], [1.0, 2.0])
    with pytest.raises(ValueError, match="shrinks must be a list of 1"):
        weight_paths([[1, -1]], [1.0], shrinks=[1.0, 2.0])
    with pytest.raises(ValueError, match="sample_weight must be a list of 2"):
        weight_paths([[1, -1]], [1.0], sample_weight=[1.0])
    for bad in ([1.0, -1.0], [0.0, 0.0]):
        with pytest.raises(ValueError, match="sample_weight must be 0 or more, and not 0 every"):
            weight_paths([[1, -1]], [1.0], sample_weight=bad)
    with pytest.raises(ValueError, match="noise_rate must be from 0 to below 1/2"):
        weight_paths([[1, -1]], [1.0], noise_rate=[0.1, 0.5])
    with pytest.raises(ValueError, match="no noise-corrected form"):
        weight_paths([[1, -1]], [1.0], algorithm=Algorithm(Tanh()), noise_rate=[0.1, 0.1])
    with pytest.raises(ValueError, match=r"paths must be of shape \(rounds, rows\)"):
        weight_ranges([0.5, 0.5], [True, False])
