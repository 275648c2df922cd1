"""AdaBoostClassifier among others: scikit-learn's tools, other learners, where it stops, gaps."""

import pickle
import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from nacre import AdaBoostClassifier, Stump
from tests.models.tables import assert_same_stumps, quiet_fit, table

nan = np.nan
VARIANTS = ("samme", "m1", "m2")
variants = pytest.mark.parametrize("variant", VARIANTS)


# With scikit-learn


@variants
@pytest.mark.parametrize("n_classes", [2, 3])
def test_pickle(variant, n_classes):
    X, y = table(n_classes=n_classes)
    model = AdaBoostClassifier(n_estimators=9, variant=variant, categorical_features=[3]).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert list(again.estimators_) == list(model.estimators_)
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert_array_equal(list(again.staged_predict(X)), list(model.staged_predict(X)))


def test_pickle_with_other_learners():
    X, y = table(gaps=0)
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), 4, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_clone_copies_the_parameters_only():
    X, y = table()
    model = AdaBoostClassifier(Stump(max_bins=16), 7, variant="m1", learning_rate=0.5).fit(X, y)
    copy = clone(model)
    assert not hasattr(copy, "estimators_")
    assert copy.get_params()["estimator__max_bins"] == 16
    assert repr(copy) == repr(model)
    assert_same_stumps(copy.fit(X, y), model)


def test_grid_search():
    X, y = table()
    grid = {"n_estimators": [1, 30], "estimator": [Stump(), DecisionTreeClassifier(max_depth=2)]}
    search = GridSearchCV(AdaBoostClassifier(random_state=0), grid, cv=3, error_score="raise")
    search.fit(np.nan_to_num(X), y)
    assert search.best_params_["n_estimators"] == 30
    assert search.best_score_ > 0.6


def test_grid_search_inside_the_stump():
    X, y = table()
    grid = {"estimator__max_bins": [2, 255, None]}
    search = GridSearchCV(AdaBoostClassifier(Stump(), 20), grid, cv=3, error_score="raise")
    scores = search.fit(X, y).cv_results_["mean_test_score"]
    assert len(set(scores)) > 1


def test_pipeline():
    X, y = load_breast_cancer(return_X_y=True)
    pipe = make_pipeline(StandardScaler(), AdaBoostClassifier(n_estimators=30))
    assert pipe.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.93
    pipe.fit(X, y, adaboostclassifier__sample_weight=y + 1.0)
    assert pipe[-1].stop_reason_ == "rounds done"


def test_cross_validation():
    X, y = load_breast_cancer(return_X_y=True)
    scores = cross_val_score(AdaBoostClassifier(), X, y, cv=4, error_score="raise")
    assert scores.min() > 0.92


@variants
def test_iris(variant):
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=30, variant=variant)
    assert cross_val_score(model, X, y, cv=5, error_score="raise").mean() > 0.9


def test_calibration():
    X, y = load_breast_cancer(return_X_y=True)
    model = CalibratedClassifierCV(AdaBoostClassifier(), cv=3).fit(X[::2], y[::2])
    chances = model.predict_proba(X[1::2])
    assert_allclose(chances.sum(axis=1), 1.0)
    assert np.mean((chances[:, 1] - y[1::2]) ** 2) < 0.05


# Other weak learners

LEARNERS = {
    "tree": DecisionTreeClassifier(max_depth=2),
    "bayes": GaussianNB(),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    "neighbours": KNeighborsClassifier(),
    "stump": Stump(),
}


@variants
@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_any_learner(variant, learner, n_classes):
    X, y = table(150, 4, n_classes, gaps=0)
    labels = np.array(["x", "y", "z"])[y]
    model = AdaBoostClassifier(learner, 5, variant=variant, random_state=0)
    model.fit(X, labels)
    assert model.score(X, labels) > 0.5
    assert set(model.predict(X)) <= set(labels)
    chances = model.predict_proba(X)
    assert_array_equal(model.classes_[chances.argmax(axis=1)], model.predict(X))
    assert np.all(np.abs(model.margins(X, labels)) <= 1 + 1e-12)
    assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_the_seed_decides(learner):
    X, y = table(gaps=0)
    fits = [AdaBoostClassifier(learner, 4, random_state=7).fit(X, y) for _ in range(2)]
    assert_array_equal(fits[0].decision_function(X), fits[1].decision_function(X))


def test_learners_without_weights_see_other_rows_each_time():
    X, y = table(gaps=0)
    one, other = (
        AdaBoostClassifier(KNeighborsClassifier(), 1, random_state=seed).fit(X, y)
        for seed in (0, 1)
    )
    assert one.estimator_errors_[0] != other.estimator_errors_[0]


