"""Trees over bins: every row comes to the leaf that the tree it was made of says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from nacre.bins.cuts import Cuts, Rows, cuts_of
from nacre.learners.binned import BinnedTrees, bin_trees, former_trees
from nacre.learners.tree import Tree
from tests.training import make_problem, noisy_problem, problems


def grown(training, count=4, columns=2, seed=0, **shape):
    """Trees, numbers for their nodes, and what those are in sum for the training rows."""
    fitter = Tree(**shape).prepare(training)
    rng = np.random.default_rng(seed)
    trees, values, sums = [], [], 0.0
    for t in range(count):
        times = rng.integers(0, 3, len(training.y))
        trees.append(fitter.fit_shares(training.weight * times, t)[0])
        values.append(rng.normal(size=(len(trees[-1]), columns)))
        sums = sums + values[-1][fitter.leaf]
    return fitter, trees, values, sums


def binned(fitter, trees, values):
    cuts = cuts_of(fitter.bins)
    return bin_trees(trees, values, values[0].shape[1], cuts, np.zeros(cuts.width))


@given(
    training=problems(rows=60, classes=(2, 4)), cuts=st.booleans(), depth=st.sampled_from([1, 3, 9])
)
def test_sums_are_those_of_the_leaves(training, cuts, depth):
    fitter, trees, values, sums = grown(training, max_depth=depth, random_cuts=cuts)
    model = binned(fitter, trees, values)
    assert len(model) == 4
    assert_allclose(model.sums(Rows(training.X)), sums, atol=1e-12)
    former = former_trees(fitter.collect(trees), np.concatenate(values), model.gains)
    assert_allclose(former.sums(Rows(training.X)), sums, atol=1e-12)


@pytest.mark.parametrize("leaves", [2, 31, 32, 33, 150])
def test_small_and_large_trees(leaves):
    """Of up to 32 leaves by bits, of more by walking; new rows, gaps and unknown categories."""
    training = noisy_problem(700, 4, 3, flip=0.5, gaps=0.1)
    X = training.X.copy()
    X[:, 3] = np.random.default_rng(1).integers(0, 40, len(X))
    training = make_problem(X, training.y, categorical=[3])
    fitter, trees, values, _ = grown(training, columns=3, max_depth=None, max_leaves=leaves)
    assert min(leaves, 60) <= max((tree.feature < 0).sum() for tree in trees) <= leaves
    model = binned(fitter, trees, values)
    new = noisy_problem(130, 4, 3, gaps=0.2, seed=5).X
    new[:, 3] = np.random.default_rng(2).integers(0, 60, len(new))
    joint, expected = fitter.collect(trees), np.zeros((130, 3))
    for root, (tree, value) in enumerate(zip(trees, values, strict=True)):
        marked = tree.numbers.copy()
        marked[:, 1] = np.arange(len(tree))
        joint.trees[root] = type(tree)(tree.links, marked, tree.sides)
        expected += value[
            next(iter(fitter.collect([joint.trees[root]]).values_by_each(new))).astype(int)
        ]
    assert_allclose(model.sums(Rows(new)), expected, atol=1e-12)
    assert_allclose(former_trees(joint, np.concatenate(values), np.zeros(4)).sums(Rows(new)),
                    expected, atol=1e-12)  # fmt: skip


def test_the_first_trees():
    training = noisy_problem(80, 3)
    fitter, trees, values, _ = grown(training, count=5)
    model = binned(fitter, trees, values)
    for count in (1, 3):
        some = binned(fitter, trees[:count], values[:count])
        assert np.array_equal(
            model.first(count).sums(Rows(training.X)), some.sums(Rows(training.X))
        )
    assert model.first(9) is model


def test_bins_are_those_of_the_fit():
    training = noisy_problem(300, 10, gaps=0.1)
    fitter = Tree().prepare(training)
    rows = Rows(training.X)
    found = rows.binned(cuts := cuts_of(fitter.bins))
    lanes = fitter.bins.words.view(np.uint8).reshape(2, 300, 8)
    for j in range(10):
        assert np.array_equal(found[j, :300], lanes[j // 8, :, j % 8])
    assert rows.binned(cuts) is found
    assert found.shape[1] % 128 == 64


def test_what_a_file_may_not_say():
    fitter, trees, values, _ = grown(noisy_problem(60, 3))
    state = binned(fitter, trees, values).__getstate__()
    BinnedTrees.__new__(BinnedTrees).__setstate__(state)
    for name, value, message in (
        ("cuts", None, "cut points"),
        ("kind", state["kind"][:-1], "not whole"),
        ("kind", state["kind"] + np.uint8(3), "kind must be"),
        ("feature", state["feature"] + 3, "feature must be"),
        ("split", state["split"][1:], "split has shape"),
        ("split", np.full_like(state["split"], 255), "split must be"),
        ("values", state["values"][1:], "values has shape"),
        ("gains", state["gains"][1:], "gains has shape"),
    ):
        with pytest.raises(ValueError, match=message):
            BinnedTrees.__new__(BinnedTrees).__setstate__(state | {name: value})


@pytest.mark.parametrize(
    ("counts", "points", "categories", "message"),
    [
        ([2], [1.0, 1.0], {}, "ascend"),
        ([2], [1.0, np.nan], {}, "ascend"),
        ([1], [np.nan], {}, "ascend"),
        ([2], [1.0], {}, "points has shape"),
        ([255], np.arange(255.0), {}, "counts must be"),
        ([0], [], {1: np.array([1.0])}, "categories must be of columns"),
    ],
)
def test_cuts_that_a_file_may_not_have(counts, points, categories, message):
    with pytest.raises(ValueError, match=message):
        Cuts(np.array(counts), np.array(points, float), categories)._check_loaded()
