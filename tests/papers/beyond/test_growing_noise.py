"""AveBoost2 as noise grows."""

import pytest

from nacre import AdaBoostClassifier
from nacre.diagnostics import hits, weight_paths
from nacre.experiments.experiment import Cell
from nacre.papers.beyond.growing_noise import INSIDE, draw_split, record_inside
from tests.papers.made_up import agree, always, made_up


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


@pytest.mark.slow
def test_a_quick_run(quick, datasets):
    results, outcome = quick("beyond-aveboost")
    assert len(outcome.table) == 3 * len(results.choices("base"))
    noisy = [row for row in outcome.table if row["noise"] == 0.4]
    for row in noisy:  # averaged weights gather on fewer rows
        assert row["weight_range, AveBoost2"] < row["weight_range, AdaBoost"]


@pytest.mark.parametrize(
    ("errors", "inside", "claims"),
    [  # AveBoost2's less AdaBoost's: errors at no and much noise; what is inside
        ((0.0, -0.1), 0.1, [True, True, True, False]),
        ((-0.1, -0.1), -0.1, [False, False, False, True]),
        ((-0.1, 0.0), 0.0, [False, False, False, False]),
    ],
)
def test_claims(errors, inside, claims):
    entries = []
    for noise, gap in zip((0.0, 0.4), errors, strict=True):
        where = {"data": "sine", "noise": noise, "base": "stumps"}
        for model, own, more in (("adaboost", 0.0, 0.0), ("aveboost2", gap, inside)):
            numbers = dict.fromkeys(("accuracy", "correlation", "weight_range"), 0.5 + more)
            entries.append(({**where, "model": model}, always(error=0.3 + own, **numbers)))
    assert agree(INSIDE, made_up(*entries)) == claims
