import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.ensemble import BaggingClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from nacre.data.seeds import set_seeds
from nacre.learners.adapter import AnyFitter, AnyRegressor, Refined, weight_parameter
from tests.training import noisy_problem


class Witness(ClassifierMixin, BaseEstimator):
    """Remembers what it was fitted with; says class 1."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.seen_ = X, y, sample_weight
        return self

    def predict(self, X):
        return np.ones(len(X))


class Unweighted(Witness):
    """The same, but takes no weights."""

    def fit(self, X, y):
        return super().fit(X, y)


@pytest.fixture
def training():
    return noisy_problem(40, 2)


@pytest.fixture
def weights():
    w = np.random.default_rng(0).random(40)
    return w / w.sum()


def test_weights_are_passed_on(training, weights):
    fitted, said = AnyFitter(Witness(), training).fit(weights)
    X, y, sample_weight = fitted.seen_
    assert X is training.X
    assert y is training.y
    np.testing.assert_allclose(sample_weight, weights * 40)  # mean 1, as most learners expect
    assert said.dtype == np.int64
    assert said.tolist() == [1] * 40


def test_the_given_estimator_stays_unfitted(training, weights):
    estimator = Witness()
    AnyFitter(estimator, training).fit(weights)
    assert not hasattr(estimator, "seen_")


def test_a_pipeline_gets_weights_at_its_last_step(training, weights):
    pipeline = make_pipeline(StandardScaler(), Witness())
    assert weight_parameter(pipeline) == "witness__sample_weight"
    fitted, _ = AnyFitter(pipeline, training).fit(weights)
    np.testing.assert_allclose(fitted[-1].seen_[2], weights * 40)
    nested = make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), GaussianNB()))
    assert weight_parameter(nested) == "pipeline__gaussiannb__sample_weight"
    with_weights = AnyFitter(nested, training).fit(weights)[0][-1][-1].class_prior_
    assert with_weights == pytest.approx(np.bincount(training.y, weights))


def test_who_takes_weights():
    assert weight_parameter(DecisionTreeClassifier()) == "sample_weight"
    assert weight_parameter(KNeighborsClassifier()) is None
    assert weight_parameter(make_pipeline(StandardScaler(), KNeighborsClassifier())) is None


def test_rows_not_drawn_are_left_out(training, weights):
    times = np.arange(40) % 3
    fitted, said = AnyFitter(Witness(), training).fit(weights * times)
    X, y, sample_weight = fitted.seen_
    drawn = times > 0
    assert np.array_equal(X, training.X[drawn])
    assert np.array_equal(y, training.y[drawn])
    assert sample_weight.mean() == pytest.approx(1.0)
    ratio = sample_weight / (weights * times)[drawn]
    assert np.ptp(ratio) < 1e-9 * ratio.max()
    assert len(said) == 40


def test_without_weights_rows_are_drawn(training, weights):
    weights[:10] = 0.0
    fitter = AnyFitter(Unweighted(), training)
    X, y = fitter.fit(weights, seed=1)[0].seen_[:2]
    assert X.shape == training.X.shape
    rows = [np.flatnonzero((x == training.X).all(axis=1))[0] for x in X]
    assert min(rows) >= 10
    assert np.array_equal(training.y[rows], y)
    again, other = (fitter.fit(weights, seed=seed)[0].seen_[0] for seed in (1, 2))
    assert np.array_equal(X, again)
    assert not np.array_equal(X, other)


def test_rows_are_drawn_by_weight(training, weights):
    fitter = AnyFitter(Unweighted(), training)
    times = np.zeros(40)
    for seed in range(400):
        X = fitter.fit(weights, seed)[0].seen_[0]
        times += (training.X[:, 0] == X[:, :1]).sum(axis=0)
    np.testing.assert_allclose(times / times.sum(), weights, atol=0.004)


def test_neighbours_learn_from_drawn_rows(training, weights):
    said = AnyFitter(KNeighborsClassifier(1), training).fit(weights, seed=0)[1]
    assert 0.5 < (said == training.y).mean() < 1.0


def test_seeds_reach_nested_parts():
    estimator = make_pipeline(StandardScaler(), BaggingClassifier(DecisionTreeClassifier()))
    set_seeds(estimator, 2**31 + 7)
    assert estimator[-1].random_state == 7
    assert estimator[-1].estimator.random_state == 7


def test_seeds_make_fits_reproducible(training, weights):
    fitter = AnyFitter(DecisionTreeClassifier(max_features=1, splitter="random"), training)
    one, same = (fitter.fit(weights, seed=1)[0] for _ in range(2))
    others = [fitter.fit(weights, seed=seed)[0] for seed in range(2, 8)]
    assert np.array_equal(one.tree_.threshold, same.tree_.threshold)
    assert any(not np.array_equal(one.tree_.threshold, two.tree_.threshold) for two in others)


def test_one_class_drawn(training, weights):
    # a draw may hold one class only, which some classifiers refuse to be fitted to
    weights[training.y == 0] = 0.0
    for estimator in (GaussianNB(), DecisionTreeClassifier(), LogisticRegression()):
        said = AnyFitter(estimator, training).fit(weights)[1]
        assert said.tolist() == [1] * 40


def test_data_frames_stay_data_frames(training, weights):
    frame = pd.DataFrame(training.X, columns=["a", "b"])
    framed = training.__class__(frame, training.y, 2, training.weight)
    weights[0] = 0.0
    fitted, _ = AnyFitter(Witness(), framed).fit(weights)
    assert list(fitted.seen_[0].columns) == ["a", "b"]
    assert len(fitted.seen_[0]) == 39


@pytest.mark.parametrize("n_classes", [2, 3])
def test_collected_classifiers_vote(n_classes):
    training = noisy_problem(40, 2, n_classes)
    fitter = AnyFitter(DecisionTreeClassifier(max_depth=1), training)
    rng = np.random.default_rng(0)
    fitted = [fitter.fit(rng.random(40), seed)[0] for seed in range(5)]
    together = fitter.collect(fitted)
    votes = rng.random(5)
    said = np.array(list(together.said_by_each(training.X)))
    totals = (votes[:, None, None] * (said[:, :, None] == np.arange(n_classes))).sum(axis=0)
    expected = totals[:, 1] - totals[:, 0] if n_classes == 2 else totals
    np.testing.assert_allclose(together.scores(training.X, votes), expected)
    assert list(together) == fitted
    again = pickle.loads(pickle.dumps(together))
    np.testing.assert_allclose(again.scores(training.X, votes), expected)


# Regressors


class Listener(RegressorMixin, BaseEstimator):
    """Remembers what it was fitted with; says 2."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        self.seen_ = X, y, sample_weight
        return self

    def predict(self, X):
        return np.full(len(X), 2)


