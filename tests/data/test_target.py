"""Labels become codes, weights sum to 1."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from nacre.data.target import GLANCE, as_target, encode

nan = np.nan


def target(y, sample_weight=None):
    return as_target(y, sample_weight, len(y))


def refusal(y, sample_weight=None, n=None):
    with pytest.raises(ValueError) as caught:
        as_target(y, sample_weight, len(y) if n is None else n)
    message = str(caught.value)
    assert "\n" not in message
    return message


# Labels


@pytest.mark.parametrize(
    ("y", "classes", "kind"),
    [
        (["no", "yes", "no"], ["no", "yes"], "U"),
        (np.array(["b", "a"], dtype=object), ["a", "b"], "U"),
        (np.array([b"b", b"a"]), [b"a", b"b"], "S"),
        ([True, False], [False, True], "b"),
        ([5, -3, 5], [-3, 5], "i"),
        (np.array([2, 1], np.uint8), [1, 2], "u"),
        ([2.0, 1.0, 2.0], [1.0, 2.0], "f"),
        (np.array([2.0, 1.0], np.float32), [1.0, 2.0], "f"),
        (pd.Series(["b", "a"], index=[7, 3]), ["a", "b"], "U"),
        (pd.Series(["b", "a"], dtype="string"), ["a", "b"], "U"),
        (pd.Series(["b", "a"], dtype="category"), ["a", "b"], "U"),
        (pl.Series(["b", "a"]), ["a", "b"], "U"),
        (pl.Series(["b", "a"], dtype=pl.Categorical), ["a", "b"], "U"),
        (pa.array(["b", "a"]), ["a", "b"], "U"),
        (pl.Series([True, False]), [False, True], "b"),
    ],
)
def test_labels_of_any_type(y, classes, kind):
    found = target(y)
    assert found.classes.tolist() == classes
    assert found.classes.dtype.kind == kind
    assert found.codes.dtype == np.int64
    assert_array_equal(found.classes[found.codes], np.asarray(y).astype(found.classes.dtype))


@pytest.mark.parametrize("y", [[2, 1, 2], [True, False, True]])
def test_labels_of_nullable_types(y):
    found = target(pd.Series(y).convert_dtypes())
    assert found.classes.tolist() == sorted(set(y))
    assert found.codes.tolist() == [1, 0, 1]


def test_objects_that_are_whole_numbers():
    found = target(np.array([2, 1, 2], dtype=object))
    assert found.classes.tolist() == [1, 2]
    assert found.codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize("y", [[0.5, 1.0], np.array([0.5, 1.5], dtype=object)], ids=["f", "O"])
def test_fractions_are_refused(y):
    assert "Unknown label type: continuous" in refusal(y)


@pytest.mark.parametrize(
    "y",
    [
        [0.0, nan, 1.0],
        [0.0, np.inf, 1.0],
        ["a", None, "b"],
        np.array(["a", nan, "b"], dtype=object),
        np.array(["a", pd.NA, "b"], dtype=object),
        pd.Series(["a", None, "b"]),
        pd.Series(["a", None, "b"], dtype="string"),
        pd.Series(["a", None, "b"], dtype="category"),
        pd.Series([0, None, 1], dtype="Int64"),
        pl.Series(["a", None, "b"]),
        pl.Series([0, None, 1]),
        pa.array(["a", None, "b"]),
        np.array(["2020-01-01", "NaT", "2020-01-02"], "M8[D]"),
    ],
)
def test_missing_labels_are_refused(y):
    assert refusal(y).startswith("Input y contains NaN")


def test_text_and_numbers_do_not_mix():
    assert "mixes text and numbers" in refusal(np.array(["a", 1, "b"], dtype=object))


@pytest.mark.parametrize("y", [np.zeros((3, 2)), np.array(1)], ids=["2D", "0D"])
def test_labels_are_one_column(y):
    assert "1d array" in refusal(y, n=3)


def test_complex_labels_are_refused():
    assert "omplex" in refusal(np.array([1 + 0j, 2]))


def test_no_labels():
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        as_target(None, None, 3)


def test_one_label_per_row():
    assert "X has 3 rows, y has 2" in refusal([0, 1], n=3)


def test_two_classes_are_needed():
    assert "one class, 'a'" in refusal(["a", "a"])
    assert "one class, 1 (once rows of weight 0 are left out)" in refusal([0, 1, 1], [0, 1, 1])


# Codes


@pytest.mark.parametrize("late", [-1, 1, 9], ids=["first", "between", "last"])
def test_a_class_that_appears_late(late):
    labels = np.arange(GLANCE + 5) % 3 * 2
    labels[-2] = late
    classes, codes = encode(labels)
    assert classes.tolist() == sorted([0, 2, 4, late])
    assert_array_equal(classes[codes], labels)


def test_text_that_appears_late():
    labels = np.array(["b", "d"] * GLANCE + ["a", "c", "longer"])
    classes, codes = encode(labels)
    assert classes.tolist() == ["a", "b", "c", "d", "longer"]
    assert_array_equal(classes[codes], labels)


def test_a_fraction_that_appears_late_is_refused():
    labels = np.arange(GLANCE + 5) % 2.0
    labels[-1] = 0.5
    assert "continuous" in refusal(labels)


def test_many_rows_of_few_classes():
    labels = np.random.default_rng(0).integers(0, 5, 3 * GLANCE)
    classes, codes = encode(labels)
    expected, places = np.unique(labels, return_inverse=True)
    assert_array_equal(classes, expected)
    assert_array_equal(codes, places)


# Weights


@pytest.mark.parametrize("weight", [None, [1, 1, 1], [0.5, 0.5, 0.5], 1.0], ids=str)
def test_equal_weights(weight):
    found = target([0, 1, 0], weight)
    assert_array_equal(found.weight, np.full(3, 1 / 3))
    assert found.count is None
    assert found.kept is None


def test_whole_weights_are_counts():
    found = target([0, 1, 0], [1, 2, 5])
    assert_array_equal(found.weight, [0.125, 0.25, 0.625])
    assert_array_equal(found.count, [1, 2, 5])


def test_equal_whole_weights_are_counts_too():
    found = target([0, 1, 0], [3, 3, 3])
    assert_array_equal(found.weight, np.full(3, 1 / 3))
    assert_array_equal(found.count, [3, 3, 3])


def test_fractions_are_brought_to_mean_one():
    found = target([0, 1, 0, 1], [0.5, 1.0, 1.5, 5.0])
    assert_allclose(found.count, [0.25, 0.5, 0.75, 2.5], rtol=1e-15)
    assert_allclose(found.weight.sum(), 1.0, rtol=1e-15)


def test_rows_of_weight_zero_are_left_out():
    found = target(["a", "z", "b", "a"], [1, 0, 2, 1])
    assert found.kept.tolist() == [0, 2, 3]
    assert found.classes.tolist() == ["a", "b"]
    assert found.codes.tolist() == [0, 1, 0]
    assert_array_equal(found.weight, [0.25, 0.5, 0.25])


def test_boolean_weights_choose_rows():
    found = target([0, 1, 0], [True, True, False])
    assert found.kept.tolist() == [0, 1]
    assert found.count is None


@pytest.mark.parametrize("size", [1e308, 1e-320])
def test_weights_of_any_size(size):
    found = target([0, 1, 0, 1], size * np.array([1.0, 1.0, 0.5, 0.5]))
    assert_allclose(found.weight, [1 / 3, 1 / 3, 1 / 6, 1 / 6], rtol=1e-3)


@pytest.mark.parametrize(
    ("weight", "says"),
    [
        ([1, -1, 1], "Negative values in sample_weight"),
        ([0, 0, 0], "sample_weight is zero for every row"),
        ([1, nan, 1], "sample_weight contains NaN"),
        ([1, np.inf, 1], "sample_weight contains NaN or infinity"),
        ([1, None, 1], "sample_weight contains NaN"),
        ([1, 1], "sample_weight has 2 entries, X has 3 rows"),
        ([[1], [1], [1]], "sample_weight must be 1D"),
        (["a", "b", "c"], "sample_weight"),
    ],
    ids=str,
)
def test_wrong_weights_are_refused(weight, says):
    assert says in refusal([0, 1, 0], weight)


def test_masked_labels_and_weights_are_refused():
    masked = np.ma.array([0, 1, 1], mask=[False, False, True])
    with pytest.raises(ValueError, match="y has masked labels: drop those rows"):
        as_target(masked, None, 3)
    with pytest.raises(ValueError, match="sample_weight has masked entries"):
        as_target([0, 1, 1], masked, 3)
    assert as_target(np.ma.array([0, 1, 1]), None, 3).codes.tolist() == [0, 1, 1]


def test_labels_that_end_in_a_nul_character_are_refused():
    with pytest.raises(ValueError, match="labels that end in a NUL character"):
        as_target(np.array(["a", "a\0"], object), None, 2)
