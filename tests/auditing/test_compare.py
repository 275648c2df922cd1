"""Scores, held to scikit-learn's; accuracy without the noise, held to the truth."""

import numpy as np
import pytest
from sklearn import metrics

from nacre.auditing.compare import noise_free_accuracy, scores
from nacre.noise import flip_labels


@pytest.mark.parametrize("K", [2, 4])
def test_scores_are_scikit_learns(K):
    rng = np.random.default_rng(0)
    y, fold = rng.integers(0, K, 300), np.arange(300) % 3
    chances = rng.dirichlet(np.ones(K), 300)
    found = scores(chances, y, fold)
    assert set(found) == {"accuracy", "balanced_accuracy", "log_loss"} | (
        {"auc"} if K == 2 else set()
    )
    by_fold = {
        "accuracy": lambda y, p: metrics.accuracy_score(y, p.argmax(axis=1)),
        "balanced_accuracy": lambda y, p: metrics.balanced_accuracy_score(y, p.argmax(axis=1)),
        "log_loss": metrics.log_loss,
        "auc": lambda y, p: metrics.roc_auc_score(y, p[:, 1]),
    }
    for name, one in found.items():
        values = [by_fold[name](y[fold == k], chances[fold == k]) for k in range(3)]
        assert one["mean"] == pytest.approx(np.mean(values))
        assert one["error"] == pytest.approx(np.std(values, ddof=1) / np.sqrt(3))


def test_scores_where_a_fold_has_one_class_or_there_is_one_fold():
    chances = np.array([[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]])
    found = scores(chances, np.array([0, 1, 0]), np.array([0, 0, 1]))
    assert found["auc"] == {"mean": 1.0, "error": 0.0}
    assert found["accuracy"] == {"mean": 1.0, "error": 0.0}
    assert "auc" not in scores(chances[2:], np.array([0]), np.array([1]))


@pytest.mark.parametrize("rate", [{(0, 1): 0.3, (1, 0): 0.1}, 0.2])
def test_accuracy_without_the_noise_is_that_against_the_truth(rate):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 100_000)
    said = np.where(rng.random(len(truth)) < 0.1, 1 - truth, truth)
    given, _ = flip_labels(truth, rate, random_state=0)
    noise = np.array(
        [[0.7, 0.3], [0.1, 0.9]] if isinstance(rate, dict) else [[0.8, 0.2], [0.2, 0.8]]
    )
    assert noise_free_accuracy(said, given, noise) == pytest.approx(0.9, abs=0.01)
    assert noise_free_accuracy(said, truth, np.eye(2)) == pytest.approx(np.mean(said == truth))


def test_accuracy_cannot_be_freed_from_noise_that_drowns_it():
    y = np.array([0, 1])
    assert noise_free_accuracy(y, y, np.full((2, 2), 0.5)) is None
    assert noise_free_accuracy(y[:0], y[:0], np.eye(2)) is None
