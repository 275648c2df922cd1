"""The twins against hand-made cases and against what is known of the algorithms."""

import numpy as np
import pytest

from . import boosting as b
from .stump import best_gain_stump, best_stump, stump_learner

nan, inf = np.nan, np.inf


def noisy_table(n=40, d=3, n_classes=2, seed=0):
    """A table, and labels of which about one in five is random."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(2)
    score = X[:, 0] + 0.7 * X[:, 1]
    y = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    return X, np.where(rng.random(n) < 0.2, rng.integers(0, n_classes, n), y)


@pytest.fixture
def training():
    X, y = noisy_table()
    return stump_learner(X, y, 2), y


def says(*hypotheses):
    """A weak learner that says what it is told, round after round."""
    queue = iter(hypotheses)
    return lambda w: next(queue)


def bootstraps(rounds, n, seed=1):
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=rounds)


def distribution(result, t):
    """exp(-z), normalised, after t rounds."""
    n = len(result.margins)
    return b.normalise(-result.margins[:, t - 1]) if t else np.full(n, 1 / n)


# Stump ------------------------------------------------------------------------------------------


def stump_of(columns, y, w=None, n_classes=2, **more):
    X = np.array(columns, dtype=float).T
    w = np.ones(len(y)) if w is None else np.array(w, dtype=float)
    return best_stump(X, np.array(y), w, n_classes, **more)


def test_stump_splits_at_the_midpoint():
    stump = stump_of([[1, 2, 4, 5]], [0, 0, 1, 1])
    assert (stump.threshold, stump.left, stump.right) == (3.0, 0, 1)
    assert stump.predict(np.array([[3.0], [3.1], [-9.0]])).tolist() == [0, 1, 0]


def test_stump_polarity():
    stump = stump_of([[1, 2, 4, 5]], [1, 1, 0, 0])
    assert (stump.threshold, stump.left, stump.right) == (3.0, 1, 0)


def test_stump_takes_the_first_of_equals():
    same = [1, 2, 4, 5]
    assert stump_of([same, same], [0, 0, 1, 1]).feature == 0
    # 0 1 0 1 in order: cuts 1.5 and 3.5 (left 0) both get three right
    assert stump_of([[1, 2, 3, 4]], [0, 1, 0, 1]).threshold == 1.5
    # every candidate scores one half: the first threshold, left says 0
    stump = stump_of([[1, 1, 2, 2]], [0, 1, 0, 1])
    assert (stump.left, stump.right) == (0, 1)


def test_stump_ties_are_within_a_tolerance():
    # the first column gets only row 3 of the 0s right, the second only rows 1 and 2
    columns, y = [[2, 2, 1, 2], [1, 1, 2, 2]], [0, 0, 0, 1]
    assert stump_of(columns, y, [0.1, 0.2, 0.3 - 1e-14, 1.0]).feature == 0
    assert stump_of(columns, y, [0.1, 0.2, 0.3 - 1e-9, 1.0]).feature == 1


def test_stump_ignores_rows_of_no_weight():
    stump = stump_of([[1, 2, 4, nan]], [0, 1, 1, 0], [1, 0, 1, 0])
    assert stump.threshold == 2.5
    assert stump_of([[1, 2, 4]], [0, 1, 1], [1, 0, 0]) is None
    assert stump_of([[1, 2, 4]], [0, 1, 1], [0, 0, 0]) is None


def test_stump_weights_are_repeated_rows():
    X, y = noisy_table(15)
    times = np.arange(15) % 4
    w = times.astype(float)
    assert best_stump(X, y, w, 2) == best_stump(X.repeat(times, 0), y.repeat(times), np.ones(21), 2)


def test_stump_neighbouring_floats():
    first = np.nextafter(1.0, 2)
    second = np.nextafter(first, 2)
    for low, high in ((1.0, first), (first, second)):  # the second midpoint rounds up
        stump = stump_of([[low, high]], [0, 1])
        assert stump.threshold == low
        assert stump.predict(np.array([[low], [high]])).tolist() == [0, 1]


def test_stump_sends_missing_to_the_better_side():
    assert stump_of([[1, 2, 4, 5, nan]], [0, 0, 1, 1, 0]).missing == 0
    assert stump_of([[1, 2, 4, 5, nan]], [0, 0, 1, 1, 1]).missing == 1


def test_stump_present_against_missing():
    stump = stump_of([[1, 2, 3, nan, nan]], [1, 1, 1, 0, 0])
    assert (stump.threshold, stump.left, stump.right, stump.missing) == (inf, 1, 0, 0)
    stump = stump_of([[1, 1, 1, nan, nan]], [0, 0, 0, 1, 1])
    assert (stump.threshold, stump.left, stump.missing) == (inf, 0, 1)


def test_stump_unseen_missing_follows_the_heavier_side():
    assert stump_of([[1, 2, 4]], [0, 0, 1]).missing == 0
    assert stump_of([[1, 2, 4]], [0, 1, 1]).missing == 1
    assert stump_of([[1, 2]], [1, 0]).missing == 1  # a tie: what the left side says


def test_stump_three_classes():
    stump = stump_of([[1, 2, 3, 4, 5]], [2, 2, 0, 1, 1], n_classes=3)
    assert (stump.threshold, stump.left, stump.right) == (2.5, 2, 1)
    # both sides may agree, and a tie inside a side goes to the lowest code
    stump = stump_of([[1, 1, 1, 2, 2]], [1, 1, 0, 1, 2], n_classes=3)
    assert (stump.left, stump.right) == (1, 1)
    assert stump_of([[1, 1, 2]], [2, 1, 0], n_classes=3).left == 1


def test_stump_categories():
    x = [7, 7, 3, 3, 9, nan]
    stump = stump_of([x], [0, 0, 1, 1, 0, 1], categorical=[0])
    assert stump.table == {3.0: 1, 7.0: 0, 9.0: 0}
    assert stump.missing == 1
    X = np.array([[3.0], [7.0], [8.0], [nan]])
    assert stump.predict(X).tolist() == [1, 0, 0, 1]  # 8 is new: classes tie, the lowest code
    stump = stump_of([[1, 2, 2]], [0, 1, 1], categorical=[0])
    assert stump.predict(np.array([[5.0], [nan]])).tolist() == [1, 1]
    assert stump_of([[1, 1, 1]], [0, 1, 1], categorical=[0]) is None


def test_stump_rare_categories_are_shrunk():
    x = [1, 1, 1, 2, 2, 2]
    y = [0, 0, 0, 1, 1, 1]
    # two groups of 3 rows: edge 3/13, against 2/3 for a number with one mistake
    number = [1, 1, 2, 2, 2, 2]
    assert stump_of([x, number], y, categorical=[0]).feature == 1
    # 3000 rows each: edge 3000/3010, more than 2/3
    counts = np.full(6, 1000)
    assert stump_of([x, number], y, categorical=[0], counts=counts).feature == 0


def test_gain_stump_is_the_weighted_stump_for_two_classes():
    X, y = noisy_table()
    w = np.random.default_rng(3).random(len(y))
    W = np.zeros((len(y), 2))
    W[np.arange(len(y)), 1 - y] = w
    assert best_gain_stump(X, b.pseudo_gains(W, y)) == best_stump(X, y, w, 2)


# AdaBoost ---------------------------------------------------------------------------------------


def test_adaboost_last_hypothesis_is_worth_nothing_after_the_update(training):
    result = b.adaboost_m1(*training, 10)
    for t, h in enumerate(result.hypotheses, start=1):
        assert distribution(result, t)[h != training[1]].sum() == pytest.approx(0.5, abs=1e-13)


def test_adaboost_cost_is_the_product_of_normalisers(training):
    result = b.adaboost_m1(*training, 20)
    err = np.array(result.errors)
    costs = np.exp(-result.margins).mean(axis=0)
    assert np.allclose(costs, np.cumprod(2 * np.sqrt(err * (1 - err))), rtol=1e-12)
    assert ((result.margins <= 0).mean(axis=0) <= costs).all()


def test_margins_are_votes_times_agreement(training):
    learn, y = training
    draws = bootstraps(12, len(y))
    runs = [
        b.adaboost_m1(learn, y, 12),
        b.sloppy_pboost(learn, y, 12, p=0.7),
        b.strict_pboost(learn, y, 12, p=1.5),
        b.gravity_pboost(learn, y, 12, p=0.9, gravity=0.02),
        b.marginboost(learn, y, 12, draws=draws, stops=False),
        b.stochastic_core(learn, y, 12, draws=draws, rate=0.1, stops=False),
    ]
    for result in runs:
        u = np.where(np.array(result.hypotheses) == y, 1, -1)
        assert len(result.votes) > 2
        assert np.allclose(result.votes @ u, result.margins[:, -1], atol=1e-12)


RUNS = {
    "m1": (b.adaboost_m1, {}),
    "samme": (b.samme, {}),
    "aveboost": (b.aveboost, {}),
    "aveboost2": (b.aveboost2, {}),
    "naive": (b.naive_pboost, {"p": 0.7}),
    "sloppy": (b.sloppy_pboost, {"p": 0.7}),
    "accelerated": (b.accelerated_pboost, {"p": 0.7, "acceleration": 0.3}),
    "strict": (b.strict_pboost, {"p": 1.2}),
    "gravity": (b.gravity_pboost, {"p": 1.0, "gravity": 0.02}),
    "marginboost": (b.marginboost, {"cost": "logistic"}),
    "snr": (b.snrboost, {"sigma2": 0.5, "stops": False}),
    "core": (b.core_adaboost, {"rate": 0.02}),
    "stochastic": (b.stochastic_core, {"rate": 0.1}),
}


@pytest.mark.parametrize("name", RUNS)
def test_weight_zero_is_row_absent(name):
    run, parameters = RUNS[name]
    X, y = noisy_table(30, seed=8)
    s = np.random.default_rng(8).random(30)
    s[::4] = 0
    there = s > 0
    with_zeros = run(stump_learner(X, y, 2), y, 6, s=s, **parameters)
    X, y = X[there], y[there]
    without = run(stump_learner(X, y, 2), y, 6, s=s[there], **parameters)
    assert len(without.votes) > 1
    assert np.allclose(with_zeros.votes, without.votes, rtol=1e-9)
    assert np.allclose(with_zeros.margins[there], without.margins, atol=1e-9)
    assert with_zeros.stop == without.stop


def test_far_margins_do_not_overflow():
    y = np.zeros(6, dtype=int)
    h = np.array([0, 0, 0, 0, 0, 1]), np.array([1, 0, 0, 0, 0, 0])
    result = b.adaboost_m1(says(*h * 300), y, 600, learning_rate=20.0)
    assert np.isfinite(result.votes).all()
    assert result.margins.shape == (6, len(result.votes))


def test_sample_weights_are_repeated_rows():
    X, y = noisy_table(20)
    times = np.arange(20) % 3 + 1
    one = b.adaboost_m1(stump_learner(X, y, 2), y, 8, s=times)
    X, y = X.repeat(times, 0), y.repeat(times)
    assert np.allclose(one.votes, b.adaboost_m1(stump_learner(X, y, 2), y, 8).votes)


def test_perfect_and_hopeless_hypotheses():
    y = np.array([0, 1, 0, 1])
    for run in (b.adaboost_m1, b.samme, b.aveboost, b.aveboost2, b.naive_pboost, b.core_adaboost):
        result = run(says(y), y, 5)
        assert (result.stop, len(result.votes)) == ("perfect", 1)
        assert np.isfinite(result.votes).all()
        result = run(says(np.array([0, 1, 1, 0])), y, 5)
        assert (result.stop, len(result.votes)) == ("no better than chance", 0)
    result = b.marginboost(says(np.array([0, 1, 1, 0])), y, 5)
    assert result.stop == "no descent"


def test_binary_samme_is_m1(training):
    one, two = b.adaboost_m1(*training, 15), b.samme(*training, 15)
    assert np.array_equal(one.votes, two.votes)
    assert one.stop == two.stop


def test_samme_needs_only_accuracy_above_one_third():
    y = np.array([0, 0, 1, 1, 2, 2])
    h = np.array([0, 1, 1, 0, 2, 0])  # half right
    assert b.adaboost_m1(says(h), y, 1).stop == "no better than chance"
    assert b.samme(says(h), y, 1).votes == pytest.approx([0.5 * np.log(2)])


def test_binary_m2_is_m1():
    X, y = noisy_table()
    s = np.random.default_rng(5).random(len(y))

    def learn(W):
        return best_gain_stump(X, b.pseudo_gains(W, y)).predict(X)

    one = b.adaboost_m1(stump_learner(X, y, 2), y, 15, s=s)
    two = b.adaboost_m2(learn, y, 15, s=s)
    assert np.allclose(one.votes, two.votes, rtol=1e-12)
    assert np.allclose(one.margins, two.margins, atol=1e-12)


def test_pseudo_costs():
    W = np.array([[0, 0.3, 0.1], [0.2, 0, 0.4]])
    y = np.array([0, 1])
    assert np.allclose(b.pseudo_costs(W, y), [[0, 0.35, 0.25], [0.4, 0, 0.5]])
    assert np.allclose(b.pseudo_gains(W, y), [[0.4, 0.05, 0.15], [0.2, 0.6, 0.1]])


def test_m2_with_three_classes():
    X, y = noisy_table(30, n_classes=3)
    seen = []

    def learn(W):
        seen.append(W)
        return best_gain_stump(X, b.pseudo_gains(W, y)).predict(X)

    result = b.adaboost_m2(learn, y, 10)
    rows = np.arange(len(y))
    assert len(result.votes) == 10
    assert np.allclose(seen[0], (1 - np.eye(3)[y]) / (2 * len(y)))
    for t in range(9):
        after = b.pseudo_costs(seen[t + 1], y)[rows, result.hypotheses[t]].sum()
        assert seen[t + 1].sum() == pytest.approx(1)
        assert after > result.errors[t]
        gains = b.pseudo_gains(seen[t], y)[rows, result.hypotheses[t]].sum()
        assert gains == pytest.approx(1 - result.errors[t])


# AveBoost ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", [b.aveboost, b.aveboost2])
def test_aveboost_averages_adaboosts_next_distribution(training, run):
    learn, y = training
    result = run(learn, y, 10)
    assert len(result.votes) == 10
    for t, (h, err) in enumerate(zip(result.hypotheses, result.errors, strict=True), start=1):
        d = distribution(result, t - 1)
        c = np.where(h == y, d / (2 * (1 - err)), d / (2 * err))
        assert np.allclose(distribution(result, t), (t * d + c) / (t + 1), rtol=1e-10)


def test_aveboost2_bound_is_its_cost(training):
    result = b.aveboost2(*training, 10)
    t, v = np.arange(1, 11), np.array(result.errors)
    v = v * (1 - v)
    bound = np.cumprod((t + 1) / np.sqrt(t**2 + t / (2 * v) + 1 / (4 * v)))
    assert np.allclose(np.exp(-result.margins).mean(axis=0), bound, rtol=1e-12)


def test_aveboost_votes_as_adaboost_would(training):
    result = b.aveboost(*training, 10)
    assert np.allclose(result.votes, [b.half_log_odds(e) for e in result.errors])


# p-boosting -------------------------------------------------------------------------------------


def test_naive_is_adaboost_with_stretched_votes(training):
    votes = b.adaboost_m1(*training, 10).votes
    assert np.allclose(b.naive_pboost(*training, 10, p=0.5).votes, votes**2)


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0])
def test_sloppy_and_strict_votes_have_norm_one(training, p):
    for result in (
        b.sloppy_pboost(*training, 15, p=p),
        b.accelerated_pboost(*training, 15, p=p, acceleration=0.5),
        b.strict_pboost(*training, 15, p=p),
    ):
        assert (result.votes**p).sum() ** (1 / p) == pytest.approx(1, abs=1e-12)


def test_sloppy_without_acceleration(training):
    one = b.sloppy_pboost(*training, 10, p=0.8)
    two = b.accelerated_pboost(*training, 10, p=0.8, acceleration=0.0)
    three = b.accelerated_pboost(*training, 10, p=0.8, acceleration=1.0)
    assert np.array_equal(one.votes, two.votes)
    assert not np.allclose(one.votes, three.votes)


@pytest.mark.parametrize("acceleration", [0.0, 0.5])
def test_sloppy_step_leaves_weighted_error_one_half(training, acceleration):
    learn, y = training
    p = 0.8
    for t in (2, 5, 9):
        result = b.sloppy_pboost(learn, y, t, p=p, acceleration=acceleration)
        shrink = (1 - result.votes[-1] ** p) ** (1 / p)
        w = b.normalise(-result.margins[:, -1] / shrink * t**acceleration)
        assert w[result.hypotheses[-1] != y].sum() == pytest.approx(0.5, abs=1e-10)


@pytest.mark.parametrize("p", [0.8, 1.0, 1.7])
def test_nothing_beats_the_strict_step(training, p):
    learn, y = training
    result = b.strict_pboost(learn, y, 8, p=p)
    assert len(result.votes) > 1
    s = np.full(len(y), 1 / len(y))
    anywhere = np.concatenate([np.linspace(-30, 30, 3001), np.linspace(-6, 3, 9001)])
    for t in range(1, len(result.votes)):
        u = np.where(result.hypotheses[t] == y, 1, -1)
        z, after = result.margins[:, t - 1], np.exp(-result.margins[:, t]).mean()
        assert after < np.exp(-z).mean()
        assert after <= b.hull_cost(anywhere, z, u, s, p).min() + 1e-14


def test_strict_slope_is_the_derivative_of_its_cost(training):
    rng = np.random.default_rng(2)
    line = (rng.normal(size=9), rng.choice([-1, 1], 9), np.full(9, 1 / 9), 0.7)
    for log_a in (-3.0, 0.0, 2.0):
        ends = b.hull_cost(np.array([log_a - 1e-5, log_a + 1e-5]), *line)
        assert b.hull_slope(log_a, *line) == pytest.approx(np.diff(ends)[0] / 2e-5, rel=1e-6)


def seven_two_one():
    """Ten rows: 7 right twice, 2 right then wrong, 1 wrong then right (Barnes, section 4.3.3)."""
    y = np.zeros(10, dtype=int)
    return y, np.array([0] * 9 + [1]), np.array([0] * 7 + [1] * 2 + [0])


def smallest_p(holds, low, high):
    while high - low > 1e-7:
        p = (low + high) / 2
        low, high = (low, p) if holds(p) else (p, high)
    return high


def test_threshold_of_barnes_example():
    y, first, second = seven_two_one()
    z, u = 1.0 - 2 * (first != y), 1.0 - 2 * (second != y)
    s = np.full(10, 0.1)
    grid = np.linspace(-6, 0, 20001)

    def has_minimum(p):  # the slope turns from falling to rising
        falling = b.hull_slope(grid, z, u, s, p) < 0
        return (falling[:-1] & ~falling[1:]).any()

    def descends(p):
        return b.hull_cost(grid, z, u, s, p).min() < np.exp(-z) @ s

    assert smallest_p(has_minimum, 0.5, 0.9) == pytest.approx(0.66974, abs=5e-6)
    assert smallest_p(descends, 0.5, 0.9) == pytest.approx(0.6791, abs=5e-5)
    assert b.strict_pboost(says(first, second), y, 2, p=0.678).stop == "no descent"
    assert b.strict_pboost(says(first, second), y, 2, p=0.680).stop == "rounds done"


def test_no_gravity_is_adaboost(training):
    one, two = b.adaboost_m1(*training, 10), b.gravity_pboost(*training, 10, p=0.7, gravity=0.0)
    assert np.allclose(one.votes, two.votes, rtol=1e-9)


def test_gravity_closed_form_at_p_1(training):
    # height ((1-err) e^-a + err e^a) + g a: a quadratic in e^a
    g = 0.05
    result = b.gravity_pboost(*training, 4, p=1.0, gravity=g)
    heights = np.append(1, np.exp(-result.margins).mean(axis=0))
    for height, err, vote in zip(heights[:-1], result.errors, result.votes, strict=True):
        h = height
        e_a = (-g + np.sqrt(g**2 + 4 * h * h * err * (1 - err))) / (2 * h * err)
        assert vote == pytest.approx(np.log(e_a), rel=1e-9)
    assert b.gravity_pboost(*training, 4, p=1.0, gravity=5.0).stop == "no descent"


@pytest.mark.parametrize("p", [0.7, 2.0])
def test_nothing_beats_the_gravity_step(training, p):
    learn, y = training
    result = b.gravity_pboost(learn, y, 6, p=p, gravity=0.03)
    assert len(result.votes) > 1
    for t in range(1, len(result.votes)):
        z, u = result.margins[:, t - 1], np.where(result.hypotheses[t] == y, 1, -1)
        a = np.concatenate([[0, result.votes[t]], np.geomspace(1e-9, 5, 5001)])
        norms = ((result.votes[:t] ** p).sum() + a**p) ** (1 / p)
        costs = np.exp(-(z + a[:, None] * u)).mean(axis=1) + 0.03 * norms
        assert costs[1] < costs[0]
        assert costs[1] <= costs.min() + 1e-14


# MarginBoost and SNRBoost -----------------------------------------------------------------------

COSTS = ["exponential", "logistic", "tanh", "sigmoid", "zero-one"]


@pytest.mark.parametrize("cost", COSTS)
def test_marginboost_votes_sum_to_one(training, cost):
    learn, y = training
    result = b.marginboost(learn, y, 12, cost=cost, draws=bootstraps(12, len(y)), stops=False)
    assert len(result.votes) == 12
    assert result.votes.sum() == pytest.approx(1)
    raw = 12 / (12 + np.arange(1, 13))
    assert np.allclose(result.votes, raw / raw.sum())


def test_pulls_are_derivatives():
    z, lam, tiny = np.linspace(-2, 2, 9), 1.7, 1e-6
    costs = {
        "exponential": lambda z: np.exp(-z),
        "logistic": lambda z: np.log2(1 + np.exp(-z)),
        "tanh": lambda z: (1 - np.tanh(lam * z)) / 2,
        "sigmoid": lambda z: 1 / (1 + np.exp(lam * z)),
    }
    for name, cost in costs.items():
        pull = -(cost(z + tiny) - cost(z - tiny)) / (2 * tiny)
        assert np.allclose(b.normalise(b.log_pull(name, z, lam)), pull / pull.sum(), rtol=1e-7)
    tanh, sigmoid = b.log_pull("tanh", z, lam), b.log_pull("sigmoid", z, 2 * lam)
    assert np.allclose(b.normalise(tanh), b.normalise(sigmoid))


def test_corrected_cost_is_unbiased():
    # mean over the flip of ((1-e) c(z) - e c(-z)) / (1-2e) is c of the true margin; so for pulls
    z, e = np.linspace(-2, 2, 9), 0.2
    right, flipped = b.corrected(-z, z, e), b.corrected(z, -z, e)
    assert np.allclose((1 - e) * np.exp(right) - e * np.exp(flipped), np.exp(-z))
    assert np.array_equal(b.corrected(-z, z, 0.0), -z)


def test_even_pulls_never_leave_the_first_stump(training):
    learn, y = training
    assert b.marginboost(learn, y, 10).stop == "no descent"
    for result in (b.marginboost(learn, y, 10, stops=False), b.snrboost(learn, y, 10, stops=False)):
        assert len(np.unique(result.hypotheses, axis=0)) == 1
    assert len(b.marginboost(learn, y, 10, cost="exponential").votes) > 1


def test_snr_of_many_draws_is_the_gaussian_density():
    rng = np.random.default_rng(4)
    z, sigma2 = np.linspace(-1, 1, 9), 0.3
    noise = b.normalised_noise(rng.normal(size=300_000), sigma2)
    assert noise.mean() == pytest.approx(0, abs=1e-12)
    assert (noise**2).mean() == pytest.approx(sigma2)
    density = np.exp(-(z**2) / (2 * sigma2)) / np.sqrt(2 * np.pi * sigma2)
    assert np.allclose(b.noise_reaction(z, noise, sigma2), -density, atol=0.01)


def test_snrboost_of_many_draws_is_its_limit(training):
    learn, y = training
    noise = b.normalised_noise(np.random.default_rng(4).normal(size=50_000), 1.0)
    draws = bootstraps(6, len(y))
    sampled = b.snrboost(learn, y, 6, noise=noise, draws=draws, stops=False)
    limit = b.snrboost(learn, y, 6, draws=draws, stops=False)
    assert np.array_equal(sampled.hypotheses, limit.hypotheses)
    assert np.allclose(sampled.errors, limit.errors, atol=0.01)


def test_snr_is_zero_where_no_draw_crosses():
    noise = b.normalised_noise(np.random.default_rng(0).normal(size=100), 0.01)
    d = b.noise_reaction(np.array([-1.0, 0.0, 1.0]), noise, 0.01)
    assert d[[0, 2]].tolist() == [0, 0]
    assert d[1] < 0


def test_snrboost_weights_vanish():
    y = np.array([0, 0, 1])
    noise = b.normalised_noise(np.random.default_rng(0).normal(size=100), 0.01)
    h = np.array([0, 0, 0])
    result = b.snrboost(says(h, h), y, 5, sigma2=0.01, noise=noise)
    assert (result.stop, len(result.votes)) == ("weights vanished", 1)


# Core AdaBoost ----------------------------------------------------------------------------------


def test_core_without_noise_is_adaboost(training):
    one, two = b.adaboost_m1(*training, 15), b.core_adaboost(*training, 15, rate=0.0)
    assert np.allclose(one.votes, two.votes, rtol=1e-12)
    clean = b.core_adaboost(*training, 15, rate=0.3, noisy=np.zeros(40, dtype=bool))
    assert np.array_equal(two.votes, clean.votes)


def test_core_vote_is_a_stationary_point_of_the_risk(training):
    learn, y = training
    noisy = np.arange(len(y)) % 2 == 0
    s = np.random.default_rng(6).random(len(y))
    result = b.core_adaboost(learn, y, 5, s=s, rate=0.05, noisy=noisy)
    assert len(result.votes) > 1
    e = np.where(noisy, 0.05, 0.0)
    for t, h in enumerate(result.hypotheses):
        z, u = result.margins[:, t], np.where(h == y, 1, -1)
        pull = s * ((1 - e) * np.exp(-z) + e * np.exp(z)) / (1 - 2 * e)
        assert pull @ u == pytest.approx(0, abs=1e-12 * pull.sum())


def test_core_step_undefined():
    y = np.zeros(10, dtype=int)
    h = np.array([0] * 9 + [1])  # err 0.1; a = e at z = 0
    assert b.core_adaboost(says(h), y, 1, rate=0.2).stop == "step undefined"
    assert b.core_adaboost(says(h), y, 1, rate=0.05).votes == pytest.approx(
        [0.5 * np.log(0.85 / 0.05)]
    )


def test_stochastic_core_votes_are_harmonic(training):
    learn, y = training
    result = b.stochastic_core(
        learn, y, 10, rate=0.2, draws=bootstraps(10, len(y)), noisy=y == 1, stops=False
    )
    assert np.allclose(result.votes, 1 / np.arange(1, 11))
    assert len(np.unique(result.hypotheses, axis=0)) > 1


def test_draws_change_the_fit_and_not_the_error():
    y = np.array([0, 0, 1, 1])
    fitted = []

    def learn(w):
        fitted.append(w)
        return np.array([0, 0, 1, 0])

    result = b.adaboost_m1(learn, y, 1, draws=np.array([[0, 1, 0, 3]]))
    assert fitted[0].tolist() == [0, 0.25, 0, 0.75]
    assert result.errors == [0.25]


def test_learning_rate_scales_the_vote(training):
    one, half = b.adaboost_m1(*training, 1), b.adaboost_m1(*training, 1, learning_rate=0.5)
    assert half.votes == pytest.approx(one.votes / 2)
