"""Shapley values of trees: against all subsets of the columns, and against the package shap."""

from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given

from nacre.learners.branches import Trees
from nacre.learners.shapley import quadratures
from nacre.learners.tree import Tree
from tests.training import noisy_problem, problems


def say(tree, x, known, node=0):
    """What a tree says of a row of which some columns are known, by the weight of its nodes."""
    j = tree.feature[node]
    if j < 0:
        return tree.value[node]
    left, right = tree.left[node], tree.right[node]
    if j in known:
        if np.isnan(x[j]):
            goes = tree.gap[node]
        elif tree.table[node] >= 0:
            goes = tree.sides[tree.table[node], int(x[j])]
        else:
            goes = x[j] <= tree.threshold[node]
        return say(tree, x, known, left if goes else right)
    share = tree.weight[left] / tree.weight[node]
    return share * say(tree, x, known, left) + (1.0 - share) * say(tree, x, known, right)


def by_subsets(tree, x, d):
    """Shapley's formula as it stands."""
    out = np.zeros(d)
    for j in range(d):
        others = [k for k in range(d) if k != j]
        for size in range(d):
            chance = factorial(size) * factorial(d - 1 - size) / factorial(d)
            for known in combinations(others, size):
                out[j] += chance * (say(tree, x, {*known, j}) - say(tree, x, {*known}))
    return out


def grow(training, depth):
    fitter = Tree(depth).prepare(training)
    tree, _ = fitter.fit_response(training.y.astype(float), training.weight)
    return fitter.collect([tree])


def contributions(trees, X, background=None):
    column = np.zeros(len(trees), np.int64)
    values, base = trees.value_contributions(X, np.ones(len(trees)), column, 1, background)
    return values[:, :, 0], base[0]


@given(problems(weights=("equal", "random")))
def test_equal_to_the_sum_over_all_subsets(training):
    """Gaps and categories, and the same column several times on one path."""
    trees = grow(training, 4)
    X, d = training.X[:5], training.X.shape[1]
    values, base = contributions(trees, X)
    coded = trees._coded(X)
    wanted = [by_subsets(trees[0], x, d) for x in coded]
    np.testing.assert_allclose(values, wanted, atol=1e-12)
    assert base == pytest.approx(say(trees[0], X[0], set()), abs=1e-12)
    np.testing.assert_allclose(base + values.sum(axis=1), next(trees.values_by_each(X)), atol=1e-12)


@pytest.mark.slow
def test_equal_to_the_package_shap():
    shap = pytest.importorskip("shap")
    training = noisy_problem(n=300, d=6)
    trees = grow(training, 5)
    one = trees[0]
    told = {
        "children_left": np.where(one.feature < 0, -1, one.left),
        "children_right": np.where(one.feature < 0, -1, one.right),
        "children_default": np.where(one.feature < 0, -1, one.left),
        "features": np.where(one.feature < 0, -2, one.feature),
        "thresholds": np.where(one.feature < 0, -2.0, one.threshold),
        "values": one.value[:, None],
        "node_sample_weight": one.weight,
    }
    X = training.X[:50]
    explainer = shap.TreeExplainer({"trees": [told]}, feature_perturbation="tree_path_dependent")
    values, base = contributions(trees, X)
    np.testing.assert_allclose(values, explainer.shap_values(X), atol=1e-6)  # of float32 inputs
    assert base == pytest.approx(np.ravel(explainer.expected_value)[0], abs=1e-6)


def test_a_background_takes_the_place_of_the_rows_a_tree_was_grown_on():
    training = noisy_problem(n=100, d=3, gaps=0.1)
    same = contributions(grow(training, 3), training.X[:9], training.X)
    np.testing.assert_allclose(same[0], contributions(grow(training, 3), training.X[:9])[0])
    other = contributions(grow(training, 3), training.X[:9], training.X[:9])
    assert other[1] == pytest.approx(next(grow(training, 3).values_by_each(training.X[:9])).mean())


def test_branches_that_no_row_of_the_background_comes_to():
    training = noisy_problem(n=100, d=3)
    trees = grow(training, 4)
    values, base = contributions(trees, training.X, training.X[:1])
    np.testing.assert_allclose(
        base + values.sum(axis=1), next(trees.values_by_each(training.X)), atol=1e-12
    )
    np.testing.assert_allclose(values[0], 0.0, atol=1e-12)


def test_trees_of_one_leaf_say_the_same_of_all():
    training = noisy_problem(n=20, d=2)
    fitter = Tree(1).prepare(training)
    leaf, _ = fitter.fit_response(np.ones(20), training.weight)
    values, base = contributions(Trees([leaf], {}, 2), training.X)
    assert base == pytest.approx(1.0)
    assert not values.any()


def test_quadratures_integrate_shapleys_weights():
    points, weights, starts = quadratures(12)
    for m in range(1, 13):
        t, w = points[starts[m] : starts[m + 1]], weights[starts[m] : starts[m + 1]]
        for k in range(m):
            exact = factorial(k) * factorial(m - 1 - k) / factorial(m)
            assert np.sum(w * t**k * (1 - t) ** (m - 1 - k)) == pytest.approx(exact, rel=1e-13)
