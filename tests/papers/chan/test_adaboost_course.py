"""The course of AdaBoost, as Chan shows it."""

import numpy as np
import pytest


@pytest.mark.slow
def test_the_course_of_adaboost(quick):
    results, outcome = quick("chan-2")
    words = {one.what.split(" (")[0]: one.word for one in outcome.verdicts}
    assert words["the weighted error rises"] == "agree"
    assert words["the training error stays below its exponential bound"] == "agree"
    assert words["margins move right: rows at or below 0 get fewer"] == "agree"
    for data in ("ring", "sine", "sphere"):
        first = results.get("raw_margins_1", data=data)
        assert set(np.unique(first)) == {-1.0, 1.0}  # one stump's votes
        assert results.mean("train", data=data)[-1] == 0.0
        assert np.all(np.diff(results.get("bound", data=data), axis=1) < 0)
