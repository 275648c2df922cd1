"""What the papers ask for next."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from nacre import AdaBoostClassifier, PBoostClassifier
from nacre.datasets import make_ring
from nacre.diagnostics import hits, weight_paths
from nacre.experiments.experiment import Cell
from nacre.papers.beyond.barnes import COSTS, SoftHull
from nacre.papers.beyond.chan import DETECTION, DETECTORS, detector, draw_flipped
from nacre.papers.beyond.oza import draw_split, record_inside
from nacre.papers.beyond.weil import draw_trusted
from tests.papers.pictures import check_figures


@pytest.mark.parametrize(
    "name",
    [
        "beyond-volume",
        "beyond-core-logistic",
        "beyond-semi-supervised",
        "beyond-soft-hull",
        "beyond-acceleration",
        "beyond-aveboost",
    ],
)
def test_quick_runs(quick, datasets, name):
    experiment, results, outcome = quick(name)
    assert outcome.missing == []
    assert all(one.word in ("agree", "differ") for one in outcome.verdicts)
    assert outcome.table
    check_figures(experiment, results)


def test_detectors_flag_as_many_rows_as_are_wrong():
    values = {"data": "sine", "noise": 0.1}
    flipped = draw_flipped(Cell("e-1", 1, values, 0)).truth["flipped"]
    assert flipped.sum() == 50
    for model in DETECTORS:
        cell = Cell("e-1", 1, {**values, "model": model}, 0)
        rows = draw_flipped(cell)
        assert_array_equal(rows.truth["flipped"], flipped)
        record = DETECTION.measure(cell)
        found = detector(cell).set_params(random_state=0).fit(rows.X, rows.y)
        assert found.mislabeled_.sum() == 50
        assert record["auc"] > 0.5
        assert record["found"] > 0.3 or model == "volume"


def test_what_is_seen_of_rows_that_are_not_trusted():
    common = {"data": "sine", "clean": 60, "noise": 0.3}
    names = ("core", "core-logistic", "adaboost", "adaboost-clean", "self-training")
    draws = {m: draw_trusted(Cell("e-1", 1, {**common, "model": m}, 0)) for m in names}
    core, semi = draws["core"], draws["self-training"]
    assert_array_equal(core.y, draws["adaboost"].y)
    assert_array_equal(core.y, draws["core-logistic"].y)
    assert_array_equal(core.fit["clean"], np.arange(1000) < 60)
    assert_array_equal(semi.y[:60], core.y[:60])
    assert np.all(semi.y[60:] == -1)
    assert_array_equal(draws["adaboost-clean"].y, core.y[:60])
    for rows in draws.values():
        assert_array_equal(rows.X_test, core.X_test)
        assert_array_equal(rows.y_test, core.y_test)


def test_the_soft_hull_is_sloppy_p_boosting_with_another_cost():
    X, y = make_ring(60, random_state=0)
    plain = PBoostClassifier(n_estimators=50, p=0.8).fit(X, y)
    assert_allclose(SoftHull(50, 0.8).fit(X, y).estimator_weights_, plain.estimator_weights_)
    for cost in COSTS:
        model = SoftHull(50, 0.8, cost, random_state=0).fit(X, y)
        assert np.sum(np.abs(model.estimator_weights_) ** 0.8) == pytest.approx(1.0)
        assert len(np.unique(model.estimators_.threshold)) > 1


def test_where_the_weight_is():
    cell = Cell("e-1", 1, {"data": "sine", "noise": 0.2}, 0)
    rows = draw_split(cell)
    flipped = rows.truth["flipped"]
    model = AdaBoostClassifier(n_estimators=20).fit(rows.X, rows.y)
    record = record_inside(model, rows)
    paths = weight_paths(hits(model, rows.X, rows.y), model.estimator_weights_)
    shares = paths.mean(axis=0) * len(flipped)
    assert record["weight_wrong"] == pytest.approx(shares[flipped].mean())
    assert record["weight_wrong"] > record["weight_right"]
    assert flipped.mean() * record["weight_wrong"] + (1 - flipped.mean()) * record[
        "weight_right"
    ] == pytest.approx(1.0)
