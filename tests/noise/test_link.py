"""The link between scores and labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
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
    lowest_points,
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


def test_no_label_is_in_doubt_where_all_are_clean():
    scores, labels, _ = noisy_scores(300)
    link = fit_link(scores, labels, np.ones(300, bool))
    assert (link.rate, link.interval) == (0.0, (0.0, 0.0))
    assert np.array_equal(link.matrix, np.eye(2))
    assert_allclose(link.true_classes(scores).sum(axis=1), 1.0)
    behind = link.given_label(scores, labels, np.ones(300, bool))
    assert np.array_equal(behind, np.eye(2)[labels])


def test_weights_count_rows():
    """A row of weight two is two rows; the scale of all weights is that of evidence."""
    scores, labels, _ = noisy_scores(200)
    none, times = np.zeros(200, bool), np.random.default_rng(0).integers(1, 3, 200)
    rows = np.repeat(np.arange(200), times)
    clean = np.arange(200) < 30
    assert_allclose(
        symmetric_losses(scores, labels, clean, times * 1.0),
        symmetric_losses(scores[rows], labels[rows], clean[rows], np.ones(len(rows))),
    )
    numbers = np.random.default_rng(1).normal(size=7)
    one = link_loss(numbers, 0.1, scores, labels, clean, times * 1.0)
    two = link_loss(numbers, 0.1, scores[rows], labels[rows], clean[rows], np.ones(len(rows)))
    assert_allclose(one[0], two[0])
    assert_allclose(one[1], two[1])
    few, many = (fit_link(scores, labels, none, np.full(200, w)).interval for w in (1.0, 20.0))
    assert many[1] - many[0] < few[1] - few[0]


def test_probabilities_of_links():
    scores, labels, _ = noisy_scores(300)
    link = fit_link(scores, labels, np.zeros(300, bool))
    p = link.true_classes(scores)
    behind = link.given_label(scores, labels, np.zeros(300, bool))
    rows = np.arange(300)
    assert_allclose(p.sum(axis=1), 1.0)
    assert_allclose(behind.sum(axis=1), 1.0)
    assert (behind[rows, labels] >= p[rows, labels] - 1e-12).all()  # a label speaks for itself
    assert_allclose(link.matrix.sum(axis=1), 1.0)
    assert_allclose(link.weight.sum(), 1.0)
    low, high = link.interval
    assert 0.0 < low < link.rate < high < 0.5
    order = np.argsort(scores[:, 1])
    assert (np.diff(p[order, 1]) >= -1e-12).all()


@given(st.integers(2, 14), st.integers(2, 4), st.integers(0, 999))
def test_tiny_tables_have_chances_for_a_matrix(n, K, seed):
    """Whatever a dozen rows say, and however they weigh."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, K)) * 3.0
    scores -= scores.mean(axis=1, keepdims=True)
    weight = rng.exponential(size=n) ** 3 + 1e-6
    link = fit_link(scores, rng.integers(0, K, n), rng.random(n) < 0.2, weight)
    assert link.matrix.min() >= 0.0
    assert_allclose(link.matrix.sum(axis=1), 1.0)
    assert 0.0 <= link.rate <= 0.5


def test_classes_and_rows_have_no_order():
    scores, labels, _ = noisy_scores(300)
    none = np.zeros(300, bool)
    link, turned = fit_link(scores, labels, none), fit_link(scores[:, ::-1], 1 - labels, none)
    assert_allclose(link.rate, turned.rate, atol=1e-3)
    assert_allclose(link.matrix, turned.matrix[::-1, ::-1], atol=1e-3)
    moved = fit_link(scores[::-1], labels[::-1], none)
    assert_allclose(link.rate, moved.rate, atol=1e-6)
    scaled = fit_link(5.0 * scores, labels, none)
    assert_allclose(link.rate, scaled.rate, atol=1e-6)
    assert_allclose(link.true_classes(scores), scaled.true_classes(5.0 * scores), atol=1e-6)


def test_the_lowest_points():
    """Of parabolas exactly; at an end, or where there is none, the lowest value there is."""
    x = np.arange(19.0)
    losses = np.column_stack([(x - 7.3) ** 2, (x + 3) ** 2, (x - 30) ** 2, 0 * x + 2])
    lowest, at = lowest_points(losses)
    assert_allclose(lowest, [0.0, 9.0, 144.0, 2.0], atol=1e-12)
    assert_allclose(at[:3], [7.3, 0.0, 18.0])


@pytest.mark.parametrize(
    "changes",
    [
        {"scale": 0.0},
        {"scale": np.nan},
        {"scale": 1},
        {"weight": np.zeros(2)},
        {"weight": np.array([1.0, -1.0])},
        {"weight": np.array([np.nan, 1.0])},
        {"steep": np.ones(3)},
        {"shift": np.ones((2, 3))},
        {"matrices": np.ones((2, 2, 3))},
        {"matrix": np.ones(4)},
        {"matrix": np.ones((2, 3))},
    ],
    ids=range(11),
)
def test_what_a_file_may_not_say(changes):
    sound = {
        "rate": 0.1,
        "interval": (0.0, 0.2),
        "matrix": np.eye(2),
        "scale": 1.0,
        "weight": np.array([0.4, 0.6]),
        "steep": np.ones(2),
        "shift": np.zeros((2, 2)),
        "matrices": np.ones((2, 2, 2)),
    }
    Link(**sound)._check_loaded()
    with pytest.raises(ValueError):
        Link(**(sound | changes))._check_loaded()


def noisy_scores(n, rate=0.2):
    rng = np.random.default_rng(4)
    logits = 3 * rng.normal(size=n)
    y = (rng.random(n) < 1 / (1 + np.exp(-logits))).astype(int)
    labels, flipped = flip_labels(y, rate, random_state=0)
    return np.column_stack([-logits, logits]), labels, flipped


def unit(chances):
    scores = log_scores(chances)
    return scores / spread(scores)


def test_scores_that_say_nothing():
    """Probabilities then are the classes' shares, not a sure guess."""
    rng = np.random.default_rng(7)
    scores = rng.normal(size=(400, 1)) * [-1.0, 1.0]
    given = (rng.random(400) < 0.7).astype(int)
    chances = fit_link(scores, given, np.zeros(400, bool)).true_classes(scores)
    assert np.abs(chances[:, 1] - 0.7).mean() < 0.25
    assert chances.max() < 0.97


@pytest.mark.parametrize("seed", range(6))
def test_no_rate_is_above_a_half(seed):
    """Few rows of several classes, nearly all the weight on some of them."""
    rng = np.random.default_rng(seed)
    K = 3 + seed % 3
    scores = log_scores(rng.dirichlet(np.full(K, 0.3), 12))
    given = np.append(np.arange(K), rng.integers(0, K, 12 - K))
    link = fit_link(scores, given, np.zeros(12, bool), np.exp(rng.uniform(-9, 9, 12)))
    assert 0.0 <= link.interval[0] <= link.interval[1] <= 0.5
    assert 0.0 <= link.rate <= 0.5
