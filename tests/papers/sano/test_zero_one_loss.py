"""The derivative of Sano's zero-one loss."""

import numpy as np
from numpy.testing import assert_allclose

from nacre.papers.sano.zero_one_loss import MARGINS


def test_the_derivative(quick):
    results, outcome = quick("sano-2")
    assert [one.word for one in outcome.verdicts] == ["agree", "agree"]
    assert_allclose(
        results.get("tanh")[0], np.gradient((1 - np.tanh(MARGINS)) / 2, MARGINS), atol=1e-3
    )
    assert np.all(results.get("reaction") <= 0)
    # A hundred draws are near the limit, and their mean over twenty seeds nearer.
    limit = results.get("limit")[0]
    assert np.abs(results.mean("reaction") - limit).max() < 0.03
    assert results.get("largest_gap_to_limit").max() < 0.15
