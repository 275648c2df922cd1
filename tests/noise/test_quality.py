"""What is said about labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from nacre.noise.quality import LabelQuality, NoiseRate, label_margins, symmetric_matrix

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
    assert_allclose(found.scores, [0.5, 0.6, 1.0, 0.4])
    assert found.order.tolist() == [2, 1, 0, 3]
    assert found.suspects.tolist() == [2, 1]  # 2.5 labels seem to be wrong
    assert found.suspected.tolist() == [False, True, True, False]
    assert found.suggested.tolist() == ["a", "a", "c", "c"]
    assert found.mislabeled.tolist() == [False, False, True, False]
    assert found.corrected.tolist() == ["a", "b", "c", "c"]
    assert_allclose([found.expected_wrong(), found.expected_wrong(1)], [1.6, 1.0])
    assert repr(found).startswith("2 of 4 labels are suspect, 1 of them surely wrong; 10.0% of ")


def test_as_many_are_suspect_as_whole_labels_are_expected_wrong():
    """Rounded down, but not where a sum of chances is a whole number but for its rounding."""
    assert len(found_of([[0.7, 0.3, 0.0]] * 3, [0] * 3).suspects) == 0
    assert len(found_of([[0.7, 0.3, 0.0]] * 10, [0] * 10).suspects) == 3
    assert len(found_of([[0.8, 0.2, 0.0]] * 9, [0] * 9).suspects) == 1


def test_labels_change_where_another_class_has_four_fifths():
    found = found_of([[0.2, 0.8, 0.0], [0.21, 0.79, 0.0], [0.0, 0.5, 0.5]], [0, 0, 0])
    assert found.mislabeled.tolist() == [True, False, False]
    assert found.corrected.tolist() == ["b", "a", "a"]
    assert found.suspects.tolist() == [2, 0]  # 2.59 labels seem to be wrong
    assert found.suggested.tolist() == ["b", "a", "b"]


def test_where_no_label_seems_wrong_there_is_no_suspect():
    found = found_of([[0.9, 0.1, 0.0], [0.2, 0.8, 0.0], [0.0, 0.1, 0.9]], [0, 1, 2])
    assert not found.suspected.any()
    assert found.expected_wrong() == 0.0
    assert found.suggested.tolist() == found.corrected.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("interval", "rows", "said"),
    [
        ((0.05, 0.2), 0, "10.0% of the labels are wrong (95% interval 5.0% to 20.0%)"),
        ((0.0, 0.004), 0, "no sign of wrong labels (at most 0.4%, 95% interval)"),
        ((0.0, 0.2), 29, "between 0 and 20.0% of the labels are wrong, 10.0% expected: classes "),
        ((0.005, 0.49), 11, "between 0 and 49.0%"),
        ((0.0, 0.5), 11, "how many labels are wrong cannot be told: these columns hardly tell "),
    ],
)
def test_what_an_interval_says(interval, rows, said):
    """Of 29 rows one is wrong in 95 cases of 100, if a tenth is: 0.9 ** 29 < 0.05 < 0.9 ** 28."""
    noise = NoiseRate(0.1, interval, symmetric_matrix(0.1, 3), CLASSES)
    assert noise.settled == (interval[0] > 0.005)
    assert noise.rows_to_check == rows
    assert str(noise).startswith(said)
    assert not rows or f"check {rows} random rows" in str(noise)
    if rows:
        half = interval[1] / 2
        assert (1 - half) ** rows <= 0.05 < (1 - half) ** (rows - 1)


@given(seed=st.integers(0, 2**32 - 1), coarse=st.booleans())
def test_the_parts_agree(seed, coarse):
    rng = np.random.default_rng(seed)
    posterior = rng.dirichlet([0.5] * 3, 50)
    if coarse:  # so that there are equals
        posterior = np.eye(3)[rng.integers(0, 3, (50, 2))].mean(axis=1)
    given_codes = rng.integers(0, 3, 50)
    found = found_of(posterior, given_codes)
    labels = CLASSES[given_codes]
    assert np.array_equal(found.suspected, found.suggested != labels)
    assert np.array_equal(found.mislabeled, found.corrected != labels)
    assert np.array_equal(np.flatnonzero(found.suspected), np.sort(found.suspects))
    assert 0 <= found.scores.sum() - len(found.suspects) + 1e-9 < 1 + 1e-9  # rounded down
    assert_allclose(found.expected_wrong(), found.scores[found.suspected].sum())
    assert found.scores[found.mislabeled].min(initial=1.0) >= 0.8 - 1e-12
    assert (np.diff(found.scores[found.order]) <= 0).all()
    assert sorted(found.order.tolist()) == list(range(50))
    assert ((found.scores >= 0) & (found.scores <= 1)).all()
    assert_allclose(found.quality, posterior[np.arange(50), given_codes])
    others = np.where(np.eye(3, dtype=bool)[given_codes], -1.0, posterior)
    best = others[np.arange(50), np.searchsorted(CLASSES, found.suggested)]
    assert (best == others.max(axis=1))[found.suspected].all()


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


def test_margins_are_against_the_largest_other_share():
    shares = np.array([[0.5, 0.2, 0.3], [0.1, 0.6, 0.3]])
    assert_allclose(label_margins(shares, np.array([0, 2])), [0.2, -0.3])


def test_where_nothing_can_be_told_no_label_is_changed():
    sure = found_of([[0.1, 0.9, 0.0], [0.9, 0.1, 0.0]], [0, 0])
    assert sure.mislabeled.tolist() == [True, False]
    untold = LabelQuality(
        sure.posterior, sure.probabilities, sure.given, CLASSES,
        NoiseRate(0.3, (0.0, 0.5), NOISE.matrix, CLASSES),
    )  # fmt: skip
    assert not untold.noise.told
    assert not untold.mislabeled.any()
    assert untold.corrected.tolist() == ["a", "a"]


def test_no_more_rows_are_to_be_checked_than_there_are():
    few = NoiseRate(0.01, (0.0, 0.05), NOISE.matrix, CLASSES, labels=20)
    assert few.rows_to_check == 20
    assert "check all 20 rows to settle it" in str(few)
    many = NoiseRate(0.01, (0.0, 0.05), NOISE.matrix, CLASSES, labels=1000)
    assert many.rows_to_check == 119
    assert "check 119 random rows" in str(many)
