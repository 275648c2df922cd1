import pickle
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from nacre import AdaBoostClassifier, Tree
from nacre.bins import bin_training
from nacre.boost import Algorithm, boost
from nacre.learners.branches import Trees
from nacre.learners.tree import count_features, make_room
from tests.textbook.tree import class_tree
from tests.training import assert_same_tree, examples, make_problem, noisy_problem, problems

nan = np.nan


def fitter_of(training, **parameters):
    return Tree(**parameters).prepare(training)


def unfold(tree, node=0):
    """A tree as nested tuples, whatever the order of its nodes."""
    if tree.feature[node] < 0:
        return tree.value[node]
    split = tree.threshold[node]
    if tree.table[node] >= 0:
        split = tree.sides[tree.table[node]].tobytes()
    below = (unfold(tree, tree.left[node]), unfold(tree, tree.right[node]))
    return tree.feature[node], split, tree.gap[node], *below


def said(fitter, tree, X):
    return next(fitter.collect([tree]).values_by_each(X))


# The estimator


def test_labels_come_back_as_they_were():
    X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [2.0, 0.0]]
    tree = Tree(max_depth=2).fit(X, ["no", "no", "no", "yes", "no"])
    assert tree.classes_.tolist() == ["no", "yes"]
    assert tree.predict(X).tolist() == ["no", "no", "no", "yes", "no"]
    assert tree.score(X, ["no", "no", "no", "yes", "no"]) == 1.0


@pytest.mark.slow
@examples(2)
@given(training=problems(rows=40, classes=(2, 5)), depth=st.integers(1, 6))
def test_the_estimator_is_the_twin(training, depth):
    twin = class_tree(
        training.X, training.y, training.weight, training.n_classes, max_depth=depth,
        categorical=training.categorical,
    )  # fmt: skip
    w = training.weight * len(training.y)
    assume(np.ptp(w) == 0)  # others count as another number of rows
    tree = Tree(depth, categorical_features=list(training.categorical)).fit(
        training.X, training.y, w
    )
    if twin.split is None:
        assert tree.rule_ is None
    else:
        assert_same_tree(tree.rule_, tree._said.categories, twin)
    assert np.array_equal(tree.predict(training.X), twin.predict(training.X))


def test_nothing_to_learn_is_the_heaviest_class():
    tree = Tree().fit([[1.0]] * 3, [0, 1, 1])
    assert tree.rule_ is None
    assert tree.predict([[1.0], [5.0]]).tolist() == [1, 1]
    assert Tree().fit([[1.0]] * 3, [0, 1, 1], [5, 1, 1]).predict([[1.0]]).tolist() == [0]


def test_unfitted():
    with pytest.raises(NotFittedError):
        Tree().predict([[1.0]])
    with pytest.raises(ValueError, match="at least two classes"):
        Tree().fit([[1.0], [2.0]], [1, 1])


