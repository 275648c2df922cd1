import numpy as np
import pytest

from nacre.kernels import smooth
from nacre.kernels.compile import vectorised

exp, log, tanh = smooth.exp, smooth.log, smooth.tanh


@vectorised
def exp_all(x, out):
    for i in range(len(x)):
        out[i] = exp(x[i])


@vectorised
def log_all(x, out):
    for i in range(len(x)):
        out[i] = log(x[i])


@vectorised
def tanh_all(x, out):
    for i in range(len(x)):
        out[i] = tanh(x[i])


def computed(loop, x):
    out = np.empty_like(x)
    loop(x, out)
    return out


def exact(function, x):
    """To more digits than a float has, where the machine can."""
    return function(x.astype(np.longdouble))


@pytest.fixture
def points():
    rng = np.random.default_rng(0)
    near = [0.0, -0.0, 5e-324, 1e-300, np.log(2) / 2, -np.log(2) / 2, 1.0, -1.0]
    return np.concatenate([near, rng.normal(size=20_000), rng.uniform(-40, 40, 20_000)])


def test_exp(points):
    x = np.concatenate([points, np.random.default_rng(1).uniform(-708, 708, 20_000)])
    truth = exact(np.exp, x)
    assert np.abs((computed(exp_all, x) - truth) / truth).max() < 5e-16


def test_exp_far_out():
    far = computed(exp_all, np.array([-1e300, -709.0, -708.0, 708.0, 709.0, 1e300]))
    assert far[0] == far[1] == far[2] > 0.0
    assert far[3] == far[4] == far[5] < np.inf


def test_log(points):
    rng = np.random.default_rng(1)
    edges = [1.0, 2**0.5, np.nextafter(2**0.5, 9), 2.0, np.nextafter(2.0, 1), 1e308]
    x = np.concatenate([edges, 1 + np.abs(points), np.exp(rng.uniform(0, 700, 20_000))])
    found, truth = computed(log_all, x), exact(np.log, x)
    assert np.all(found[x == 1.0] == 0.0)
    assert np.all(np.abs(found - truth) <= 1e-15 * truth)


def test_tanh(points):
    found = computed(tanh_all, points)
    assert np.abs(found - exact(np.tanh, points)).max() < 5e-16
    assert np.abs(found).max() <= 1.0
    assert computed(tanh_all, np.array([-1e300, 0.0, 1e300])).tolist() == [-1.0, 0.0, 1.0]


def test_alone_as_in_a_loop(points):
    x = points[:50]
    np.testing.assert_allclose([exp(one) for one in x], computed(exp_all, x), rtol=1e-15)
    np.testing.assert_allclose([tanh(one) for one in x], computed(tanh_all, x), atol=1e-15)
