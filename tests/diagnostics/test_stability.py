"""Stability: the sums as printed, and what is known of them."""

import numpy as np
import pytest

from nacre.diagnostics import Stability, boosting_stability, stability_bound


@pytest.mark.parametrize("least", [0.05, 0.2, 0.45])
@pytest.mark.parametrize("extra", [0.0, 1.5])
@pytest.mark.parametrize("rounds", [1, 2, 6])
def test_as_printed(least, extra, rounds):
    n, t = 400, np.arange(1, rounds + 1)
    ada = 2 / n * np.sum(2.0 ** (t**2 + 1) * (extra + 1) ** t / least ** (2 * t - 1))
    ave = 2 / n * np.sum(2.0 ** (3 * t - 2) * ((extra + 1) * t / least) ** t)
    for averaged, printed in ((False, ada), (True, ave)):
        found = boosting_stability(n, rounds, least, base_stability=extra, averaged=averaged)
        assert np.exp(found.log_beta) == pytest.approx(printed)
        assert found.delta == pytest.approx(np.exp(-n * least**2 / 2))
    assert ave < ada


def test_no_overflow():
    assert boosting_stability(100, 1000, 0.01).log_beta > 1e5
    assert stability_bound(boosting_stability(100, 1000, 0.01), 100, 0.5) == 1.0


def test_the_bound_as_printed():
    stability, n, gap = Stability(np.log(1e-5), 1e-9), 5000, 0.1
    tau, spread = gap - 1e-5 - 1e-9, 2 * n * 1e-5 + 1
    printed = 2 * np.exp(-(tau**2) * n / (2 * spread**2)) + 4 * n**2 * 1e-9 / spread
    assert stability_bound(stability, n, gap) == pytest.approx(printed)
    assert stability_bound(Stability(np.log(1e-5), 0.2), n, gap) == 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 0}, "n must be"),
        ({"rounds": 0}, "rounds must be"),
        ({"least_error": 0.5}, "below 1/2"),
        ({"base_stability": -1}, "base_stability must be"),
    ],
)
def test_bad_values(change, message):
    with pytest.raises(ValueError, match=message):
        boosting_stability(**{"n": 10, "rounds": 2, "least_error": 0.1, **change})
