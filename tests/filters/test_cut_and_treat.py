import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.filters import (
    Budget,
    Consensus,
    DownWeight,
    Drop,
    EstimatedRate,
    Fraction,
    Relabel,
    Threshold,
)
from nacre.filters.cut import most_suspect

SCORES = np.array([0.5, 1.0, 0.2, 0.75, 0.75])


def no_rate():
    raise AssertionError("the rate was asked for")


@pytest.mark.parametrize(
    ("cut", "flags"),
    [
        (Threshold(0.5), [0, 1, 0, 1, 1]),
        (Threshold(0.75), [0, 1, 0, 0, 0]),
        (Consensus(), [0, 1, 0, 0, 0]),
        (Fraction(0.4), [0, 1, 0, 1, 0]),
        (Fraction(0.0), [0, 0, 0, 0, 0]),
        (Budget(3), [0, 1, 0, 1, 1]),
        (Budget(100), [1, 1, 1, 1, 1]),
    ],
)
def test_cuts(cut, flags):
    assert cut.flags(SCORES, no_rate).tolist() == [bool(flag) for flag in flags]


def test_the_estimated_rate_counts_rows_that_are_not_trusted():
    scores = np.where(np.arange(5) == 1, -np.inf, SCORES)
    assert EstimatedRate().flags(scores, lambda: 0.5).tolist() == [False, False, False, True, True]
    assert EstimatedRate().flags(scores, lambda: 0.75).sum() == 3  # of four, not of five


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30), st.integers(0, 40))
def test_a_budget_takes_the_highest(scores, rows):
    scores = np.array(scores)
    flags = Budget(rows).flags(scores, no_rate)
    assert flags.sum() == min(rows, len(scores))
    if flags.any() and not flags.all():
        assert scores[flags].min() >= scores[~flags].max()


@pytest.mark.parametrize(
    ("part", "value", "line"),
    [
        (Threshold, "high", "above must be a number, got 'high'"),
        (Fraction, 1.5, "share must be a number from 0 to 1, got 1.5"),
        (Fraction, "a", "share must be a number from 0 to 1, got 'a'"),
        (Budget, -1, "rows must be at least 0, got -1"),
        (Budget, 2.5, "rows must be a whole number, got 2.5"),
        (Budget, None, "rows must be a whole number, got None"),
        (DownWeight, 2.0, "weight must be a number from 0 to 1, got 2.0"),
    ],
)
def test_bad_parts(part, value, line):
    with pytest.raises((TypeError, ValueError), match=line):
        part(value)


FLAGS = np.array([False, True, False])
SUGGESTED = np.array(["a", "b", "b"])


@pytest.mark.parametrize("kind", [np.array, pd.DataFrame, pl.DataFrame])
def test_treatments(kind):
    X, y = kind(np.arange(6.0).reshape(3, 2)), ["a", "a", "b"]
    dropped = Drop().apply(X, y, FLAGS, SUGGESTED)
    assert np.asarray(dropped.X).tolist() == [[0.0, 1.0], [4.0, 5.0]]
    assert list(dropped.y) == ["a", "b"]
    assert type(dropped.X) is type(X)
    relabelled = Relabel().apply(X, y, FLAGS, SUGGESTED)
    assert relabelled.X is X
    assert list(relabelled.y) == ["a", "b", "b"]
    lighter = DownWeight(0.25).apply(X, y, FLAGS, SUGGESTED)
    assert lighter.y is y
    assert lighter.sample_weight.tolist() == [1.0, 0.25, 1.0]


def test_series_keep_their_kind():
    y = pd.Series(["a", "a", "b"], index=[5, 6, 7], name="label")
    relabelled = Relabel().apply(None, y, FLAGS, SUGGESTED).y
    pd.testing.assert_series_equal(relabelled, pd.Series(["a", "b", "b"], [5, 6, 7], name="label"))
    relabelled = Relabel().apply(None, pl.Series("label", ["a", "a", "b"]), FLAGS, SUGGESTED).y
    assert relabelled.equals(pl.Series("label", ["a", "b", "b"]))


def test_no_trusted_row_is_flagged_even_where_all_are_asked_for():
    assert most_suspect(np.array([-np.inf, 2.0, 1.0]), 3).tolist() == [False, True, True]
