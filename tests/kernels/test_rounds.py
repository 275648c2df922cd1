import numpy as np
import pytest
from hypothesis import given

from nacre.boost import (
    Algorithm,
    AverageBoth,
    AverageWeights,
    Bootstrap,
    ConvexHull,
    Gravity,
    Logistic,
    NaiveHull,
    SloppyHull,
    Subsample,
)
from nacre.boost.algorithm import row_by_row
from nacre.boost.compiled import StumpBoosting, boost
from nacre.kernels import exponential
from nacre.kernels import formulas as fm
from nacre.kernels import round_state as state
from nacre.kernels import rounds as kernel
from nacre.kernels import stump_search as search
from nacre.learners.stump import StumpFitter
from tests.textbook.boosting import normalise
from tests.textbook.stump import best_stump
from tests.training import (
    agreement,
    assert_same_stump,
    examples,
    make_problem,
    noisy_problem,
    problems,
)


def run_recipe(fitter, recipe, rounds):
    started = StumpBoosting(fitter, None, recipe, rounds)
    started.advance(rounds)
    return started.run()


def assert_same_stumps(one, two):
    for part in ("feature", "threshold", "left", "right", "missing"):
        np.testing.assert_array_equal(getattr(one, part), getattr(two, part), err_msg=part)
    assert [rule.categories for rule in one] == [rule.categories for rule in two]


def assert_identical(one, two):
    assert_same_stumps(one.hypotheses, two.hypotheses)
    for part in ("votes", "errors", "log_costs"):
        np.testing.assert_array_equal(getattr(one, part), getattr(two, part), err_msg=part)
    assert one.stop_reason == two.stop_reason


def assert_best_each_round(run, training, rounds):
    """Each round's stump is the best one for the weights that the votes before it make."""
    u = agreement(run.hypotheses, training.X, training.y)
    for t in rounds:
        w = normalise(np.log(training.weight) - run.votes[:t] @ u[:t])
        twin = best_stump(
            training.X, training.y, w, training.n_classes, training.categorical, training.count
        )
        assert_same_stump(run.hypotheses[t], twin)
        assert run.errors[t] == pytest.approx(w[u[t] < 0].sum(), rel=1e-8, abs=1e-13)


# Each round's stump is the best


@examples(2)
@given(problems(rows=30, columns=4))
def test_each_round_finds_the_best_stump(training):
    run = boost(StumpFitter(training, 255, 1), training, Algorithm(), 12)
    assert_best_each_round(run, training, range(len(run.votes)))


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3])
def test_late_rounds_still_find_the_best_stump(n_classes):
    training = noisy_problem(120, 10, n_classes, gaps=0.1, weights="random")
    run = boost(StumpFitter(training, 255, 1), training, Algorithm(), 1000)
    assert len(run.votes) == 1000
    assert_best_each_round(run, training, [0, 1, 126, 127, 128, 129, 255, 256, 257, 500, 999])


