"""What an estimate is given, and what it says."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer

from nacre.noise import Neighbors, NoiseRate, OutOfFold, estimate_noise_rate, flip_labels

X, Y = load_breast_cancer(return_X_y=True)
CLEAN = np.arange(len(Y)) % 4 == 0
LABELS = flip_labels(Y, 0.2, clean=CLEAN, random_state=0)[0]
METHODS = [(CLEAN, Neighbors()), (None, OutOfFold())]


@pytest.mark.slow
def test_the_default_method():
    for clean in (CLEAN, None):
        found = estimate_noise_rate(X, LABELS, clean=clean, random_state=0)
        asked = estimate_noise_rate(X, LABELS, clean=clean, method=OutOfFold(), random_state=0)
        assert found.rate == asked.rate
        assert found.curve is None
        assert found.n_neighbors is None
    with pytest.raises(TypeError, match="method must be Neighbors or OutOfFold, got 'neighbors'"):
        estimate_noise_rate(X, LABELS, method="neighbors")


def test_it_prints_itself():
    found = NoiseRate(0.123, (0.1, 0.1551), np.eye(2), np.array([0, 1]))
    assert str(found) == "12.3% of the labels are wrong (95% interval 10.0% to 15.5%)"
    assert repr(found) == "NoiseRate(0.123, interval=(0.1, 0.1551))"


@pytest.mark.slow
@pytest.mark.parametrize(("clean", "method"), METHODS, ids=["neighbours", "out of fold"])
def test_frames_and_arrays_agree(clean, method):
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1] > 20, "c": X[:, 27].round(1)})
    frame["d"] = pd.Categorical(np.array(["low", "mid", "high"])[np.arange(len(Y)) % 3])
    table = np.column_stack([frame["a"], frame["b"], frame["c"], frame["d"].cat.codes])
    names = np.array(["benign", "malignant"])[LABELS]
    one = estimate_noise_rate(frame, pd.Series(names), clean=clean, method=method, random_state=0)
    two = estimate_noise_rate(
        table.astype(float),
        LABELS,
        clean=clean,
        method=method,
        categorical_features=[3],
        random_state=0,
    )
    assert_allclose(one.rate, two.rate, atol=0.02)
    assert one.classes.tolist() == ["benign", "malignant"]


@pytest.mark.slow
@pytest.mark.parametrize(("clean", "method"), METHODS, ids=["neighbours", "out of fold"])
def test_gaps(clean, method):
    holes = X[:, :5].copy()
    holes[np.random.default_rng(0).random(holes.shape) < 0.1] = np.nan
    holes[:, 4] = np.nan
    found = estimate_noise_rate(holes, LABELS, clean=clean, method=method, random_state=0)
    truth = np.mean(LABELS != Y) if clean is None else np.mean(LABELS[~clean] != Y[~clean])
    assert abs(found.rate - truth) < 0.08


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"clean": CLEAN[1:]}, "clean has 568 entries for 569 rows"),
        ({"clean": np.zeros(569, bool)}, "clean marks no row"),
        ({"clean": np.ones(569, bool)}, "clean marks every row"),
        ({"y": LABELS[1:]}, "inconsistent numbers of samples"),
        ({"y": None}, "requires y"),
        ({"y": np.zeros(len(Y))}, "needs at least two classes"),
        ({"X": X[:, 0]}, "Expected 2D array"),
        ({"X": np.where(X[3, 3] == X, np.inf, X)}, "Column 3 of X contains infinity"),
    ],
)
def test_bad_input(changes, words):
    with pytest.raises(ValueError, match=words):
        estimate_noise_rate(**{"X": X, "y": LABELS, "clean": CLEAN, **changes})


def test_a_mask_of_some_rows_is_one():
    found = estimate_noise_rate(X, LABELS, clean=CLEAN, method=Neighbors(), random_state=0)
    assert 0.1 < found.rate < 0.3
