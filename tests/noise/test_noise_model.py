"""The model between scores and labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import expit, softmax

from nacre.noise import flip_labels
from nacre.noise.judge import judge
from nacre.noise.noise_model import (
    NORMAL,
    OVERLAP,
    POWERS,
    RATES,
    STEEPNESS,
    NoiseModel,
    _with_rates,
    calibrated_loss,
    fit_noise_model,
    has_signal,
    log_scores,
    spread,
    symmetric_losses,
)


def test_symmetric_noise_is_found():
    """Where the scores are the chances of the classes, the model counts the flips."""
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
    assert low < model.rate < high < low + 0.14
    sure = model.given_label(log_scores(chances), labels, np.zeros(4000, bool))
    assert abs(1.0 - sure[np.arange(4000), labels].mean() - model.rate) < 1e-6


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
    scores, labels, flipped = noisy_scores(2000, {(0, 1): 0.4}, spread=4.0)
    none = np.zeros(2000, bool)
    model = fit_noise_model(scores, labels, none)
    assert_allclose(model.matrix, [[0.6, 0.4], [0.0, 1.0]], atol=0.08)
    assert model.interval[0] < flipped.mean() < model.interval[1]
    unlike = np.ptp(model.matrices.diagonal(axis1=1, axis2=2), axis=1) > 1e-9
    assert model.weight[unlike].sum() > 0.99
    scores, labels, _ = noisy_scores(2000, 0.2, spread=4.0)
    model = fit_noise_model(scores, labels, none)
    unlike = np.ptp(model.matrices.diagonal(axis1=1, axis2=2), axis=1) > 1e-9
    assert model.weight[unlike].sum() < 0.5


@pytest.mark.parametrize(
    "shift", [0.0, pytest.param(-3.0, marks=pytest.mark.slow)], ids=["even", "imbalanced"]
)
def test_overlap_is_not_noise(shift):
    """Labels that nobody flipped, of classes that overlap: few seem wrong, perhaps none is."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        scores = overlapping(rng, 800, shift)
        given = drawn(rng, scores)
        model = fit_noise_model(scores, given, np.zeros(800, bool))
        assert model.interval[0] == 0.0
        assert model.rate < 0.04
        assert model.matrix.diagonal().min() > 0.8


def test_trusted_rows_tell_overlap_from_noise():
    """Labels are drawn from chances: are these of the true classes, or is the likelier one true?

    Nobody can tell from the labels; a hundred rows whose true class is known do.
    """
    rng = np.random.default_rng(0)
    scores = overlapping(rng, 800)
    given, clean = drawn(rng, scores), np.arange(800) < 100
    unknown = fit_noise_model(scores, given, np.zeros(800, bool))
    assert_allclose(unknown.weight @ unknown.overlap, OVERLAP, atol=0.05)
    honest = fit_noise_model(scores, given, clean)
    assert honest.weight @ honest.overlap[:, 3] < 0.01
    assert honest.interval[0] == 0.0
    true = scores.argmax(axis=1)
    wrong = (given != true)[~clean].mean()
    noisy = fit_noise_model(scores, np.where(clean, true, given), clean)
    assert noisy.weight @ noisy.overlap[:, 0] < 0.01
    assert unknown.rate < 0.05 < wrong - 0.06 < noisy.rate < wrong + 0.06
    assert noisy.interval[0] > 0.1
    posterior = noisy.given_label(scores, given, clean)
    assert (posterior.argmax(axis=1) == true)[~clean].mean() > 0.95


