"""Gradient boosting in folds: held-out scores are those of models that never had the rows."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import softmax

from nacre.boost.gradient import GradientBoosting
from nacre.boost.loss import chances
from nacre.consensus.crossfit import CrossFit, Damped, centred_logs, prior_scores
from nacre.learners.tree import Tree
from tests.training import examples, make_problem, noisy_problem, problems

FOLDS = 3


def folds(n, seed=0):
    return np.random.default_rng(seed).permutation(n) % FOLDS


def whole_numbers(n_classes, n=120, seed=0):
    """Few values, so that each is in every fold; random weights, so that nothing ties."""
    training = noisy_problem(n, 3, n_classes, weights="random", seed=seed)
    return replace(training, X=np.clip(np.round(2 * training.X), -3, 3))


def run_of(training, fold, share=0.6, tree=None, rounds=6, seed=5):
    runs = CrossFit((tree or Tree(3)).prepare(training), training, fold, 0.1, seed, share)
    runs.advance(rounds)
    return runs


@pytest.mark.parametrize("n_classes", [2, 3])
def test_held_out_scores_are_those_of_a_model_without_the_rows(n_classes):
    training, fold = whole_numbers(n_classes), folds(120)
    held = run_of(training, fold, share=1.0).held_out()
    for k in range(FOLDS):
        weight = np.where(fold == k, 0.0, training.weight)
        start = prior_scores(replace(training, weight=weight / weight.sum()))
        part = training.take(np.flatnonzero(fold != k))
        alone = GradientBoosting(Tree(3).prepare(part), part, Damped(), start, 0.1)
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
    held, fitted = runs.held_out(), runs.first(6)
    each = [
        centred_logs(start + run.hypotheses.scores(training.X, run.votes))
        for run, start in zip(fitted.runs, fitted.starts, strict=True)
    ]
    assert len(each) == FOLDS
    for k in range(FOLDS):
        assert_allclose(held[fold == k], each[k][fold == k], rtol=1e-9, atol=1e-9)
    assert_allclose(fitted.scores(training.X), np.mean(each, axis=0), atol=1e-9)


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


def test_runs_as_they_were_before():
    training, fold = noisy_problem(90, 3, 3), folds(90)
    early, late = run_of(training, fold, rounds=4), run_of(training, fold, rounds=4)
    before = late.held_out()
    late.advance(9)
    assert not np.allclose(before, late.held_out())
    assert_allclose(late.first(4).scores(training.X), early.first(9).scores(training.X))
    assert [len(run) for run in late.first(4).runs] == [4] * FOLDS


def test_a_run_that_ends_early_has_the_rounds_it_has():
    training = make_problem(np.ones((12, 2)), np.arange(12) % 2)
    runs = run_of(training, folds(12))
    assert [len(run) for run in runs.first(6).runs] == [0] * FOLDS
    assert_allclose(runs.first(6).scores(training.X), 0.0, atol=0.2)


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
    fitted = run_of(training, fold).first(6)
    own = fitted.importances(3)
    assert own.shape == (3,)
    assert own.argmax() == 0
    assert fitted.width <= 3


def test_saturated_leaves_take_bounded_steps():
    """A sure row has the least curvature, so that a wrong one moves its leaf by 100 at most."""
    p = np.array([[1.0 - 1e-12], [1e-12], [0.5]])
    target = Damped().target(p, np.array([[0.0], [1.0], [1.0]]))
    assert np.abs(target.response / target.curvature).max() <= 100.0
    assert target.curvature[2, 0] == 0.25
