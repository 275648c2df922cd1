"""Growing: rows that have no weight, and cuts at random, against brute force."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from nacre.kernels import drawn, grow
from nacre.kernels import tree as kernel
from nacre.kernels.random import below
from nacre.learners.tree import Tree
from tests.training import examples, make_problem, noisy_problem, problems

nan = np.nan
SEEDS = st.integers(0, 2**32 - 1)
SHAPES = st.fixed_dictionaries(
    {
        "max_depth": st.sampled_from([1, 3, None]),
        "max_leaves": st.sampled_from([None, None, 4]),
        "min_weight": st.sampled_from([0.0, 0.1037]),
        "max_features": st.sampled_from([None, 1, 2]),
        "random_cuts": st.booleans(),
    }
)


def fitter_of(training, **parameters):
    return Tree(**parameters).prepare(training)


def some_drawn(n, seed):
    """How often each row is drawn: some not at all, one at least once."""
    rng = np.random.default_rng(seed)
    times = rng.integers(0, 3, n)
    times[rng.integers(n)] = 1
    return times


def grown(fitter, training, weights, response, seed):
    """A tree of classes or, given a response, of numbers; and the leaf of each row."""
    if response is None:
        tree, _ = fitter.fit_shares(weights, seed)
    else:
        tree, _ = fitter.fit_response(response, weights, seed)
    return tree, fitter.leaf.copy()


def assert_equal_trees(one, other):
    assert np.array_equal(one.links, other.links)
    assert np.array_equal(one.numbers, other.numbers)
    assert np.array_equal(one.sides, other.sides)


# Rows without weight


@examples(4)
@given(training=problems(rows=40, classes=(2, 5)), shape=SHAPES, seed=SEEDS, numbers=st.booleans())
def test_rows_without_weight_come_to_their_leaves(training, shape, seed, numbers):
    times = some_drawn(len(training.y), seed)
    response = np.random.default_rng(seed).normal(size=len(times)) if numbers else None
    fitter = fitter_of(training, **shape)
    tree, leaf = grown(fitter, training, training.weight * times, response, seed)
    trees, found = fitter.collect([tree]), np.empty(len(leaf), np.int64)
    kernel.find_leaves(trees._coded(training.X), 0, *trees._nodes, found)
    assert np.array_equal(leaf, found)


@examples(2)
@given(training=problems(rows=40, classes=(2, 5)), shape=SHAPES, seed=SEEDS, numbers=st.booleans())
def test_what_rows_without_weight_are_labelled_changes_nothing(training, shape, seed, numbers):
    times = some_drawn(len(training.y), seed)
    rng = np.random.default_rng(seed)
    other = rng.integers(0, training.n_classes, len(times))
    changed = replace(training, y=np.where(times == 0, other, training.y))
    response = rng.normal(size=len(times)) if numbers else None
    changed_response = response + 100.0 * (times == 0) if numbers else None
    weights = training.weight * times
    one, leaf = grown(fitter_of(training, **shape), training, weights, response, seed)
    two, same = grown(fitter_of(changed, **shape), changed, weights, changed_response, seed)
    assert_equal_trees(one, two)
    assert np.array_equal(leaf, same)


def test_no_weight_at_all_is_one_leaf():
    training = noisy_problem(20, 3)
    fitter = fitter_of(training, random_cuts=True)
    tree, shares = fitter.fit_shares(np.zeros(20))
    assert len(tree) == 1
    assert shares.tolist() == [[0.5, 0.5]]
    assert not fitter.leaf.any()


def test_rows_are_listed_by_whether_they_have_weight():
    rows = np.empty(5, np.int32)
    assert grow.list_rows(np.array([0.0, 2.0, 0.0, 1e-300, 1.0]), rows) == 3
    assert rows[:3].tolist() == [1, 3, 4]
    assert sorted(rows[3:].tolist()) == [0, 2]


# Cuts at random


def worth(g, w, left):
    """Sum over both sides of G^2 / H."""
    return sum((g[side].sum(axis=0) ** 2).sum() / w[side].sum() for side in (left, ~left))


def signed(training, w):
    """What is summed on a side: a column a class, one signed column for two."""
    g = w[:, None] * (training.y[:, None] == np.arange(training.n_classes))
    return g[:, 1:] - g[:, :1] if training.n_classes == 2 else g


def assert_sound_cuts(tree, training, g, w, min_weight):
    """Hold every numeric split of a tree to what a random cut is."""
    rows = {0: np.flatnonzero(w > 0)}
    for node in np.flatnonzero(tree.feature >= 0):  # parents come before their children
        here = rows.pop(node)
        x = training.X[here, tree.feature[node]]
        if tree.table[node] >= 0:
            values = np.unique(training.X[:, tree.feature[node]])
            sides = tree.sides[tree.table[node]]
            codes = np.searchsorted(values[~np.isnan(values)], x)
            left = np.where(np.isnan(x), tree.gap[node], sides[codes % 256] == 1)
        else:
            left = assert_sound_cut(tree, node, x, g[here], w[here], min_weight * w.sum())
        rows[tree.left[node]], rows[tree.right[node]] = here[left], here[~left]


def assert_sound_cut(tree, node, x, g, w, least):
    gone, low, high = np.isnan(x), np.nanmin(x), np.nanmax(x)
    cut = tree.threshold[node]
    if low < high:
        assert low < cut < high
    else:  # all that can be told apart is whether there is a value
        assert low <= cut
        assert gone.any()
        assert not tree.gap[node]
    sides = [(x <= cut) | (gone & go) for go in (False, True)]
    allowed = [
        worth(g, w, left)
        for left in sides
        if min(w[left].sum(), w[~left].sum()) >= max(least * (1 - 1e-9), 1e-10 * w.sum())
    ]
    left = sides[int(tree.gap[node])]
    before = (g.sum(axis=0) ** 2).sum() / w.sum()
    assert min(w[left].sum(), w[~left].sum()) >= least * (1 - 1e-9)
    np.testing.assert_allclose(worth(g, w, left), max(allowed), rtol=1e-9)
    np.testing.assert_allclose(tree.gain[node], max(allowed) - before, rtol=1e-6, atol=1e-12)
    if not gone.any():
        assert tree.gap[node] == (w[left].sum() >= w[~left].sum() * (1 - 1e-9))
    return left


@pytest.mark.slow
@examples(5)
@given(
    training=problems(rows=40, classes=(2, 5), weights=("equal", "whole", "random")),
    shape=SHAPES,
    seed=SEEDS,
    numbers=st.booleans(),
)
def test_random_cuts_are_sound(training, shape, seed, numbers):
    w = training.weight * some_drawn(len(training.y), seed)
    response = np.random.default_rng(seed).normal(size=len(w)) if numbers else None
    fitter = fitter_of(training, **(shape | {"random_cuts": True}))
    tree, _ = grown(fitter, training, w, response, seed)
    g = (w * response)[:, None] if numbers else signed(training, w)
    assert_sound_cuts(tree, training, g, w, shape["min_weight"])
    again, _ = grown(fitter, training, w, response, seed)
    assert_equal_trees(tree, again)


@examples(3)
@given(
    training=problems(rows=40, classes=(2, 4), weights=("random",), categories=False), seed=SEEDS
)
def test_the_best_of_one_cut_a_column(training, seed):
    """The root by hand, from the same random numbers."""
    d, w = training.X.shape[1], training.weight
    tree, _ = fitter_of(training, max_depth=1, random_cuts=True).fit_shares(w, seed)
    g, state = signed(training, w), np.array([seed], np.uint64)
    before = (g.sum(axis=0) ** 2).sum()
    drawn.choose(state, np.arange(d, dtype=np.int32), d)
    found = []
    for j in range(d):
        x = training.X[:, j]
        values = np.unique(x[~np.isnan(x)])
        place = below(state, max(len(values) - 1, 1))
        cut = np.inf if len(values) == 1 else (values[place] + values[place + 1]) / 2
        for go in (False, True) if np.isnan(x).any() else (False,):
            left = (x <= cut) | (np.isnan(x) & go)
            if left.any() and not left.all():
                found.append((worth(g, w, left) - before, j, cut))
    gain, j, cut = max(found, default=(0.0, 0, 0.0))
    if gain < 1e-11:
        assert len(tree) == 1
        return
    np.testing.assert_allclose(tree.gain[0], gain, rtol=1e-7)
    if sum(other[0] > gain * (1 - 1e-6) for other in found) == 1:
        assert tree.feature[0] == j
        np.testing.assert_allclose(tree.threshold[0], cut, rtol=1e-12, atol=1e-15)


def test_cuts_are_even_over_the_reach_of_a_node():
    x = np.arange(8.0)
    training = make_problem(x[:, None], x > 3)
    fitter = fitter_of(training, max_depth=1, random_cuts=True)
    w = np.where((x > 0) & (x < 7), 1.0, 0.0)  # the node reaches from 1 to 6
    cuts = [fitter.fit_shares(w, seed)[0].threshold[0] for seed in range(2000)]
    values, times = np.unique(cuts, return_counts=True)
    assert values.tolist() == [1.5, 2.5, 3.5, 4.5, 5.5]
    assert chisquare(times).pvalue > 1e-4


@pytest.mark.parametrize("n_classes", [2, 3])
def test_columns_without_a_value_in_a_node_are_not_cut(n_classes):
    X = np.column_stack([[nan] * 6 + [1.0], np.arange(7.0)])
    training = make_problem(X, np.arange(7) % n_classes, n_classes=n_classes)
    fitter = fitter_of(training, max_depth=None, random_cuts=True)
    for seed in range(20):
        tree, _ = fitter.fit_shares(np.array([1.0] * 6 + [0.0]), seed)
        assert set(tree.feature) <= {-1, 1}


# Sums


@given(seed=SEEDS, lane=st.integers(0, 7), classes=st.booleans())
def test_sides_and_ranges(seed, lane, classes):
    rng = np.random.default_rng(seed)
    n = 30
    bins = rng.choice([0, 1, 2, 5, 9, 254, 255], n).astype(np.uint64)
    noise = rng.integers(0, 2**63, n, np.uint64)
    byte = np.uint64(255) << np.uint64(8 * lane)
    words = (noise & ~byte) | (bins << np.uint64(8 * lane))
    rows = rng.permutation(n).astype(np.int32)
    start, stop = sorted(rng.integers(0, n + 1, 2).tolist())
    split = int(rng.choice([0, 1, 4, 9]))
    codes = rng.integers(0, 3, n) if classes else np.empty(0, np.int64)
    first, second = rng.random(n), rng.random(n)
    left, gone = np.full(3 if classes else 2, nan), np.full(3 if classes else 2, nan)
    drawn.add_sides(words, lane, codes, first, second, rows, start, stop, split, left, gone)
    here = rows[start:stop]
    for side, of in ((left, bins[here] <= split), (gone, bins[here] == 255)):
        part = here[of]
        sums = (
            [first[part][codes[part] == k].sum() for k in range(3)]
            if classes
            else [first[part].sum(), second[part].sum()]
        )
        np.testing.assert_allclose(side, sums)
    there = bins[here][bins[here] < 255].astype(int)
    expected = (there.min(), there.max()) if len(there) else (255, -1)
    assert drawn.bin_range(words, lane, rows, start, stop) == expected


# Partitions: rows only meet through sums


class Partition:
    """Some of the rows, and room of their own."""

    def __init__(self, fitter, rows, first, second, classes):
        table, work, _ = fitter._make_room(classes)
        codes = table.codes[rows] if classes else table.codes
        words = np.ascontiguousarray(table.words[:, rows])
        self.table = table._replace(words=words, codes=codes)
        n = len(rows)
        self.work = work._replace(rows=np.empty(n, np.int32), spare=np.empty(n, np.int32))
        self.first, self.second = first[rows], second[rows] if len(second) else second
        self.count = grow.list_rows(self.first if classes else self.second, self.work.rows)

    def totals(self, node, start, stop, depth):
        """Place a node on rows; their totals and weight."""
        grow.place_node(self.work, node, start, stop, depth)
        total = np.empty_like(self.work.total)
        whole = grow.add_up(
            self.table.codes, self.first, self.second, self.work.rows, start, stop, total
        )
        return total, whole

    def histograms(self, node):
        self.work.place[node, grow.SLOT] = 0
        grow.fill(self.table, self.first, self.second, self.work, node)
        return self.work.hist[0]


def grow_apart(fitter, parts, first, second, classes):
    """Depth first, as ``grow`` does, but every sum is a sum of partitions' sums."""
    table, work, nodes = fitter._make_room(classes)
    limits, spans = fitter.limits, {}

    def begin(node, bounds, depth):
        spans[node] = bounds, depth
        sums = [one.totals(node, *bound, depth) for one, bound in zip(parts, bounds, strict=True)]
        total, whole = sum(one[0] for one in sums), sum(one[1] for one in sums)
        grow.describe(table, total, whole, nodes, node)

    begin(0, [(0, one.count) for one in parts], 0)
    sizes = [grow.add_sizes(one.first, one.second) for one in parts]
    scale = grow.most_worth(*(sum(column) for column in zip(*sizes, strict=True)))
    least = limits.weight * nodes.numbers[0, kernel.WEIGHT] * (1 - 1e-12)
    count, waiting = 1, [0]
    while waiting:
        node = waiting.pop()
        bounds, depth = spans[node]
        few = sum(stop - start for start, stop in bounds) <= 1
        if depth == limits.depth or few or nodes.numbers[node, kernel.WEIGHT] < 2 * least:
            continue
        work.place[node, grow.SLOT] = 0
        work.hist[0] = sum(one.histograms(node) for one in parts)
        if not grow.choose_split(table, fitter.share, least, scale, work, nodes, node):
            continue
        left, right, count = count, count + 1, count + 2
        cuts = [grow.part(one.table, one.work, nodes, node) for one in parts]
        nodes.links[node, kernel.LEFT], nodes.links[node, kernel.RIGHT] = left, right
        begin(left, [(start, cut) for (start, _), cut in zip(bounds, cuts, strict=True)], depth + 1)
        begin(right, [(cut, stop) for (_, stop), cut in zip(bounds, cuts, strict=True)], depth + 1)
        waiting += [left, right]
    return nodes, count


