"""Going on from the last fit, through the estimators."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from nacre import AdaBoostClassifier, CoreBoostClassifier, MarginBoostClassifier, PBoostClassifier
from tests.models.boosters import BOOSTERS
from tests.training import noisy_problem

boosters = pytest.mark.parametrize("name", BOOSTERS)
NAMES = np.array(["ant", "bee", "cat"])


def table(n=150, n_classes=2, seed=0):
    training = noisy_problem(n, 4, n_classes, flip=0.3, seed=seed)
    return training.X, NAMES[training.y], np.random.default_rng(seed).random(n) + 0.1


def warm(name, rounds, **parameters):
    return clone(BOOSTERS[name]).set_params(
        n_estimators=rounds, warm_start=True, random_state=3, **parameters
    )


def assert_same_model(one, other, X):
    assert_allclose(one.estimator_weights_, other.estimator_weights_, rtol=1e-8, atol=1e-10)
    assert_allclose(one.estimator_errors_, other.estimator_errors_, rtol=1e-7, atol=1e-9)
    assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-7)
    assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-6)
    assert len(one.estimators_) == len(other.estimators_)
    assert one.stop_reason_ == other.stop_reason_


@boosters
@pytest.mark.parametrize("n_classes", [2, 3])
def test_in_two_fits_or_in_one(name, n_classes):
    X, y, w = table(150, n_classes)
    model = warm(name, 20).fit(X, y, w)
    assert len(model.estimators_) <= 20
    model.set_params(n_estimators=50).fit(X, y, w)
    at_once = warm(name, 50).fit(X, y, w)
    assert_same_model(model, at_once, X)
    assert_same_model(model, clone(at_once).set_params(warm_start=False).fit(X, y, w), X)


@pytest.mark.parametrize("learner", [DecisionTreeClassifier(max_depth=2)])
def test_other_learners(learner):
    X, y, w = table()
    frame = pd.DataFrame(X, columns=list("abcd"))
    for rows in (X, frame):
        model = AdaBoostClassifier(learner, 10, warm_start=True, random_state=0).fit(rows, y, w)
        first = list(model.estimators_)
        model.set_params(n_estimators=25).fit(rows, y, w)
        assert [one is other for one, other in zip(first, model.estimators_, strict=False)]
        assert_same_model(model, clone(model).fit(rows, y, w), rows)


@boosters
def test_the_same_number_of_rounds_changes_nothing(name):
    X, y, w = table()
    model = warm(name, 15).fit(X, y, w)
    votes, scores = model.estimator_weights_.copy(), model.decision_function(X)
    model.fit(X, y, w)
    assert np.array_equal(model.estimator_weights_, votes)
    assert np.array_equal(model.decision_function(X), scores)


@boosters
def test_without_it_every_fit_is_new(name):
    X, y, w = table()
    model = clone(BOOSTERS[name]).set_params(n_estimators=12, random_state=3).fit(X, y, w)
    model.set_params(n_estimators=5).fit(X, y, w)
    assert len(model.estimators_) <= 5


def test_after_pickling():
    X, y, w = table()
    model = pickle.loads(pickle.dumps(warm("ada", 10).fit(X, y, w)))
    assert_same_model(
        model.set_params(n_estimators=20).fit(X, y, w), warm("ada", 20).fit(X, y, w), X
    )


def test_a_perfect_model_stays_as_it_is():
    X, y = np.arange(10.0)[:, None], np.arange(10) > 4
    model = AdaBoostClassifier(n_estimators=3, warm_start=True).fit(X, y)
    model.set_params(n_estimators=9).fit(X, y)
    assert (model.stop_reason_, len(model.estimators_)) == ("perfect", 1)


def test_from_nothing():
    X, y = np.ones((6, 1)), [0, 1, 1, 1, 0, 1]
    model = AdaBoostClassifier(n_estimators=3, warm_start=True)
    for _ in range(2):
        with pytest.warns(UserWarning, match="stopped in the first round"):
            model.fit(X, y)
    assert model.predict(X).tolist() == [1] * 6


@pytest.mark.parametrize(
    "model",
    [
        MarginBoostClassifier(cost="logistic", bootstrap=False, k=10.0),
        PBoostClassifier(variant="gravity", p=0.8),
        PBoostClassifier(),
        AdaBoostClassifier(),
    ],
)
def test_after_stopping_early(model):
    # what the best round left behind is what the next one builds on
    X, y, w = table(150)
    held = table(80, seed=1)
    model = clone(model).set_params(n_estimators=30, warm_start=True, n_iter_no_change=4)
    model.fit(X, y, w, X_val=held[0], y_val=held[1])
    kept = len(model.estimators_)
    assert kept < 30
    model.set_params(n_estimators=30, n_iter_no_change=None).fit(X, y, w)
    at_once = clone(model).fit(X, y, w)
    assert_same_model(model, at_once, X)


def test_early_stopping_goes_on():
    X, y, w = table()
    held = table(80, seed=1)
    sets = {"X_val": held[0], "y_val": held[1]}
    model = warm("ada", 5, n_iter_no_change=50).fit(X, y, w, **sets)
    scores = model.validation_scores_
    model.set_params(n_estimators=40).fit(X, y, w, **sets)
    at_once = warm("ada", 40, n_iter_no_change=50).fit(X, y, w, **sets)
    assert_allclose(model.validation_scores_[: len(scores)], scores)
    best = len(at_once.estimators_)
    assert_allclose(model.estimator_weights_[:5], at_once.estimator_weights_[:5])
    assert len(model.estimators_) == best or len(model.validation_scores_) < 40


def test_trusted_rows():
    X, y, w = table()
    clean = np.arange(150) % 3 == 0
    model = CoreBoostClassifier(DecisionTreeClassifier(max_depth=2), 10, noise_rate=0.1,
                                warm_start=True, random_state=0)  # fmt: skip
    model.fit(X, y, w, clean=clean).set_params(n_estimators=20).fit(X, y, w, clean=clean)
    assert_same_model(model, clone(model).fit(X, y, w, clean=clean), X)


# What is refused


@boosters
def test_fewer_rounds(name):
    X, y, w = table()
    model = warm(name, 9).fit(X, y, w)
    rounds = len(model.estimators_)
    assert rounds > 1
    model.set_params(n_estimators=rounds - 1)
    words = f"n_estimators={rounds - 1} must be at least the {rounds} rounds there are already"
    with pytest.raises(ValueError, match=words):
        model.fit(X, y, w)


@boosters
def test_another_table(name):
    X, y, w = table()
    three = table(150, 3)[1]
    model = warm(name, 5).fit(X, y, w)
    model.set_params(n_estimators=9)
    words = "warm_start=True needs the columns, categories, classes and learner of the first fit"
    with pytest.raises(ValueError, match=words):
        model.fit(X[:, :3], y, w)
    with pytest.raises(ValueError, match=words):
        model.fit(X, three, w)


@boosters
def test_a_refused_fit_leaves_the_model_alone(name):
    X, y, w = table()
    three = table(150, 3)[1]
    model = warm(name, 5).fit(X, y, w)
    before = model.predict_proba(X)
    for _ in range(2):
        with pytest.raises(ValueError, match="warm_start=True needs the columns"):
            model.fit(X, three, w)
        with pytest.raises(ValueError, match="warm_start=True needs the columns"):
            model.fit(X[:, :3], y, w)
    assert model.classes_.tolist() == ["ant", "bee"]
    assert_allclose(model.predict_proba(X), before)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(n_estimators=8).fit(X, y, w)


@pytest.mark.parametrize("name", ["ada", "m1 of trees", "gradient"])
def test_other_categories(name):
    rng = np.random.default_rng(0)

    def frame(letters):
        letter = rng.choice(list(letters), 200)
        table = pd.DataFrame({"c": pd.Categorical(letter), "n": rng.random(200)})
        return table, np.where((letter < "c") ^ (rng.random(200) < 0.2), "yes", "no")

    model = warm(name, 4).fit(*frame("abcd"))
    model.set_params(n_estimators=8)
    with pytest.raises(ValueError, match="warm_start=True needs"):
        model.fit(*frame("abce"))


def test_names_of_columns():
    X, y, w = table()
    model = warm("ada", 4).fit(pd.DataFrame(X, columns=list("abcd")), y, w)
    model.set_params(n_estimators=6)
    with pytest.raises(ValueError, match="columns"):
        model.fit(pd.DataFrame(X, columns=list("dcba")), y, w)


def test_another_learner():
    X, y, w = table()
    model = AdaBoostClassifier(n_estimators=4, warm_start=True).fit(X, y, w)
    model.set_params(n_estimators=8, estimator=DecisionTreeClassifier(max_depth=1))
    with pytest.raises(ValueError, match="warm_start"):
        model.fit(X, y, w)
