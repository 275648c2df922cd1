"""The list of experiments."""

import re
from hashlib import sha256

import pytest

from nacre.experiments.experiment import SIZES
from nacre.papers.catalogue import EXPERIMENTS, READINGS, find

CELLS = {
    "chan-2": (150, "064b9d4ac30e6782"),
    "chan-rounds": (318, "b2350a602611656f"),
    "chan-2-1": (360, "abbc0bc7e7ecbdbc"),
    "chan-2-2": (64, "22390ef77adc826b"),
    "chan-2-3": (2000, "5e808a688d7c553d"),
    "chan-3-3": (150, "1cd6c84e047d1875"),
    "chan-4-1": (5000, "104aa2a3bc1b3e2b"),
    "chan-4-2": (100, "7fa560b0ad486d8b"),
    "chan-4-3": (100, "4967f0fa7a1bb93f"),
    "chan-4-4": (100, "dae023f43d3d8e62"),
    "chan-4-5": (100, "8e74d7b85f02177b"),
    "weil-1-3": (1, "46df0bb6e50abaea"),
    "weil-3-2": (203, "358ed33cd05a60f6"),
    "weil-4-1": (144, "a04461a5b854e6a9"),
    "weil-4a": (315, "ba634b6cc3dddebf"),
    "weil-4b": (309, "12c3ca0770a16669"),
    "weil-5a": (200, "2b269d7dbf9bf7b1"),
    "weil-5b": (210, "af4737ea3cd681cc"),
    "sano-1": (100, "89a2aadc29643b80"),
    "sano-2": (20, "3a2b89a767773710"),
    "sano-3": (15, "1d1bf1c86f2aab8d"),
    "sano-4": (63, "416a24cd8c3245b4"),
    "sano-5": (70, "30c14557b6d5b983"),
    "sano-6": (70, "daddc69ad928f65c"),
    "sano-7": (70, "eb94cce9e58a5e4c"),
    "sano-choices": (210, "2de0e9d691e206d5"),
    "barnes-3": (400, "aec5b183cc7206ed"),
    "barnes-4": (460, "3ef57a69f2758506"),
    "barnes-4-2": (2123, "06d999ed2eb2a1ce"),
    "barnes-4-5": (4, "e0986b9ed59be237"),
    "barnes-6": (11200, "0d9c5ae1540ee5ca"),
    "barnes-2": (2071, "4f9fd0ad0515ca88"),
    "barnes-courses": (2736, "13cb3e45869dd862"),
    "barnes-restarts": (172, "a7cb3ecfa7e736f9"),
    "oza-bounds": (240, "65e2be5cdddb9977"),
    "oza-stability": (528, "b03ed9e1843c7b48"),
    "oza-2": (5940, "255bdae1b6f5e157"),
    "oza-balance": (200, "7c44e94c1756de2f"),
    "beyond-volume": (7000, "4f727a6725df91ed"),
    "beyond-core-logistic": (2472, "b85ac4d5cbea46f8"),
    "beyond-semi-supervised": (6090, "1e2dfc12478c7363"),
    "beyond-soft-hull": (1824, "6335beba94964949"),
    "beyond-acceleration": (2416, "bb9a3e65d6435334"),
    "beyond-aveboost": (3072, "28b513ab5d46d8e9"),
    "beyond-peers": (4128, "24f030a6ebaadf29"),
}
"""How many cells an experiment has, of both sizes, and a hash of their keys."""


def test_finding():
    assert [one.name for one in find("sano-3")] == ["sano-3"]
    assert {one.paper for one in find("weil")} == {"weil"}
    assert len(find("weil")) == 7
    assert len(find("beyond")) == 7
    assert find("all") == list(EXPERIMENTS.values())
    assert find("readings") == list(READINGS.values())
    for name in READINGS:
        assert [one.name for one in find(name)] == [name]


def test_names_that_are_not_there():
    with pytest.raises(ValueError, match=r"^There is no experiment 'barnes-7': did you mean"):
        find("barnes-7")
    with pytest.raises(ValueError, match="barnes-6"):
        find("barnes-7")
    with pytest.raises(ValueError, match=r"chan-2 or .* or all or readings\?$"):
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


def test_readings_are_declared_in_full():
    assert not EXPERIMENTS.keys() & READINGS.keys()
    assert len(READINGS) == sum(len(one.readings) for one in EXPERIMENTS.values())
    for experiment in EXPERIMENTS.values():
        what = {claim.what for claim in experiment.claims}
        for reading in experiment.readings:
            assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", reading.name)
            assert re.fullmatch(r"[A-Z].{30,}\.", reading.why)
            assert set(reading.settings) == set(SIZES)
            assert set(reading.checks) <= what


def test_the_papers_size_is_the_larger_one():
    for experiment in EXPERIMENTS.values():
        quick, paper = (sum(s.trials for s in experiment.settings[size]) for size in SIZES)
        assert quick <= paper


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_old_stores_go_on(experiment):
    """A store finds its cells by these keys: moving code must not change them.

    A change of an experiment's version or settings does, and means that hours of work are done
    again: change the hash here only where that is what you want.
    """
    settings = [setting for size in SIZES for setting in experiment.settings[size]]
    keys = sorted({cell.key for setting in settings for cell in experiment.cells(setting)})
    found = sha256("\n".join(keys).encode()).hexdigest()[:16]
    assert (len(keys), found) == CELLS[experiment.name]
