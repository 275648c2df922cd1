import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons

from nacre import AdaBoostClassifier, Network
from nacre.learners import network
from nacre.learners.network import NetworkFitter
from tests.training import make_problem, noisy_problem

nan = np.nan
IRIS = load_iris(return_X_y=True)
MOONS = make_moons(300, noise=0.2, random_state=0)


def test_what_no_line_can_part():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = ["even", "odd", "odd", "even"]
    model = Network(random_state=0).fit(X, y)
    assert model.predict(X).tolist() == y
    assert model.predict_proba(X).max(axis=1).min() > 0.9


@pytest.mark.parametrize(("X", "y"), [MOONS, IRIS], ids=["two classes", "three classes"])
def test_probabilities(X, y):
    model = Network(random_state=0).fit(X, y)
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), chances)
    assert np.array_equal(model.classes_[chances.argmax(axis=1)], model.predict(X))
    assert model.score(X, y) > 0.95


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_rule_is_read_as_it_says(n_classes):
    """The units in the table's own units, read by hand."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(50, 9, 80), rng.integers(0, 3, 80), rng.normal(size=80)])
    y = rng.integers(0, n_classes, 80)
    model = Network(categorical_features=[1], random_state=0).fit(X, y)
    X[:5, 1], X[5:9, 1] = 9.0, nan  # unknown and missing: no input at all
    rule = model.rule_
    units = np.array(
        [
            [
                np.tanh(
                    unit.bias
                    + sum(weight * row[j] for j, weight in unit.numbers.items())
                    + sum(table.get(row[j], 0.0) for j, table in unit.categories.items())
                )
                for unit in rule.units
            ]
            for row in X
        ]
    )
    outputs = units @ np.array([unit.says for unit in rule.units]) + rule.bias
    expected = softmax(np.column_stack([np.zeros(80), outputs]), axis=1)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-9)
    assert np.array_equal(rule.predict(X), expected.argmax(axis=1))


def test_missing_numbers_count_as_the_mean():
    X, y = MOONS[0].copy(), MOONS[1]
    X[::7, 0] = nan
    model = Network(random_state=0).fit(X, y)
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    np.testing.assert_allclose(model.predict_proba(X), model.predict_proba(filled), atol=1e-12)
    assert model.score(X, y) > 0.9


def test_categories():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(0, 4, 200), rng.integers(0, 3, 200)]).astype(float)
    y = (X[:, 0] == 2) ^ (X[:, 1] == 1)
    X[:20, 1] = nan
    model = Network(categorical_features=[0, 1], random_state=0).fit(X, y)
    assert model.score(X[20:], y[20:]) == 1.0
    assert model.score(np.nan_to_num(X, nan=7.0), y) == model.score(X, y)


# Weights


def test_weight_zero_is_row_absent():
    training = noisy_problem(60, 2)
    weights = np.where(np.arange(60) % 3 == 0, 0.0, 1.0)
    kept = weights > 0
    rest = make_problem(training.X[kept], training.y[kept])
    whole, absent = (NetworkFitter(one, 3, 10, 1e-3) for one in (training, rest))
    absent.numbers[:] = whole.numbers[:, kept[whole.order]]  # units are those of all rows
    for one, two in zip(whole.fit(weights, 1)[0], absent.fit(weights[kept], 1)[0], strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-7)


def test_weights_of_the_table_are_repeated_rows():
    X, y = MOONS
    times = np.random.default_rng(2).integers(0, 4, 300)
    rows = np.repeat(np.arange(300), times)
    model = Network(epochs=15, random_state=3)
    once = clone(model).fit(X, y, times)
    repeated = clone(model).fit(X[rows], y[rows])
    np.testing.assert_allclose(once.predict_proba(X), repeated.predict_proba(X), atol=1e-7)


def test_heavy_rows_are_fitted():
    training = noisy_problem(100, 2, flip=1.0)
    fitter = NetworkFitter(training, 3, 100, 1e-5)
    heavy = np.arange(100) < 6
    said = fitter.fit(np.where(heavy, 1.0, 1e-4), 0)[1]
    assert np.array_equal(said[heavy], training.y[heavy])


def test_one_class_drawn():
    training = noisy_problem(50, 2, 3)
    fitter = NetworkFitter(training, 3, 50, 1e-5)
    said = fitter.fit((training.y == 2).astype(float), 0)[1]
    assert said[training.y == 2].tolist() == [2] * (training.y == 2).sum()


# Starts


def test_the_seed_decides_to_the_last_bit():
    training = noisy_problem(700, 3, 3)
    fitter = NetworkFitter(training, 3, 30, 1e-5)
    weights = np.random.default_rng(0).random(700)
    one = fitter.fit(weights, 1)
    other = fitter.fit(weights, 2)  # and what was fitted in between leaves no trace
    again = fitter.fit(weights, 1)
    afresh = NetworkFitter(training, 3, 30, 1e-5).fit(weights, 1)
    for two in (again, afresh):
        assert pickle.dumps(one) == pickle.dumps(two)
    assert not np.array_equal(one[0][0], other[0][0])


def test_boosting_twice_leaves_equal_bytes():
    X, y = MOONS
    model = AdaBoostClassifier(Network(epochs=20), 10, random_state=5)
    one, two = clone(model).fit(X, y), clone(model).set_params(n_jobs=2).fit(X, y)
    assert pickle.dumps(one.estimators_) == pickle.dumps(two.estimators_)
    assert np.array_equal(one.estimator_weights_, two.estimator_weights_)
    other = clone(model).set_params(random_state=6).fit(X, y)
    assert not np.array_equal(one.estimator_weights_, other.estimator_weights_)


def test_random_state_of_its_own():
    X, y = MOONS
    one, two, other = (Network(random_state=seed).fit(X, y) for seed in (1, 1, 2))
    assert one.rule_ == two.rule_ != other.rule_


def test_a_start_that_leads_nowhere_is_given_up(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = (np.abs((X**2).sum(axis=1) - 1.4) < 0.8).astype(int)
    weights = np.where(y == 1, 0.5 / y.sum(), 0.5 / (200 - y.sum()))
    fitter = NetworkFitter(make_problem(X, y), 1, 3, 1e-5)

    def errors():
        return np.array([weights[fitter.fit(weights, seed)[1] != y].sum() for seed in range(30)])

    many = errors()
    monkeypatch.setattr(network, "STARTS", 1)
    once = errors()
    stuck = once >= 0.5 - 1e-9
    assert 0 < stuck.sum() < 30
    assert np.all(many < 0.5)
    assert np.array_equal(once[~stuck], many[~stuck])


# Parameters


def test_units_epochs_and_decay():
    X, y = MOONS
    assert len(Network(hidden=5, random_state=0).fit(X, y).rule_.units) == 5
    few, many = (Network(epochs=epochs, random_state=0).fit(X, y) for epochs in (3, 100))
    likely = [model.predict_log_proba(X)[np.arange(300), y].mean() for model in (few, many)]
    assert likely[0] < likely[1] - 0.05

    def size(decay):
        rule = Network(decay=decay, random_state=0).fit(X, y).rule_
        return sum(abs(weight) for unit in rule.units for weight in unit.says)

    assert size(0.1) < size(1e-2) < size(1e-5)


def test_row_by_row():
    X, y = MOONS
    one, two, other = (
        Network(learning_rate=0.1, epochs=30, random_state=seed).fit(X, y) for seed in (1, 1, 2)
    )
    assert one.rule_ == two.rule_ != other.rule_
    assert one.score(X, y) > 0.93
    weights = np.where(y == 1, 1.0, 1e-9)  # rows that are never drawn
    assert np.all(clone(one).fit(X, y, weights).predict(X) == 1)
    boosted = AdaBoostClassifier(Network(learning_rate=0.1, epochs=10), 10, random_state=0)
    assert boosted.fit(X, y).score(X, y) > 0.96


@pytest.mark.parametrize("rate", [0.0, -1.0, "fast"])
def test_bad_rates(rate):
    with pytest.raises((ValueError, TypeError), match="learning_rate"):
        Network(learning_rate=rate).fit(*MOONS)


def test_no_column_says_anything():
    model = Network(random_state=0).fit([[1.0, nan]] * 4, ["a", "b", "b", "b"])
    assert model.predict([[9.0, 9.0]]).tolist() == ["b"]
    assert model.predict_proba([[9.0, 9.0]])[0] == pytest.approx([1 / 4, 3 / 4], abs=1e-3)


def test_far_values_have_a_class():
    model = Network(random_state=0).fit(*MOONS)
    assert np.all(np.isfinite(model.predict_proba([[1e300, -1e300], [-1e300, 0.0]])))


def test_data_frames_and_labels():
    frame = pd.DataFrame({"c": pd.Categorical(["x", "y"] * 20), "a": np.arange(40.0)})
    y = np.where(frame["c"] == "x", "yes", "no")
    model = Network(random_state=0).fit(frame, y)
    assert model.predict(frame).tolist() == y.tolist()
    assert list(model.rule_.units[0].categories) == [0]
    assert model.feature_names_in_.tolist() == ["c", "a"]


def test_clone_and_pickle():
    model = Network(hidden=2, epochs=9, decay=0.1, categorical_features=[1], random_state=4)
    assert clone(model).get_params() == model.get_params()
    X = np.array([[1.0, 0], [2.0, 1], [3.0, 0]])
    model.fit(X, [0, 1, 1])
    again = pickle.loads(pickle.dumps(model))
    assert again.rule_ == model.rule_
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"hidden": 0}, ValueError, "hidden must be at least 1"),
        ({"hidden": 2.5}, TypeError, "hidden must be a whole number"),
        ({"epochs": 0}, ValueError, "epochs must be at least 1"),
        ({"decay": -1.0}, ValueError, "decay must be a number of 0 or more"),
        ({"decay": nan}, ValueError, "decay must be a number of 0 or more"),
    ],
)
def test_bad_parameters(parameters, error, words):
    with pytest.raises(error, match=words):
        Network(**parameters).fit(*IRIS)


def test_bad_rows():
    with pytest.raises(ValueError, match="contains infinity"):
        Network().fit([[1.0], [np.inf]], [0, 1])
    with pytest.raises(ValueError, match="name it in categorical_features"):
        Network().fit([["red"], ["blue"]], [0, 1])
