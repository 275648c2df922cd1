from itertools import count

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from nacre.boost import (
    Algorithm,
    AverageBoth,
    AverageWeights,
    Bootstrap,
    ConvexHull,
    CoreLogOdds,
    Exponential,
    Gravity,
    Harmonic,
    Logistic,
    LogOdds,
    NaiveHull,
    RawHull,
    Sigmoid,
    SloppyHull,
    StrictHull,
    Subsample,
    Tanh,
    ZeroOne,
    boost,
)
from nacre.boost.draw import draw_times
from nacre.boost.loop import PlainBoosting
from nacre.boost.result import Run, Steps
from nacre.data.seeds import derive_seed
from nacre.kernels.random import ALL_ROWS
from nacre.learners.adapter import AnyFitter
from nacre.learners.stump import StumpFitter
from nacre.models.adaboostreg import SoftMargin, SoftStep
from nacre.models.brownboost import BrownCost, BrownStep
from tests.textbook import boosting as twin
from tests.textbook.stump import best_stump
from tests.training import agreement, examples, make_problem, noisy_problem, problems

ROUNDS = 7
SEED = 11
RATE = 0.0317  # of wrong labels, on the rows that may be wrong

# name: the composition, the twin, the twin's parameters
PLAIN = {
    "adaboost": (Algorithm(samme=False), twin.adaboost_m1, {}),
    "samme": (Algorithm(samme=True), twin.samme, {}),
    "aveboost": (Algorithm(step=AverageWeights(), samme=False), twin.aveboost, {}),
    "aveboost2": (Algorithm(step=AverageBoth(), samme=False), twin.aveboost2, {}),
    "naive": (Algorithm(step=NaiveHull(0.7), samme=False), twin.naive_pboost, {"p": 0.7}),
    "gravity": (
        Algorithm(step=Gravity(0.9, 0.01), samme=False),
        twin.gravity_pboost,
        {"p": 0.9, "gravity": 0.01},
    ),
    "bootstrapped": (Algorithm(draw=Bootstrap(), samme=False), twin.adaboost_m1, {}),
    "core": (Algorithm(step=CoreLogOdds(), samme=False), twin.core_adaboost, {"rate": RATE}),
    "stochastic core": (
        Algorithm(step=Harmonic(), draw=Bootstrap(), stops=False),
        twin.stochastic_core,
        {"rate": RATE, "stops": False},
    ),
    "stochastic core that stops": (
        Algorithm(step=Harmonic(), draw=Bootstrap(), samme=False),
        twin.stochastic_core,
        {"rate": RATE},
    ),
}
# Votes rescaled every round: a learning rate changes the step, not the sum of the votes.
RESCALED = {
    "sloppy": (Algorithm(step=SloppyHull(0.7), samme=False), twin.sloppy_pboost, {"p": 0.7}),
    "accelerated": (
        Algorithm(step=SloppyHull(1.2, 0.4), samme=False),
        twin.accelerated_pboost,
        {"p": 1.2, "acceleration": 0.4},
    ),
    "strict": (Algorithm(step=StrictHull(0.9), samme=False), twin.strict_pboost, {"p": 0.9}),
    "marginboost, exponential": (
        Algorithm(cost=Exponential(), step=ConvexHull(4.0)),
        twin.marginboost,
        {"cost": "exponential", "k": 4.0},
    ),
    "marginboost, logistic": (
        Algorithm(cost=Logistic(), step=ConvexHull()),
        twin.marginboost,
        {"cost": "logistic"},
    ),
    "marginboost, corrected logistic": (
        Algorithm(cost=Logistic(), step=ConvexHull()),
        twin.marginboost,
        {"cost": "logistic", "rate": RATE},
    ),
    "marginboost, tanh": (
        Algorithm(cost=Tanh(1.3), step=ConvexHull(), draw=Bootstrap(), stops=False),
        twin.marginboost,
        {"cost": "tanh", "slope": 1.3, "stops": False},
    ),
    "marginboost, sigmoid": (
        Algorithm(cost=Sigmoid(1.3), step=ConvexHull(), draw=Subsample(0.5)),
        twin.marginboost,
        {"cost": "sigmoid", "slope": 1.3},
    ),
    "snrboost": (
        Algorithm(cost=ZeroOne(0.8, 50), step=ConvexHull(), draw=Bootstrap(0.7), stops=False),
        twin.snrboost,
        {"sigma2": 0.8, "stops": False, "noise": ZeroOne(0.8, 50).table(SEED)[0]},
    ),
    "snrboost, many draws": (
        Algorithm(cost=ZeroOne(0.3), step=ConvexHull(), draw=Subsample(0.6), stops=False),
        twin.snrboost,
        {"sigma2": 0.3, "stops": False},
    ),
}
# Parts written in Python: the native stump goes through the plain loop
CUSTOM = {
    "brownboost": (
        Algorithm(BrownCost(1.5), BrownStep(1.5), samme=False),
        twin.brownboost,
        {"c": 1.5},
    ),
    "raw": (Algorithm(step=RawHull(0.7), samme=False), twin.raw_pboost, {"p": 0.7}),
    "raw, exact": (
        Algorithm(step=RawHull(1.4, None), samme=False),
        twin.raw_pboost,
        {"p": 1.4, "tolerance": None},
    ),
    "adaboost_reg": (
        Algorithm(SoftMargin(0.2), SoftStep(), samme=False),
        twin.adaboost_reg,
        {"strength": 0.2},
    ),
}
TABLE = PLAIN | RESCALED | CUSTOM
CASES = [(name, 1.0) for name in TABLE] + [(name, 0.5) for name in PLAIN]
SEARCHED = ("gravity", "strict")
TIGHT, LOOSE = {"rtol": 1e-8, "atol": 1e-11}, {"rtol": 1e-6, "atol": 1e-6}


