import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_softmax
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from nacre import NaiveBayes
from nacre.learners.naive_bayes import BayesFitter
from tests.textbook.naive_bayes import log_chances
from tests.training import WEIGHTS, examples, make_problem, problems, sample_weights

nan = np.nan
IRIS = load_iris(return_X_y=True)


@examples(3)
@given(problems(), st.sampled_from([0.01, 1.0, 10.0]), st.integers(0, 2**32 - 1))
def test_the_twin(training, smoothing, seed):
    X, y, n, K = training.X, training.y, len(training.y), training.n_classes
    rng = np.random.default_rng(seed)
    weights = rng.random(n) * (rng.random(n) < 0.8)
    weights[rng.integers(n)] = 1.0
    fitter = BayesFitter(training, smoothing, 1e-3)
    found, said = fitter.fit(weights)
    count = n if training.count is None else training.count.sum()
    new = X[rng.integers(0, n, 50)] + rng.choice([0.0, 0.1], X.shape[1])
    for rows in (X, new):
        expected = log_chances(
            X, y, weights * count / weights.sum(), training.weight, rows, K, training.categorical,
            smoothing, 1e-3,
        )  # fmt: skip
        outputs = fitter.collect([found]).outputs(rows)
        np.testing.assert_allclose(
            log_softmax(outputs, axis=1), log_softmax(expected, axis=1), rtol=1e-7, atol=1e-7
        )
    assert np.array_equal(said, fitter.collect([found]).outputs(X).argmax(axis=1))


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_numbers_as_scikit_learn_does(kind, n_classes):
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(200, 4))
    y = rng.integers(0, n_classes, 200)
    X[:, 0] += y
    weights = sample_weights(rng, kind, 200)
    X -= np.average(X, axis=0, weights=weights)
    X /= X.std(axis=0)  # then a share of the largest variance is one of each
    weighted = np.average(X**2, axis=0, weights=weights)
    ours = NaiveBayes(var_smoothing=1e-9).fit(X, y, weights)
    theirs = GaussianNB(var_smoothing=1e-9).fit(X, y, weights)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-7)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.rule_.prior, theirs.class_prior_)
    for j, classes in ours.rule_.numbers.items():
        mean, deviation = np.array(classes).T
        np.testing.assert_allclose(mean, theirs.theta_[:, j], atol=1e-12)
        floor = 1e-9 * (weighted[j] - 1.0)
        np.testing.assert_allclose(deviation**2, theirs.var_[:, j] + floor, rtol=1e-12)


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("smoothing", [0.1, 1.0])
def test_categories_as_scikit_learn_does(kind, smoothing):
    rng = np.random.default_rng(1)
    X = rng.integers(0, [2, 3, 9], (150, 3))
    y = np.where(rng.random(150) < 0.5, X[:, 1], rng.integers(0, 3, 150))
    weights = sample_weights(rng, kind, 150)
    as_rows = weights if kind == "whole" else weights * 150 / weights.sum()
    ours = NaiveBayes(smoothing, categorical_features=[0, 1, 2]).fit(X, y, weights)
    theirs = CategoricalNB(alpha=smoothing).fit(X, y, as_rows)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-10)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    for j, values in ours.rule_.categories.items():
        chances = np.exp(theirs.feature_log_prob_[j]).T
        np.testing.assert_allclose(list(values.values()), chances)


def test_both_kinds_of_column_add_up():
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=100), rng.integers(0, 3, 100)])
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    together = NaiveBayes(categorical_features=[1]).fit(X, y).predict_log_proba(X)
    numbers = GaussianNB().fit(X[:, :1], y)
    categories = CategoricalNB().fit(X[:, 1:], y)
    joint = numbers.predict_joint_log_proba(X[:, :1]) + categories.predict_joint_log_proba(X[:, 1:])
    expected = log_softmax(joint - np.log(numbers.class_prior_), axis=1)
    np.testing.assert_allclose(together, expected, atol=1e-6)


# Missing values, unknown categories, weights


def test_missing_values_say_nothing():
    X = [[1.0, 0.0], [2.0, 1.0], [nan, 0.0], [5.0, 1.0], [6.0, nan], [nan, 1.0]]
    y = [0, 0, 0, 1, 1, 1]
    model = NaiveBayes(categorical_features=[1]).fit(X, y)
    assert model.predict_proba([[nan, nan]])[0] == pytest.approx([0.5, 0.5])
    assert model.rule_.numbers[0][0] == pytest.approx((1.5, 0.5))
    assert model.rule_.categories[1] == {0.0: (0.6, 0.25), 1.0: (0.4, 0.75)}
    np.testing.assert_allclose(  # an unknown category is a missing one
        model.predict_proba([[3.0, 7.0]]), model.predict_proba([[3.0, nan]])
    )


def test_a_category_of_another_class_still_gets_the_smoothing():
    model = NaiveBayes(0.5, categorical_features=[0]).fit([[1], [1], [2], [3]], [0, 0, 1, 1])
    assert model.rule_.categories[0][1.0] == pytest.approx((2.5 / 3.5, 0.5 / 3.5))


def test_a_class_without_values_is_like_all_rows():
    X = [[1.0, 0.0], [3.0, 1.0], [5.0, 2.0], [nan, 0.0], [nan, 5.0]]
    rule = NaiveBayes().fit(X, [0, 0, 0, 1, 1]).rule_
    assert rule.numbers[0][1] == pytest.approx((3.0, np.std([1, 3, 5])))


