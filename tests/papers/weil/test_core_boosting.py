"""Weil's Core AdaBoost."""

from numpy.testing import assert_array_equal

from nacre.experiments.experiment import Cell
from nacre.papers.weil.core_boosting import draw_adult, draw_coins
from tests.papers.pictures import check_figures

COINS = {"rows": 2000, "clean": 300, "rounds": 5}


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
