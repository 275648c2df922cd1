from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.kernels.volumes import LEAST, add_decision_volumes
from tests.training import examples


def label(scores, tie):
    if len(scores) == 1:
        return int(scores[0] > tie)
    return int(np.argmax(scores >= scores.max() - tie))


def walked(place, starts, lower, upper, scale, profile, scores, tie):
    volumes = np.zeros(len(place))
    for i, row in enumerate(place):
        for c, k in enumerate(row):
            if k < 0:
                continue
            steps = profile[starts[c] : starts[c + 1]]
            same = [label(scores[i] + step - steps[k], tie) for step in steps]
            same = np.array(same) == label(scores[i], tie)
            a, b = k, k
            while a > 0 and same[a - 1]:
                a -= 1
            while b + 1 < len(steps) and same[b + 1]:
                b += 1
            length = (upper[starts[c] + b] - lower[starts[c] + a]) * scale[c]
            volumes[i] += np.log(max(length, LEAST))
    return volumes


@examples(3)
@given(
    st.integers(0, 9),
    st.integers(0, 3),
    st.sampled_from([1, 3, 4]),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_any_profile(n, columns, width, whole, seed):
    """Whole votes tie; the reach is that of :mod:`nacre.diagnostics.volumes`."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, columns)
    starts = np.append(0, np.cumsum(sizes))
    profile, scores = rng.normal(size=(starts[-1], width)), rng.normal(size=(n, width))
    if whole:
        profile, scores = profile.round(), scores.round()
    place = np.column_stack([np.empty((n, 0), int), *(rng.integers(-1, k, n) for k in sizes)])
    ends = [np.sort(rng.random(k + 1)) for k in sizes]
    lower = np.concatenate([[], *(one[:-1] for one in ends)])
    upper = np.concatenate([[], *(one[1:] for one in ends)])
    scale = 1.0 / np.array([one[-1] - one[0] for one in ends])
    spreads = [np.ptp(profile[a:b], axis=0) for a, b in pairwise(starts)]
    reach = np.array([np.sort(spread)[-2:].sum() for spread in spreads])
    found = np.zeros(n)
    add_decision_volumes(
        place.astype(np.int32), starts, lower, upper, scale, profile, reach, scores, 1e-9, found
    )
    twin = walked(place, starts, lower, upper, scale, profile, scores, 1e-9)
    np.testing.assert_allclose(found, twin, atol=1e-9)


@pytest.mark.parametrize("length", [0.0, 1e-300, 1e-80, 1e-3])
def test_products_beyond_floats(length):
    columns = 30
    starts = np.arange(columns + 1)
    found = np.ones(1)
    add_decision_volumes(
        np.zeros((1, columns), np.int32), starts, np.zeros(columns), np.full(columns, length),
        np.ones(columns), np.zeros((columns, 1)), np.full(columns, np.inf), np.ones((1, 1)), 0.0,
        found,
    )  # fmt: skip
    np.testing.assert_allclose(found, 1.0 + columns * np.log(max(length, LEAST)))
