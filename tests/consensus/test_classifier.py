"""The default classifier."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nacre import NacreClassifier
from nacre.bins.cuts import Rows
from nacre.consensus import blend, prediction
from nacre.consensus.members import BaggedTrees
from nacre.noise import flip_labels
from nacre.noise.noise_model import spread

nan = np.nan
EFFORTS = ("fast", "full")


def fitted(X, y, effort="fast", seed=0, **given):
    return NacreClassifier(effort, random_state=seed).fit(X, y, **given)


def blobs(n=150, n_classes=2, apart=2.5, seed=0, shares=None):
    """Classes about the corners of a simplex, and a column that says nothing."""
    rng = np.random.default_rng(seed)
    y = rng.choice(n_classes, n, p=shares)
    y[:n_classes] = np.arange(n_classes)
    X = rng.normal(size=(n, n_classes + 1))
    X[np.arange(n), y] += apart
    return X, y


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


@pytest.fixture(scope="module")
def noisy():
    """A table, its true labels, the noisy ones, and which of these are wrong."""
    X, y = blobs(300, apart=3.0, seed=1)
    labels, flipped = flip_labels(y, 0.2, random_state=1)
    return X, y, labels, flipped


@pytest.fixture(scope="module", params=EFFORTS)
def model(request, noisy):
    return fitted(noisy[0], noisy[2], request.param)


# Wrong labels


@pytest.mark.slow
def test_better_than_a_random_forest(cancer):
    X, y = cancer
    ours, theirs = [], []
    for seed in range(2):
        labels, _ = flip_labels(y[:380], 0.3, random_state=seed)
        ours.append(fitted(X[:380], labels, seed=seed).score(X[380:], y[380:]))
        forest = RandomForestClassifier(100, random_state=seed).fit(X[:380], labels)
        theirs.append(forest.score(X[380:], y[380:]))
    assert np.mean(ours) > 0.91
    assert np.mean(ours) > np.mean(theirs) + 0.03


def long_servedio(n, seed):
    """Long and Servedio 2010: 21 features of -1 and 1, whose majority is the label.

    Half of the rows have all features right (large margins), a quarter the first 11 only (pullers),
    a quarter 5 of these and 6 of the rest (penalisers).
    """
    rng = np.random.default_rng(seed)
    right = np.full((n, 21), -1.0)
    kind = rng.choice(3, n, p=[0.5, 0.25, 0.25])
    right[kind == 0] = 1.0
    right[kind == 1, :11] = 1.0
    for row in np.flatnonzero(kind == 2):
        right[row, rng.choice(11, 5, replace=False)] = 1.0
        right[row, 11 + rng.choice(10, 6, replace=False)] = 1.0
    y = rng.choice([-1, 1], n)
    return right * y[:, None], y


@pytest.mark.slow
def test_where_convex_costs_fail():
    X, y = long_servedio(2000, 0)
    labels, _ = flip_labels(y, 0.2, random_state=0)
    model = fitted(X, labels, "full")
    assert model.score(*long_servedio(4000, 1)) > 0.93


def test_noise_is_measured_and_found(noisy, model):
    X, y, _, flipped = noisy
    assert model.noise_rate_ == pytest.approx(0.2, abs=0.06)
    low, high = model.noise_.interval
    assert low < 0.2 < high
    assert_allclose(model.noise_matrix_, [[0.8, 0.2], [0.2, 0.8]], atol=0.1)
    assert flipped[model.suspects_].mean() > 0.85
    assert np.isin(np.flatnonzero(flipped), model.suspects_).mean() > 0.8
    assert flipped[model.suspects_[:20]].all()
    assert (model.predict(X) == y).mean() > 0.95
    assert model.label_quality_[flipped].mean() < 0.3 < 0.8 < model.label_quality_[~flipped].mean()


def test_members_of_no_weight_are_dropped(noisy, monkeypatch):
    X, _, labels, _ = noisy
    new = blobs(400, apart=3.0, seed=2)[0]
    some = fitted(X, labels)
    monkeypatch.setattr(blend, "NEGLIGIBLE", 0.0)
    monkeypatch.setattr(blend, "thinned", lambda member, share: member)
    whole = fitted(X, labels)
    assert len(some._members) <= len(whole._members) == 6
    share = whole._weights * [spread(one.scores(Rows(X))) for one in whole._members]
    assert len(some._members) >= np.sum(share > 0.02 * share.sum())
    change = np.abs(some.predict_proba(new) - whole.predict_proba(new))
    assert change.mean() < 0.01
    assert np.mean(some.predict(new) != whole.predict(new)) < 0.01


def test_forests_keep_trees_by_their_weight():
    X, y = blobs()
    model = fitted(X, y, seed=1)
    forest = next(one for one in model._members if isinstance(one, BaggedTrees))
    count = len(forest.trees)
    assert len(blend.thinned(forest, 1.0).trees) == count
    assert len(blend.thinned(forest, 0.8).trees) == np.ceil(0.8 * count)
    assert len(blend.thinned(forest, 0.1).trees) == -(-count // 2)


def test_rows_are_predicted_the_same_in_threads(noisy, model, monkeypatch):
    X = noisy[0]
    monkeypatch.setattr(prediction, "ROWS_AT_ONCE", 64)
    alone = model.predict_proba(X)
    try:
        assert np.array_equal(model.set_params(n_jobs=2).predict_proba(X), alone)
    finally:
        model.set_params(n_jobs=None)


@pytest.mark.slow
def test_noise_of_one_class_only():
    X, y = blobs(1500, apart=3.5)  # of 400 rows, classes that overlap are as likely
    labels, _ = flip_labels(y, {(0, 1): 0.4}, random_state=0)
    model = fitted(X, labels)
    assert model.score(X, y) > 0.93
    assert model.noise_matrix_[0, 1] == pytest.approx(0.4, abs=0.1)
    assert model.noise_matrix_[1, 0] < 0.1
    assert (labels[model.suspects_] == 1).mean() > 0.9


@pytest.mark.slow
def test_ten_classes():
    X, y = blobs(500, 10, apart=4.0)
    labels, flipped = flip_labels(y, 0.2, random_state=0)
    model = fitted(X, labels)
    assert model.score(X, y) > 0.9
    assert model.noise_rate_ == pytest.approx(0.2, abs=0.08)
    assert flipped[model.suspects_].mean() > 0.8


@pytest.mark.parametrize("effort", EFFORTS)
def test_random_labels_carry_no_signal(effort):
    rng = np.random.default_rng(0)
    with pytest.warns(UserWarning, match="no signal that could be found") as caught:
        fitted(rng.normal(size=(200, 4)), rng.integers(0, 2, 200), effort)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("seed", range(3))
def test_signal_under_much_noise_is_signal(seed):
    X, y = blobs(300, apart=3.0, seed=seed)
    fitted(X, flip_labels(y, 0.35, random_state=seed)[0])  # a warning would be an error


# Clean rows


def test_clean_rows_are_never_suspects(noisy):
    X, _, labels, flipped = noisy
    clean = np.arange(300) % 3 == 0
    model = fitted(X, labels, clean=clean)
    assert not np.isin(model.suspects_, np.flatnonzero(clean)).any()
    assert (model.label_quality_[clean] == 1.0).all()
    assert np.array_equal(model.found_.suggested[clean], labels[clean])
    assert flipped[clean].any()  # of which some are wrong all the same


@pytest.mark.slow
def test_clean_rows_help():
    """Most labels of one class are wrong, which nobody could know without clean rows."""
    gains = []
    for seed in (2, 3, 4):
        X, y = blobs(400, apart=2.5, seed=seed)
        clean = np.arange(400) % 4 == 0
        labels, _ = flip_labels(y, {(0, 1): 0.6}, clean=clean, random_state=seed)
        model = fitted(X, labels, seed=seed, clean=clean)
        assert model.score(X, y) > 0.92
        assert model.noise_matrix_[0, 1] == pytest.approx(0.6, abs=0.08)
        gains.append(model.score(X, y) - fitted(X, labels, seed=seed).score(X, y))
    assert np.mean(gains) > 0.03


def test_all_rows_clean(noisy):
    X, y, _, _ = noisy
    model = fitted(X, y, clean=np.ones(300, bool))
    assert (model.noise_rate_, len(model.suspects_)) == (0.0, 0)
    assert model.score(X, y) > 0.95


# Probabilities


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities(n_classes):
    X, y = blobs(200, n_classes)
    model = fitted(X, flip_labels(y, 0.2, random_state=0)[0])
    p = model.predict_proba(X)
    assert p.shape == (200, n_classes)
    assert ((p >= 0) & (p <= 1)).all()
    assert_allclose(p.sum(axis=1), 1.0)
    assert np.array_equal(model.predict(X), model.classes_[p.argmax(axis=1)])
    assert_allclose(np.exp(model.predict_log_proba(X)), p)
    scores = model.decision_function(X)
    if n_classes == 2:
        assert_allclose(1 / (1 + np.exp(-scores)), p[:, 1])
    else:
        assert_allclose(scores.sum(axis=1), 0.0, atol=1e-9)
        assert np.array_equal(scores.argmax(axis=1), p.argmax(axis=1))


def test_probabilities_are_of_the_truth():
    """Not of the noisy labels: 30 % flips leave sure rows sure."""
    X, y = blobs(400, apart=3.0)
    model = fitted(X, flip_labels(y, 0.3, random_state=0)[0])
    fresh, truth = blobs(2000, apart=3.0, seed=1)
    p = model.predict_proba(fresh)[np.arange(2000), truth]
    assert -np.log(p).mean() < 0.4  # of the noisy labels: at least 0.61
    assert np.median(p) > 0.95


def test_importances(noisy, model):
    own = model.feature_importances_
    assert own.shape == (3,)
    assert own.sum() == pytest.approx(1.0)
    assert own.argmin() == 2


# What is found about the rows


def test_found(noisy, model):
    X, _, labels, _ = noisy
    found = model.found_
    assert np.array_equal(found.given, labels)
    assert np.array_equal(model.label_quality_, found.quality)
    assert np.array_equal(np.sort(model.suspects_), np.flatnonzero(found.suspected))
    assert (np.diff(found.scores[model.suspects_]) <= 0).all()
    assert found.noise is model.noise_
    assert (found.noise.rate, found.noise.matrix.shape) == (model.noise_rate_, (2, 2))
    assert_allclose(found.probabilities.sum(axis=1), 1.0)
    assert_allclose(found.posterior.sum(axis=1), 1.0)
    # by models that have not seen the rows, not by the one that predicts
    assert not np.allclose(found.probabilities, model.predict_proba(X))


def test_a_wrong_label_does_not_hide_itself():
    """A flipped row, far inside the other class, comes first; one alone may be chance."""
    X, y = blobs(200, apart=4.0)
    row = int(np.argmax(X[:, 0] - X[:, 1]))
    assert y[row] == 0
    y[row] = 1
    model = fitted(X, y, "full")
    found = model.found_
    assert found.order[0] == row
    assert found.scores[row] > 0.1 > 100 * found.scores[found.order[1]]
    assert model.found_.probabilities[row, 0] > 0.95
    assert model.predict(X[[row]]) == [0]


def test_self_training_has_its_say_on_new_rows_of_small_tables_only(noisy, monkeypatch):
    X, _, labels, _ = noisy
    small = fitted(X, labels)
    monkeypatch.setattr(blend, "MANY", len(X))
    large = fitted(X, labels)
    assert np.array_equal(small.found_.posterior, large.found_.posterior)
    assert not np.allclose(small.predict_proba(X), large.predict_proba(X))


def test_rows_of_no_weight_have_no_say_but_are_judged(noisy):
    X, _, labels, flipped = noisy
    weight = np.where(np.arange(300) < 60, 0.0, 1.0)
    model = fitted(X, labels, sample_weight=weight)
    alone = fitted(X[60:], labels[60:])
    assert np.array_equal(model.predict_proba(X), alone.predict_proba(X))
    assert np.array_equal(model.found_.posterior[60:], alone.found_.posterior)
    assert model.noise_rate_ == alone.noise_rate_
    # nobody has seen those rows, so that the whole model may judge them
    assert_allclose(model.found_.probabilities[:60], model.predict_proba(X[:60]))
    judged = model.suspects_[model.suspects_ < 60]
    assert flipped[judged].mean() > 0.8
    assert len(judged) > 5


def test_the_scale_of_weights_does_not_matter(noisy):
    X, _, labels, _ = noisy
    weight = np.random.default_rng(0).random(300) + 0.5
    one, two = (fitted(X, labels, sample_weight=scale * weight) for scale in (1.0, 1024.0))
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))


# Small, uneven and odd tables


@pytest.mark.parametrize("effort", EFFORTS)
def test_fifty_rows(effort):
    X, y = blobs(50, apart=4.0)
    labels, _ = flip_labels(y, 0.1, random_state=0)
    assert fitted(X, labels, effort).score(X, y) > 0.9


@pytest.mark.parametrize("effort", EFFORTS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_two_rows_a_class(effort, n_classes):
    X = np.repeat(np.arange(n_classes), 2)[:, None] + [[0.0, 1.0]]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The labels carry no signal")
        model = fitted(X, np.repeat(np.arange(n_classes), 2), effort)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert ((model.label_quality_ >= 0) & (model.label_quality_ <= 1)).all()


@pytest.mark.slow
@pytest.mark.parametrize("effort", EFFORTS)
def test_one_in_a_hundred(effort):
    X, y = blobs(1000, apart=5.0, shares=[0.99, 0.01])
    model = fitted(X, y, effort)
    said = model.predict(X)
    assert (said[y == 1] == 1).mean() > 0.5
    assert (said[y == 0] == 0).mean() > 0.99
    assert model.noise_rate_ < 0.03


@pytest.mark.parametrize("effort", EFFORTS)
@pytest.mark.parametrize("value", [1.0, nan])
def test_columns_that_say_nothing(effort, value):
    X = np.full((40, 2), value)
    with pytest.warns(UserWarning, match="no signal"):
        model = fitted(X, np.arange(40) % 4 == 0, effort)
    assert not model.predict(X).any()
    assert (model.feature_importances_ == 0.0).all()
    X, y = blobs(100, apart=4.0)
    model = fitted(np.column_stack([X, np.full(100, value)]), y, effort)
    assert model.score(np.column_stack([X, np.full(100, value)]), y) > 0.95
    assert model.feature_importances_[-1] == 0.0


@pytest.mark.parametrize("effort", EFFORTS)
def test_classes_that_are_apart(effort):
    X = np.repeat([[0.0], [1.0]], 50, axis=0)
    y = np.repeat([0, 1], 50)
    model = fitted(X, y, effort)
    assert model.score(X, y) == 1.0
    assert model.noise_rate_ < 0.05
    assert len(model.suspects_) == 0


def mixed(n=200, seed=0):
    """Numbers with gaps and a column of categories, both of which matter."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 6, n)
    x = rng.normal(size=(n, 2))
    y = np.isin(kind, [1, 4]) ^ (x[:, 0] > 1.0)
    x[rng.random((n, 2)) < 0.15] = nan
    return x, kind, y


