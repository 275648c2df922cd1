"""Every figure and table of the papers has an experiment, or a reason."""

import pytest

from nacre.papers.catalogue import EXPERIMENTS, PAPERS
from nacre.papers.coverage import ITEMS


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: f"{item.paper} {item.number}")
def test_every_item_has_an_experiment_or_a_reason(item):
    assert item.experiment in {*EXPERIMENTS, ""}
    assert item.experiment or item.why
    paper = item.experiment.split("-")[0]
    assert paper in ("", "beyond", item.paper)


def test_all_papers_are_there():
    assert {item.paper for item in ITEMS} == {paper.__name__.split(".")[-1] for paper in PAPERS}
    assert len({(item.paper, item.number, item.what) for item in ITEMS}) == len(ITEMS)


def test_experiments_have_a_place():
    named = {item.experiment for item in ITEMS}
    own = {"weil-1-3", "sano-4", "barnes-6", "chan-4-5", "oza-2", "beyond-volume"}
    assert own <= named
