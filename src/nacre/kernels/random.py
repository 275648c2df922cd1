"""Random draws that both boosting loops share, so that they draw the same rows."""

import numpy as np

from nacre.kernels.compile import allocating, compiled

ALL_ROWS, BOOTSTRAP, SUBSAMPLE = 0, 1, 2


@compiled
def next_bits(state):
    """SplitMix64: 64 random bits; ``state`` is one uint64 in an array."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    x = state[0]
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@compiled
def mix(key, seed, t):
    """64 bits that depend on all of three numbers: what a row of that key draws in round t."""
    x = (key ^ (seed * np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(29)) ^ (t * np.uint64(0xD6E8FEB86659FD93))) * np.uint64(
        0x94D049BB133111EB
    )
    x = (x ^ (x >> np.uint64(32))) * np.uint64(0xBF58476D1CE4E5B9)
    return x ^ (x >> np.uint64(30))


@allocating
def mixed(keys, seed, t):
    """``mix`` of each of an array of keys."""
    out = np.empty(len(keys), np.uint64)
    for i in range(len(keys)):
        out[i] = mix(keys[i], seed, t)
    return out


@allocating
def mixed_pairs(keys, others):
    """``mix`` of each of an array of keys with a number of its own."""
    out = np.empty(len(keys), np.uint64)
    for i in range(len(keys)):
        out[i] = mix(keys[i], np.uint64(others[i]), np.uint64(1))
    return out


@compiled
def below(state, n):
    """A random whole number below ``n`` (which must stay below 2**32)."""
    return np.int64(((next_bits(state) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@compiled
def draw_rows(state, kind, share, times):
    """Fill ``times`` with how often each row is drawn this round."""
    n = len(times)
    if kind == ALL_ROWS:
        times[:] = 1
        return
    size = max(1, round(share * n))
    times[:] = 0
    if kind == BOOTSTRAP:
        for _ in range(size):
            times[below(state, n)] += 1
        return
    left = size
    for i in range(n):
        if below(state, n - i) < left:
            times[i] = 1
            left -= 1
