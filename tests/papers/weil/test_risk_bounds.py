"""Zhang's inequality and proposition 1."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nacre.experiments.experiment import Cell
from nacre.papers.weil import risk_bounds
from nacre.papers.weil.risk_bounds import (
    LOSSES,
    RATE,
    RISKS,
    THRESHOLDS,
    corrected,
    corrected_slope,
    draw_column,
    least_risk,
    zhang,
)
from tests.papers.made_up import agree, always, made_up


@pytest.mark.slow
def test_risks(quick):
    results, outcome = quick("weil-3-2")
    assert [one.word for one in outcome.verdicts] == ["agree"] * 3
    assert results.mean("bound", rows=100) == pytest.approx(2 * results.mean("bound", rows=400))


@pytest.mark.parametrize("loss", LOSSES)
def test_a_smaller_factor_would_not_do(loss, monkeypatch):
    """The inequality is sharp, or nearly: nothing is proved by a factor that is far too large."""
    cell = Cell("weil-3-2", 1, {"part": "zhang", "loss": loss}, 0)
    assert zhang(cell)["slack"] >= -1e-9
    formula, factor, root = LOSSES[loss]
    monkeypatch.setitem(risk_bounds.LOSSES, loss, (formula, 0.6 * factor, root))
    assert zhang(cell)["slack"] < -0.01


def test_slopes():
    x = np.linspace(-1, 1, 11)
    for rate in (0.0, RATE):
        numeric = (corrected(x + 1e-6, rate) - corrected(x - 1e-6, rate)) / 2e-6
        assert_allclose(corrected_slope(x, rate), numeric, rtol=1e-6)
    assert corrected_slope(x, RATE).max() == corrected_slope(np.ones(1), RATE)[0]


def test_the_least_risk_is_in_the_ball_and_least():
    said, y = draw_column(400, np.random.default_rng(0))
    rates = np.full(400, RATE)
    found = least_risk(said, y, rates)
    assert np.abs(found).sum() <= 1 + 1e-6
    least = corrected(-y * (said @ found), rates).mean()
    for k in range(len(THRESHOLDS)):
        for sign in (1, -1):
            corner = sign * np.eye(len(THRESHOLDS))[k]
            assert corrected(-y * (said @ corner), rates).mean() >= least - 1e-6


@pytest.mark.parametrize(
    ("slack", "excesses", "claims"),
    [
        (0.0, [0.2, 0.1], [True, True, True]),
        (-0.1, [0.1, 0.2], [False, True, False]),
        (0.0, [9.0, 0.1], [True, False, True]),
    ],
)
def test_claims_on_risks(slack, excesses, claims):
    entries = [({"part": "zhang", "loss": loss}, always(slack=slack)) for loss in LOSSES]
    entries += [
        ({"part": "bound", "rows": n}, always(excess=excess, bound=1.0))
        for n, excess in zip((100, 400), excesses, strict=True)
    ]
    assert agree(RISKS, made_up(*entries)) == claims