@pytest.mark.slow
@pytest.mark.parametrize("effort", EFFORTS)
def test_categories_gaps_and_data_frames(effort):
    x, kind, y = mixed()
    labels = np.where(flip_labels(y.astype(int), 0.15, random_state=0)[0] == 1, "ill", "well")
    names = np.array(["p", "q", "r", "s", "t", "u"])
    array = np.column_stack([x, kind])
    model = NacreClassifier(effort, categorical_features=[2], random_state=0).fit(array, labels)
    assert (model.predict(array) == np.where(y, "ill", "well")).mean() > 0.85
    p = model.predict_proba(array)
    frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "kind": pd.Categorical(names[kind])})
    own = NacreClassifier(effort, random_state=0).fit(frame, labels)
    assert np.array_equal(own.predict_proba(frame), p)
    assert own.feature_names_in_.tolist() == ["a", "b", "kind"]
    other = pl.DataFrame(
        {"a": x[:, 0], "b": x[:, 1], "kind": pl.Series(names[kind], dtype=pl.Categorical)}
    )
    assert np.array_equal(NacreClassifier(effort, random_state=0).fit(other, labels)
                          .predict_proba(other), p)  # fmt: skip
    fresh = frame.assign(kind=pd.Categorical(["new"] * len(frame)))
    gaps = array.copy()
    gaps[:, 2] = nan
    assert np.array_equal(own.predict_proba(fresh), model.predict_proba(gaps))


