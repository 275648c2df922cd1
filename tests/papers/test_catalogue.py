"""The list of experiments."""

import re

import pytest

from nacre.experiments.experiment import SIZES
from nacre.papers.catalogue import EXPERIMENTS, find


def test_finding():
    assert [one.name for one in find("sano-3")] == ["sano-3"]
    assert {one.paper for one in find("weil")} == {"weil"}
    assert len(find("weil")) == 5
    assert len(find("beyond")) == 6
    assert find("all") == list(EXPERIMENTS.values())


def test_names_that_are_not_there():
    with pytest.raises(ValueError, match=r"^There is no experiment 'barnes-7': did you mean"):
        find("barnes-7")
    with pytest.raises(ValueError, match="barnes-6"):
        find("barnes-7")
    with pytest.raises(ValueError, match=r"chan-2 or .* or all\?$"):
        find("xyzzy")


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_every_experiment_is_declared_in_full(experiment):
    assert re.fullmatch(r"(chan|weil|sano|barnes|oza|beyond)-[\w-]+", experiment.name)
    assert 20 <= len(experiment.title) <= 100
    assert experiment.claims
    assert experiment.figures
    assert set(experiment.settings) == set(SIZES)
    for settings in experiment.settings.values():
        keys = [cell.key for setting in settings for cell in experiment.cells(setting)]
        assert len(keys) == len(set(keys)) > 0


def test_the_papers_size_is_the_larger_one():
    for experiment in EXPERIMENTS.values():
        quick, paper = (sum(s.trials for s in experiment.settings[size]) for size in SIZES)
        assert quick <= paper
