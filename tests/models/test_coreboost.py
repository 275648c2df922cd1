"""The rate that Core AdaBoost corrects for."""

import warnings

import numpy as np
import pytest

from nacre import CoreBoostClassifier
from nacre.data.seeds import seed_of
from nacre.models import coreboost
from nacre.noise import OutOfFold, estimate_noise_rate, flip_labels
from tests.training import noisy_problem

TRAINING = noisy_problem(n=80, d=2, flip=0.2)
X, Y = TRAINING.X, TRAINING.y


@pytest.mark.parametrize("wrong", [0.5, -0.01, np.nan])
def test_every_rate_is_from_0_to_below_one_half(wrong):
    rates = np.full(len(Y), 0.2)
    rates[7] = wrong
    for rate in (rates, wrong):
        with pytest.raises(ValueError, match="must be from 0 to below 1/2"):
            CoreBoostClassifier(noise_rate=rate, n_estimators=2).fit(X, Y)


@pytest.mark.parametrize(("n", "folds"), [(80, 5), (4, 4)])
def test_a_rate_is_estimated_over_five_folds(n, folds, monkeypatch):
    """Of fewer rows, each is a fold."""
    seen = []

    class Noted(OutOfFold):
        def estimate(self, *args):
            seen.append(self.n_folds)
            return super().estimate(*args)

    monkeypatch.setattr(coreboost, "OutOfFold", Noted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # these labels are none
        model = CoreBoostClassifier(n_estimators=2, random_state=0).fit(X[:n], np.arange(n) % 2)
    assert seen == [folds]
    assert 0.0 <= model.noise_rate_ <= coreboost.MOST


def test_a_rate_is_estimated_by_groups():
    """Twins of one label vouch for each other where they are not held out together."""
    rng = np.random.default_rng(0)
    centre = rng.normal(size=(150, 3))
    twin = np.repeat(np.arange(150), 2)
    table = centre[twin] + 1e-3 * rng.normal(size=(300, 3))
    labels = flip_labels((centre[:, 0] > 0).astype(int), 0.2, random_state=0)[0][twin]
    model = CoreBoostClassifier(n_estimators=2, random_state=3)
    expected = estimate_noise_rate(table, labels, groups=twin, random_state=seed_of(3)).rate
    assert expected > 0.1
    assert model.fit(table, labels, groups=twin).noise_rate_ == expected


def test_a_rate_is_estimated_with_weights():
    """Labels of next to no weight do not count, however wrong they are."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(400, 3))
    labels = (table[:, 0] > 0).astype(int)
    half = np.arange(400) < 200
    labels[half] = flip_labels(labels[half], 0.4, random_state=0)[0]
    model = CoreBoostClassifier(n_estimators=2, random_state=0)
    plain = model.fit(table, labels).noise_rate_
    weighted = model.fit(table, labels, np.where(half, 1e-3, 1.0)).noise_rate_
    assert weighted < 0.02 < 0.05 < plain


def test_a_rate_that_cannot_be_told_is_0():
    rng = np.random.default_rng(0)
    table, labels = rng.normal(size=(300, 3)), rng.integers(2, size=300)
    with pytest.warns(UserWarning, match="noise rate cannot be told"):
        model = CoreBoostClassifier(n_estimators=2, random_state=0).fit(table, labels)
    assert model.noise_rate_ == 0.0
