"""Oza's experiments."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nacre import AdaBoostClassifier, AveBoostClassifier
from nacre.datasets import make_sine
from nacre.noise import flip_labels
from nacre.papers.oza import BOUNDS, bound_factors
from nacre.papers.run import run
from nacre.papers.store import Store
from tests.papers.pictures import check_figures


def test_a_quick_run(quick, datasets):
    experiment, results, outcome = quick("oza-bounds")
    assert outcome.missing == []
    assert [one.word for one in outcome.verdicts] == ["agree", "agree"]
    assert len(outcome.table) == 24
    check_figures(experiment, results)


def test_artificial_data_need_no_file(tmp_path):
    sine = [one for one in BOUNDS.settings["quick"] if one.values["data"] == "sine"]
    with Store(tmp_path) as store:
        results = run(BOUNDS, sine, store)
    for claim in BOUNDS.claims:
        assert claim.check(results).agrees


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_factors(noise):
    """AdaBoost's multiply to the mean exponential cost; AveBoost2's are those of theorem 1."""
    X, y = make_sine(200, random_state=0)
    y, _ = flip_labels(y, noise, random_state=0)
    model = AdaBoostClassifier(n_estimators=30).fit(X, y)
    margins = np.where(y == 1, 1, -1) * model.decision_function(X)
    assert_allclose(np.prod(bound_factors(model)), np.exp(-margins).mean())
    model = AveBoostClassifier(n_estimators=30).fit(X, y)
    for t, (e, factor) in enumerate(
        zip(model.estimator_errors_, bound_factors(model), strict=True), 1
    ):
        root = np.sqrt(t**2 + t / (2 * e * (1 - e)) + 1 / (4 * e * (1 - e)))
        assert factor == pytest.approx((t + 1) / root)
        assert factor >= np.sqrt(4 * e * (1 - e))
