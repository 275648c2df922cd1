import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from nacre import AdaBoostClassifier, MarginBoostClassifier, Tree
from nacre.boost.stopping import TIE
from nacre.diagnostics import (
    axis_volumes,
    cell_volumes,
    decision_volumes,
    mean_volumes,
    thresholds_by_column,
)
from tests.training import examples, noisy_problem, problems

nan, inf = np.nan, np.inf


def labels_after(model, X, t):
    """Rule by rule: the class of the most votes after round t, the first of equals."""
    votes = model.estimator_weights_[:t]
    totals = np.zeros((len(X), len(model.classes_)))
    for said, vote in zip(model.estimators_.first(t).said_by_each(X), votes, strict=True):
        totals[np.arange(len(X)), said] += vote
    near = TIE * np.abs(votes).sum()
    if totals.shape[1] == 2:
        return (totals[:, 1] - totals[:, 0] > near).astype(int)
    return np.argmax(totals >= totals.max(axis=1, keepdims=True) - near, axis=1)


def cuts_on(j, hypotheses):
    """The thresholds on column j, of stumps or of trees."""
    pairs = [
        pair
        for one in hypotheses
        for pair in zip(np.atleast_1d(one.feature), np.atleast_1d(one.threshold), strict=True)
    ]
    return sorted({cut for feature, cut in pairs if feature == j and cut is not None and cut < inf})


def walked(model, X, t, categorical, pad, rescale, decides):
    """The definition, row by row and column by column."""
    volumes = np.zeros(len(X))
    own = labels_after(model, X, t)
    for j in range(X.shape[1]):
        present = np.flatnonzero(~np.isnan(X[:, j]))
        if j in categorical or not len(present):
            continue
        span = np.ptp(X[present, j])
        unit = span if rescale and span > 0 else 1.0
        low, high = X[present, j].min() - pad * unit, X[present, j].max() + pad * unit
        cuts = cuts_on(j, model.estimators_[:t])
        said = []
        for value in [*cuts, inf]:  # a value at a threshold belongs to the stretch below it
            moved = X.copy()
            moved[:, j] = value
            said.append(labels_after(model, moved, t))
        for i in present:
            k = sum(cut < X[i, j] for cut in cuts)
            a = b = k
            if decides:
                while a > 0 and said[a - 1][i] == own[i]:
                    a -= 1
                while b < len(cuts) and said[b + 1][i] == own[i]:
                    b += 1
            left = cuts[a - 1] if a > 0 else low
            right = cuts[b] if b < len(cuts) else high
            volumes[i] += np.log((min(right, high) - max(left, low)) / unit)
    return volumes