def replaced(algorithm, rate):
    return Algorithm(
        algorithm.cost, algorithm.step, algorithm.draw, algorithm.samme, rate, algorithm.stops
    )


class Spy:
    """A fitter that remembers the weights it got and what its hypotheses said."""

    def __init__(self, fitter):
        self.fitter, self.seen = fitter, []
        self.collect = fitter.collect

    def fit(self, weights, seed=0):
        fitted = self.fitter.fit(weights, seed)
        self.seen.append((weights, None if fitted is None else fitted[1]))
        return fitted

    def learn(self):
        """For a twin: expects the same weights, says the same."""
        seen = iter(self.seen)

        def learn(w):
            weights, said = next(seen)
            np.testing.assert_allclose(w, weights, rtol=1e-6, atol=1e-9)
            return said

        return learn


def drawn(algorithm, training, rounds=ROUNDS):
    """The draws of a run, for the twin; where none is drawn all rows count."""
    if algorithm.draw.kind == ALL_ROWS:
        return None
    draws = [draw_times(algorithm.draw, training, SEED, t) for t in range(1, rounds + 1)]
    return np.array([times if times.any() else np.ones_like(times) for times in draws])


def noise_of(training, parameters):
    """Every other row may be wrong."""
    if "rate" not in parameters:
        return None
    return np.where(np.arange(len(training.y)) % 2 == 0, parameters["rate"], 0.0)


def run_twin(name, rate, training, learn):
    algorithm, run, parameters = TABLE[name]
    parameters = dict(parameters)
    if "rate" in parameters:
        parameters["rate"] = noise_of(training, parameters)
    if name == "samme":
        parameters["n_classes"] = training.n_classes
    draws = drawn(algorithm, training)
    return run(learn, training.y, ROUNDS, training.weight, rate, draws, **parameters)


def assert_same_run(run, other, tolerance):
    """``other`` may be a twin's result."""
    np.testing.assert_allclose(run.votes, other.votes, **tolerance)
    np.testing.assert_allclose(run.errors, other.errors, **tolerance)
    reasons = {run.stop_reason, other.stop if hasattr(other, "stop") else other.stop_reason}
    if tolerance == LOOSE:  # a search that ends a little beside the minimum leaves an edge there
        reasons = {"no descent" if "chance" in reason else reason for reason in reasons}
    assert len(reasons) == 1, reasons


