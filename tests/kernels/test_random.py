import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare
from scipy.stats import poisson as poisson_law

from nacre.kernels.random import (
    ALL_ROWS,
    BOOTSTRAP,
    SUBSAMPLE,
    below,
    draw_rows,
    mix,
    next_bits,
    poisson,
    times_drawn,
)

KEYS = np.random.default_rng(0).integers(0, 2**64, 2000, np.uint64)


def draws(kind, share, n, rounds, seed=1, keys=KEYS):
    times, out = np.full(n, -1.0), np.empty((rounds, n), int)
    copies = np.ones(n, np.int64)
    for t in range(rounds):
        draw_rows(keys[:n], copies, np.uint64(seed), t + 1, kind, share, times)
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


@given(st.floats(0, 1, exclude_max=True), st.floats(0.001, 50))
def test_poisson_is_the_inverse_of_its_distribution(u, mean):
    found = poisson(u, mean)
    assert poisson_law.cdf(found, mean) >= u - 1e-12
    assert found == 0 or poisson_law.cdf(found - 1, mean) <= u + 1e-12


def test_poisson_ends():
    assert poisson(np.nextafter(1.0, 0.0), 1.0) < 30
    assert poisson(0.5, 1e-300) == 0
    assert poisson(0.5, 1e9) == 10_000  # and not for ever


@pytest.mark.parametrize("share", [1.0, 0.5, 0.05])
def test_a_subsample_has_that_share_of_the_rows(share):
    found = draws(SUBSAMPLE, share, 2000, 50)
    assert set(np.unique(found)) <= {0, 1}
    assert found.mean() == pytest.approx(share, abs=0.01)


@pytest.mark.parametrize("share", [1.0, 0.5, 2.5])
def test_a_bootstrap_sample_is_poisson(share):
    found = draws(BOOTSTRAP, share, 2000, 50)
    shares = np.bincount(found.ravel(), minlength=8)[:8] / found.size
    assert shares == pytest.approx(poisson_law.pmf(np.arange(8), share), abs=0.005)


@pytest.mark.parametrize("kind", [BOOTSTRAP, SUBSAMPLE])
def test_rows_are_drawn_evenly(kind):
    rounds, n, share = 4000, 50, 0.4
    found = draws(kind, share, n, rounds)
    spread = 1.0 if kind == BOOTSTRAP else 1 - share  # variance over mean
    expected = np.full(n, rounds * share)
    scaled = expected + (found.sum(axis=0) - expected) / np.sqrt(spread)
    total = scaled.sum() / expected.sum()  # how many are drawn is itself random
    assert 0.01 < chisquare(scaled, expected * total).pvalue < 0.99


@pytest.mark.parametrize("kind", [BOOTSTRAP, SUBSAMPLE])
@pytest.mark.parametrize("along", ["rows", "rounds"])
def test_rows_and_rounds_are_independent(kind, along):
    found = draws(kind, 0.5, 20, 4000) if along == "rows" else draws(kind, 0.5, 2000, 20).T
    correlation = np.corrcoef(found.T)[np.triu_indices(20, 1)]
    assert np.abs(correlation).max() < 0.09


@pytest.mark.parametrize("kind", [BOOTSTRAP, SUBSAMPLE])
def test_seeds_decide(kind):
    one = draws(kind, 0.5, 40, 5, seed=3)
    assert np.array_equal(one, draws(kind, 0.5, 40, 5, seed=3))
    assert not np.array_equal(one, draws(kind, 0.5, 40, 5, seed=4))
    assert len(np.unique(one, axis=0)) == 5


@pytest.mark.parametrize("kind", [BOOTSTRAP, SUBSAMPLE])
def test_only_a_rows_key_decides_what_it_draws(kind):
    found = draws(kind, 0.5, 300, 4)
    order = np.random.default_rng(1).permutation(300)
    assert np.array_equal(draws(kind, 0.5, 300, 4, keys=KEYS[order]), found[:, order])
    parts = [draws(kind, 0.5, 100, 4, keys=KEYS[start:]) for start in (0, 100, 200)]
    assert np.array_equal(np.hstack(parts), found)
    for i in (0, 7, 299):
        one = [times_drawn(KEYS[i], 1, np.uint64(1), np.uint64(t), kind, 0.5) for t in (1, 2, 3, 4)]
        assert found[:, i].tolist() == one


def test_every_part_of_what_is_mixed_counts():
    parts = np.array([3, 5, 7], np.uint64)
    one = mix(*parts)
    for k in range(3):
        other = parts.copy()
        other[k] += np.uint64(1)
        flipped = int(one ^ mix(*other)).bit_count()
        assert 15 < flipped < 50
