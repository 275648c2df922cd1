"""The cost along the p-convex hull."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nacre.papers.barnes.hull_cost import hull_cost


@pytest.mark.slow
def test_the_threshold_in_p(quick):
    results, outcome = quick("barnes-4-5")
    assert [one.word for one in outcome.verdicts] == ["agree", "agree"]
    assert results.get("exists_from", p="threshold") == pytest.approx(0.66974, abs=1e-5)
    assert results.get("pays_from", p="threshold") == pytest.approx(0.6791, abs=1e-4)


@pytest.mark.parametrize("p", [0.5, 0.66, 0.7, 1.0, 2.0])
def test_the_cost_along_the_hull(p):
    votes = np.linspace(1e-3, 2, 2000)
    norm = (1 + votes**p) ** (1 / p)
    cost = (
        7 * np.exp(-(1 + votes) / norm)
        + 2 * np.exp((votes - 1) / norm)
        + np.exp((1 - votes) / norm)
    ) / 10
    assert_allclose([hull_cost(vote, p)[0] for vote in votes], cost)
    slopes = np.sign([hull_cost(vote, p)[1] for vote in votes])
    turns = np.sign(np.gradient(cost, votes))
    assert np.mean(slopes == turns) > 0.998
