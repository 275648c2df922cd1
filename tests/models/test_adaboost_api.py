"""AdaBoostClassifier as its users meet it."""

import pickle
import time
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
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

nan = np.nan
VARIANTS = ("samme", "m1", "m2")
variants = pytest.mark.parametrize("variant", VARIANTS)


def table(n=200, d=4, n_classes=2, seed=0, gaps=0.1, categories=True):
    """Numbers with gaps, the last column categories, and labels one in five of which is random."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = X[:, 0] + 0.5 * X[:, 1 % d]
    if categories and d > 1:
        X[:, -1] = rng.integers(0, 5, n)
        score = score + (X[:, -1] == 2)
    X[rng.random((n, d)) < gaps] = nan
    y = np.argsort(np.argsort(score)) * n_classes // n
    y = np.where(rng.random(n) < 0.2, rng.integers(0, n_classes, n), y)
    y[:n_classes] = np.arange(n_classes)
    return X, y


def quiet_fit(model, *data, **more):
    """Fit where the first round may fail, as on random labels."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Boosting stopped in the first round")
        return model.fit(*data, **more)


def assert_same_stumps(one, other):
    """The same rules, and votes equal but for rounding."""
    assert list(one.estimators_) == list(other.estimators_)
    assert_allclose(one.estimator_weights_, other.estimator_weights_, rtol=1e-9, atol=1e-12)
    assert one.stop_reason_ == other.stop_reason_


# Labels and tables


@variants
@pytest.mark.parametrize(
    "names",
    [["no", "yes"], [False, True], [-1, 1], [1.0, 2.0], ["a", "b", "c"], [10, 20, 30]],
    ids=str,
)
def test_labels_come_out_as_they_went_in(variant, names):
    X, y = table(n_classes=len(names))
    labels = np.array(names)[y]
    model = AdaBoostClassifier(n_estimators=20, variant=variant).fit(X, labels)
    assert model.classes_.tolist() == names
    assert model.predict(X).dtype == labels.dtype
    assert model.score(X, labels) > 1.2 / len(names)
    codes = AdaBoostClassifier(n_estimators=20, variant=variant).fit(X, y)
    assert_array_equal(model.decision_function(X), codes.decision_function(X))


def test_frames_give_what_arrays_give():
    X, y = table()
    names = ["a", "b", "c", "d"]
    array = AdaBoostClassifier(categorical_features=[3]).fit(X, y)
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        model = AdaBoostClassifier(categorical_features=["d"]).fit(frame, y)
        assert model.feature_names_in_.tolist() == names
        assert_same_stumps(model, array)
        assert_array_equal(model.predict(frame), array.predict(X))


def test_models_take_either_kind_of_frame():
    X, y = table()
    X[:, 3] = np.nan_to_num(X[:, 3])
    names = ["a", "b", "c"]
    colours = np.array(["red", "green", "blue", "white", "black"])[X[:, 3].astype(int)]
    pandas = pd.DataFrame(X[:, :3], columns=names).assign(d=pd.Categorical(colours))
    polars = pl.DataFrame(X[:, :3], schema=names).with_columns(d=pl.Series(colours))
    model = AdaBoostClassifier().fit(pandas, y)
    assert any(rule.categories for rule in model.estimators_)
    assert_array_equal(model.decision_function(polars), model.decision_function(pandas))


def test_arrays_have_no_names():
    X, y = table()
    assert not hasattr(AdaBoostClassifier().fit(X, y), "feature_names_in_")


def test_fit_leaves_its_data_alone():
    X, y = table()
    w = np.arange(len(y)) % 3
    before = X.copy(), y.copy(), w.copy()
    AdaBoostClassifier(categorical_features=[3]).fit(X, y, sample_weight=w)
    for array, copy in zip((X, y, w), before, strict=True):
        assert_array_equal(array, copy)


# Votes, classes, probabilities


