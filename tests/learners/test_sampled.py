"""Trees on samples are the trees of the rows and columns that were drawn."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.bins import bin_training
from nacre.kernels.tree import FEATURE
from nacre.learners.sampled import SampledTreeFitter
from nacre.learners.tree import Tree
from tests.training import examples, noisy_problem, problems


def sampled(tree, training):
    return SampledTreeFitter(tree, training, bin_training(training))


def drawn_problem(training, seed):
    """A response, and weights of which a third is zero."""
    rng = np.random.default_rng(seed)
    n = len(training.y)
    weight = training.weight * (rng.random(n) < 0.67)
    return rng.normal(size=n), weight if weight.any() else training.weight


@examples(3)
@given(
    training=problems(rows=60, columns=20), leaves=st.sampled_from([2, 5, 16, None]),
    seed=st.integers(0, 99), share=st.sampled_from([0.3, 0.5, 1.0]),
)  # fmt: skip
def test_a_tree_of_drawn_columns_is_that_of_a_table_of_them(training, leaves, seed, share):
    response, weight = drawn_problem(training, seed)
    tree = Tree(None if leaves else 4, max_leaves=leaves, max_features=share)
    fitter = sampled(tree, training)
    found = fitter.fit_sample(response, weight, seed)
    columns = fitter._draw_columns(seed)
    assert len(columns) == max(1, round(share * training.X.shape[1]))
    assert np.all(np.diff(columns) > 0)
    places = [k for k, j in enumerate(columns.tolist()) if j in set(training.categorical)]
    part = replace(training, X=training.X[:, columns], categorical=np.array(places, int))
    alone = tree.set_params(max_features=None).prepare(part)
    twin, _ = alone.fit_response(response, weight)
    links = twin.links.copy()
    inner = links[:, FEATURE] >= 0
    links[inner, FEATURE] = columns[links[inner, FEATURE]]
    assert np.array_equal(found.links, links)
    assert np.array_equal(found.numbers, twin.numbers)
    assert np.array_equal(found.sides, twin.sides)
    assert np.array_equal(fitter.leaf, alone.leaf)


def test_each_tree_draws_columns_anew():
    training = noisy_problem(100, 30)
    fitter = sampled(Tree(max_features=5), training)
    drawn = {tuple(fitter._draw_columns(seed).tolist()) for seed in range(20)}
    assert len(drawn) == 20
    assert {column for one in drawn for column in one} == set(range(30))


@pytest.mark.parametrize("rows", [1, 2])
def test_hardly_any_rows_of_weight(rows):
    training = noisy_problem(20, 3)
    weight = np.zeros(20)
    weight[:rows] = 1.0 / rows
    fitter = sampled(Tree(None, max_leaves=4), training)
    tree = fitter.fit_sample(np.arange(20.0), weight, 0)
    assert len(tree) == 2 * rows - 1
    assert np.all(fitter.leaf < len(tree))
