"""Labels made wrong on purpose."""

import numpy as np
import pandas as pd
import polars as pl
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
THREE = np.arange(3000) % 3
MATRIX = np.array([[0.9, 0.1, 0.0], [0.0, 0.6, 0.4], [0.05, 0.05, 0.9]])


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


@given(
    st.integers(2, 60),
    st.integers(2, 5),
    st.floats(0, 1),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_any_rate(n, n_classes, rate, exact, some_clean, seed):
    y = np.arange(n) % n_classes
    clean = np.arange(n) % 3 == 0 if some_clean else np.zeros(n, bool)
    labels, flipped = flip_labels(y, rate, exact=exact, clean=clean, random_state=seed)
    assert_array_equal(labels != y, flipped)
    assert not flipped[clean].any()
    if exact:
        assert flipped.sum() == round(rate * np.sum(~clean))


def test_every_other_class_is_as_likely():
    labels, _ = flip_labels(np.arange(40_000) % 4, 1.0, random_state=0)
    shares = np.bincount((labels - np.arange(40_000)) % 4, minlength=4) / 40_000
    assert shares[0] == 0
    assert np.all(np.abs(shares[1:] - 1 / 3) < 0.01)


@pytest.mark.slow
@pytest.mark.parametrize("exact", [True, False])
def test_every_row_is_as_likely(exact):
    times = sum(
        flip_labels([0, 1] * 5, 0.3, exact=exact, random_state=seed)[1].astype(int)
        for seed in range(1000)
    )
    assert np.all(np.abs(times / 1000 - 0.3) < 0.06)


def test_tossed_coins_vary_in_number():
    counts = [flip_labels(THREE, 0.2, exact=False, random_state=s)[1].sum() for s in range(200)]
    assert abs(np.mean(counts) - 600) < 5
    assert abs(np.std(counts) - np.sqrt(3000 * 0.2 * 0.8)) < 4


def test_the_seed_decides():
    y = LABELS["numbers"]
    one, again, other = (flip_labels(y, 0.3, random_state=seed)[0] for seed in (1, 1, 2))
    assert_array_equal(one, again)
    assert np.any(one != other)


@pytest.mark.parametrize(
    "rate",
    [MATRIX, {(0, 1): 0.1, (1, 2): 0.4, (2, 0): 0.05, (2, 1): 0.05}],
    ids=["matrix", "pairs"],
)
def test_rates_by_class(rate):
    labels, flipped = flip_labels(THREE, rate, random_state=0)
    counts = np.zeros((3, 3))
    np.add.at(counts, (THREE, labels), 1)
    assert_array_equal(labels != THREE, flipped)
    assert_array_equal(counts.diagonal(), [900, 600, 900])
    assert np.abs(counts / 1000 - MATRIX).max() < 0.02
    tossed = flip_labels(THREE, rate, exact=False, random_state=0)[0]
    counts = np.zeros((3, 3))
    np.add.at(counts, (THREE, tossed), 1)
    assert np.abs(counts / 1000 - MATRIX).max() < 0.05


def test_pairs_name_classes_of_any_type():
    y = pd.Series(["cat", "dog"] * 50)
    labels, flipped = flip_labels(y, {("dog", "cat"): 0.3}, random_state=0)
    assert flipped.sum() == 15
    assert (y[flipped] == "dog").all()
    assert (labels[flipped] == "cat").all()
    labels, flipped = flip_labels([True, False] * 10, {(True, False): 1.0})
    assert labels == [False] * 20


def test_near_and_far_from_a_boundary():
    """Sano et al.: 2 % of all rows, drawn from the half nearest to it or farthest from it."""
    distance = np.abs(np.random.default_rng(0).normal(size=1000))
    y = np.arange(1000) % 2
    middle = np.median(distance)
    _, near = flip_labels(y, 0.02, score=distance <= middle, random_state=0)
    _, far = flip_labels(y, 0.02, score=distance > middle, random_state=0)
    assert near.sum() == far.sum() == 20
    assert distance[near].max() <= middle < distance[far].min()


def test_rows_are_flipped_in_proportion_to_their_score():
    score = np.tile([0.0, 1.0, 2.0, 3.0], 5000)
    y = np.repeat([0, 1], 10_000)
    for exact in (True, False):
        _, flipped = flip_labels(y, 0.15, score=score, exact=exact, random_state=0)
        shares = [flipped[score == s].mean() for s in range(4)]
        assert shares[0] == 0
        assert np.abs(np.array(shares[1:]) - [0.1, 0.2, 0.3]).max() < 0.02


def test_a_score_may_be_the_chance_itself():
    chance = np.random.default_rng(0).random(200) * 0.8
    y = np.arange(200) % 2
    times = np.zeros(200)
    for seed in range(1000):
        times += flip_labels(y, chance.mean(), score=chance, exact=False, random_state=seed)[1]
    assert np.abs(times / 1000 - chance).max() < 0.07


def test_scores_within_classes_leave_their_rates():
    score = 1.0 + THREE
    _, flipped = flip_labels(THREE, MATRIX, score=score, random_state=0)
    assert [flipped[k == THREE].mean() for k in range(3)] == [0.1, 0.4, 0.1]


def test_the_rate_is_of_the_rows_that_are_not_clean():
    clean = THREE == 0
    labels, flipped = flip_labels(THREE, 0.25, clean=clean, random_state=0)
    assert flipped.sum() == 500
    assert_array_equal(labels[clean], THREE[clean])
    _, flipped = flip_labels(THREE, MATRIX, clean=np.arange(3000) < 1500, random_state=0)
    assert_array_equal(np.bincount(THREE[flipped]), [50, 200, 50])


CONTAINERS = {
    "list": ["a", "b", "c"] * 20,
    "list of numbers": [1, 2, 3] * 20,
    "array": np.array(["a", "b", "c"] * 20),
    "small numbers": np.array([1, 2, 3] * 20, np.int8),
    "series": pd.Series(["a", "b", "c"] * 20, index=range(100, 160), name="label"),
    "categories": pd.Series(
        pd.Categorical(["a", "b", "c"] * 20, ["c", "b", "a", "never"]), index=range(60)[::-1]
    ),
    "nullable": pd.Series([1, 2, 3] * 20, dtype="Int64"),
    "same index": pd.Series(["a", "b", "c"] * 20, index=[7] * 60),
    "polars": pl.Series("label", ["a", "b", "c"] * 20),
    "polars categories": pl.Series("label", ["a", "b", "c"] * 20, pl.Enum(["b", "c", "a"])),
}


@pytest.mark.parametrize("y", CONTAINERS.values(), ids=CONTAINERS)
def test_labels_come_back_as_they_came(y):
    labels, flipped = flip_labels(y, 0.5, random_state=0)
    assert type(labels) is type(y)
    assert flipped.dtype == bool
    assert flipped.sum() == 30
    assert_array_equal(np.asarray(labels) != np.asarray(y), flipped)
    if isinstance(y, pd.Series):
        pd.testing.assert_index_equal(labels.index, y.index)
        assert (labels.name, labels.dtype) == (y.name, y.dtype)
    elif isinstance(y, pl.Series):
        assert (labels.name, labels.dtype) == (y.name, y.dtype)
    elif isinstance(y, np.ndarray):
        assert labels.dtype == y.dtype
    else:
        assert {type(one) for one in labels} == {type(y[0])}


def test_one_class_cannot_be_flipped():
    with pytest.raises(ValueError, match="fewer than two classes"):
        flip_labels(["a", "a"], 0.5)
    labels, flipped = flip_labels(["a", "a"], 0.0)
    assert labels == ["a", "a"]
    assert not flipped.any()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rate": -0.1}, r"^rate must be from 0 to 1, got -0\.1"),
        ({"rate": 1.1}, "rate must be from 0 to 1"),
        ({"rate": np.nan}, "rate must be from 0 to 1"),
        ({"rate": np.eye(2)}, r"shape \(2, 2\), but y has 3 classes"),
        ({"rate": [0.1, 0.2, 0.3]}, r"shape \(3,\), but y has 3 classes"),
        ({"rate": np.full((3, 3), np.nan)}, "chances from 0 to 1"),
        ({"rate": np.eye(3) * 0.9}, "The row of class 'a' in rate sums to 0.9, not to 1"),
        ({"rate": {("a", "z"): 0.1}}, "rate names 'z', which is not a class of y"),
        ({"rate": {"ab": 0.1}}, "keys must be pairs"),
        ({"rate": {("a", "a"): 0.1}}, "keys must be pairs of two classes"),
        ({"rate": {("a", "b"): -0.1}}, "chances from 0 to 1"),
        ({"rate": {("a", "b"): 0.7, ("a", "c"): 0.4}}, "class 'a' in rate sum to 1.1"),
        ({"score": np.ones(3)}, r"score has shape \(3,\), but there are 9 rows"),
        ({"score": [np.nan] * 9}, "score must hold finite numbers of 0 or more"),
        ({"score": [-1] * 9}, "score must hold finite numbers of 0 or more"),
        ({"score": [0] * 9}, "asks for 4 flips, but only 0 rows may be flipped"),
        ({"score": [1] + [0] * 8}, "asks for 4 flips, but only 1 rows may be flipped"),
        ({"score": [9] + [1] * 8, "exact": False}, "score is too uneven for the rate"),
        ({"clean": np.ones(4, bool)}, "clean has 4 entries for 9 rows"),
        ({"clean": np.ones(9)}, "clean must be a boolean mask"),
        ({"y": ["a", None, "b"] * 3}, "contains NaN or None"),
        ({"y": np.zeros((3, 2))}, "y must be 1D, got 2D"),
        ({"y": None}, "y must be 1D, got 0D"),
    ],
)
def test_bad_input(changes, words):
    with pytest.raises(ValueError, match=words):
        flip_labels(**{"y": ["a", "b", "c"] * 3, "rate": 0.4, **changes})


def test_rates_of_another_type():
    for rate in ("0.1", None, True):
        with pytest.raises(TypeError, match="rate must be a number, a mapping"):
            flip_labels([0, 1], rate)


def test_nothing_is_flipped_where_all_is_clean():
    labels, flipped = flip_labels([0, 1], 1.0, clean=[True, True])
    assert labels == [0, 1]
    assert not flipped.any()