@pytest.mark.parametrize(
    ("parameters", "kind", "words"),
    [
        ({"max_depth": 0}, ValueError, "max_depth must be at least 1, got 0"),
        ({"max_depth": 2.0}, TypeError, "max_depth must be a whole number, got 2.0"),
        ({"max_depth": True}, TypeError, "max_depth must be a whole number, got True"),
        ({"max_leaves": 1}, ValueError, "max_leaves must be at least 2, got 1"),
        ({"max_leaves": "4"}, TypeError, "max_leaves must be a whole number, got '4'"),
        ({"min_weight": 0.5}, ValueError, "min_weight must be from 0 to below 1/2, got 0.5"),
        ({"min_weight": -0.1}, ValueError, "min_weight must be a number of 0 or more"),
        ({"min_weight": nan}, ValueError, "min_weight must be a number of 0 or more"),
        ({"min_weight": "a"}, (TypeError, ValueError), "min_weight must be .*got 'a'"),
        ({"max_features": 0}, ValueError, "max_features must be None, a number of columns"),
        ({"max_features": 1.5}, ValueError, "max_features must be None, a number of columns"),
        ({"max_features": "sqrt"}, ValueError, "max_features must be None, a number of columns"),
        ({"max_features": True}, ValueError, "max_features must be None, a number of columns"),
        ({"random_cuts": "no"}, TypeError, "random_cuts must be True or False, got 'no'"),
        ({"random_cuts": 1}, TypeError, "random_cuts must be True or False, got 1"),
        ({"max_bins": None}, TypeError, "max_bins of a Tree must be a whole number"),
        ({"max_bins": 256}, ValueError, "max_bins must be at most 255, got 256"),
        ({"max_bins": 1}, ValueError, "max_bins must be at least 2, got 1"),
        ({"categorical_features": ["a"]}, ValueError, "categorical_features"),
    ],
)
def test_bad_parameters(parameters, kind, words):
    tree = Tree(**parameters)
    with pytest.raises(kind, match=words) as caught:
        tree.fit([[1.0], [2.0]], [0, 1])
    assert "\n" not in str(caught.value)


def test_how_many_columns_are_tried():
    assert [count_features(m, 10) for m in (None, 1, 3, 10, 99, 1.0)] == [0, 1, 3, 0, 0, 0]
    assert [count_features(m, 10) for m in (0.01, 0.3, 0.99)] == [1, 3, 0]


def test_clone_and_pickle():
    tree = Tree(2, max_leaves=3, categorical_features=[1])
    assert clone(tree).get_params() == tree.get_params()
    X, y = np.array([[1.0, 0], [2.0, 1], [3.0, 0], [4.0, 1]]), [0, 1, 1, 0]
    tree.fit(X, y)
    again = pickle.loads(pickle.dumps(tree))
    assert unfold(again.rule_) == unfold(tree.rule_)
    assert np.array_equal(again.predict(X), tree.predict(X))


def test_a_tree_in_words():
    X = [[0, 0], [0, 1], [1, 0], [1, 1], [nan, 1]]
    rule = Tree(max_depth=2).fit(X, ["a", "a", "a", "b", "b"]).rule_
    assert repr(rule).splitlines() == [
        "column 0 <= 0.5: 0",
        "else:",
        "  column 1 <= 0.5: 0",
        "  else: 1",
    ]
    rule = Tree(1, categorical_features=[0]).fit([[7.0]] * 20 + [[3.0]] * 21, [0] * 20 + [1] * 21)
    assert repr(rule.rule_).splitlines()[0].startswith("column 0 in {")


# Rows


@examples(2)
@given(training=problems(rows=50, classes=(2, 4)), seed=st.integers(0, 99))
def test_what_was_said_in_training_is_predicted(training, seed):
    rng = np.random.default_rng(seed)
    fitter = fitter_of(training, max_depth=6)
    w, r = training.weight * rng.integers(0, 3, len(training.y)), rng.normal(size=len(training.y))
    assume(w.sum() > 0)
    tree, values = fitter.fit_response(r, w)
    assert np.array_equal(said(fitter, tree, training.X), values)
    tree, values = fitter.fit_response(r, w, curvature=w * rng.random(len(w)))
    assert np.array_equal(said(fitter, tree, training.X), values)
    fitted = fitter.fit(w)
    if fitted is not None:
        assert np.array_equal(said(fitter, fitted[0], training.X), fitted[1])


@pytest.mark.parametrize("kind", [np.float32, np.int64, np.int8, np.uint16, bool])
def test_any_kind_of_number(kind):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2 if kind is bool else 100, (300, 3)).astype(kind)
    if kind is np.float32:
        X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(0, 3, 300)
    as_given, as_floats = Tree(5).fit(X, y), Tree(5).fit(X.astype(float), y)
    assert unfold(as_given.rule_) == unfold(as_floats.rule_)
    assert np.array_equal(as_given.predict(X), as_floats.predict(X.astype(float)))
    training = make_problem(X, y)
    fitter = fitter_of(training, max_depth=5)
    assert np.array_equal(as_given.predict(X), fitter.fit(training.weight)[1])


