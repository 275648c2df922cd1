"""AdaBoostClassifier as its users meet it."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from nacre import AdaBoostClassifier
from tests.models.tables import assert_same_stumps, quiet_fit, table

nan = np.nan
VARIANTS = ("samme", "m1", "m2")
variants = pytest.mark.parametrize("variant", VARIANTS)


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


def test_votes_are_half_log_odds_but_those_of_m1_for_several_classes():
    """For these, the scale of probabilities is fitted."""
    X, y = table(n_classes=3, gaps=0)
    models = {variant: AdaBoostClassifier(n_estimators=10, variant=variant) for variant in VARIANTS}
    scale = {variant: model.fit(X, y).link_scale_ for variant, model in models.items()}
    assert scale["samme"] == scale["m2"] == 1.0
    assert scale["m1"] != 1.0
