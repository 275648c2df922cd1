"""The noise rate from neighbours of clean rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_wine, make_moons

from nacre.data import TrainingRows
from nacre.noise import Neighbors, estimate_noise_rate, flip_labels
from nacre.noise.neighbors import agreement_curves
from tests.textbook.noise import agreement_rate, weil_rate


def noisy_rows(n=60, n_classes=2, rate=0.2, share=0.4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    score = X[:, 0] + 0.3 * rng.normal(size=n)
    y = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    clean = rng.random(n) < share
    return X, flip_labels(y, rate, clean=clean, random_state=seed)[0], clean


def rate_of(X, y, clean, seed=0):
    return estimate_noise_rate(X, y, clean=clean, method=Neighbors(), random_state=seed)


def curve_at(X, y, clean, m, **options):
    method = Neighbors(n_neighbors=m, **options)
    found = estimate_noise_rate(X, y, clean=clean, method=method, random_state=0)
    assert found.n_neighbors == m
    return found.curve[found.curve[:, 0] == m][0, 1]


@pytest.mark.parametrize("corrected", [True, False])
@pytest.mark.parametrize("m", [2, 5, 11, 30])
def test_it_is_weils_formula(m, corrected):
    X, y, clean = noisy_rows()
    expected = weil_rate(X, 2 * y - 1, clean, m, corrected)
    assert_allclose(curve_at(X, y, clean, m, corrected=corrected), expected, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_any_number_of_classes(n_classes):
    X, y, clean = noisy_rows(n_classes=n_classes)
    assert_allclose(curve_at(X, y, clean, 12), agreement_rate(X, y, clean, 12), atol=1e-12)


def test_categories_and_ties():
    """Of few values many rows are as far away: all of them are neighbours."""
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(0, 3, 80), rng.integers(0, 4, 80), rng.integers(0, 3, 80)])
    y = ((X[:, 0] > 0) ^ (X[:, 1] == 2)).astype(int)
    clean = rng.random(80) < 0.4
    y, _ = flip_labels(y, 0.1, clean=clean, random_state=0)
    for corrected in (True, False):
        found = estimate_noise_rate(
            X, y, clean=clean, method=Neighbors(corrected, 9), categorical_features=[1, 2]
        )
        expected = weil_rate(X.astype(float), 2 * y - 1, clean, 9, corrected, (1, 2))
        assert_allclose(found.curve[found.curve[:, 0] == 9][0, 1], expected, atol=1e-12)


@pytest.mark.slow
def test_labels_of_pure_chance():
    """1000 labels of Bernoulli(0.7), a tenth clean, e = 0.2: the plain form is far too high."""
    plain, corrected = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(1000, 2))
        y = (rng.random(1000) < 0.7).astype(int)
        clean = np.arange(1000) < 100
        y, _ = flip_labels(y, 0.2, clean=clean, random_state=seed)
        plain.append([curve_at(X, y, clean, m, corrected=False) for m in (5, 20, 100, 400)])
        corrected.append([curve_at(X, y, clean, m) for m in (100, 400)])
    assert_allclose(np.mean(plain, axis=0), [0.43, 0.41, 0.31, 0.25], atol=0.04)
    assert_allclose(np.median(corrected, axis=0), 0.21, atol=0.05)


@pytest.mark.parametrize("rate", [0.0, 0.2, 0.4])
def test_the_rate_is_found(rate):
    for X, y in (
        make_moons(1500, noise=0.25, random_state=0),
        load_breast_cancer(return_X_y=True),
        load_wine(return_X_y=True),
    ):
        clean = np.random.default_rng(0).random(len(y)) < 0.3
        labels, flipped = flip_labels(y, rate, clean=clean, random_state=0)
        found = rate_of(X, labels, clean)
        assert abs(found.rate - flipped[~clean].mean()) < 0.08
        assert found.interval[0] <= found.rate <= found.interval[1]
        assert found.interval[0] - 0.01 <= flipped[~clean].mean() <= found.interval[1] + 0.01
        K = len(np.unique(y))
        assert_allclose(found.matrix.diagonal(), 1 - found.rate)
        assert_allclose(found.matrix.sum(axis=1), np.ones(K))


@pytest.mark.slow
def test_intervals_hold_the_truth():
    held = []
    for seed in range(30):
        X, y = make_moons(300, noise=0.3, random_state=seed)
        clean = np.arange(300) % 3 == 0
        labels, flipped = flip_labels(y, 0.2, clean=clean, random_state=seed)
        low, high = rate_of(X, labels, clean, seed).interval
        held.append(low <= flipped[~clean].mean() <= high)
    assert np.mean(held) >= 0.85


def test_the_first_step_of_bananas(datasets):
    """Weil's figure 5b: two thirds of the rows noisy, e = 0.2; the curve is flat at first."""
    frame = pd.read_csv(datasets / "banana.csv.gz").sample(2400, random_state=0)
    y, clean = frame.pop("label").to_numpy(), np.arange(2400) % 3 == 0
    labels, flipped = flip_labels(y, 0.2, clean=clean, random_state=0)
    found = rate_of(frame, labels, clean)
    assert abs(found.rate - flipped[~clean].mean()) < 0.03
    size, rate, _ = found.curve.T
    assert np.ptp(rate[(size >= 20) & (size <= 200)]) < 0.03


