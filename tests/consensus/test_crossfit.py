"""Gradient boosting in folds: held-out scores are those of models that never had the rows."""

from copy import copy
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import softmax

from nacre.bins import bin_training
from nacre.bins.cuts import Rows, cuts_of
from nacre.boost.draw import Subsample, drawn_weights
from nacre.boost.gradient import LONGEST, GradientBoosting, NegativeGradient, Target
from nacre.boost.loss import chances
from nacre.consensus.crossfit import (
    DAMPED,
    Bend,
    CrossFit,
    SharedBoosting,
    centred_logs,
    prior_scores,
)
from nacre.data import read_training
from nacre.data.seeds import derive_seed
from nacre.kernels.shared_trees import leaf_vectors
from nacre.learners.sampled import SampledTreeFitter
from nacre.learners.tree import Tree
from tests.training import examples, make_problem, noisy_problem, problems

FOLDS = 3


@dataclass(frozen=True)
class Floored(NegativeGradient):
    """The log loss, its curvature held above a floor."""

    def target(self, p, hit):
        pull, curvature = self.of.pull(p, hit)
        return Target(pull, np.ones_like(pull), np.maximum(curvature, DAMPED.least))


def folds(n, seed=0):
    return np.random.default_rng(seed).permutation(n) % FOLDS


def whole_numbers(n_classes, n=120, seed=0):
    """Few values, so that each is in every fold; random weights, so that nothing ties."""
    training = noisy_problem(n, 3, n_classes, weights="random", seed=seed)
    return replace(training, X=np.clip(np.round(2 * training.X), -3, 3))


def run_of(training, fold, share=0.6, tree=None, rounds=6, seed=5):
    fitter = SampledTreeFitter(tree or Tree(3), training, bin_training(training))
    runs = CrossFit([fitter], training, fold, 0.1, seed, share)
    runs.advance(rounds)
    return runs


def test_rows_are_drawn_where_a_share_of_them_is_asked_for():
    training, fold = whole_numbers(2), folds(120)
    some, other = (run_of(training, fold, 0.6, seed=seed).held_out() for seed in (1, 2))
    assert np.abs(some - other).max() > 0.01
    whole, same = (run_of(training, fold, 1.0, seed=seed).held_out() for seed in (1, 2))
    assert_allclose(whole, same, rtol=0.0, atol=0.0)


def test_held_out_scores_are_those_of_a_model_without_the_rows():
    training, fold = whole_numbers(2), folds(120)
    held = run_of(training, fold, share=1.0).held_out()
    for k in range(FOLDS):
        weight = np.where(fold == k, 0.0, training.weight)
        start = prior_scores(replace(training, weight=weight / weight.sum()))
        part = training.take(np.flatnonzero(fold != k))
        alone = GradientBoosting(Tree(3).prepare(part), part, Floored(), start, 0.1)
        alone.advance(6)
        run = alone.run()
        X = training.X[fold == k]
        assert_allclose(
            held[fold == k], centred_logs(start + run.hypotheses.scores(X, run.votes)), atol=1e-9
        )


@examples(2)
@given(training=problems(rows=40, classes=(2, 4)), seed=st.integers(0, 99))
def test_held_out_scores_are_what_the_runs_predict(training, seed):
    fold = folds(len(training.y), seed)
    runs = run_of(training, fold, seed=seed)
    held, whole = runs.held_out(), runs.first(6, cuts_of(runs.runs[0].fitter.bins))
    rows = Rows(training.X)
    each = []
    for k, run in enumerate(runs.runs):
        alone = copy(runs)
        alone.runs = [run]
        each.append(alone.first(6, whole.trees.cuts).scores(rows))
        assert_allclose(held[fold == k], each[k][fold == k], rtol=1e-5, atol=1e-6)
    assert len(each) == FOLDS
    assert_allclose(whole.scores(rows), np.mean(each, axis=0), atol=1e-6)


@pytest.mark.parametrize("n_classes", [3, 5])
def test_a_shared_tree_by_brute_force(n_classes):
    """It is grown on projected gradients, and its leaves take a step of Newton's for each class."""
    training = noisy_problem(150, 3, n_classes, weights="random")
    tree = Tree(None, max_leaves=6)
    fitter = SampledTreeFitter(tree, training, bin_training(training))
    run = SharedBoosting(fitter, training, 0.1, Subsample(0.7), 3, DAMPED)
    run.advance(1)
    p = softmax(2.0 * np.tile(run.start, (150, 1)), axis=1)
    pull = np.eye(n_classes)[training.y] - p
    weight = next(drawn_weights(run.draw, training, training.weight, 3, 1))
    fitter = tree.prepare(training)
    twin, _ = fitter.fit_response(pull @ run._direction(1), weight, derive_seed(3, 1, 0))
    assert np.array_equal(twin.links, run.trees[0].links)
    expected = np.tile(run.start, (150, 1))
    for leaf in np.unique(fitter.leaf):
        rows = fitter.leaf == leaf
        bend = np.maximum(p * (1.0 - p), DAMPED.least)
        step = (weight[rows] @ pull[rows]) / (weight[rows] @ bend[rows])
        expected[rows] += 0.05 * (n_classes - 1) / n_classes * step
    assert_allclose(run.scores, expected, atol=1e-12)


