"""Folds: what is held out together, and by whom rows are judged."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.naive_bayes import GaussianNB

from nacre.data import TrainingRows, as_groups, fold_of, hold_out, out_of_fold_probabilities
from nacre.data.folds import find_units, fit_copy, out_of_fold, sample_rows
from nacre.kernels.random import BOOTSTRAP, SUBSAMPLE, draw_rows
from tests.training import make_problem


def table(n=60, d=3, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.integers(0, n_classes, n)


def in_groups(X, y, groups):
    n = len(y)
    K = int(y.max()) + 1
    return TrainingRows(X, y, K, np.full(n, 1 / n), n_given=n, groups=np.asarray(groups))


# Units


def test_different_rows_are_units_of_their_own():
    X, _ = table()
    units = find_units(X)
    assert units.single
    assert units.count == 60
    assert len(set(units.key.tolist())) == 60


def test_equal_rows_are_a_unit_whatever_their_labels_and_gaps():
    X, _ = table()
    X[:, 2] = np.nan
    X[[7, 40]] = X[3]
    X[5, 0], X[6, 0] = 0.0, -0.0
    X[5, 1] = X[6, 1]
    units = find_units(X)
    assert units.of[7] == units.of[3] == units.of[40]
    assert units.of[5] == units.of[6]
    assert units.count == 57


def test_cells_of_a_small_table_are_no_copies():
    """Of 1000 rows more than 20 equal ones; and fewer than 30 distinct rows at all."""
    X, _ = table(1000)
    X[:21], X[21:41] = X[0], X[21]
    units = find_units(X)
    assert len(set(units.of[:21].tolist())) == 21
    assert len(set(units.of[21:41].tolist())) == 1
    few = find_units(X[[0, 21, 41] * 3])
    assert few.single
    copies = find_units(X[np.tile(np.arange(41, 81), 8)])
    assert copies.count == 40


@pytest.mark.parametrize("kind", ["frame", "objects", "sparse"])
def test_rows_of_text_are_equal_by_what_they_say(kind):
    words = np.array([[f"w{i % 50}", i % 50 / 2] for i in range(100)], object)
    table = {
        "frame": lambda: pd.DataFrame({"text": words[:, 0], "x": words[:, 1].astype(float)}),
        "objects": lambda: words,
        "sparse": lambda: sparse.csr_array(np.tile(np.eye(50), (2, 1))),
    }[kind]()
    units = find_units(table)
    assert units.count == 50
    assert np.array_equal(units.of[:50], units.of[50:])
    order = np.random.default_rng(0).permutation(100)
    shuffled = table.iloc[order] if kind == "frame" else table[order]
    assert np.array_equal(find_units(shuffled).key, units.key[order])


def test_groups_and_equal_rows_hang_together():
    X, _ = table()
    groups = np.arange(60)
    groups[[1, 2]] = 100
    groups[[8, 9]] = 200
    X[8] = X[2]  # so that 1, 2, 8, 9 are one
    units = find_units(X, groups)
    assert len({units.of[i] for i in (1, 2, 8, 9)}) == 1
    assert len({units.key[i] for i in (1, 2, 8, 9)}) == 1
    assert units.count == 57


def test_keys_do_not_depend_on_the_order_of_rows():
    X, _ = table(100)
    X[50:] = X[:50]
    order = np.random.default_rng(1).permutation(100)
    groups = np.arange(100) // 4
    for some in (None, groups):
        one = find_units(X, some)
        other = find_units(X[order], None if some is None else some[order])
        assert np.array_equal(one.key[order], other.key)


def test_shuffled_rows_are_the_same_wherever_they_stand():
    X, _ = table(100)
    X[90:] = X[:10]
    order = np.random.default_rng(1).permutation(100)
    one, other = find_units(X), find_units(X[order])
    for seed in (0, 1):
        assert np.array_equal(X[one.shuffled(seed)], X[order][other.shuffled(seed)])
        assert sorted(one.shuffled(seed)) == list(range(100))
    assert not np.array_equal(one.shuffled(0), one.shuffled(1))


@pytest.mark.parametrize("distinct", [12, 40])
@pytest.mark.parametrize("kind", [BOOTSTRAP, SUBSAMPLE])
def test_a_row_of_weight_three_is_drawn_as_three_rows(distinct, kind):
    rng = np.random.default_rng(3)
    X, count = rng.normal(size=(distinct, 2)), rng.integers(1, 4, distinct).astype(float)
    repeated = np.repeat(np.arange(distinct), count.astype(int))
    one, many = find_units(X, count=count), find_units(X[repeated])
    for t in range(1, 6):
        weighted, times = np.empty(distinct), np.empty(len(repeated))
        draw_rows(one.key, one.copies, np.uint64(9), t, kind, 0.5, weighted)
        draw_rows(many.key, many.copies, np.uint64(9), t, kind, 0.5, times)
        together = np.bincount(repeated, times)
        np.testing.assert_allclose(count * weighted, together)
    assert (one.copies > 1).any() == (distinct < 30)  # else copies are drawn together


def test_heavy_rows_are_drawn_as_a_hundred():
    units = find_units(np.eye(2), count=np.array([1e8, 1.0]))
    times = np.empty((300, 2))
    for t, one in enumerate(times):
        draw_rows(units.key, units.copies, np.uint64(1), t, BOOTSTRAP, 1.0, one)
    assert times[:, 0].std() == pytest.approx(0.1, rel=0.15)
    assert times[:, 1].std() == pytest.approx(1.0, rel=0.15)


# Folds


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("n_folds", [2, 5])
def test_rows_without_units_are_shared_out_evenly(n_classes, n_folds):
    X, y = table(83, n_classes=n_classes)
    fold = fold_of(make_problem(X, y), n_folds, 3)
    for rows in (fold, *(fold[y == k] for k in range(n_classes))):
        assert np.ptp(np.bincount(rows, minlength=n_folds)) <= 1
    order = np.random.default_rng(0).permutation(83)
    assert np.array_equal(fold_of(make_problem(X[order], y[order]), n_folds, 3), fold[order])
    assert not np.array_equal(fold_of(make_problem(X, y), n_folds, 4), fold)


@given(
    sizes=st.lists(st.integers(1, 5), min_size=12, max_size=40),
    n_folds=st.integers(2, 5),
    copies=st.booleans(),
    seed=st.integers(0, 99),
)
def test_units_stay_whole_and_folds_even(sizes, n_folds, copies, seed):
    rng = np.random.default_rng(seed)
    unit = np.repeat(np.arange(len(sizes)), sizes)
    y = rng.integers(0, 2, len(unit))
    X = rng.normal(size=(len(sizes), 2))[unit]
    if not copies:
        X = X + rng.normal(size=X.shape)
    training = in_groups(X, y, unit)
    fold = fold_of(training, n_folds, seed)
    for u in range(len(sizes)):
        assert len(set(fold[unit == u].tolist())) == 1
    assert set(fold.tolist()) == set(range(n_folds))
    counts = np.bincount(fold, minlength=n_folds)
    assert counts.max() - counts.min() <= 2 * max(sizes)
    assert np.array_equal(fold_of(training, n_folds, seed), fold)


def test_more_folds_than_units():
    X, y = table(40)
    assert set(fold_of(in_groups(X, y, np.arange(40) // 14), 5).tolist()) == {0, 1, 2}
    alone = fold_of(in_groups(X, y, np.zeros(40)), 5)  # one group: nothing else to hold out by
    assert set(alone.tolist()) == set(range(5))


def test_classes_are_shared_out_among_units():
    """Forty groups of three, a tenth of them of the rare class: every fold has some."""
    X, _ = table(120)
    y = (np.arange(120) // 3 % 10 == 0).astype(int)
    fold = fold_of(in_groups(X, y, np.arange(120) // 3), 4, 1)
    assert np.bincount(fold[y == 1], minlength=4).tolist() == [3, 3, 3, 3]
    assert np.bincount(fold).tolist() == [30, 30, 30, 30]


def test_a_share_held_out_keeps_units_whole():
    X, y = table(200)
    groups = np.arange(200) // 5
    rest, held = hold_out(in_groups(X, y, groups), 0.25, 0)
    assert not set(rest.groups.tolist()) & set(held.groups.tolist())
    assert len(rest.y) + len(held.y) == 200
    for k in (0, 1):
        assert np.mean(held.y == k) > 0.1
        assert abs(np.sum(held.y == k) - np.sum(y == k) / 4) < 8
    X[100:] = X[:100]
    rest, held = hold_out(make_problem(X, y), 0.2, 0)
    assert not set(rest.X[:, 0].tolist()) & set(held.X[:, 0].tolist())


def test_units_larger_than_the_share_to_hold_out():
    X, y = table(160)
    rest, held = hold_out(in_groups(X, y, np.arange(160) % 8), 0.05, 0)
    assert len(held.y) == 20
    assert len(rest.y) == 140


def test_no_class_is_held_out_as_a_whole():
    """The least group holds all rows of a class: the next one is held out."""
    y = np.repeat([1, 0, 0], [2, 3, 4])
    rest, held = hold_out(
        in_groups(np.arange(9.0)[:, None], y, np.repeat([0, 1, 2], [2, 3, 4])), 0.05, 0
    )
    assert held.y.tolist() == [0, 0, 0]
    assert sorted(rest.y.tolist()) == [0, 0, 0, 0, 1, 1]


# Samples


def test_half_of_a_sample_is_clean_where_there_are_many():
    clean = np.arange(400) % 2 == 0
    training = make_problem(np.random.default_rng(0).normal(size=(400, 2)), np.arange(400) % 3 == 0)
    rows = sample_rows(clean, 100, 0, training.units)
    assert (len(rows), clean[rows].sum()) == (100, 50)


def test_a_sample_keeps_units_whole():
    X, y = table(300)
    training = in_groups(X, y, np.arange(300) // 3)
    clean = np.arange(300) % 4 == 0
    rows = sample_rows(clean, 100, 0, training.units)
    assert 90 < len(rows) <= 100
    assert (np.diff(rows) > 0).all()
    assert set(np.bincount(training.groups[rows], minlength=100).tolist()) == {0, 3}


@pytest.mark.parametrize("seed", range(20))
def test_one_large_group_does_not_shut_out_the_others(seed):
    X, _ = table(900)
    units = find_units(X, np.where(np.arange(900) < 600, 0, np.arange(900)))
    rows = sample_rows(np.zeros(900, bool), 500, seed, units)
    assert rows.tolist() == list(range(600, 900))
    two = find_units(X, np.arange(900) % 2)
    assert len(sample_rows(np.zeros(900, bool), 400, seed, two)) == 400


# Out of fold


def test_everyone_is_judged_by_others():
    X, y = table(50)
    training = make_problem(X, y)
    fold = fold_of(training, 5)
    seen = np.zeros(50, int)
    for held, part in out_of_fold(training, fold, lambda part, k: part):
        assert not set(part.X[:, 0].tolist()) & set(X[held, 0].tolist())
        assert len(part.y) + len(held) == 50
        seen[held] += 1
    assert (seen == 1).all()


def test_a_fold_that_holds_all_of_a_class_leaves_nothing_to_learn():
    """The one ill row of twenty: a model of the others says that all are well."""
    X, _ = table(20)
    y = (np.arange(20) == 4).astype(int)
    training = make_problem(X, y)
    chances = out_of_fold_probabilities(training, fold_of(training, 5), GaussianNB())
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert chances[4].tolist() == [1.0, 0.0]


def test_copies_have_seeds_of_their_own():
    from sklearn.ensemble import ExtraTreesClassifier

    X, y = table(40)
    training = make_problem(X, y)
    fit = fit_copy(ExtraTreesClassifier(2), 7)
    seeds = [fit(training, k).random_state for k in range(5)]
    assert len(set(seeds)) == 5
    assert [fit(training, k).random_state for k in range(5)] == seeds


# Groups as they are given


@pytest.mark.parametrize(
    "groups",
    [["a", "b", "a"], [3, 7, 3], np.array([1.5, 2.0, 1.5]), np.array(["b", 1, "b"], object)[::1]],
)
def test_groups_of_any_kind(groups):
    found = as_groups(groups, 3)
    assert found[0] == found[2] != found[1]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([1, 2], "groups has 2 entries for 3 rows"),
        ([1, None, 2], "groups contains a missing value"),
        ([1.0, np.nan, 2.0], "groups contains a missing value"),
        ([4, 4, 4], "groups holds one group only"),
        ([[1], [2], [1]], "groups must be 1D, got 2D"),
    ],
)
def test_bad_groups(groups, message):
    with pytest.raises(ValueError, match=message):
        as_groups(groups, 3)
