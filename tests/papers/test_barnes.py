"""Barnes' experiments up to chapter 4."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nacre.experiments.experiment import Cell
from nacre.papers.barnes.theory import draw_rows, hull_cost
from tests.papers.pictures import check_figures


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


def test_overfitting(quick):
    experiment, results, outcome = quick("barnes-3")
    overfits, right, near = outcome.verdicts
    assert overfits.word in ("agree", "differ")
    assert (right.word, near.word) == ("agree", "agree")
    for data in results.choices("data"):
        weights = results.get("raw_weight_100", data=data)
        assert_allclose(weights.sum(axis=1), 1.0)
        assert results.mean("train_last", data=data) == 0.0
        assert np.all(results.get("best", data=data) <= results.get("last", data=data))
    errors = [results.mean("best", data=data) for data in results.choices("data")]
    assert errors == sorted(errors)
    check_figures(experiment, results)


def test_the_threshold_in_p(quick):
    experiment, results, outcome = quick("barnes-4-5")
    assert [one.word for one in outcome.verdicts] == ["agree", "agree"]
    assert results.get("exists_from", p="threshold") == pytest.approx(0.66974, abs=1e-5)
    assert results.get("pays_from", p="threshold") == pytest.approx(0.6791, abs=1e-4)
    check_figures(experiment, results)


@pytest.mark.parametrize("p", [0.5, 0.66, 0.7, 1.0, 2.0])
def test_the_cost_along_the_hull(p):
    votes = np.linspace(1e-3, 2, 2000)
    norm = (1 + votes**p) ** (1 / p)
    cost = (
        7 * np.exp(-(1 + votes) / norm)
        + 2 * np.exp((votes - 1) / norm)
        + np.exp((1 - votes) / norm)
    ) / 10
    assert_allclose([hull_cost(vote, p)[0] for vote in votes], cost)
    slopes = np.sign([hull_cost(vote, p)[1] for vote in votes])
    turns = np.sign(np.gradient(cost, votes))
    assert np.mean(slopes == turns) > 0.998