def test_learners_without_weights_see_heavy_rows_more_often():
    """Every row twice, with either label: the heavy one is learned."""
    X, y = table(gaps=0)
    w = np.repeat([1.0, 1e-4], len(y))
    model = AdaBoostClassifier(KNeighborsClassifier(1), 1, random_state=0)
    model.fit(np.vstack([X, X]), np.append(y, 1 - y), sample_weight=w)
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_pipelines_that_pick_columns_by_name(frame):
    X, y = table(gaps=0)
    colours = np.array(["red", "green", "blue", "white", "black"])[X[:, 3].astype(int)]
    data = frame({"a": X[:, 0], "b": X[:, 1], "colour": colours})
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["colour"]),
        (StandardScaler(), ["a", "b"]),
    )
    learner = make_pipeline(columns, DecisionTreeClassifier(max_depth=2))
    w = np.arange(len(y)) % 3
    model = AdaBoostClassifier(learner, 5, random_state=0).fit(data, y, sample_weight=w)
    assert model.feature_names_in_.tolist() == ["a", "b", "colour"]
    assert model.score(data, y) > 0.7
    assert model.predict(data[:3]).shape == (3,)


def test_a_stump_as_learner_is_the_default():
    X, y = table()
    default = AdaBoostClassifier(categorical_features=[3]).fit(X, y)
    given_stump = AdaBoostClassifier(Stump(), categorical_features=[3]).fit(X, y)
    own_columns = AdaBoostClassifier(Stump(categorical_features=[3])).fit(X, y)
    assert_same_stumps(default, given_stump)
    assert_same_stumps(default, own_columns)


def test_a_model_can_be_fitted_again_with_another_learner():
    X, y = table(gaps=0)
    model = AdaBoostClassifier(n_estimators=5).fit(X, y)
    model.set_params(estimator=GaussianNB()).fit(X, y)
    assert isinstance(model.estimators_[0], GaussianNB)
    assert model.predict(X).shape == (200,)
    model.set_params(estimator=None).fit(X, y)
    assert_same_stumps(model, AdaBoostClassifier(n_estimators=5).fit(X, y))


def test_a_model_fitted_again_reads_tables_for_its_new_learner():
    X, y = table(gaps=0)
    numbers = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    text = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "high", "low")})
    columns = make_column_transformer((OneHotEncoder(sparse_output=False), ["b"]))
    learner = make_pipeline(columns, DecisionTreeClassifier(max_depth=1))
    model = AdaBoostClassifier(n_estimators=1, random_state=0).fit(numbers, y)
    model.set_params(estimator=learner).fit(text, y)
    assert_array_equal(model.predict(text), clone(model).fit(text, y).predict(text))


def test_more_columns_the_second_time():
    X, y = table()
    model = AdaBoostClassifier(n_estimators=5).fit(X[:, :2], y).fit(X, y)
    assert model.n_features_in_ == 4
    assert model.predict(X).shape == (200,)


# Where it stops


@pytest.mark.parametrize(
    ("parameters", "X", "reason"),
    [
        ({}, np.ones((9, 2)), "nothing to learn"),
        ({}, np.full((9, 2), nan), "nothing to learn"),
        ({"variant": "m2"}, np.ones((9, 2)), "nothing to learn"),
        ({"max_bins": None}, np.ones((9, 2)), "nothing to learn"),
        ({"variant": "m1"}, np.arange(9.0)[:, None] % 2, "no better than chance"),
    ],
)
def test_where_nothing_can_be_learned_the_commonest_class_is_predicted(parameters, X, reason):
    y = np.array(["a", "b", "c"] * 3)
    w = np.where(y == "b", 2.0, 1.0)
    model = AdaBoostClassifier(**parameters)
    with pytest.warns(UserWarning, match=f"first round .{reason}.*commonest class, 'b'") as caught:
        model.fit(X, y, sample_weight=w)
    assert "\n" not in str(caught[0].message)
    assert caught[0].filename == __file__
    assert model.stop_reason_ == reason
    assert len(model.estimators_) == 0
    assert set(model.predict(X)) == {"b"}
    assert_allclose(model.predict_proba(X), np.tile([0.25, 0.5, 0.25], (9, 1)))
    assert list(model.staged_predict(X)) == []
    assert not model.margins(X, y).any()
    assert not model.feature_importances_.any()


def test_where_nothing_can_be_learned_of_two_classes():
    X, y = np.ones((4, 1)), [0, 1, 1, 1]
    with pytest.warns(UserWarning, match="commonest class, 1"):
        model = AdaBoostClassifier().fit(X, y)
    assert model.predict(X).tolist() == [1, 1, 1, 1]
    assert_allclose(model.predict_proba(X)[:, 1], 0.75)


