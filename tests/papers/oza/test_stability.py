"""Oza's theorems 2 and 3: what is measured, and how it is judged."""

import numpy as np
import pytest

from nacre.experiments.experiment import Cell
from nacre.papers.oza.stability import STABILITY, draw_rows, measure, vote_share
from tests.papers.made_up import agree, always, made_up

CELL = {"data": "sine", "noise": 0.1, "base": "stumps", "rounds": 5, "replaced": 3}


def test_one_row_is_replaced():
    cell = Cell("e", 1, {**CELL, "model": "adaboost"}, 0)
    rows, X, y, _ = draw_rows(cell, 3)
    assert (len(rows.X), len(rows.X_test), len(X), len(y)) == (300, 300, 3, 3)
    whole = np.vstack([rows.X, rows.X_test, X])
    assert len(np.unique(whole, axis=0)) == 603
    record = measure(cell)
    assert 0.0 <= record["changed"] <= 1.0
    assert record["moved"] <= record["most_moved"]
    assert record["gap"] == pytest.approx(record["test_error"] - record["train_error"])


def test_a_share_of_the_votes():
    class Fixed:
        estimator_weights_ = np.array([1.0, 3.0])

        def decision_function(self, X):
            return np.array([4.0, -4.0, 2.0])

    np.testing.assert_allclose(vote_share(Fixed(), np.zeros(3)), [1.0, 0.0, 0.75])


@pytest.mark.slow
def test_a_quick_run(quick, datasets):
    _, outcome = quick("oza-stability")
    assert outcome.verdicts[0].agrees


@pytest.mark.parametrize("gap", [-0.1, 0.1])
def test_claims(gap):
    models = (("adaboost", 0.0), ("aveboost2", gap))
    entries = [({**CELL, "model": m}, always(moved=0.3 + g, gap=0.2 - g)) for m, g in models]
    assert agree(STABILITY, made_up(*entries)) == [True, gap < 0, gap > 0]
