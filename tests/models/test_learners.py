"""Every booster over every native learner of whole rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine

from nacre import (
    AdaBoostClassifier,
    AveBoostClassifier,
    CoreBoostClassifier,
    MarginBoostClassifier,
    NaiveBayes,
    Network,
    PBoostClassifier,
    SNRBoostClassifier,
)

ROUNDS = 8
BOOSTERS = [
    AdaBoostClassifier(n_estimators=ROUNDS),
    AdaBoostClassifier(n_estimators=ROUNDS, variant="m2"),
    AveBoostClassifier(n_estimators=ROUNDS),
    MarginBoostClassifier(n_estimators=ROUNDS),
    SNRBoostClassifier(n_estimators=ROUNDS),
    PBoostClassifier(n_estimators=ROUNDS),
    CoreBoostClassifier(n_estimators=ROUNDS, noise_rate=0.05),
]
LEARNERS = [NaiveBayes(), Network(epochs=20)]

boosters = pytest.mark.parametrize("booster", BOOSTERS, ids=str)
learners = pytest.mark.parametrize("learner", LEARNERS, ids=str)


def boosted(booster, learner, **more):
    return clone(booster).set_params(estimator=learner, random_state=0, **more)


@boosters
@learners
@pytest.mark.parametrize("data", [load_breast_cancer, load_wine], ids=["two", "three"])
def test_classes(booster, learner, data):
    X, y = data(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    model = boosted(booster, learner).fit(X[::2], names[::2])
    assert 1 <= len(model.estimators_) <= ROUNDS
    assert model.score(X[1::2], names[1::2]) > 0.9
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert np.array_equal(model.classes_[chances.argmax(axis=1)], model.predict(X))
    *_, last = model.staged_decision_function(X)
    np.testing.assert_allclose(last, model.decision_function(X), atol=1e-12)


def table(n_classes=2, n=240, seed=0):
    """Numbers with gaps and text categories with gaps, both of which tell the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    kind = np.where(rng.random(n) < 0.7, y, rng.integers(0, n_classes, n))
    frame = pd.DataFrame(
        {
            "number": rng.normal(2.0 * y, 1.0),
            "other": rng.normal(1e6 * (y == 0), 1e6),
            "kind": pd.Categorical.from_codes(kind, [f"k{k}" for k in range(n_classes)]),
        }
    )
    for name in frame.columns:
        frame.loc[rng.random(n) < 0.1, name] = None
    return frame, y


@boosters
@learners
@pytest.mark.parametrize("n_classes", [2, 3])
def test_frames_with_gaps_and_categories(booster, learner, n_classes):
    frame, y = table(n_classes)
    new, truth = table(n_classes, seed=1)
    model = boosted(booster, learner).fit(frame, y)
    assert model.score(new, truth) > 0.75
    new["kind"] = new["kind"].cat.add_categories("unknown").fillna("unknown")
    assert model.score(new, truth) > 0.75


@boosters
@learners
def test_weights(booster, learner):
    frame, y = table()
    weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 2.0)
    kept = weights > 0
    wrong = np.where(kept, y, 1 - y)
    model = boosted(booster, learner)
    left_out = clone(model).fit(frame, wrong, weights)
    absent = clone(model).fit(frame[kept], y[kept], weights[kept])
    assert np.array_equal(left_out.decision_function(frame), absent.decision_function(frame))
    heavy = clone(model).fit(frame, wrong, np.where(kept, 1.0, 1e-3))
    assert heavy.score(frame, y) > 0.75


@learners
def test_the_booster_names_the_categories(learner):
    frame, y = table()
    X = np.column_stack([frame["number"], frame["kind"].cat.codes])
    by_booster = AdaBoostClassifier(learner, 5, categorical_features=[1], random_state=0).fit(X, y)
    own = clone(learner).set_params(categorical_features=[1])
    by_learner = AdaBoostClassifier(own, 5, random_state=0).fit(X, y)
    assert list(by_booster.estimators_) == list(by_learner.estimators_)


@pytest.mark.slow
@learners
def test_core_estimates_its_rate(learner):
    frame, y = table()
    model = CoreBoostClassifier(learner, 5, random_state=0).fit(frame, y)
    assert 0.0 <= model.noise_rate_ < 0.5


@boosters
@learners
def test_runs_can_be_continued(booster, learner):
    X, y = load_wine(return_X_y=True)
    fixed = {"k": 4.0} if hasattr(booster, "k") else {}  # by default the steps go by the rounds
    whole = boosted(booster, learner, **fixed).fit(X, y)
    half = boosted(booster, learner, **fixed, n_estimators=ROUNDS // 2, warm_start=True).fit(X, y)
    half.set_params(n_estimators=ROUNDS).fit(X, y)
    assert list(half.estimators_) == list(whole.estimators_)
    np.testing.assert_allclose(half.estimator_weights_, whole.estimator_weights_)


@learners
def test_other_rows_are_no_continuation(learner):
    frame, y = table(3)
    model = AdaBoostClassifier(learner, 2, warm_start=True, random_state=0).fit(frame, y)
    assert model.stop_reason_ == "rounds done"
    with pytest.raises(ValueError, match="needs the table, the weights and the learner"):
        model.set_params(n_estimators=3).fit(frame[::2], y[::2])


@learners
def test_rounds_can_be_watched(learner):
    frame, y = table(3)
    model = AdaBoostClassifier(learner, 30, n_iter_no_change=3, random_state=0).fit(frame, y)
    assert len(model.estimators_) < 30
    assert len(model.validation_scores_) >= len(model.estimators_)


@learners
def test_there_are_no_importances(learner):
    frame, y = table()
    model = AdaBoostClassifier(learner, 3, random_state=0).fit(frame, y)
    with pytest.raises(AttributeError, match="has no feature_importances_"):
        _ = model.feature_importances_
