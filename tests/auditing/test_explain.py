"""Reasons: held to brute force, and read as a person reads them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.auditing import explain as module
from nacre.auditing.explain import main_reason, nearest_agreeing, reasons, shares_alike
from nacre.data import TrainingRows
from nacre.filters.score import nearest_others
from tests.training import make_problem


def neighbor_labels(training, pool, rows):
    return training.y[nearest_others(training, module.NEAR, rows, pool)]


def make(n=200, seed=0, gaps=0.0):
    """One number and one category that tell the class, one number that does not."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = np.column_stack([rng.normal(3 * y), rng.normal(size=n), y ^ (rng.random(n) < 0.1)])
    X[rng.random(X.shape) < gaps] = np.nan
    return TrainingRows(X, y, 2, np.full(n, 1 / n), categorical=[2])


@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_neighbours_are_those_of_brute_force(gaps):
    training = make(gaps=gaps)
    n, rows = len(training.y), np.array([3, 50, 0])
    found = neighbor_labels(training, np.arange(n), rows)
    numbers = training.X[:, :2]
    numbers = (numbers - np.nanmean(numbers, axis=0)) / np.nanstd(numbers, axis=0)
    numbers = np.nan_to_num(numbers)
    kinds = np.nan_to_num(training.X[:, 2], nan=-1)
    for row, labels in zip(rows, found, strict=True):
        apart = np.sum((numbers - numbers[row]) ** 2, axis=1) + (kinds != kinds[row])
        apart[training.units.of == training.units.of[row]] = np.inf  # itself, and its copies
        # standardised over pool and rows together, so that scales differ by a hair
        assert abs(labels.sum() - training.y[np.argsort(apart)[: len(labels)]].sum()) <= 1
        assert len(labels) == module.NEAR


def test_a_row_is_not_its_own_neighbour():
    training = TrainingRows(np.zeros((30, 1)), np.arange(30), 30, np.full(30, 1 / 30))
    found = neighbor_labels(training, np.arange(30), np.arange(30))
    assert not np.any(found == np.arange(30)[:, None])
    few = neighbor_labels(training, np.arange(4), np.array([2, 17]))
    assert few.shape == (2, 3)
    assert 2 not in few[0]


@given(st.integers(0, 10), st.sampled_from([0.0, 0.2, 1.0]))
def test_shares_are_counted(seed, gaps):
    training = make(60, seed, gaps)
    pool, rows = np.arange(40), np.array([41, 5, 59])
    found = shares_alike(training, pool, rows)
    column, y = training.X[pool, 2], training.y[pool]
    for k, row in enumerate(rows):
        same = np.array([repr(value) == repr(training.X[row, 2]) for value in column])
        assert found[k, 2].tolist() == [np.mean(same[y == c]) for c in (0, 1)]
    numbers = training.X[:, 0]
    cuts = np.nanquantile(numbers[[*pool, *rows]], module.TENTHS) if gaps < 1 else []
    place = np.where(np.isnan(numbers), -1, np.digitize(numbers, cuts))
    for k, row in enumerate(rows):
        same = place[pool] == place[row]
        assert found[k, 0].tolist() == [np.mean(same[y == c]) for c in (0, 1)]


def explain(training, flagged, rows, chances, classes=("benign", "malignant")):
    return reasons(
        training, flagged, rows, chances[rows].argmax(axis=1), chances, classes,
        ["size", "luck", "kind"], lambda i, j: f"{training.X[i, j]:.3g}", 0,
    )  # fmt: skip


def test_the_sentences():
    training = make()
    training.y[10] = 1  # by its values 0
    flagged = np.arange(200) == 10
    chances = np.column_stack([1 - training.y, training.y]) * 0.8 + 0.1
    chances[10] = 0.93, 0.07
    (first, second) = explain(training, flagged, np.array([10, 4]), chances)
    assert first[0] == "Held-out models say benign (93%), not malignant (7%)."
    assert first[1].startswith("Of its 10 nearest rows, ")
    assert " are labelled benign and " in first[1]
    assert first[2].startswith("Commoner in benign than in malignant: ")
    assert f"size = {training.X[10, 0]:.3g} (" in first[2]
    assert "luck" not in first[2]
    assert second == ["Held-out models say benign (90%), as labelled."]


