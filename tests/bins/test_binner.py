"""Bins against np.searchsorted, which is slow and surely right."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from nacre.bins import bin_rows
from nacre.bins.binner import MORE, SAMPLE, _sample, category_trust
from nacre.data.categories import category_codes
from nacre.kernels.binning import MAX_BINS, MISSING

nan, inf = np.nan, np.inf
rng = np.random.default_rng


def in_order(n):
    return np.arange(n, dtype=np.int32)


def binned(X, **more):
    """Bins of a table whose rows keep their places, and what they stand for."""
    X = np.asarray(X)
    bins = bin_rows(X, in_order(len(X)), **more)
    return unpack(bins, X.shape[1]), bins


def unpack(bins, d):
    """The bin of every cell, from the packed words."""
    blocks, n = bins.words.shape
    lanes = bins.words.view(np.uint8).reshape(blocks, n, 8)
    return np.hstack(list(lanes))[:, :d].astype(int)


def column(values, **more):
    """Bins and cuts of a single column."""
    codes, bins = binned(np.asarray(values)[:, None], **more)
    return codes[:, 0], bins.cuts[0, : bins.last[0]], bins


def by_search(values, cuts):
    """What the bins should be."""
    codes = np.searchsorted(cuts, values)
    return np.where(np.isnan(values), MISSING, codes)


def midpoints(values):
    distinct = np.unique(values[~np.isnan(values)])
    return distinct[:-1] + np.diff(distinct) / 2


# Columns of few values


@pytest.mark.parametrize("distinct", [1, 2, 3, 100, 254, 255])
def test_few_values_have_a_bin_each(distinct):
    values = rng(0).integers(-(10**6), 10**6, distinct)[rng(1).integers(0, distinct, 3000)] / 8
    codes, cuts, bins = column(values)
    assert_array_equal(cuts, midpoints(values))
    assert_array_equal(codes, by_search(values, midpoints(values)))
    assert bins.bins[0] == len(np.unique(values))
    assert not bins.missing[0]


def test_rows_go_to_their_places():
    X = rng(0).normal(size=(500, 11))
    rank = rng(1).permutation(500).astype(np.int32)
    assert_array_equal(unpack(bin_rows(X, rank), 11)[rank], binned(X)[0])


def test_missing_values_have_a_bin_of_their_own():
    values = np.array([3.0, nan, 1.0, 3.0, nan])
    codes, cuts, bins = column(values)
    assert codes.tolist() == [1, MISSING, 0, 1, MISSING]
    assert cuts.tolist() == [2.0]
    assert bins.missing[0]


def test_a_constant_column_cannot_be_split():
    codes, cuts, bins = column(np.full(20, 7.0))
    assert not codes.any()
    assert len(cuts) == 0
    assert bins.bins[0] == 1


def test_a_column_without_values_cannot_be_split():
    codes, cuts, bins = column(np.full(20, nan))
    assert np.all(codes == MISSING)
    assert len(cuts) == 0
    assert bins.bins[0] == 0
    assert bins.missing[0]


def test_only_some_columns_have_missing_values():
    X = rng(0).normal(size=(1000, 10))
    X[3, 2] = X[999, 9] = nan
    assert np.flatnonzero(binned(X)[1].missing).tolist() == [2, 9]


def test_negative_zero_is_zero():
    codes, cuts, _ = column([0.0, -0.0, 1.0])
    assert codes.tolist() == [0, 0, 1]
    assert cuts.tolist() == [0.5]


def test_neighbouring_floats_are_told_apart():
    above = np.nextafter(1.0, 2.0)
    codes, _, _ = column([1.0, above, 1.0, np.nextafter(above, 2.0)])
    assert codes.tolist() == [0, 1, 0, 2]


# Columns of many values


@pytest.mark.parametrize("max_bins", [2, 3, 16, 254, 255])
@pytest.mark.parametrize("n", [300, 5000])
def test_bins_of_about_equal_mass(max_bins, n):
    values = rng(0).normal(size=n)
    codes, cuts, bins = column(values, max_bins=max_bins)
    assert bins.bins[0] == max_bins
    assert_array_equal(codes, by_search(values, cuts))
    sizes = np.bincount(codes, minlength=max_bins)
    assert sizes.min() >= np.floor(n / max_bins) - 1
    assert sizes.max() <= np.ceil(n / max_bins) + 1


def test_cuts_lie_halfway_between_neighbouring_values():
    values = np.sort(rng(0).integers(0, 1000, 4000)).astype(float)
    _, cuts, _ = column(values)
    distinct = np.unique(values)
    after = np.searchsorted(distinct, cuts)
    assert_array_equal(cuts, (distinct[after - 1] + distinct[after]) / 2)
    assert np.all(np.diff(cuts) > 0)


def test_heavy_atoms_do_not_starve_the_other_bins():
    """Half of the rows are 0: the bins of the others are no larger than without."""
    values = np.where(rng(0).random(8000) < 0.5, 0.0, rng(1).normal(size=8000))
    codes, cuts, bins = column(values)
    assert_array_equal(codes, by_search(values, cuts))
    assert bins.bins[0] == MAX_BINS
    sizes = np.sort(np.bincount(codes, minlength=MAX_BINS))
    assert sizes[-1] >= np.sum(values == 0)
    assert sizes[0] > 0
    assert sizes[-2] <= np.ceil(8000 / MAX_BINS)


def test_several_atoms():
    atoms = np.repeat([1.0, 2.0, 3.0], 2000)
    values = np.concatenate([atoms, rng(0).uniform(0, 4, 2000)])
    codes, cuts, _ = column(values)
    assert_array_equal(codes, by_search(values, cuts))
    assert len(set(codes[:6000])) == 3
    assert np.bincount(codes).min() > 0


@given(st.integers(256, 600), st.integers(2, 255), st.integers(0, 2**32 - 1))
def test_weights_cut_like_repeated_rows(n, max_bins, seed):
    values = rng(seed).normal(size=n)
    values[rng(seed).random(n) < 0.1] = nan
    weight = rng(seed + 1).integers(1, 8, n)
    weighted = column(values, weight=weight.astype(float), max_bins=max_bins)
    repeated = column(np.repeat(values, weight), max_bins=max_bins)
    assert_array_equal(weighted[1], repeated[1])
    assert_array_equal(np.repeat(weighted[0], weight), repeated[0])


def test_fractional_weights_count_in_the_quantiles():
    values = np.sort(rng(0).normal(size=4000))
    weight = np.where(values < 0, 0.5, 4.5)
    codes, _, _ = column(values, weight=weight, max_bins=10)
    mass = np.bincount(codes, weight)
    assert np.all(np.abs(mass - mass.mean()) <= 4.5)


# More rows than the sample


@pytest.mark.parametrize("n", [SAMPLE, SAMPLE + 1, 50_000])
def test_quantiles_of_a_sample(n):
    values = rng(0).normal(size=n)
    codes, cuts, bins = column(values)
    assert bins.bins[0] == MAX_BINS
    assert_array_equal(codes, by_search(values, cuts))
    sizes = np.bincount(codes, minlength=MAX_BINS)
    assert sizes.min() > 0
    assert sizes.max() < 2.5 * n / MAX_BINS


def test_the_sample_has_one_row_of_each_stretch():
    rows = _sample(100_000, SAMPLE)
    edges = np.linspace(0, 100_000, SAMPLE + 1)
    assert len(rows) == SAMPLE
    assert np.all((rows >= np.floor(edges[:-1])) & (rows <= edges[1:]))


def unseen(n):
    """Rows in none of the samples smaller than the table."""
    rows, size = np.arange(n), SAMPLE
    while size < n:
        rows, size = np.setdiff1d(rows, _sample(n, size)), size * MORE
    return rows


@pytest.mark.parametrize("n", [SAMPLE + 100, SAMPLE * MORE + 20_000])
@pytest.mark.parametrize("values", [10, 250])
@pytest.mark.parametrize("late", [1, 3, 100])
def test_values_that_no_sample_has(n, values, late):
    """Between, below and above the values seen; the column may get too many for a bin each."""
    X = rng(0).integers(0, values, (n, 3)).astype(float)
    hidden = rng(1).choice(unseen(n), late, replace=False)
    X[hidden, 1] = rng(2).uniform(-2, values + 2, late)
    codes, bins = binned(X)
    for j in range(3):
        cuts = bins.cuts[j, : bins.last[j]]
        assert_array_equal(codes[:, j], by_search(X[:, j], cuts))
        if len(np.unique(X[:, j])) <= MAX_BINS:
            assert_array_equal(cuts, midpoints(X[:, j]))
    distinct = values + late
    assert bins.bins[1] == distinct if distinct <= MAX_BINS else 200 < bins.bins[1] <= MAX_BINS


def test_a_missing_value_that_no_sample_has():
    X = rng(0).integers(0, 10, (50_000, 9)).astype(float)
    X[unseen(50_000)[7], [0, 8]] = nan, 3.5
    codes, bins = binned(X)
    assert np.flatnonzero(codes[:, 0] == MISSING).tolist() == [unseen(50_000)[7]]
    assert np.flatnonzero(bins.missing).tolist() == [0]
    assert bins.bins[8] == 11


def test_an_infinite_value_that_no_sample_has():
    X = np.zeros((50_000, 9))
    X[unseen(50_000)[7], 8] = -inf
    with pytest.raises(ValueError, match=r"^Column 8 of X contains infinity"):
        binned(X)


# Infinity


@pytest.mark.parametrize("bad", [inf, -inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_infinity_is_refused_by_column(bad, dtype):
    X = rng(0).normal(size=(300, 12)).astype(dtype)
    X[0, 2] = X[5, 3] = nan
    X[299, 10] = bad
    with pytest.raises(ValueError, match=r"^Column 10 of X contains infinity") as caught:
        binned(X)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("d", [1, 9])
def test_infinity_is_no_category(d):
    X = np.ones((20, d))
    X[4, d - 1] = inf
    with pytest.raises(ValueError, match=f"^Column {d - 1} of X contains infinity"):
        binned(X, categorical=[d - 1])


# Any floats

anything = st.one_of(
    st.floats(allow_infinity=False, width=64),
    st.sampled_from([1e308, -1e308, 1.7976931348623157e308, 5e-324, -5e-324, 0.0, -0.0, 1.0, nan]),
    st.integers(-3, 3).map(float),
)


@given(arrays(float, st.integers(1, 80), elements=anything), st.integers(2, 255))
def test_any_floats(values, max_bins):
    codes, cuts, bins = column(values, max_bins=max_bins)
    assert_array_equal(codes, by_search(values, cuts))
    assert np.all(np.isfinite(cuts))
    assert np.all(np.diff(cuts) > 0)
    present = np.unique(values[~np.isnan(values)])
    assert bins.bins[0] == len(np.unique(codes[codes != MISSING])) <= max_bins
    if len(present) <= max_bins:
        assert_array_equal(by_search(present, cuts), np.arange(len(present)))


@given(
    st.integers(1, 3000),
    st.sampled_from([0.01, 1.0, 5.0, 20.0, 100.0]),
    st.booleans(),
    st.integers(2, 255),
    st.integers(0, 2**32 - 1),
)
def test_heavy_tails(n, spread, signed, max_bins, seed):
    values = np.exp(np.clip(spread * rng(seed).normal(size=n), -700, 700))
    if signed:
        values *= rng(seed + 1).choice([-1.0, 1.0], n)
    codes, cuts, bins = column(values, max_bins=max_bins)
    assert_array_equal(codes, by_search(values, cuts))
    assert bins.bins[0] == min(max_bins, len(np.unique(values)))


@pytest.mark.parametrize("scale", [1e300, 1e-300, 5e-324, 1.0])
def test_any_scale(scale):
    values = np.round(rng(0).normal(size=2000) * 1000) * scale
    codes, cuts, _ = column(values, max_bins=200)
    assert_array_equal(codes, by_search(values, cuts))


# Types, layouts, threads


def whole_numbers(n=700, d=19):
    """Columns of few and of many values, also as small integers and single floats."""
    X = rng(0).integers(-1000, 1000, (n, d))
    X[:, ::2] //= 100
    return X


@pytest.mark.parametrize("dtype", ["f4", "i2", "i4", "i8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_types_and_layouts_give_the_same_words(dtype, order):
    X = whole_numbers()
    expected = bin_rows(X.astype(float), in_order(len(X)))
    found = bin_rows(np.array(X, dtype, order=order), in_order(len(X)))
    assert_array_equal(found.words, expected.words)
    assert_array_equal(found.cuts, expected.cuts)


def test_single_floats_are_not_rounded_again():
    X = rng(0).normal(size=(1000, 3)).astype(np.float32)
    single, double = binned(X), binned(X.astype(float))
    assert_array_equal(single[0], double[0])
    assert_array_equal(single[1].cuts, double[1].cuts)


@pytest.mark.parametrize("d", [1, 8, 9, 40])
def test_threads_give_the_same_words(d):
    X = rng(0).normal(size=(9000, d))
    X[:, ::3] = X[:, ::3].round(1)
    X[rng(1).random(X.shape) < 0.05] = nan
    one, three = (bin_rows(X, in_order(len(X)), workers=workers) for workers in (1, 3))
    assert_array_equal(one.words, three.words)
    assert_array_equal(one.cuts, three.cuts)
    assert_array_equal(one.missing, three.missing)


# Categories


def test_categories_keep_their_values():
    X = np.array([[7.0, 0.1], [-2.0, 0.2], [nan, 0.3], [7.0, 0.4]])
    codes, bins = binned(X, categorical=[0])
    assert codes[:, 0].tolist() == [1, 0, MISSING, 1]
    assert codes[:, 1].tolist() == [0, 1, 2, 3]
    assert bins.categories[0].tolist() == [-2.0, 7.0]
    assert bins.last[:2].tolist() == [0, 3]
    assert bins.missing[:2].tolist() == [1, 0]


def test_255_categories_all_have_a_bin():
    codes, bins = binned(np.arange(255.0)[:, None], categorical=[0])
    assert_array_equal(codes[:, 0], np.arange(255))
    assert not bins.missing[0]


def test_of_more_categories_the_rarest_count_as_missing():
    values = rng(0).permutation(np.repeat(np.arange(300.0), np.arange(300) + 1))
    codes, bins = binned(values[:, None], categorical=[0])
    assert_array_equal(bins.categories[0], np.arange(45.0, 300.0))
    assert_array_equal(codes[:, 0] == MISSING, values < 45)
    assert bins.missing[0]


def test_weights_tell_which_categories_are_common():
    values = np.arange(300.0)
    weight = np.where(values < 255, 2.0, 1.0)
    _, bins = binned(values[::-1, None], weight=weight[::-1], categorical=[0])
    assert_array_equal(bins.categories[0], values[:255])


def test_codes_of_unknown_and_missing_categories():
    known = np.array([1.0, 3.0])
    assert category_codes(np.array([3, 1, 2, 9, -1, nan]), known).tolist() == [1, 0] + 4 * [MISSING]
    assert category_codes(np.array([3.0, nan]), np.empty(0)).tolist() == 2 * [MISSING]


def test_trust_in_a_category_grows_with_its_rows():
    X = np.repeat([[1.0], [2.0]], [10, 30], axis=0)
    _, bins = binned(X, categorical=[0])
    share = category_trust(bins, np.ones(40))
    assert share[0, [0, 8]].tolist() == [0.5, 0.75]
