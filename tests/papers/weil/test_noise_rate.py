"""Weil's noise rates."""

import numpy as np
import pytest


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
