"""Oza's experiments."""

from nacre.papers.oza import BOUNDS
from nacre.papers.run import run
from nacre.papers.store import Store
from tests.papers.pictures import check_figures


def test_a_quick_run(quick, datasets):
    experiment, results, outcome = quick("oza-bounds")
    assert outcome.missing == []
    assert [one.word for one in outcome.verdicts] == ["agree", "agree"]
    assert len(outcome.table) == 24
    check_figures(experiment, results)


def test_artificial_data_need_no_file(tmp_path):
    sine = [one for one in BOUNDS.settings["quick"] if one.values["data"] == "sine"]
    with Store(tmp_path) as store:
        results = run(BOUNDS, sine, store)
    for claim in BOUNDS.claims:
        assert claim.check(results).agrees