@st.composite
def small_fits(draw):
    """Fits to few rows of few values, where votes often tie."""
    n_classes = draw(st.integers(2, 4))
    n = draw(st.integers(2 * n_classes, 25))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(0, draw(st.integers(2, 5)), (n, draw(st.integers(1, 4)))).astype(float)
    y = rng.permutation(np.arange(n) % n_classes)
    model = AdaBoostClassifier(
        n_estimators=draw(st.sampled_from([1, 2, 3, 10, 100])),
        variant=draw(st.sampled_from(VARIANTS)),
        learning_rate=draw(st.sampled_from([0.1, 1.0])),
    )
    return quiet_fit(model, X, y), X, y


@given(small_fits())
def test_the_class_of_most_votes_is_predicted(fit):
    model, X, _ = fit
    said = model.predict(X)
    chances, votes = model.predict_proba(X), model.decision_function(X)
    assert_array_equal(said, model.classes_[chances.argmax(axis=1)])
    winner = votes.argmax(axis=1) if votes.ndim == 2 else (votes > 0).astype(int)
    assert_array_equal(said, model.classes_[winner])
    assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-12)
    assert np.all(chances >= 0)


@given(small_fits())
def test_the_last_stage_is_the_whole(fit):
    model, X, y = fit
    rounds = len(model.estimators_)
    assert rounds == len(model.estimator_weights_) == len(model.estimator_errors_)
    assert rounds == len(model.log_costs_)
    votes = list(model.staged_decision_function(X))
    said = list(model.staged_predict(X))
    chances = list(model.staged_predict_proba(X))
    scores = list(model.staged_score(X, y))
    assert len(votes) == len(said) == len(chances) == len(scores) == rounds
    if rounds:
        size = 1e-12 * model.estimator_weights_.sum()
        assert_allclose(votes[-1], model.decision_function(X), rtol=1e-12, atol=size)
        assert_array_equal(said[-1], model.predict(X))
        assert_allclose(chances[-1], model.predict_proba(X), atol=1e-9)
        assert scores[-1] == model.score(X, y)
        assert_array_equal(scores, [np.mean(one == y) for one in said])


@given(small_fits())
def test_margins_are_votes_times_agreement(fit):
    model, X, y = fit
    votes = model.estimator_weights_
    assume(len(votes))
    says = np.array([rule.predict(X) for rule in model.estimators_])
    agreement = np.where(says == np.searchsorted(model.classes_, y), 1.0, -1.0)
    margins = model.margins(X, y)
    assert_allclose(margins, votes @ agreement / votes.sum(), atol=1e-12)
    assert np.all(np.abs(margins) <= 1 + 1e-12)


def test_equal_votes_go_to_the_first_class():
    """0.1 + 0.2 against 0.3: equal, though their floats are not."""
    X = np.random.default_rng(0).integers(0, 2, (60, 3)).astype(float)
    model = AdaBoostClassifier(n_estimators=3).fit(X, (X.sum(axis=1) > 1).astype(int))
    assert sorted(rule.feature for rule in model.estimators_) == [0, 1, 2]
    cube = np.indices((2, 2, 2)).reshape(3, -1).T.astype(float)
    says = np.array([rule.predict(cube) for rule in model.estimators_])
    tied = (says[0] == says[1]) & (says[0] != says[2])
    for votes in ([0.1, 0.2, 0.3], [0.3, 0.6, 0.9]):
        model.estimator_weights_ = np.array(votes)
        assert_array_equal(model.decision_function(cube) == 0, tied)
        assert model.predict(cube)[tied].tolist() == [0, 0]
        assert_array_equal(model.predict_proba(cube)[tied], np.full((2, 2), 0.5))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_votes_too_small_for_probabilities_still_decide(n_classes):
    X, y = table(n_classes=n_classes)
    model = AdaBoostClassifier(n_estimators=5, learning_rate=1e-18).fit(X, y)
    said = model.predict(X)
    assert len(set(said)) > 1
    assert_array_equal(model.predict_proba(X).argmax(axis=1), said)


