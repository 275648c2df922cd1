"""Sano's losses."""

import pytest

from nacre.boost.reaction import LOSSES
from nacre.papers.sano.losses import SHAPES
from tests.papers.made_up import agree, always, made_up


@pytest.mark.slow
def test_losses(quick):
    results, outcome = quick("sano-1")
    assert [one.word for one in outcome.verdicts] == ["agree"] * 4 + ["differ"]
    assert results.get("at_minus_2", loss="hinge")[0] == 3.0
    assert results.get("at_3", loss="squared")[0] == 4.0


GOOD = {
    "single": 0.99,
    "joint": 0.97,
    "rises": 0.0,
    "at_minus_2": 2.0,
    "at_minus_1": 2.0,
    "at_3": 0.0,
}


@pytest.mark.parametrize(
    ("changes", "claims"),
    [
        ({}, [True] * 5),
        ({"squared": {"rises": 0.0, "at_3": 0.0}}, [False, False, True, True, True]),
        ({"hinge": {"rises": 0.1, "at_minus_2": 9.0}}, [False, True, False, True, True]),
        ({"logistic": {"single": 0.9, "joint": 0.9}}, [True, True, True, False, False]),
    ],
)
def test_claims_on_losses(changes, claims):
    base = {loss: dict(GOOD) for loss in LOSSES}
    base["squared"] |= {"rises": 0.2, "at_3": 4.0}
    base["exponential"] |= {"at_minus_2": 7.4}
    for loss, change in changes.items():
        base[loss] |= change
    entries = [({"loss": loss}, always(**values)) for loss, values in base.items()]
    assert agree(SHAPES, made_up(*entries)) == claims
