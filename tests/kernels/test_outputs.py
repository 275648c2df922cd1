import numpy as np
import pytest

from nacre.kernels import outputs as kernel


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_the_first_of_the_largest_is_said(n_classes):
    rng = np.random.default_rng(0)
    outputs = rng.integers(0, 3, (n_classes, 200)).astype(float)
    outputs[:, :20] = -np.inf
    rows = rng.permutation(200).astype(np.int32)
    said = np.empty(200, np.int64)
    kernel.say(outputs, rows, said)
    assert np.array_equal(said[rows], outputs.argmax(axis=0))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_tallies_add_up(n_classes):
    rng = np.random.default_rng(1)
    totals = np.zeros((50, 1 if n_classes == 2 else n_classes))
    expected = np.zeros((50, n_classes))
    for vote in (0.5, 2.0, -0.25):
        outputs = rng.integers(0, 2, (n_classes, 64)).astype(float)  # more room than rows
        kernel.tally(outputs, vote, totals)
        expected[np.arange(50), outputs[:, :50].argmax(axis=0)] += vote
    if n_classes == 2:
        expected = expected[:, 1:] - expected[:, :1]
    np.testing.assert_allclose(totals, expected)