@pytest.mark.parametrize(("name", "rate"), CASES)
@examples(1)
@given(training=problems(rows=25, columns=3, classes=(2, 5)))
def test_stumps_compiled_and_plain_and_twin(name, rate, training):
    algorithm, _, parameters = TABLE[name]
    algorithm = replaced(algorithm, rate)
    noise = noise_of(training, parameters)
    tolerance = LOOSE if name in SEARCHED else TIGHT
    fitter = StumpFitter(training, 255, 1)

    def learn(w):
        if algorithm.draw.kind != ALL_ROWS:  # the library keeps the cut points of all rows
            return fitter.fit(w)[1]
        rows = (training.X, training.y, w, training.n_classes, training.categorical, training.count)
        return best_stump(*rows).predict(training.X)

    assume(fitter.fit(training.weight) is not None)
    even = np.ptp(np.log(training.weight)) < 10
    assume(even or (name in PLAIN and "core" not in name))  # no hair's breadth descents
    compiled = boost(fitter, training, algorithm, ROUNDS, SEED, noise)
    spy = Spy(fitter)
    plain = boost_any(spy, training, algorithm, ROUNDS, SEED, noise)
    assume(plain.stop_reason != "nothing to learn")
    assert_same_run(compiled, plain, tolerance)
    assert list(compiled.hypotheses) == list(plain.hypotheses)
    np.testing.assert_allclose(compiled.log_costs, plain.log_costs, **tolerance)
    assert_same_run(plain, run_twin(name, rate, training, spy.learn()), tolerance)
    assert_same_run(compiled, run_twin(name, rate, training, learn), tolerance)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rate"), CASES)
@examples(0.3)
@given(
    training=problems(
        rows=25,
        columns=3,
        classes=(2, 5),
        gaps=False,
        categories=False,
        weights=("equal", "random"),
    ),
    depth=st.integers(1, 2),
)
def test_trees_and_twin(name, rate, training, depth):
    algorithm, _, parameters = TABLE[name]
    algorithm = replaced(algorithm, rate)
    noise = noise_of(training, parameters)
    tolerance = LOOSE if name in SEARCHED else TIGHT
    spy = Spy(AnyFitter(DecisionTreeClassifier(max_depth=depth), training))
    run = boost(spy, training, algorithm, ROUNDS, SEED, noise)
    assert_same_run(run, run_twin(name, rate, training, spy.learn()), tolerance)
    assert len(run.hypotheses) == len(run.votes)


# A learning rate on a hull: the step shrinks, the votes keep their norm


@pytest.mark.parametrize("step", [SloppyHull(0.7), SloppyHull(1.2, 0.4), SloppyHull(2.0)])
def test_learning_rate_of_sloppy_hulls(step):
    training = noisy_problem(60, 3)
    algorithm = Algorithm(step=step, learning_rate=0.5)
    run = boost(StumpFitter(training, 255, 1), training, algorithm, ROUNDS)
    votes = np.ones(1)
    for t, error in enumerate(run.errors[1:], start=2):
        a = 0.5 * twin.half_log_odds(error) / t**step.acceleration
        votes = np.append(votes, a) * (1 + a**step.p) ** (-1 / step.p)
    np.testing.assert_allclose(run.votes, votes, rtol=1e-9)


@pytest.mark.parametrize("rate", [1.0, 0.5])
@pytest.mark.parametrize(
    "step",
    [SloppyHull(0.6), SloppyHull(1.5, 0.5), StrictHull(0.8), RawHull(0.6), RawHull(1.5, None)],
)
def test_votes_on_a_p_hull_have_norm_one(step, rate):
    training = noisy_problem(80, 3, weights="random")
    algorithm = Algorithm(step=step, learning_rate=rate)
    for rounds in (1, 2, 10, 40):
        votes = boost(StumpFitter(training, 255, 1), training, algorithm, rounds).votes
        assert (votes**step.p).sum() ** (1 / step.p) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("rate", [1.0, 0.5])
