"""How Barnes' runs go."""

import numpy as np
import pytest

from nacre.experiments.experiment import Cell
from nacre.papers.barnes.courses import COURSES, PS, boosted, holds_most
from nacre.papers.barnes.listing import ListedStrict
from nacre.papers.barnes.overfitting import draw_rows
from tests.papers.made_up import agree, made_up


@pytest.mark.slow
def test_courses(quick, datasets):
    results, _ = quick("barnes-courses")
    for one in results.where(model="sloppy"):
        assert np.all(results.get("survived", **one) == 1)
    assert np.all(results.get("survived", data="ring30", model="strict", p=0.5) == 0)


def test_what_holds_most():
    assert holds_most(np.log10([0.95, 0.02, 0.03])) == pytest.approx(1 / 3)
    assert holds_most(np.log10([1.0, 1.0, 1.0, 1.0])) == 1.0
    assert holds_most(np.array([0.0, -400.0])) == 0.5


def test_strict_as_listed():
    listed, ours = (
        boosted(Cell("barnes-courses", 1, {"model": "strict", "p": 1.5, "rounds": 9, **own}, 0))
        for own in ({"step": "newton"}, {})
    )
    assert listed.algorithm.step == ListedStrict(1.5)
    assert ours.variant == "strict"


def test_all_inputs(datasets):
    setting = {"data": "wpbc"}
    assert draw_rows(Cell("barnes-courses", 1, setting, 0)).X.shape == (97, 32)
    assert draw_rows(Cell("barnes-courses", 1, {**setting, "inputs": "all"}, 0)).X.shape == (97, 33)


def course(**changes):
    values = {
        "best": 0.2,
        "best_round": 50,
        "survived": 1.0,
        "gap": 0.1,
        "train_first": 0.3,
        "train_last": 0.3,
        "holds_most": 0.5,
        "least_vote": -5.0,
        "train": [0.3, np.nan],
        **changes,
    }
    return {name: [value, value] for name, value in values.items()}


def entries(sign):
    """Results of which every claim holds, or the contrary."""
    for data in ("ring30", "wpbc"):
        lasting = [1.0, 0.0] if sign > 0 and data == "wpbc" else [1.0, 1.0]
        yield {"data": data, "model": "adaboost"}, {**course(), "survived": lasting}
        for p in PS:
            # where the contrary is due, sloppy's runs end and strict's do not
            ends = 0.0 if sign > 0 else 1.0
            found = {
                "best_round": 50 + sign * 20,
                "gap": sign * p,
                "holds_most": 0.5 + sign * 0.1 * p,
                "least_vote": -300.0 if sign > 0 else -20.0,
                "survived": 1.0 - ends if sign < 0 else 1.0,
            }
            yield {"data": data, "model": "sloppy", "p": p}, course(**found)
            strict = {
                "best_round": 50 + sign * 20,
                "survived": ends,
                "train_last": 0.3 + sign * 0.1,
            }
            yield {"data": data, "model": "strict", "p": p}, course(**strict)


@pytest.mark.parametrize("sign", [1, -1])
def test_claims_on_courses(sign):
    assert agree(COURSES, made_up(*entries(sign))) == [sign > 0] * len(COURSES.claims)


def test_the_mean_of_the_runs_that_are_left():
    """No run's training error rises, but that of the one that is left is high."""
    (reading,) = [one for one in COURSES.readings if one.name == "survivors"]
    runs = {**course(), "train": [[0.2, np.nan], [0.4, 0.4]]}
    results = made_up(({"data": "ring30", "model": "strict", "p": PS[0]}, runs))
    assert agree(COURSES, results)[5] is False
    assert agree(COURSES.under(reading), results)[5] is True