@pytest.mark.slow
@pytest.mark.parametrize(
    "labels", [["no", "yes"], [False, True], [-1, 1], [2.0, 7.0]], ids=["text", "bool", "int", "f"]
)
def test_any_labels(noisy, labels):
    X, _, noisy_labels, _ = noisy
    labels = np.array(labels)
    model = fitted(X, labels[noisy_labels])
    assert model.classes_.dtype == labels.dtype
    assert np.array_equal(model.predict_proba(X), fitted(X, noisy_labels).predict_proba(X))
    assert set(model.predict(X)) == set(labels)
    assert set(model.found_.suggested) == set(labels)


# The same again


def everything(model, X):
    return [
        model.predict_proba(X), model.found_.posterior, model.found_.probabilities,
        model.noise_matrix_, model.suspects_, model.feature_importances_,
    ]  # fmt: skip


def assert_same(one, other, X):
    for a, b in zip(everything(one, X), everything(other, X), strict=True):
        assert np.array_equal(a, b)


@pytest.mark.slow
@pytest.mark.parametrize(("effort", "n_classes"), [("fast", 2), ("full", 3)])
def test_the_seed_decides_and_workers_do_not(effort, n_classes):
    X, y = blobs(100, n_classes)
    model = fitted(X, y, effort)
    assert_same(model, fitted(X, y, effort), X)
    assert_same(model, NacreClassifier(effort, random_state=0, n_jobs=2).fit(X, y), X)
    other = fitted(X, y, effort, seed=1)
    assert not np.array_equal(other.predict_proba(X), model.predict_proba(X))


