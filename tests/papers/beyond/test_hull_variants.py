"""Variants of p-boosting."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nacre import PBoostClassifier
from nacre.datasets import make_ring
from nacre.papers.beyond.hull_variants import ACCELERATED, COSTS, SOFT, soft_hull
from tests.papers.made_up import agree, always, made_up


def test_the_soft_hull_is_sloppy_p_boosting_with_another_cost():
    X, y = make_ring(60, random_state=0)
    plain = PBoostClassifier(n_estimators=50, p=0.8).fit(X, y)
    cell = {"rounds": 50, "p": 0.8, "cost": "exponential"}
    assert_allclose(soft_hull(cell).fit(X, y).estimator_weights_, plain.estimator_weights_)
    for cost in COSTS:
        model = soft_hull(cell | {"cost": cost}).set_params(random_state=0).fit(X, y)
        assert np.sum(np.abs(model.estimator_weights_) ** 0.8) == pytest.approx(1.0)
        assert len(np.unique(model.estimators_.threshold)) > 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["beyond-soft-hull", "beyond-acceleration"])
def test_quick_runs(quick, datasets, name):
    results, outcome = quick(name)
    assert len(outcome.table) == len(results)
    for row in outcome.table:
        assert row["best"] <= row["last"]
        assert 1 <= row["rounds_to_best"] <= row["rounds_run"]


def test_claims():
    def found(name, **numbers):
        """On a noisy ring; without noise it is the other way round, which does not count."""
        entries = []
        for data, sign in (("ring0", -1), ("ring20", 1)):
            for choice in COSTS if name == "cost" else (0.0, 0.5):
                own = {q: 0.5 + sign * by.get(choice, 0.0) for q, by in numbers.items()}
                entries.append(({"data": data, "p": 1.0, name: choice}, always(**own)))
        return made_up(*entries)

    assert agree(SOFT, found("cost", last={"logistic": -0.1, "tanh": 0.1})) == [True, False]
    assert agree(SOFT, found("cost", last={})) == [False, False]
    both = found("acceleration", train={0.5: -0.1}, last={0.5: 0.1})
    assert agree(ACCELERATED, both) == [True, False]
