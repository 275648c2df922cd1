"""What naive Bayes and networks share."""

import pickle
from collections.abc import Sequence
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from nacre import NaiveBayes, Network
from nacre.boost import Algorithm, boost
from nacre.kernels.network import TILE
from nacre.learners import soft
from tests.training import noisy_problem


def mixed_problem(n_classes):
    training = noisy_problem(90, 3, n_classes, gaps=0.1)
    X = np.column_stack([training.X, np.nan_to_num(training.X[:, 0]).round(), np.arange(90) % 5])
    return training.__class__(X, training.y, n_classes, training.weight, categorical=(3, 4))


@pytest.fixture(params=[2, 4], ids=["two classes", "four classes"])
def training(request):
    return mixed_problem(request.param)


@pytest.fixture(params=[NaiveBayes(), Network(epochs=10)], ids=str)
def learner(request):
    return request.param


@pytest.fixture
def fitter(learner, training):
    return learner.prepare(training)


@pytest.fixture
def several(fitter, training):
    rng = np.random.default_rng(0)
    return fitter.collect([fitter.fit(rng.random(90), seed)[0] for seed in range(6)])


def test_hypotheses_are_a_sequence(several):
    assert isinstance(several, Sequence)
    rules = list(several)
    assert len(several) == len(rules) == 6
    assert len(set(map(str, rules))) == 6
    assert several[-1] == rules[5] != rules[4]
    assert several[1:5:2] == rules[1:5:2]
    assert several.index(rules[3]) == 3
    for outside in (6, -7):
        with pytest.raises(IndexError):
            several[outside]


def test_rules_are_values(several):
    rule = several[2]
    with pytest.raises(FrozenInstanceError):
        rule.alone = None
    assert "array" not in repr(rule)
    assert "object at" not in repr(rule)


def test_hypotheses_speak_one_by_one(several, training):
    said = np.array(list(several.said_by_each(training.X)))
    assert said.shape == (6, 90)
    for rule, own in zip(several, said, strict=True):
        assert np.array_equal(rule.predict(training.X), own)
    assert np.array_equal(several.outputs(training.X).argmax(axis=1), said[0])


def test_what_a_fit_says_is_what_it_predicts(fitter, training):
    rng = np.random.default_rng(1)
    for seed in range(3):
        found, said = fitter.fit(rng.random(90), seed)
        assert said.dtype == np.int64
        assert np.array_equal(fitter.collect([found])[0].predict(training.X), said)


@pytest.mark.parametrize("rows", [1, TILE, 3 * TILE + 5])
def test_scores_are_the_sum_of_the_votes(several, training, rows, monkeypatch):
    monkeypatch.setattr(soft, "CHUNK", TILE + 3)
    X = training.X[np.random.default_rng(2).integers(0, 90, rows)]
    votes = np.linspace(0.5, 2, 6)
    totals = np.zeros((rows, training.n_classes))
    for said, vote in zip(several.said_by_each(X), votes, strict=True):
        totals[np.arange(rows), said] += vote
    expected = totals[:, 1] - totals[:, 0] if training.n_classes == 2 else totals
    np.testing.assert_allclose(several.scores(X, votes), expected, atol=1e-12)


def test_hypotheses_can_be_cut_and_joined(several, fitter, training):
    head, tail = several.first(2), fitter.collect([])
    assert list(head) == several[:2]
    assert list(head.joined(tail)) == several[:2]
    both = head.joined(several)
    assert list(both) == [*several[:2], *several]
    votes = np.linspace(1, 2, 8)
    expected = head.scores(training.X, votes[:2]) + several.scores(training.X, votes[2:])
    np.testing.assert_allclose(both.scores(training.X, votes), expected, atol=1e-12)


def test_other_tables_are_not_joined(several, learner, training):
    others = [
        training.__class__(2 * training.X, training.y, training.n_classes, training.weight),
        mixed_problem(6 - training.n_classes),
    ]
    for other in others:
        with pytest.raises(ValueError, match="fit anew with warm_start=False"):
            several.joined(learner.prepare(other).collect([]))


@pytest.mark.parametrize("tiny", [1e-320, 1e-300])
def test_only_the_ratios_of_weights_matter(fitter, tiny):
    times = np.random.default_rng(3).integers(1, 4, 90).astype(float)
    (*found,), said = fitter.fit(times, 1)
    (*again,), too = fitter.fit(times * tiny, 1)
    for one, two in zip(found, again, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-6)
    assert np.array_equal(said, too)


def test_none_at_all(fitter, training):
    none = fitter.collect([])
    assert len(none) == 0
    assert list(none) == list(none.said_by_each(training.X)) == []
    assert not none.scores(training.X, np.zeros(0)).any()


def test_hypotheses_pickle(several, training):
    again = pickle.loads(pickle.dumps(several))
    assert list(again) == list(several)
    votes = np.ones(6)
    assert np.array_equal(again.scores(training.X, votes), several.scores(training.X, votes))


def test_boosting_keeps_its_promise(fitter, training):
    run = boost(fitter, training, Algorithm(), 20)
    assert np.all(run.errors < 1 - 1 / training.n_classes)
    first = next(run.hypotheses.said_by_each(training.X))
    assert run.errors[0] == pytest.approx(np.mean(first != training.y))
    if training.n_classes == 2:
        bound = np.prod(2 * np.sqrt(run.errors * (1 - run.errors)))
        said = run.hypotheses.scores(training.X, run.votes) > 0
        assert np.mean(said != training.y) <= bound


@pytest.mark.parametrize("model", [NaiveBayes(), Network()], ids=str)
def test_unfitted(model):
    for ask in (model.predict, model.predict_proba, model.predict_log_proba):
        with pytest.raises(NotFittedError):
            ask([[1.0]])
    with pytest.raises(ValueError, match="at least two classes"):
        model.fit([[1.0], [2.0]], [1, 1])
