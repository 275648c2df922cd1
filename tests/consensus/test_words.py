"""Naive Bayes and logistic regression on sparse words."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import log_softmax, softmax
from sklearn.naive_bayes import MultinomialNB

import nacre.consensus.task as task_module
import nacre.consensus.words as words_module
from nacre import NacreClassifier
from nacre.consensus.task import set_task
from nacre.consensus.words import WordBayes, WordLogistic, WordScores, members_on_words
from nacre.data import TrainingRows
from nacre.persistence.container import pack, unpack

CLASSES = np.array(["complaint", "praise", "question"])
BOTH = pytest.mark.parametrize("member", [WordBayes(), WordLogistic()])


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


def test_naive_bayes_says_what_scikit_learn_says():
    training, _ = problem(60)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, 60)
    path = WordBayes().path(training.words, training.y, weight, 3)
    for smoothing, found in zip(WordBayes.strengths, path, strict=True):
        model = WordScores(*found)
        prior = np.bincount(training.y, weight) + 0.5
        known = MultinomialNB(alpha=smoothing, class_prior=prior / prior.sum())
        known.fit(training.words, training.y, weight)
        assert_allclose(
            log_softmax(model.scores(training.words), axis=1),
            known.predict_log_proba(training.words),
            atol=1e-5,
        )


def test_logistic_regression_is_at_the_minimum_of_its_penalised_loss():
    training, _ = problem(60, noise=0.3)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, 60)
    Z, label = training.words.toarray(), np.eye(3)[training.y]
    length = np.mean((Z * Z).sum(axis=1))
    path = WordLogistic().path(training.words, training.y, weight, 3)
    for strength, found in zip(WordLogistic.strengths, path, strict=True):
        model = WordScores(*found)
        off = weight[:, None] * (softmax(model.scores(training.words), axis=1) - label)
        slope = Z.T @ off + length / strength * model.coefficients
        assert np.abs(slope).max() < 0.02
        assert np.abs(off.sum(axis=0)).max() < 0.05


def test_longer_rows_are_penalised_alike():
    training, _ = problem(60)
    weight = np.ones(60)
    once, tenfold = (
        WordScores(*next(WordLogistic().path(words, training.y, weight, 3))).scores(words)
        for words in (training.words, 10.0 * training.words)
    )
    assert_allclose(once, tenfold, atol=0.01)


@BOTH
@pytest.mark.parametrize("present", [[0, 2], [1]])
def test_a_class_that_a_fit_does_not_see_is_improbable(member, present):
    training, _ = problem(90)
    rows = np.isin(training.y, present)
    words = training.words[rows]
    for found in member.path(words, training.y[rows], np.ones(rows.sum()), 3):
        said = softmax(WordScores(*found).scores(words), axis=1)
        absent = np.setdiff1d(np.arange(3), present)
        assert said[:, absent].max() < 0.4
        assert np.all(np.isin(said.argmax(axis=1), present))


def test_members_are_those_that_can_read_the_words(monkeypatch):
    training, _ = problem(60)
    assert members_on_words(training) == (WordBayes(), WordLogistic())
    below = replace(training, words=-training.words)
    assert members_on_words(below) == (WordLogistic(),)
    assert members_on_words(replace(training, words=None)) == ()
    nothing = sparse.csr_matrix(training.words.shape)
    assert len(members_on_words(replace(training, words=nothing))) == 2
    monkeypatch.setattr(words_module, "MOST_COEFFICIENTS", 3 * 90 - 1)
    assert members_on_words(training) == (WordBayes(),)


@BOTH
def test_texts_without_a_known_word_are_judged_by_the_shares_of_the_classes(member):
    training, _ = problem(90)
    blank = replace(training, words=sparse.csr_matrix(training.words.shape))
    model, held = member.fit(set_task(blank, np.zeros(90, bool), 0), 0)
    assert np.all(np.isfinite(held))
    share = np.bincount(training.y) / 90
    assert_allclose(softmax(model.scores(blank.words), axis=1)[0], share, atol=0.01)


@BOTH
def test_it_scores_rows_without_their_own_label(member):
    training, _ = problem()
    model, held = member.fit(set_task(training, np.zeros(150, bool), 0), 0)
    assert np.mean(held.argmax(axis=1) == training.y) > 0.85
    none, _ = problem(noise=1.0)
    _, chance = member.fit(set_task(none, np.zeros(150, bool), 0), 0)
    assert np.mean(chance.argmax(axis=1) == none.y) < 0.5
    assert_allclose(model.scores(training.words).sum(axis=1), 0.0, atol=1e-5)


@BOTH
def test_rows_of_a_group_are_held_out_together(member):
    """Copies of a text under other labels: who sees one of them knows the other's label."""
    training, _ = problem(noise=1.0)
    twice = np.repeat(np.arange(75), 2)
    copies = TrainingRows(
        training.X[twice], training.y[twice], 3, training.weight, n_given=150,
        words=training.words[twice],
    )  # fmt: skip
    _, held = member.fit(set_task(copies, np.zeros(150, bool), 0), 0)
    assert np.mean(held.argmax(axis=1) == copies.y) < 0.5


@BOTH
def test_rows_that_are_not_judged_are_scored_as_new_ones(member, monkeypatch):
    monkeypatch.setattr(task_module, "JUDGES", 100)
    training, _ = problem()
    task = set_task(training, np.zeros(150, bool), 0)
    model, held = member.fit(task, 0)
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
