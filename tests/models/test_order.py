"""The order of the rows does not matter, whatever is drawn or held out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer
from sklearn.neighbors import KNeighborsClassifier

import nacre
from nacre import (
    AdaBoostClassifier,
    CoreBoostClassifier,
    GradientBoostClassifier,
    MarginBoostClassifier,
    NacreClassifier,
    SNRBoostClassifier,
)
from nacre.noise import flip_labels, judge

ROUNDING = 1e-6
"""Sums of rows in another order differ in their last bits, and rounds may add to that."""


@pytest.fixture(scope="module")
def rows():
    X, y = load_breast_cancer(return_X_y=True)
    y = flip_labels(y, 0.2, random_state=0)[0]
    X = np.vstack([X[:280], X[:20]])  # copies are drawn, and held out, together
    return X, np.append(y[:280], y[:20]), np.random.default_rng(0).permutation(300)


@pytest.mark.parametrize(
    "model",
    [
        AdaBoostClassifier(n_estimators=20, n_iter_no_change=5),
        AdaBoostClassifier(KNeighborsClassifier(), n_estimators=3),
        CoreBoostClassifier(n_estimators=30, noise_rate=0.2),
        GradientBoostClassifier(n_estimators=10, subsample=0.5),
        MarginBoostClassifier(n_estimators=30),
        SNRBoostClassifier(n_estimators=30),
    ],
    ids=repr,
)
def test_boosters(model, rows):
    X, y, order = rows
    model.set_params(random_state=0)
    one = model.fit(X, y).predict_proba(X)
    other = model.fit(X[order], y[order]).predict_proba(X)
    assert_allclose(one, other, atol=ROUNDING)


@pytest.mark.slow
def test_the_default_classifier(rows):
    X, y, order = rows
    model = NacreClassifier("fast", random_state=0)
    one, found = model.fit(X, y).predict_proba(X), model.found_.scores
    other = model.fit(X[order], y[order]).predict_proba(X)
    assert_allclose(one, other, atol=ROUNDING)
    assert_allclose(found[order], model.found_.scores, atol=ROUNDING)


def test_judging_a_sample(monkeypatch):
    monkeypatch.setattr(judge, "JUDGES", 200)
    rng = np.random.default_rng(0)
    chances = rng.dirichlet([0.3, 0.3], 600)
    y = (rng.random(600) < chances[:, 1]).astype(int)
    order = rng.permutation(600)
    one, other = nacre.judge_labels(chances, y), nacre.judge_labels(chances[order], y[order])
    assert one.noise.rate == pytest.approx(other.noise.rate, abs=1e-9)
    assert_allclose(one.scores[order], other.scores, atol=1e-9)
