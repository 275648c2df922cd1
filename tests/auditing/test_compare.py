"""Metrics, held to scikit-learn's; accuracy without the noise, held to the truth."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn import metrics as sk

from nacre import GradientBoostClassifier, NacreClassifier
from nacre.auditing.compare import (
    LEARN_FROM,
    compare,
    metrics,
    noise_free_accuracy,
    ordinary_boosting,
)
from nacre.bins import bin_training
from nacre.data import fold_of
from nacre.noise import flip_labels
from tests.training import noisy_problem


@pytest.mark.parametrize("K", [2, 4])
def test_metrics_are_scikit_learns(K):
    rng = np.random.default_rng(0)
    y, fold = rng.integers(0, K, 300), np.arange(300) % 3
    chances = rng.dirichlet(np.ones(K), 300)
    found = metrics(chances, y, fold)
    assert set(found) == {"accuracy", "balanced_accuracy", "log_loss"} | (
        {"auc"} if K == 2 else set()
    )
    by_fold = {
        "accuracy": lambda y, p: sk.accuracy_score(y, p.argmax(axis=1)),
        "balanced_accuracy": lambda y, p: sk.balanced_accuracy_score(y, p.argmax(axis=1)),
        "log_loss": sk.log_loss,
        "auc": lambda y, p: sk.roc_auc_score(y, p[:, 1]),
    }
    for name, one in found.items():
        values = [by_fold[name](y[fold == k], chances[fold == k]) for k in range(3)]
        assert one["mean"] == pytest.approx(np.mean(values))
        assert one["error"] == pytest.approx(np.std(values, ddof=1) / np.sqrt(3))


def test_metrics_where_a_fold_has_one_class_or_there_is_one_fold():
    chances = np.array([[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]])
    found = metrics(chances, np.array([0, 1, 0]), np.array([0, 0, 1]))
    assert found["auc"] == {"mean": 1.0, "error": 0.0}
    assert found["accuracy"] == {"mean": 1.0, "error": 0.0}
    assert "auc" not in metrics(chances[2:], np.array([0]), np.array([1]))


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


def test_ordinary_boosting_is_gradient_boosting_of_the_other_folds():
    training = noisy_problem(120, 3, 3, flip=0.1)
    fold = fold_of(training, 4, 0)
    out = np.zeros(120, bool)
    out[:10] = True
    found = ordinary_boosting(training, bin_training(training), fold, out, 0).held_out()
    np.testing.assert_allclose(found.sum(axis=1), 0.0, atol=1e-12)
    agree = []
    for k in range(4):
        rows = np.flatnonzero((fold != k) & ~out)
        model = GradientBoostClassifier().fit(training.X[rows], training.y[rows])
        held = fold == k
        agree += (model.predict(training.X[held]) == found[held].argmax(axis=1)).tolist()
    assert np.mean(agree) > 0.9  # cut points and the prior differ a little


def test_no_model_of_the_card_has_seen_the_label_it_is_judged_by():
    """One row's label changed: what is said of it stays as it was."""
    training = noisy_problem(80, 2)
    fold, none = fold_of(training, 4, 0), np.zeros(80, bool)
    bins = bin_training(training)
    before = ordinary_boosting(training, bins, fold, none, 0).held_out()
    y = training.y.copy()
    y[7] = 1 - y[7]
    after = ordinary_boosting(replace(training, y=y), bins, fold, none, 0).held_out()
    assert np.array_equal(before[7], after[7])
    assert not np.array_equal(before, after)


def test_the_card():
    training = noisy_problem(150, 3, flip=0.1)
    clean = np.arange(150) < 30
    model = NacreClassifier("fast", random_state=0)
    found = model.fit(training.X, training.y, clean=clean).found_
    card = compare(found, training, bin_training(training), clean, 0).card
    assert [one["what"] for one in card["models"]] == list(LEARN_FROM)
    robust = card["models"][0]
    right = found.probabilities.argmax(axis=1) == training.y
    fold = fold_of(training, 5, 0)
    means = [right[fold == k].mean() for k in range(5)]
    assert robust["given"]["accuracy"]["mean"] == pytest.approx(np.mean(means))
    assert robust["trusted"]["accuracy"]["mean"] > 0.5
    assert (card["folds"], card["rows"]) == (5, 150)
    assert 0 <= card["changed"] < 75


def test_large_tables_are_compared_on_a_sample(monkeypatch):
    monkeypatch.setattr("nacre.auditing.compare.ROWS", 60)
    training = noisy_problem(150, 2)
    found = NacreClassifier("fast", random_state=0).fit(training.X, training.y).found_
    assert compare(found, training, bin_training(training), None, 0).card["rows"] == 60


def test_without_the_suspects_means_without_them(monkeypatch):
    """The second model learns from all rows, the third from those that are not suspect."""
    training = noisy_problem(150, 2, flip=0.1)
    found = NacreClassifier("fast", random_state=0).fit(training.X, training.y).found_
    assert found.mislabeled.any()
    left_out = []

    def note(training, bins, fold, left, seed):
        left_out.append(left.copy())
        return SimpleNamespace(held_out=lambda: np.zeros((len(training.y), 2)))

    monkeypatch.setattr("nacre.auditing.compare.ordinary_boosting", note)
    compare(found, training, bin_training(training), None, 0)
    np.testing.assert_array_equal(left_out[0], np.zeros(150, bool))
    np.testing.assert_array_equal(left_out[1], found.mislabeled)