@pytest.mark.parametrize("k", [None, 3.0])
def test_votes_on_the_convex_hull_sum_to_one(k, rate):
    training = noisy_problem(80, 3, weights="random")
    algorithm = Algorithm(Logistic(), ConvexHull(k), Bootstrap(), learning_rate=rate, stops=False)
    for rounds in (1, 2, 10, 40):
        votes = boost(StumpFitter(training, 255, 1), training, algorithm, rounds).votes
        raw = (k or rounds) / ((k or rounds) + np.arange(1, rounds + 1))
        np.testing.assert_allclose(votes, raw / raw.sum(), rtol=1e-12)


def test_final_votes_carry_later_shrinks():
    vote = np.array([1.0, 2.0, 3.0])
    steps = Steps(np.array([1.0, 0.5, 0.25]), vote, vote)
    assert steps.votes.tolist() == [0.125, 0.5, 3.0]
    assert steps[:1].votes.tolist() == [1.0]
    assert steps[:0].votes.tolist() == []
    assert steps[:1].joined(steps[1:]).votes.tolist() == [0.125, 0.5, 3.0]
    assert steps.sizes.tolist() == [1.0, 2.5, 3.625]


class Said(list):
    """Hypotheses that say the same whatever the rows."""

    def said_by_each(self, X):
        return iter(self)

    def first(self, count):
        return Said(self[:count])


def test_a_totally_corrective_run_has_votes_of_its_own_after_each_round():
    said = Said(np.array(codes) for codes in ([0, 1], [1, 1], [0, 0]))
    staged = np.array([[1.0, 0.0, 0.0], [0.5, 0.4, 0.0], [0.2, 0.1, 0.9]])
    run = Run(said, staged[-1], np.zeros(3), staged_votes=staged)
    found = [(totals.tolist(), size) for totals, size in run.staged_totals(np.zeros((2, 1)), 2)]
    assert found[0] == ([[1.0, 0.0], [0.0, 1.0]], 1.0)
    assert found[1] == ([[0.5, 0.4], [0.0, 0.9]], 0.9)
    assert found[2][0] == [pytest.approx([1.1, 0.1]), pytest.approx([0.9, 0.3])]
    assert run.first(2).votes.tolist() == [0.5, 0.4]
    again = [totals.tolist() for totals, _ in run.first(2).staged_totals(np.zeros((2, 1)), 2)]
    assert again == [totals for totals, _ in found[:2]]


def test_strict_may_start_over():
    # the fourth hypothesis is better than the three before it together
    X = np.array([[-1.3, 0, -1.6], [-1.3, 1, -1.6], [0.3, 2, -1.3], [0.5, 3, -1.3], [0.3, 4, -1.3]])
    training = make_problem(X, [1, 0, 0, 1, 1], categorical=[1])
    run = boost(StumpFitter(training, 255, 1), training, Algorithm(step=StrictHull(0.9)), ROUNDS)
    assert run.votes[-1] == pytest.approx(1.0, abs=1e-6)
    assert run.votes[:-1].sum() < 1e-6


# What is known of the algorithms


def margins_by_round(run, training):
    """Row t: margins before round t + 1, of votes that are not rescaled."""
    u = agreement(run.hypotheses, training.X, training.y)
    return np.vstack([np.zeros(len(training.y)), np.cumsum(run.votes[:, None] * u, axis=0)]), u


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weights", ["equal", "uneven"])
def test_adaboost_facts(n_classes, weights):
    training = noisy_problem(100, 3, n_classes, weights=weights)
    run = boost(StumpFitter(training, 255, 1), training, Algorithm(samme=False), 60)
    assert len(run.votes) > 5
    z, u = margins_by_round(run, training)
    for t in range(len(run.votes)):
        w = twin.normalise(np.log(training.weight) - z[t + 1])
        assert w[u[t] < 0].sum() == pytest.approx(0.5, abs=1e-9)
    normalisers = np.cumprod(2 * np.sqrt(run.errors * (1 - run.errors)))
    np.testing.assert_allclose(np.exp(run.log_costs), np.append(1, normalisers[:-1]), rtol=1e-9)
    means = (training.weight * np.exp(-z)).sum(axis=1)
    np.testing.assert_allclose(np.exp(run.log_costs), means[:-1], rtol=1e-9)
    wrong = training.weight @ (z.T <= 0)
    assert (wrong <= means + 1e-12).all()