def test_labels_before_they_were_checked_tell_most():
    """Of a hundred rows that were checked: none was wrong; most against the scores; any of them.

    The last are wrong where the scores agree with them, too: no noise model has that.
    """
    rng = np.random.default_rng(0)
    scores, clean = overlapping(rng, 800), np.arange(800) < 100
    given = drawn(rng, scores)
    alone = fit_noise_model(scores, given, clean)
    original = np.where(clean, given, -1)
    right = fit_noise_model(scores, given, clean, original=original)
    assert right.interval[0] == 0.0
    assert right.interval[1] < 0.06 < 0.2 < alone.interval[1]
    against = (given != scores.argmax(axis=1)) & (rng.random(800) < 0.8)
    for wrong in (against, rng.random(800) < 0.3):
        true = np.where(wrong, 1 - given, given)
        share = wrong[~clean].mean()
        found = fit_noise_model(scores, np.where(clean, true, given), clean, original=original)
        assert found.interval[0] < share < found.interval[1]
        assert abs(found.rate - share) < 0.1
        posterior = found.given_label(scores, given, clean)
        assert_allclose(posterior.sum(axis=1), 1.0)
        assert_allclose(1 - posterior[np.arange(800), given][~clean].mean(), found.rate)
    assert found.checks.share > 0.9


def test_checked_rows_may_show_that_most_labels_are_wrong():
    """Three labels in five, to any other class: without the labels as they were nobody says so."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 4, 600)
    scores = 2.0 * np.eye(4)[true] + rng.normal(size=(600, 4))
    scores -= scores.mean(axis=1, keepdims=True)
    given, flipped = flip_labels(true, 0.6, random_state=0)
    unknown = fit_noise_model(scores, given, np.zeros(600, bool))
    assert unknown.rate <= unknown.interval[1] <= 0.5
    clean = np.arange(600) < 100
    original = np.where(clean, given, -1)
    found = fit_noise_model(scores, np.where(clean, true, given), clean, original=original)
    share = flipped[~clean].mean()
    assert found.rate > 0.5
    assert_allclose(found.rate, share, atol=0.08)
    assert found.interval[0] < share < found.interval[1] < 0.8


@pytest.mark.slow
def test_the_first_suspects_are_as_many_wrong_as_expected():
    """Of a tenth, half and all of the queue, over tables of overlapping classes."""
    expected, wrong = np.zeros(3), np.zeros(3)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        scores = 1.6 * overlapping(rng, 600)
        given, flipped = flip_labels(
            drawn(rng, scores), 0.05 + 0.05 * (seed % 4), random_state=seed
        )
        found, _ = judge(scores, given, np.zeros(600, bool), np.arange(2))
        for at, share in enumerate((0.1, 0.5, 1.0)):
            first = round(share * len(found.suspects))
            expected[at] += found.expected_wrong(first)
            wrong[at] += flipped[found.suspects[:first]].sum()
    assert wrong[2] > 100
    assert_allclose(expected / wrong, 1.0, atol=0.25)


@pytest.mark.slow
def test_many_classes():
    """Where flips go is not learned there."""
    rng = np.random.default_rng(0)
    chances = rng.dirichlet(np.full(12, 0.05), 1500)
    y = (rng.random((1500, 1)) > chances.cumsum(axis=1)).sum(axis=1)
    labels, flipped = flip_labels(np.minimum(y, 11), 0.2, random_state=0)
    model = fit_noise_model(log_scores(chances), labels, np.zeros(1500, bool))
    assert_allclose(model.rate, flipped.mean(), atol=0.03)
    assert model.interval[0] < flipped.mean() < model.interval[1]
    assert model.matrices.shape == (len(model.weight), 12, 12)


PART = {
    "rate": 0.2,
    "interval": (0.1, 0.3),
    "matrix": np.array([[0.9, 0.1], [0.3, 0.7]]),
    "scale": 2.0,
    "weight": np.ones(1),
    "steep": np.ones(1),
    "slopes": np.ones((1, 2)),
    "shift": np.zeros((1, 2)),
    "matrices": np.array([[[0.9, 0.1], [0.3, 0.7]]]),
    "overlap": np.eye(1, len(POWERS)),
}


def test_what_is_behind_a_label():
    """Bayes' rule by hand, for a model of one part; clean rows are what they are labelled."""
    model = NoiseModel(**PART)
    scores = np.array([[1.0, -1.0], [1.0, -1.0], [-3.0, 3.0]])
    p = expit([1.0, 1.0, -3.0])  # of class 0, at scale 2
    assert_allclose(model.true_classes(scores)[:, 0], p)
    posterior = model.given_label(scores, np.array([1, 0, 0]), np.array([False, False, True]))
    assert_allclose(posterior[0, 0], p[0] * 0.1 / (p[0] * 0.1 + (1 - p[0]) * 0.7))
    assert_allclose(posterior[1, 0], p[1] * 0.9 / (p[1] * 0.9 + (1 - p[1]) * 0.3))
    assert_allclose(posterior[2], [1, 0])