def test_fitting_leaves_the_data_alone(noisy):
    X, _, labels, _ = noisy
    weight, clean = np.ones(300), np.arange(300) < 9
    before = [part.copy() for part in (X, labels, weight, clean)]
    fitted(X, labels, sample_weight=weight, clean=clean)
    for part, was in zip((X, labels, weight, clean), before, strict=True):
        assert np.array_equal(part, was)


def test_cloning_and_pickling(noisy, model):
    X, _, labels, _ = noisy
    assert_same(pickle.loads(pickle.dumps(model)), model, X)
    copy = clone(model)
    with pytest.raises(NotFittedError):
        copy.predict(X)
    assert_same(copy.fit(X, labels), model, X)
    assert repr(clone(model)) == repr(model)


@pytest.mark.slow
def test_meta_estimators(noisy):
    X, y, labels, _ = noisy
    base = NacreClassifier("fast", random_state=0)
    pipe = make_pipeline(StandardScaler(), base).fit(X, labels)
    assert pipe.score(X, y) > 0.95
    search = GridSearchCV(base, {"effort": ["fast"], "random_state": [0, 1]}, cv=2).fit(X, labels)
    assert search.best_estimator_.score(X, y) > 0.9
    calibrated = CalibratedClassifierCV(base, cv=2).fit(X, labels)
    assert calibrated.score(X, y) > 0.9
    assert cross_val_score(base, X, labels, cv=3, params={"clean": np.zeros(300, bool)}).min() > 0.6