def test_aveboost2_facts():
    training = noisy_problem(100, 3)
    run = boost(StumpFitter(training, 255, 1), training, Algorithm(step=AverageBoth()), 40)
    z, u = margins_by_round(run, training)
    t, e = np.arange(1, 41), run.errors
    beta, gamma = e / (1 - e), (2 * (1 - e) * t + 1) / (2 * e * t + 1)
    for k in range(40):
        before, after = (twin.normalise(-z[i]) for i in (k, k + 1))
        grown = after / before
        ratio = grown[u[k] > 0].mean() / grown[u[k] < 0].mean()
        assert ratio == pytest.approx(beta[k] * gamma[k], rel=1e-9)
    v = e * (1 - e)
    bound = np.cumprod((t + 1) / np.sqrt(t**2 + t / (2 * v) + 1 / (4 * v)))
    np.testing.assert_allclose(np.exp(run.log_costs[1:]), bound[:-1], rtol=1e-9)


@pytest.mark.parametrize("p", [0.9, 1.0, 2.0])
@pytest.mark.parametrize("weights", ["equal", "random"])
def test_the_cost_of_strict_p_boost_never_rises(p, weights):
    training = noisy_problem(100, 4, flip=0.1, weights=weights)
    run = boost(StumpFitter(training, 255, 1), training, Algorithm(step=StrictHull(p)), 60)
    assert len(run.votes) > 2
    assert (np.diff(run.log_costs[1:]) < 0).all()  # the first vote is 1 in any case


def test_gravity_lowers_cost_and_norm_together():
    training = noisy_problem(100, 4)
    run = boost(StumpFitter(training, 255, 1), training, Algorithm(step=Gravity(0.8, 0.01)), 30)
    norms = np.append(0, np.cumsum(run.votes**0.8)) ** (1 / 0.8)
    assert (np.diff(np.exp(run.log_costs) + 0.01 * norms[:-1]) < 0).all()


def test_weak_gravity_is_adaboost():
    training = noisy_problem(100, 4)
    fitter = StumpFitter(training, 255, 1)
    one = boost(fitter, training, Algorithm(), 20)
    two = boost(fitter, training, Algorithm(step=Gravity(1.0, 0.0)), 20)
    np.testing.assert_allclose(two.votes, one.votes, atol=1e-6)


def test_core_without_noise_is_adaboost():
    training = noisy_problem(100, 4)
    fitter = StumpFitter(training, 255, 1)
    one = boost(fitter, training, Algorithm(step=LogOdds()), 20)
    for noise in (np.zeros(100), None):
        two = boost(fitter, training, Algorithm(step=CoreLogOdds()), 20, noise=noise)
        np.testing.assert_allclose(two.votes, one.votes, rtol=1e-9)


def test_costs_without_a_corrected_form_refuse_noise_rates():
    training = noisy_problem(20, 2)
    with pytest.raises(ValueError, match="no noise-corrected form"):
        boost(
            StumpFitter(training, 255, 1), training, Algorithm(cost=Tanh()), 3, noise=np.zeros(20)
        )


# Ends


def boost_any(fitter, training, algorithm, rounds, seed=0, noise=None):
    started = PlainBoosting(fitter, training, algorithm, rounds, seed, noise)
    started.advance(rounds)
    return started.run()


def separable():
    y = np.arange(10) % 2
    return make_problem(np.column_stack([y, np.arange(10) % 3]), y)


