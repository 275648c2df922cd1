import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.boost import Exponential, Logistic, Sigmoid, Tanh, ZeroOne
from nacre.kernels import formulas as fm
from tests.textbook import boosting as twin
from tests.training import examples

NONE = np.empty(0)
PLACES = [-3.0, -1.0, -0.2, 0.0, 0.1, 0.7, 2.5]
errors = st.floats(1e-6, 0.499)

# Costs, written out


def corrected(cost, e):
    return lambda z: ((1 - e) * cost(z) - e * cost(-z)) / (1 - 2 * e)


def exponential(z):
    return math.exp(-z)


def logistic(z):
    return math.log2(1 + math.exp(-z))


COSTS = {
    "exponential": (fm.EXPONENTIAL, 1.0, 0.0, exponential),
    "sharper exponential": (fm.EXPONENTIAL, 2.5, 0.0, lambda z: math.exp(-2.5 * z)),
    "logistic": (fm.LOGISTIC, 1.0, 0.0, logistic),
    "tanh": (fm.TANH, 1.7, 0.0, lambda z: (1 - math.tanh(1.7 * z)) / 2),
    "sigmoid": (fm.TANH, Sigmoid(1.7).steepness, 0.0, lambda z: 1 / (1 + math.exp(1.7 * z))),
    "gaussian": (fm.GAUSSIAN, 0.6, 0.0, lambda z: math.erfc(z / 0.6 / math.sqrt(2)) / 2),
    "corrected": (fm.CORRECTED, 1.0, 0.2, corrected(exponential, 0.2)),
    "corrected, clean": (fm.CORRECTED, 1.0, 0.0, exponential),
    "corrected logistic": (fm.CORRECTED_LOGISTIC, 1.0, 0.3, corrected(logistic, 0.3)),
}


@pytest.mark.parametrize("name", COSTS)
def test_log_pull_is_the_log_of_minus_the_derivative(name):
    kind, slope, rate, cost = COSTS[name]
    tiny = 1e-5
    shifts = []
    for z in PLACES:
        pull = (cost(z - tiny) - cost(z + tiny)) / (2 * tiny)
        shifts.append(fm.log_pull(kind, z, slope, rate, NONE, NONE) - math.log(pull))
    assert np.ptp(shifts) < 1e-5  # one constant for all rows


@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("z", [-1e6, 1e6])
def test_log_pull_is_finite_far_out(name, z):
    kind, slope, rate, _ = COSTS[name]
    assert math.isfinite(fm.log_pull(kind, z, slope, rate, NONE, NONE))


@pytest.mark.parametrize("name", COSTS)
def test_cost_is_the_cost_before_correction(name):
    kind, slope, _, cost = COSTS[name]
    plain = {"corrected": exponential, "corrected logistic": logistic}.get(name, cost)
    for z in PLACES:
        assert fm.cost(kind, z, slope) == pytest.approx(plain(z), rel=1e-12)
    weight = np.arange(1.0, len(PLACES) + 1)
    mean = np.average([plain(z) for z in PLACES], weights=weight)
    found = fm.mean_cost(kind, slope, weight / weight.sum(), np.array(PLACES))
    assert found == pytest.approx(mean, rel=1e-12)


def test_cost_of_noise_reaction_is_its_limit():
    for z in PLACES:
        assert fm.cost(fm.REACTION, z, 0.6) == pytest.approx(fm.cost(fm.GAUSSIAN, z, 0.6))
    assert ZeroOne(0.36, 50).steepness == pytest.approx(0.6)


@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("z", [-1e6, 1e6])
def test_cost_is_finite_far_out(name, z):
    assert math.isfinite(fm.cost(COSTS[name][0], z, COSTS[name][1]))


