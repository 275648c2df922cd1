from itertools import count

import numpy as np
import pytest
from hypothesis import assume, given
from sklearn.tree import DecisionTreeClassifier

from nacre.boost import Algorithm, PairBoosting, boost
from nacre.learners.adapter import AnyFitter
from nacre.learners.stump import StumpFitter
from tests.textbook import boosting as twin
from tests.textbook.stump import best_gain_stump
from tests.training import assert_same_stump, examples, make_problem, noisy_problem, problems

ROUNDS = 8


def boost_pairs(fitter, training, rounds, learning_rate=1.0, seed=0):
    started = PairBoosting(fitter, training, learning_rate, seed)
    started.advance(rounds)
    return started.run()


def brute_force(training, found):
    """The learner that the twin needs; appends its stumps to ``found``."""

    def learn(W):
        gains = twin.pseudo_gains(W, training.y)
        stump = best_gain_stump(training.X, gains, training.categorical, training.count)
        found.append(stump)
        return stump.predict(training.X)

    return learn


def assert_same_run(run, result):
    np.testing.assert_allclose(run.votes, result.votes, rtol=1e-8, atol=1e-11)
    np.testing.assert_allclose(run.errors, result.errors, rtol=1e-8, atol=1e-11)
    assert run.stop_reason == result.stop


@pytest.mark.slow
@pytest.mark.parametrize("rate", [1.0, 0.5])
@examples(2)
@given(training=problems(rows=25, columns=3, classes=(3, 5), weights=("equal", "whole", "random")))
def test_stumps_minimise_the_pseudo_loss(rate, training):
    fitter = StumpFitter(training, 255, 1)
    assume(fitter.fit(training.weight) is not None)
    run, found = boost_pairs(fitter, training, ROUNDS, rate), []
    result = twin.adaboost_m2(
        brute_force(training, found), training.y, ROUNDS, training.weight, rate,
        n_classes=training.n_classes,
    )  # fmt: skip
    assert_same_run(run, result)
    for rule, stump in zip(run.hypotheses, found[: len(run.votes)], strict=True):
        assert_same_stump(rule, stump)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [1.0, 0.5])
@examples(1)
@given(
    training=problems(
        rows=25, columns=3, classes=(3, 5), gaps=False, categories=False, weights=("random",)
    )
)
def test_trees_see_the_total_weight_of_a_row(rate, training):
    fitter = AnyFitter(DecisionTreeClassifier(max_depth=2), training)
    run, seeds = boost_pairs(fitter, training, ROUNDS, rate, seed=3), count(4)

    def learn(W):
        return fitter.fit(W.sum(axis=1), next(seeds))[1]

    result = twin.adaboost_m2(
        learn, training.y, ROUNDS, training.weight, rate, n_classes=training.n_classes
    )
    assert_same_run(run, result)


@pytest.mark.parametrize("max_bins", [255, None])
def test_two_classes_are_adaboost(max_bins):
    training = noisy_problem(400, 3, gaps=0.1, weights="random")
    fitter = StumpFitter(training, max_bins, 1)
    pairs, plain = boost_pairs(fitter, training, 20), boost(fitter, training, Algorithm(), 20)
    assert list(pairs.hypotheses) == list(plain.hypotheses)
    for part in ("votes", "errors", "log_costs"):
        np.testing.assert_allclose(
            getattr(pairs, part), getattr(plain, part), rtol=1e-9, atol=1e-12
        )


def test_two_classes_without_gaps_are_adaboost():
    # what a missing value would say follows the heavier side, though none was seen
    training = noisy_problem(60, 2, weights="random")
    fitter = StumpFitter(training, 255, 1)
    pairs, plain = boost_pairs(fitter, training, 20), boost(fitter, training, Algorithm(), 20)
    assert list(pairs.hypotheses) == list(plain.hypotheses)


def test_exact_thresholds():
    training = noisy_problem(600, 1, 3, weights="random")
    run = boost_pairs(StumpFitter(training, None, 1), training, 6)
    rows, votes = np.arange(600), np.zeros((600, 3))
    for said, vote, loss in zip(
        run.hypotheses.said_by_each(training.X), run.votes, run.errors, strict=True
    ):
        log_W = np.log(training.weight)[:, None] + votes - votes[rows, training.y][:, None]
        log_W[rows, training.y] = -np.inf
        W = twin.normalise(log_W)
        costs = twin.pseudo_costs(W, training.y)
        best = best_gain_stump(training.X, twin.pseudo_gains(W, training.y)).predict(training.X)
        assert loss == pytest.approx(costs[rows, said].sum(), rel=1e-9)
        assert loss == pytest.approx(costs[rows, best].sum(), rel=1e-9)
        votes[rows, said] += vote
    assert not np.isin(run.hypotheses.threshold, StumpFitter(training, 255, 1).bins.cuts).all()


def test_a_perfect_hypothesis_ends_it():
    # a column of categories tells three classes apart
    y = np.repeat([0, 1, 2], 5)
    training = make_problem(y[:, None], y, categorical=[0])
    run = boost_pairs(StumpFitter(training, 255, 1), training, 5)
    assert (run.stop_reason, len(run.votes)) == ("perfect", 1)
    assert np.isfinite(run.votes).all()


def test_nothing_to_learn():
    training = make_problem(np.ones((6, 1)), [0, 1, 2] * 2)
    run = boost_pairs(StumpFitter(training, 255, 1), training, 5)
    assert (run.stop_reason, len(run.votes)) == ("nothing to learn", 0)


def test_chance_ends_it():
    training = make_problem([[0.0]] * 3 + [[1.0]] * 3, [0, 1, 2] * 2)
    run = boost_pairs(StumpFitter(training, 255, 1), training, 5)
    assert (run.stop_reason, len(run.votes)) == ("no better than chance", 0)


def test_many_rounds_stay_finite():
    training = noisy_problem(30, 2, 3)
    run = boost_pairs(StumpFitter(training, 255, 1), training, 3000)
    assert len(run.votes) == 3000
    for part in ("votes", "errors", "log_costs"):
        assert np.isfinite(getattr(run, part)).all()