def test_responses_and_weights_are_passed_on(training, weights):
    r = np.arange(40.0)
    fitted, values = AnyRegressor(Listener(), training).fit_response(r, weights, seed=5)
    X, y, sample_weight = fitted.seen_
    assert X is training.X
    assert np.array_equal(y, r)
    np.testing.assert_allclose(sample_weight, weights * 40)
    assert fitted.random_state == 5
    assert values.dtype == float
    assert values.tolist() == [2.0] * 40


def test_rows_of_weight_zero_are_not_shown_but_predicted(training, weights):
    weights[::4] = 0
    left = weights > 0
    fitted, values = AnyRegressor(Listener(), training).fit_response(np.arange(40.0), weights)
    X, y, sample_weight = fitted.seen_
    assert np.array_equal(X, training.X[left])
    assert np.array_equal(y, np.flatnonzero(left))
    assert sample_weight.mean() == pytest.approx(1.0)
    assert len(values) == 40


def test_leaves_are_refined(training, weights):
    rng = np.random.default_rng(1)
    r, bend = rng.normal(size=40), rng.random(40)
    bend[::5] = 0
    fitter = AnyRegressor(DecisionTreeRegressor(max_depth=2, random_state=0), training)
    plain, means = fitter.fit_response(r, weights)
    refined, values = fitter.fit_response(r, weights, curvature=bend)
    assert isinstance(refined, Refined)
    leaf = plain.apply(training.X)
    assert np.array_equal(leaf, refined.tree.apply(training.X))
    for k in np.unique(leaf):
        here = leaf == k
        assert means[here] == pytest.approx(np.average(r[here], weights=weights[here]))
        assert values[here] == pytest.approx((r * weights)[here].sum() / bend[here].sum())
    assert np.array_equal(refined.predict(training.X), values)
    assert np.array_equal(refined.feature_importances_, plain.feature_importances_)
    flat, still = fitter.fit_response(r, weights, curvature=np.zeros(40))
    assert still.tolist() == [0.0] * 40  # nothing to divide by: no step
    assert flat.predict(training.X).tolist() == [0.0] * 40


@pytest.mark.parametrize(
    "regressor",
    [
        LinearRegression(),
        make_pipeline(StandardScaler(), DecisionTreeRegressor(max_depth=2)),
        RandomForestRegressor(3, max_depth=2),
    ],
)
def test_others_have_no_leaves_to_refine(training, weights, regressor):
    r = np.random.default_rng(1).normal(size=40)
    fitter = AnyRegressor(regressor, training)
    plain = fitter.fit_response(r, weights, seed=1)[1]
    with_curvature = fitter.fit_response(r, weights, seed=1, curvature=np.ones(40))[1]
    np.testing.assert_allclose(with_curvature, plain)


def test_regressors_must_take_weights(training):
    with pytest.raises(TypeError, match="KNeighborsRegressor takes no sample_weight, which"):
        AnyRegressor(KNeighborsRegressor(), training)


def test_regressors_add_up(training, weights):
    rng = np.random.default_rng(1)
    fitter = AnyRegressor(DecisionTreeRegressor(max_depth=2), training)
    found = [
        fitter.fit_response(rng.normal(size=40), weights, seed, curvature)
        for seed, curvature in enumerate([None, weights, None])
    ]
    all_of_them = fitter.collect([one for one, _ in found])
    votes = np.array([1.0, -2.0, 0.5])
    out = np.ones((40, 2))
    all_of_them.add_values(training.X, votes, np.array([0, 1, 0]), out)
    np.testing.assert_allclose(out[:, 0], 1 + found[0][1] + 0.5 * found[2][1])
    np.testing.assert_allclose(out[:, 1], 1 - 2 * found[1][1])
    again = pickle.loads(pickle.dumps(all_of_them))
    assert type(again) is type(all_of_them)
    joined = all_of_them.first(1).joined(fitter.collect(all_of_them[1:]))
    for other in (again, joined):
        for one, two in zip(other.values_by_each(training.X), found, strict=True):
            assert np.array_equal(one, two[1])
    assert all_of_them.importances(votes, 2).sum() == pytest.approx(3.5)
