"""Barnes' chapter 2."""

from itertools import product

import numpy as np
import pytest

from nacre.experiments.experiment import Cell
from nacre.papers.barnes.capacity import (
    CAPACITY,
    GAMMAS,
    GRAIN,
    lattice_points,
    margin_bound,
)
from tests.papers.made_up import agree, always, made_up


@pytest.mark.slow
def test_capacity(quick):
    _, outcome = quick("barnes-2")
    assert [one.word for one in outcome.verdicts[:3]] == ["agree"] * 3


@pytest.mark.parametrize("p", [0.5, 1.0, 1.5])
@pytest.mark.parametrize("scale", [2, 4, 8])
def test_lattice_points_by_counting(scale, p):
    """Powers are rounded down to grains, which at three points lets no further point in."""
    places = range(-scale // 2, scale // 2 + 1)
    inside = sum(
        sum(int(abs(k) ** p / GRAIN) for k in point) <= int((scale / 2) ** p / GRAIN + 1e-9)
        for point in product(places, repeat=3)
    )
    exact = sum(
        sum(abs(2 * k / scale) ** p for k in point) <= 1 + 1e-9
        for point in product(places, repeat=3)
    )
    assert lattice_points(scale, p, 3) == inside == exact


def test_a_cover_of_the_ramps():
    """The interval is of as many ramps as cover all of them at half the margin."""
    found = margin_bound(Cell("barnes-2", 1, {"part": "margins", "gamma": 0.1}, 0))
    cover = len(np.arange(-0.95, 1.0, 0.1))
    assert found["interval"] == pytest.approx(np.sqrt(8 / 500 * np.log(2 * cover / 0.05)))
    assert found["margin_risk"] >= 0.0


@pytest.mark.parametrize(
    ("broken", "intervals", "exponent", "last", "claims"),
    [
        (0.04, [0.4, 0.3, 0.2, 0.1], 0.5, 0.3, [True, True, True, True]),
        (0.06, [0.4, 0.3, 0.3, 0.1], 0.7, 0.2, [False, False, False, False]),
    ],
)
def test_claims_on_capacity(broken, intervals, exponent, last, claims):
    entries = [
        (
            {"part": "margins", "gamma": gamma},
            always(broken=broken, interval=interval, margin_risk=gamma),
        )
        for gamma, interval in zip(GAMMAS, intervals, strict=True)
    ]
    entries.append(({"part": "hull", "p": 0.5}, always(exponent=exponent, bound=2 / 3)))
    curves = {"test": [[0.4, 0.2, last]] * 4, "train": [[0.3, 0.1, 0.0]] * 4}
    entries.append(({"part": "rounds", "rounds": 3}, curves))
    assert agree(CAPACITY, made_up(*entries)) == claims