def fitted(training, rounds=6, learner=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return AdaBoostClassifier(
            learner, n_estimators=rounds, categorical_features=list(training.categorical)
        ).fit(training.X, training.y, training.weight)


VOLUMES = [(cell_volumes, False), (decision_volumes, True)]


@pytest.mark.slow
@pytest.mark.parametrize("learner", [None, Tree(max_depth=2)])
@pytest.mark.parametrize(("function", "decides"), VOLUMES)
@examples(2)
@given(problems(rows=16, classes=(2, 4)), st.booleans(), st.sampled_from([0.01, 0.5]))
def test_volumes_are_those_of_a_walk(function, decides, learner, training, rescale, pad):
    model = fitted(training, learner=learner)
    assume(len(model.estimators_))
    found = function(model, training.X, pad=pad, rescale=rescale)
    assert found.shape == (len(model.estimators_), len(training.y))
    for t, one in enumerate(found, start=1):
        twin = walked(model, training.X, t, training.categorical, pad, rescale, decides)
        np.testing.assert_allclose(one, twin, atol=1e-9)


@given(problems(rows=16, classes=(2, 4)), st.integers(0, 2**32 - 1))
def test_ties_and_any_votes(training, seed):
    """Votes that cancel, exactly or but for rounding, and votes of either sign."""
    model = fitted(training)
    assume(len(model.estimators_))
    T = len(model.estimators_)
    drawn = np.random.default_rng(seed).normal(size=T)
    for votes in (np.ones(T), np.resize([0.1, 0.2, 0.3], T), drawn, np.zeros(T)):
        model.estimator_weights_ = votes
        for t, one in enumerate(decision_volumes(model, training.X), start=1):
            twin = walked(model, training.X, t, training.categorical, 0.01, True, True)
            np.testing.assert_allclose(one, twin, atol=1e-9)


@pytest.mark.parametrize(("function", "decides"), VOLUMES)
def test_rows_that_were_not_trained_on(function, decides):
    """The box is that of the rows given; thresholds may lie beyond it."""
    training = noisy_problem(n=80, d=2, n_classes=3)
    model = fitted(training, rounds=30)
    some = training.X[np.all(np.abs(training.X) < 0.5, axis=1)]
    twin = walked(model, some, 30, (), 0.01, True, decides)
    np.testing.assert_allclose(function(model, some, rounds=-1), twin, atol=1e-9)


@pytest.mark.parametrize(("function", "decides"), VOLUMES)
def test_scale_does_not_matter_unless_asked(function, decides):
    training = noisy_problem(n=60, d=3)
    stretched = training.X * [1.0, 1024.0, 1 / 64] + [0.0, 5.0, -1.0]
    one, two = fitted(training, 12), AdaBoostClassifier(n_estimators=12).fit(stretched, training.y)
    np.testing.assert_allclose(function(one, training.X), function(two, stretched), atol=1e-8)
    raw = function(two, stretched, rescale=False)
    np.testing.assert_allclose(raw[-1], walked(two, stretched, 12, (), 0.01, False, decides))


def test_decision_volumes_hold_the_cells_and_lie_in_the_box():
    training = noisy_problem(n=150, d=4)
    model = fitted(training, 40)
    cells, decisions = cell_volumes(model, training.X), decision_volumes(model, training.X)
    assert np.all(cells <= decisions + 1e-12)
    assert np.all(decisions <= 4 * np.log(1.02) + 1e-12)
    assert np.all(np.diff(cells, axis=0) <= 1e-12)
    assert not np.all(np.diff(decisions, axis=0) <= 1e-12)


@pytest.mark.parametrize("function", [cell_volumes, decision_volumes])
def test_chosen_rounds(function):
    training = noisy_problem(n=50, d=2)
    model = fitted(training, 10)
    every = function(model, training.X)
    assert np.array_equal(function(model, training.X, 3), every[2])
    assert np.array_equal(function(model, training.X, -1), every[9])
    assert np.array_equal(function(model, training.X, [7, 2, 7, -10]), every[[6, 1, 6, 0]])


def test_a_missing_value_counts_for_nothing():
    X = np.array([[0.0, 0.0], [1.0, 5.0], [2.0, nan], [3.0, 1.0]])
    model = AdaBoostClassifier(n_estimators=1).fit(X, [0, 0, 1, 1])
    sides = np.array([1.51, 1.51, 1.51, 1.51]) / 3 + 0.01 * 2 / 3
    other = np.array([1.02, 1.02, 1.0, 1.02])
    for function in (cell_volumes, decision_volumes):
        np.testing.assert_allclose(np.exp(function(model, X, -1)), sides * other)


def test_categories_alone():
    X = np.array([[0.0], [0.0], [1.0], [1.0], [2.0]])
    model = AdaBoostClassifier(n_estimators=3, categorical_features=[0]).fit(X, [0, 0, 1, 1, 0])
    for function in (cell_volumes, decision_volumes):
        assert not function(model, X).any()


def test_lengths_beyond_floats_stay_finite():
    rng = np.random.default_rng(0)
    X = np.exp(rng.uniform(-200, 200, (40, 60)))
    model = AdaBoostClassifier(n_estimators=300).fit(X, rng.integers(0, 2, 40))
    for function in (cell_volumes, decision_volumes):
        assert np.isfinite(function(model, X)).all()
        assert np.isfinite(function(model, X, rescale=False)).all()


def test_any_algorithm_with_stumps():
    training = noisy_problem(n=60, d=2)
    model = MarginBoostClassifier(n_estimators=15, random_state=0).fit(training.X, training.y)
    last = len(model.estimators_)
    twin = walked(model, training.X, last, (), 0.01, True, True)
    np.testing.assert_allclose(decision_volumes(model, training.X, last), twin, atol=1e-9)


# Any ensemble


@given(problems(rows=20, classes=(2, 4)), st.booleans())
def test_the_general_walk_agrees(training, rescale):
    model = fitted(training)
    assume(len(model.estimators_))
    stumps = model.estimators_
    cuts = thresholds_by_column(stumps.feature, stumps.threshold, training.X.shape[1])
    cuts = [None if j in training.categorical else one for j, one in enumerate(cuts)]
    found = axis_volumes(model.predict, training.X, cuts, rescale=rescale)
    known = decision_volumes(model, training.X, -1, rescale=rescale)
    np.testing.assert_allclose(found, known, atol=1e-9)


def test_trees():
    training = noisy_problem(n=60, d=2, n_classes=3)
    X = training.X.astype(np.float32).astype(float)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, training.y)
    nodes = [one.tree_ for one in forest.estimators_]
    feature = np.concatenate([tree.feature for tree in nodes])
    threshold = np.concatenate([tree.threshold for tree in nodes])
    cuts = thresholds_by_column(feature, threshold, 2)
    found = axis_volumes(forest.predict, X, cuts)
    own, twin = forest.predict(X), np.zeros(60)
    for j in range(2):
        unit = np.ptp(X[:, j])
        line = np.linspace(X[:, j].min() - 0.01 * unit, X[:, j].max() + 0.01 * unit, 20_001)
        for i in range(60):
            probes = np.tile(X[i], (len(line), 1))
            probes[:, j] = line
            same = forest.predict(probes) == own[i]
            here = np.searchsorted(line, X[i, j])
            left = here - np.argmin(np.append(same[:here][::-1], False))
            right = here + np.argmin(np.append(same[here:], False))
            twin[i] += np.log((right - left) * (line[1] - line[0]) / unit)
    np.testing.assert_allclose(found, twin, atol=0.02)


