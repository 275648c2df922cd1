"""Weil's noise rates."""

import numpy as np
import pytest

from nacre.papers.weil.noise_rate import BANANA
from tests.papers.made_up import agree, made_up


@pytest.mark.slow
@pytest.mark.parametrize(("name", "noisy"), [("weil-5a", 900), ("weil-5b", 667)])
def test_noise_rates(quick, request, name, noisy):
    if name == "weil-5b":
        request.getfixturevalue("datasets")
    results, _ = quick(name)
    assert abs(results.mean("rate", form="corrected") - 0.2) < 0.1
    sizes = results.get("sizes", form="printed")
    assert sizes[0][0] == 1
    assert sizes[0][-1] == noisy
    # scatter makes the printed form the larger one
    gap = results.mean("curve", form="printed") - results.mean("curve", form="corrected")
    assert np.nanmax(gap[:10]) > 0.05


def test_single_runs():
    """The median at the largest m is right though no run is."""
    (reading,) = BANANA.readings
    sizes = [1.0, 10.0, 100.0]
    curves = [[0.2, 0.2, 0.1], [0.2, 0.2, 0.3], [0.2, 0.2, 0.2]]
    results = made_up(({"form": "printed"}, {"sizes": [sizes] * 3, "curve": curves}))
    assert agree(BANANA, results) == [None, False]
    assert agree(BANANA.under(reading), results) == [None, True]
    right = made_up(({"form": "printed"}, {"sizes": [sizes] * 3, "curve": [[0.2] * 3] * 3}))
    assert agree(BANANA.under(reading), right) == [None, False]
