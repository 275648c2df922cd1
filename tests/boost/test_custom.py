"""Parts written in Python: any of them in the loop, with any learner."""

from dataclasses import dataclass

import numpy as np
import pytest

from nacre import BoostedClassifier, Tree
from nacre.boost import (
    Algorithm,
    Bootstrap,
    CustomCost,
    CustomStep,
    Exponential,
    LogOdds,
    Move,
    SloppyHull,
    Subsample,
    boost,
    boosting,
)
from nacre.boost.compiled import StumpBoosting
from nacre.boost.gradient import GradientBoosting, NegativeGradient
from nacre.boost.loop import PlainBoosting
from nacre.kernels import formulas as fm
from nacre.learners.stump import StumpFitter
from tests.training import make_problem, noisy_problem


@dataclass(frozen=True)
class OwnExponential(CustomCost):
    def log_pull(self, z, clock):
        return -clock * z

    def value(self, z, clock):
        return np.exp(-clock * z)


@dataclass(frozen=True)
class OwnLogOdds(CustomStep):
    """AdaBoost's step, which counts its rounds and the votes so far."""

    logistic = True

    def start(self):
        return np.zeros(2)

    def take(self, now, state, rules):
        if now.error >= rules.limit - fm.TIE:
            return Move(end="no better than chance", kept=False)
        vote = rules.learning_rate * (0.5 * np.log((1 - now.error) / now.error) + rules.extra)
        state += 1, vote
        return Move(1.0, vote, vote, "enough" if state[1] > 8 else None)


@dataclass(frozen=True)
class OwnClock(OwnLogOdds):
    """The same, under a cost that sharpens as rounds go by."""

    def clock(self, t, state):
        assert state[0] in (t - 1, t)  # before the round or, for held-out rows, after it
        return t**0.4


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("cost", [Exponential(), OwnExponential()])
@pytest.mark.parametrize("step", [LogOdds(), OwnLogOdds()])
def test_own_parts_do_what_the_compiled_ones_do(n_classes, cost, step):
    training = noisy_problem(120, 4, n_classes, weights="random")
    fitter = StumpFitter(training, 255, 1)
    compiled = boost(fitter, training, Algorithm(learning_rate=0.7), 15)
    started = boosting(fitter, training, Algorithm(cost, step, learning_rate=0.7), 15)
    own = not (isinstance(cost, Exponential) and isinstance(step, LogOdds))
    assert type(started) is (PlainBoosting if own else StumpBoosting)
    started.advance(15)
    run = started.run()
    assert list(run.hypotheses) == list(compiled.hypotheses)
    np.testing.assert_allclose(run.votes, compiled.votes, rtol=1e-9)
    np.testing.assert_allclose(run.log_costs, compiled.log_costs, rtol=1e-9, atol=1e-12)


def test_the_clock_moves_own_costs_and_compiled_ones():
    training = noisy_problem(120, 4, weights="random")
    fitter = StumpFitter(training, 255, 1)
    sloppy = boost(fitter, training, Algorithm(step=SloppyHull(1.2, 0.4)), 15)
    own = boost(fitter, training, Algorithm(OwnExponential(), SloppyHull(1.2, 0.4)), 15)
    np.testing.assert_allclose(own.votes, sloppy.votes, rtol=1e-9)
    one, two = (
        boost(fitter, training, Algorithm(cost, OwnClock()), 5)
        for cost in (Exponential(), OwnExponential())
    )
    np.testing.assert_allclose(one.votes, two.votes, rtol=1e-9)


def test_what_a_step_remembers_is_kept_round_by_round_and_goes_on():
    training = noisy_problem(120, 4, weights="random")
    fitter = StumpFitter(training, 255, 1)
    algorithm = Algorithm(OwnExponential(), OwnClock())
    run = boost(fitter, training, algorithm, 100)
    assert run.stop_reason == "enough"
    assert run.ended
    assert run.states[:, 0].tolist() == list(range(1, len(run) + 1))
    np.testing.assert_allclose(run.states[:, 1], np.cumsum(run.votes))
    again = boosting(fitter, training, algorithm, 100, before=run.first(3))
    again.advance(100)
    np.testing.assert_allclose(again.run().states, run.states)


def test_noise_rates_need_a_cost_that_knows_them():
    training = noisy_problem(20, 2)
    with pytest.raises(ValueError, match="no noise-corrected form"):
        boost(StumpFitter(training, 255, 1), training, Algorithm(OwnExponential()), 3,
              noise=np.zeros(20))  # fmt: skip


def test_an_estimator_of_own_parts():
    training = noisy_problem(300, 4, flip=0.1)
    model = BoostedClassifier(Tree(2), 8, algorithm=Algorithm(OwnExponential(), OwnLogOdds()))
    model.fit(training.X, training.y)
    assert model.link_scale_ == 1.0
    assert model.score(training.X, training.y) > 0.85
    staged = list(model.staged_decision_function(training.X))
    np.testing.assert_allclose(staged[-1], model.decision_function(training.X))
    stopped = BoostedClassifier(
        algorithm=Algorithm(OwnExponential(), OwnClock()),
        n_iter_no_change=3,
        stop_on="loss",
        random_state=0,
    ).fit(training.X, training.y)
    assert np.isfinite(stopped.validation_scores_).all()
    with pytest.raises(TypeError, match="algorithm must be"):
        BoostedClassifier(algorithm="adaboost").fit(training.X, training.y)


# Draws


@pytest.mark.parametrize("draw", [Bootstrap(), Subsample(0.5)])
@pytest.mark.parametrize("learner", [None, Tree(2)])
def test_a_row_of_weight_two_is_two_equal_rows(draw, learner):
    training = noisy_problem(80, 3)
    weight = np.where(np.arange(80) % 3 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(80), weight.astype(int))
    order = np.random.default_rng(0).permutation(len(twice))
    model = BoostedClassifier(learner, 15, algorithm=Algorithm(draw=draw), random_state=1)
    one = model.fit(training.X, training.y, weight)
    votes, said = one.estimator_weights_, one.predict(training.X)
    two = model.fit(training.X[twice][order], training.y[twice][order])
    np.testing.assert_allclose(two.estimator_weights_, votes, rtol=1e-9)
    assert np.array_equal(two.predict(training.X), said)


def test_where_no_row_is_drawn_all_count():
    training = make_problem(np.arange(6.0)[:, None], [0, 0, 1, 0, 1, 1])
    fitter = StumpFitter(training, 255, 1)
    bare = boost(fitter, training, Algorithm(draw=Subsample(1e-12)), 4)
    full = boost(fitter, training, Algorithm(), 4)
    np.testing.assert_allclose(bare.votes, full.votes, rtol=1e-9)
    plain = PlainBoosting(fitter, training, Algorithm(draw=Subsample(1e-12)), 4)
    plain.advance(4)
    np.testing.assert_allclose(plain.run().votes, full.votes, rtol=1e-9)


# Seeds


def test_every_tree_of_a_gradient_run_has_a_seed_of_its_own():
    training = noisy_problem(100, 4, 4)
    seeds = []

    class Spy:
        def __init__(self, fitter):
            self.fitter, self.collect = fitter, fitter.collect

        def fit_response(self, response, weights, seed, curvature):
            seeds.append(seed)
            return self.fitter.fit_response(response, weights, seed, curvature)

    for seed in (5, 6, 7):  # neighbours, as those of folds were
        spy = Spy(Tree(2, max_features=2).prepare(training))
        GradientBoosting(spy, training, NegativeGradient(), np.zeros(4), 0.1, seed=seed).advance(20)
    assert len(seeds) == len(set(seeds)) == 3 * 20 * 4