def test_corrected_rates_share_one_scale():
    # rows of different noise rates must keep their ratio: at z = 0 it is 1 to 1 / (1 - 2e)
    clean = fm.log_pull(fm.CORRECTED, 0.0, 1.0, 0.0, NONE, NONE)
    noisy = fm.log_pull(fm.CORRECTED, 0.0, 1.0, 0.2, NONE, NONE)
    assert noisy - clean == pytest.approx(-math.log(0.6))


@pytest.mark.parametrize(
    ("cost", "kind"),
    [
        (Exponential(), fm.EXPONENTIAL),
        (Logistic(), fm.LOGISTIC),
        (Tanh(3.0), fm.TANH),
        (Sigmoid(3.0), fm.TANH),
        (ZeroOne(), fm.GAUSSIAN),
        (ZeroOne(0.5, 20), fm.REACTION),
    ],
)
def test_parts_name_their_formula(cost, kind):
    assert cost.kind == kind


@pytest.mark.parametrize("count", [1, 2, 7, 100])
@pytest.mark.parametrize("sigma2", [0.01, 1.0])
def test_reaction_is_the_definition(count, sigma2):
    if count == 1:
        draws, sums = np.zeros(1), np.zeros(1)  # a single draw of mean 0
    else:
        draws, sums = ZeroOne(sigma2, count).table(5)
        assert draws.mean() == pytest.approx(0, abs=1e-12)
        assert draws.var() == pytest.approx(sigma2)
    for z in np.concatenate([np.linspace(-4, 4, 81), -draws, [-1e6, 1e6]]):
        expected = -min(twin.noise_reaction(np.array([z]), draws, sigma2)[0], 0.0)
        assert fm.reaction(z, draws, sums) == pytest.approx(expected, rel=1e-9, abs=1e-13)


def test_reaction_is_exactly_zero_where_all_or_none_cross():
    draws, sums = ZeroOne(0.3, 100).table(0)
    assert sums[-1] != 0.0  # the rounding error that must not drive the weights
    for z in (-1e6, 1e6, -draws[0] + 1e-9, -draws[-1] - 1e-9):
        assert fm.reaction(z, draws, sums) == 0.0
        assert fm.log_pull(fm.REACTION, z, 1.0, 0.0, draws, sums) == -np.inf
    assert fm.reaction(0.0, draws, sums) > 0


def test_log_add():
    assert fm.log_add(0.3, -1.2) == pytest.approx(np.logaddexp(0.3, -1.2))
    assert fm.log_add(1e6, -1e6) == 1e6
    assert fm.log_add(-np.inf, 2.0) == fm.log_add(2.0, -np.inf) == 2.0
    assert fm.log_add(-np.inf, -np.inf) == -np.inf


# Votes


@given(errors)
def test_half_log_odds(error):
    assert fm.half_log_odds(error) == pytest.approx(math.log((1 - error) / error) / 2)
    assert fm.half_log_odds(1 - error) == pytest.approx(-fm.half_log_odds(error))


def test_half_log_odds_is_floored():
    assert fm.half_log_odds(0.0) == pytest.approx(math.log((1 - 1e-10) / 1e-10) / 2)
    assert fm.half_log_odds(1e-300) == fm.half_log_odds(0.0)
    assert fm.half_log_odds(1.0) == pytest.approx(-fm.half_log_odds(0.0))


@given(errors, st.integers(1, 10_000))
def test_averaged_vote(error, t):
    beta = error / (1 - error)
    gamma = (2 * (1 - error) * t + 1) / (2 * error * t + 1)
    vote = fm.averaged_vote(error, t)
    assert vote == pytest.approx(-math.log(beta * gamma) / 2, rel=1e-9, abs=1e-14)
    assert 0 < vote < fm.half_log_odds(error)
    assert math.isfinite(fm.averaged_vote(0.0, t))


@given(st.floats(1e-9, 1e9), st.floats(0.1, 5))
def test_hull_norm(a, p):
    assert fm.hull_norm(a, p) == pytest.approx(math.exp(np.logaddexp(0, p * math.log(a)) / p))
    assert fm.hull_norm(0.0, p) == 1.0


