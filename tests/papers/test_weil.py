"""Weil's experiments."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from nacre.experiments.experiment import Cell
from nacre.kernels.formulas import CORRECTED, log_pull
from nacre.papers.weil.core import SCORES, corrected, draw_adult, draw_coins
from tests.papers.pictures import check_figures

COINS = {"rows": 2000, "clean": 300, "rounds": 5}


def test_losses_and_weights(quick):
    experiment, results, outcome = quick("weil-1-3")
    assert [one.word for one in outcome.verdicts] == ["agree", "agree"]
    slope = np.gradient(corrected(SCORES, 0.2), SCORES)
    assert_allclose(results.get("weight")[0][1:-1], slope[1:-1], rtol=1e-3)
    none = np.empty(0)
    pulls = [np.exp(log_pull(CORRECTED, -score, 1.0, 0.2, none, none)) for score in SCORES]
    assert_allclose(results.get("weight")[0], pulls)  # as the booster has it
    check_figures(experiment, results)


def test_who_is_trained_on_what():
    draws = {
        model: draw_coins(Cell("weil-4a", 1, {"model": model, **COINS}, 0))
        for model in ("core", "adaboost", "adaboost-clean")
    }
    core, all_rows, clean = draws.values()
    assert_array_equal(core.X, all_rows.X)
    assert_array_equal(core.y, all_rows.y)
    assert_array_equal(clean.X, core.X[:300])
    assert_array_equal(clean.y, core.y[:300])
    assert core.fit["clean"].sum() == 300
    assert not all_rows.fit
    assert not clean.fit
    for rows in draws.values():
        assert_array_equal(rows.X_test[:200], core.X[:200])
        assert_array_equal(rows.y_test[:200], core.y[:200])
        assert len(rows.y_test) == 1200


def test_coins(quick):
    experiment, results, outcome = quick("weil-4a")
    assert all(one.word in ("agree", "differ") for one in outcome.verdicts)
    for model in ("core", "adaboost", "adaboost-clean"):
        assert abs(results.mean("fresh_error", model=model) - 0.5) < 0.05
    check_figures(experiment, results)


def test_adult(quick, datasets):
    experiment, results, outcome = quick("weil-4b")
    assert outcome.missing == []
    for model in ("core", "adaboost", "adaboost-clean"):
        assert 0.13 < results.mean("error", model=model) < 0.24
    setting = {"data": "adult", "model": "core", "rows": 500, "clean": 100, "rounds": 1}
    rows = draw_adult(Cell("weil-4b", 1, setting, 0))
    assert rows.X.shape == (500, 14)
    assert len(rows.y_test) == 16281
    check_figures(experiment, results)


@pytest.mark.parametrize(("name", "noisy"), [("weil-5a", 900), ("weil-5b", 667)])
def test_noise_rates(quick, request, name, noisy):
    if name == "weil-5b":
        request.getfixturevalue("datasets")
    experiment, results, outcome = quick(name)
    assert outcome.missing == []
    assert abs(results.mean("rate", form="corrected") - 0.2) < 0.1
    sizes = results.get("sizes", form="printed")
    assert sizes[0][0] == 1
    assert sizes[0][-1] == noisy
    # scatter makes the printed form the larger one
    gap = results.mean("curve", form="printed") - results.mean("curve", form="corrected")
    assert np.nanmax(gap[:10]) > 0.05
    check_figures(experiment, results)