def test_neighbouring_numbers_are_told_apart():
    for values in (
        np.float32([1.0, np.nextafter(np.float32(1), np.float32(2))]),
        [0.1, np.nextafter(0.1, 1)],
    ):
        X = np.repeat(values, 3)[:, None]
        assert Tree(1).fit(X, [0] * 3 + [1] * 3).predict(X).tolist() == [0] * 3 + [1] * 3


def test_unknown_and_missing_categories_go_together():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(0, 6, 400), rng.normal(size=400)])
    X[rng.random(400) < 0.2, 0] = nan
    y = np.isin(X[:, 0], [1, 4]) ^ (X[:, 1] > 0.5)
    tree = Tree(4, categorical_features=[0]).fit(X, y)
    assert tree.score(X, y) > 0.95
    others = X.copy()
    others[:, 0] = nan
    unknown = others.copy()
    unknown[:, 0] = np.resize([77.0, -1.0, 2.5], 400)
    assert np.array_equal(tree.predict(others), tree.predict(unknown))


def test_categories_of_a_frame():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue", "grey"], 300)
    frame = pd.DataFrame({"size": rng.normal(size=300), "colour": pd.Categorical(colour)})
    y = np.where(np.isin(colour, ["red", "blue"]), "yes", "no")
    tree = Tree(1).fit(frame, y)
    assert tree.score(frame, y) == 1.0
    assert tree.rule_.feature[0] == 1
    assert tree.feature_names_in_.tolist() == ["size", "colour"]


def test_an_identifier_is_not_mistaken_for_a_rule():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    y = (x + 0.3 * rng.normal(size=200) > 0).astype(int)
    tree = Tree(1, categorical_features=[0]).fit(np.column_stack([np.arange(200), x]), y)
    assert tree.rule_.feature[0] == 1


def test_a_column_of_categories_that_tells_nothing():
    # drawn towards the mean of all, the categories are worth less than no split
    X, y, w = [[0.0], [0.0], [1.0], [0.0]], [1, 0, 1, 1], [2, 2, 3, 1]
    assert Tree(categorical_features=[0]).fit(X, y, w).rule_ is None


def test_missing_values_take_the_side_that_gains():
    X = [[1.0], [2.0], [4.0], [5.0], [nan], [nan]]
    for own in (0, 1):
        tree = Tree(1).fit(X, [0, 0, 1, 1, own, own])
        assert tree.predict([[nan]]).tolist() == [own]
    tree = Tree(1).fit([[1.0], [2.0], [3.0], [nan], [nan]], [1, 1, 1, 0, 0])
    assert tree.rule_.threshold[0] == np.inf
    assert tree.predict([[1e300], [nan]]).tolist() == [1, 0]


def test_gaps_never_seen_take_the_heavier_side():
    for y, own in (([0, 1, 1, 1], 1), ([0, 0, 0, 1], 0)):
        tree = Tree(1).fit([[1.0], [2.0], [3.0], [4.0]], y)
        assert tree.predict([[nan]]).tolist() == [own]


# Weights


@examples(2)
@given(
    training=problems(rows=25, classes=(2, 4), weights=("whole",)),
    depth=st.integers(1, 5),
    seed=st.integers(0, 99),
)
def test_whole_weights_are_repeated_rows(training, depth, seed):
    w = np.random.default_rng(seed).integers(1, 4, len(training.y))
    learner = Tree(depth, categorical_features=list(training.categorical))
    one = clone(learner).fit(training.X, training.y, w)
    two = clone(learner).fit(training.X.repeat(w, axis=0), training.y.repeat(w))
    assert np.array_equal(one.predict(training.X), two.predict(training.X))
    assert (one.rule_ is None) == (two.rule_ is None)
    if one.rule_ is not None:
        assert unfold(one.rule_) == unfold(two.rule_)


