"""Boosting on out-of-bag margins: the twin, and who has seen whom."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from nacre.bins.cuts import Rows, cuts_of
from nacre.boost.draw import Bootstrap, draw_times
from nacre.consensus import outofbag
from nacre.consensus.members import bag_trees
from nacre.consensus.outofbag import OutOfBag, pulls
from nacre.data.seeds import derive_seed
from nacre.learners.tree import Tree
from nacre.noise.quality import label_margins
from tests.textbook.outofbag import out_of_bag
from tests.training import noisy_problem

SEED = 11


def draws_of(trees, training, share=1.0):
    draw = Bootstrap(share)
    return np.array([draw_times(draw, training, SEED, t) for t in range(1, trees + 1)])


def nobody(training):
    return np.zeros(len(training.y), bool)


def relabelled(training, row):
    y = training.y.copy()
    y[row] = (y[row] + 1) % training.n_classes
    return replace(training, y=y)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("cuts", [False, True])
@pytest.mark.parametrize("trusted", [0.0, 0.3])
@pytest.mark.parametrize("most", [10**6, 40])
def test_the_twin(monkeypatch, n_classes, cuts, trusted, most):
    monkeypatch.setattr(outofbag, "MOST_ROWS", most)
    training = noisy_problem(80, 3, n_classes, gaps=0.1, weights="random")
    clean = np.random.default_rng(0).random(80) < trusted
    tree = Tree(4, min_weight=0.02, max_features=2, random_cuts=cuts)
    run = OutOfBag(rounds=12, warm=5, slope=1.5)
    fitter = tree.prepare(training)
    trees, shares, held = run.run(fitter, training, clean, SEED)
    other = tree.prepare(training)

    def grow(w, t):
        other.fit_shares(w, derive_seed(SEED, t + 1))
        return other.leaf.copy()

    said, unseen = out_of_bag(
        grow, draws_of(17, training, min(1.0, most / 80)), training.y, n_classes, training.weight,
        5, 1.5, clean,
    )  # fmt: skip
    assert len(trees) == len(shares) == 12
    assert_allclose(held, unseen, atol=1e-9)
    forest = bag_trees(fitter, trees, shares, cuts_of(fitter.bins))
    assert_allclose(forest.mean_shares(Rows(training.X)), said, atol=1e-7)


@given(seed=st.integers(0, 99), row=st.integers(0, 39), n_classes=st.integers(2, 4))
def test_no_row_is_judged_by_a_tree_that_has_seen_it(seed, row, n_classes):
    """With weights that stay as they are, a row's own label does not touch what is said of it.

    With others it does, but only through the weights of other rows.
    """
    training = noisy_problem(40, 3, n_classes, seed=seed)
    run = OutOfBag(rounds=10, warm=0, slope=1e-200)
    said = []
    for one in (training, relabelled(training, row)):
        *_, held = run.run(Tree(4).prepare(one), one, nobody(one), seed)
        said.append(held)
    assert np.array_equal(said[0][row], said[1][row])


def test_rows_that_all_trees_have_seen_are_of_any_class():
    training = noisy_problem(30, 3, 3)
    fitter = Tree(2).prepare(training)
    _, shares, held = OutOfBag(rounds=1, warm=0).run(fitter, training, nobody(training), SEED)
    seen = draws_of(1, training)[0] > 0
    assert 0 < seen.sum() < 30
    assert_allclose(held[seen], 1 / 3)
    assert_allclose(held[~seen], shares[0][fitter.leaf][~seen])


class Spy:
    """A fitter that notes the weights it is given."""

    def __init__(self, fitter):
        self.fitter, self.weights = fitter, []

    def __getattr__(self, name):
        return getattr(self.fitter, name)

    def fit_shares(self, weights, seed):
        self.weights.append(weights.copy())
        return self.fitter.fit_shares(weights, seed)


def test_who_has_how_much_weight():
    training = noisy_problem(200, 3, weights="random")
    clean = np.arange(200) % 4 == 0
    spy = Spy(Tree(4, min_weight=0.02).prepare(training))
    *_, held = OutOfBag(rounds=20, warm=20).run(spy, training, clean, SEED)
    share = np.array(spy.weights) / np.maximum(draws_of(40, training), 1) / training.weight
    drawn = draws_of(40, training) > 0
    assert_allclose(share[:20][drawn[:20]], 1.0)  # while it is warming up
    assert_allclose(share[:, clean][drawn[:, clean]], 1.0)
    assert share.max() <= 1.0 + 1e-12
    last = share[-1][drawn[-1] & ~clean]
    assert last.min() < 0.5 < last.max()
    z = label_margins(
        held, training.y
    )  # the margin after the last tree: near the one it was grown on
    order = np.argsort(np.abs(z[drawn[-1] & ~clean]))
    assert last[order[:10]].min() > last[order[-10:]].max()


def test_margins_and_pulls():
    shares = np.array([[0.2, 0.5, 0.3], [0.2, 0.5, 0.3], [1.0, 0.0, 0.0]])
    z = label_margins(shares, np.array([1, 0, 0]))
    assert_allclose(z, [0.2, -0.3, 1.0])
    assert shares[0].tolist() == [0.2, 0.5, 0.3]
    assert_allclose(pulls(z, 2.0), 1 / np.cosh(z / z.std()) ** 2)
    assert_allclose(pulls(3 * z, 2.0), pulls(z, 2.0))
    assert pulls(np.zeros(4), 1.5).tolist() == [1.0] * 4
    assert np.isfinite(pulls(np.ones(4), 1.5)).all()


def test_classes_that_are_apart():
    """All margins are alike, so that no row is worth learning: the trees still tell the classes."""
    x = np.repeat([0.0, 1.0], 30)
    training = noisy_problem(60, 1)
    # no two rows are equal: those would be drawn together, a class at a time
    table = np.column_stack([x, training.X[:, 0]])
    training = replace(training, X=table, y=(x > 0).astype(np.int64))
    fitter = Tree(2).prepare(training)
    trees, shares, held = OutOfBag(rounds=30, warm=10).run(fitter, training, nobody(training), SEED)
    forest = bag_trees(fitter, trees, shares, cuts_of(fitter.bins))
    assert np.array_equal(held.argmax(axis=1), training.y)
    assert np.array_equal(forest.mean_shares(Rows(training.X)).argmax(axis=1), training.y)
