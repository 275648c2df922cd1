"""Sano's toy data."""

import numpy as np

from nacre.papers.sano.toy_data import distance


def test_the_toy_data(quick):
    results, outcome = quick("sano-3")
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
