"""Several classes and two norms: what is recorded, and how it is judged."""

import numpy as np
import pytest

from nacre import AdaBoostClassifier
from nacre.experiments.experiment import Cell
from nacre.papers.chan.several_classes import CLASSES, VARIANTS, draw_rows, record_classes
from tests.papers.made_up import agree, always, made_up


@pytest.mark.parametrize("variant", VARIANTS)
def test_least_margins(variant):
    rows = draw_rows(Cell("e", 1, {"data": "iris"}, 0))
    assert len(rows.y) == 100
    model = AdaBoostClassifier(n_estimators=20, variant=variant).fit(rows.X, rows.y)
    record = record_classes(model, rows)
    assert record["least_margin"] == pytest.approx(model.margins(rows.X, rows.y).min())
    votes, count = model.estimator_weights_, len(model.estimator_weights_)
    ratio = np.abs(votes).sum() / (np.linalg.norm(votes) * np.sqrt(count))
    assert record["least_margin_by_two"] == pytest.approx(record["least_margin"] * ratio)


@pytest.mark.slow
def test_a_quick_run(quick):
    _, outcome = quick("chan-2-1")
    assert len(outcome.table) == 12


@pytest.mark.parametrize("good", [True, False])
def test_claims(good):
    few, many = (5, 50) if good else (50, 5)
    entries = [
        ({"data": "iris", "model": model},
         always(error=0.3 if (model == "m1") == good else 0.1,
                rounds_run=few if model == "m1" else many))
        for model in VARIANTS
    ]  # fmt: skip
    assert agree(CLASSES, made_up(*entries)) == [good] * 2
