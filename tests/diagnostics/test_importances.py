"""Permutation importances: noise does not count, nor do columns of many values."""

import numpy as np
import pytest

from nacre import AdaBoostClassifier, GradientBoostClassifier, NacreClassifier
from nacre.diagnostics import permutation_importances
from nacre.diagnostics.importances import noisy_log_loss
from nacre.noise import flip_labels


def table(n=400, rate=0.2):
    """One column that tells, of two values, and one of random numbers."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, n), rng.normal(size=n)])
    return X, flip_labels(X[:, 0].astype(int), rate, random_state=0)[0]


def test_random_numbers_gain_and_do_not_count():
    X, y = table()
    model = GradientBoostClassifier().fit(X[::2], y[::2])
    assert model.feature_importances_[1] > 0.2
    found = permutation_importances(model, X[1::2], y[1::2], random_state=0)
    assert found.importances_mean[0] > 0.2
    assert found.importances_mean[1] < 0.02
    assert found.importances.shape == (2, 5)


def test_the_loss_of_a_true_model_is_least_at_its_own_noise():
    """Wrong labels do not count against a model that is right."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 2000)
    matrix = np.array([[0.8, 0.2], [0.3, 0.7]])
    labels = (rng.random(2000) < matrix[y, 1]).astype(int)
    sure = np.eye(2)[y]
    timid = 0.7 * sure + 0.15
    assert noisy_log_loss(sure, labels, matrix) < noisy_log_loss(timid, labels, matrix)
    assert noisy_log_loss(sure, labels, np.eye(2)) > noisy_log_loss(timid, labels, np.eye(2))


def test_the_matrix_of_the_model_is_the_default():
    X, y = table(n=120)
    model = NacreClassifier("fast", random_state=0).fit(X, y)
    own, told, none = (
        permutation_importances(model, X, y, noise_matrix=matrix, random_state=0).importances
        for matrix in (None, model.noise_matrix_, np.eye(2))
    )
    np.testing.assert_array_equal(own, told)
    assert not np.allclose(own, none)


def test_weights_leave_rows_out():
    X, y = table(n=100)
    model = AdaBoostClassifier(n_estimators=5).fit(X, y)
    weight = np.arange(100) < 50
    with_weights = permutation_importances(model, X, y, sample_weight=weight * 1.0, random_state=0)
    assert with_weights.importances_mean[0] > 0


@pytest.mark.parametrize("matrix", [np.eye(3), [[1, 1], [0, 1]], [[2, -1], [0, 1]]])
def test_matrices_that_are_none(matrix):
    X, y = table(n=50)
    with pytest.raises(ValueError, match="noise_matrix must"):
        permutation_importances(
            AdaBoostClassifier(n_estimators=2).fit(X, y), X, y, noise_matrix=matrix
        )