@given(st.integers(0, 2**32 - 1))
def test_the_order_of_rows_does_not_matter(seed):
    X, y, clean = noisy_rows(n_classes=3)
    X = np.round(X)  # ties
    order = np.random.default_rng(seed).permutation(len(y))
    one = rate_of(X, y, clean)
    two = rate_of(X[order], y[order], clean[order])
    assert one.n_neighbors == two.n_neighbors
    assert_allclose([two.rate, *two.interval], [one.rate, *one.interval])


def test_names_and_scales_do_not_matter():
    X, y, clean = noisy_rows()
    names, scaled = np.array(["zebra", "ant"])[y], X * [1, 1000, 0.01] + 5
    assert_allclose(curve_at(scaled, names, clean, 7), curve_at(X, y, clean, 7))
    assert rate_of(X, names, clean).classes.tolist() == ["ant", "zebra"]


def test_many_rows_are_sampled(monkeypatch):
    X, y = make_moons(2000, noise=0.25, random_state=0)
    clean = np.arange(2000) < 600
    labels, _ = flip_labels(y, 0.2, clean=clean, random_state=0)
    whole = rate_of(X, labels, clean)
    monkeypatch.setattr("nacre.noise.neighbors.DISTANCES", 200 * 2000)
    part = rate_of(X, labels, clean)
    assert part.rate != whole.rate
    assert abs(part.rate - whole.rate) < 0.03


def refusal(X, y, clean, **options):
    with pytest.raises(ValueError) as caught:
        estimate_noise_rate(X, y, clean=clean, method=Neighbors(**options))
    return str(caught.value)


def test_too_few_clean_rows():
    X, y, _ = noisy_rows()
    assert "clean rows are too few" in refusal(X, y, np.arange(60) == 3)
    assert "needs clean rows" in refusal(X, y, None)


@pytest.mark.parametrize("m", [0, -1, 61, 2.5, "5", True])
def test_bad_sizes(m):
    X, y, clean = noisy_rows()
    assert "n_neighbors must be a whole number from 1 to" in refusal(X, y, clean, n_neighbors=m)


def test_neighbours_that_say_nothing():
    """Two classes as often, and features that have nothing to do with them."""
    X = np.zeros((40, 1))
    y = np.arange(40) % 2
    assert "no more than by chance" in refusal(X, y, np.arange(40) < 20)


def test_the_share_of_neighbourhoods_that_hold_two_clean_rows():
    X, y, clean = noisy_rows(n=60)
    training = TrainingRows(X, y, 2, np.full(60, 1 / 60), None)
    sizes = np.array([1, 2, 30])
    share = agreement_curves(training, clean, sizes, np.random.RandomState(0))[2]
    assert share[0] <= share[1] <= share[2] == 1.0