def test_slopes_and_shifts():
    model = NoiseModel(
        **(PART | {"slopes": np.array([[2.0, 1.0]]), "shift": np.array([[0.0, 1.0]])})
    )
    p = expit(1.0)
    expected = p**2 / (p**2 + (1 - p) * np.e)
    assert_allclose(model.true_classes(np.array([[1.0, -1.0]]))[0], [expected, 1 - expected])


def test_a_part_that_believes_in_less_overlap():
    """By hand: of class 1, which loses, the rows that are too many are of class 0."""
    model = NoiseModel(**(PART | {"overlap": np.eye(6)[[2]]}))
    scores, p = np.array([[1.0, -1.0]]), expit(1.0)
    sharp = p**2.5 / (p**2.5 + (1 - p) ** 2.5)
    assert_allclose(model.true_classes(scores)[0], [sharp, 1 - sharp])
    posterior = model.given_label(scores, np.array([1]), np.array([False]))
    labelled = (1 - p) * 0.7 / (p * 0.1 + (1 - p) * 0.7)
    assert_allclose(posterior[0, 1], labelled * (1 - sharp) / (1 - p))
    assert_allclose(posterior.sum(), 1.0)


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
    few, many = (
        fit_noise_model(scores, labels, none, np.full(200, w)).interval for w in (1.0, 20.0)
    )
    assert many[1] - many[0] < few[1] - few[0]


def test_probabilities_of_noise_models():
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
    assert 0.0 <= low < model.rate < high <= 0.5
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


@pytest.mark.parametrize(
    "changes",
    [
        {"scale": 0.0},
        {"scale": np.nan},
        {"scale": 1},
        {"weight": np.zeros(1)},
        {"weight": np.array([-1.0])},
        {"weight": np.array([np.nan])},
        {"weight": np.ones(0)},
        {"steep": np.ones(3)},
        {"slopes": np.ones(1)},
        {"slopes": np.ones((1, 3))},
        {"shift": np.ones((1, 3))},
        {"matrices": np.ones((1, 2, 3))},
        {"matrix": np.ones(4)},
        {"matrix": np.ones((2, 3))},
        {"overlap": np.ones((1, 3))},
        {"overlap": np.zeros((1, 4))},
        {"overlap": -np.ones((1, 4))},
        {"overlap": np.ones((1, 4), np.float32)},
        {"overlap": np.full((1, 4), np.nan)},
    ],
    ids=range(19),
)
def test_what_a_file_may_not_say(changes):
    NoiseModel(**PART)._check_loaded()
    with pytest.raises(ValueError):
        NoiseModel(**(PART | changes))._check_loaded()


def test_no_part_may_be_the_one_that_is_believed_in_nothing():
    """Each share could be large enough, and yet none of their products."""
    parts = {name: np.repeat(PART[name], 2, axis=0) for name in ("steep", "slopes", "shift")}
    parts |= {"matrices": np.repeat(PART["matrices"], 2, axis=0), "weight": np.array([1.0, 0.0])}
    with pytest.raises(ValueError, match="must be believed"):
        NoiseModel(
            **(PART | parts | {"overlap": np.eye(2, len(POWERS)) * [[0.0], [1.0]]})
        )._check_loaded()


def noisy_scores(n, rate=0.2, spread=3.0):
    rng = np.random.default_rng(4)
    logits = spread * rng.normal(size=n)
    y = (rng.random(n) < expit(logits)).astype(int)
    labels, flipped = flip_labels(y, rate, random_state=0)
    return np.column_stack([-logits, logits]), labels, flipped


