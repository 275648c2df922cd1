import numpy as np
import pytest

from nacre.kernels.histogram import SIZE, WIDTH
from nacre.kernels.pairs import FEW, add_pairs


@pytest.mark.parametrize("count", [0, 1, FEW - 1, FEW, 3 * FEW])
def test_both_channels_are_those_of_brute_force(count):
    rng = np.random.default_rng(count)
    n, used = 4 * FEW, 40
    bins = rng.integers(0, used, (n, WIDTH)).astype(np.uint8)
    bins[rng.random(bins.shape) < 0.1] = 255
    words = bins.view(np.uint64)[:, 0].copy()
    first, second = rng.normal(size=n), rng.random(n)
    rows = rng.permutation(n).astype(np.int32)
    columns = np.zeros((4, 2 * WIDTH), np.int64)
    columns[1] = used
    hist, pairs = np.zeros((2, SIZE)), np.full(2 * SIZE, np.nan)
    add_pairs(words, first, second, rows, 7, 7 + count, columns, 1, pairs, hist)
    expected = np.zeros((2, 256, WIDTH))
    for i in rows[7 : 7 + count]:
        for lane in range(WIDTH):
            expected[:, bins[i, lane], lane] += first[i], second[i]
    assert hist.tobytes() == expected.tobytes()  # the same sums in the same order