def loops(training, algorithm, rounds, noise=None, seed=0):
    fitter = StumpFitter(training, 255, 1)
    yield boost(fitter, training, algorithm, rounds, seed, noise)
    yield boost_any(fitter, training, algorithm, rounds, seed, noise)


@pytest.mark.parametrize("name", [name for name in TABLE if TABLE[name][0].stops])
def test_a_perfect_hypothesis_is_kept_and_ends_it(name):
    algorithm, _, parameters = TABLE[name]
    training = separable()
    for run in loops(training, algorithm, 5, noise_of(training, parameters), seed=2):
        assert (run.stop_reason, len(run.votes)) == ("perfect", 1)
        assert np.isfinite(run.votes).all()
        assert run.errors.tolist() == [0.0]


UNDRAWN = [name for name in TABLE if TABLE[name][0].draw.kind == ALL_ROWS]


@pytest.mark.parametrize("name", UNDRAWN)
def test_chance_ends_it_and_is_not_kept(name):
    algorithm, _, parameters = TABLE[name]
    training = make_problem([[0], [0], [1], [1]], [0, 1, 0, 1])
    expected = "no descent" if "margin" in name else "no better than chance"
    for run in loops(training, algorithm, 5, noise_of(training, parameters)):
        assert (run.stop_reason, len(run.votes)) == (expected, 0)


def test_nothing_to_learn():
    training = make_problem(np.ones((4, 2)), [0, 1, 1, 1])
    for run in loops(training, Algorithm(), 5):
        assert (run.stop_reason, len(run.votes)) == ("nothing to learn", 0)


def test_step_undefined():
    X, y = np.arange(10.0)[:, None], np.array([0] * 4 + [1] + [1] * 4 + [0])  # one row wrong
    training = make_problem(X, y)
    for run in loops(training, Algorithm(step=CoreLogOdds()), 5, noise=np.full(10, 0.2)):
        assert (run.stop_reason, len(run.votes)) == ("step undefined", 0)
    for run in loops(training, Algorithm(step=CoreLogOdds()), 1, noise=np.full(10, 0.05)):
        assert run.votes == pytest.approx([0.5 * np.log(0.85 / 0.05)])


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_weights_vanish(rounds):
    # after one round every margin is 1 or -1: ten standard deviations from the step
    training = noisy_problem(30, 2)
    algorithm = Algorithm(ZeroOne(0.01, 100), ConvexHull(), stops=False)
    expected = "weights vanished" if rounds > 1 else "rounds done"
    for run in loops(training, algorithm, rounds):
        assert (run.stop_reason, len(run.votes)) == (expected, 1)


def test_even_pulls_need_draws():
    training = noisy_problem(60, 3)
    stuck = next(loops(training, Algorithm(Tanh(), ConvexHull(), stops=False), 10))
    assert len(set(stuck.hypotheses.threshold)) == 1
    free = next(loops(training, Algorithm(Tanh(), ConvexHull(), Subsample(), stops=False), 10))
    assert len(set(free.hypotheses.threshold)) > 3


# Seeds


@pytest.mark.parametrize("draw", [Bootstrap(), Subsample(0.5)])
def test_seeds_decide_the_draws(draw):
    training = noisy_problem(60, 3)
    algorithm = Algorithm(draw=draw)
    one, same, other = (next(loops(training, algorithm, 20, seed=s)) for s in (1, 1, 2))
    assert list(one.hypotheses) == list(same.hypotheses)
    assert np.array_equal(one.votes, same.votes)
    assert list(one.hypotheses) != list(other.hypotheses)


def test_each_round_has_its_own_seed():
    training = noisy_problem(60, 3)
    seeds = (derive_seed(7, t) for t in count(1))

    class Fitter(Spy):
        def fit(self, weights, seed=0):
            assert seed == next(seeds)
            return super().fit(weights, seed)

    spy = Fitter(StumpFitter(training, 255, 1))
    assert len(boost_any(spy, training, Algorithm(), 5, seed=7).votes) == 5
