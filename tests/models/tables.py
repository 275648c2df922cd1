"""Tables for tests of classifiers, and how two classifiers of stumps compare."""

import warnings

import numpy as np
from numpy.testing import assert_allclose

nan = np.nan


def table(n=200, d=4, n_classes=2, seed=0, gaps=0.1, categories=True):
    """Numbers with gaps, the last column categories, and labels one in five of which is random."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = X[:, 0] + 0.5 * X[:, 1 % d]
    if categories and d > 1:
        X[:, -1] = rng.integers(0, 5, n)
        score = score + (X[:, -1] == 2)
    X[rng.random((n, d)) < gaps] = nan
    y = np.argsort(np.argsort(score)) * n_classes // n
    y = np.where(rng.random(n) < 0.2, rng.integers(0, n_classes, n), y)
    y[:n_classes] = np.arange(n_classes)
    return X, y


def quiet_fit(model, *data, **more):
    """Fit where the first round may fail, as on random labels."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Boosting stopped in the first round")
        return model.fit(*data, **more)


def assert_same_stumps(one, other):
    """The same rules, and votes equal but for rounding."""
    assert list(one.estimators_) == list(other.estimators_)
    assert_allclose(one.estimator_weights_, other.estimator_weights_, rtol=1e-9, atol=1e-12)
    assert one.stop_reason_ == other.stop_reason_
