"""Which labels are wrong?"""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC

from nacre import NacreClassifier, find_mislabeled
from nacre.noise import flip_labels

NAMES = np.array(["ash", "elm", "oak"])


def table(n=240, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 3))
    X[np.arange(n), y] += 4.0
    labels, flipped = flip_labels(NAMES[y], 0.15, random_state=seed)
    return X, NAMES[y], labels, flipped


X, TRUTH, LABELS, FLIPPED = table()


@pytest.fixture(scope="module")
def found():
    return find_mislabeled(X, LABELS, effort="fast", random_state=0)


def test_the_parts_agree(found):
    assert found.posterior.shape == found.probabilities.shape == (240, 3)
    for part in (found.scores, found.quality, found.suspected, found.mislabeled, found.order):
        assert part.shape == (240,)
    assert np.array_equal(found.classes, NAMES)
    assert np.array_equal(found.classes[found.given], LABELS)
    assert np.array_equal(found.suspected, found.suggested != LABELS)
    assert np.array_equal(found.mislabeled, found.corrected != LABELS)
    assert np.array_equal(np.sort(found.order), np.arange(240))
    assert (np.diff(found.scores[found.order]) <= 0).all()
    assert_allclose(found.posterior.sum(axis=1), 1.0)
    assert_allclose(found.probabilities.sum(axis=1), 1.0)
    assert_allclose(found.scores, 1 - found.quality)
    assert found.suspected[found.order[: found.suspected.sum()]].all()


def test_wrong_labels_are_found(found):
    assert FLIPPED[found.mislabeled].mean() > 0.85
    assert found.mislabeled[FLIPPED].mean() > 0.85
    assert (found.suggested[FLIPPED] == TRUTH[FLIPPED]).mean() > 0.85
    assert (found.suggested == TRUTH).mean() > 0.95
    low, high = found.noise.interval
    assert low < FLIPPED.mean() < high
    assert repr(found).startswith(f"{len(found.suspects)} of 240 labels are suspect, ")


def test_it_is_what_the_classifier_finds(found):
    model = NacreClassifier("fast", random_state=0).fit(X, LABELS)
    assert np.array_equal(found.posterior, model.found_.posterior)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    of_frame = find_mislabeled(frame, pd.Series(LABELS), effort="fast", random_state=0, n_jobs=2)
    assert np.array_equal(found.posterior, of_frame.posterior)


def test_clean_rows_and_rows_of_no_weight():
    clean = (np.arange(240) < 60) & ~FLIPPED
    weight = np.where(np.arange(240) < 180, 1.0, 0.0)
    found = find_mislabeled(
        X, LABELS, clean=clean, sample_weight=weight, effort="fast", random_state=0
    )
    assert not found.mislabeled[clean].any()
    assert FLIPPED[180:][found.mislabeled[180:]].mean() > 0.8
    assert found.mislabeled[180:].any()


def test_categories():
    codes = np.searchsorted(NAMES, TRUTH).astype(float)
    found = find_mislabeled(
        codes[:, None], LABELS, categorical_features=[0], effort="fast", random_state=0
    )
    assert FLIPPED[found.order[: FLIPPED.sum()]].all()
    assert FLIPPED[found.suspects].all()
    assert found.quality[FLIPPED].max() < 0.35 < 0.9 < found.quality[~FLIPPED].min()


def product(table):
    return table[:, :1] * table[:, 1:2]


def test_an_estimator_of_ones_own_has_its_say():
    """A class that the product of two columns of many tells, and a model that knows which two."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(300, 20))
    truth = np.where(table[:, 0] * table[:, 1] > 0, "oak", "pine")
    labels, flipped = flip_labels(truth, 0.1, random_state=0)
    own = make_pipeline(FunctionTransformer(product), LogisticRegression())
    alone, beside = (
        find_mislabeled(table, labels, estimator=one, effort="fast", random_state=0)
        for one in (None, own)
    )
    found = [flipped[one.order[: flipped.sum()]].mean() for one in (alone, beside)]
    assert found[1] > max(found[0] + 0.05, 0.85)


def test_an_estimator_is_held_out_by_groups():
    """Twins under other labels than the truth: who sees one knows the other's label."""
    rng = np.random.default_rng(0)
    centre = rng.normal(size=(120, 3))
    twin = np.repeat(np.arange(120), 2)
    table = centre[twin] + 1e-3 * rng.normal(size=(240, 3))
    labels = rng.integers(2, size=120)[twin]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no signal, rightly
        apart, together = (
            find_mislabeled(
                table, labels, estimator=KNeighborsClassifier(1), groups=groups, effort="fast",
                random_state=0,
            ).probabilities[np.arange(240), labels].mean()
            for groups in (None, twin)
        )  # fmt: skip
    assert apart > 0.8 > 0.6 > together


def test_rows_of_weight_0_teach_an_estimator_nothing():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(300, 3))
    labels = flip_labels((table[:, 0] > 0).astype(int), 0.1, random_state=0)[0]
    weight = np.where(np.arange(300) < 200, rng.integers(1, 4, 300), 0)
    other = np.where(weight > 0, labels, 1 - labels)
    for own in (make_pipeline(GaussianNB()), KNeighborsClassifier(5)):
        one, two = (
            find_mislabeled(
                table, y, estimator=own, sample_weight=weight, effort="fast", random_state=0
            )
            for y in (labels, other)
        )
        assert_allclose(one.scores[weight > 0], two.scores[weight > 0], rtol=1e-12)
        assert_allclose(one.probabilities, two.probabilities, rtol=1e-12)


def test_an_estimator_gets_weights_that_differ():
    seen = []

    class Noting(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            seen.append(sample_weight)
            return super().fit(X, y, sample_weight)

    weight = np.where(np.arange(240) % 3, 1.0, 2.0)
    for weights in (None, weight):
        seen.clear()
        find_mislabeled(
            X, LABELS, estimator=Noting(), sample_weight=weights, effort="fast", random_state=0
        )
        assert len(seen) == 5
        assert all((one is None) == (weights is None) for one in seen)
    assert_allclose([one.max() / one.min() for one in seen], 2.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"X": None, "estimator": GaussianNB()}, "X is None"),
        ({"X": None, "pred_probs": np.eye(2), "estimator": GaussianNB()}, "needs a table"),
        ({"pred_probs": np.eye(2), "estimator": GaussianNB()}, "not both"),
    ],
    ids=range(3),
)
def test_an_estimator_in_the_wrong_place(changes, message):
    with pytest.raises(ValueError, match=message):
        find_mislabeled(**({"X": X, "y": LABELS} | changes))
    with pytest.raises(TypeError, match="estimator must have predict_proba"):
        find_mislabeled(X, LABELS, estimator=LinearSVC())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": LABELS[1:]}, "inconsistent numbers of samples"),
        ({"y": np.full(240, "oak")}, "All rows have one class, 'oak'"),
        ({"y": np.where(FLIPPED, None, LABELS)}, "y contains NaN or None"),
        ({"X": np.full((240, 1), np.inf)}, "contains infinity"),
        ({"clean": FLIPPED[1:]}, "clean has 239 entries for 240 rows"),
        ({"effort": "none"}, "effort must be one of"),
        ({"sample_weight": np.zeros(240)}, "zero for every row"),
    ],
    ids=range(7),
)
def test_bad_input(changes, message):
    with pytest.raises(ValueError, match=message) as error:
        find_mislabeled(**({"X": X, "y": LABELS, "effort": "fast"} | changes))
    assert "\n" not in str(error.value)
