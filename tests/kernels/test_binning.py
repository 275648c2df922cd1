import struct

import numpy as np
import pytest

from nacre.kernels.binning import hash_rows


def hashed(row, seed):
    """The hash of one row, in whole numbers of any size."""
    h = seed
    for x in row:
        value = float("nan") if x != x else float(x) + 0.0
        h = (h ^ struct.unpack("<Q", struct.pack("<d", value))[0]) * 0xBF58476D1CE4E5B9 % 2**64
        h ^= h >> 29
        h = h * 0x94D049BB133111EB % 2**64
        h ^= h >> 32
    return h


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 3, 4, 11])
def test_rows_are_hashed_by_their_values(n, kind):
    X = np.random.default_rng(n).normal(size=(n, 3)).astype(kind)
    X[::3, 1], X[1::3, 2] = -0.0, np.nan
    out = np.empty(n, np.uint64)
    hash_rows(X, np.uint64(7), out)
    assert out.tolist() == [hashed(row, 7) for row in X.tolist()]
