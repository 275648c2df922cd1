"""Decision volume as a detector."""

from numpy.testing import assert_array_equal

from nacre.experiments.experiment import Cell
from nacre.papers.beyond.volume_detector import DETECTION, DETECTORS, detector, draw_flipped


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
