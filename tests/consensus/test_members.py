"""What the default classifier is made of."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nacre.bins.cuts import Rows
from nacre.consensus import members
from nacre.consensus import task as tasks
from nacre.consensus.crossfit import CrossFit
from nacre.consensus.members import (
    FARTHEST,
    FOLDS,
    ROUNDS,
    SUREST,
    Bagged,
    Bayes,
    BayesFolds,
    Boosted,
)
from nacre.consensus.task import set_task
from nacre.data.folds import fold_of
from nacre.learners.binned import bin_trees
from nacre.learners.naive_bayes import NaiveBayes
from nacre.learners.sampled import SampledTreeFitter
from nacre.learners.tree import Tree
from nacre.noise.noise_model import calibrated_loss, spread
from tests.training import make_problem, noisy_problem


def nobody(training):
    return np.zeros(len(training.y), bool)


def test_small_tables_are_judged_by_all_rows():
    training = noisy_problem(50, 2, weights="random")
    clean = np.arange(50) < 7
    task = set_task(training, clean, 0)
    assert np.array_equal(task.judged, np.arange(50))
    assert np.array_equal(task.labels, training.y)
    assert np.array_equal(task.clean[task.judged], clean)
    assert_allclose(task.weight, training.weight * 50)
    scores = np.random.default_rng(0).normal(size=(50, 2))
    assert task.loss(scores) == calibrated_loss(scores, training.y, clean, task.weight)


@pytest.mark.parametrize(("trusted", "kept"), [(0, 0), (10, 10), (60, 20), (95, 35), (100, 20)])
def test_large_tables_are_judged_by_a_sample(monkeypatch, trusted, kept):
    monkeypatch.setattr(tasks, "JUDGES", 40)
    training = noisy_problem(100, 2)
    clean = np.random.default_rng(1).permutation(100) < trusted
    task = set_task(training, clean, 0)
    assert len(set(task.judged.tolist())) == len(task.judged)
    assert (np.diff(task.judged) > 0).all()
    assert len(task.judged) <= 40
    assert np.array_equal(task.labels, training.y[task.judged])
    assert np.array_equal(task.clean, clean)
    assert task.weight.mean() == pytest.approx(1.0)
    if trusted == 95:  # all that are left are in doubt
        assert (~task.clean[task.judged]).sum() == 5
    else:
        assert task.clean[task.judged].sum() == kept
    assert np.array_equal(set_task(training, clean, 0).judged, task.judged)


@pytest.mark.parametrize("leaves", [2, 8])
def test_boosters_have_the_best_number_of_rounds(leaves):
    training = noisy_problem(120, 3, flip=0.6)
    clean = nobody(training)
    task = set_task(training, clean, 0)
    model, held = Boosted(leaves).fit(task, 7)
    fold = fold_of(training, FOLDS, 7)
    tree = Tree(None, max_leaves=leaves, min_weight=10 / 120)
    fitter = SampledTreeFitter(tree, training, task.bins)
    runs = CrossFit([fitter], training, fold, 0.1, 7, 0.6)
    losses, scores = [], []
    for rounds in ROUNDS:
        runs.advance(rounds)
        scores.append(runs.held_out())
        losses.append(task.loss(scores[-1]))
    best = int(np.argmin(losses[: losses.index(min(losses[:4])) + 4]))
    assert len(model.trees) == ROUNDS[best] * FOLDS
    assert np.array_equal(held, scores[best])
    assert task.loss(held) == losses[best]


def trees_grown(monkeypatch):
    """The trees that members keep, with all that is known of their nodes."""
    grown = []

    def note(trees, *rest):
        grown.extend(trees)
        return bin_trees(trees, *rest)

    monkeypatch.setattr(members, "bin_trees", note)
    return grown


@pytest.mark.parametrize("cuts", [False, True])
def test_bagged_trees(monkeypatch, cuts):
    training = noisy_problem(150, 4, 3, flip=0.3)
    clean = nobody(training)
    grown = trees_grown(monkeypatch)
    model, held = Bagged(5, cuts, 20).fit(set_task(training, clean, 0), 0)
    assert len(model.trees) == 20
    assert held.shape == model.scores(Rows(training.X)).shape == (150, 3)
    assert_allclose(held.sum(axis=1), 0.0, atol=1e-9)
    for tree in grown:  # leaves of five rows: of the bootstrap sample's weight
        assert tree.weight[tree.feature < 0].min() >= 5 / 150 * tree.weight[0] * (1 - 1e-9)
    assert (held.argmax(axis=1) == training.y).mean() > 0.45
    assert model.importances(4).argmax() == 0


def test_leaves_grow_with_the_table(monkeypatch):
    monkeypatch.setattr(members, "SMALL", 50)
    training = noisy_problem(200, 3)
    clean = nobody(training)
    grown = trees_grown(monkeypatch)
    Bagged(5, False, 5).fit(set_task(training, clean, 0), 0)
    least = min(tree.weight[tree.feature < 0].min() / tree.weight[0] for tree in grown)
    assert 10 / 200 * (1 - 1e-9) <= least < 0.1


def bayes(training, seed=0):
    clean = nobody(training)
    return Bayes().fit(set_task(training, clean, 0), seed)


def centred(logs):
    logs = np.maximum(logs, SUREST)
    return logs - logs.mean(axis=1, keepdims=True)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_naive_bayes_judges_rows_that_it_has_not_seen(n_classes):
    """The classifier itself, fitted to the other folds, says the same."""
    training = noisy_problem(120, 3, n_classes, gaps=0.1, weights="random")
    model, held = bayes(training, seed=5)
    fold = fold_of(training, FOLDS, 5)
    twins = [
        NaiveBayes().fit(training.X, training.y, np.where(fold == k, 0.0, training.weight))
        for k in range(FOLDS)
    ]
    said = np.array([centred(one.predict_log_proba(training.X)) for one in twins])
    own = said[fold, np.arange(120)]
    assert model.scale == pytest.approx(spread(own))
    assert_allclose(held, np.clip(own / model.scale, -FARTHEST, FARTHEST), atol=1e-6)
    mean = said.mean(axis=0) / model.scale
    assert_allclose(model.scores(Rows(training.X)), np.clip(mean, -FARTHEST, FARTHEST), atol=1e-6)


def test_naive_bayes_is_never_too_sure():
    X = np.repeat([[0.0], [1.0]], 30, axis=0) + np.linspace(0, 1e-3, 60)[:, None]
    training = make_problem(X, np.arange(60) >= 30)
    model, held = bayes(training)
    assert (held.argmax(axis=1) == training.y).all()
    far = model.scores(Rows(np.array([[-1e6], [1e6], [np.nan]])))
    assert np.isfinite(far).all()
    assert np.abs(held).max() <= FARTHEST
    assert np.abs(far).max() <= FARTHEST
    assert_allclose(far[2], 0.0, atol=0.1)  # nothing is known of it


def test_a_wrong_label_moves_naive_bayes_little():
    training = noisy_problem(100, 2, flip=0.0)
    other = make_problem(training.X, np.where(np.arange(100) == 7, 1 - training.y, training.y))
    before, after = bayes(training)[1], bayes(other)[1]
    assert (before.argmax(axis=1) == training.y).mean() > 0.85
    assert ((before > 0) == (after > 0)).mean() > 0.95


def test_naive_bayes_of_few_rows_and_of_categories():
    codes = np.array([[0.0], [1.0], [0.0], [1.0]])
    model, held = bayes(make_problem(codes, [0, 1, 0, 1], categorical=[0]))
    assert isinstance(model, BayesFolds)
    assert np.isfinite(held).all()
    assert model.scores(Rows(codes)).argmax(axis=1).tolist() == [0, 1, 0, 1]
    assert model.width == 1
    assert model.importances(1).tolist() == [0.0]
