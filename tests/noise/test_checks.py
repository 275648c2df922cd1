"""What checked rows say, against sums row by row."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from scipy.stats import norm

from nacre.noise.checks import (
    INTERCEPT,
    INTERCEPTS,
    MARGINS,
    PRIOR,
    SLOPE,
    SLOPES,
    Checks,
    by_difference,
    fit_checks,
)
from nacre.noise.quality import label_margins


def checked_rows(n=60, checked=20, seed=0):
    """Scores, labels, true classes where they are known, weights."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, 3))
    given = rng.integers(0, 3, n)
    known = np.full(n, -1)
    known[:checked] = np.where(
        rng.random(checked) < 0.3, (given[:checked] + 1) % 3, given[:checked]
    )
    return scores, given, known, rng.uniform(0.5, 2.0, n)


def test_the_evidence_of_checked_rows():
    """The average over intercepts and slopes, point by point."""
    scores, given, known, weight = checked_rows()
    own = label_margins(scores, given)
    scale = np.sqrt(np.mean(own**2))
    own /= scale
    evidence = mean = prior = 0.0
    wrong = np.zeros(len(MARGINS))
    for a in INTERCEPTS:
        for b in SLOPES:
            before = norm.pdf(a, *INTERCEPT) * norm.pdf(b, *SLOPE)
            chance = expit(a - b * own)
            seen = np.where(known == given, 1.0 - chance, chance)[:20]
            mass = before * np.prod(seen ** weight[:20])
            prior += before
            evidence += mass
            mean += mass * np.average(chance[20:], weights=weight[20:])
            wrong += mass * expit(a - b * MARGINS)
    rival = -12.0
    found, rates, masses = fit_checks(scores, given, known, weight, rival)
    odds = PRIOR * evidence / prior / ((1.0 - PRIOR) * np.exp(rival))
    assert_allclose(found.share, odds / (1.0 + odds), rtol=1e-6)
    assert_allclose(found.scale, scale)
    assert_allclose(rates @ masses, mean / evidence, rtol=1e-4)
    assert_allclose(found.wrong, wrong / evidence, rtol=1e-3, atol=1e-6)
    assert_allclose(masses.sum(), 1.0)


def test_what_is_said_of_a_label():
    """By hand: half is the noise model's; the other classes share as it says."""
    found = Checks(0.5, 2.0, np.full(len(MARGINS), 0.4))
    posterior = np.array([[0.7, 0.2, 0.1], [0.0, 1.0, 0.0]])
    mixed = found.mix(posterior, np.zeros((2, 3)), np.array([0, 1]))
    assert_allclose(mixed[0], [0.65, 0.1 + 0.4 / 3, 0.05 + 0.2 / 3])
    assert_allclose(mixed[1], [0.1, 0.8, 0.1])


def test_the_chance_goes_by_the_margin():
    found = Checks(1.0, 2.0, expit(-MARGINS))
    scores = np.array([[3.0, 0.0], [0.0, 40.0]])
    mixed = found.mix(np.full((2, 2), 0.5), scores, np.zeros(2, int))
    assert_allclose(mixed[:, 1], expit([-1.5, MARGINS[-1]]), atol=1e-3)


def test_the_difference_estimator():
    """By hand; over many random samples its interval holds the rate, whatever the model says."""
    wrong, known = np.array([0.2, 0.6, 0.1, 0.3]), np.array([0, 1, -1, -1])
    low, high = by_difference(wrong, np.zeros(4, int), known, np.ones(4))
    off = np.array([-0.2, 0.4])
    assert_allclose((low + high) / 2, 0.2 + 0.1)
    assert_allclose((high - low) / 2, norm.ppf(0.975) * off.std() / np.sqrt(2))
    held = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        truth = rng.random(2000) < 0.3
        said = np.where(rng.random(2000) < 0.8, 0.05, rng.random(2000))
        known = np.where(np.arange(2000) < 100, truth, -1)
        low, high = by_difference(said, np.zeros(2000, int), known, np.ones(2000))
        held.append(low <= truth[100:].mean() <= high)
    assert 0.92 <= np.mean(held) <= 0.99


@pytest.mark.parametrize(
    "changes",
    [{"share": 1.5}, {"share": 1}, {"scale": 0.0}, {"wrong": np.zeros(3)}, {"scale": float("nan")},
     {"wrong": np.full(len(MARGINS), -0.1)}, {"wrong": np.full(len(MARGINS), 1.1)}],
)  # fmt: skip
def test_what_a_file_may_not_say(changes):
    right = {"share": 0.5, "scale": 1.0, "wrong": np.zeros(len(MARGINS))}
    Checks(**right)._check_loaded()
    with pytest.raises(ValueError):
        Checks(**(right | changes))._check_loaded()
