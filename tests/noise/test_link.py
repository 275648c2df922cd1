"""The link between scores and labels."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from scipy.special import softmax

from nacre.noise import flip_labels
from nacre.noise.link import (
    RATES,
    STEEP,
    STEEPNESS,
    Link,
    calibrated_loss,
    fit_link,
    link_loss,
    log_scores,
    spread,
    symmetric_losses,
)


def test_the_gradient():
    rng = np.random.default_rng(0)
    scores = unit(rng.dirichlet([1, 1, 1], 50))
    given, clean = rng.integers(0, 3, 50), rng.random(50) < 0.3
    labels = scores, given, clean, rng.random(50)
    for seed in range(3):
        numbers = np.random.default_rng(seed).normal(size=13)
        slope = approx_fprime(numbers, lambda v: link_loss(v, 0.2, *labels)[0], 1e-7)
        assert_allclose(link_loss(numbers, 0.2, *labels)[1], slope, atol=1e-4)


def test_the_loss_of_a_link():
    """By hand: two classes, one row of each kind, all numbers as expected beforehand."""
    scores = np.array([[1.0, -1.0], [-0.5, 0.5]])
    given, clean = np.array([1, 1]), np.array([False, True])
    p = 1 / (1 + np.exp(-2 * np.exp(STEEP[0]) * np.array([1.0, -0.5])))  # of class 0
    expected = -np.log(0.1 * p[0] + 0.9 * (1 - p[0])) - np.log(1 - p[1])
    assert_allclose(link_loss(np.zeros(7), 0.1, scores, given, clean, np.ones(2))[0], expected)


def test_links_of_true_probabilities():
    """Where the model knows the chances of the classes, the link counts the flips."""
    rng = np.random.default_rng(0)
    chances = rng.dirichlet([0.2, 0.2, 0.2], 4000)
    y = (rng.random((4000, 1)) > chances.cumsum(axis=1)).sum(axis=1)
    labels, flipped = flip_labels(y, 0.24, random_state=0)
    link = fit_link(log_scores(chances), labels, np.zeros(4000, bool))
    assert_allclose(link.rate, flipped.mean(), atol=0.02)
    assert_allclose(
        link.matrix.diagonal(), [1 - flipped[y == k].mean() for k in range(3)], atol=0.03
    )
    low, high = link.interval
    assert low < link.rate < high < low + 0.08


def test_one_rate_by_hand():
    """The losses of links of one rate are those of links by class whose classes are alike."""
    rng = np.random.default_rng(1)
    scores = unit(rng.dirichlet([1, 1, 1], 40))
    given, clean = rng.integers(0, 3, 40), rng.random(40) < 0.3
    weight = rng.random(40)
    losses = symmetric_losses(scores, given, clean, weight)
    for a, steep in enumerate(STEEPNESS):
        for e, rate in enumerate(RATES):
            numbers = np.zeros(13)
            numbers[0] = (np.log(steep) - STEEP[0]) / STEEP[1]
            expected = link_loss(numbers, rate, scores, given, clean, weight)[0]
            assert_allclose(losses[a, e] + numbers[0] ** 2 / 2, expected, rtol=1e-6)


def test_the_calibrated_loss_prefers_the_truth():
    """On noisy labels, the true probabilities lose least; the scale of scores does not matter."""
    rng = np.random.default_rng(2)
    logits = rng.normal(size=4000) * 2
    p = 1 / (1 + np.exp(-logits))
    y = (rng.random(4000) < p).astype(int)
    labels, _ = flip_labels(y, 0.25, random_state=0)
    rest = labels, np.zeros(4000, bool), np.ones(4000)
    truth = np.column_stack([-logits, logits])
    bent = np.sign(truth) * np.abs(truth) ** 3
    noisy = truth + rng.normal(size=(4000, 1)) * [-2, 2]
    loss = calibrated_loss(truth, *rest)
    assert loss < calibrated_loss(bent, *rest)
    assert loss < calibrated_loss(noisy, *rest)
    assert_allclose(calibrated_loss(7 * truth, *rest), loss)


def test_losses_by_brute_force():
    """The compiled sums are those of whole arrays."""
    rng = np.random.default_rng(5)
    scores = unit(rng.dirichlet([1, 1, 1], 30))
    given, clean = rng.integers(0, 3, 30), rng.random(30) < 0.3
    weight = rng.random(30)
    p = softmax(STEEPNESS[4] * scores, axis=1)[np.arange(30), given]
    e = np.where(clean, 0.0, RATES[7])
    expected = -(weight * np.log((1 - e - e / 2) * p + e / 2)).sum()
    assert_allclose(symmetric_losses(scores, given, clean, weight)[4, 7], expected)


def test_rates_by_class_where_the_labels_speak_for_them():
    rng = np.random.default_rng(3)
    logits = rng.normal(size=2000) * 4
    y = (rng.random(2000) < 1 / (1 + np.exp(-logits))).astype(int)
    scores, none = np.column_stack([-logits, logits]), np.zeros(2000, bool)
    labels, _ = flip_labels(y, {(0, 1): 0.4}, random_state=0)
    link = fit_link(scores, labels, none)
    assert_allclose(link.matrix, [[0.6, 0.4], [0.0, 1.0]], atol=0.06)
    assert link.weight[: len(RATES)].sum() < 0.01  # links of one rate
    labels, _ = flip_labels(y, 0.2, random_state=0)
    assert fit_link(scores, labels, none).weight[: len(RATES)].sum() > 0.5


def test_what_is_behind_a_label():
    """Bayes' rule by hand, for a link of one part; clean rows are what they are labelled."""
    matrix = np.array([[0.9, 0.1], [0.3, 0.7]])
    link = Link(
        0.2, (0.1, 0.3), matrix, 2.0, np.ones(1), np.ones(1), np.zeros((1, 2)), matrix[None]
    )
    scores = np.array([[1.0, -1.0], [1.0, -1.0], [-3.0, 3.0]])
    p = 1 / (1 + np.exp(-np.array([1.0, 1.0, -3.0])))  # of class 0, at scale 2
    assert_allclose(link.true_classes(scores)[:, 0], p)
    behind = link.given_label(scores, np.array([1, 0, 0]), np.array([False, False, True]))
    assert_allclose(behind[0, 0], p[0] * 0.1 / (p[0] * 0.1 + (1 - p[0]) * 0.7))
    assert_allclose(behind[1, 0], p[1] * 0.9 / (p[1] * 0.9 + (1 - p[1]) * 0.3))
    assert_allclose(behind[2], [1, 0])


def unit(chances):
    scores = log_scores(chances)
    return scores / spread(scores)
