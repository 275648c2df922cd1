"""Oza's anomaly: how it is judged."""

import pytest

from nacre.papers.oza.balance import BALANCE, shifts
from tests.papers.made_up import agree, always, made_up


@pytest.mark.parametrize("shift", [-0.1, 0.0, 0.1])
def test_claims(shift):
    entries = [
        ({"noise": noise, "model": model}, always(error_10=0.3, error_50=0.3 + more))
        for model in ("adaboost", "aveboost2")
        for noise, more in ((0.0, 0.0), (0.1, shift))
    ]
    results = made_up(*entries)
    assert shifts(results, "adaboost") == pytest.approx([0.0, shift])
    assert agree(BALANCE, results) == [shift < 0, False]
    entries[3][1]["error_10"] = [0.4, 0.4]
    assert agree(BALANCE, made_up(*entries))[1] == (shift > 0)


@pytest.mark.slow
def test_a_quick_run(quick):
    quick("oza-balance")
