"""Random numbers and draws of rows.

What a row draws in a round depends on its key, the seed and the round alone: not on where it
stands, nor on which rows are drawn with it. So all loops draw the same rows, tables may be sorted
or cut into partitions, and equal rows, whose keys are the same, are drawn together.
"""

import math

import numpy as np

from nacre.kernels.compile import allocating, compiled

ALL_ROWS, BOOTSTRAP, SUBSAMPLE = 0, 1, 2
MOST_DRAWS = 10_000
MOST_COPIES = 100
NEXT_COPY = np.uint64(0x9E3779B97F4A7C15)
ROUNDING = 1e-17


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
def poisson(u, mean):
    """The Poisson number of which a uniform number below 1 is in the range (by inversion)."""
    count, chance = 0, math.exp(-mean)
    below_it = chance
    while u >= below_it and count < MOST_DRAWS and (count < mean or chance > ROUNDING):
        count += 1
        chance *= mean / count
        below_it += chance
    return count


@compiled
def times_drawn(key, copies, seed, t, kind, share):
    """How often a row of that key is drawn in round t; of one that stands for several, on average.

    A subsample takes it with probability ``share``; a bootstrap sample a Poisson number of times of
    that mean, which is what drawing with replacement comes to where rows are many (Oza and
    Russell's online bagging). A row of ``copies`` draws as so many rows with the keys that follow
    its own would (at most ``MOST_COPIES``, whose mean hardly varies).
    """
    if kind == ALL_ROWS:
        return 1.0
    rows = min(copies, MOST_COPIES)
    total = 0.0
    for j in range(rows):
        u = (mix(key + np.uint64(j) * NEXT_COPY, seed, t) >> np.uint64(11)) * 2.0**-53
        if kind == SUBSAMPLE:
            total += 1.0 if u < share else 0.0
        else:
            total += poisson(u, share)
    return total / rows


@compiled
def draw_rows(keys, copies, seed, t, kind, share, times):
    """Fill ``times`` with how often each row is drawn in round t; it may be never for all."""
    for i in range(len(times)):
        times[i] = times_drawn(keys[i], copies[i], np.uint64(seed), np.uint64(t), kind, share)