def test_a_class_without_weight_is_never_said():
    training = make_problem(np.arange(6.0)[:, None], [0, 0, 1, 1, 2, 2])
    fitter = BayesFitter(training, 1.0, 1e-9)
    found, said = fitter.fit(np.array([1.0, 1.0, 0.0, 0.0, 1.0, 1.0]))
    assert said.tolist() == [0, 0, 0, 2, 2, 2]
    assert fitter.collect([found])[0].prior == (0.5, 0.0, 0.5)


def test_weight_zero_is_row_absent():
    X, y = IRIS
    weights = np.where(np.arange(150) % 3 == 0, 0.0, 1.0)
    kept = weights > 0
    weighted, absent = NaiveBayes().fit(X, y, weights), NaiveBayes().fit(X[kept], y[kept])
    np.testing.assert_allclose(weighted.predict_proba(X), absent.predict_proba(X))
    # and in a round, where the column's scale stays that of all rows
    training = make_problem(X, y, n_classes=3)
    fitter = BayesFitter(training, 1.0, 1e-12)
    in_round = fitter.collect([fitter.fit(weights)[0]])
    np.testing.assert_allclose(
        log_softmax(in_round.outputs(X), axis=1), absent.predict_log_proba(X), atol=1e-6
    )


def test_whole_weights_are_repeated_rows():
    rng = np.random.default_rng(3)
    X = np.column_stack([IRIS[0], rng.integers(0, 4, 150)])
    times = rng.integers(1, 4, 150)
    rows = np.repeat(np.arange(150), times)
    model = NaiveBayes(categorical_features=[4])
    once = clone(model).fit(X, IRIS[1], times).predict_proba(X)
    repeated = clone(model).fit(X[rows], IRIS[1][rows]).predict_proba(X)
    np.testing.assert_allclose(once, repeated, rtol=1e-9, atol=1e-12)


def test_neither_units_nor_the_order_of_rows_matter():
    X, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(4).permutation(len(y))
    chances = NaiveBayes().fit(X, y).predict_proba(X)
    units = 10.0 ** np.arange(-15, 15)
    np.testing.assert_allclose(NaiveBayes().fit(X * units, y).predict_proba(X * units), chances)
    shuffled = NaiveBayes().fit(X[order], y[order]).predict_proba(X)
    np.testing.assert_allclose(shuffled, chances, rtol=1e-6, atol=1e-12)


def test_variances_far_from_zero():
    x = 1e9 + np.array([0.0, 1.0, 2.0, 3.0])[:, None]
    rule = NaiveBayes().fit(x, [0, 0, 1, 1]).rule_
    assert rule.numbers[0][0] == pytest.approx((1e9 + 0.5, 0.5), rel=1e-8)


def test_far_values_have_a_class():
    X = np.array([[0.0], [1.0], [5.0], [9.0]])
    model = NaiveBayes().fit(X, [0, 0, 1, 1])
    assert model.predict([[1e300], [-1e300]]).tolist() == [1, 1]  # the wider Gaussian
    assert np.all(np.isfinite(model.predict_proba([[1e300]])))


def test_no_column_says_anything():
    model = NaiveBayes().fit([[1.0, nan]] * 3, ["a", "b", "b"])
    assert model.predict([[9.0, 9.0]]).tolist() == ["b"]
    assert model.predict_proba([[9.0, 9.0]])[0] == pytest.approx([1 / 3, 2 / 3])
    assert model.rule_.numbers == {}


def test_ties_go_to_the_first_class():
    model = NaiveBayes().fit([[0.0], [1.0], [0.0], [1.0]], ["b", "b", "a", "a"])
    assert model.predict([[0.3]]).tolist() == ["a"]


# The estimator


def test_data_frames_and_labels():
    frame = pd.DataFrame({"colour": ["red", "red", "blue", None], "size": [1.0, 2.0, 5.0, 6.0]})
    frame["colour"] = frame["colour"].astype("category")
    model = NaiveBayes().fit(frame, ["no", "no", "yes", "yes"])
    assert model.predict(frame).tolist() == ["no", "no", "yes", "yes"]
    assert list(model.rule_.categories) == [0]
    assert model.feature_names_in_.tolist() == ["colour", "size"]


def test_clone_and_pickle():
    model = NaiveBayes(2.0, var_smoothing=1e-6, categorical_features=[1])
    parameters = {"smoothing": 2.0, "var_smoothing": 1e-6, "categorical_features": [1]}
    assert clone(model).get_params() == parameters
    X = np.array([[1.0, 0], [2.0, 1], [3.0, 0]])
    model.fit(X, [0, 1, 1])
    again = pickle.loads(pickle.dumps(model))
    assert again.rule_ == model.rule_
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"smoothing": 0}, "smoothing must be a number above 0"),
        ({"smoothing": "much"}, "smoothing must be a number above 0"),
        ({"var_smoothing": -1e-9}, "var_smoothing must be a number above 0"),
        ({"var_smoothing": nan}, "var_smoothing must be a number above 0"),
    ],
)
def test_bad_parameters(parameters, words):
    with pytest.raises((TypeError, ValueError), match=words):
        NaiveBayes(**parameters).fit(*IRIS)


def test_bad_rows():
    with pytest.raises(ValueError, match="contains infinity"):
        NaiveBayes().fit([[1.0], [np.inf]], [0, 1])
    with pytest.raises(ValueError, match="contains infinity"):
        NaiveBayes().fit([[1.0], [2.0]], [0, 1]).predict([[np.inf]])
    with pytest.raises(ValueError, match="name it in categorical_features"):
        NaiveBayes().fit([["red"], ["blue"]], [0, 1])
