"""Boosting that starts again."""

import numpy as np
import pytest

from nacre import AdaBoostClassifier
from nacre.papers.barnes.restarts import RESTARTS, restarted
from tests.papers.made_up import agree, always, made_up
from tests.training import noisy_problem


@pytest.mark.slow
def test_restarts(quick):
    results, _ = quick("barnes-restarts")
    for one in results.where():
        assert np.all(results.get("runs", **one) > 1)
        assert np.all(results.get("first_run", **one) < 30)


def test_rounds_add_up_and_later_runs_see_a_bootstrap():
    training = noisy_problem(40, 2, flip=0.2)
    seen = []

    class Short(AdaBoostClassifier):
        def fit(self, X, y, **other):
            seen.append(len(np.unique(X, axis=0)))
            return super().fit(X, y, **other)

    runs = restarted(
        lambda left: Short(n_estimators=min(3, left)),
        training.X,
        training.y,
        10,
        np.random.default_rng(0),
    )
    assert sum(len(one.estimators_) for one in runs) == 10
    assert [len(one.estimators_) for one in runs] == [3, 3, 3, 1]
    assert seen[0] == 40
    assert max(seen[1:]) < 40


@pytest.mark.parametrize(("ours", "claim"), [(0.2, True), (0.3, False), (0.4, False)])
def test_claims_on_restarts(ours, claim):
    results = made_up(
        ({"data": "ring0", "p": 0.5}, always(plain=0.3, restarted=0.1)),
        ({"data": "ring0", "p": 0.8}, always(plain=0.3, restarted=ours)),
    )
    assert agree(RESTARTS, results) == [claim]