@examples(2)
@given(training=problems(rows=30, classes=(2, 4), weights=("equal",)), seed=st.integers(0, 99))
def test_rows_of_weight_zero_are_absent(training, seed):
    w = np.random.default_rng(seed).integers(0, 2, len(training.y))
    kept = w > 0
    assume(len(np.unique(training.y[kept])) > 1)
    learner = Tree(4, categorical_features=list(training.categorical))
    one = clone(learner).fit(training.X, training.y, w)
    two = clone(learner).fit(training.X[kept], training.y[kept])
    assert (one.rule_ is None) == (two.rule_ is None)
    assert one.rule_ is None or unfold(one.rule_) == unfold(two.rule_)
    assert np.array_equal(one.predict(training.X), two.predict(training.X))


@examples(2)
@given(training=problems(rows=40, classes=(2, 4)), seed=st.integers(0, 99))
def test_the_order_of_rows_does_not_matter(training, seed):
    rng = np.random.default_rng(seed)
    order, r = rng.permutation(len(training.y)), rng.normal(size=len(training.y))
    shuffled = training.__class__(
        training.X[order], training.y[order], training.n_classes, training.weight[order],
        None if training.count is None else training.count[order], training.categorical,
    )  # fmt: skip
    one, two = (fitter_of(p, max_depth=4) for p in (training, shuffled))
    tree, values = one.fit_response(r, training.weight)
    other, moved = two.fit_response(r[order], training.weight[order])
    assert np.array_equal(tree.feature, other.feature)
    np.testing.assert_allclose(values[order], moved, rtol=1e-9, atol=1e-12)
    found, again = one.fit(training.weight), two.fit(training.weight[order])
    assert (found is None) == (again is None)
    if found is not None:
        assert np.array_equal(found[0].feature, again[0].feature)
        assert np.array_equal(found[1][order], again[1])


@pytest.mark.parametrize(("n_classes", "seed"), [(2, 158), (2, 227), (3, 355), (4, 119), (4, 120)])
def test_the_order_of_rows_does_not_matter_to_categories(n_classes, seed):
    # of these tables two classes, or the means of two categories, are equal but for rounding
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 6, (40, 1)), np.arange(40) % n_classes
    weight, order = rng.choice([0.1, 0.2, 0.3, 0.7], 40), rng.permutation(40)
    one, _ = fitter_of(make_problem(X, y, categorical=[0]), max_depth=1).fit(weight)
    shuffled = make_problem(X[order], y[order], categorical=[0])
    two, _ = fitter_of(shuffled, max_depth=1).fit(weight[order])
    assert unfold(one) == unfold(two)


# Random columns


def test_seeds_decide_which_columns_are_tried():
    training = noisy_problem(200, 12)
    fitter = fitter_of(training, max_depth=4, max_features=3)
    trees = [fitter.fit(training.weight, seed)[0] for seed in (1, 1, 2)]
    assert unfold(trees[0]) == unfold(trees[1]) != unfold(trees[2])
    again = fitter_of(training, max_depth=4, max_features=3).fit(training.weight, 1)[0]
    assert unfold(again) == unfold(trees[0])


@pytest.mark.parametrize("max_features", [1, 3, 0.25])
def test_columns_are_tried_alike(max_features):
    # all columns are the same, so the first of those tried is taken
    d, x = 12, np.arange(40.0)
    training = make_problem(np.tile(x[:, None], d), x > 17)
    fitter = fitter_of(training, max_depth=1, max_features=max_features)
    first = [int(fitter.fit(training.weight, seed)[0].feature[0]) for seed in range(2000)]
    m = count_features(max_features, d)
    seen = np.bincount(first, minlength=d) / 2000
    least = np.arange(d)  # P(the least of m of d is k)
    chance = [np.prod([(d - k - i) / (d - i) for i in range(m)]) for k in range(d + 1)]
    expected = -np.diff(chance)
    assert np.abs(seen - expected).max() < 5 * np.sqrt(0.25 / 2000)
    assert seen[least[expected == 0]].sum() == 0