def test_long_and_broken_names_stay_in_their_sentence():
    training = make()
    flagged = np.arange(200) == 10
    chances = np.tile([0.1, 0.9], (200, 1))
    long = "one\ntwo " + "x" * 500
    (said,) = explain(training, flagged, np.array([10]), chances, classes=["a", long])
    assert all(len(one) < 300 and "\n" not in one for one in said)


def test_cost_is_bounded(monkeypatch):
    monkeypatch.setattr(module, "POOL", 50)
    monkeypatch.setattr(module, "EXPLAINED", 3)
    training = make(1000)
    chances = np.column_stack([training.y, 1 - training.y]) * 0.8 + 0.1
    flagged = np.ones(1000, bool)
    flagged[::2] = False
    rows = np.arange(1, 21, 2)
    said = explain(training, flagged, rows, chances)
    assert [len(one) > 1 for one in said] == [True] * 3 + [False] * 7
    assert explain(training, flagged, rows, chances) == said


def test_neighbours_are_counted_from_the_nearest_on():
    """The nearest row and the next nine, and not one that is further."""
    X = np.arange(60.0)[:, None] ** 2
    y = np.zeros(60, int)
    y[[0, 1, 12, 13]] = 1
    training = TrainingRows(X, y, 2, np.full(60, 1 / 60))
    flagged, chances = np.arange(60) == 0, np.tile([0.9, 0.1], (60, 1))
    ((_, near, *_),) = reasons(
        training, flagged, np.array([0]), np.array([0]), chances, ["a", "b"], ["x"],
        lambda i, j: "", 0,
    )  # fmt: skip
    assert near == "Of its 10 nearest rows, 9 are labelled a and 1 b."


def test_suspects_are_compared_with_rows_that_are_none():
    """A value that suspects only have is common in no class."""
    training = make()
    flagged = np.arange(200) % 20 == 10
    training.X[:, 2] = np.where(flagged, 7, 0)
    training.y[flagged] = 1
    training.y[10] = 0
    chances = np.tile([0.1, 0.9], (200, 1))
    (said,) = explain(training, flagged, np.array([10]), chances)
    assert not any("kind" in one for one in said)


def test_neighbours_that_speak_for_the_label_are_an_objection():
    """Not a reason: "1 are labelled benign and 9 malignant" contradicts what is suggested."""
    X = np.arange(60.0)[:, None] ** 2
    y = np.ones(60, int)
    y[1] = 0
    training = TrainingRows(X, y, 2, np.full(60, 1 / 60))
    flagged, chances = np.arange(60) == 0, np.tile([0.9, 0.1], (60, 1))
    (said,) = reasons(
        training, flagged, np.array([0]), np.array([0]), chances, ["a", "b"], ["x"],
        lambda i, j: "", 0,
    )  # fmt: skip
    assert said[1] == "But of its 10 nearest rows, 9 are labelled b and 1 a."
    assert main_reason(said) != said[1]
    assert main_reason(["x", "y", "But z"]) == "y"


def test_the_nearest_row_that_agrees():
    """With the suggestion; no suspect, no copy, nobody of the same group."""
    X = np.append([0.0, 0.1, 0.2, 0.3, 5.0, 0.0], np.arange(10.0, 60.0))[:, None]
    training = make_problem(X, np.append([0, 0, 1, 1, 1, 1], np.full(50, 1)))
    flagged = np.isin(np.arange(56), [0, 2])
    rows, none = np.array([0, 2]), np.array([], int)
    assert nearest_agreeing(training, flagged, rows, np.array([1, 0]), 0) == [3, 1]
    assert nearest_agreeing(training, flagged, none, none, 0) == []
    grouped = replace(training, groups=np.append([0, 1, 2, 0], np.arange(3, 55)))
    assert nearest_agreeing(grouped, flagged, rows[:1], np.array([1]), 0) == [4]
    alone = replace(training, y=np.zeros(56, int), n_classes=2)
    assert nearest_agreeing(alone, flagged, rows[:1], np.array([1]), 0) == [None]


def test_the_most_telling_column_comes_first():
    there, here = np.array([0.5, 0.9, 0.3, 0.8]), np.array([0.1, 0.1, 0.2, 0.0])
    assert module.telling(there, here) == [1, 3, 0]


def test_neighbours_that_are_divided_are_no_objection():
    assert module._neighbors(10, 4, 4, "ill", "well") == (
        "Of its 10 nearest rows, 4 are labelled ill and 4 well."
    )
    assert module._neighbors(10, 4, 5, "ill", "well").startswith(module.OBJECTION)