def test_hull_norm_does_not_overflow():
    assert fm.hull_norm(1e300, 8.0) == 1e300
    assert fm.hull_norm(1e-300, 8.0) == 1.0


def step(
    kind, t, error, correction=0.0, searched=0.0, rate=1.0, a=0.0, b=0.0, sum_=0.0, stops=False
):
    state = np.array([sum_])
    numbers = fm.StepNumbers(kind, a, b, rate, 0.0, 0.5, stops)
    out = fm.take_step(numbers, fm.Round(t, error, 0.0, 0.0), correction, searched, state)
    return (*out, state[0])


@examples(1)
@given(errors, st.integers(1, 1000), st.floats(0.3, 3), st.sampled_from([1.0, 0.5]))
def test_unshrunk_steps(error, t, p, rate):
    A, G = math.log((1 - error) / error) / 2, twin.averaged_step(error, t)
    expected = {
        fm.LOG_ODDS: (1, rate * A, rate * A),
        fm.AVERAGED: (1, rate * A, rate * G),
        fm.AVERAGED_2: (1, rate * G, rate * G),
        fm.NAIVE: (1, rate * A ** (1 / p), rate * A),
        fm.HARMONIC: (1, rate / t, rate / t),
    }
    for kind, out in expected.items():
        shrink, vote, drive, end, _ = step(kind, t, error, rate=rate, a=p)
        assert (shrink, vote, drive) == pytest.approx(out, rel=1e-9)
        assert end == fm.GO


@examples(1)
@given(errors, st.integers(2, 1000), st.floats(0.3, 3), st.floats(0, 1))
def test_sloppy_step(error, t, p, acceleration):
    a = math.log((1 - error) / error) / 2 / t**acceleration
    shrink, vote, drive, end, _ = step(fm.SLOPPY, t, error, a=p, b=acceleration)
    assert shrink == pytest.approx((1 + a**p) ** (-1 / p))
    assert vote == drive == pytest.approx(a * (1 + a**p) ** (-1 / p))
    assert shrink**p + vote**p == pytest.approx(1)
    assert end == fm.GO


@pytest.mark.parametrize("kind", [fm.SLOPPY, fm.STRICT])
def test_the_first_vote_on_a_p_hull_is_one(kind):
    assert step(kind, 1, 0.3, rate=0.5, a=0.7)[:4] == (1.0, 1.0, 1.0, fm.GO)


@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_strict_step(rate):
    shrink, vote, drive, end, _ = step(fm.STRICT, 2, 0.3, searched=0.8, rate=rate, a=0.7)
    assert shrink**0.7 + vote**0.7 == pytest.approx(1)
    assert vote / shrink == pytest.approx(0.8 * rate)
    assert (drive, end) == (vote, fm.GO)
    assert step(fm.STRICT, 2, 0.3, a=0.7)[1:4] == (0.0, 0.0, fm.NO_DESCENT)


@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_gravity_step(rate):
    shrink, vote, drive, end, memory = step(
        fm.GRAVITY, 3, 0.3, searched=0.2, rate=rate, a=0.7, sum_=1.5
    )
    assert (shrink, vote, drive, end) == (1.0, 0.2 * rate, 0.2 * rate, fm.GO)
    assert memory == pytest.approx(1.5 + (0.2 * rate) ** 0.7)  # the votes' norm to the p
    assert step(fm.GRAVITY, 3, 0.3, a=0.7)[1:4] == (0.0, 0.0, fm.NO_DESCENT)


def test_convex_hull_step():
    k, votes, memory = 7.0, np.empty(0), 0.0
    for t in range(1, 20):
        shrink, vote, drive, end, memory = step(fm.HULL, t, 0.3, a=k, sum_=memory)
        assert (drive, end) == (vote, fm.GO)
        votes = np.append(shrink * votes, vote)
    raw = k / (k + np.arange(1, 20))
    assert votes == pytest.approx(raw / raw.sum())
    assert memory == pytest.approx(raw.sum())


