"""AveBoost2 as noise grows."""

import pytest

from nacre import AdaBoostClassifier
from nacre.diagnostics import hits, weight_paths
from nacre.experiments.experiment import Cell
from nacre.papers.beyond.growing_noise import draw_split, record_inside


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