def test_all_columns_by_count_and_share():
    training = noisy_problem(100, 5)
    tree = fitter_of(training).fit(training.weight)[0]
    for m in (5, 50, 1.0):
        again = fitter_of(training, max_features=m).fit(training.weight, 9)[0]
        assert unfold(again) == unfold(tree)


def test_constant_columns_do_not_end_it():
    # where none of the columns drawn can be split, all are tried
    x = np.arange(20.0)
    X = np.column_stack([np.ones((20, 20)), x])
    for seed in range(20):
        tree = fitter_of(make_problem(X, x > 9), max_features=1).fit(np.full(20, 0.05), seed)[0]
        assert tree.feature[0] == 20


# Outside oracles


def untied(n, d, seed, values=200):
    """Whole numbers, so that midpoints are exact; random weights, so that no two splits tie."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, (n, d)).astype(float)
    return X, rng.random(n) + 0.1, rng


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("depth", [1, 3, 6])
def test_equal_to_scikit_learn(n_classes, depth):
    for seed in range(5):
        X, w, rng = untied(300, 4, seed)
        y = np.clip((X @ [1, -1, 0.5, 0] / 100 + rng.normal(size=300)).astype(int), 0, None)
        y = y % n_classes
        y[:n_classes] = np.arange(n_classes)
        tree = Tree(depth).fit(X, y, w)
        peer = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y, w)
        assert np.array_equal(tree.predict(X), peer.predict(X))
        assert tree.rule_.feature[0] == peer.tree_.feature[0]
        assert tree.rule_.threshold[0] == peer.tree_.threshold[0]


@pytest.mark.parametrize("parameters", [{"max_depth": 3}, {"max_depth": 8}, {"max_leaves": 9}])
def test_numbers_equal_to_scikit_learn(parameters):
    for seed in range(5):
        X, w, rng = untied(300, 4, seed)
        r = np.sin(X[:, 0] / 50) + rng.normal(size=300)
        training = make_problem(X, np.arange(300) % 2, w)
        tree = Tree(**{"max_depth": None, **parameters})
        values = tree.prepare(training).fit_response(r, training.weight)[1]
        peer = DecisionTreeRegressor(
            max_depth=parameters.get("max_depth"),
            max_leaf_nodes=parameters.get("max_leaves"),
            random_state=0,
        )
        np.testing.assert_allclose(values, peer.fit(X, r, w).predict(X), atol=1e-10)


# The trees of an ensemble


@pytest.fixture(scope="module")
def mixed():
    training = noisy_problem(120, 3, 3, gaps=0.1)
    X = np.column_stack([training.X, training.X[:, 0].round(), np.arange(120) % 5])
    training = training.__class__(X, training.y, 3, training.weight, np.full(120, 50.0), (3, 4))
    return training, boost(fitter_of(training), training, Algorithm(), 30).hypotheses


def test_trees_are_a_sequence(mixed):
    _, trees = mixed
    assert isinstance(trees, Sequence)
    assert len(trees) == len(list(trees)) == 30
    assert trees[-1] is trees[29]
    assert len(trees[3:9:2]) == 3
    with pytest.raises(IndexError):
        trees[30]


def test_trees_speak_one_by_one(mixed):
    training, trees = mixed
    said = np.array(list(trees.said_by_each(training.X)))
    assert said.shape == (30, 120)
    votes = np.linspace(1, 2, 30)
    expected = (votes[:, None, None] * (said[:, :, None] == np.arange(3))).sum(axis=0)
    np.testing.assert_allclose(trees.scores(training.X, votes), expected, atol=1e-12)


def test_values_add_up_in_their_columns(mixed):
    training, _ = mixed
    fitter, rng = fitter_of(training), np.random.default_rng(0)
    found = [fitter.fit_response(rng.normal(size=120), training.weight) for _ in range(7)]
    trees = fitter.collect([tree for tree, _ in found])
    votes, column = rng.normal(size=7), np.array([0, 2, 1, 0, 2, 1, 0])
    out = np.ones((120, 3))
    trees.add_values(training.X, votes, column, out)
    expected = np.ones((120, 3))
    for (_, values), vote, k in zip(found, votes, column, strict=True):
        expected[:, k] += vote * values
    np.testing.assert_allclose(out, expected, atol=1e-12)


def test_many_rows_are_read_in_parts(mixed, monkeypatch):
    training, trees = mixed
    votes = np.linspace(1, 2, 30)
    whole = trees.scores(training.X, votes)
    monkeypatch.setattr("nacre.learners.branches.ROWS_AT_ONCE", 7)
    assert np.array_equal(trees.scores(training.X, votes), whole)
    out = np.zeros((120, 1))
    trees.add_values(training.X, votes, np.zeros(30, np.int64), out)
    assert out.any(axis=1).any()


def test_first_and_joined(mixed):
    training, trees = mixed
    votes = np.linspace(1, 2, 30)
    first, last = trees.first(12), Trees(trees[12:], trees.categories, 3)
    assert (len(first), len(trees.first(0))) == (12, 0)
    joined = first.joined(last)
    assert np.array_equal(joined.scores(training.X, votes), trees.scores(training.X, votes))
    parts = first.scores(training.X, votes[:12]) + last.scores(training.X, votes[12:])
    np.testing.assert_allclose(parts, trees.scores(training.X, votes), atol=1e-12)
    assert trees.first(0).scores(training.X, votes[:0]).shape == (120, 3)
    other = Trees(trees[:1], {3: np.array([1.0])}, 3)
    with pytest.raises(ValueError, match="the categories of X differ"):
        trees.joined(other)


def test_trees_pickle(mixed):
    training, trees = mixed
    again = pickle.loads(pickle.dumps(trees))
    votes = np.ones(30)
    assert np.array_equal(again.scores(training.X, votes), trees.scores(training.X, votes))
    twice = boost(fitter_of(training), training, Algorithm(), 30).hypotheses
    assert pickle.dumps(twice) == pickle.dumps(trees)


def test_importances_are_shares_of_the_gain(mixed):
    training, trees = mixed
    votes = np.linspace(1, 2, 30)
    expected = np.zeros(5)
    for tree, vote in zip(trees, votes, strict=True):
        inner = tree.feature >= 0
        for j, gain in zip(tree.feature[inner], tree.gain[inner], strict=True):
            expected[j] += vote * gain / tree.gain[inner].sum()
    np.testing.assert_allclose(trees.importances(votes, 5), expected)
    model = AdaBoostClassifier(Tree(2), 10).fit(training.X[:, :3], training.y)
    assert model.feature_importances_.sum() == pytest.approx(1.0)


def test_trees_are_values():
    X, y = noisy_problem(50, 2).X, noisy_problem(50, 2).y
    one, other = Tree(2).fit(X, y).rule_, Tree(1).fit(X, y).rule_
    assert one == Tree(2).fit(X, y).rule_
    assert one != other


def test_there_is_room_for_all_leaves():
    """Compiled code writes where it is told: nothing notices an array that is too short."""
    training = noisy_problem(60, 3, 3)
    bins = bin_training(training)
    _, work, nodes = make_room(bins, training.y, 3, 8, (9, len(bins.words)))
    assert len(work.open) >= 8
    assert len(work.free) == 9 + 1
    assert len(work.place) == len(nodes.numbers) == 2 * 8 - 1