def test_stages_can_be_told_apart():
    X, y = table()
    model = AdaBoostClassifier(n_estimators=30).fit(X, y)
    for t in (1, 7, 30):
        part = AdaBoostClassifier(n_estimators=t).fit(X, y)
        assert_array_equal(list(model.staged_predict(X))[t - 1], part.predict(X))


def test_staged_scores_take_weights():
    X, y = table()
    w = np.arange(len(y), dtype=float)
    model = AdaBoostClassifier(n_estimators=5).fit(X, y)
    scores = list(model.staged_score(X, y, sample_weight=w))
    assert_allclose(scores[-1], model.score(X, y, sample_weight=w), rtol=1e-12)


@pytest.mark.parametrize(("variant", "n_classes"), [("samme", 2), ("m1", 2), ("m2", 3)])
def test_cost_and_training_error_fall(variant, n_classes):
    X, y = table(n_classes=n_classes, gaps=0)
    model = AdaBoostClassifier(n_estimators=100, variant=variant).fit(X, y)
    first, *_, last = model.staged_score(X, y)
    assert last > first
    assert np.all(np.diff(model.log_costs_) < 0)


def test_binary_probabilities_are_the_logistic_link():
    X, y = table()
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    expected = 1 / (1 + np.exp(-2 * model.decision_function(X)))
    assert_allclose(model.predict_proba(X)[:, 1], expected, rtol=1e-12)
    assert_allclose(model.predict_log_proba(X)[:, 1], np.log(expected), rtol=1e-12)


def test_votes_are_half_the_log_odds():
    X, y = table()
    model = AdaBoostClassifier(n_estimators=10, learning_rate=0.5).fit(X, y)
    errors = model.estimator_errors_
    assert_allclose(model.estimator_weights_, 0.25 * np.log((1 - errors) / errors), rtol=1e-12)


@pytest.mark.parametrize("max_bins", [255, 20, None])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_errors_can_be_told_from_the_rules(max_bins, n_classes):
    """AdaBoost once more with the stumps that were found: the same errors, round after round."""
    X, y = table(1000, n_classes=n_classes)
    model = AdaBoostClassifier(n_estimators=40, max_bins=max_bins, categorical_features=[3])
    model.fit(X, y)
    w = np.full(len(y), 1 / len(y))
    errors = []
    for rule, vote in zip(model.estimators_, model.estimator_weights_, strict=True):
        wrong = rule.predict(X) != y
        errors.append(w[wrong].sum())
        w *= np.exp(np.where(wrong, vote, -vote))
        w /= w.sum()
    assert_allclose(model.estimator_errors_, errors, rtol=1e-9)


def test_every_threshold_is_tried_where_asked_for():
    X = np.arange(3000.0)[:, None]
    y = (X[:, 0] > 1234).astype(int)
    exact, binned = (AdaBoostClassifier(n_estimators=1, max_bins=m).fit(X, y) for m in (None, 255))
    assert exact.estimators_[0].threshold == 1234.5
    assert exact.score(X, y) == 1.0
    assert 0.99 < binned.score(X, y) < 1.0


def test_variants_agree_on_two_classes():
    X, y = table()
    fits = [AdaBoostClassifier(variant=variant).fit(X, y) for variant in VARIANTS]
    assert_same_stumps(fits[0], fits[1])
    assert_same_stumps(fits[0], fits[2])


# Importances


def test_importances_are_shares_of_the_votes():
    X, y = table()
    model = AdaBoostClassifier(n_estimators=30).fit(X, y)
    shares = np.zeros(4)
    for rule, vote in zip(model.estimators_, model.estimator_weights_, strict=True):
        shares[rule.feature] += vote
    assert_allclose(model.feature_importances_, shares / shares.sum(), rtol=1e-12)
    assert_allclose(model.feature_importances_.sum(), 1.0)


def test_importances_of_trees():
    X, y = table(gaps=0)
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), 5, random_state=0).fit(X, y)
    mean = np.average(
        [tree.feature_importances_ for tree in model.estimators_],
        axis=0,
        weights=model.estimator_weights_,
    )
    assert_allclose(model.feature_importances_, mean / mean.sum(), rtol=1e-12)


