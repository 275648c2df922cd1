"""Artificial data against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from nacre.datasets import (
    make_bernoulli,
    make_random_labels,
    make_ring,
    make_sine,
    make_sphere,
)

MAKERS = [make_ring, make_sine, make_sphere, make_bernoulli, make_random_labels]


@pytest.mark.parametrize("make", MAKERS)
@given(n=st.integers(1, 50), seed=st.integers(0, 2**32 - 1))
def test_what_all_share(make, n, seed):
    X, y = make(n, random_state=seed)
    assert X.shape == (n, 5 if make is make_sphere else 2)
    assert y.shape == (n,)
    assert set(y.tolist()) <= {-1, 1}
    again, labels = make(n, random_state=seed)
    assert_array_equal(X, again)
    assert_array_equal(y, labels)
    assert not np.array_equal(X, make(n, random_state=seed ^ 1)[0])


def test_ring():
    X, y = make_ring(20_000, random_state=0)
    assert X.min() >= 0
    assert X.max() <= 1
    for (a, b), label in zip(X[:2000].tolist(), y.tolist(), strict=False):
        assert label == (1 if (a - 0.5) ** 2 + (b - 0.5) ** 2 <= 1 / 8 else -1)
    assert abs((y == 1).mean() - np.pi / 8) < 0.01
    assert np.all(np.abs(X.mean(axis=0) - 0.5) < 0.01)


def test_sine():
    X, y = make_sine(20_000, random_state=0)
    assert X.min() >= -4
    assert X.max() <= 4
    for (a, b), label in zip(X[:2000].tolist(), y.tolist(), strict=False):
        assert label == np.sign(b - 3 * np.sin(a))
    assert np.all(np.abs(X.var(axis=0) - 64 / 12) < 0.1)


@pytest.mark.parametrize("dimensions", [1, 3, 5])
def test_sphere(dimensions):
    X, y = make_sphere(2000, n_features=dimensions, random_state=0)
    assert X.shape == (2000, dimensions)
    radius = np.linalg.norm(X, axis=1)
    assert (y == 1).sum() == 1000
    assert radius[y == 1].min() > radius[y == -1].max()
    assert abs(X.std() - 1) < 0.05


@pytest.mark.parametrize("chance", [0.0, 0.2, 0.7, 1.0])
def test_bernoulli(chance):
    X, y = make_bernoulli(20_000, chance=chance, random_state=0)
    assert np.abs(X).max() <= 1
    assert abs((y == 1).mean() - chance) < 0.015
    right = X[:, 0] > 0
    assert abs((y[right] == 1).mean() - (y[~right] == 1).mean()) < 0.03


def test_random_labels_are_a_coins():
    X, y = make_random_labels(20_000, random_state=0)
    assert abs(y.mean()) < 0.03
    assert abs(np.corrcoef(X[:, 0], y)[0, 1]) < 0.03


@pytest.mark.parametrize("make", MAKERS)
def test_bad_sizes(make):
    with pytest.raises(ValueError, match=r"^n_samples must be at least 1, got 0\.$"):
        make(0)
    with pytest.raises(TypeError, match=r"^n_samples must be a whole number, got 2\.5\.$"):
        make(2.5)


def test_bad_parameters():
    with pytest.raises(ValueError, match=r"^n_features must be at least 1"):
        make_sphere(10, n_features=0)
    for chance in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match=r"^chance must be a number from 0 to 1"):
            make_bernoulli(10, chance=chance)