@examples(1)
@given(st.floats(0.01, 0.49), st.floats(0, 1), st.sampled_from([1.0, 0.5]))
def test_core_step(error, share, rate):
    a = 0.99 * share * error
    shrink, vote, drive, end, _ = step(fm.CORE, 2, error, correction=a, rate=rate)
    assert vote == pytest.approx(rate * math.log((1 - error - a) / (error - a)) / 2)
    assert (shrink, drive, end) == (1.0, vote, fm.GO)
    assert step(fm.CORE, 2, error, correction=error)[1:4] == (0.0, 0.0, fm.UNDEFINED)
    assert step(fm.CORE, 2, error, correction=error * 1.1)[3] == fm.UNDEFINED


@pytest.mark.parametrize("error", [0.0, 1e-300, 1e-13, 1e-4])
def test_core_step_without_correction_is_adaboosts(error):
    assert step(fm.CORE, 2, error)[:4] == pytest.approx(step(fm.LOG_ODDS, 2, error)[:4], rel=1e-9)


VOTED = (fm.LOG_ODDS, fm.AVERAGED, fm.AVERAGED_2, fm.NAIVE, fm.SLOPPY, fm.STRICT, fm.GRAVITY)


@pytest.mark.parametrize("kind", [*VOTED, fm.CORE])
@pytest.mark.parametrize("t", [1, 5])
def test_chance_and_perfection(kind, t):
    for error in (0.5 - 1e-13, 0.5, 0.9):
        assert step(kind, t, error, searched=0.3, a=0.8)[:4] == (1.0, 0.0, 0.0, fm.CHANCE)
    _, vote, drive, end, _ = step(kind, t, 0.0, searched=0.3, a=0.8)
    assert end == fm.PERFECT
    assert 0 < vote < np.inf
    assert 0 < drive < np.inf


@pytest.mark.parametrize("kind", [fm.HULL, fm.HARMONIC])
def test_steps_that_do_not_need_the_error_may_heed_it(kind):
    assert step(kind, 3, 0.0, a=5.0)[3] == fm.GO
    assert step(kind, 3, 0.0, a=5.0, stops=True)[3] == fm.PERFECT
    assert step(kind, 3, 0.0, a=5.0, stops=True)[:3] == step(kind, 3, 0.0, a=5.0)[:3]
    assert step(fm.HARMONIC, 3, 0.6)[3] == fm.GO
    assert step(fm.HARMONIC, 3, 0.6, stops=True)[:4] == (1.0, 0.0, 0.0, fm.CHANCE)


def test_a_perfect_hypothesis_is_kept_whatever_the_correction():
    _, vote, _, end, _ = step(fm.CORE, 1, 0.0, correction=0.2)
    assert end == fm.PERFECT
    assert vote == pytest.approx(fm.half_log_odds(0.0))


@pytest.mark.parametrize("kind", [fm.LOG_ODDS, fm.NAIVE, fm.SLOPPY])
def test_samme_adds_to_the_odds(kind):
    # error 0.6 of three classes is better than chance, and A + log(2) / 2 is above 0
    A, extra, state = fm.half_log_odds(0.6), math.log(2) / 2, np.zeros(1)
    numbers = fm.StepNumbers(kind, 1.0, 0.0, 1.0, extra, 2 / 3, True)
    out = fm.take_step(numbers, fm.Round(2, 0.6, 0.0, 0.0), 0.0, 0.0, state)
    grown = A + extra
    assert out[1] == pytest.approx(grown / (1 + grown) if kind == fm.SLOPPY else grown)
    chance = fm.take_step(numbers, fm.Round(2, 2 / 3, 0.0, 0.0), 0.0, 0.0, state)
    assert chance[3] == fm.CHANCE


def test_the_clock_runs_with_acceleration():
    assert fm.clock(fm.SLOPPY, 0.5, 9) == pytest.approx(3.0)
    assert fm.clock(fm.GRAVITY, 0.5, 9) == 1.0


