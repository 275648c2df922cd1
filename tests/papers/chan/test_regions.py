"""Decision volume by its definition: what is recorded, and how it is judged."""

import numpy as np
import pytest

from nacre import AdaBoostClassifier
from nacre.diagnostics import region_volumes
from nacre.experiments.experiment import Cell
from nacre.papers.chan.regions import COLUMNS, REGIONS, draw_rows, record_regions
from tests.papers.made_up import agree, always, made_up


@pytest.mark.parametrize("data", COLUMNS)
def test_what_is_recorded(data):
    rows = draw_rows(Cell("e", 1, {"data": data}, 0))
    assert rows.X.shape == (200, COLUMNS[data])
    flipped = rows.truth["flipped"]
    assert flipped.sum() == 20
    model = AdaBoostClassifier(n_estimators=10).fit(rows.X, rows.y)
    record = record_regions(model, rows)
    volumes = np.exp(region_volumes(model, rows.X))
    assert record["ratio_region"] == pytest.approx(
        volumes[~flipped].mean() / volumes[flipped].mean()
    )
    assert record["regions"] == len(set(volumes.round(9)))


@pytest.mark.slow
def test_a_quick_run(quick):
    quick("chan-3-3")


@pytest.mark.parametrize("good", [True, False])
def test_claims(good):
    numbers = always(correlation=0.8, ratio_axis=2.0, ratio_region=1.5)
    bad = always(correlation=0.2, ratio_axis=0.5, ratio_region=0.9)
    found = made_up(*(({"data": data}, numbers if good or data != "ball" else bad)
                      for data in COLUMNS))  # fmt: skip
    assert agree(REGIONS, found) == [good] * 3
