"""AveBoost2 against other ways to boost noisy data."""

import numpy as np
import pytest

from nacre import AdaBoostClassifier, Stump
from nacre.experiments.experiment import Cell
from nacre.papers.beyond.noise_peers import (
    MODELS,
    NAMES,
    PEERS,
    Filtered,
    contest,
    draw_split,
    make,
    record_error,
)
from tests.papers.made_up import agree, always, made_up


def test_heavy_rows_are_left_out():
    rows = draw_split(Cell("e", 1, {"data": "sine", "noise": 0.2}, 0))
    model = Filtered(AdaBoostClassifier(n_estimators=30)).fit(rows.X, rows.y)
    record = record_error(model, rows)
    assert 0.0 < record["dropped"] < 0.3
    assert record["dropped_wrong"] > 0.4  # of all labels a fifth are wrong
    kept = ~model.dropped_
    again = AdaBoostClassifier(n_estimators=30).fit(rows.X[kept], rows.y[kept])
    np.testing.assert_array_equal(again.predict(rows.X_test), model.predict(rows.X_test))


def test_no_class_is_lost():
    X, y = np.arange(20.0)[:, None], np.array([0] * 19 + [1])
    y[10] = 1
    model = Filtered(AdaBoostClassifier(n_estimators=3)).fit(X, y)
    assert set(model.model.classes_) == {0, 1}


def test_every_model_can_be_made():
    assert MODELS.keys() == NAMES.keys()
    for name in MODELS:
        values = {"data": "sine", "base": "stumps", "rounds": 7, "model": name}
        model = make(Cell("e", 1, values, 0))
        model = getattr(model, "model", model)
        assert model.n_estimators == 7
        assert isinstance(model.estimator, Stump)


@pytest.mark.slow
def test_a_quick_run(quick, datasets):
    _, outcome = quick("beyond-peers")
    assert len(outcome.table) == 2 * len(NAMES)


@pytest.mark.parametrize("gap", [-0.1, 0.0, 0.1])
def test_claims(gap):
    entries = []
    for noise in (0.2, 0.3):
        where = {"data": "sine", "noise": noise, "base": "stumps"}
        entries.append(({**where, "model": "adaboost"}, always(error=0.3)))
        entries.append(({**where, "model": "aveboost2"}, always(error=0.3 + gap)))
        for other in ("aveboost", "filtered", "soft"):
            entries.append(({**where, "model": other}, always(error=0.3)))
    results = made_up(*entries)
    assert agree(PEERS, results) == [gap < 0] * 5
    assert contest(results, "aveboost2", "adaboost", least=0.5) == "+0=0-0"
    wins = {-0.1: "+2=0-0", 0.0: "+0=2-0", 0.1: "+0=0-2"}
    assert contest(results, "aveboost2", "adaboost") == wins[gap]
