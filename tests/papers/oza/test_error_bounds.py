"""Oza's bounds."""

import pytest

from nacre.experiments.run import run
from nacre.experiments.store import Store
from nacre.papers.oza.error_bounds import BOUNDS


@pytest.mark.slow
def test_a_quick_run(quick, datasets):
    _, outcome = quick("oza-bounds")
    assert [one.word for one in outcome.verdicts] == ["agree", "agree"]
    assert len(outcome.table) == 24


def test_artificial_data_need_no_file(tmp_path):
    sine = [one for one in BOUNDS.settings["quick"] if one.values["data"] == "sine"]
    with Store(tmp_path) as store:
        results = run(BOUNDS, sine, store)
    for claim in BOUNDS.claims:
        assert claim.check(results).agrees
