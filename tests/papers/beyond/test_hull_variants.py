"""Variants of p-boosting."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nacre import PBoostClassifier
from nacre.datasets import make_ring
from nacre.papers.beyond.hull_variants import COSTS, SoftHull


def test_the_soft_hull_is_sloppy_p_boosting_with_another_cost():
    X, y = make_ring(60, random_state=0)
    plain = PBoostClassifier(n_estimators=50, p=0.8).fit(X, y)
    assert_allclose(SoftHull(50, 0.8).fit(X, y).estimator_weights_, plain.estimator_weights_)
    for cost in COSTS:
        model = SoftHull(50, 0.8, cost, random_state=0).fit(X, y)
        assert np.sum(np.abs(model.estimator_weights_) ** 0.8) == pytest.approx(1.0)
        assert len(np.unique(model.estimators_.threshold)) > 1