@variants
@pytest.mark.parametrize("max_bins", [255, None])
def test_a_perfect_stump_ends_it(variant, max_bins):
    X = np.arange(10.0)[:, None]
    y = (X[:, 0] > 4).astype(int)
    model = AdaBoostClassifier(variant=variant, max_bins=max_bins).fit(X, y)
    assert model.stop_reason_ == "perfect"
    assert len(model.estimators_) == 1
    assert model.estimators_[0].threshold == 4.5
    assert model.score(X, y) == 1.0


def test_chance_ends_it():
    """After one stump on a column of two values, its weighted error is 1/2."""
    X = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]])
    y = np.array([0, 0, 1, 1, 1, 0])
    model = AdaBoostClassifier().fit(X, y)
    assert model.stop_reason_ == "no better than chance"
    assert len(model.estimators_) == 1


def test_rounds_done():
    X, y = table()
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    assert model.stop_reason_ == "rounds done"
    assert len(model.estimators_) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "parameters", [{}, {"max_bins": None}, {"variant": "m1"}, {"learning_rate": 5.0}], ids=str
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_hundred_thousand_rounds(parameters, n_classes):
    """No overflow, no NaN and no warning, and it takes no time."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.integers(0, n_classes, 50)
    quiet_fit(AdaBoostClassifier(n_estimators=2, **parameters), X, y)
    start = time.perf_counter()
    model = quiet_fit(AdaBoostClassifier(n_estimators=100_000, **parameters), X, y)
    assert time.perf_counter() - start < 10
    for found in (model.estimator_weights_, model.estimator_errors_, model.log_costs_):
        assert np.all(np.isfinite(found))
    chances = model.predict_proba(X)
    assert np.all(np.isfinite(chances))
    assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-12)
    assert np.all(np.abs(model.margins(X, y)) <= 1 + 1e-9)
    if not parameters and n_classes == 2:
        assert len(model.estimators_) == 100_000
        assert model.score(X, y) == 1.0


def test_rows_that_cannot_be_told_apart():
    """Two equal rows of different labels: their weights stay, all others vanish."""
    X = np.array([[0.0], [1.0], [2.0], [2.0], [3.0]])
    y = np.array([0, 0, 0, 1, 1])
    model = AdaBoostClassifier(n_estimators=20_000).fit(X, y)
    assert np.all(np.isfinite(model.decision_function(X)))
    assert model.score(X, y) == 0.8


# Gaps and categories in rows to predict


def test_gaps_follow_the_training_rows():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [nan], [nan]])
    model = AdaBoostClassifier(n_estimators=1).fit(X, [0, 0, 1, 1, 0, 0])
    assert model.predict([[nan], [0.0], [9.0]]).tolist() == [0, 0, 1]


def test_gaps_never_seen_take_the_heavier_side():
    X = np.arange(10.0)[:, None]
    model = AdaBoostClassifier(n_estimators=1).fit(X, (X[:, 0] > 2).astype(int))
    assert model.predict([[nan]]).tolist() == [1]


@pytest.mark.parametrize("max_bins", [255, None])
def test_gaps_alone_can_be_learned_from(max_bins):
    X = np.array([[7.0], [nan]] * 10)
    model = AdaBoostClassifier(max_bins=max_bins).fit(X, [0, 1] * 10)
    assert model.stop_reason_ == "perfect"
    assert model.predict([[7.0], [nan], [-100.0]]).tolist() == [0, 1, 0]


def test_each_category_says_its_own_class():
    data = pd.DataFrame({"c": pd.Categorical(["a", "b", "c", "d", None] * 20)})
    y = np.array([1, 0, 1, 0, 1] * 20)
    model = AdaBoostClassifier(n_estimators=5).fit(data, y)
    assert model.score(data, y) == 1.0
    later = pd.DataFrame({"c": ["d", "unknown", None, "a"]})
    assert model.predict(later).tolist() == [0, 1, 1, 1]


def test_an_identifier_is_not_mistaken_for_a_rule():
    X, y = table(categories=False, gaps=0)
    named = np.column_stack([np.arange(len(y)), X])
    model = AdaBoostClassifier(n_estimators=10, categorical_features=[0]).fit(named, y)
    assert model.feature_importances_[0] < 0.5
    assert model.estimators_[0].feature != 0


def test_identifiers_as_labels_are_refused():
    with pytest.raises(ValueError, match="is it an identifier"):
        AdaBoostClassifier().fit(np.zeros((400_000, 1)), np.arange(400_000))
