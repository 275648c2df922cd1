"""Sums that noise models are fitted by, against the same in NumPy, row by row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import softmax

from nacre.kernels.noise_model import add_up_likelihood, add_up_losses, chances

seeds = st.integers(0, 2**32 - 1)


def noisy_labels(seed, K, n=30, spread=2.0):
    """Scores, labels, which are clean, weights; then a noise matrix and shifts."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(0.0, spread, (n, K))
    rows = scores, rng.integers(0, K, n), rng.random(n) < 0.3, rng.random(n)
    return rows, rng.dirichlet(np.ones(K), K), rng.normal(size=K)


def label_chances(true, label, clean, matrix):
    """Chances of a true class and the label together."""
    return true * (np.eye(len(true)) if clean else matrix)[:, label]


@given(seeds, st.sampled_from([1e-6, 0.3, 5.0, 1e4]))
def test_chances(seed, steep):
    rng = np.random.default_rng(seed)
    row, shift, out = rng.normal(size=4), rng.normal(size=4), np.empty(4)
    chances(row, shift, steep, out)
    assert_allclose(out, softmax(steep * (row + shift)), atol=1e-12)


@given(seeds, st.sampled_from([2, 3, 5]), st.sampled_from([0.1, 1.0, 8.0]))
def test_the_sums_of_a_noise_model(seed, K, steep):
    rows, matrix, shift = noisy_labels(seed, K)
    push, flips = np.full(K, np.nan), np.full((K, K), np.nan)
    loss, pull = add_up_likelihood(*rows, steep, shift, matrix, np.empty(K), push, flips)
    expected = {"loss": 0.0, "pull": 0.0, "push": np.zeros(K), "flips": np.zeros((K, K))}
    for row, label, clean, weight in zip(*rows, strict=True):
        true = softmax(steep * (row + shift))
        joint = label_chances(true, label, clean, matrix)
        behind = joint / joint.sum()
        expected["loss"] -= weight * np.log(joint.sum())
        expected["push"] += weight * (true - behind)
        expected["pull"] += weight * (true - behind) @ (row + shift)
        if not clean:
            expected["flips"][:, label] += weight * behind
    assert_allclose(loss, expected["loss"])
    assert_allclose(pull, expected["pull"], atol=1e-9)
    assert_allclose(push, expected["push"], atol=1e-9)
    assert_allclose(flips, expected["flips"], atol=1e-12)


@given(seeds, st.sampled_from([2, 3, 5]))
def test_losses_of_one_rate(seed, K):
    rows, _, _ = noisy_labels(seed, K)
    steepness, rates = np.array([0.1, 1.0, 6.0]), np.array([0.003, 0.2, 0.48])
    out = np.full((3, 3), np.nan)
    add_up_losses(*rows, steepness, rates, out)
    for a, steep in enumerate(steepness):
        for e, rate in enumerate(rates):
            matrix = np.where(np.eye(K, dtype=bool), 1.0 - rate, rate / (K - 1))
            each = [
                weight * np.log(label_chances(softmax(steep * row), label, clean, matrix).sum())
                for row, label, clean, weight in zip(*rows, strict=True)
            ]
            assert_allclose(out[a, e], -np.sum(each))


@pytest.mark.parametrize("clean", [False, True])
def test_a_label_that_cannot_be_costs_much_and_not_infinitely(clean):
    rows = np.array([[2000.0, -2000.0]]), np.array([1]), np.array([clean]), np.ones(1)
    push, flips, out = np.empty(2), np.empty((2, 2)), np.empty((1, 1))
    loss, pull = add_up_likelihood(*rows, 1.0, np.zeros(2), np.eye(2), np.empty(2), push, flips)
    add_up_losses(*rows, np.ones(1), np.zeros(1), out)
    assert 600 < loss < 700
    assert 600 < out[0, 0] <= 708.1
    assert np.isfinite([pull, *push, *flips.ravel()]).all()


def test_rows_of_no_weight_count_for_nothing():
    rows, matrix, shift = noisy_labels(0, 3)
    heavy = np.arange(30) % 3 > 0
    found = []
    for part in ((*rows[:3], rows[3] * heavy), tuple(one[heavy] for one in rows)):
        push, flips, out = np.empty(3), np.empty((3, 3)), np.empty((2, 2))
        sums = add_up_likelihood(*part, 1.5, shift, matrix, np.empty(3), push, flips)
        add_up_losses(*part, np.array([0.5, 2.0]), np.array([0.1, 0.4]), out)
        found.append(np.concatenate([sums, push, flips.ravel(), out.ravel()]))
    assert_allclose(*found)
