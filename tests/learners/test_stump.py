import pickle
from collections.abc import Sequence

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from nacre import Stump
from nacre.boost import Algorithm, boost
from nacre.learners.stump import Rule, StumpFitter
from tests.training import noisy_problem

nan, inf = np.nan, np.inf


# The estimator


def test_labels_come_back_as_they_were():
    X, y = [[1.0], [2.0], [4.0], [5.0]], ["no", "no", "yes", "yes"]
    stump = Stump().fit(X, y)
    assert stump.classes_.tolist() == ["no", "yes"]
    assert stump.rule_ == Rule(0, 3.0, 0, 1, 0)
    assert stump.predict([[3.0], [3.1], [-9.0]]).tolist() == ["no", "yes", "no"]
    assert stump.score(X, y) == 1.0


def test_weights_decide():
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1]
    assert Stump().fit(X, y, [5, 1, 1, 5]).rule_.threshold == 1.5
    assert Stump().fit(X, y, [1, 1, 5, 5]).rule_.threshold == 3.5
    absent = Stump().fit(X, y, [1, 0, 1, 1]).rule_
    assert absent == Stump().fit([X[0], X[2], X[3]], [0, 0, 1]).rule_


def test_missing_values_take_the_side_that_suits():
    X = [[1.0], [2.0], [4.0], [5.0], [nan]]
    for own in (0, 1):
        stump = Stump().fit(X, [0, 0, 1, 1, own])
        assert stump.predict([[nan]]).tolist() == [own]


def test_present_against_missing():
    stump = Stump().fit([[1.0], [2.0], [3.0], [nan], [nan]], [1, 1, 1, 0, 0])
    assert stump.rule_ == Rule(0, inf, 1, 0, 0)
    assert stump.predict([[1e300], [nan]]).tolist() == [1, 0]


def test_categories():
    X = [[7.0], [7.0], [3.0], [3.0], [9.0], [nan]]
    stump = Stump(categorical_features=[0]).fit(X, [0, 0, 1, 1, 0, 1])
    assert stump.rule_.categories == {3.0: 1, 7.0: 0, 9.0: 0}
    assert stump.predict([[3.0], [7.0], [nan]]).tolist() == [1, 0, 1]
    assert stump.predict([[8.0]]).tolist() == [stump.rule_.missing]  # unknown counts as missing


def test_three_classes():
    stump = Stump().fit([[1.0], [2.0], [3.0], [4.0], [5.0]], ["c", "c", "a", "b", "b"])
    assert stump.predict([[0.0], [9.0]]).tolist() == ["c", "b"]


def test_nothing_to_learn_is_the_heaviest_class():
    stump = Stump().fit([[1.0]] * 3, [0, 1, 1])
    assert stump.rule_ is None
    assert stump.predict([[1.0], [5.0]]).tolist() == [1, 1]
    assert Stump().fit([[1.0]] * 3, [0, 1, 1], [5, 1, 1]).predict([[1.0]]).tolist() == [0]


@pytest.mark.parametrize("max_bins", [2, 10, 255, None])
def test_bins_limit_the_thresholds(max_bins):
    x = np.arange(1000.0)[:, None]
    found = {Stump(max_bins=max_bins).fit(x, x[:, 0] > k).rule_.threshold for k in range(0, 999, 9)}
    assert len(found) < (max_bins or 112)
    assert (found == {k + 0.5 for k in range(0, 999, 9)}) == (max_bins is None)


def test_unfitted():
    with pytest.raises(NotFittedError):
        Stump().predict([[1.0]])
    with pytest.raises(ValueError, match="at least two classes"):
        Stump().fit([[1.0], [2.0]], [1, 1])


def test_clone_and_pickle():
    stump = Stump(max_bins=9, categorical_features=[1])
    assert clone(stump).get_params() == {"max_bins": 9, "categorical_features": [1]}
    X, y = np.array([[1.0, 0], [2.0, 1], [3.0, 0]]), [0, 1, 1]
    stump.fit(X, y)
    again = pickle.loads(pickle.dumps(stump))
    assert again.rule_ == stump.rule_
    assert np.array_equal(again.predict(X), stump.predict(X))


# Rules


def test_a_rule_is_read_as_it_says():
    X = np.array([[0.0, 1.0], [0.0, 1.5], [0.0, 1.6], [0.0, nan]])
    assert Rule(1, 1.5, 2, 0, 1).predict(X).tolist() == [2, 2, 0, 1]
    rule = Rule(0, None, 5, 5, 1, {2.0: 0, 4.0: 3})
    assert rule.predict(np.array([[2.0], [4.0], [3.0], [nan]])).tolist() == [0, 3, 1, 1]


def test_rules_are_values():
    rule = Rule(0, 1.5, 0, 1, 1)
    assert rule == Rule(0, 1.5, 0, 1, 1) != Rule(0, 1.5, 1, 0, 1)
    assert repr(rule).startswith("Rule(feature=0, threshold=1.5, left=0, right=1, missing=1")


# The stumps of an ensemble


@pytest.fixture
def mixed():
    training = noisy_problem(80, 3, 3, gaps=0.1)
    X = np.column_stack([training.X, training.X[:, 0].round(), np.arange(80) % 5])
    training = training.__class__(X, training.y, 3, training.weight, np.full(80, 50.0), (3, 4))
    return training, boost(StumpFitter(training, 255, 1), training, Algorithm(), 40).hypotheses


def test_stumps_are_a_sequence(mixed):
    _, stumps = mixed
    assert isinstance(stumps, Sequence)
    rules = list(stumps)
    assert len(stumps) == len(rules) == 40
    assert {rule.categories is None for rule in rules} == {True, False}
    assert stumps[-1] == rules[39]
    assert stumps[3:9:2] == rules[3:9:2]
    assert rules[5] in stumps
    assert stumps.index(rules[5]) == rules.index(rules[5])
    assert list(reversed(stumps)) == rules[::-1]
    for outside in (40, -41):
        with pytest.raises(IndexError):
            stumps[outside]


def test_stumps_speak_one_by_one(mixed):
    training, stumps = mixed
    said = np.array(list(stumps.said_by_each(training.X)))
    assert said.shape == (40, 80)
    votes = np.linspace(1, 2, 40)
    expected = (votes[:, None, None] * (said[:, :, None] == np.arange(3))).sum(axis=0)
    np.testing.assert_allclose(stumps.scores(training.X, votes), expected, atol=1e-12)


def test_stumps_pickle(mixed):
    training, stumps = mixed
    again = pickle.loads(pickle.dumps(stumps))
    assert list(again) == list(stumps)
    votes = np.ones(40)
    assert np.array_equal(again.scores(training.X, votes), stumps.scores(training.X, votes))


def test_equal_runs_leave_equal_bytes(mixed):
    training, stumps = mixed
    again = boost(StumpFitter(training, 255, 1), training, Algorithm(), 40).hypotheses
    assert pickle.dumps(again) == pickle.dumps(stumps)


def test_collect_joins_single_stumps(mixed):
    training, _ = mixed
    fitter = StumpFitter(training, 255, 1)
    rng = np.random.default_rng(0)
    singles = [fitter.fit(rng.random(80))[0] for _ in range(6)]
    assert list(fitter.collect(singles)) == [one[0] for one in singles]
    assert len(fitter.collect([])) == 0
