import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.kernels import network as kernel
from nacre.learners.network import NetworkFitter
from tests.textbook import network as textbook
from tests.training import make_problem, noisy_problem


def fitter_of(n=60, d=3, n_classes=2, hidden=3, decay=0.01, categorical=(), seed=0):
    """A prepared learner, and its inputs with one column for each category."""
    rng = np.random.default_rng(seed)
    X = noisy_problem(n, d, seed=seed).X
    X[:, list(categorical)] = rng.integers(0, 4, (n, len(categorical)))
    X[rng.random((n, d)) < 0.1] = np.nan
    training = make_problem(X, rng.integers(0, n_classes, n), None, n_classes, categorical)
    fitter = NetworkFitter(training, hidden, 50, decay)
    inputs = fitter.numbers.T
    for c in range(len(fitter.places)):
        first, stop = fitter.columns.firsts[c : c + 2]
        inputs = np.column_stack([inputs, fitter.places[c][:, None] == np.arange(first, stop)])
    return fitter, inputs, training.y[fitter.order]


def at_random(fitter, seed):
    fitter.net.flat[:] = np.random.default_rng(seed).normal(size=len(fitter.net.flat))
    return fitter.net


def gradient_of(fitter, w, decay=0.01):
    gradient = fitter.others[0]
    loss = kernel.find_gradient(fitter.rows, w, decay, fitter.net, gradient, fitter.work)
    return loss, gradient.flat.copy()


SHAPES = [
    {},
    {"n_classes": 4, "hidden": 2},
    {"d": 4, "categorical": (1, 3), "n_classes": 3},
    {"d": 1, "categorical": (0,), "hidden": 1},
    {"n": 2 * kernel.TILE + 7, "d": 2},
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_outputs_and_loss_are_the_formulas(shape):
    fitter, inputs, y = fitter_of(**shape)
    net = at_random(fitter, 1)
    n = len(y)
    out, hidden = np.empty((fitter.n_classes, n)), np.empty((len(net.inner), n))
    kernel.forward(fitter.numbers, fitter.places, 0, n, net.inner, net.outer, hidden, out)
    np.testing.assert_allclose(out.T, textbook.outputs(inputs, net.inner, net.outer), atol=1e-13)
    w = np.random.default_rng(2).random(n)
    expected = textbook.loss(inputs, y, w, 0.01, net.inner, net.outer)
    assert gradient_of(fitter, w)[0] == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_gradient_is_that_of_finite_differences(shape):
    fitter, inputs, y = fitter_of(**shape)
    net = at_random(fitter, 3)
    w = np.random.default_rng(4).random(len(y))
    found = gradient_of(fitter, w)[1]
    for p in range(len(found)):
        at, sides = net.flat[p], []
        for step in (1e-5, -1e-5):
            net.flat[p] = at + step
            sides.append(textbook.loss(inputs, y, w, 0.01, net.inner, net.outer))
        net.flat[p] = at
        assert found[p] == pytest.approx((sides[0] - sides[1]) / 2e-5, rel=1e-6, abs=1e-6)


@given(st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_weights_are_repeated_rows(n_classes, seed):
    rng = np.random.default_rng(seed)
    n = 20
    X, y = rng.normal(size=(n, 2)), rng.integers(0, n_classes, n)
    times = rng.integers(0, 4, n)
    times[0] = 1
    found = []
    for rows, weight in ((np.arange(n), times), (np.repeat(np.arange(n), times), 1)):
        training = make_problem(X[rows], y[rows], None, n_classes)
        fitter = NetworkFitter(training, 3, 50, 0.01)
        fitter.numbers[:] = X[rows][fitter.order].T  # not in standard units: those would differ
        at_random(fitter, 5)
        w = np.broadcast_to(weight, len(rows))[fitter.order] / times.sum()
        found.append(gradient_of(fitter, w))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-13)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-10, atol=1e-14)


def test_far_outputs_have_a_finite_loss():
    fitter, _, y = fitter_of()
    w = np.full(len(y), 1 / len(y))
    at_random(fitter, 6)
    fitter.net.flat[:] *= 1e6
    loss, gradient = gradient_of(fitter, w)
    assert 1e3 < loss < np.inf
    assert np.all(np.isfinite(gradient))


