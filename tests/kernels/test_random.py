import numpy as np
import pytest
from scipy.stats import chisquare

from nacre.kernels.random import ALL_ROWS, BOOTSTRAP, SUBSAMPLE, below, draw_rows, next_bits


def draws(kind, share, n, rounds, seed=1):
    state, times = np.array([seed], np.uint64), np.full(n, -1, np.int32)
    out = np.empty((rounds, n), int)
    for t in range(rounds):
        draw_rows(state, kind, share, times)
        out[t] = times
    return out


def test_bits_are_those_of_splitmix64():
    # the first outputs for seed 1234567, as published with the reference code
    state = np.array([1234567], np.uint64)
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [int(next_bits(state)) for _ in range(3)] == published


@pytest.mark.parametrize("n", [1, 2, 7, 1000])
def test_below_covers_its_range(n):
    state = np.array([5], np.uint64)
    found = {below(state, n) for _ in range(20 * n)}
    assert min(found) == 0
    assert max(found) == n - 1


def test_all_rows():
    assert (draws(ALL_ROWS, 1.0, 9, 3) == 1).all()


@pytest.mark.parametrize("share", [1.0, 0.5, 0.33, 1e-9])
@pytest.mark.parametrize("n", [1, 10, 101])
def test_sizes(share, n):
    size = max(1, round(share * n))
    bootstrap, subsample = draws(BOOTSTRAP, share, n, 50), draws(SUBSAMPLE, share, n, 50)
    assert (bootstrap.sum(axis=1) == size).all()
    assert (bootstrap >= 0).all()
    assert (subsample.sum(axis=1) == size).all()
    assert set(np.unique(subsample)) <= {0, 1}


@pytest.mark.parametrize("kind", [BOOTSTRAP, SUBSAMPLE])
def test_rows_are_drawn_evenly(kind):
    rounds, n, share = 4000, 50, 0.4
    found = draws(kind, share, n, rounds)
    # without replacement the counts vary less by a factor of 1 - share
    spread = 1.0 if kind == BOOTSTRAP else 1 - share
    expected = np.full(n, rounds * share)
    scaled = expected + (found.sum(axis=0) - expected) / np.sqrt(spread)
    assert 0.01 < chisquare(scaled, expected).pvalue < 0.99


def test_bootstrap_counts_are_poisson_like():
    found = draws(BOOTSTRAP, 1.0, 400, 100)
    shares = np.bincount(found.ravel(), minlength=4)[:4] / found.size
    assert shares == pytest.approx(np.exp(-1) / np.array([1, 1, 2, 6]), abs=0.01)


@pytest.mark.parametrize("kind", [BOOTSTRAP, SUBSAMPLE])
def test_pairs_of_rows_are_drawn_independently(kind):
    found = draws(kind, 0.5, 20, 4000)
    correlation = np.corrcoef(found.T)[np.triu_indices(20, 1)]
    assert np.abs(correlation - -1 / 19).max() < 0.08


@pytest.mark.parametrize("kind", [BOOTSTRAP, SUBSAMPLE])
def test_seeds_decide(kind):
    one = draws(kind, 0.5, 40, 5, seed=3)
    assert np.array_equal(one, draws(kind, 0.5, 40, 5, seed=3))
    assert not np.array_equal(one, draws(kind, 0.5, 40, 5, seed=4))
    assert len(np.unique(one, axis=0)) == 5
