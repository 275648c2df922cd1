"""Stopping on held-out rows, through the estimators."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.tree import DecisionTreeClassifier

from nacre import (
    AdaBoostClassifier,
    CoreBoostClassifier,
    GradientBoostClassifier,
    L2BoostClassifier,
    MarginBoostClassifier,
)
from nacre.boost.result import EARLY
from nacre.data import hold_out
from tests.boost.test_continue import textbook_rule
from tests.models.boosters import BOOSTERS
from tests.training import make_problem, noisy_problem

boosters = pytest.mark.parametrize("name", BOOSTERS)
NAMES = np.array(["ant", "bee", "cat"])


def table(n, n_classes=2, seed=0):
    training = noisy_problem(n, 4, n_classes, flip=0.3, seed=seed)
    weight = np.random.default_rng(seed).random(n) + 0.1
    return training.X, NAMES[training.y], weight


def early(name, patience, **parameters):
    return clone(BOOSTERS[name]).set_params(
        n_iter_no_change=patience, random_state=3, **{"n_estimators": 40, **parameters}
    )


def staged_errors(model, X, y, weight):
    return [np.average(said != y, weights=weight) for said in model.staged_predict(X)]


@boosters
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_validation_set(name, n_classes):
    X, y, w = table(150, n_classes)
    held = table(80, n_classes, seed=1)
    full = clone(BOOSTERS[name]).set_params(n_estimators=40, random_state=3).fit(X, y, w)
    errors = staged_errors(full, *held)
    model = early(name, 5, stop_on="error")
    model.fit(X, y, w, X_val=held[0], y_val=held[1], sample_weight_val=held[2])
    best, stop = textbook_rule(errors, 5)
    assert_allclose(model.validation_scores_, errors[:stop], atol=1e-12)
    assert len(model.estimators_) == len(model.estimator_weights_) == best
    assert len(model.estimator_errors_) == best
    assert model.stop_reason_ == (EARLY if best < len(full.estimators_) else full.stop_reason_)
    assert model.score(held[0], held[1], held[2]) == pytest.approx(1 - min(errors[:stop]))
    if best < len(full.estimators_):  # the model that so many rounds would have given
        fewer = clone(full).set_params(n_estimators=best).fit(X, y, w)
        assert_allclose(model.decision_function(X), fewer.decision_function(X), atol=1e-9)
        assert_allclose(model.predict_proba(X), fewer.predict_proba(X), atol=1e-7)


@boosters
@pytest.mark.parametrize("on", ["error", "loss"])
def test_a_share_of_the_rows(name, on):
    X, y, w = table(200, 3)
    model = early(name, 4, stop_on=on, validation_fraction=0.25).fit(X, y, w)
    seed = model._run.seed
    codes = np.searchsorted(NAMES, y)
    rest, held = hold_out(make_problem(X, codes, w), 0.25, seed)
    assert len(held.y) == pytest.approx(50, abs=2)
    rows = rest.kept
    again = early(name, 4, stop_on=on)
    again.fit(
        X[rows], y[rows], w[rows],
        X_val=X[held.kept], y_val=y[held.kept], sample_weight_val=w[held.kept],
    )  # fmt: skip
    assert_allclose(model.validation_scores_, again.validation_scores_, rtol=1e-9)
    assert_allclose(model.decision_function(X), again.decision_function(X), atol=1e-9)
    best, stop = textbook_rule(model.validation_scores_.tolist(), 4)
    assert len(model.estimators_) == best
    assert stop in (None, len(model.validation_scores_))


@pytest.mark.parametrize("name", ["l2", "logit", "gentle", "gradient", "gradient, gce, drawn"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_loss_of_gradient_boosters(name, n_classes):
    X, y, w = table(150, n_classes)
    held = table(80, n_classes, seed=1)
    model = early(name, 40, stop_on="loss")
    model.fit(X, y, w, X_val=held[0], y_val=held[1], sample_weight_val=held[2])
    codes, best = np.searchsorted(NAMES, held[1]), len(model.estimators_)
    star = (codes[:, None] == ([1] if n_classes == 2 else np.arange(n_classes))) * 1.0
    signs, own = 2 * star - 1, []
    for scores, chances in zip(
        model.staged_decision_function(held[0]), model.staged_predict_proba(held[0]), strict=True
    ):
        F = scores.reshape(len(codes), -1)
        p = chances[np.arange(len(codes)), codes]
        own.append(
            {
                "l2": lambda F=F: ((signs - F) ** 2).mean(axis=1),
                "gentle": lambda F=F: np.exp(-signs * F).mean(axis=1),
                "gradient, gce, drawn": lambda p=p: (1 - p**0.7) / 0.7,
            }.get(name, lambda p=p: -np.log(p))()
        )
    means = [np.average(loss, weights=held[2]) for loss in own]
    if n_classes == 2 or name not in ("l2", "gentle"):  # those levels are not the scores' own
        assert_allclose(model.validation_scores_[:best], means, rtol=1e-9)
    assert np.argmin(model.validation_scores_) == best - 1


def test_the_loss_of_voting_boosters():
    X, y, w = table(150)
    held = table(80, seed=1)
    model = AdaBoostClassifier(n_estimators=40, n_iter_no_change=40, stop_on="loss")
    model.fit(X, y, w, X_val=held[0], y_val=held[1], sample_weight_val=held[2])
    signs = np.where(held[1] == "bee", 1, -1)
    means = [
        np.average(np.exp(-signs * F), weights=held[2])
        for F in model.staged_decision_function(held[0])
    ]
    assert_allclose(model.validation_scores_[: len(means)], means, rtol=1e-9)


def test_it_helps():
    X, y, _ = table(400, seed=5)
    X_test, y_test, _ = table(2000, seed=6)
    long = GradientBoostClassifier(n_estimators=300, learning_rate=0.3).fit(X, y)
    short = clone(long).set_params(n_iter_no_change=10, random_state=0).fit(X, y)
    assert len(short.estimators_) < 100
    assert short.stop_reason_ == EARLY
    assert log_loss(y_test, short.predict_proba(X_test)) < log_loss(
        y_test, long.predict_proba(X_test)
    )


def test_no_scores_without_held_out_rows():
    X, y, _ = table(60)
    model = AdaBoostClassifier(n_estimators=5, n_iter_no_change=2, random_state=0).fit(X, y)
    assert len(model.validation_scores_) >= 1
    model.set_params(n_iter_no_change=None).fit(X, y)
    assert len(model.estimators_) == 5
    assert not hasattr(model, "validation_scores_")


def test_weights_of_the_validation_set():
    X, y, _ = table(150)
    X_val, y_val, w_val = table(80, seed=1)

    def scores(weight, rows=slice(None)):
        model = AdaBoostClassifier(n_estimators=20, n_iter_no_change=20)
        model.fit(X, y, X_val=X_val[rows], y_val=y_val[rows], sample_weight_val=weight)
        return model.validation_scores_

    some = np.arange(80) % 3 == 0
    assert_allclose(scores(some * 1.0), scores(None, some))  # weight 0 is left out
    assert_allclose(scores(w_val), scores(5 * w_val))
    assert np.abs(scores(w_val) - scores(None)).max() > 1e-3
    times = np.arange(80) % 3 + 1
    assert_allclose(scores(times), scores(None, np.repeat(np.arange(80), times)))


def test_a_validation_set_of_one_class():
    X, y, _ = table(100)
    rows = y == "bee"
    model = AdaBoostClassifier(n_estimators=10, n_iter_no_change=3)
    model.fit(X, y, X_val=X[rows], y_val=y[rows])
    assert np.isfinite(model.validation_scores_).all()


def test_frames():
    X, y, _ = table(150)
    X_val, y_val, _ = table(80, seed=1)
    frame, frame_val = (pd.DataFrame(part, columns=list("abcd")) for part in (X, X_val))
    for learner in (None, DecisionTreeClassifier(max_depth=2)):
        model = AdaBoostClassifier(learner, n_estimators=20, n_iter_no_change=5, random_state=0)
        by_array = clone(model).fit(X, y, X_val=X_val, y_val=y_val)
        by_frame = clone(model).fit(frame, pd.Series(y), X_val=frame_val, y_val=pd.Series(y_val))
        assert_allclose(by_frame.validation_scores_, by_array.validation_scores_)
        held = clone(model).fit(frame, pd.Series(y))
        assert_allclose(held.validation_scores_, clone(model).fit(X, y).validation_scores_)
    with pytest.raises(ValueError, match="feature names should match"):
        model.fit(frame, y, X_val=frame_val[list("dcba")], y_val=y_val)


def test_categories_of_the_validation_set():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"c": pd.Categorical(rng.choice(list("xyz"), 200)), "n": rng.random(200)})
    y = np.where(frame["c"] == "x", "in", "out")
    later = pd.DataFrame({"c": pd.Categorical(["x", "z", "new", None]), "n": [0.1, 0.2, 0.3, 0.4]})
    model = AdaBoostClassifier(n_estimators=5, n_iter_no_change=2)
    model.fit(frame, y, X_val=later, y_val=["in", "out", "out", "out"])
    assert model.validation_scores_[0] <= 0.5


def test_trusted_rows_follow_the_split():
    # rates and trust are per row, also once some rows are held out or have weight 0
    X, y, w = table(200)
    w[::7] = 0
    clean = np.arange(200) % 2 == 0
    rates = np.linspace(0.01, 0.2, 200)
    model = CoreBoostClassifier(
        noise_rate=rates, n_estimators=10, n_iter_no_change=10, random_state=0
    ).fit(X, y, w, clean=clean)
    left = np.flatnonzero(w > 0)
    codes = np.searchsorted(NAMES, y)
    rest, held = hold_out(make_problem(X[left], codes[left], w[left]), 0.1, model._run.seed)
    rows = left[rest.kept]
    again = CoreBoostClassifier(
        noise_rate=rates[rows], n_estimators=10, n_iter_no_change=10, random_state=0
    )
    again.fit(
        X[rows], y[rows], w[rows], clean=clean[rows],
        X_val=X[left[held.kept]], y_val=y[left[held.kept]], sample_weight_val=w[left[held.kept]],
    )  # fmt: skip
    assert_allclose(model.decision_function(X), again.decision_function(X), atol=1e-9)
    assert_allclose(model.validation_scores_, again.validation_scores_)


# What is refused


@boosters
def test_a_validation_set_for_nothing(name):
    X, y, w = table(60)
    model = clone(BOOSTERS[name])
    for given in ({"X_val": X, "y_val": y}, {"y_val": y}, {"sample_weight_val": w}):
        with pytest.raises(ValueError, match="A validation set is of use with n_iter_no_change"):
            model.fit(X, y, **given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"X_val": 1}, "needs both X_val and y_val"),
        ({"y_val": 1}, "needs both X_val and y_val"),
        ({"sample_weight_val": 1}, "needs both X_val and y_val"),
    ],
)
def test_half_a_validation_set(given, words):
    X, y, w = table(60)
    parts = {"X_val": X, "y_val": y, "sample_weight_val": w}
    with pytest.raises(ValueError, match=words):
        AdaBoostClassifier(n_iter_no_change=2).fit(X, y, **{key: parts[key] for key in given})


def test_bad_validation_sets():
    X, y, _ = table(60)
    model = AdaBoostClassifier(n_iter_no_change=2)
    with pytest.raises(ValueError, match="labels of classes_ only"):
        model.fit(X, y, X_val=X, y_val=np.full(60, "dog"))
    with pytest.raises(ValueError, match="labels of classes_ only"):
        model.fit(X, y, X_val=X, y_val=np.zeros(60, int))
    with pytest.raises(ValueError, match="X has 3 features"):
        model.fit(X, y, X_val=X[:, :3], y_val=y)
    with pytest.raises(ValueError, match="X has 59 rows, y has 60"):
        model.fit(X, y, X_val=X[:59], y_val=y)
    with pytest.raises(ValueError, match="contains infinity"):
        model.fit(X, y, X_val=np.full((60, 4), np.inf), y_val=y)
    with pytest.raises(ValueError, match="sample_weight"):
        model.fit(X, y, X_val=X, y_val=y, sample_weight_val=np.ones(3))


def test_too_few_rows_to_hold_out():
    X, y, _ = table(8)
    with pytest.raises(ValueError, match=r"validation_fraction=0\.1 of 8 rows leaves none"):
        AdaBoostClassifier(n_iter_no_change=2).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "kind", "words"),
    [
        ({"n_iter_no_change": 0}, ValueError, "n_iter_no_change must be at least 1, got 0"),
        ({"n_iter_no_change": 2.0}, TypeError, "n_iter_no_change must be a whole number, got 2.0"),
        ({"validation_fraction": 0.0}, ValueError, "validation_fraction must be between 0 and 1"),
        ({"validation_fraction": 1.0}, ValueError, "validation_fraction must be between 0 and 1"),
        (
            {"validation_fraction": "a"},
            (TypeError, ValueError),
            "validation_fraction must be between 0 and 1, got 'a'",
        ),
        ({"stop_on": "auc"}, ValueError, "stop_on must be one of error, loss; got 'auc'"),
    ],
)
@pytest.mark.parametrize("booster", [MarginBoostClassifier, L2BoostClassifier])
def test_bad_parameters(booster, parameters, kind, words):
    X, y, _ = table(20)
    with pytest.raises(kind, match=words):
        booster(**parameters).fit(X, y)
