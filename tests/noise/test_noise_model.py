"""The model between scores and labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from scipy.special import softmax

from nacre.noise import flip_labels
from nacre.noise.noise_model import (
    RATES,
    STEEP,
    STEEPNESS,
    NoiseModel,
    calibrated_loss,
    fit_noise_model,
    log_scores,
    lowest_points,
    noise_loss,
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
        slope = approx_fprime(numbers, lambda v: noise_loss(v, 0.2, *labels)[0], 1e-7)
        assert_allclose(noise_loss(numbers, 0.2, *labels)[1], slope, atol=1e-4)


def test_the_loss_of_a_noise_model():
    """By hand: two classes, one row of each kind, all numbers as expected beforehand."""
    scores = np.array([[1.0, -1.0], [-0.5, 0.5]])
    given, clean = np.array([1, 1]), np.array([False, True])
    p = 1 / (1 + np.exp(-2 * np.exp(STEEP[0]) * np.array([1.0, -0.5])))  # of class 0
    expected = -np.log(0.1 * p[0] + 0.9 * (1 - p[0])) - np.log(1 - p[1])
    assert_allclose(noise_loss(np.zeros(7), 0.1, scores, given, clean, np.ones(2))[0], expected)


def test_links_of_true_probabilities():
    """Where the model knows the chances of the classes, the model counts the flips."""
    rng = np.random.default_rng(0)
    chances = rng.dirichlet([0.2, 0.2, 0.2], 4000)
    y = (rng.random((4000, 1)) > chances.cumsum(axis=1)).sum(axis=1)
    labels, flipped = flip_labels(y, 0.24, random_state=0)
    model = fit_noise_model(log_scores(chances), labels, np.zeros(4000, bool))
    assert_allclose(model.rate, flipped.mean(), atol=0.02)
    assert_allclose(
        model.matrix.diagonal(), [1 - flipped[y == k].mean() for k in range(3)], atol=0.03
    )
    low, high = model.interval
    assert low < model.rate < high < low + 0.08


def test_one_rate_by_hand():
    """The losses of models of one rate are those of models by class whose classes are alike."""
    rng = np.random.default_rng(1)
    scores = unit(rng.dirichlet([1, 1, 1], 40))
    given, clean = rng.integers(0, 3, 40), rng.random(40) < 0.3
    weight = rng.random(40)
    losses = symmetric_losses(scores, given, clean, weight)
    for a, steep in enumerate(STEEPNESS):
        for e, rate in enumerate(RATES):
            numbers = np.zeros(13)
            numbers[0] = (np.log(steep) - STEEP[0]) / STEEP[1]
            expected = noise_loss(numbers, rate, scores, given, clean, weight)[0]
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
    model = fit_noise_model(scores, labels, none)
    assert_allclose(model.matrix, [[0.6, 0.4], [0.0, 1.0]], atol=0.06)
    assert model.weight[: len(RATES)].sum() < 0.01  # noise models of one rate
    labels, _ = flip_labels(y, 0.2, random_state=0)
    assert fit_noise_model(scores, labels, none).weight[: len(RATES)].sum() > 0.5


def test_what_is_behind_a_label():
    """Bayes' rule by hand, for a model of one part; clean rows are what they are labelled."""
    matrix = np.array([[0.9, 0.1], [0.3, 0.7]])
    model = NoiseModel(
        0.2, (0.1, 0.3), matrix, 2.0, np.ones(1), np.ones(1), np.zeros((1, 2)), matrix[None]
    )
    scores = np.array([[1.0, -1.0], [1.0, -1.0], [-3.0, 3.0]])
    p = 1 / (1 + np.exp(-np.array([1.0, 1.0, -3.0])))  # of class 0, at scale 2
    assert_allclose(model.true_classes(scores)[:, 0], p)
    posterior = model.given_label(scores, np.array([1, 0, 0]), np.array([False, False, True]))
    assert_allclose(posterior[0, 0], p[0] * 0.1 / (p[0] * 0.1 + (1 - p[0]) * 0.7))
    assert_allclose(posterior[1, 0], p[1] * 0.9 / (p[1] * 0.9 + (1 - p[1]) * 0.3))
    assert_allclose(posterior[2], [1, 0])