def test_a_model_that_never_changes_its_mind():
    X = np.array([[0.0, 3.0], [1.0, nan]])
    found = axis_volumes(lambda rows: np.zeros(len(rows)), X, [[0.5], []], pad=0.5)
    np.testing.assert_allclose(np.exp(found), [2.0 * 1.0, 2.0])


def test_thresholds_of_leaves_and_of_gaps_are_left_out():
    found = thresholds_by_column([1, -2, 1, 1, 0], [3.0, -2.0, inf, 3.0, 1.0], 3)
    assert [one.tolist() for one in found] == [[1.0], [3.0], []]
    assert [one.tolist() for one in thresholds_by_column([], [], 1)] == [[]]


def test_the_mean_of_volumes_beyond_floats():
    logs = np.array([[0.0, np.log(3.0)], [-2000.0, -2000.0], [1000.0, -inf]])
    np.testing.assert_allclose(mean_volumes(logs), [np.log(2.0), -2000.0, 1000.0 - np.log(2)])


# Bad input


@pytest.mark.parametrize("function", [cell_volumes, decision_volumes])
def test_bad_input(function):
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 1]
    model = AdaBoostClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="pad must be a number above 0, got 0"):
        function(model, X, pad=0)
    with pytest.raises(ValueError, match="rounds must be whole numbers from 1 to"):
        function(model, X, rounds=99)
    with pytest.raises(ValueError, match="2 features, but AdaBoostClassifier is expecting 1"):
        function(model, [[0.0, 1.0]])
    with pytest.raises(ValueError, match="contains infinity"):
        function(model, [[inf]])
    with pytest.raises(TypeError, match="native stumps or trees, got AdaBoostClassifier"):
        function(AdaBoostClassifier(), X)
    tree = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=2).fit(X, y)
    with pytest.raises(TypeError, match="native stumps"):
        function(tree, X)
    with pytest.warns(UserWarning, match="stopped in the first round"):
        empty = AdaBoostClassifier(n_estimators=2).fit([[0.0], [0.0]], [0, 1])
    with pytest.raises(ValueError, match="The ensemble is empty"):
        function(empty, X)


def test_bad_input_of_the_general_walk():
    X = np.zeros((2, 2))
    with pytest.raises(ValueError, match="thresholds has 1 entries for 2 columns"):
        axis_volumes(len, X, [[]])
    with pytest.raises(
        ValueError, match=r"X must be a table of rows and columns, got shape \(2,\)"
    ):
        axis_volumes(len, [1.0, 2.0], [[]])
    with pytest.raises(ValueError, match=r"thresholds\[1\] contains NaN or infinity"):
        axis_volumes(lambda rows: np.zeros(len(rows)), X, [[], [inf]])
    with pytest.raises(ValueError, match="lists of one length"):
        thresholds_by_column([0, 1], [0.5], 2)
    with pytest.raises(ValueError, match="feature names column 2, but there are 2 columns"):
        thresholds_by_column([2], [0.5], 2)
    with pytest.raises(ValueError, match="at least one row"):
        mean_volumes(np.zeros((3, 0)))
