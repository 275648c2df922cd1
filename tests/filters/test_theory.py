from itertools import product

import numpy as np
import pytest

from nacre.filters import (
    consensus_discards_good,
    consensus_keeps_bad,
    majority_discards_good,
    majority_keeps_bad,
)


@pytest.mark.parametrize("m", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("P", [0.0, 0.1, 0.5, 1.0])
def test_by_all_outcomes(m, P):
    """Every pattern of voters that err, with its chance."""
    chances = np.zeros(4)
    for errs in product([0, 1], repeat=m):
        wrong = sum(errs)
        chance = P**wrong * (1 - P) ** (m - wrong)
        # a good label has the erring voters against it, a bad one all the others
        chances += chance * np.array([wrong > m / 2, m - wrong <= m / 2, wrong == m, m - wrong < m])
    found = [
        majority_discards_good(m, P),
        majority_keeps_bad(m, P),
        consensus_discards_good(m, P),
        consensus_keeps_bad(m, P),
    ]
    np.testing.assert_allclose(found, chances, atol=1e-12)


def test_arrays():
    assert majority_discards_good(np.array([1, 3]), 0.1) == pytest.approx([0.1, 0.028])


@pytest.mark.parametrize(
    ("m", "P"), [(0, 0.1), (2.5, 0.1), (3, -0.1), (3, 1.1), (3, np.nan), (3, [0.5, 1.1])]
)
def test_bad_input(m, P):
    with pytest.raises(ValueError, match="must be"):
        majority_discards_good(m, P)
