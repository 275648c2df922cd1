"""Seeds: each thing that is drawn has its own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline

from nacre.data.seeds import derive_seed, seed_of, set_seeds


def test_all_differ():
    """Folds, rounds and classes of twenty runs whose own seeds follow each other."""
    found = {
        derive_seed(seed, fold, t, k)
        for seed in range(20)
        for fold in range(5)
        for t in range(1, 101)
        for k in range(5)
    }
    assert len(found) == 20 * 5 * 100 * 5
    assert len({derive_seed(7), derive_seed(7, 0), derive_seed(7, 0, 0)}) == 3


def test_bits_look_random():
    """Every bit is set in about half of the seeds, also where only the round counts up."""
    found = np.array([derive_seed(0, t) for t in range(4000)], np.uint64)
    shares = [np.mean(found >> np.uint64(bit) & np.uint64(1)) for bit in range(63)]
    assert np.abs(np.array(shares) - 0.5).max() < 0.04


@given(st.integers(0, 2**63), st.lists(st.integers(0, 2**40), max_size=4))
def test_they_are_seeds(seed, parts):
    found = derive_seed(seed, *parts)
    assert 0 <= found < 2**63
    assert derive_seed(seed, *parts) == found


def test_seeds_of_what_scikit_learn_takes():
    assert seed_of(3) == seed_of(3) != seed_of(4)
    state = np.random.RandomState(0)
    assert seed_of(state) != seed_of(state)


@pytest.mark.parametrize("seed", [5, 2**62])
def test_every_part_of_a_pipeline_is_seeded(seed):
    model = make_pipeline(RandomForestClassifier())
    set_seeds(model, seed)
    assert model[0].random_state == seed % 2**31
