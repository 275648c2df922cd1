"""Barnes' data, and his chapter 3."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nacre.experiments.experiment import Cell
from nacre.papers.barnes.overfitting import OVERFITTING, RINGS, draw_rows
from tests.papers.made_up import agree, made_up


def cell_of(data, trial=0):
    return Cell("barnes-6", 1, {"data": data}, trial)


@pytest.mark.parametrize(("data", "flipped"), [("ring0", 0), ("ring10", 5), ("ring30", 15)])
def test_only_training_labels_of_the_rings_are_noisy(data, flipped):
    rows = draw_rows(cell_of(data))
    assert (len(rows.y), len(rows.y_test)) == (50, 5000)

    def truth(X):
        return np.where(np.hypot(*(X - 0.5).T) <= np.sqrt(1 / 8), 1, -1)

    assert np.sum(rows.y != truth(rows.X)) == flipped
    assert np.array_equal(rows.y_test, truth(rows.X_test))
    assert not np.array_equal(draw_rows(cell_of(data, 1)).X, rows.X)


def test_the_real_sets(datasets):
    sonar, wpbc = draw_rows(cell_of("sonar")), draw_rows(cell_of("wpbc"))
    assert (sonar.X.shape, sonar.X_test.shape) == ((70, 60), (138, 60))
    assert (wpbc.X.shape, wpbc.X_test.shape) == ((97, 32), (97, 32))
    assert not np.isnan(wpbc.X).any()


@pytest.mark.slow
def test_overfitting(quick):
    results, outcome = quick("barnes-3")
    _, right, near = outcome.verdicts
    assert (right.word, near.word) == ("agree", "agree")
    for data in results.choices("data"):
        weights = results.get("raw_weight_100", data=data)
        assert_allclose(weights.sum(axis=1), 1.0)
        assert results.mean("train_last", data=data) == 0.0
        assert np.all(results.get("best", data=data) <= results.get("last", data=data))
    errors = [results.mean("best", data=data) for data in results.choices("data")]
    assert errors == sorted(errors)


@pytest.mark.parametrize(
    ("ends", "margin", "rank", "claims"),
    [
        ([0.1, 0.2, 0.3, 0.4], 0.1, -0.5, [True, True, True]),
        ([0.1, 0.3, 0.2, 0.4], 0.0, 0.5, [False, False, False]),
        ([0.1, 0.2, 0.2, 0.4], 0.1, -0.5, [False, True, True]),
    ],
)
def test_claims(ends, margin, rank, claims):
    entries = [
        (
            {"data": data},
            {
                "test": [[0.3, 0.0, end] for _ in range(2)],  # falls, and rises again
                "smallest_margin": [0.2, margin],
                "weight_by_distance": [rank, rank],
            },
        )
        for data, end in zip(RINGS, ends, strict=True)
    ]
    assert agree(OVERFITTING, made_up(*entries)) == claims


def test_single_runs_overfit_more_than_their_mean():
    """Two runs whose lowest points are in different rounds."""
    (reading,) = OVERFITTING.readings
    entries = [
        (
            {"data": data},
            {"test": [[0.1, 0.3, 0.3], [0.3, 0.1, 0.3]], "last": [0.3, 0.3],
             "best": [0.1 - size, 0.1 - size], "smallest_margin": [0.1, 0.1],
             "weight_by_distance": [-1.0, -1.0]},
        )
        for data, size in zip(RINGS, (0.0, 0.01, 0.02, 0.03), strict=True)
    ]  # fmt: skip
    assert agree(OVERFITTING, made_up(*entries))[0] is False
    found = OVERFITTING.under(reading).claims[0].check(made_up(*entries))
    assert found.agrees
    assert found.ours.startswith("0.200, 0.210, 0.220, 0.230")
