"""Linear ridge regression on all columns of numbers."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge as Peer
from sklearn.metrics import average_precision_score

import nacre.consensus.task as task_module
from nacre import NacreClassifier, find_mislabeled
from nacre.bins.cuts import Rows
from nacre.consensus.linear import LEAST_ROWS, WIDE, Linear, LinearRidge, suits
from nacre.consensus.ridge import PENALTIES, ridge_path
from nacre.consensus.task import set_task
from nacre.data import TrainingRows
from nacre.noise import flip_labels
from nacre.persistence.container import pack, unpack


def problem(n, p, categorical=()):
    """Rows of which every column says a little of three classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=n)
    X = rng.normal(size=(n, p)) + 0.5 * rng.normal(size=(3, p))[y]
    X[:, list(categorical)] = rng.integers(3, size=(n, len(categorical)))
    return TrainingRows(X, y, 3, np.full(n, 1 / n), categorical=categorical, n_given=n)


@pytest.mark.parametrize(("n", "p"), [(15, 6), (9, 20)])
def test_held_values_are_those_of_fits_without_the_row(n, p):
    """The textbook, whichever of rows and columns are more."""
    rng = np.random.default_rng(0)
    X, target, weight = rng.normal(size=(n, p)), rng.normal(size=(n, 3)), rng.uniform(0.5, 2, n)
    target -= target.mean(axis=1, keepdims=True)
    found = ridge_path(X.copy(), target, np.zeros(3), weight)
    for penalty, (held, coefficients) in zip(PENALTIES, found, strict=True):
        peer = Peer(penalty, fit_intercept=False)
        assert_allclose(coefficients, peer.fit(X, target, weight).coef_.T, atol=1e-7)
        for i in range(n):
            rest = np.delete(np.arange(n), i)
            said = peer.fit(X[rest], target[rest], weight[rest]).predict(X[[i]])
            assert_allclose(held[[i]], said, atol=1e-6)


def test_it_scores_rows_without_their_own_label():
    training = problem(200, 50)
    task = set_task(training, np.zeros(200, bool), 0)
    model, held = LinearRidge().fit(task, 0)
    assert np.mean(held.argmax(axis=1) == training.y) > 0.8
    random = replace(training, y=np.random.default_rng(1).permutation(training.y))
    _, none = LinearRidge().fit(set_task(random, np.zeros(200, bool), 0), 0)
    assert np.mean(none.argmax(axis=1) == random.y) < 0.5
    assert_allclose(model.scores(Rows(training.X)).sum(axis=1), 0.0, atol=1e-12)
    assert not model.importances(50).any()


def test_rows_that_are_not_judged_are_scored_as_new_ones(monkeypatch):
    monkeypatch.setattr(task_module, "JUDGES", 120)
    training = problem(200, 50)
    task = set_task(training, np.zeros(200, bool), 0)
    model, held = LinearRidge().fit(task, 0)
    others = np.setdiff1d(np.arange(200), task.judged)
    assert len(others) == 80
    assert_allclose(held[others], model.scores(Rows(training.X[others])))


def test_columns_of_large_deviations_may_count_more():
    """Where the leading components say it all, the others are noise that standardising raises."""
    training = problem(60, 50)
    X = training.X.copy()
    X[:, 5:] = np.random.default_rng(2).normal(size=(60, 45)) * 0.01
    task = set_task(replace(training, X=X), np.zeros(60, bool), 0)
    model, _ = LinearRidge().fit(task, 0)
    size = np.abs(model.coefficients).mean(axis=1)
    assert size[:5].min() > 5 * size[5:].max()


def test_tables_it_is_for():
    assert suits(problem(LEAST_ROWS, WIDE))
    assert suits(problem(LEAST_ROWS, WIDE + 1, categorical=(3,)))
    assert not suits(problem(LEAST_ROWS, WIDE, categorical=(3,)))
    assert not suits(problem(LEAST_ROWS - 1, WIDE))


def test_it_is_a_member_and_comes_back_from_a_file():
    training = problem(LEAST_ROWS, WIDE)
    model = NacreClassifier("fast", random_state=0).fit(training.X, training.y)
    assert [type(one) for one in model._members].count(Linear) == 1
    again, _ = unpack(pack(model, None))
    assert np.array_equal(again.predict_proba(training.X), model.predict_proba(training.X))


@pytest.mark.parametrize("part", ["columns", "coefficients", "base"])
def test_damaged_members_are_refused(part):
    training = problem(100, 50)
    model, _ = LinearRidge().fit(set_task(training, np.zeros(100, bool), 0), 0)
    model._check_loaded()
    with pytest.raises(ValueError, match=r"columns|coefficients|base"):
        replace(model, **{part: np.zeros((2, 2))})._check_loaded()


@pytest.mark.slow
def test_fast_effort_keeps_what_helps_on_embeddings():
    """Many directions, each of which says a little: trees alone are at a loss there."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=600)
    own = 0.4 * rng.normal(size=(3, 40))[y] + rng.normal(size=(600, 40))
    X = own @ np.linalg.qr(rng.normal(size=(200, 40)))[0].T + 0.1 * rng.normal(size=(600, 200))
    labels, flipped = flip_labels(y, 0.1, random_state=0)
    fast, full = (
        average_precision_score(
            flipped, find_mislabeled(X, labels, effort=effort, random_state=0).scores
        )
        for effort in ("fast", "full")
    )
    assert fast > max(full - 0.03, 0.85)