# Bad input


def refusal(kind, **changes):
    given = {"X": np.arange(20.0)[:, None], "y": np.arange(20) % 2} | changes
    with pytest.raises(kind) as caught:
        NacreClassifier("fast", random_state=0).fit(**given)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": np.ones(20)}, "All rows have one class"),
        ({"y": np.where(np.arange(20) == 3, nan, 1.0)}, "y contains NaN"),
        ({"y": np.arange(20) / 7}, "continuous"),
        ({"y": np.arange(19)}, "inconsistent numbers of samples"),
        ({"X": np.where(np.arange(20) == 3, np.inf, 1.0)[:, None]}, "contains infinity"),
        ({"X": np.empty((0, 2)), "y": []}, "0 sample"),
        ({"X": np.empty((20, 0))}, "0 feature"),
        ({"X": np.arange(20.0)}, "2D|table"),
        ({"clean": np.ones(19, bool)}, "clean has 19 entries for 20 rows"),
        ({"clean": np.arange(20)}, "boolean mask"),
        ({"sample_weight": np.zeros(20)}, "zero for every row"),
        ({"sample_weight": -np.ones(20)}, "Negative"),
        ({"sample_weight": 1.0 * (np.arange(20) % 2)}, "All rows have one class"),
        (
            {"y": np.arange(20) % 3, "sample_weight": 1.0 * (np.arange(20) % 3 < 2)},
            "All rows of class 2 have weight 0: drop them",
        ),
    ],
    ids=range(14),
)
def test_training_data_that_are_refused(changes, message):
    assert re.search(message, refusal(ValueError, **changes))


@pytest.mark.parametrize("effort", ["slow", None, ["full"], 1])
def test_efforts_that_there_are_not(effort):
    with pytest.raises(ValueError, match="effort must be one of fast, full; got"):
        NacreClassifier(effort).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("n_jobs", [0, 1.5, "two"])
def test_workers_that_there_are_not(n_jobs):
    with pytest.raises((ValueError, TypeError), match="n_jobs"):
        NacreClassifier(n_jobs=n_jobs).fit([[0.0], [1.0]], [0, 1])


def test_rows_to_predict_that_are_refused(model):
    with pytest.raises(ValueError, match="4 features"):
        model.predict(np.ones((2, 4)))
    with pytest.raises(ValueError, match="infinity"):
        model.predict(np.full((2, 3), np.inf))
    for method in ("predict", "predict_proba", "decision_function", "predict_log_proba"):
        with pytest.raises(NotFittedError):
            getattr(NacreClassifier(), method)(np.ones((2, 3)))
    with pytest.raises(NotFittedError):
        _ = NacreClassifier().feature_importances_
