"""Sano's experiments."""

import numpy as np
from numpy.testing import assert_allclose

from nacre.papers.sano import MARGINS, distance
from tests.papers.pictures import check_figures


def test_the_derivative(quick):
    experiment, results, outcome = quick("sano-2")
    assert [one.word for one in outcome.verdicts] == ["agree", "agree"]
    assert_allclose(
        results.get("tanh")[0], np.gradient((1 - np.tanh(MARGINS)) / 2, MARGINS), atol=1e-3
    )
    assert np.all(results.get("reaction") <= 0)
    # A hundred draws are near the limit, and their mean over twenty seeds nearer.
    limit = results.get("limit")[0]
    assert np.abs(results.mean("reaction") - limit).max() < 0.03
    assert results.get("largest_gap_to_limit").max() < 0.15
    check_figures(experiment, results)


def test_the_toy_data(quick):
    experiment, results, outcome = quick("sano-3")
    assert [one.word for one in outcome.verdicts] == ["agree"]
    for case in ("far", "near"):
        for trial in range(5):
            X = results.get("raw_X", case=case)[trial]
            labels = results.get("raw_labels", case=case)[trial]
            flipped = results.get("raw_flipped", case=case)[trial] == 1
            truth = np.sign(X[:, 1] - 3 * np.sin(X[:, 0]))
            assert np.array_equal(labels != truth, flipped)
            away = distance(X)
            middle = np.median(away)
            assert np.all((away[flipped] > middle) == (case == "far"))
    check_figures(experiment, results)
