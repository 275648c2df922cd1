"""Weil's losses and weights."""

import numpy as np
from numpy.testing import assert_allclose

from nacre.kernels.formulas import CORRECTED, log_pull
from nacre.papers.weil.corrected_loss import SCORES, corrected


def test_losses_and_weights(quick):
    results, outcome = quick("weil-1-3")
    assert [one.word for one in outcome.verdicts] == ["agree", "agree"]
    slope = np.gradient(corrected(SCORES, 0.2), SCORES)
    assert_allclose(results.get("weight")[0][1:-1], slope[1:-1], rtol=1e-3)
    none = np.empty(0)
    pulls = [np.exp(log_pull(CORRECTED, -score, 1.0, 0.2, none, none)) for score in SCORES]
    assert_allclose(results.get("weight")[0], pulls)  # as the booster has it
