"""Linear members: logistic regression on all columns, ridge regression on many numbers."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import Ridge as Peer
from sklearn.metrics import average_precision_score

import nacre.consensus.linear as linear_module
import nacre.consensus.task as task_module
from nacre import NacreClassifier, find_mislabeled
from nacre.bins.cuts import Rows
from nacre.consensus.linear import (
    LEAST_ROWS,
    STRENGTHS,
    WIDE,
    Linear,
    LinearRidge,
    Logistic,
    linear_members,
)
from nacre.consensus.path import fit_path, logistic_path
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


BOTH = pytest.mark.parametrize("member", [LinearRidge(), Logistic()])


@BOTH
def test_it_scores_rows_without_their_own_label(member):
    training = problem(200, 50)
    task = set_task(training, np.zeros(200, bool), 0)
    model, held = member.fit(task, 0)
    assert np.mean(held.argmax(axis=1) == training.y) > 0.8
    random = replace(training, y=np.random.default_rng(1).permutation(training.y))
    _, none = member.fit(set_task(random, np.zeros(200, bool), 0), 0)
    assert np.mean(none.argmax(axis=1) == random.y) < 0.5
    assert_allclose(model.scores(Rows(training.X)).sum(axis=1), 0.0, atol=1e-12)
    assert not model.importances(50).any()


@BOTH
def test_rows_that_it_is_not_fitted_to_are_scored_as_new_ones(monkeypatch, member):
    monkeypatch.setattr(task_module, "JUDGES", 120)
    monkeypatch.setattr(task_module, "REGRESSED", 120)
    training = problem(200, 50)
    task = set_task(training, np.zeros(200, bool), 0)
    model, held = member.fit(task, 0)
    others = np.setdiff1d(np.arange(200), task.judged)
    assert_allclose(task.regressed, task.judged)
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


def logistic_by_hand(training, strength, seen):
    """scikit-learn's model of one-hot columns, and those columns of all rows."""
    numbers = [j for j in range(training.X.shape[1]) if j not in training.categorical]
    columns = [(x - x.mean()) / x.std() for x in training.X[:, numbers].T]
    for j in training.categorical:
        columns += [1.0 * (training.X[:, j] == one) for one in np.unique(training.X[:, j])]
    design = np.array(columns).T
    length = np.mean((design[seen] ** 2).sum(axis=1))
    model = LogisticRegression(C=strength / length, max_iter=1000, tol=1e-8)
    return model.fit(design[seen], training.y[seen]), design


def test_logistic_regression_is_that_of_standardised_and_one_hot_columns():
    training = problem(120, 4, categorical=(1,))
    task = set_task(training, np.zeros(120, bool), 0)
    model, _ = Logistic().fit(task, 0)
    said = softmax(model.scores(Rows(training.X)), axis=1)
    by_hand = [logistic_by_hand(training, one, np.ones(120, bool)) for one in STRENGTHS]
    off = [np.abs(peer.predict_proba(Z) - said).max() for peer, Z in by_hand]
    chosen = int(np.argmin(off))
    assert off[chosen] < 0.005
    assert min(np.delete(off, chosen)) > 0.01


def test_categories_that_are_not_known_say_nothing():
    training = problem(120, 4, categorical=(1,))
    model, _ = Logistic().fit(set_task(training, np.zeros(120, bool), 0), 0)
    rows = training.X[:2].copy()
    rows[:, [0, 2, 3]] = np.nan
    rows[:, 1] = 77.0
    assert_allclose(model.scores(Rows(rows)), np.tile(model.base, (2, 1)))


def test_too_many_categories_are_left_out(monkeypatch):
    training = problem(120, 4, categorical=(1,))
    monkeypatch.setattr(linear_module, "MOST_COEFFICIENTS", 3 * (3 + 3) - 1)
    model, _ = Logistic().fit(set_task(training, np.zeros(120, bool), 0), 0)
    assert model.coefficients.shape == (3, 3)
    assert not model.columns.categories
    monkeypatch.setattr(linear_module, "MOST_COEFFICIENTS", 3 * (3 + 3))
    model, _ = Logistic().fit(set_task(training, np.zeros(120, bool), 0), 0)
    assert model.coefficients.shape == (6, 3)


def test_nothing_is_said_where_there_is_nothing_to_tell_by():
    y = np.arange(30) % 2
    ((coefficients, base),) = logistic_path(np.zeros((30, 0)), y, np.ones(30), 2, [1.0])
    assert coefficients.shape == (0, 2)
    assert not base.any()
    alone = problem(30, 2).take(np.arange(1))
    task = set_task(alone, np.zeros(1, bool), 0)
    (coefficients, base), held = fit_path(None, alone.X, task, task.judged, 0)
    assert not any(one.any() for one in (coefficients, base, held))


def test_many_classes_in_a_row_are_told_apart():
    """Least squares and trees hide classes between others; a table of planes is not lost."""
    rng = np.random.default_rng(0)
    X, planes = rng.normal(size=(900, 12)), rng.normal(size=(12, 8))
    y = (X @ planes + 0.3 * rng.gumbel(size=(900, 8))).argmax(axis=1)
    model = NacreClassifier("fast", random_state=0).fit(X[:500], y[:500])
    peer = LogisticRegression().fit(X[:500], y[:500])
    assert model.score(X[500:], y[500:]) > peer.score(X[500:], y[500:]) - 0.02


def test_tables_they_are_for(monkeypatch):
    assert linear_members(problem(50, 3)) == (Logistic(),)
    assert linear_members(problem(LEAST_ROWS, WIDE)) == (LinearRidge(),)
    assert linear_members(problem(LEAST_ROWS, WIDE + 1, categorical=(3,))) == (LinearRidge(),)
    assert linear_members(problem(LEAST_ROWS, WIDE, categorical=(3,))) == (Logistic(),)
    assert linear_members(problem(LEAST_ROWS - 1, WIDE)) == ()
    read = replace(problem(50, 3), words=sparse.csr_matrix((50, 2)))
    assert linear_members(read) == ()
    monkeypatch.setattr(linear_module, "MOST_COEFFICIENTS", 3 * 3 - 1)
    assert linear_members(problem(50, 3)) == ()


def test_they_are_members_and_come_back_from_a_file():
    training = problem(LEAST_ROWS, WIDE)
    model = NacreClassifier("fast", random_state=0).fit(training.X, training.y)
    assert Linear in [type(one) for one in model._members]
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
