"""The rate that Core AdaBoost corrects for."""

import numpy as np
import pytest

from nacre import CoreBoostClassifier
from nacre.models import coreboost
from nacre.noise import estimate_noise_rate
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

    def estimate(X, y, *, method, **others):
        seen.append(method.n_folds)
        return estimate_noise_rate(X, y, method=method, **others)

    monkeypatch.setattr(coreboost, "estimate_noise_rate", estimate)
    model = CoreBoostClassifier(n_estimators=2, random_state=0).fit(X[:n], np.arange(n) % 2)
    assert seen == [folds]
    assert 0.0 <= model.noise_rate_ <= coreboost.MOST
