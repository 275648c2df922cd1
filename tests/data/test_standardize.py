import numpy as np
import pytest

from nacre.data.standardize import FAR, fit_standardizer
from tests.training import make_problem

nan, inf = np.nan, np.inf


def columns_of(X, weights=None, categorical=(), missing=nan):
    y = np.arange(len(X)) % 2
    return fit_standardizer(make_problem(X, y, weights, 2, categorical), missing)


def test_numbers_are_brought_to_standard_units():
    rng = np.random.default_rng(0)
    X = rng.normal(5.0, [1e-3, 1.0, 1e6], (50, 3))
    X[rng.random(X.shape) < 0.2] = nan
    weights = rng.random(50)
    numbers, places = columns_of(X, weights).read(X)
    assert numbers.shape == (3, 50)
    assert places.shape == (0, 50)
    assert np.array_equal(np.isnan(numbers), np.isnan(X.T))
    for column in numbers:
        there = ~np.isnan(column)
        assert np.average(column[there], weights=weights[there]) == pytest.approx(0, abs=1e-9)
        assert np.average(column[there] ** 2, weights=weights[there]) == pytest.approx(1)


def test_missing_numbers_can_stand_at_the_mean():
    X = np.array([[1.0], [3.0], [nan]])
    assert columns_of(X, missing=0.0).read(X)[0].tolist() == [[-1.0, 1.0, 0.0]]


def test_constant_and_empty_columns_are_left_out():
    X = np.column_stack([np.full(4, 0.1), np.arange(4.0), np.full(4, nan), [nan, 7, 7, nan]])
    columns = columns_of(X)
    assert columns.numeric.tolist() == [1]
    assert columns.read(X)[0].shape == (1, 4)


def test_categories_have_places_one_column_after_the_other():
    X = np.array([[9.0, 2.0, 5.0], [3.0, nan, 6.0], [9.0, 4.0, 5.0], [nan, 1.0, 6.0]])
    columns = columns_of(X, categorical=(0, 1))
    assert columns.firsts.tolist() == [0, 2, 5]
    assert columns.numeric.tolist() == [2]
    assert columns.read(X)[1].tolist() == [[1, 0, 1, -1], [3, -1, 4, 2]]
    unknown = np.array([[8.0, 2.5, 5.0], [-1.0, 99.0, 5.0]])
    assert columns.read(unknown)[1].tolist() == [[-1, -1], [-1, -1]]
    named = columns.by_category(list("abcde"))
    assert named == {0: {3.0: "a", 9.0: "b"}, 1: {1.0: "c", 2.0: "d", 4.0: "e"}}


def test_rare_categories_are_missing_beyond_255():
    X = np.append(np.arange(300.0), np.arange(20.0, 275.0))[:, None]
    places = columns_of(X, categorical=(0,)).read(X)[1][0]
    assert places.max() == 254
    assert np.array_equal(np.flatnonzero(places[:300] == -1), [*range(20), *range(275, 300)])


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e200, 1e308])
def test_any_scale(scale):
    x = np.array([1.0, -1.0, 1.0, -1.0])[:, None]
    np.testing.assert_allclose(columns_of(x * scale).read(x * scale)[0], x.T, rtol=1e-3)


def test_far_values_stay_finite():
    columns = columns_of(np.array([[0.0], [1.0]]))
    numbers = columns.read(np.array([[1e308], [-1e308]]))[0]
    assert numbers.tolist() == [[FAR, -FAR]]
    assert np.isfinite(np.square(numbers)).all()


def test_rows_hardly_weighed_change_nothing():
    X = np.array([[0.0], [2.0], [1e6]])
    columns = columns_of(X, [1.0, 1.0, 1e-30])
    assert columns.mean == pytest.approx([1.0])
    assert columns.scale == pytest.approx([1.0])


def test_infinite_values_are_refused():
    for bad in (inf, -inf):
        with pytest.raises(ValueError, match="Column 1 of X contains infinity"):
            columns_of(np.array([[1.0, 2.0], [3.0, bad]]))


@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.uint8])
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_type_of_table(dtype, order):
    X = np.array([[1, 5], [2, 5], [4, 6], [9, 7]], dtype, order=order)
    training = make_problem(X, [0, 1, 0, 1])
    as_given = training.__class__(X, training.y, 2, training.weight, categorical=(1,))
    numbers, places = fit_standardizer(as_given).read(X)
    assert numbers.dtype == np.float64
    assert numbers[0] == pytest.approx((X[:, 0] - 4.0) / np.std([1, 2, 4, 9]))
    assert places.tolist() == [[0, 0, 1, 2]]