def test_some_learners_have_no_importances():
    X, y = table(gaps=0)
    assert not hasattr(AdaBoostClassifier(GaussianNB(), 3).fit(X, y), "feature_importances_")


# Weights


@st.composite
def weighted_tables(draw):
    """Tables with gaps and a column of categories, and whole weights that leave two classes."""
    n = draw(st.integers(6, 60))
    n_classes = draw(st.integers(2, 4))
    seed = draw(st.integers(0, 2**32 - 1))
    X, y = table(n, 3, n_classes, seed, gaps=draw(st.sampled_from([0.0, 0.2])))
    if draw(st.booleans()):
        X = X.round(1)
    w = np.random.default_rng(seed + 1).integers(draw(st.integers(0, 1)), 4, n)
    assume(len(np.unique(y[w > 0])) > 1)
    return X, y, w


settings_of_fits = st.fixed_dictionaries(
    {
        "variant": st.sampled_from(VARIANTS),
        "max_bins": st.sampled_from([255, 8, None]),
        "categorical_features": st.sampled_from([None, [2]]),
        "n_estimators": st.sampled_from([1, 5, 20]),
    }
)


@given(weighted_tables(), settings_of_fits)
def test_whole_weights_are_repeated_rows(data, parameters):
    X, y, w = data
    weighted = quiet_fit(AdaBoostClassifier(**parameters), X, y, sample_weight=w)
    repeated = quiet_fit(AdaBoostClassifier(**parameters), X.repeat(w, 0), y.repeat(w))
    assert_same_stumps(weighted, repeated)
    assert_array_equal(weighted.classes_, repeated.classes_)


@given(weighted_tables(), settings_of_fits)
def test_rows_of_weight_zero_are_absent(data, parameters):
    X, y, w = data
    weight = w * 0.7
    weighted = quiet_fit(AdaBoostClassifier(**parameters), X, y, sample_weight=weight)
    left = quiet_fit(AdaBoostClassifier(**parameters), X[w > 0], y[w > 0], weight[w > 0])
    assert_same_stumps(weighted, left)
    assert_array_equal(weighted.decision_function(X), left.decision_function(X))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_and_quantile_bins(n_classes):
    X, y = table(1500, 5, n_classes)
    w = np.random.default_rng(1).integers(0, 6, len(y))
    assert len(np.unique(X[:, 0])) > 255
    model = AdaBoostClassifier(n_estimators=50, categorical_features=[4])
    weighted = clone(model).fit(X, y, sample_weight=w)
    repeated = clone(model).fit(X.repeat(w, 0), y.repeat(w))
    assert_same_stumps(weighted, repeated)


def test_weights_count_by_their_ratios():
    X, y = table()
    w = np.random.default_rng(1).random(len(y)) + 0.1
    one, other = (AdaBoostClassifier().fit(X, y, sample_weight=f * w) for f in (1.0, 1024.0))
    assert_same_stumps(one, other)


def test_weights_matter():
    X, y = table()
    w = np.where(X[:, 0] > 0, 10.0, 0.1)
    plain, weighted = AdaBoostClassifier().fit(X, y), AdaBoostClassifier().fit(X, y, w)
    assert list(plain.estimators_) != list(weighted.estimators_)


@pytest.mark.parametrize(
    "learner", [DecisionTreeClassifier(max_depth=1), GaussianNB()], ids=["tree", "bayes"]
)
def test_weights_reach_other_learners(learner):
    X, y = table(gaps=0)
    w = np.random.default_rng(1).integers(0, 3, len(y))
    model = AdaBoostClassifier(learner, 10, random_state=0)
    weighted = clone(model).fit(X, y, sample_weight=w)
    repeated = clone(model).fit(X.repeat(w, 0), y.repeat(w))
    assert_allclose(weighted.estimator_weights_, repeated.estimator_weights_, rtol=1e-6)


# What must not matter


