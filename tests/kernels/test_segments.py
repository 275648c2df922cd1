"""Trees grown by segments are those grown in one piece, whatever the number of threads."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from nacre.kernels import segments
from nacre.kernels.instructions import exchange, fetch_add, fetch_max, load
from nacre.learners.segmented import count_segments
from nacre.learners.tree import Tree
from tests.training import examples, noisy_problem, problems

ROWS = 5 * segments.SMALL
SHAPES = [
    {"max_depth": 3},
    {"max_depth": 12, "min_weight": 0.001},
    {"max_depth": None, "max_leaves": 9},
]


def fitter_of(training, count, threads=1, **parameters):
    fitter = Tree(**parameters).prepare(training)
    fitter.segments, fitter.threads = count, threads
    return fitter


def whole_weights(n, seed=0):
    """Sums of them are exact in any order; a fifth of the rows has none."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 5, n).astype(float)


def grown(fitter, training, weights, numbers):
    """A tree of classes or of numbers, and the leaf of each row."""
    if numbers:
        tree, _ = fitter.fit_response(training.y - 1.0, weights)
    else:
        tree, _ = fitter.fit_shares(weights)
    return tree, fitter.leaf.copy()


def assert_same_tree(one, other, leaf, same):
    """Hold trees to be equal, but for the order in which their nodes are numbered."""
    assert len(one) == len(other)
    assert len(np.unique(np.column_stack([leaf, same]), axis=0)) == len(np.unique(leaf))
    assert np.array_equal(one.value[leaf], other.value[same])
    for name in ("feature", "threshold", "gap", "gain", "weight"):
        assert np.array_equal(np.sort(getattr(one, name)), np.sort(getattr(other, name)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n_classes", [2, 3, 0])
@pytest.mark.parametrize("count", [2, 4])
def test_segments_find_the_tree_of_one_piece(shape, n_classes, count):
    training = noisy_problem(ROWS, 4, n_classes or 3, gaps=0.1)
    weights = whole_weights(ROWS)
    whole = grown(fitter_of(training, 1, **shape), training, weights, not n_classes)
    parts = grown(fitter_of(training, count, 2, **shape), training, weights, not n_classes)
    assert_same_tree(whole[0], parts[0], whole[1], parts[1])


@examples(2)
@given(
    training=problems(rows=60, classes=(2, 4)), shape=st.sampled_from(SHAPES),
    seed=st.integers(0, 2**32 - 1), numbers=st.booleans(),
)  # fmt: skip
def test_small_tables_by_segments(training, shape, seed, numbers):
    weights = whole_weights(len(training.y), seed)
    if not weights.any():
        weights[:] = 1.0
    whole = grown(fitter_of(training, 1, **shape), training, weights, numbers)
    parts = grown(fitter_of(training, 2, **shape), training, weights, numbers)
    assert_same_tree(whole[0], parts[0], whole[1], parts[1])


@pytest.mark.parametrize("numbers", [False, True])
def test_the_number_of_threads_changes_no_bit(numbers):
    training = noisy_problem(ROWS, 9, 2, weights="uneven")
    found = [
        grown(fitter_of(training, 4, threads), training, training.weight, numbers)
        for threads in (1, 2, 3, 7)
    ]
    for tree, leaf in found[1:]:
        assert np.array_equal(tree.links, found[0][0].links)
        assert np.array_equal(tree.numbers, found[0][0].numbers)
        assert np.array_equal(leaf, found[0][1])


def test_sorted_tables_are_shared_out_evenly():
    rows, weight = np.empty(ROWS // 2, np.int32), np.ones(ROWS)
    assert segments.list_share(weight, 1, 2, rows) == ROWS // 2
    assert abs(rows.mean() - ROWS / 2) < 2 * segments.CHUNK
    weight[rows[::2]] = 0.0
    listed = rows.copy()
    assert segments.list_share(weight, 1, 2, rows) == ROWS // 4
    assert np.array_equal(rows[: ROWS // 4], listed[1::2])
    assert np.array_equal(np.sort(rows), np.sort(listed))


def test_a_helper_that_has_nothing_to_do_goes_home():
    training = noisy_problem(4000, 3)
    fitter = fitter_of(training, 2, 2)
    fitter.fit(training.weight)
    grower, before = fitter._growers[2], fitter.leaf.copy()
    grower.helpers[1].result(timeout=60)
    grower.segments.shared[segments.WAVE] += 1  # as a lead begins a wave
    grower.segments.shared[segments.TAKEN :] = 2**40  # and others take all of its segments
    grower._lend(1, 1000)
    assert np.array_equal(fitter.leaf, before)


def test_helpers_that_stay_and_those_that_come_again_change_no_bit():
    training = noisy_problem(ROWS, 9, 2, weights="uneven")
    alone, helped = fitter_of(training, 4), fitter_of(training, 4, 3)
    for seed in range(8):
        weights = np.random.default_rng(seed).random(ROWS)
        one, other = alone.fit_shares(weights), helped.fit_shares(weights)
        assert np.array_equal(one[0].numbers, other[0].numbers)
        assert np.array_equal(one[1], other[1])
        assert np.array_equal(alone.leaf, helped.leaf)
        if seed % 3 == 2:
            for helper in helped._growers[2].helpers.values():
                helper.result(timeout=60)


@pytest.mark.parametrize(
    ("rows", "classes", "count"),
    [(10, 2, 1), (79_999, 2, 1), (80_000, 2, 2), (320_000, 3, 8), (10**7, 2, 8), (160_000, 8, 2)],
)
def test_segments_depend_on_the_table_only(rows, classes, count):
    assert count_segments(rows, classes, Tree()._limits(rows, 9)) == count


@pytest.mark.parametrize("form", [{"max_depth": None}, {"max_features": 2}])
def test_deep_trees_and_drawn_columns_take_one_piece(form):
    assert count_segments(10**6, 2, Tree(**form)._limits(10**6, 9)) == 1


# Numbers that threads share


@njit(nogil=True)
def add_often(numbers, times):
    for _ in range(times):
        fetch_add(numbers, 1, 1)


@njit(nogil=True)
def raise_often(numbers, times, raised):
    for k in range(1, times):
        raised[0] += fetch_max(numbers, 1, k) < k


def test_only_one_of_two_threads_raises_a_number():
    numbers, raised = np.zeros(3, np.int64), np.zeros((2, 8), np.int64)
    raise_often(numbers, 0, raised[0])
    both = [threading.Thread(target=raise_often, args=(numbers, 200_000, r)) for r in raised]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert numbers.tolist() == [0, 199_999, 0]
    assert raised.sum() == 199_999


def test_nothing_is_lost_where_two_threads_add():
    numbers = np.zeros(3, np.int64)
    add_often(numbers, 0)
    both = [threading.Thread(target=add_often, args=(numbers, 200_000)) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert numbers.tolist() == [0, 400_000, 0]


@njit
def set_and_read(numbers, value):
    before = exchange(numbers, 1, value)
    return before, load(numbers, 1)


def test_a_number_is_set_and_read():
    numbers = np.array([3, 7], np.int64)
    assert set_and_read(numbers, 9) == (7, 9)
    assert numbers.tolist() == [3, 9]
