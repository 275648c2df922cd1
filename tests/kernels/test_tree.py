"""The compiled tree against brute force."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chisquare

from nacre.kernels import drawn, grow, split
from nacre.kernels import tree as kernel
from nacre.learners.tree import Tree
from tests.textbook.tree import class_tree, number_tree
from tests.training import assert_same_tree, examples, make_problem, noisy_problem, problems

EVEN = "equal", "whole", "random"  # among others, what a light row gains is rounding
limits = st.fixed_dictionaries(
    {
        "max_depth": st.sampled_from([1, 2, 3, 8]),
        "max_leaves": st.sampled_from([None, None, 2, 3, 5]),
        "min_weight": st.sampled_from([0.0, 0.0, 0.1037, 0.2971]),  # no side is just that heavy
    }
)


def fitter_of(training, **parameters):
    return Tree(**parameters).prepare(training)


def table_of(training):
    return {"categorical": training.categorical, "counts": training.count}


def response_of(training, seed):
    rng = np.random.default_rng(seed)
    return np.where(training.y == 0, 1.0, -1.0) + rng.normal(size=len(training.y))


def leaf_worth(tree, leaf, g, w):
    """Sum over the leaves of G^2 / H."""
    G = np.array([np.bincount(leaf, column, len(tree)) for column in np.atleast_2d(g)])
    H = np.bincount(leaf, w, len(tree))
    return (G[:, H > 0] ** 2 / H[H > 0]).sum()


# The same tree as the twin


@examples(5)
@given(training=problems(rows=40, classes=(2, 5), weights=EVEN), limits=limits)
def test_class_trees(training, limits):
    fitter = fitter_of(training, **limits)
    tree = fitter._grow(training.weight, np.empty(0), training.n_classes, 0)
    twin = class_tree(
        training.X, training.y, training.weight, training.n_classes, **table_of(training), **limits
    )
    assert_same_tree(tree, fitter.bins.categories, twin)


@pytest.mark.slow
@examples(5)
@given(
    training=problems(rows=40, weights=EVEN),
    limits=limits,
    seed=st.integers(0, 99),
)
def test_number_trees(training, limits, seed):
    r = response_of(training, seed)
    fitter = fitter_of(training, **limits)
    tree, values = fitter.fit_response(r, training.weight)
    twin = number_tree(training.X, r, training.weight, **table_of(training), **limits)
    assert_same_tree(tree, fitter.bins.categories, twin)
    np.testing.assert_allclose(values, twin.predict(training.X), rtol=1e-9, atol=1e-12)


@pytest.mark.slow
@examples(2)
@given(training=problems(rows=40, classes=(2, 5), weights=("equal",)), limits=limits)
def test_one_fitter_grows_many_trees(training, limits):
    # of classes and of numbers by turns: nothing is left over from the one before
    fitter = fitter_of(training, **limits)
    rng = np.random.default_rng(len(training.y))
    for _ in range(3):
        w, r = rng.random(len(training.y)) + 0.01, rng.normal(size=len(training.y))
        twin = class_tree(
            training.X, training.y, w, training.n_classes, **table_of(training), **limits
        )
        tree = fitter._grow(w, np.empty(0), training.n_classes, 0)
        assert_same_tree(tree, fitter.bins.categories, twin)
        twin = number_tree(training.X, r, w, **table_of(training), **limits)
        assert_same_tree(fitter.fit_response(r, w)[0], fitter.bins.categories, twin)


@examples(2)
@given(
    training=problems(rows=40, classes=(2, 5), weights=EVEN), limits=limits, seed=st.integers(0, 99)
)
def test_drawn_rows_give_the_tree_of_those_rows(training, limits, seed):
    # cut points are those of the whole table, so are the twin's
    times = np.random.default_rng(seed).integers(0, 3, len(training.y))
    w = training.weight * times
    assume(w.sum() > 0)
    fitter = fitter_of(training, **limits)
    tree = fitter._grow(w, np.empty(0), training.n_classes, 0)
    twin = class_tree(training.X, training.y, w, training.n_classes, **table_of(training), **limits)
    assert_same_tree(tree, fitter.bins.categories, twin)


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("columns", [3, 9, 17])
def test_blocks_of_columns(n_classes, columns):
    training = noisy_problem(120, columns, n_classes, gaps=0.1, weights="random")
    fitter = fitter_of(training, max_depth=4)
    tree = fitter._grow(training.weight, np.empty(0), n_classes, 0)
    twin = class_tree(training.X, training.y, training.weight, n_classes, max_depth=4)
    assert_same_tree(tree, {}, twin)
    assert len(set(tree.feature)) > 2


# Limits


@examples(2)
@given(training=problems(rows=60, classes=(2, 4), weights=("equal", "random")), limits=limits)
def test_limits_are_kept(training, limits):
    fitter = fitter_of(training, **limits)
    r = response_of(training, 0)
    for tree in (
        fitter._grow(training.weight, np.empty(0), training.n_classes, 0),
        fitter.fit_response(r, training.weight)[0],
    ):
        depth = np.zeros(len(tree), int)
        for node in np.flatnonzero(tree.feature >= 0):  # parents come before their children
            depth[[tree.left[node], tree.right[node]]] = depth[node] + 1
        leaves = tree.feature < 0
        assert depth.max() <= limits["max_depth"]
        assert leaves.sum() <= (limits["max_leaves"] or np.inf)
        assert leaves.sum() == (len(tree) + 1) / 2
        if len(tree) > 1:
            assert tree.weight[leaves].min() >= limits["min_weight"] * (1 - 1e-12)
        np.testing.assert_allclose(tree.weight[leaves].sum(), tree.weight[0], rtol=1e-12)


def test_the_leaf_limit_takes_the_most_gain_first():
    training = noisy_problem(200, 4, weights="random")
    r, w = response_of(training, 1), training.weight
    full = fitter_of(training, max_depth=None).fit_response(r, w)[0]
    gains = []
    for leaves in (2, 3, 4, 6, 9):
        fitter = fitter_of(training, max_depth=None, max_leaves=leaves)
        tree = fitter.fit_response(r, w)[0]
        assert (tree.feature < 0).sum() == leaves
        gains.append(tree.gain[tree.feature >= 0].sum())
        assert leaf_worth(tree, fitter.leaf, r * w, w) == pytest.approx(
            (r @ w) ** 2 / w.sum() + gains[-1]
        )
    assert (np.diff(gains) > 0).all()
    assert gains[-1] < full.gain.sum()


# Sums


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weights", ["equal", "random", "uneven"])
def test_gains_add_up_down_to_single_rows(n_classes, weights):
    # histograms come from the parent's less the sibling's, twenty levels deep
    training = noisy_problem(3000, 3, n_classes, flip=0.5, gaps=0.05, weights=weights)
    fitter = fitter_of(training, max_depth=None)
    w, y = training.weight, training.y
    tree = fitter._grow(w, np.empty(0), n_classes, 0)
    g = w * (2 * y - 1) if n_classes == 2 else np.array([w * (y == k) for k in range(n_classes)])
    root = (np.atleast_2d(g).sum(axis=1) ** 2).sum() / w.sum()
    assert root + tree.gain.sum() == pytest.approx(leaf_worth(tree, fitter.leaf, g, w), rel=1e-9)
    np.testing.assert_allclose(tree.weight, node_weights(tree, fitter.leaf, w), rtol=1e-9)
    assert (np.bincount(fitter.leaf, minlength=len(tree))[tree.feature < 0] > 0).all()
    if weights != "uneven":  # no two rows are alike: every leaf is of one class
        assert np.array_equal(tree.value[fitter.leaf], y)


def node_weights(tree, leaf, w):
    total = np.bincount(leaf, w, len(tree))
    for node in range(len(tree) - 1, -1, -1):
        if tree.feature[node] >= 0:
            total[node] = total[tree.left[node]] + total[tree.right[node]]
    return total


def test_a_deep_tree_of_numbers_learns_them_by_heart():
    training = noisy_problem(2000, 2)
    r = np.random.default_rng(0).normal(size=2000)
    fitter = fitter_of(training, max_depth=None, max_bins=255)
    tree, values = fitter.fit_response(r, training.weight)
    _, again = fitter.fit_response(r, training.weight)
    assert np.array_equal(values, again)
    assert (np.bincount(fitter.leaf, minlength=len(tree))[tree.feature < 0] > 0).all()
    means = np.bincount(fitter.leaf, r) / np.maximum(np.bincount(fitter.leaf), 1)
    np.testing.assert_allclose(values, means[fitter.leaf], atol=1e-12)
    assert np.var(r - values) < 0.2 * np.var(r)


@pytest.mark.parametrize("shift", [0.0, 100.0])
@pytest.mark.parametrize("scale", [1e-100, 1e-6, 1e6, 1e100])
def test_units_do_not_matter(scale, shift):
    training = noisy_problem(80, 3, weights="random")
    r = response_of(training, 2)
    plain, values = fitter_of(training).fit_response(r, training.weight)
    moved, others = fitter_of(training).fit_response(scale * (r + shift), training.weight)
    assert np.array_equal(plain.feature, moved.feature)
    np.testing.assert_allclose(plain.threshold, moved.threshold, rtol=1e-12)
    np.testing.assert_allclose(others / scale - shift, values, atol=1e-9)
    heavy, same = fitter_of(training).fit_response(r, training.weight * 2.0**40)
    assert np.array_equal(plain.feature, heavy.feature)
    assert np.array_equal(values, same)


# Small parts


def test_what_a_side_is_worth():
    assert split.side_worth(0, np.array([3.0, 2.0])) == 4.5
    assert split.side_worth(2, np.array([1.0, 3.0])) == 1.0
    assert split.side_worth(3, np.array([1.0, 3.0, 4.0])) == 26 / 8


def test_rows_are_parted_in_order():
    bins = np.array([3, 0, 255, 7, 3, 1], np.uint64)
    words = bins << np.uint64(16)
    goes = np.zeros(256, np.uint8)
    goes[[3, 255]] = 1
    rows, spare = np.array([5, 4, 3, 2, 1, 0], np.int32), np.empty(6, np.int32)
    assert grow.part_rows(words, 2, goes, rows, spare, 1, 6) == 4
    assert rows.tolist() == [5, 4, 2, 0, 3, 1]


def test_refined_leaves():
    leaf = np.array([1, 2, 1, 2, 1], np.int32)
    first, second = np.arange(5.0), np.array([1.0, 0.0, 2.0, 0.0, 1.0])
    total, value = np.empty(3), np.ones(3)
    kernel.refine(leaf, first, second, total, value)
    assert value.tolist() == [0.0, 1.5, 0.0]  # nothing to divide by: no step


def test_columns_are_drawn_evenly_and_in_order():
    state, columns = np.array([5], np.uint64), np.arange(7, dtype=np.int32)
    seen = np.zeros((7, 7))
    for _ in range(7000):
        drawn.choose(state, columns, 3)
        assert columns[0] < columns[1] < columns[2]
        assert sorted(columns.tolist()) == list(range(7))
        for a in columns[:3]:
            seen[a, columns[:3]] += 1
    assert chisquare(np.diag(seen)).pvalue > 1e-4
    assert chisquare(seen[np.triu_indices(7, 1)]).pvalue > 1e-4


def test_the_first_of_equals():
    x = np.array([0.0, 1.0, 2.0, 3.0])
    training = make_problem(np.column_stack([x, x, -x]), [0, 1, 1, 0])
    tree = fitter_of(training, max_depth=1)._grow(training.weight, np.empty(0), 2, 0)
    assert (tree.feature[0], tree.threshold[0]) == (0, 0.5)
    training = make_problem(np.column_stack([[5.0] * 4, [0, 1, 1, 0], x]), [0, 1, 1, 0])
    tree = fitter_of(training, max_depth=1)._grow(training.weight, np.empty(0), 2, 0)
    assert tree.feature[0] == 1


def test_nothing_gained_is_a_single_leaf():
    training = make_problem([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    fitter = fitter_of(training)
    assert fitter.fit(training.weight) is None  # no single split tells anything of a checkerboard
    tree, values = fitter.fit_response(np.full(4, 2.5), training.weight)
    assert len(tree) == 1
    assert values.tolist() == [2.5] * 4


# Shares of the classes


@given(seed=st.integers(0, 2**32 - 1))
def test_shares_of_leaves(seed):
    rng = np.random.default_rng(seed)
    leaf, codes = rng.integers(1, 5, 40).astype(np.int32), rng.integers(0, 3, 40)
    weight = rng.random(40) * rng.integers(0, 2, 40) * (leaf != 2)
    shares = np.full((6, 3), np.nan)
    kernel.leaf_shares(leaf, codes, weight, shares)
    for node in range(6):
        sums = [weight[(leaf == node) & (codes == k)].sum() for k in range(3)]
        expected = np.array(sums) / sum(sums) if sum(sums) else np.full(3, 1 / 3)
        np.testing.assert_allclose(shares[node], expected)


def test_votes_on_rows_held_out():
    rng = np.random.default_rng(0)
    leaf, times = rng.integers(0, 4, 30).astype(np.int32), rng.integers(0, 3, 30).astype(np.int32)
    shares, votes, asked = rng.random((4, 3)), rng.random((30, 3)), rng.integers(0, 9, 30)
    expected = [votes[i] + (shares[leaf[i]] if times[i] == 0 else 0.0) for i in range(30)]
    were = asked.copy()
    kernel.add_held_out(leaf, times, shares, votes, asked)
    np.testing.assert_allclose(votes, expected)
    assert np.array_equal(asked, were + (times == 0))


@examples(2)
@given(training=problems(rows=40, classes=(2, 5)), seed=st.integers(0, 99))
def test_shares_add_up_over_trees(training, seed):
    fitter = fitter_of(training, max_depth=4, random_cuts=bool(seed % 2))
    rng = np.random.default_rng(seed)
    grown, expected = [], np.ones((len(training.y), training.n_classes))
    for t in range(3):
        tree, shares = fitter.fit_shares(training.weight * rng.integers(0, 3, len(training.y)), t)
        grown.append((tree, shares))
        expected += shares[fitter.leaf]
    trees = fitter.collect([tree for tree, _ in grown])
    out = np.ones_like(expected)
    trees.add_outputs(training.X, np.concatenate([shares for _, shares in grown]), out)
    np.testing.assert_allclose(out, expected, rtol=1e-12)