def shape_of(links, numbers, node=0):
    """A tree as nested tuples, whatever the numbers of its nodes."""
    if links[node, kernel.LEFT] < 0:
        return (round(float(numbers[node, kernel.VALUE]), 9),)
    return (
        int(links[node, kernel.FEATURE]),
        int(links[node, kernel.SPLIT]),
        int(links[node, kernel.GAP]),
        shape_of(links, numbers, links[node, kernel.LEFT]),
        shape_of(links, numbers, links[node, kernel.RIGHT]),
    )


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_partitions_grow_the_same_tree(numbers, count, n_classes):
    training = noisy_problem(300, 9, n_classes, gaps=0.1, weights="random")
    training = replace(training, X=np.round(2 * training.X), categorical=(1, 8))
    rng = np.random.default_rng(0)
    weights = training.weight * some_drawn(300, 1)
    response = rng.normal(size=300) if numbers else None
    fitter = fitter_of(training, max_depth=4, min_weight=0.01)
    tree, _ = grown(fitter, training, weights, response, 0)
    first, second = (response * weights, weights) if numbers else (weights, np.empty(0))
    classes = 0 if numbers else n_classes
    rows = np.array_split(rng.permutation(300), count)
    parts = [Partition(fitter, np.sort(some), first, second, classes) for some in rows]
    nodes, size = grow_apart(fitter, parts, first, second, classes)
    assert size == len(tree.links) > 10
    assert shape_of(nodes.links, nodes.numbers) == shape_of(tree.links, tree.numbers)
