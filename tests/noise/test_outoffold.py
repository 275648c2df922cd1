"""The noise rate from out-of-fold probabilities."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_wine, make_moons
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC

from nacre.data import fold_of, out_of_fold_probabilities
from nacre.noise import OutOfFold, estimate_noise_rate, flip_labels
from nacre.noise.noise_model import fit_noise_model
from tests.training import make_problem

MOONS = make_moons(1500, noise=0.25, random_state=0)
CANCER = load_breast_cancer(return_X_y=True)
WINE = load_wine(return_X_y=True)
QUICK = OutOfFold(KNeighborsClassifier(30))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("X", "y", "rate"),
    [(*MOONS, 0.2), (*CANCER, 0.0), (*CANCER, 0.4), (*WINE, 0.1)],
    ids=["moons", "cancer", "cancer, much noise", "wine"],
)
def test_the_rate_is_found(X, y, rate):
    labels, flipped = flip_labels(y, rate, random_state=0)
    found = estimate_noise_rate(X, labels, random_state=0)
    assert abs(found.rate - flipped.mean()) < 0.06
    low, high = found.interval
    assert 0 <= low <= found.rate <= high <= 1
    assert_allclose(found.matrix.sum(axis=1), np.ones(len(found.classes)))


def test_rates_by_class_are_found():
    X, y = MOONS
    labels, _ = flip_labels(y, {(0, 1): 0.3, (1, 0): 0.05}, random_state=0)
    found = estimate_noise_rate(X, labels, method=QUICK, random_state=0)
    assert_allclose(found.matrix, [[0.7, 0.3], [0.05, 0.95]], atol=0.08)
    assert_allclose(found.rate, np.mean(labels != y), atol=0.05)


def test_overlap_is_not_noise():
    """Labels drawn from a smooth chance of x, none of them flipped."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    y = (rng.random(3000) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int)
    found = estimate_noise_rate(X, y, method=OutOfFold(LogisticRegression()), random_state=0)
    assert found.rate < 0.06


@pytest.mark.slow
def test_clean_rows_help():
    errors = {True: [], False: []}
    for seed in range(5):
        X, y = make_moons(600, noise=0.3, random_state=seed)
        clean = np.arange(600) % 3 == 0
        labels, flipped = flip_labels(y, {(0, 1): 0.45}, clean=clean, random_state=seed)
        for used in (True, False):
            mask = clean if used else None
            found = estimate_noise_rate(X, labels, clean=mask, method=QUICK, random_state=seed)
            truth = flipped[~clean].mean() if used else flipped.mean()
            errors[used].append(abs(found.rate - truth))
    assert np.mean(errors[True]) < min(0.04, np.mean(errors[False]))


def test_no_model_has_seen_the_rows_it_judges():
    class Memory(ExtraTreesClassifier):
        def fit(self, X, y):
            self.seen_ = set(X[:, 0])
            return super().fit(X, y)

        def predict_proba(self, X):
            assert not self.seen_ & set(X[:, 0])
            return super().predict_proba(X)

    X, y = np.arange(100.0)[:, None], np.arange(100) % 2
    training = make_problem(X, y)
    chances = out_of_fold_probabilities(training, fold_of(training, 4), Memory(5))
    assert_allclose(chances.sum(axis=1), 1)


def test_any_classifier_on_its_own_table():
    X, y = MOONS
    frame = pd.DataFrame({"side": np.where(X[:, 1] > 0.25, "up", "down"), "x": X[:, 0].round(1)})
    labels, _ = flip_labels(y, 0.1, random_state=0)
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    found = estimate_noise_rate(frame, labels, method=OutOfFold(model), random_state=0)
    assert abs(found.rate - 0.1) < 0.1


@pytest.mark.slow
def test_the_seed_decides():
    X, y = WINE[0][::3], WINE[1][::3]
    one, again = (estimate_noise_rate(X, y, random_state=1).rate for _ in range(2))
    assert one == again != estimate_noise_rate(X, y, random_state=2).rate


def test_many_rows_are_sampled(monkeypatch):
    X, y = MOONS
    labels, _ = flip_labels(y, 0.2, random_state=0)
    seen = []
    monkeypatch.setattr("nacre.noise.outoffold.JUDGES", 500)
    monkeypatch.setattr(
        "nacre.noise.judge.fit_noise_model",
        lambda scores, *rest: seen.append(len(scores)) or fit_noise_model(scores, *rest),
    )
    found = estimate_noise_rate(X, labels, method=QUICK, random_state=0)
    assert abs(found.rate - 0.2) < 0.1
    assert seen == [500]


def test_a_class_of_one_row_and_few_rows():
    X, y = CANCER
    alone = np.where(np.arange(len(y)) == 5, 2, y)
    found = estimate_noise_rate(X, alone, method=QUICK, random_state=0)
    assert_array_equal(found.classes, [0, 1, 2])
    assert found.rate < 0.1
    few = estimate_noise_rate(X[:4], [0, 1, 0, 1], method=OutOfFold(n_folds=2), random_state=0)
    assert 0 <= few.interval[0] <= few.interval[1] <= 1


@pytest.mark.parametrize("folds", [1, 0, 2.5, "5", 150])
def test_bad_folds(folds):
    with pytest.raises(ValueError, match="folds must be a whole number from 2 to 100"):
        estimate_noise_rate(CANCER[0][:100], CANCER[1][:100], method=OutOfFold(n_folds=folds))


def test_fewer_rows_than_folds():
    with pytest.raises(ValueError, match="from 2 to 4, the number of rows; got 5"):
        estimate_noise_rate(CANCER[0][:4], [0, 1, 0, 1])


def test_models_without_probabilities_are_refused():
    with pytest.raises(TypeError, match="must have predict_proba"):
        estimate_noise_rate(*CANCER, method=OutOfFold(LinearSVC()))
