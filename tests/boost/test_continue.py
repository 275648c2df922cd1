"""Runs that are stopped and continued, or stopped early."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import erfc
from scipy.stats import norm
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from nacre.boost import (
    Exponential,
    Logistic,
    PairBoosting,
    Sigmoid,
    Subsample,
    Tanh,
    ZeroOne,
    boosting,
)
from nacre.boost.result import EARLY, Run, Steps
from nacre.boost.stopping import ErrorWatch, best_round, boost_watched
from nacre.learners.adapter import AnyFitter, AnyRegressor
from nacre.learners.stump import StumpFitter
from nacre.learners.tree import Tree
from nacre.models.adaboostreg import SoftMargin
from nacre.models.brownboost import BrownCost
from tests.boost.test_gradient import TABLE as GRADIENT
from tests.boost.test_gradient import boosting_of, naive_loss, start_of
from tests.boost.test_loop import SEED, TABLE, noise_of
from tests.textbook import gradient as twin
from tests.training import make_problem, noisy_problem

MOST = 20

FITTERS = {
    "stump": lambda training: StumpFitter(training, 255, 1),
    "exact stump": lambda training: StumpFitter(training, None, 1),
    "tree": lambda training: Tree(2).prepare(training),
    "random tree": lambda training: Tree(2, max_features=2).prepare(training),
    "scikit-learn": lambda training: AnyFitter(DecisionTreeClassifier(max_depth=2), training),
}
REGRESSORS = {
    "stump": lambda training: Tree(1).prepare(training),
    "tree": lambda training: Tree(2, max_features=2).prepare(training),
    "scikit-learn": lambda training: AnyRegressor(DecisionTreeRegressor(max_depth=2), training),
}


def untied(n_classes=2, n=120, seed=0):
    return noisy_problem(n, 4, n_classes, weights="random", seed=seed)


def begin(kind, name, learner, training, before=None):
    """Any run: of the table of voting algorithms, of pairs, or of gradients."""
    if kind == "pairs":
        return PairBoosting(FITTERS[learner](training), training, 0.7, SEED, before)
    if kind == "gradient":
        draw = Subsample(0.6) if learner == "tree" else None
        return boosting_of(name, REGRESSORS[learner](training), training, 0.1, draw, SEED, before)
    algorithm, _, parameters = TABLE[name]
    noise = noise_of(training, parameters)
    return boosting(FITTERS[learner](training), training, algorithm, MOST, SEED, noise, before)


def runs(*learners, names=(*TABLE, "pairs", *GRADIENT), extra=()):
    """Every algorithm with every learner; two classes and three by turns."""
    cases = [(name, learner) for name in names for learner in learners]
    cases += [case for case in extra if case[0] in names]
    kinds = {"pairs": "pairs"} | dict.fromkeys(TABLE, "votes") | dict.fromkeys(GRADIENT, "gradient")
    return pytest.mark.parametrize(
        ("kind", "name", "learner", "n_classes"),
        [(kinds[name], name, learner, 2 + k % 2) for k, (name, learner) in enumerate(cases)],
    )


OTHERS = [
    (name, learner)
    for name in ("samme", "marginboost, tanh", "sloppy", "pairs")
    for learner in ("exact stump", "random tree")
]


def said(hypotheses, X):
    """What the hypotheses say, one after the other."""
    each = getattr(hypotheses, "said_by_each", None) or hypotheses.regressors.values_by_each
    return np.array(list(each(X)))


def whole_run(kind, name, learner, training):
    started = begin(kind, name, learner, training)
    started.advance(MOST)
    return started.run()


def columns_of(run):
    """All numbers of a run, a row for each round."""
    parts = [run.votes, run.errors, run.losses if run.log_costs is None else run.log_costs]
    if run.steps is not None:
        parts += [run.steps.shrink, run.steps.vote, run.steps.drive, *run.states.T]
    return np.column_stack(parts)


def assert_equal_runs(one, other, X):
    """Bit for bit."""
    assert np.array_equal(columns_of(one), columns_of(other))
    assert np.array_equal(said(one.hypotheses, X), said(other.hypotheses, X))
    assert (one.stop_reason, one.seed) == (other.stop_reason, other.seed)


# Going on


@pytest.mark.slow
@runs("stump", "tree", "scikit-learn", extra=OTHERS)
def test_in_parts_or_at_once(kind, name, learner, n_classes):
    training = untied(n_classes)
    at_once = whole_run(kind, name, learner, training)
    for stops in ([5], [1, 2, 3, 19], [7, 7, 5]):
        started = begin(kind, name, learner, training)
        done = [0]
        for stop in stops:
            started.advance(stop)
            assert started.done <= max(stops)
            done.append(started.done)
            assert len(started.run()) == len(columns_of(started.run())) == started.done
        started.advance(MOST)
        assert_equal_runs(started.run(), at_once, training.X)
        done.append(started.done)
        parts = [
            said(started.since(start).hypotheses, training.X)[: (stop - start) * width(started)]
            for start, stop in pairwise(done)
            if stop > start
        ]
        if parts:
            assert np.array_equal(np.concatenate(parts), said(at_once.hypotheses, training.X))


def width(started):
    """Regressors a round."""
    return started.scores.shape[1] if hasattr(started, "scores") else 1


@pytest.mark.slow
@runs("stump", "tree", "scikit-learn", extra=OTHERS)
def test_from_an_earlier_run(kind, name, learner, n_classes):
    training = untied(n_classes)
    at_once = whole_run(kind, name, learner, training)
    for stop in (1, 7, MOST):
        started = begin(kind, name, learner, training)
        started.advance(stop)
        before = started.run()
        again = begin(kind, name, learner, training, before)
        assert again.done == len(before)
        again.advance(MOST)
        run = again.run()
        assert run.stop_reason == at_once.stop_reason
        np.testing.assert_allclose(run.votes, at_once.votes, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(columns_of(run), columns_of(at_once), rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(
            said(run.hypotheses, training.X), said(at_once.hypotheses, training.X), atol=1e-7
        )
        assert len(run.hypotheses) == len(run.votes)


@runs("stump", "scikit-learn", names=(*TABLE, "pairs", *GRADIENT))
def test_from_some_rounds_of_an_earlier_run(kind, name, learner, n_classes):
    # what was dropped is forgotten; draws depend on the seed and the round alone
    training = untied(n_classes)
    at_once = whole_run(kind, name, learner, training)
    keep = len(at_once) // 2
    first = at_once.first(keep, EARLY)
    assert (len(first), len(first.hypotheses), first.stop_reason) == (keep, keep, EARLY)
    again = begin(kind, name, learner, training, first)
    again.advance(MOST)
    np.testing.assert_allclose(again.run().votes, at_once.votes, rtol=1e-8, atol=1e-10)


@runs("stump", "scikit-learn", names=(*TABLE, "pairs", "l2", "logistic"))
def test_a_run_that_has_ended_goes_no_further(kind, name, learner, n_classes):
    y = np.arange(12) % 2
    training = untied(2, 12)
    training = training.__class__(np.column_stack([y, y]), y, 2, np.full(12, 1 / 12))
    first = whole_run(kind, name, learner, training)
    again = begin(kind, name, learner, training, first)
    again.advance(MOST)
    assert again.run().stop_reason == first.stop_reason
    assert len(again.run()) == len(first)


def test_threads_can_be_stopped_too(threads):
    training = noisy_problem(200, 20, weights="random")
    algorithm = TABLE["samme"][0]
    started = boosting(StumpFitter(training, 255, 2), training, algorithm, MOST, SEED)
    for stop in (1, 5, MOST):
        started.advance(stop)
    at_once = boosting(StumpFitter(training, 255, 1), training, algorithm, MOST, SEED)
    at_once.advance(MOST)
    assert_equal_runs(started.run(), at_once.run(), training.X)


# The best round


@given(
    losses=st.lists(st.integers(0, 6).map(float), max_size=30),
    patience=st.integers(1, 8),
)
def test_best_round_is_the_first_minimum(losses, patience):
    best, stop = best_round(losses, patience)
    assert (best, stop) == textbook_rule(losses, patience)
    for more in range(1, 4):  # what comes later changes nothing once it is settled
        if stop is not None:
            assert best_round(losses + [-1.0] * more, patience) == (best, stop)


def textbook_rule(losses, patience):
    for t in range(1, len(losses) + 1):
        best = int(np.argmin(losses[:t])) + 1
        if t - best >= patience:
            return best, t
    return (int(np.argmin(losses)) + 1 if losses else 0), None


def naive_cost(cost, z, slope, left):
    if isinstance(cost, BrownCost):
        return erfc((z + left) / np.sqrt(cost.c)) / 2
    if isinstance(cost, (Exponential, SoftMargin)):
        return np.exp(-slope * z)
    if isinstance(cost, Logistic):
        return np.log2(1 + np.exp(-z))
    if isinstance(cost, Tanh):
        return (1 - np.tanh(cost.slope * z)) / 2
    if isinstance(cost, Sigmoid):
        return 1 / (1 + np.exp(cost.slope * z))
    assert isinstance(cost, ZeroOne)
    return norm.cdf(-z / np.sqrt(cost.sigma2))


def staged_losses(kind, name, run, held, on):
    """The error or loss on held-out rows after each round, from the definitions."""
    rows, out = np.arange(len(held.y)), []
    if kind == "gradient":
        star, start = twin.own_class(held.y, held.n_classes), start_of(name, untied(held.n_classes))
        for moved in run.hypotheses.staged(held.X, run.votes):
            F = start + moved
            guess = F.argmax(axis=1) if F.shape[1] > 1 else F[:, 0] > 0
            wrong = held.weight @ (guess != held.y)
            out.append(wrong if on == "error" else naive_loss(name, F, star, held.weight))
        return out
    cost = TABLE[name][0].cost if kind == "votes" else Exponential()
    lam = getattr(TABLE[name][0].step, "acceleration", 0.0) if kind == "votes" else 0.0
    each = said(run.hypotheses, held.X)
    z = np.zeros(len(held.y))
    for t in range(1, len(run) + 1):
        totals = np.zeros((len(held.y), held.n_classes))
        for guess, vote in zip(each[:t], run.first(t, "").votes, strict=True):
            totals[rows, guess] += vote
        carries = run.steps.shrink if run.steps.carry is None else run.steps.carry
        z = carries[t - 1] * z + run.steps.drive[t - 1] * np.where(each[t - 1] == held.y, 1, -1)
        left = run.states[t - 1].sum() if kind == "votes" else 0.0
        wrong = held.weight @ (totals.round(12).argmax(axis=1) != held.y)
        out.append(wrong if on == "error" else held.weight @ naive_cost(cost, z, t**lam, left))
    return out


@runs("stump", "tree", names=(*TABLE, "pairs", *GRADIENT))
@pytest.mark.parametrize("on", ["error", "loss"])
def test_early_stopping(kind, name, learner, n_classes, on):
    training, held = untied(n_classes), untied(n_classes, 80, seed=9)
    full = whole_run(kind, name, learner, training)
    expected = staged_losses(kind, name, full, held, on)
    for patience in (1, 3, 50):
        started = begin(kind, name, learner, training)
        run, losses = boost_watched(started, MOST, started.watch(held, on), patience)
        best, stop = textbook_rule(expected, patience)
        np.testing.assert_allclose(losses, expected[:stop], rtol=1e-9, atol=1e-12)
        assert len(run) == len(run.hypotheses) == best
        assert run.stop_reason == (EARLY if best < len(full) else full.stop_reason)
        np.testing.assert_allclose(columns_of(run)[:, 1:], columns_of(full)[:best, 1:])


@pytest.mark.parametrize("name", ["samme", "marginboost, tanh", "sloppy"])
def test_early_stopping_does_not_depend_on_how_many_rounds_are_taken_at_once(name):
    training, held = untied(), untied(2, 80, seed=9)
    started = begin("votes", name, "stump", training)
    run, losses = boost_watched(started, MOST, started.watch(held, "loss"), 4)
    single, one_by_one = begin("votes", name, "stump", training), []
    watch = single.watch(held, "loss")
    while best_round(one_by_one, 4)[1] is None and single.done < MOST:
        done = single.done
        single.advance(done + 1)
        one_by_one += watch.see(single.since(done))
    assert losses.tolist() == one_by_one
    assert len(run) == best_round(one_by_one, 4)[0]


@runs("stump", names=("samme", "sloppy", "marginboost, tanh", "pairs", "l2", "gce"))
def test_early_stopping_goes_on_from_an_earlier_run(kind, name, learner, n_classes):
    training, held = untied(n_classes), untied(n_classes, 80, seed=9)
    full = whole_run(kind, name, learner, training)
    expected = staged_losses(kind, name, full, held, "error")
    started = begin(kind, name, learner, training)
    started.advance(6)
    again = begin(kind, name, learner, training, started.run())
    run, losses = boost_watched(again, MOST, again.watch(held, "error"), 50)
    np.testing.assert_allclose(losses, expected, rtol=1e-9, atol=1e-12)
    assert len(run) == textbook_rule(expected, 50)[0]


@pytest.mark.parametrize("codes", [[1, 1, 0], [0, 0, 1]])
def test_equal_votes_are_a_vote_for_the_first_class(codes):
    # as in predict: 0.1 + 0.2 and 0.3 are the same number of votes
    held = make_problem(np.zeros((4, 1)), [0, 0, 0, 1])

    class Said:
        def said_by_each(self, X):
            return (np.full(len(X), code) for code in codes)

    vote = np.array([0.1, 0.2, 0.3])
    run = Run(Said(), vote, np.zeros(3), steps=Steps(np.ones(3), vote, vote))
    assert ErrorWatch(held).see(run)[-1] == 0.25


@pytest.mark.parametrize("name", ["adaboost", "aveboost2"])
@pytest.mark.parametrize("workers", [1, 2])
def test_room_for_rounds_grows(name, workers, monkeypatch):
    """The rounds are the same, and nothing is allocated for those that are not taken."""
    training = noisy_problem(120, 12, 2, seed=0)
    algorithm, *_ = TABLE[name]

    def run(rounds=MOST):
        fitter = StumpFitter(training, 255, workers)
        started = boosting(fitter, training, algorithm, rounds, SEED)
        started.advance(MOST)
        return started

    whole = run().run()
    monkeypatch.setattr("nacre.boost.compiled.ROOM", 3)
    grown = run(10**9)
    assert len(grown.trace.stump) == 24
    np.testing.assert_array_equal(grown.run().votes, whole.votes)
    np.testing.assert_array_equal(grown.run().hypotheses.feature, whole.hypotheses.feature)
    assert len(whole) > 3
