"""Small random problems, and how stumps and trees compare with their textbook twins."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from nacre.data import TrainingRows
from nacre.learners.branches import Branches
from nacre.learners.stump import Rule
from tests.textbook.stump import Stump
from tests.textbook.tree import Node

WEIGHTS = ("equal", "whole", "random", "uneven")


def examples(times):
    """So many times as many examples as the profile asks for."""
    return settings(max_examples=int(times * settings().max_examples))


def make_problem(X, y, s=None, n_classes=None, categorical=(), count=None):
    X, y = np.asarray(X, float), np.asarray(y, np.int64)
    s = np.ones(len(y)) if s is None else np.asarray(s, float)
    n_classes = n_classes or int(y.max()) + 1
    return TrainingRows(X, y, n_classes, s / s.sum(), count, tuple(categorical))


def sample_weights(rng, kind, n):
    return {
        "equal": lambda: np.ones(n),
        "whole": lambda: rng.integers(1, 4, n).astype(float),
        "random": lambda: rng.random(n) + 0.1,
        "uneven": lambda: np.exp(rng.uniform(-10, 10, n)),
    }[kind]()


@st.composite
def problems(
    draw,
    rows=30,
    columns=4,
    classes=(2, 6),
    gaps=True,
    categories=True,
    weights=WEIGHTS,
):
    """Columns of few or many distinct values, some constant, some of categories, some with gaps."""
    n_classes = draw(st.integers(*classes))
    n = draw(st.integers(max(4, n_classes), rows))
    d = draw(st.integers(1, columns))
    noise = draw(st.sampled_from([0.1, 0.3, 1.0]))
    kind = draw(st.sampled_from(weights))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pools = rng.choice([1, 2, 3, 6, 1000], d, p=[0.1, 0.2, 0.2, 0.2, 0.3])
    X = np.column_stack(
        [rng.normal(size=pool).round(3)[rng.integers(0, pool, n)] for pool in pools]
    )
    y = np.argsort(np.argsort(X @ rng.normal(size=d), kind="stable")) * n_classes // n
    y = np.where(rng.random(n) < noise, rng.integers(0, n_classes, n), y)
    y[rng.permutation(n)[:n_classes]] = np.arange(n_classes)
    if gaps:
        present = X[0].copy()
        X[rng.random((n, d)) < rng.choice([0.0, 0.0, 0.2, 0.6], d)] = np.nan
        empty = np.isnan(X).all(axis=0)
        X[0, empty] = present[empty]
    chosen = np.flatnonzero(rng.random(d) < 0.3) if categories else ()
    count = rng.integers(1, 9, n).astype(float) if draw(st.booleans()) else None
    return make_problem(X, y, sample_weights(rng, kind, n), n_classes, chosen, count)


def noisy_problem(n=200, d=5, n_classes=2, flip=0.2, gaps=0.0, weights="equal", seed=0):
    """Many distinct values, and labels of which a share is random."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = X @ (1.0 / np.arange(1, d + 1))
    y = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    y = np.where(rng.random(n) < flip, rng.integers(0, n_classes, n), y)
    X[rng.random((n, d)) < gaps] = np.nan
    return make_problem(X, y, sample_weights(rng, weights, n), n_classes)


def assert_same_stump(rule: Rule, twin: Stump):
    assert (rule.feature, rule.left, rule.right) == (twin.feature, twin.left, twin.right)
    assert rule.missing == twin.missing
    assert rule.categories == twin.table
    if twin.threshold is None:
        assert rule.threshold is None
    else:
        np.testing.assert_allclose(rule.threshold, twin.threshold, rtol=1e-13, atol=1e-15)


def agreement(hypotheses, X, y):
    """One row per hypothesis: +1 where it is right, -1 where it is wrong."""
    return np.array([np.where(said == y, 1.0, -1.0) for said in hypotheses.said_by_each(X)])


def assert_same_tree(tree: Branches, categories, twin: Node, at=0):
    """Same splits, same sides of missing values and categories, same leaves."""
    if twin.split is None:
        assert tree.feature[at] == -1
        np.testing.assert_allclose(tree.value[at], twin.value, rtol=1e-9, atol=1e-12)
        return
    split = twin.split
    assert (tree.feature[at], bool(tree.gap[at])) == (split.feature, split.gap)
    np.testing.assert_allclose(tree.gain[at], twin.gain, rtol=1e-7, atol=1e-12)
    if split.left_of is None:
        assert tree.table[at] == -1
        np.testing.assert_allclose(tree.threshold[at], split.threshold, rtol=1e-13, atol=1e-15)
    else:
        sides = tree.sides[tree.table[at]]
        for code, value in enumerate(categories[split.feature].tolist()):
            assert bool(sides[code]) == split.left_of[value]
    assert_same_tree(tree, categories, twin.left, tree.left[at])
    assert_same_tree(tree, categories, twin.right, tree.right[at])