def test_a_draw_without_a_rare_class_ends_nothing():
    """Three positives of a thousand: many a draw has none of them."""
    X = np.random.default_rng(1).normal(size=(1000, 3))
    y = (np.arange(1000) < 3).astype(int)
    X[:3] += 4.0
    training = read_training(Tree(), X, y)
    fitter = SampledTreeFitter(Tree(2), training, bin_training(training))
    for seed in range(8):
        run = SharedBoosting(fitter, training, 0.1, Subsample(0.1), seed, DAMPED)
        run.advance(3)
        assert len(run.trees) == 3


def test_shared_trees_learn_many_classes():
    rng = np.random.default_rng(0)
    y = np.arange(600) % 12
    training = make_problem(np.column_stack([y + 0.1 * rng.normal(size=600), rng.random(600)]), y)
    runs = run_of(training, folds(600), tree=Tree(None, max_leaves=8), rounds=60)
    assert (runs.held_out().argmax(axis=1) == y).mean() > 0.95


@examples(2)
@given(
    training=problems(rows=40, classes=(2, 4)), seed=st.integers(0, 99), row=st.integers(0, 10**6)
)
def test_a_label_does_not_touch_its_own_score(training, seed, row):
    """Nor those of the other rows of its fold; given the folds, which NacreClassifier balances."""
    row %= len(training.y)
    fold, y = folds(len(training.y), seed), training.y.copy()
    y[row] = (y[row] + 1) % training.n_classes
    tree = Tree(3, max_features=2)
    one = run_of(training, fold, tree=tree, seed=seed).held_out()
    two = run_of(replace(training, y=y), fold, tree=tree, seed=seed).held_out()
    own = fold == fold[row]
    assert np.array_equal(one[own], two[own])


def test_any_number_of_threads():
    training, fold = noisy_problem(120, 6, 3), folds(120)
    tree, bins = Tree(None, max_leaves=6, max_features=3), bin_training(training)
    scores = []
    for threads in (1, 2, 4):
        fitters = [SampledTreeFitter(tree, training, bins) for _ in range(threads)]
        runs = CrossFit(fitters, training, fold, 0.1, 3, 0.6)
        runs.advance(5)
        runs.advance(9)
        scores.append(runs.held_out())
    assert np.array_equal(scores[0], scores[1])
    assert np.array_equal(scores[0], scores[2])


def first(runs, rounds):
    return runs.first(rounds, cuts_of(runs.runs[0].fitter.bins))


def scored(runs, rounds, training):
    return first(runs, rounds).scores(Rows(training.X))


def test_runs_as_they_were_before():
    training, fold = noisy_problem(90, 3, 3), folds(90)
    early, late = run_of(training, fold, rounds=4), run_of(training, fold, rounds=4)
    before = late.held_out()
    late.advance(9)
    assert not np.allclose(before, late.held_out())
    assert_allclose(scored(late, 4, training), scored(early, 9, training))
    assert len(first(late, 4).trees) == 4 * FOLDS


def test_a_run_that_ends_early_has_the_rounds_it_has():
    training = make_problem(np.ones((12, 2)), np.arange(12) % 2)
    runs = run_of(training, folds(12))
    assert len(first(runs, 6).trees) == 0
    assert_allclose(scored(runs, 6, training), 0.0, atol=0.2)


def test_scores_to_begin_with():
    two = make_problem(np.ones((10, 1)), [0] * 7 + [1] * 3)
    assert_allclose(prior_scores(two), [0.5 * np.log(3.5 / 7.5)])
    three = make_problem(np.ones((10, 1)), [0] * 7 + [1] * 3, n_classes=3)
    expected = 0.5 * np.log(np.array([7.5, 3.5, 0.5]))
    assert_allclose(prior_scores(three), expected - expected.mean())


@pytest.mark.parametrize("columns", [1, 3])
def test_centred_scores_are_log_probabilities(columns):
    F = np.random.default_rng(0).normal(size=(20, columns))
    p = chances(F)
    expected = np.hstack([1 - p, p]) if columns == 1 else p
    assert_allclose(centred_logs(F).sum(axis=1), 0.0, atol=1e-12)
    assert_allclose(softmax(centred_logs(F), axis=1), expected)


def test_importances():
    training, fold = noisy_problem(200, 3, flip=0.0), folds(200)
    fitted = first(run_of(training, fold), 6)
    own = fitted.importances(3)
    assert own.shape == (3,)
    assert own.argmax() == 0
    assert fitted.width <= 3


@pytest.mark.parametrize(("bend", "most"), [(DAMPED, 100.0), (Bend(), LONGEST)])
def test_saturated_leaves_take_bounded_steps(bend, most):
    """A sure row has the least curvature, so that a wrong one moves its leaf no further."""
    pulls = np.array([[1.0 - 1e-12], [-1.0 + 1e-12], [0.5]])
    values = np.empty((3, 1))
    leaf_vectors(np.arange(3, dtype=np.int32), pulls, np.ones(3), *bend, np.empty((3, 1)), values)
    assert np.abs(values).max() == pytest.approx(most)
    assert values[2, 0] == 0.5 / 0.25
