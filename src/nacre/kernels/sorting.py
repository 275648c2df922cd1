"""Radix sort of floats, which takes about as long on any processor.

NumPy sorts floats by instructions of AVX-512 where there are any. They are slow on some processors:
there it takes five times as long as this.
"""

import numpy as np

from nacre.kernels.compile import compiled

# Bits that one pass sorts by
DIGIT = 11
DIGITS = 1 << DIGIT


@compiled
def sort_bits(keys, spare, counts, rest, infinite):
    """Sort the bits of floats, each as an unsigned integer, by the floats' order, in place.

    The least significant digit comes first. A digit that all keys share costs no pass: numbers that
    came as float32, or are whole, have several. NaN are sorted last, and those of either sign
    alike.

    Parameters
    ----------
    keys, spare : uint32 or uint64 arrays of shape (n,)
        The bits, and room for as many.
    counts : int64 array of shape (passes, DIGITS)
    rest, infinite : uint64
        All bits but that of the sign, and the bits of infinity.
    """
    n, sign = len(keys), rest + np.uint64(1)
    flip = rest | sign
    for p in range(len(counts)):
        for d in range(DIGITS):
            counts[p, d] = 0
    for i in range(n):
        key = np.uint64(keys[i])
        if key & rest > infinite:
            key = rest
        key ^= flip if key & sign else sign  # negative numbers: the largest come first
        keys[i] = key
        for p in range(len(counts)):
            counts[p, np.int64(key >> np.uint64(DIGIT * p)) & (DIGITS - 1)] += 1
    source, target = keys, spare
    for p in range(len(counts)):
        shift = np.uint64(DIGIT * p)
        if n and counts[p, np.int64(keys[0] >> shift) & (DIGITS - 1)] == n:
            continue
        before = np.int64(0)
        for d in range(DIGITS):
            here = counts[p, d]
            counts[p, d] = before
            before += here
        for i in range(n):
            key = source[i]
            d = np.int64(key >> shift) & (DIGITS - 1)
            target[counts[p, d]] = key
            counts[p, d] += 1
        source, target = target, source
    for i in range(n):
        key = source[i]
        keys[i] = key ^ (sign if key & sign else flip)
