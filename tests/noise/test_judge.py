"""From probabilities of any model to which labels are wrong."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nacre import find_mislabeled, judge_labels
from nacre.data import fold_of, out_of_fold_probabilities
from nacre.noise import OutOfFold, estimate_noise_rate, flip_labels
from tests.training import make_problem

X, Y = load_breast_cancer(return_X_y=True)
LABELS, FLIPPED = flip_labels(Y, 0.1, random_state=0)
FOREST = RandomForestClassifier(50, random_state=0)
CHANCES = cross_val_predict(FOREST, X, LABELS, method="predict_proba")


def test_flipped_labels_are_found():
    found = judge_labels(CHANCES, LABELS)
    assert average_precision_score(FLIPPED, found.scores) > 0.9
    assert abs(found.noise.rate - 0.1) < 0.03
    assert found.noise.interval[0] < 0.1 < found.noise.interval[1]
    assert np.array_equal(found.classes, [0, 1])
    assert_allclose(found.posterior.sum(axis=1), 1.0)
    assert np.array_equal(found.quality, found.posterior[np.arange(len(Y)), LABELS])


def test_it_is_the_audit_s_own_machinery():
    """The same probabilities, the same answer, whoever asks."""
    seed = np.random.RandomState(3).randint(2**31 - 1)
    training = make_problem(X, LABELS)
    fold = fold_of(training, 5, seed)
    chances = out_of_fold_probabilities(training, fold, FOREST, seed)
    found = judge_labels(chances, LABELS)
    asked = estimate_noise_rate(X, LABELS, method=OutOfFold(FOREST), random_state=3)
    assert (found.noise.rate, found.noise.interval) == (asked.rate, asked.interval)
    again = find_mislabeled(None, LABELS, pred_probs=chances)
    assert np.array_equal(again.posterior, found.posterior)


def test_ten_classes_and_labels_in_words():
    table, y = load_digits(return_X_y=True)
    words = np.array([f"digit {k}" for k in range(10)])[y]
    labels, flipped = flip_labels(words, 0.2, random_state=0)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01))
    found = judge_labels(cross_val_predict(model, table, labels, method="predict_proba"), labels)
    assert average_precision_score(flipped, found.scores) > 0.95
    assert (found.suggested[flipped] == words[flipped]).mean() > 0.8


def test_clean_rows_are_never_suspected():
    clean = np.arange(len(Y)) % 3 == 0
    found = judge_labels(CHANCES, LABELS, clean=clean)
    assert not found.mislabeled[clean].any()
    assert (found.quality[clean] == 1.0).all()
    assert found.mislabeled.any()


def test_rows_of_weight_0_have_no_say_but_are_judged():
    weight = (np.arange(len(Y)) % 2).astype(float)
    found = judge_labels(CHANCES, LABELS, sample_weight=weight)
    half = judge_labels(CHANCES[1::2], LABELS[1::2])
    assert found.noise.rate == half.noise.rate
    assert np.array_equal(found.posterior[1::2], half.posterior)
    assert found.mislabeled[::2].any()


def test_classes_that_nobody_was_given():
    chances = np.column_stack([CHANCES * 0.999, np.full(len(Y), 0.001)])
    found = judge_labels(chances, LABELS, classes=[0, 1, 2])
    assert found.posterior.shape == (len(Y), 3)
    assert abs(found.noise.rate - 0.1) < 0.05


def test_the_order_of_rows_does_not_matter():
    order = np.random.default_rng(0).permutation(len(Y))
    one, other = judge_labels(CHANCES, LABELS), judge_labels(CHANCES[order], LABELS[order])
    assert_allclose(one.posterior[order], other.posterior, atol=1e-6)


@pytest.mark.parametrize(
    ("chances", "labels", "more", "message"),
    [
        (CHANCES[:, 0], LABELS, {}, r"pred_probs has shape \(569,\): it must have a row"),
        (CHANCES[:, :1], LABELS, {}, "pred_probs has shape"),
        (CHANCES[:0], [], {}, "pred_probs has shape"),
        (CHANCES[:5], LABELS, {}, "inconsistent numbers of samples: pred_probs has 5 rows"),
        (CHANCES * 2.0, LABELS, {}, "of pred_probs sums to 2, not to 1: give probabilities"),
        (np.where(CHANCES > 0.9, np.nan, CHANCES), LABELS, {}, "NaN or a negative number"),
        (CHANCES - 0.5, LABELS, {}, "NaN or a negative number"),
        ([["a", "b"]], [0], {}, "pred_probs must hold numbers"),
        (CHANCES, np.arange(len(Y)) % 3, {}, "2 columns, y has 3 classes: name the label"),
        (CHANCES, LABELS, {"classes": [0, 2]}, "y holds 1, which is none of the classes"),
        (CHANCES, LABELS, {"classes": [1, 0]}, "classes must ascend"),
        (CHANCES, LABELS, {"classes": [0, 1, 2]}, "3 entries for 2 columns"),
        (CHANCES, LABELS, {"clean": [True]}, "clean has 1 entries for 569 rows"),
    ],
)
def test_bad_input(chances, labels, more, message):
    with pytest.raises(ValueError, match=message):
        judge_labels(chances, labels, **more)


@pytest.mark.parametrize("classes", [[0, 0, 1], [2, 1, 0]])
def test_classes_must_ascend(classes):
    with pytest.raises(ValueError, match="classes must ascend, each of them once"):
        judge_labels(np.full((6, 3), 1 / 3), [0, 1, 0, 1, 0, 1], classes=classes)


def test_labels_before_they_were_checked():
    """A third of the labels are wrong whatever the scores say: only checked rows can tell."""
    rng = np.random.default_rng(0)
    chances = rng.dirichlet([0.3, 0.3], 600)
    y = np.where(rng.random(600) < 0.33, chances.argmin(axis=1), chances.argmax(axis=1))
    labels = np.array(["no", "yes"])[chances.argmax(axis=1)]
    true = np.array(["no", "yes"])[y]
    clean = np.arange(600) < 150
    now = np.where(clean, true, labels)
    wrong = (labels != true)[~clean].mean()
    plain = judge_labels(chances, now, clean=clean)
    assert plain.noise.rate < 0.1 < wrong
    before = np.where(rng.random(600) < 0.9, labels, None)
    found = judge_labels(chances, now, clean=clean, original=before)
    assert abs(found.noise.rate - wrong) < 0.06
    assert found.noise.interval[0] < wrong < found.noise.interval[1]
    assert not found.suspected[clean].any()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"original": ["a"] * 3}, r"original has shape \(3,\) for 4 rows"),
        ({"original": ["c"] * 4}, "original holds no label of the classes"),
        ({"original": ["a"] * 4, "clean": None}, "original is of no use without clean"),
    ],
)
def test_labels_before_that_cannot_be(changes, message):
    told = {"clean": np.array([True, True, False, False])} | changes
    with pytest.raises(ValueError, match=message):
        judge_labels(np.full((4, 2), 0.5), ["a", "b", "a", "b"], **told)


def test_columns_that_are_named_by_the_classes_may_come_in_any_order():
    pd = pytest.importorskip("pandas")
    names = np.array(["no", "yes"])[LABELS]
    frame = pd.DataFrame(CHANCES, columns=["no", "yes"])
    found = judge_labels(CHANCES, names)
    for given in (frame, frame[["yes", "no"]], frame.set_axis(["first", "second"], axis=1)):
        assert np.array_equal(judge_labels(given, names).quality, found.quality)
    numbered = pd.DataFrame(CHANCES)  # columns 0 and 1 of classes 1 and 2
    assert np.array_equal(judge_labels(numbered, LABELS + 1).quality, found.quality)
    with pytest.raises(ValueError, match="are named yes, maybe, the classes are no, yes: name a"):
        judge_labels(frame.set_axis(["yes", "maybe"], axis=1), names)


def test_labels_of_pure_chance_are_left_as_they_are():
    rng = np.random.default_rng(3)
    labels = rng.integers(2, size=400)
    first = rng.beta(4, 4, size=400)
    found = judge_labels(np.column_stack([first, 1.0 - first]), labels)
    assert found.noise.interval == (0.0, 0.5)
    assert str(found.noise).startswith("how many labels are wrong cannot be told")
    assert np.array_equal(found.corrected, labels)


def test_named_columns_may_come_in_any_order_whatever_says_the_classes():
    names = np.array(["benign", "malign"])
    frame = pd.DataFrame(CHANCES, columns=names)
    expected = judge_labels(CHANCES, names[LABELS]).posterior
    for classes in (None, names):
        found = judge_labels(frame[names[::-1]], names[LABELS], classes=classes)
        assert_allclose(found.posterior, expected)


def overlapping(seed=0):
    """Probabilities of two classes that overlap, and right labels."""
    rng = np.random.default_rng(seed)
    chance = 1.0 / (1.0 + np.exp(-1.5 * rng.normal(size=400)))
    return np.column_stack([1.0 - chance, chance]), (rng.random(400) < chance).astype(int)


def test_trusting_all_rows_of_one_label_calls_no_other_label_wrong():
    """All positives confirmed: they were trusted for their label, not drawn at random."""
    chances, labels = overlapping()
    found = judge_labels(chances, labels, clean=labels == 1)
    assert found.noise.interval[0] == 0.0
    assert found.noise.rate < 0.02
    assert not found.mislabeled.any()


def test_checks_of_one_label_leave_the_interval_of_the_other_open():
    chances, truth = overlapping()
    missed = (truth == 1) & (np.random.default_rng(1).random(400) < 0.3)
    labels = np.where(missed, 0, truth)
    checked = labels == 1
    found = judge_labels(chances, labels, clean=checked, original=labels)
    assert found.noise.interval[0] < missed[~checked].mean() < found.noise.interval[1]


def test_nothing_is_told_of_labels_that_have_no_weight():
    """Where only trusted rows have weight, the others are not said to be right."""
    trusted = np.arange(len(Y)) < 100
    found = judge_labels(
        CHANCES, np.where(trusted, Y, LABELS), clean=trusted, sample_weight=trusted.astype(float)
    )
    assert found.noise.interval == (0.0, 0.5)
    assert not found.mislabeled.any()
