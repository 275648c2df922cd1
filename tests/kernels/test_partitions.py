"""The parts of a round over partitions of the rows: sums in, the same stumps and votes out."""

from copy import copy
from functools import reduce

import numpy as np
import pytest

from nacre.boost import (
    Algorithm,
    AverageBoth,
    Bootstrap,
    ConvexHull,
    Logistic,
    SloppyHull,
    Subsample,
    Tanh,
    boost,
)
from nacre.boost.algorithm import row_by_row
from nacre.kernels import formulas as fm
from nacre.kernels import rounds as kernel
from nacre.kernels.random import ALL_ROWS
from nacre.learners.stump import StumpFitter
from tests.training import noisy_problem

SEED = 3


def partition(fitter, some):
    """A fitter of some of the rows, given by their places; bins are those of all rows."""
    part, rows = copy(fitter), fitter.rows
    part.rows = rows._replace(
        words=np.ascontiguousarray(rows.words[:, some]),
        starts=np.searchsorted(some, rows.starts),
        order=np.arange(len(some), dtype=rows.order.dtype),
        s=rows.s[some],
    )
    return part


def boost_apart(fitter, places, keys, recipe, rounds):
    """What a scheduler would do: local sums, a decision, and its application to every partition."""
    parts = [partition(fitter, np.sort(some)) for some in places]
    nobody = partition(fitter, np.empty(0, int))
    every = nobody.work(recipe, keys[:0])
    own = [keys[fitter.rows.order[np.sort(some)]] for some in places]
    if recipe.draw == ALL_ROWS:
        own = [None] * len(places)
    works = [part.work(recipe, key) for part, key in zip(parts, own, strict=True)]
    trace, state, blocks = fitter.trace(rounds), np.zeros(1), len(fitter.rows.words)
    nothing = fm.Margins(np.empty(0), np.empty(0), np.empty(0))
    for part, work in zip(parts, works, strict=True):
        work.clock[kernel.ROUND] = 1
        weigh = kernel.start if recipe.incremental else kernel.reweigh
        weigh(part.rows, recipe, work)
    for t in range(rounds):
        if sum(work.mass.sum() for work in works) == 0.0:
            for work in works:
                kernel.take_all_if_none(recipe, work)
        for part, work in zip(parts, works, strict=True):
            kernel.scan_blocks(part.rows, work, 0, blocks)
            work.clock[kernel.COUNTED] = 1
        unit = max(kernel.log_scale(work) for work in works)
        every.hist[:], every.mass[:] = 0.0, 0.0
        for work in works:
            kernel.add_blocks(work, unit, every)
        kernel.find_edges(nobody.rows, every)
        assert kernel.best_stump(nobody.rows, every, trace, t)
        stump, numbers = trace.stump[t], trace.numbers[t]
        for work in works:
            work.said[:] = every.said
        sums = reduce(
            kernel.add_sums,
            [
                kernel.sum_rows(part.rows, recipe, work, stump)
                for part, work in zip(parts, works, strict=True)
            ],
        )
        assert kernel.decide(recipe, t + 1, sums, nothing, state, numbers) == fm.GO
        shrink, drive, log_cost = numbers[[kernel.SHRINK, kernel.DRIVE, kernel.LOG_COST]]
        for part, work in zip(parts, works, strict=True):
            work.clock[kernel.ROUND] += 1
            kernel.apply_step(part.rows, recipe, work, stump, shrink, drive, log_cost)
    return fitter.stumps(trace, 0, rounds), trace.numbers[:, kernel.VOTE]


ALGORITHMS = {
    "adaboost": Algorithm(),
    "adaboost, bootstrapped": Algorithm(draw=Bootstrap()),
    "logistic aveboost2": Algorithm(Logistic(), AverageBoth()),
    "marginboost": Algorithm(Tanh(1.3), ConvexHull(), Subsample(0.5), stops=False),
    "sloppy": Algorithm(step=SloppyHull(1.2, 0.4)),
}


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("short", [True, False])
def test_partitions_find_the_same_stumps_and_votes(name, count, n_classes, short):
    algorithm, rounds = ALGORITHMS[name], 25
    training = noisy_problem(200, 10, n_classes, gaps=0.1, weights="random")
    fitter = StumpFitter(training, 255, 1)
    whole = boost(fitter, training, algorithm, rounds, SEED)
    assert len(whole) == rounds
    recipe = algorithm.recipe(n_classes, rounds, SEED)
    recipe = recipe if short else row_by_row(recipe)
    places = np.array_split(np.random.default_rng(0).permutation(200), count)
    stumps, votes = boost_apart(fitter, places, training.units.key, recipe, rounds)
    assert list(stumps) == list(whole.hypotheses)
    np.testing.assert_allclose(votes, whole.steps.vote, rtol=1e-9)


def test_sums_of_different_units_add_up():
    one, other = kernel.Sums(0.2, 0.1, 1.0, 0.0), kernel.Sums(2.0, 1.0, 5.0, -np.log(10.0))
    found = kernel.add_sums(one, other)
    assert found == pytest.approx((0.4, 0.2, 1.5, 0.0))
    assert kernel.add_sums(other, one) == pytest.approx(found)
