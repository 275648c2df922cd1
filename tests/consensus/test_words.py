"""Ridge regression on sparse words."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import nacre.consensus.task as task_module
from nacre import NacreClassifier
from nacre.consensus.task import set_task
from nacre.consensus.words import WordRidge, WordScores, _solve
from nacre.data import TrainingRows
from nacre.persistence.container import pack, unpack

CLASSES = np.array(["complaint", "praise", "question"])


def problem(n=150, noise=0.0):
    """Texts of three classes, each with words of its own, beside a column that says nothing."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=n)
    rate = np.full((3, 90), 0.03)
    for k in range(3):
        rate[k, 30 * k : 30 * k + 30] = 0.15
    counts = (rng.random((n, 90)) < rate[y]).astype(float)
    words = sparse.csr_matrix(counts / np.maximum(np.sqrt(counts.sum(axis=1)), 1)[:, None])
    labels = np.where(rng.random(n) < noise, rng.integers(3, size=n), y)
    return (
        TrainingRows(rng.normal(size=(n, 1)), labels, 3, np.full(n, 1 / n), n_given=n, words=words),
        y,
    )


def test_coefficients_are_those_of_the_normal_equations():
    training, _ = problem(60)
    rng = np.random.default_rng(1)
    target, weight = rng.normal(size=(60, 3)), rng.uniform(0.5, 2.0, 60)
    target -= target.mean(axis=1, keepdims=True)
    Z = training.words.toarray()
    known = np.linalg.solve(
        Z.T @ (weight[:, None] * Z) + 3.0 * np.eye(90), Z.T @ (weight[:, None] * target)
    )
    assert_allclose(_solve(training.words, target, weight, 3.0), known, atol=0.01)


def test_it_scores_rows_without_their_own_label():
    training, _ = problem()
    model, held = WordRidge().fit(set_task(training, np.zeros(150, bool), 0), 0)
    assert np.mean(held.argmax(axis=1) == training.y) > 0.85
    none, _ = problem(noise=1.0)
    _, chance = WordRidge().fit(set_task(none, np.zeros(150, bool), 0), 0)
    assert np.mean(chance.argmax(axis=1) == none.y) < 0.5
    assert_allclose(model.scores(training.words).sum(axis=1), 0.0, atol=1e-5)


def test_rows_of_a_group_are_held_out_together():
    """Copies of a text under other labels: who sees one of them knows the other's label."""
    training, _ = problem(noise=1.0)
    twice = np.repeat(np.arange(75), 2)
    copies = TrainingRows(
        training.X[twice], training.y[twice], 3, training.weight, n_given=150,
        words=training.words[twice],
    )  # fmt: skip
    _, held = WordRidge().fit(set_task(copies, np.zeros(150, bool), 0), 0)
    assert np.mean(held.argmax(axis=1) == copies.y) < 0.5


def test_rows_that_are_not_judged_are_scored_as_new_ones(monkeypatch):
    monkeypatch.setattr(task_module, "JUDGES", 100)
    training, _ = problem()
    task = set_task(training, np.zeros(150, bool), 0)
    model, held = WordRidge().fit(task, 0)
    others = np.setdiff1d(np.arange(150), task.judged)
    assert_allclose(held[others], model.scores(training.words[others]))


def test_a_model_learns_from_words_and_comes_back_from_a_file():
    training, y = problem(noise=0.15)
    model = NacreClassifier("fast", random_state=0).fit_training(training, CLASSES)
    said = model.predict_proba(training.X, training.words)
    assert np.mean(said.argmax(axis=1) == y) > 0.9
    again, _ = unpack(pack(model, None))
    assert_array_equal(again.predict_proba(training.X, training.words), said)
    blind = model.predict_proba(training.X)  # without words, nothing is known
    assert np.mean(blind.argmax(axis=1) == y) < 0.6
    with pytest.raises(ValueError, match="words has 7 columns, but this model has learned from 90"):
        model.predict_proba(training.X, training.words[:, :7])


@pytest.mark.parametrize(
    ("coefficients", "base"),
    [(np.zeros((5, 2), np.float32), np.zeros(3)), (np.zeros((5, 3)), np.zeros(3)), (None, None)],
)
def test_damaged_members_are_refused(coefficients, base):
    with pytest.raises(ValueError, match=r"coefficients|base"):
        WordScores(coefficients, base)._check_loaded()