# Searches


def line(seed):
    """Margins of votes of norm 1, and a hypothesis that is right a little more than it is wrong."""
    rng = np.random.default_rng(seed)
    z = rng.choice([-1.0, -0.4, 0.2, 1.0], 30)
    hits = np.where(rng.random(30) < rng.uniform(0.5, 0.95), 1.0, -1.0)
    s = rng.random(30)
    return z, hits, s / s.sum()


@pytest.mark.slow
@pytest.mark.parametrize("p", [0.3, 0.5, 0.8, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("far", [False, True])
def test_strict_search_finds_the_lowest_cost(p, far):
    # far: where it is best to give almost all to the new hypothesis
    votes = np.geomspace(1e-9, 1e9, 4001)
    moved = tried = 0
    for seed in range(80):
        z, hits, s = line(seed)
        costs = np.log(twin.hull_cost(np.log(votes), z, hits, s, p))
        if (votes[costs.argmin()] > 30) != far:
            continue
        vote = fm.search_vote(fm.STRICT, z, hits, s, 0.0, 0.0, 0.0, p, 0.0)
        found, still = (fm.strict_cost(a, z, hits, s, p)[0] for a in (vote, 0.0))
        assert found <= min(costs.min(), still) + 1e-9
        tried, moved = tried + 1, moved + (vote > 0)
    assert tried > 3
    assert moved > 1


@pytest.mark.parametrize("p", [0.5, 0.8, 1.0, 2.0])
@pytest.mark.parametrize("weight", [0.0, 0.003, 0.1])
def test_gravity_search_finds_the_lowest_cost(p, weight):
    trials = np.append(0.0, np.geomspace(1e-9, 30, 20_001))
    moved = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        error, height, power = rng.uniform(0.01, 0.499), rng.uniform(0.2, 1), rng.uniform(0, 5)
        costs = height * ((1 - error) * np.exp(-trials) + error * np.exp(trials))
        costs += weight * (power + trials**p) ** (1 / p)
        out = (np.log(height), error, power, p, weight)
        vote = fm.search_vote(fm.GRAVITY, NONE, NONE, NONE, *out)
        found = fm.gravity_cost(vote, *out)[0]
        assert found <= np.log(costs.min()) + 1e-9
        if vote:
            assert found < np.log(costs[0])
        moved += vote > 0
    assert moved > 3


def test_gravity_without_weight_is_adaboosts_vote():
    for error in (1e-6, 0.01, 0.3, 0.49, 0.4999):
        vote = fm.search_vote(fm.GRAVITY, NONE, NONE, NONE, 0.0, error, 1.0, 0.7, 0.0)
        assert vote == pytest.approx(fm.half_log_odds(error), rel=1e-6, abs=1e-7)


def test_searches_stand_still_where_nothing_is_lower():
    z, hits = np.ones(4), np.array([1.0, 1.0, -1.0, -1.0])
    assert fm.search_vote(fm.STRICT, z, hits, np.full(4, 0.25), 0.0, 0.5, 0.0, 1.0, 0.0) == 0.0
    assert fm.search_vote(fm.GRAVITY, NONE, NONE, NONE, 0.0, 0.3, 1.0, 1.0, 5.0) == 0.0


def test_searches_refuse_to_climb_into_a_local_minimum():
    # 7 rows right twice, 2 right then wrong, 1 wrong then right: up to p = 0.6791 the only
    # minimum above 0 lies higher than where one stands
    z, hits = np.array([1.0] * 9 + [-1.0]), np.array([1.0] * 7 + [-1.0] * 2 + [1.0])
    s = np.full(10, 0.1)
    assert fm.search_vote(fm.STRICT, z, hits, s, 0.0, 0.0, 0.0, 0.678, 0.0) == 0.0
    assert fm.search_vote(fm.STRICT, z, hits, s, 0.0, 0.0, 0.0, 0.680, 0.0) > 0.01
