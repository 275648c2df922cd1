"""Decision volume as a detector."""

import pytest
from numpy.testing import assert_array_equal

from nacre.experiments.experiment import Cell
from nacre.papers.beyond.volume_detector import DETECTION, DETECTORS, detector, draw_flipped
from tests.papers.made_up import agree, always, made_up


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_quick_run(quick, datasets):
    results, outcome = quick("beyond-volume")
    assert len(outcome.table) == len(results) / len(DETECTORS)
    for row in outcome.table:  # all see what they look for, but for the volume without a sign
        assert all(row[name] > 0.5 for name in DETECTORS if name != "volume")


@pytest.mark.parametrize(
    ("areas", "claims"),
    [
        ({}, [True, True, True, True]),  # ties count for it
        ({"volume": 0.45, "signed volume": 0.8}, [False, False, True, True]),
        ({"votes": 0.9, "margin": 0.6}, [True, False, False, True]),
    ],
)
def test_claims(areas, claims):
    entries = [
        ({"data": "sine", "noise": noise, "model": name}, always(auc=areas.get(name, 0.7)))
        for noise in (0.1, 0.2)
        for name in DETECTORS
    ]
    assert agree(DETECTION, made_up(*entries)) == claims
