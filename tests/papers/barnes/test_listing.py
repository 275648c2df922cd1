"""Appendix B's search for strict steps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nacre import BoostedClassifier
from nacre.boost import Algorithm
from nacre.boost.step import Round, Rules
from nacre.kernels.formulas import strict_cost
from nacre.papers.barnes.hull_cost import HITS, MARGINS, SAME
from nacre.papers.barnes.listing import ListedStrict, cost_along
from tests.training import noisy_problem


@pytest.mark.parametrize("p", [0.5, 1.0, 1.7])
@pytest.mark.parametrize("vote", [0.05, 0.6, 3.0])
def test_cost_slope_and_bend(p, vote):
    rng = np.random.default_rng(3)
    rows = rng.normal(size=30), rng.choice([-1.0, 1.0], 30), np.full(30, 1 / 30)
    cost, slope, bend = cost_along(vote, *rows, p)
    before, after = (cost_along(vote + step, *rows, p) for step in (-1e-6, 1e-6))
    assert np.log(cost) == pytest.approx(strict_cost(vote, *rows, p)[0])
    assert slope == pytest.approx((after[0] - before[0]) / 2e-6, rel=1e-5, abs=1e-8)
    assert bend == pytest.approx((after[1] - before[1]) / 2e-6, rel=1e-5, abs=1e-7)


def round_of(z, u):
    error = float(SAME @ (np.exp(-z) * (u < 0)) / (SAME @ np.exp(-z)))
    return Round(2, error, 0.0, float(np.log(SAME @ np.exp(-z))), 1.0, SAME, z, u, None)


def test_a_step_uphill_is_taken():
    """Section 4.3.3's ten rows: at p = .675 the minimum is above the cost of standing still."""
    now = round_of(MARGINS, HITS)
    move = ListedStrict(0.675).take(now, np.empty(0), Rules(2, 9))
    vote = move.vote / move.shrink
    assert cost_along(vote, MARGINS, HITS, SAME, 0.675)[0] > np.mean(np.exp(-MARGINS))
    assert move.end is None
    assert ListedStrict(0.5).take(now, np.empty(0), Rules(2, 9)).end == "the cost only rises"


def test_votes_have_norm_one_and_cost_falls():
    training = noisy_problem(60, 3, flip=0.2)
    model = BoostedClassifier(n_estimators=12, algorithm=Algorithm(step=ListedStrict(1.5)))
    model.fit(training.X, training.y)
    votes = model.estimator_weights_
    assert len(votes) > 3
    assert_allclose(np.sum(np.abs(votes) ** 1.5), 1.0)
