"""Sums that noise models are fitted by, against the same in NumPy, row by row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import log_softmax, softmax

from nacre.kernels.noise_model import (
    add_up_likelihood,
    add_up_losses,
    add_up_overlap,
    add_up_posteriors,
    add_up_true,
    calibrate,
    sharpen,
)

POWERS, MIXED = np.array([1.0, 1.5, 4.0, 1.0]), np.array([0.0, 0.0, 0.0, 0.4])
KINDS = list(zip(POWERS, MIXED, strict=True))

seeds = st.integers(0, 2**32 - 1)
some_classes = st.sampled_from([2, 3, 5])
some_steepness = st.sampled_from([0.1, 1.0, 8.0])


def noisy_labels(seed, K, n=30, spread=2.0):
    """Scores, labels, true classes, weights; then slopes, shifts and a noise matrix.

    Of some rows the label is not known, of most the class is not.
    """
    rng = np.random.default_rng(seed)
    scores = rng.normal(0.0, spread, (n, K))
    kind = rng.choice(3, n, p=[0.6, 0.2, 0.2])
    labels = np.where(kind == 1, -1, rng.integers(0, K, n))
    known = np.where(kind == 0, -1, rng.integers(0, K, n))
    rows = scores, labels, known, rng.random(n)
    return rows, (rng.uniform(0.5, 2.0, K), rng.normal(size=K), rng.dirichlet(np.ones(K), K))


def calibrated(row, steep, slopes, shift):
    """Chances of the true class."""
    return softmax(slopes * log_softmax(steep * row) + shift)


def label_chances(true, label, known, matrix):
    """Chances of a true class and the label together, as far as these are known."""
    chances = true if label < 0 else true * matrix[:, label]
    return chances if known < 0 else chances * np.eye(len(true))[known]


def sharpened(true, power):
    return true**power / (true**power).sum()


def supposed(true, posterior, power, mixed):
    """The posterior, where part of the labels have nothing to do with the class."""
    return (1.0 - mixed) * less_overlap(true, posterior, power) + mixed * true


def less_overlap(true, posterior, power):
    """The posterior, where part of the overlap is noise: rows of classes that lose chance move."""
    sharp = sharpened(true, power)
    kept = np.minimum(1.0, sharp / true)
    gain = np.maximum(sharp - true, 0.0)
    if not gain.sum():
        return posterior
    return kept * posterior + ((1.0 - kept) @ posterior) * gain / gain.sum()


@given(seeds, some_classes, st.sampled_from([1e-6, 0.3, 5.0, 1e3]))
def test_calibrated_chances(seed, K, steep):
    (scores, *_), (slopes, shift, _) = noisy_labels(seed, K, n=1)
    logs, out = np.full((2, K), np.nan)
    calibrate(scores[0], steep, slopes, shift, logs, out)
    assert_allclose(logs, log_softmax(steep * scores[0]), rtol=1e-9, atol=1e-9)
    assert_allclose(out, calibrated(scores[0], steep, slopes, shift), atol=1e-9)
    assert_allclose(out.sum(), 1.0)


@given(seeds, some_classes, st.sampled_from([1.0, 1.5, 40.0]))
def test_sharpened_chances(seed, K, power):
    true, out = np.random.default_rng(seed).dirichlet(np.ones(K)), np.full(K, np.nan)
    sharpen(true, power, out)
    assert_allclose(out, sharpened(true, power), atol=1e-12)


def test_chances_of_0_stay_0():
    out = np.empty(3)
    sharpen(np.array([0.0, 1e-200, 3e-200]), 8.0, out)
    assert_allclose(out, sharpened(np.array([0.0, 1.0, 3.0]), 8.0), atol=1e-300)


@given(seeds, some_classes, some_steepness)
def test_the_sums_of_a_noise_model(seed, K, steep):
    rows, (slopes, shift, matrix) = noisy_labels(seed, K)
    by_slope, by_shift, flips = np.full(K, np.nan), np.full(K, np.nan), np.full((K, K), np.nan)
    loss, by_steep = add_up_likelihood(
        *rows, steep, slopes, shift, matrix, np.empty((3, K)), by_slope, by_shift, flips
    )
    expected = [0.0, 0.0, np.zeros(K), np.zeros(K), np.zeros((K, K))]
    for row, label, known, weight in zip(*rows, strict=True):
        logs = log_softmax(steep * row)
        true = calibrated(row, steep, slopes, shift)
        joint = label_chances(true, label, known, matrix)
        posterior = joint / joint.sum()
        moved = weight * (true - posterior)
        by_log = (np.eye(K) - softmax(steep * row)) @ (steep * row)  # of the log-softmax
        expected[0] -= weight * np.log(joint.sum())
        expected[1] += moved @ (slopes * by_log)
        expected[2] += moved * slopes * logs
        expected[3] += moved
        if label >= 0:
            expected[4][:, label] += weight * posterior
    for found, sums in zip((loss, by_steep, by_slope, by_shift, flips), expected, strict=True):
        assert_allclose(found, sums, rtol=1e-6, atol=1e-8)


@given(seeds, some_classes, some_steepness)
def test_what_follows_from_another_overlap(seed, K, steep):
    rows, (slopes, shift, matrix) = noisy_labels(seed, K, spread=0.5)
    wrong, gain = np.full((2, 4), np.nan)
    model = steep, slopes, shift, matrix
    add_up_overlap(*rows, *model, POWERS, MIXED, np.empty((5, K)), wrong, gain)
    expected = np.zeros((2, 4))
    for row, label, known, weight in zip(*rows, strict=True):
        true = calibrated(row, steep, slopes, shift)
        joint = label_chances(true, label, -1, matrix)
        plain = joint / joint.sum()
        for g, kind in enumerate(KINDS):
            posterior = supposed(true, plain, *kind)
            if known >= 0:
                expected[1, g] += weight * np.log(posterior[known] / plain[known])
            else:
                expected[0, g] += weight * (1.0 - posterior[label])
    assert_allclose(wrong, expected[0], atol=1e-9)
    assert_allclose(gain, expected[1], atol=1e-6)


@given(seeds, some_classes)
def test_posteriors_of_a_mixture(seed, K):
    (scores, labels, _, _), _ = noisy_labels(seed, K, n=12, spread=0.5)
    labels = np.maximum(labels, 0)
    models = [noisy_labels(seed + b, K)[1] for b in range(3)]
    slopes, shift, matrices = (np.array(one) for one in zip(*models, strict=True))
    rng = np.random.default_rng(seed)
    parts, steep = rng.dirichlet(np.ones(3)), rng.uniform(0.5, 4.0, 3)
    shares = rng.dirichlet(np.ones(4), 3) * (rng.random((3, 4)) < 0.8)
    true, posterior = np.full((K, 12), np.nan), np.full((12, K), np.nan)
    mixture = parts, steep, slopes, shift
    add_up_true(scores.T.copy(), *mixture, POWERS, shares, np.empty((K + 2, 12)), true)
    add_up_posteriors(
        scores, labels, *mixture, matrices, POWERS, MIXED, shares, np.empty((5, K)), posterior
    )
    expected = np.zeros((2, 12, K))
    for i in range(12):
        for b, g in np.ndindex(3, 4):
            soft = calibrated(scores[i], steep[b], slopes[b], shift[b])
            joint = label_chances(soft, labels[i], -1, matrices[b])
            part = parts[b] * shares[b, g]
            expected[0, i] += part * sharpened(soft, POWERS[g])
            expected[1, i] += part * supposed(soft, joint / joint.sum(), *KINDS[g])
    assert_allclose(true.T, expected[0], atol=1e-9)
    assert_allclose(posterior, expected[1], atol=1e-9)
    assert_allclose(posterior.sum(axis=1), parts @ shares.sum(axis=1))


@given(seeds, some_classes)
def test_losses_of_one_rate(seed, K):
    rows, _ = noisy_labels(seed, K)
    rows = as_clean(rows)
    steepness, rates = np.array([0.1, 1.0, 6.0]), np.array([0.003, 0.2, 0.48])
    out = np.full((3, 3), np.nan)
    add_up_losses(*rows, steepness, rates, out)
    for a, steep in enumerate(steepness):
        for e, rate in enumerate(rates):
            matrix = np.where(np.eye(K, dtype=bool), 1.0 - rate, rate / (K - 1))
            each = [
                weight * np.log((softmax(steep * row) @ (np.eye(K) if clean else matrix))[label])
                for row, label, clean, weight in zip(*rows, strict=True)
            ]
            assert_allclose(out[a, e], -np.sum(each))


def as_clean(rows):
    """The rows with a label each, some of which are trusted."""
    scores, labels, known, weight = rows
    return scores, np.where(known >= 0, known, labels), known >= 0, weight


def likelihood(rows, *model):
    """The loss and all that its gradient is made of, as one vector."""
    K = rows[0].shape[1]
    by_slope, by_shift, flips = np.empty(K), np.empty(K), np.empty((K, K))
    sums = add_up_likelihood(*rows, *model, np.empty((3, K)), by_slope, by_shift, flips)
    return np.concatenate([sums, by_slope, by_shift, flips.ravel()])


def overlap(rows, *model):
    """Wrong labels, then the gain, for each power."""
    wrong, gain = np.empty(4), np.empty(4)
    add_up_overlap(*rows, *model, POWERS, MIXED, np.empty((5, rows[0].shape[1])), wrong, gain)
    return np.concatenate([wrong, gain])


@pytest.mark.parametrize(("label", "known"), [(1, -1), (-1, 1), (0, 1)])
def test_what_cannot_be_costs_much_and_not_infinitely(label, known):
    rows = np.array([[2000.0, -2000.0]]), np.array([label]), np.array([known]), np.ones(1)
    model, out = (1.0, np.ones(2), np.zeros(2), np.eye(2)), np.empty((1, 1))
    sums = likelihood(rows, *model)
    add_up_losses(*as_clean(rows), np.ones(1), np.zeros(1), out)
    assert 600 < sums[0] < 700
    assert 600 < out[0, 0] <= 708.1
    assert np.isfinite(sums).all()
    assert np.isfinite(overlap(rows, *model)).all()


def test_rows_of_no_weight_count_for_nothing():
    rows, (slopes, shift, matrix) = noisy_labels(0, 3)
    heavy = np.arange(30) % 3 > 0
    found = []
    for part in ((*rows[:3], rows[3] * heavy), tuple(one[heavy] for one in rows)):
        out = np.empty((2, 2))
        add_up_losses(*as_clean(part), np.array([0.5, 2.0]), np.array([0.1, 0.4]), out)
        model = part, 1.5, slopes, shift, matrix
        found.append(np.concatenate([likelihood(*model), overlap(*model), out.ravel()]))
    assert_allclose(*found)