# The short way of the exponential cost


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("weights", ["random", "whole"])
def test_incremental_is_row_by_row(n_classes, weights):
    training = noisy_problem(150, 9, n_classes, flip=0.3, gaps=0.05, weights=weights)
    fitter = StumpFitter(training, 255, 1)
    recipe = Algorithm().recipe(n_classes, 3000, 0)
    assert recipe.incremental
    short, long = run_recipe(fitter, recipe, 3000), run_recipe(fitter, row_by_row(recipe), 3000)
    assert len(short.votes) == 3000
    assert_same_stumps(short.hypotheses, long.hypotheses)
    np.testing.assert_allclose(short.votes, long.votes, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(short.errors, long.errors, rtol=1e-9)
    np.testing.assert_allclose(short.log_costs, long.log_costs, rtol=1e-9, atol=1e-12)


STEPS = [AverageWeights(), AverageBoth(), NaiveHull(0.7), Gravity(1.0, 1e-4)]


@pytest.mark.parametrize("step", STEPS, ids=repr)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_incremental_is_row_by_row_for_other_steps(step, n_classes):
    training = noisy_problem(150, 4, n_classes, weights="random", seed=1)
    fitter = StumpFitter(training, 255, 1)
    recipe = Algorithm(step=step).recipe(n_classes, 300, 0)
    assert recipe.incremental
    short, long = run_recipe(fitter, recipe, 300), run_recipe(fitter, row_by_row(recipe), 300)
    assert len(short.votes) > 5
    assert short.stop_reason == long.stop_reason
    assert_same_stumps(short.hypotheses, long.hypotheses)
    searched = isinstance(step, Gravity)
    tolerance = {"rtol": 1e-6, "atol": 1e-6} if searched else {"rtol": 1e-9}
    np.testing.assert_allclose(short.votes, long.votes, **tolerance)


@examples(2)
@given(problems(rows=40, columns=4))
def test_incremental_is_row_by_row_on_any_table(training):
    fitter = StumpFitter(training, 255, 1)
    recipe = Algorithm(learning_rate=0.7).recipe(training.n_classes, 30, 0)
    short, long = run_recipe(fitter, recipe, 30), run_recipe(fitter, row_by_row(recipe), 30)
    assert short.stop_reason == long.stop_reason
    assert_same_stumps(short.hypotheses, long.hypotheses)
    np.testing.assert_allclose(short.votes, long.votes, rtol=1e-9, atol=1e-11)


def refills(training, algorithm, rounds):
    """Step through the rounds; after which rounds was all refilled? Also the last weights."""
    fitter = StumpFitter(training, 255, 1)
    recipe = algorithm.recipe(training.n_classes, rounds, 0)
    assert recipe.incremental
    work, trace = fitter.work(recipe), fitter.trace(rounds)
    work.clock[state.ROUND] = 1
    kernel.start(fitter.rows, recipe, work)
    found = []
    for t in range(1, rounds + 1):
        search.scan_blocks(fitter.rows, work, 0, len(fitter.rows.words))
        assert kernel.finish_round(fitter.rows, recipe, work, trace) == fm.GO
        if work.clock[state.SINCE] == 0:
            found.append(t)
            assert work.clock[state.FULL] == 1
    scale = np.repeat(work.gain, np.diff(fitter.rows.starts))
    weights = np.empty(len(training.y))
    weights[fitter.rows.order] = scale * work.w / work.mass.sum()
    return np.array(found), weights, fitter.stumps(trace, 0, rounds), trace.numbers.T


def assert_weights_follow_from_votes(training, weights, stumps, numbers):
    margins = numbers[state.VOTE] @ agreement(stumps, training.X, training.y)
    np.testing.assert_allclose(weights, normalise(np.log(training.weight) - margins), rtol=1e-9)


@pytest.mark.slow
def test_refills_by_count():
    training = noisy_problem(200, 3, flip=0.6)
    found, *rest = refills(training, Algorithm(learning_rate=0.1), 300)
    assert found.tolist() == [128, 256]
    assert_weights_follow_from_votes(training, *rest)


def test_refills_when_the_total_weight_falls():
    # no noise: the cost falls fast and the margins move little
    training = noisy_problem(60, 3, flip=0.0)
    found, *rest = refills(training, Algorithm(), 300)
    drives, costs = rest[-1][[state.DRIVE, state.LOG_COST]]
    assert np.diff(found, prepend=0).min() < exponential.REFILL_ROUNDS
    first = found[0]
    assert costs[0] - costs[first - 1] > exponential.REFILL_FALL
    assert 2 * np.abs(drives[:first]).sum() < exponential.REFILL_TRAVEL
    assert_weights_follow_from_votes(training, *rest)


def test_refills_when_the_margins_travel():
    # votes almost twice as long as is good: the cost hardly falls and the margins move a lot
    training = noisy_problem(200, 3, flip=0.1)
    found, *rest = refills(training, Algorithm(learning_rate=1.9), 100)
    drives, costs = rest[-1][[state.DRIVE, state.LOG_COST]]
    first = found[0]
    assert first < exponential.REFILL_ROUNDS
    assert costs[0] - costs[:first].min() < exponential.REFILL_FALL
    assert 2 * np.abs(drives[:first]).sum() > exponential.REFILL_TRAVEL
    assert_weights_follow_from_votes(training, *rest)


@pytest.mark.parametrize(("rate", "flip"), [(1.0, 0.0), (0.1, 0.6), (2.0, 0.1), (3.0, 0.1)])
def test_incremental_is_row_by_row_at_any_learning_rate(rate, flip):
    # a long step can take away most of a class's weight at once
    training = noisy_problem(200, 3, flip=flip, weights="random")
    fitter = StumpFitter(training, 255, 1)
    recipe = Algorithm(learning_rate=rate).recipe(2, 40, 0)
    short, long = run_recipe(fitter, recipe, 40), run_recipe(fitter, row_by_row(recipe), 40)
    assert len(long.votes) == 40
    assert_same_stumps(short.hypotheses, long.hypotheses)
    np.testing.assert_allclose(short.votes, long.votes, rtol=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_incremental_is_row_by_row_after_a_tiny_error(seed):
    # two heavy rows, got right in the first round, leave their weight to the light ones
    rng = np.random.default_rng(seed)
    X, y, s = rng.normal(size=(60, 4)), np.arange(60) % 2, 1e-9 * rng.uniform(0.5, 1.5, 60)
    X[:2, 0], s[:2] = [-3, 3], [1.0, 0.9]
    fitter = StumpFitter(make_problem(X, y, s), 255, 1)
    recipe = Algorithm().recipe(2, 50, 0)
    short, long = run_recipe(fitter, recipe, 50), run_recipe(fitter, row_by_row(recipe), 50)
    assert 0 < short.errors[0] < 1e-7
    assert_same_stumps(short.hypotheses, long.hypotheses)
    np.testing.assert_allclose(short.votes, long.votes, rtol=1e-8)


# Exact thresholds


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("gaps", [0.0, 0.15])
def test_exact_finds_the_best_of_all_thresholds(n_classes, gaps):
    training = noisy_problem(600, 2, n_classes, gaps=gaps, weights="random")
    run = boost(StumpFitter(training, None, 1), training, Algorithm(), 60)
    inside = ~np.isin(run.hypotheses.threshold, StumpFitter(training, 255, 1).bins.cuts)
    assert 5 < inside.sum() < 60
    u = agreement(run.hypotheses, training.X, training.y)
    for t in [0, 1, 2, 20, 59]:
        w = normalise(np.log(training.weight) - run.votes[:t] @ u[:t])
        twin = best_stump(training.X, training.y, w, n_classes)
        assert run.errors[t] == pytest.approx(w[twin.predict(training.X) != training.y].sum())
        if n_classes == 2:  # with more, rows of a third class make ties
            assert_same_stump(run.hypotheses[t], twin)


def best_edge(training, w):
    """The largest edge of any split of a table without gaps, by running sums."""
    says = np.eye(training.n_classes)[training.y] * w[:, None]
    best = -1.0
    for x in training.X.T:
        order = np.argsort(x)
        left = np.cumsum(says[order], axis=0)[:-1][np.diff(x[order]) > 0]
        right = says.sum(axis=0) - left
        best = max(best, 2 * (left.max(axis=1) + right.max(axis=1)).max() - 1)
        if training.n_classes == 2:
            best = max(best, 2 * (left.min(axis=1) + right.min(axis=1)).max() - 1)
    return best


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [3, 4])
@pytest.mark.parametrize("weights", ["equal", "random"])
def test_exact_edges_over_many_rounds(n_classes, weights):
    training = noisy_problem(900, 9, n_classes, weights=weights)
    run = boost(StumpFitter(training, None, 1), training, Algorithm(), 300)
    u = agreement(run.hypotheses, training.X, training.y)
    margins = np.vstack([np.zeros(900), np.cumsum(run.votes[:, None] * u, axis=0)])
    for t in range(300):
        w = normalise(np.log(training.weight) - margins[t])
        assert 1 - 2 * run.errors[t] == pytest.approx(best_edge(training, w), rel=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_exact_takes_the_first_of_equals(n_classes):
    # equal weights: many thresholds have the same edge, inside bins and between them
    for seed in range(5):
        training = noisy_problem(400, 1, n_classes, flip=0.9, seed=seed)
        stumps, _ = StumpFitter(training, None, 1).fit(training.weight)
        twin = best_stump(training.X, training.y, training.weight, n_classes)
        assert_same_stump(stumps[0], twin)


@pytest.mark.parametrize("algorithm", [Algorithm(), Algorithm(cost=Logistic(), step=ConvexHull())])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_exact_is_binned_where_values_are_few(n_classes, algorithm):
    training = noisy_problem(300, 5, n_classes, gaps=0.1)
    training.X[:] = training.X.round(1)
    recipe = row_by_row(algorithm.recipe(n_classes, 200, 0))
    exact, binned = (run_recipe(StumpFitter(training, k, 1), recipe, 200) for k in (None, 255))
    assert_identical(exact, binned)


# Threads


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize(
    "algorithm",
    [
        Algorithm(),
        Algorithm(cost=Logistic(), step=ConvexHull(), draw=Subsample(0.5), stops=False),
        Algorithm(step=SloppyHull(0.8), draw=Bootstrap()),
    ],
)
@pytest.mark.parametrize("max_bins", [255, None])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_threads_change_nothing(algorithm, max_bins, n_classes):
    training = noisy_problem(400, 33, n_classes, gaps=0.02)
    one = boost(StumpFitter(training, max_bins, 1), training, algorithm, 60, seed=3)
    assert len(one.votes) > 5
    for n_jobs in (2, 3):
        many = boost(StumpFitter(training, max_bins, n_jobs), training, algorithm, 60, seed=3)
        assert_identical(one, many)


# Numbers stay numbers


def assert_finite(run):
    assert len(run.votes) > 0
    for part in ("votes", "errors", "log_costs"):
        assert np.isfinite(getattr(run, part)).all(), part


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("flip", [0.0, 0.3])
def test_a_hundred_thousand_rounds(n_classes, flip):
    training = noisy_problem(50, 3, n_classes, flip=flip)
    run = boost(StumpFitter(training, 255, 1), training, Algorithm(), 100_000)
    assert len(run.votes) == 100_000
    assert_finite(run)
    assert ((run.errors > 0) & (run.errors < 1 - 1 / n_classes)).all()


def test_a_hundred_thousand_rounds_row_by_row():
    training = noisy_problem(50, 3)
    fitter = StumpFitter(training, 255, 1)
    for algorithm in (
        Algorithm(step=SloppyHull(0.7, 0.5)),
        Algorithm(cost=Logistic(), step=ConvexHull(), draw=Bootstrap(), stops=False),
    ):
        run = boost(fitter, training, algorithm, 100_000)
        assert len(run.votes) == 100_000
        assert_finite(run)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("max_bins", [255, None])
def test_extreme_sample_weights(n_classes, max_bins):
    base = noisy_problem(300, 3, n_classes)
    s = np.geomspace(1e-12, 1e12, 300)[np.random.default_rng(0).permutation(300)]
    training = make_problem(base.X, base.y, s, n_classes)
    fitter = StumpFitter(training, max_bins, 1)
    recipe = Algorithm().recipe(n_classes, 3000, 0)
    for one in [recipe, row_by_row(recipe)] if max_bins else [row_by_row(recipe)]:
        assert_finite(run_recipe(fitter, one, 3000))


@pytest.mark.parametrize("rate", [10.0, 1000.0])
def test_huge_learning_rates(rate):
    training = noisy_problem(60, 3)
    recipe = Algorithm(learning_rate=rate).recipe(2, 500, 0)
    for one in (recipe, row_by_row(recipe)):
        assert_finite(run_recipe(StumpFitter(training, 255, 1), one, 500))
