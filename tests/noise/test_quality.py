"""What is said about labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from nacre.noise.quality import LabelQuality, NoiseRate, symmetric_matrix

CLASSES = np.array(["a", "b", "c"])
NOISE = NoiseRate(0.1, (0.05, 0.2), symmetric_matrix(0.1, 3), CLASSES)


def found_of(posterior, given):
    posterior = np.array(posterior, float)
    return LabelQuality(posterior, np.full_like(posterior, 1 / 3), np.array(given), CLASSES, NOISE)


def test_by_hand():
    found = found_of(
        [[0.5, 0.4, 0.1], [0.5, 0.4, 0.1], [0.0, 0.0, 1.0], [0.3, 0.1, 0.6]], [0, 1, 0, 2]
    )
    assert_allclose(found.quality, [0.5, 0.4, 0.0, 0.6])
    assert_allclose(found.margins, [0.1, -0.1, -1.0, 0.3])
    assert_allclose(found.scores, [0.45, 0.55, 1.0, 0.35])
    assert found.mislabeled.tolist() == [False, True, True, False]
    assert found.order.tolist() == [2, 1, 0, 3]
    assert found.suspects.tolist() == [2, 1]
    assert found.suggested.tolist() == ["a", "a", "c", "c"]
    assert repr(found).startswith("2 of 4 labels look wrong; 10.0% of the labels are wrong (95% ")


def test_among_equals_a_label_is_right():
    found = found_of([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [1 / 3] * 3], [0, 1, 2])
    assert not found.mislabeled.any()
    assert found.suggested.tolist() == ["a", "b", "c"]


@given(seed=st.integers(0, 2**32 - 1), coarse=st.booleans())
def test_the_parts_agree(seed, coarse):
    rng = np.random.default_rng(seed)
    posterior = rng.dirichlet([0.5] * 3, 50)
    if coarse:  # so that there are equals
        posterior = np.eye(3)[rng.integers(0, 3, (50, 2))].mean(axis=1)
    given_codes = rng.integers(0, 3, 50)
    found = found_of(posterior, given_codes)
    assert np.array_equal(found.mislabeled, found.scores > 0.5)
    assert np.array_equal(found.mislabeled, found.suggested != CLASSES[given_codes])
    assert (np.diff(found.scores[found.order]) <= 0).all()
    assert sorted(found.order.tolist()) == list(range(50))
    assert ((found.scores >= 0) & (found.scores <= 1)).all()
    assert_allclose(found.quality, posterior[np.arange(50), given_codes])
    assert (
        posterior.max(axis=1) == posterior[np.arange(50), np.searchsorted(CLASSES, found.suggested)]
    )[found.mislabeled].all()


@pytest.mark.parametrize(
    "changes",
    [
        {"given": np.array([0, 3])},
        {"given": np.array([0, -1])},
        {"given": np.array([0.0, 1.0])},
        {"posterior": np.ones((3, 3))},
        {"posterior": np.ones((2, 2))},
        {"probabilities": np.ones((2, 3), np.float32)},
        {"probabilities": None},
    ],
    ids=range(7),
)
def test_what_a_file_may_not_say(changes):
    sound = {
        "posterior": np.ones((2, 3)),
        "probabilities": np.ones((2, 3)),
        "given": np.array([0, 2]),
        "classes": CLASSES,
        "noise": NOISE,
    }
    LabelQuality(**sound)._check_loaded()
    with pytest.raises(ValueError, match=r"given|posterior|probabilities"):
        LabelQuality(**(sound | changes))._check_loaded()


def test_symmetric_noise():
    matrix = symmetric_matrix(0.3, 4)
    assert_allclose(matrix.diagonal(), 0.7)
    assert_allclose(matrix.sum(axis=1), 1.0)
    assert_allclose(matrix[0, 1:], 0.1)
