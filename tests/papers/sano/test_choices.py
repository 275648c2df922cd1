"""Sano's other choices."""

import pytest

from nacre.boost import ConvexHull, NoiseReaction
from nacre.experiments.experiment import Cell
from nacre.papers.sano.choices import CHOICES, ITS_OWN, STEPS, snrboost
from nacre.papers.sano.toy_data import CASES
from tests.papers.made_up import agree, always, made_up


@pytest.mark.slow
def test_choices(quick):
    results, outcome = quick("sano-choices")
    assert len(outcome.verdicts) == 3
    for one in results.where():
        assert results.mean("rounds_run", **one) == 20
        assert results.mean("last", **one) < 0.15


def test_models_are_as_their_settings_say():
    for setting in CHOICES.settings["paper"]:
        cell = Cell("sano-choices", 1, setting.values, 0)
        algorithm = snrboost(cell).algorithm
        joint = cell["objective"] == "joint"
        assert algorithm.cost == NoiseReaction(1.0, 100, cell["loss"], joint)
        assert algorithm.step == ConvexHull(None if cell["k"] == "rounds" else cell["k"])
        assert sum(cell[name] != own for name, own in ITS_OWN.items()) <= 1


@pytest.mark.parametrize(
    ("k", "squared", "joint", "claims"),
    [(0.029, 0.03, 0.025, [True, True, True]), (0.04, 0.01, 0.04, [False, False, False])],
)
def test_claims_on_choices(k, squared, joint, claims):
    entries = []
    for case in CASES:
        for change, error in (
            ({}, 0.02),
            *(({"k": one}, 0.02) for one in STEPS[1:]),
            ({"k": STEPS[0]}, k),
            ({"loss": "exponential"}, 0.05),
            ({"loss": "squared"}, squared),
            ({"objective": "joint"}, joint),
        ):
            entries.append(({"case": case, **ITS_OWN, **change}, always(last=error)))
    assert agree(CHOICES, made_up(*entries)) == claims
