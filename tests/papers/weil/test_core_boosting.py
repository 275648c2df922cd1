"""Weil's Core AdaBoost."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from nacre.experiments.experiment import Cell
from nacre.papers.weil.core_boosting import ADULT, COINS, MODELS, draw_adult, draw_coins
from tests.papers.made_up import agree, always, made_up

FEW_COINS = {"rows": 2000, "clean": 300, "rounds": 5}


def test_who_is_trained_on_what():
    draws = {
        model: draw_coins(Cell("weil-4a", 1, {"model": model, **FEW_COINS}, 0))
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


@pytest.mark.slow
def test_coins(quick):
    results, outcome = quick("weil-4a")
    for model in MODELS:
        assert abs(results.mean("fresh_error", model=model) - 0.5) < 0.05
    # what can be learned by heart is learned best by the one with the fewest rows
    seen = {model: results.mean("seen_error", model=model) for model in MODELS}
    assert seen["adaboost-clean"] < min(seen["core"], seen["adaboost"]) - 0.05
    assert outcome.verdicts[0].word == "differ"


@pytest.mark.parametrize(
    ("core", "fresh", "claims"),
    [
        (0.3, [0.49, 0.51], [True, True]),
        (0.45, [0.49, 0.51], [False, True]),
        (0.3, [0.4, 0.41], [True, False]),
    ],
)
def test_claims_on_coins(core, fresh, claims):
    seen = {"core": core, "adaboost": 0.4, "adaboost-clean": 0.5}
    entries = [
        ({"model": model}, {"seen_error": [error, error], "fresh_error": fresh})
        for model, error in seen.items()
    ]
    assert agree(COINS, made_up(*entries)) == claims


@pytest.mark.parametrize(("core", "claim"), [(0.18, True), (0.195, False), (0.22, False)])
def test_claims_on_adult(core, claim):
    errors = {"core": core, "adaboost": 0.2, "adaboost-clean": 0.21}
    entries = [({"model": model}, always(error=error)) for model, error in errors.items()]
    assert agree(ADULT, made_up(*entries)) == [claim]
    noisy = [({"model": model}, {"error": error + np.array([-0.3, 0.3])})
             for model, error in errors.items()]  # fmt: skip
    noisy[0][1]["error"] = noisy[0][1]["error"][::-1]
    assert agree(ADULT, made_up(*noisy)) == [False]  # not significant


@pytest.mark.slow
def test_adult(quick, datasets):
    results, _ = quick("weil-4b")
    for model in ("core", "adaboost", "adaboost-clean"):
        assert 0.13 < results.mean("error", model=model) < 0.24
    setting = {"data": "adult", "model": "core", "rows": 500, "clean": 100, "rounds": 1}
    rows = draw_adult(Cell("weil-4b", 1, setting, 0))
    assert rows.X.shape == (500, 14)
    assert len(rows.y_test) == 16281


def test_test_rows_may_be_among_those_trained_on(datasets):
    own = {"rows": 48842, "clean": 48842, "rounds": 1}
    setting = {"data": "adult", "model": "adaboost-clean", **own}
    rows = draw_adult(Cell("weil-4b", 1, {**setting, "drawn_from": "all"}, 0))
    assert len(rows.y) == 48842
    apart = draw_adult(Cell("weil-4b", 1, setting, 0))
    assert len(apart.y) == 32561
    assert_array_equal(rows.y_test, apart.y_test)


def test_readings_say_how_many_trials_they_have():
    for experiment in (COINS, ADULT):
        for reading in experiment.readings:
            (trials,) = {setting.trials for setting in reading.settings["paper"]}
            assert (f"{trials} trials, not 100." in reading.why) == (trials < 100)