def test_no_label_is_in_doubt_where_all_are_clean():
    scores, labels, _ = noisy_scores(300)
    model = fit_noise_model(scores, labels, np.ones(300, bool))
    assert (model.rate, model.interval) == (0.0, (0.0, 0.0))
    assert np.array_equal(model.matrix, np.eye(2))
    assert_allclose(model.true_classes(scores).sum(axis=1), 1.0)
    posterior = model.given_label(scores, labels, np.ones(300, bool))
    assert np.array_equal(posterior, np.eye(2)[labels])


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
    one = noise_loss(numbers, 0.1, scores, labels, clean, times * 1.0)
    two = noise_loss(numbers, 0.1, scores[rows], labels[rows], clean[rows], np.ones(len(rows)))
    assert_allclose(one[0], two[0])
    assert_allclose(one[1], two[1])
    few, many = (
        fit_noise_model(scores, labels, none, np.full(200, w)).interval for w in (1.0, 20.0)
    )
    assert many[1] - many[0] < few[1] - few[0]


def test_probabilities_of_links():
    scores, labels, _ = noisy_scores(300)
    model = fit_noise_model(scores, labels, np.zeros(300, bool))
    p = model.true_classes(scores)
    posterior = model.given_label(scores, labels, np.zeros(300, bool))
    rows = np.arange(300)
    assert_allclose(p.sum(axis=1), 1.0)
    assert_allclose(posterior.sum(axis=1), 1.0)
    assert (posterior[rows, labels] >= p[rows, labels] - 1e-12).all()  # a label speaks for itself
    assert_allclose(model.matrix.sum(axis=1), 1.0)
    assert_allclose(model.weight.sum(), 1.0)
    low, high = model.interval
    assert 0.0 < low < model.rate < high < 0.5
    order = np.argsort(scores[:, 1])
    assert (np.diff(p[order, 1]) >= -1e-12).all()


@pytest.mark.slow
@given(st.integers(2, 14), st.integers(2, 4), st.integers(0, 999))
def test_tiny_tables_have_chances_for_a_matrix(n, K, seed):
    """Whatever a dozen rows say, and however they weigh."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, K)) * 3.0
    scores -= scores.mean(axis=1, keepdims=True)
    weight = rng.exponential(size=n) ** 3 + 1e-6
    model = fit_noise_model(scores, rng.integers(0, K, n), rng.random(n) < 0.2, weight)
    assert model.matrix.min() >= 0.0
    assert_allclose(model.matrix.sum(axis=1), 1.0)
    assert 0.0 <= model.rate <= 0.5


@pytest.mark.slow
def test_classes_and_rows_have_no_order():
    scores, labels, _ = noisy_scores(300)
    none = np.zeros(300, bool)
    model, turned = (
        fit_noise_model(scores, labels, none),
        fit_noise_model(scores[:, ::-1], 1 - labels, none),
    )
    assert_allclose(model.rate, turned.rate, atol=1e-3)
    assert_allclose(model.matrix, turned.matrix[::-1, ::-1], atol=1e-3)
    moved = fit_noise_model(scores[::-1], labels[::-1], none)
    assert_allclose(model.rate, moved.rate, atol=1e-6)
    scaled = fit_noise_model(5.0 * scores, labels, none)
    assert_allclose(model.rate, scaled.rate, atol=1e-6)
    assert_allclose(model.true_classes(scores), scaled.true_classes(5.0 * scores), atol=1e-6)


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
    NoiseModel(**sound)._check_loaded()
    with pytest.raises(ValueError):
        NoiseModel(**(sound | changes))._check_loaded()


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
    chances = fit_noise_model(scores, given, np.zeros(400, bool)).true_classes(scores)
    assert np.abs(chances[:, 1] - 0.7).mean() < 0.25
    assert chances.max() < 0.97


@pytest.mark.parametrize("seed", range(6))
def test_no_rate_is_above_a_half(seed):
    """Few rows of several classes, nearly all the weight on some of them."""
    rng = np.random.default_rng(seed)
    K = 3 + seed % 3
    scores = log_scores(rng.dirichlet(np.full(K, 0.3), 12))
    given = np.append(np.arange(K), rng.integers(0, K, 12 - K))
    model = fit_noise_model(scores, given, np.zeros(12, bool), np.exp(rng.uniform(-9, 9, 12)))
    assert 0.0 <= model.interval[0] <= model.interval[1] <= 0.5
    assert 0.0 <= model.rate <= 0.5