@given(weighted_tables(), settings_of_fits, st.integers(0, 2**32 - 1))
def test_the_order_of_rows_does_not_matter(data, parameters, seed):
    X, y, w = data
    order = np.random.default_rng(seed).permutation(len(y))
    one = quiet_fit(AdaBoostClassifier(**parameters), X, y, w)
    other = quiet_fit(AdaBoostClassifier(**parameters), X[order], y[order], w[order])
    assert_same_stumps(one, other)


@given(weighted_tables(), settings_of_fits)
def test_the_names_of_two_classes_do_not_matter(data, parameters):
    X, y, _ = data
    y = (y > 0).astype(int)
    one = quiet_fit(AdaBoostClassifier(**parameters), X, y)
    other = quiet_fit(AdaBoostClassifier(**parameters), X, 1 - y)
    assert [(r.feature, r.threshold) for r in one.estimators_] == [
        (r.feature, r.threshold) for r in other.estimators_
    ]
    assert_allclose(one.estimator_weights_, other.estimator_weights_, rtol=1e-9, atol=1e-12)
    size = 1e-9 * max(1.0, one.estimator_weights_.sum())
    assert_allclose(one.decision_function(X), -other.decision_function(X), atol=size)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("n", [100, 3000])
@pytest.mark.parametrize(
    "parameters",
    [{}, {"variant": "m1"}, {"max_bins": None}, {"categorical_features": [39]}, {"classes": 3}],
    ids=str,
)
def test_threads_do_not_matter(n, parameters):
    parameters = dict(parameters)
    X, y = table(n, 40, parameters.pop("classes", 2))
    one, two, three = (
        AdaBoostClassifier(n_estimators=20, n_jobs=jobs, **parameters).fit(X, y)
        for jobs in (1, 2, 3)
    )
    for other in (two, three):
        assert list(other.estimators_) == list(one.estimators_)
        assert_array_equal(other.estimator_weights_, one.estimator_weights_)
        assert_array_equal(other.log_costs_, one.log_costs_)
        assert_array_equal(other.decision_function(X), one.decision_function(X))


@pytest.mark.usefixtures("threads")
def test_threads_may_outnumber_columns_and_cores():
    X, y = table()
    one = AdaBoostClassifier(n_estimators=5).fit(X, y)
    for jobs in (-1, -100, 64):
        other = AdaBoostClassifier(n_estimators=5, n_jobs=jobs).fit(X, y)
        assert_array_equal(other.estimator_weights_, one.estimator_weights_)


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


@given(weighted_tables(), settings_of_fits)
def test_votes_are_the_sum_of_what_the_rules_say(data, parameters):
    """Predictions go by one table per column; the rules, one by one, say the same."""
    X, y, _ = data
    model = quiet_fit(AdaBoostClassifier(**parameters), X, y)
    assume(len(model.estimators_))
    rows = np.vstack([X, X + 0.01, np.full_like(X[:1], nan), np.full_like(X[:1], 1e300), -X])
    totals = np.zeros((len(rows), len(model.classes_)))
    for rule, vote in zip(model.estimators_, model.estimator_weights_, strict=True):
        totals[np.arange(len(rows)), rule.predict(rows)] += vote
    votes = model.decision_function(rows)
    expected = totals - totals.mean(axis=1, keepdims=True)
    if votes.ndim == 1:
        expected = totals[:, 1] - totals[:, 0]
    assert_allclose(votes, expected, atol=1e-11 * totals.max())


def test_weights_that_count_for_nothing_beside_the_others():
    X, y = table(200, 3)
    weight = np.ones(200)
    weight[0] = 5e-324
    model = AdaBoostClassifier(n_estimators=200).fit(X, y, weight)
    assert np.isfinite(model.estimator_weights_).all()
    assert_array_equal(
        model.estimator_weights_,
        AdaBoostClassifier(n_estimators=200).fit(X[1:], y[1:]).estimator_weights_,
    )


def test_identifiers_as_labels_are_refused():
    with pytest.raises(ValueError, match="is it an identifier"):
        AdaBoostClassifier().fit(np.zeros((400_000, 1)), np.arange(400_000))
