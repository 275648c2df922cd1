"""Filter, then train: what is flagged, and how it is judged."""

import numpy as np
import pytest

from nacre.experiments.experiment import Cell
from nacre.papers.chan.filter_and_train import (
    FILTERING,
    FILTERS,
    LEARNERS,
    NAMES,
    alike,
    draw_rows,
    measure,
    pruned,
    repeated,
)
from tests.papers.made_up import agree, always, made_up

CELL = {"data": "ring", "noise": 0.2}


def cell(model):
    return Cell("e", 1, {**CELL, "model": model}, 0)


def test_repeated_until_nothing_is_flagged():
    """A filter that flags the largest of what is left, down to ten."""

    def largest(X, y):
        return (X[:, 0] == X[:, 0].max()) & (len(X) > 10)

    X = np.random.default_rng(0).permutation(16)[:, None].astype(float)
    flagged = repeated(largest)(X, np.arange(16) % 2)
    np.testing.assert_array_equal(flagged, X[:, 0] >= 10)
    assert not repeated(lambda X, y: np.ones(len(y), bool))(X, np.zeros(16)).any()


def test_pruned_rows_are_those_a_tree_gets_wrong():
    X, y = np.arange(600.0)[:, None], np.repeat([0, 1], 300)
    y[5] = 1
    assert np.flatnonzero(repeated(pruned(0))(X, y)).tolist() == [5]


def test_filters_share_rows_and_learners():
    assert FILTERS.keys() == NAMES.keys()
    one, other = draw_rows(cell("single")), draw_rows(cell("majority"))
    np.testing.assert_array_equal(one.X, other.X)
    np.testing.assert_array_equal(one.y, other.y)
    assert one.truth["flipped"].mean() == pytest.approx(0.2, abs=0.01)
    none = measure(cell("none"))
    assert (none["discards_good"], none["keeps_bad"]) == (0.0, 1.0)
    assert all(f"error, {name}" in none for name in LEARNERS)


@pytest.mark.slow
def test_a_quick_run(quick):
    results, outcome = quick("chan-2-3")
    assert len(outcome.table) == len(FILTERS)
    for quantity in ("discards_good", "keeps_bad"):  # a consensus is a stricter majority
        kinds = (results.mean(quantity, data="ring", model=m) for m in ("majority", "consensus"))
        few, more = kinds
        assert few <= more if quantity == "keeps_bad" else few >= more


@pytest.mark.parametrize("right", [True, False])
def test_claims(right):
    good, bad = (0.1, 0.2) if right else (0.2, 0.1)
    entries = []
    for model, discards, keeps, error in (
        ("none", 0.0, 1.0, 0.3),
        ("majority", good, bad, 0.2 if right else 0.4),
        ("consensus", 0.05 if right else 0.3, 0.6 if right else 0.05, 0.25),
        ("saturation", 0.1, 0.1, 0.29 if right else 0.3),
        ("surprise", 0.1, 0.1, 0.29 if right else 0.3),
        ("margins", 0.1, 0.1, 0.29),
    ):
        numbers = {f"error, {name}": error for name in LEARNERS}
        numbers |= {"discards_good": discards, "keeps_bad": keeps}
        numbers |= {"voter_discards_good": 0.15, "voter_keeps_bad": 0.3 if right else 0.2}
        numbers |= {"again": 0.5 if (model == "surprise") == right else 0.6}
        entries.append(({**CELL, "model": model}, always(**numbers)))
    assert agree(FILTERING, made_up(*entries)) == [right] * 8


def test_how_alike_two_sets_are():
    one, other = np.array([1, 1, 0, 0], bool), np.array([1, 0, 1, 0], bool)
    assert alike(one, other) == pytest.approx(1 / 3)
    assert alike(one, one) == 1.0
    assert alike(one & ~one, other & ~other) == 0.0