def trained(fitter, w, epochs, decay=0.01, seed=7):
    kernel.start_at_random(np.array([seed], np.uint64), fitter.net)
    loss = kernel.train(fitter.rows, w, decay, epochs, fitter.net, *fitter.others, fitter.work)
    assert loss == pytest.approx(gradient_of(fitter, w, decay)[0], rel=1e-12)
    return loss


@pytest.mark.parametrize("n_classes", [2, 3])
def test_training_goes_down_to_the_bottom(n_classes):
    fitter, _, y = fitter_of(n=100, n_classes=n_classes)
    w = np.random.default_rng(8).random(len(y))
    w /= w.sum()
    losses = [trained(fitter, w, epochs) for epochs in (1, 2, 5, 10, 20, 50, 1000)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] - 0.05
    assert np.abs(gradient_of(fitter, w)[1]).max() < 1e-5


def test_training_ends_at_the_bottom_only():
    """Also where the loss bends down on the way: such steps must not be remembered."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    ring = np.abs((X**2).sum(axis=1) - 1.4) < 0.8
    fitter = NetworkFitter(make_problem(X, ring), 4, 1, 1e-3)
    w = rng.random(200)[fitter.order]
    w /= w.sum()
    for seed in range(100):
        trained(fitter, w, 3000, 1e-3, seed)
        assert np.abs(gradient_of(fitter, w, 1e-3)[1]).max() < 1e-5


def test_training_ends_where_it_is_told_to():
    fitter, _, y = fitter_of()
    w = np.full(len(y), 1 / len(y))
    kernel.start_at_random(np.array([7], np.uint64), fitter.net)
    start = fitter.net.flat.copy()
    trained(fitter, w, 1)
    assert np.array_equal(fitter.net.flat, start)


def test_starts_are_spread_out():
    fitter, inputs, _ = fitter_of(n=300, d=30, hidden=20)
    state = np.array([0], np.uint64)
    kernel.start_at_random(state, fitter.net)
    first = fitter.net.flat.copy()
    inner, outer = fitter.net.inner.copy(), fitter.net.outer.copy()
    kernel.start_at_random(state, fitter.net)
    assert not np.any(fitter.net.flat == first)
    assert np.abs(inner[:, -1]).max() <= 1.0
    assert np.abs(inner[:, :-1]).max() <= 30**-0.5
    assert abs(inner[:, :-1].mean()) < 0.02
    assert np.abs(outer).max() <= 1.0
    assert np.std(inputs @ inner[:, :-1].T) == pytest.approx(3**-0.5, rel=0.2)


# Row by row


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_row_by_row_is_the_textbook(shape):
    fitter, inputs, y = fitter_of(**shape)
    n, rate, epochs = len(y), 0.1, 2
    w = np.random.default_rng(2).random(n)
    chances = np.cumsum(w / w.sum())
    state, same = (np.array([9], np.uint64) for _ in range(2))
    rows = [kernel.pick(same, chances) for _ in range(epochs * n)]
    net = at_random(fitter, 1)
    inner, outer = net.inner.copy(), net.outer.copy()
    work = fitter.work._replace(share=np.empty(len(inner)))
    kernel.train_online(fitter.rows, y, chances, 0.01, epochs, rate, state, net, work)
    textbook.online(inputs, y, rows, 0.01, rate, inner, outer)
    np.testing.assert_allclose(net.inner, inner, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(net.outer, outer, rtol=1e-8, atol=1e-10)
    assert state == same


def test_rows_are_picked_by_their_weights():
    w = np.array([0.0, 0.5, 0.0, 0.2, 0.3, 0.0])
    state = np.array([1], np.uint64)
    picked = [kernel.pick(state, np.cumsum(w)) for _ in range(20_000)]
    np.testing.assert_allclose(np.bincount(picked, minlength=6) / 20_000, w, atol=0.015)
    assert {0, 2, 5}.isdisjoint(picked)
