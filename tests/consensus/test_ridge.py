"""Ridge regression on the nearness to landmarks."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nacre.bins.cuts import Rows
from nacre.consensus.ridge import (
    FAR,
    PENALTIES,
    RATES,
    Ridge,
    placed,
    regressions,
    residuals_without,
    rows_together,
)
from nacre.consensus.task import set_task
from nacre.data.folds import find_units
from nacre.noise.noise_model import spread
from tests.training import noisy_problem


def nearness(here, there):
    return np.exp(-((here[:, None] - there[None]) ** 2).sum(axis=2))


@pytest.mark.parametrize("landmarks", [20, 8])
@pytest.mark.parametrize("even", [True, False])
def test_held_values_are_those_of_fits_without_the_row(landmarks, even):
    """The textbook: solve the normal equations once for every row left out."""
    rng = np.random.default_rng(0)
    X, target = rng.normal(size=(20, 2)), rng.normal(size=(20, 3))
    target -= target.mean(axis=1, keepdims=True)
    weight = np.ones(20) if even else rng.uniform(0.5, 2.0, 20)
    at, base = np.arange(landmarks), np.array([0.1, -0.3, 0.2])
    near = nearness(X, X[at])
    found = list(regressions(near.copy(), near[at], target, base, weight))
    assert len(found) == len(PENALTIES)
    for penalty, (held, coefficients) in zip(PENALTIES, found, strict=True):
        for left in [None, *range(20)]:
            rows = np.delete(np.arange(20), [] if left is None else left)
            K, W = near[rows], weight[rows, None]
            fit = np.linalg.solve(K.T @ (W * K) + penalty * near[at], K.T @ (W * target[rows]))
            if left is None:
                assert_allclose(near @ coefficients, near @ fit, atol=1e-5)
            else:
                assert_allclose(held[left], base + near[left] @ fit, atol=1e-5)


@pytest.mark.parametrize("even", [True, False])
def test_rows_that_belong_together_are_left_out_together(even):
    rng = np.random.default_rng(0)
    X, target = rng.normal(size=(12, 2)), rng.normal(size=(12, 3))
    X[[4, 7]] = X[1]  # three copies, two pairs that are a group each
    target -= target.mean(axis=1, keepdims=True)
    weight = np.ones(12) if even else rng.uniform(0.5, 2.0, 12)
    together = [np.array([[0, 2], [5, 9]]), np.array([[1, 4, 7]])]
    near = nearness(X, X)
    fits = regressions(near.copy(), near, target, np.zeros(3), weight, together)
    for penalty, (held, _) in zip(PENALTIES, fits, strict=True):
        for left in [[0, 2], [5, 9], [1, 4, 7], [3]]:
            rows = np.delete(np.arange(12), left)
            K, W = near[rows], weight[rows, None]
            normal = K.T @ (W * K) + penalty * near + 1e-9 * np.eye(12)
            fit = np.linalg.lstsq(normal, K.T @ (W * target[rows]), rcond=None)[0]
            assert_allclose(held[left], near[left] @ fit, atol=1e-4)


@pytest.mark.parametrize("m", [3, 40])
def test_large_units_by_woodbury_s_identity(m):
    """More rows than features, and fewer."""
    rng = np.random.default_rng(0)
    part, shrunk = rng.normal(size=(2, m, 8)) / 10, rng.uniform(0.1, 0.9, 8)
    residual = rng.normal(size=(2, m, 3))
    found = residuals_without(part, shrunk, residual)
    for features, left, one in zip(part, residual, found, strict=True):
        hat = features @ np.diag(shrunk) @ features.T
        assert_allclose((np.eye(m) - hat) @ one, left, atol=1e-9)


def test_rows_whose_unit_is_fitted_to_in_part_get_no_score(monkeypatch):
    monkeypatch.setattr("nacre.consensus.task.REGRESSED", 40)
    training = replace(noisy_problem(100, 2), groups=np.arange(100) % 2)
    task = set_task(training, np.zeros(100, bool), 0)
    assert len(task.regressed) == 40
    _, scores = Ridge(True, False, 30).fit(task, np.ones(2), 0)
    others = np.setdiff1d(np.arange(100), task.regressed)
    assert np.ptp(scores[others], axis=0).max() == 0.0
    assert np.ptp(scores[task.regressed], axis=0).min() > 0.0


def test_places_of_units():
    X = np.arange(60.0)[:, None]
    assert rows_together(find_units(X), np.arange(60)) == []
    X[[2, 5]], X[4] = X[0], X[1]
    found = rows_together(find_units(X), np.array([0, 1, 2, 4, 5]))
    assert [one.tolist() for one in found] == [[[1, 3]], [[0, 2, 4]]]


@pytest.mark.parametrize("root", [False, True])
def test_the_best_rate_and_penalty_are_chosen(root):
    training = noisy_problem(90, 3, flip=0.3)
    task = set_task(training, np.zeros(90, bool), 0)
    model, held = Ridge(root, False, 90).fit(task, np.ones(3), 0)
    X = np.clip((training.X - training.X.mean(axis=0)) / training.X.std(axis=0), -FAR, FAR)
    apart = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    apart = np.sqrt(apart) if root else apart
    unit = np.median(apart[apart > 0])
    label = np.eye(2)[training.y]
    base = label.mean(axis=0)
    losses = {
        rate: [
            task.loss_of_judged(one)
            for near in [np.exp(-rate * apart / unit)]
            for one, _ in regressions(near.copy(), near, label - base, base - 0.5, np.ones(90))
        ]
        for rate in RATES[root]
    }
    best = min(losses, key=lambda rate: min(losses[rate]))
    assert model.rate == pytest.approx(best / unit)
    assert task.loss_of_judged(held) == pytest.approx(min(losses[best]))


@pytest.mark.parametrize("root", [True, False])
def test_self_training_is_a_mean_with_a_fit_to_posteriors(root):
    """The textbook: solve the normal equations for the posteriors, at the penalty of least loss."""
    training = noisy_problem(60, 3)
    task = set_task(training, np.zeros(60, bool), 0)
    model, held = Ridge(root, False, 25).fit(task, np.ones(3), 0)
    posterior = np.random.default_rng(0).dirichlet(np.ones(training.n_classes), 60)
    base = posterior.mean(axis=0)
    numbers, _ = placed(model.columns, model.worth, training.X)
    apart = ((numbers[:, None] - model.numbers[None]) ** 2).sum(axis=2)
    among = ((model.numbers[:, None] - model.numbers[None]) ** 2).sum(axis=2)
    near, among = (np.exp(-model.rate * (np.sqrt(d) if root else d)) for d in (apart, among))
    centred = posterior - base - (posterior - base).mean(axis=1, keepdims=True)

    def held_out(penalty):
        hat = near @ np.linalg.solve(near.T @ near + penalty * among, near.T)
        own = hat.diagonal()[:, None]
        return (hat @ centred - own * centred) / (1 - own) + base - base.mean()

    penalty = min(PENALTIES, key=lambda one: task.loss(held_out(one)))
    fit = np.linalg.solve(near.T @ near + penalty * among, near.T @ centred)
    scale = spread(held)
    taught = model.taught(task, posterior, scale)
    new = near @ fit + base - base.mean()
    expected = (near @ model.coefficients + model.base) / scale + new / spread(held_out(penalty))
    assert_allclose(taught.scores(Rows(training.X)), scale / 2 * expected, atol=1e-6)


def test_rows_that_are_no_evidence_are_scored_as_new_ones(monkeypatch):
    monkeypatch.setattr("nacre.consensus.task.JUDGES", 20)
    monkeypatch.setattr("nacre.consensus.task.REGRESSED", 60)
    training = noisy_problem(100, 2)
    task = set_task(training, np.zeros(100, bool), 0)
    model, held = Ridge(True, False, 30).fit(task, np.ones(2), 0)
    unseen = np.setdiff1d(np.arange(100), task.regressed)
    assert len(unseen) == 40
    assert len(model.numbers) == 30
    assert np.array_equal(held[unseen], model.scores(Rows(training.X))[unseen])
    fitted = model.scores(Rows(training.X))[task.regressed]
    assert not np.array_equal(held[task.regressed], fitted)
    assert_allclose(held.sum(axis=1), 0.0, atol=1e-9)


def test_columns_count_by_their_worth():
    training = noisy_problem(80, 2)
    task = set_task(training, np.zeros(80, bool), 0)
    worth = np.array([2.0, 0.0])
    model, _ = Ridge(False, True, 80).fit(task, worth, 0)
    other = training.X.copy()
    other[:, 1] = 9.0
    assert np.array_equal(model.scores(Rows(training.X)), model.scores(Rows(other)))
    plain, _ = Ridge(False, False, 80).fit(task, worth, 0)
    assert not np.array_equal(plain.scores(Rows(training.X)), plain.scores(Rows(other)))


@pytest.mark.parametrize("root", [True, False])
def test_beside_text_it_is_the_regression_of_a_table_without(root):
    training = noisy_problem(60, 2)
    d, n = training.X.shape[1], len(training.y)
    worth = np.linspace(0.5, 2.0, d)
    texts = np.random.default_rng(0).normal(size=(n, 3))
    mixed = replace(training, X=np.hstack([texts, training.X]), components=(0, 1, 2))
    ridge = Ridge(root, True, landmarks=n)
    model, held = replace(ridge, beside_text=True).fit(
        set_task(mixed, np.zeros(n, bool), 0), np.append(np.ones(3), worth), 0
    )
    plain, expected = ridge.fit(set_task(training, np.zeros(n, bool), 0), worth, 0)
    assert_allclose(held, expected, atol=1e-6)
    assert_allclose(model.scores(Rows(mixed.X)), plain.scores(Rows(training.X)), atol=1e-6)


def test_constant_columns_leave_the_shares_of_the_classes():
    training = noisy_problem(40, 1)
    training.X[:] = 3.0
    task = set_task(training, np.zeros(40, bool), 0)
    model, _ = Ridge(True, False, 10).fit(task, np.ones(1), 0)
    share = np.bincount(training.y) / 40
    scores = model.scores(Rows(training.X))
    assert np.ptp(scores, axis=0).max() == 0.0
    assert_allclose(scores[0], share - share.mean(), atol=0.02)


def test_scores_are_the_same_in_parts(monkeypatch):
    training = noisy_problem(70, 3)
    task = set_task(training, np.zeros(70, bool), 0)
    model, _ = Ridge(True, False, 20).fit(task, np.ones(3), 0)
    whole = model.scores(Rows(training.X))
    monkeypatch.setattr("nacre.consensus.ridge.ROWS_AT_ONCE", 16)
    assert_allclose(model.scores(Rows(training.X)), whole, rtol=1e-12)