def overlapping(rng, n, shift=0.0):
    """Centred log-probabilities of two classes that overlap."""
    half = 0.9 * rng.normal(size=n) + shift / 2.0
    return np.column_stack([-half, half])


def drawn(rng, scores):
    """Labels by the chances that are the scores' softmax."""
    return (rng.random(len(scores)) < softmax(scores, axis=1)[:, 1]).astype(int)


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


def test_labels_by_a_coin_may_be_right():
    """They look like a rate near 1/2, or like columns that say nothing: the interval has both."""
    lows = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        scores = rng.normal(size=(300, 1)) * [-1.0, 1.0]
        model = fit_noise_model(scores, rng.integers(0, 2, 300), np.zeros(300, bool))
        lows.append(model.interval[0])
        assert model.interval[1] > 0.4
    assert np.mean(np.array(lows) == 0.0) >= 0.9


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


def test_scores_are_centred_logs():
    chances = np.array([[0.7, 0.2, 0.1], [1.0, 0.0, 0.0]])
    scores = log_scores(chances)
    assert_allclose(scores.sum(axis=1), 0.0, atol=1e-12)
    assert_allclose(scores[0, 0] - scores[0, 2], np.log(7.0))
    assert np.isfinite(scores).all()
    assert scores[1, 0] > scores[1, 1] == scores[1, 2]


def test_an_interval_has_the_chance_variation_of_the_count_at_both_ends():
    scores, labels, _ = noisy_scores(600)
    clean = np.zeros(600, bool)
    model = fit_noise_model(scores, labels, clean)
    right = model.given_label(scores, labels, clean)[np.arange(600), labels]
    chance = NORMAL * np.sqrt(right @ (1.0 - right)) / 600
    found = _with_rates(model, scores, labels, clean, np.ones(600), (model.rate, model.rate))
    assert_allclose(found.interval, [found.rate - chance, found.rate + chance], atol=1e-9)


def test_a_signal_is_more_than_the_classes_shares_say():
    rng = np.random.default_rng(0)
    given = (rng.random(300) < 0.3).astype(np.int64)
    clean, weight = np.zeros(300, bool), np.ones(300)
    chance = rng.normal(size=300)
    assert not has_signal(np.column_stack([chance, -chance]), given, clean, weight)
    told = chance + 2.0 * (given == 0)
    assert has_signal(np.column_stack([told, -told]), given, clean, weight)


def test_ordered_classes_that_overlap_widely_are_not_noise():
    """Labels are those of neighbours more often than scores say, at one end above all."""
    rng = np.random.default_rng(1)
    place = rng.uniform(0.0, 8.0, 700)
    far = rng.normal(0.0, np.where(place > 4.0, 1.0, 2.5))
    labels = np.clip(np.floor(place + far), 0, 7).astype(int)
    scores = -np.abs(place[:, None] - np.arange(8) - 0.5)
    model = fit_noise_model(log_scores(softmax(scores, axis=1)), labels, np.zeros(700, bool))
    assert model.interval[0] == 0.0
    assert model.rate < 0.1  # a noise matrix of all pairs says 0.4


@pytest.mark.parametrize("rates", [(0.4, 0.0), (0.45, 0.15), (0.3, 0.05)])
def test_intervals_hold_where_noise_of_separated_classes_looks_like_overlap(rates):
    """Two clusters of scores, each of one class: how far they overlap, no label tells."""
    held = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        truth = rng.integers(2, size=2000)
        flipped = rng.random(2000) < np.array(rates)[truth]
        second = 1.0 / (1.0 + np.exp(-np.where(truth, 1.0, -1.0) * (4.0 + rng.normal(size=2000))))
        second = second * (1.0 - rates[1]) + (1.0 - second) * rates[0]
        scores = log_scores(np.column_stack([1.0 - second, second]))
        model = fit_noise_model(scores, np.where(flipped, 1 - truth, truth), np.zeros(2000, bool))
        held.append(model.interval[0] <= flipped.mean() <= model.interval[1])
    assert sum(held) >= 5
