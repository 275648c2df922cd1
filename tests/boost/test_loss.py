"""The losses of gradient boosting against their definitions."""

import numpy as np
import pytest

from nacre.boost.loss import Backward, CrossEntropy, Forward, LogLoss, TanhLoss, chances, of_label
from tests.textbook import gradient as twin

LOSSES = [
    LogLoss(),
    TanhLoss(),
    CrossEntropy(0.7),
    CrossEntropy(0.2),
    Forward(0.0),
    Forward(0.2),
    Backward(0.0),
    Backward(0.2),
]


@pytest.fixture(params=[2, 3, 6])
def rows(request):
    """Scores and which class is each row's."""
    K = request.param
    rng = np.random.default_rng(K)
    scores = rng.normal(size=(40, 1 if K == 2 else K))
    return scores, twin.own_class(rng.integers(0, K, 40), K)


def test_chances_are_the_softmax_of_twice_the_scores(rows):
    scores, hit = rows
    p = chances(scores)
    np.testing.assert_allclose(p, twin.chances(scores), rtol=1e-12)
    P, Y = twin.both(p, hit)
    np.testing.assert_allclose(of_label(p, hit), (P * Y).sum(axis=1), rtol=1e-12)
    # one column of half log-odds is the difference of two
    one = np.linspace(-3, 3, 7)[:, None]
    np.testing.assert_allclose(chances(np.hstack([-one, one]) / 2)[:, 1:], chances(one))


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_pull_is_minus_the_gradient(loss, rows):
    scores, hit = rows
    pull, curvature = loss.pull(chances(scores), hit)
    tiny = 1e-6
    for k in range(scores.shape[1]):
        step = np.zeros(scores.shape)
        step[:, k] = tiny
        up, down = (loss.value(chances(scores + sign * step), hit) for sign in (1, -1))
        np.testing.assert_allclose(pull[:, k], (down - up) / (4 * tiny), atol=1e-8)  # in 2F
    assert (curvature > 0).all()


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_two_classes_in_one_column_or_in_two(loss):
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=(30, 1)), rng.integers(0, 2, 30)
    one = chances(scores), twin.own_class(y, 2)
    two = tuple(np.hstack([1 - part, part]) for part in one)
    np.testing.assert_allclose(loss.value(*one), loss.value(*two), atol=1e-12)
    for narrow, wide in zip(loss.pull(*one), loss.pull(*two), strict=True):
        np.testing.assert_allclose(narrow[:, 0], wide[:, 1], atol=1e-12)


def test_values(rows):
    scores, hit = rows
    p = chances(scores)
    own, K = of_label(p, hit), max(2, p.shape[1])
    np.testing.assert_allclose(LogLoss().value(p, hit), -np.log(own))
    np.testing.assert_allclose(TanhLoss().value(p, hit), 1 - own)
    np.testing.assert_allclose(CrossEntropy(0.3).value(p, hit), (1 - own**0.3) / 0.3)
    seen = (np.hstack([1 - p, p]) if K == 2 else p) @ twin.noise_matrix(0.2, K)
    own_seen = (seen * twin.both(p, hit)[1]).sum(axis=1)
    np.testing.assert_allclose(Forward(0.2).value(p, hit), -np.log(own_seen))
    if K == 2:
        signs = 2 * hit - 1
        tanh = (1 - np.tanh(signs * scores)) / 2
        np.testing.assert_allclose(TanhLoss().value(p, hit), tanh[:, 0])
        logistic = np.log1p(np.exp(-2 * signs * scores))
        np.testing.assert_allclose(LogLoss().value(p, hit), logistic[:, 0])


@pytest.mark.parametrize("rate", [0.05, 0.2, 0.4])
def test_backward_is_the_log_loss_on_average(rate, rows):
    scores, hit = rows
    p = chances(scores)
    _, Y = twin.both(p, hit)
    K = Y.shape[1]
    if rate >= (K - 1) / K:
        return
    matrix = twin.noise_matrix(rate, K)
    mean, pull = np.zeros(len(p)), np.zeros(p.shape)
    for k in range(K):  # the label may be flipped to any
        seen = np.tile(np.eye(K)[k], (len(p), 1))[:, -p.shape[1] :]
        chance = Y @ matrix[:, k]
        mean += chance * Backward(rate).value(p, seen)
        pull += chance[:, None] * Backward(rate).pull(p, seen)[0]
    np.testing.assert_allclose(mean, LogLoss().value(p, hit), atol=1e-9)
    np.testing.assert_allclose(pull, LogLoss().pull(p, hit)[0], atol=1e-9)


def assert_same_loss(one, other, p, hit, **tolerance):
    np.testing.assert_allclose(one.value(p, hit), other.value(p, hit), **tolerance)
    for a, b in zip(one.pull(p, hit), other.pull(p, hit), strict=True):
        np.testing.assert_allclose(a, b, **tolerance)


def test_the_ends_of_the_scales(rows):
    scores, hit = rows
    p = chances(scores)
    assert_same_loss(CrossEntropy(1e-8), LogLoss(), p, hit, atol=1e-6)
    assert_same_loss(CrossEntropy(1.0), TanhLoss(), p, hit, atol=1e-14)
    assert_same_loss(Forward(0.0), LogLoss(), p, hit, atol=1e-14)
    assert_same_loss(Backward(0.0), LogLoss(), p, hit, atol=1e-14)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("far", [30.0, 1e3, 1e300])
def test_far_out_everything_is_finite(loss, far):
    for scores, K in ((np.array([[far], [-far]]), 2), (np.array([[far, 0, 0], [0, -far, far]]), 3)):
        for y in ([0, 0], [1, 1]):
            hit, p = twin.own_class(np.array(y), K), chances(scores)
            assert np.isfinite(loss.value(p, hit)).all()
            for part in loss.pull(p, hit):
                assert np.isfinite(part).all()


def test_bounded_losses_give_up_hopeless_rows():
    hit, p = np.ones((1, 1)), np.array([[1e-9]])
    for loss in (TanhLoss(), CrossEntropy(0.7), Forward(0.1)):
        assert abs(loss.pull(p, hit)[0]) < 1e-5
    assert LogLoss().pull(p, hit)[0] > 0.99


def test_losses_are_values():
    assert CrossEntropy(0.7) == CrossEntropy() != CrossEntropy(0.5)
    assert repr(Forward(0.1)) == "Forward(rate=0.1)"
    assert len({LogLoss(), LogLoss(), TanhLoss()}) == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CrossEntropy(0), "q must be a number above 0"),
        (lambda: CrossEntropy(1.1), "q must be at most 1, got 1.1"),
        (lambda: Forward(-1), "rate must be a number of 0"),
        (lambda: Backward(2e6), "rate must be a number of 0"),
    ],
)
def test_bad_parameters(make, message):
    with pytest.raises(ValueError, match=message):
        make()
