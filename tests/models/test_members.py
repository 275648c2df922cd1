"""What the default classifier is made of."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nacre.boost.crossfit import CrossFit
from nacre.learners.tree import Tree
from nacre.models import members
from nacre.models.members import FOLDS, ROUNDS, Bagged, Boosted, gather
from nacre.noise.link import calibrated_loss
from nacre.table.folds import fold_of
from tests.problems import noisy_problem


def nobody(problem):
    return np.zeros(len(problem.y), bool)


def test_small_tables_are_judged_by_all_rows():
    problem = noisy_problem(50, 2, weights="random")
    clean = np.arange(50) < 7
    evidence = gather(problem, clean, 0)
    assert np.array_equal(evidence.rows, np.arange(50))
    assert np.array_equal(evidence.given, problem.y)
    assert np.array_equal(evidence.clean, clean)
    assert_allclose(evidence.weight, problem.weight * 50)
    scores = np.random.default_rng(0).normal(size=(50, 2))
    assert evidence.loss(scores) == calibrated_loss(scores, problem.y, clean, evidence.weight)


@pytest.mark.parametrize(("trusted", "kept"), [(0, 0), (10, 10), (60, 20), (95, 35), (100, 20)])
def test_large_tables_are_judged_by_a_sample(monkeypatch, trusted, kept):
    monkeypatch.setattr(members, "JUDGES", 40)
    problem = noisy_problem(100, 2)
    clean = np.random.default_rng(1).permutation(100) < trusted
    evidence = gather(problem, clean, 0)
    assert len(set(evidence.rows.tolist())) == len(evidence.rows)
    assert (np.diff(evidence.rows) > 0).all()
    assert len(evidence.rows) <= 40
    assert np.array_equal(evidence.given, problem.y[evidence.rows])
    assert np.array_equal(evidence.clean, clean[evidence.rows])
    assert evidence.weight.mean() == pytest.approx(1.0)
    if trusted == 95:  # all that are left are in doubt
        assert (~evidence.clean).sum() == 5
    else:
        assert evidence.clean.sum() == kept
    assert np.array_equal(gather(problem, clean, 0).rows, evidence.rows)


@pytest.mark.parametrize("leaves", [2, 8])
def test_boosters_have_the_best_number_of_rounds(leaves):
    problem = noisy_problem(120, 3, flip=0.6)
    clean = nobody(problem)
    evidence = gather(problem, clean, 0)
    model, held = Boosted(leaves).fit(problem, clean, evidence, 7)
    fold = fold_of(problem.X, problem.y, FOLDS, 7)
    tree = Tree(None, max_leaves=leaves, min_weight=10 / 120)
    runs = CrossFit(tree.prepare(problem), problem, fold, 0.6, 0.1, 7)
    losses, scores = [], []
    for rounds in ROUNDS:
        runs.advance(rounds)
        scores.append(runs.held_out())
        losses.append(evidence.loss(scores[-1]))
    best = int(np.argmin(losses[: losses.index(min(losses[:4])) + 4]))
    assert [len(run) for run in model.runs] == [ROUNDS[best]] * FOLDS
    assert np.array_equal(held, scores[best])
    assert evidence.loss(held) == losses[best]


@pytest.mark.parametrize("cuts", [False, True])
def test_bagged_trees(cuts):
    problem = noisy_problem(150, 4, 3, flip=0.3)
    clean = nobody(problem)
    model, held = Bagged(5, cuts, 20).fit(problem, clean, gather(problem, clean, 0), 0)
    assert len(model.forest) == 20
    assert held.shape == model.scores(problem.X).shape == (150, 3)
    assert_allclose(held.sum(axis=1), 0.0, atol=1e-9)
    for tree in model.forest:  # leaves of five rows: of the bootstrap sample's weight
        assert tree.weight[tree.feature < 0].min() >= 5 / 150 * tree.weight[0] * (1 - 1e-9)
    assert (held.argmax(axis=1) == problem.y).mean() > 0.45
    assert model.importances(4).argmax() == 0


def test_leaves_grow_with_the_table(monkeypatch):
    monkeypatch.setattr(members, "SMALL", 50)
    problem = noisy_problem(200, 3)
    clean = nobody(problem)
    model, _ = Bagged(5, False, 5).fit(problem, clean, gather(problem, clean, 0), 0)
    least = min(tree.weight[tree.feature < 0].min() / tree.weight[0] for tree in model.forest)
    assert 10 / 200 * (1 - 1e-9) <= least < 0.1
