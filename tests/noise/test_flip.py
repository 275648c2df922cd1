"""Labels made wrong on purpose."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from nacre.noise import flip_labels

LABELS = {
    "text": np.array(["a", "longer", "b"] * 20),
    "numbers": np.arange(60) % 4,
    "booleans": np.arange(60) % 2 == 0,
    "objects": np.array(["a", "longer", "b"] * 20, dtype=object),
}


@pytest.mark.parametrize("y", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("rate", [0.0, 0.01, 0.25, 1.0])
def test_exactly_the_flipped_rows_differ(y, rate):
    before = y.copy()
    labels, flipped = flip_labels(y, rate, random_state=0)
    assert flipped.sum() == round(rate * len(y))
    assert_array_equal(labels != y, flipped)
    assert labels.dtype == y.dtype
    assert set(labels.tolist()) <= set(y.tolist())
    assert_array_equal(y, before)


@given(st.integers(2, 60), st.integers(2, 5), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_any_rate(n, n_classes, rate, seed):
    y = np.arange(n) % n_classes
    labels, flipped = flip_labels(y, rate, seed)
    assert flipped.sum() == round(rate * n)
    assert_array_equal(labels != y, flipped)


def test_every_other_class_is_as_likely():
    labels, _ = flip_labels(np.arange(40_000) % 4, 1.0, random_state=0)
    shares = np.bincount((labels - np.arange(40_000)) % 4, minlength=4) / 40_000
    assert shares[0] == 0
    assert np.all(np.abs(shares[1:] - 1 / 3) < 0.01)


def test_every_row_is_as_likely():
    times = sum(flip_labels([0, 1] * 5, 0.3, seed)[1].astype(int) for seed in range(1000))
    assert np.all(np.abs(times / 1000 - 0.3) < 0.06)


def test_the_seed_decides():
    y = LABELS["numbers"]
    one, again, other = (flip_labels(y, 0.3, seed)[0] for seed in (1, 1, 2))
    assert_array_equal(one, again)
    assert np.any(one != other)


def test_lists_and_series():
    for y in (["a", "b"] * 5, pd.Series(["a", "b"] * 5, index=range(10, 20))):
        labels, flipped = flip_labels(y, 0.5, random_state=0)
        assert_array_equal(labels != np.asarray(y), flipped)
        assert flipped.sum() == 5


@pytest.mark.parametrize("rate", [-0.1, 1.1, np.nan, np.inf])
def test_rates_outside_0_to_1_are_refused(rate):
    with pytest.raises(ValueError, match=r"^rate must be from 0 to 1, got"):
        flip_labels([0, 1], rate)


def test_one_class_cannot_be_flipped():
    with pytest.raises(ValueError, match="one class only"):
        flip_labels(["a", "a"], 0.5)
    labels, flipped = flip_labels(["a", "a"], 0.0)
    assert labels.tolist() == ["a", "a"]
    assert not flipped.any()


def test_tables_of_labels_are_refused():
    with pytest.raises(ValueError, match="must be 1D, got 2D"):
        flip_labels(np.zeros((3, 2)), 0.1)
