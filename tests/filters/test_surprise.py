"""Guyon's filter against its definition, block by block."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import Perceptron
from sklearn.naive_bayes import GaussianNB

from nacre.data import fold_of
from nacre.data.seeds import derive_seed, seed_of
from nacre.datasets import make_sine
from nacre.filters import SurpriseFilter
from nacre.filters.base import folds_for
from nacre.filters.surprise import LEAST, surprise_scores
from nacre.noise import flip_labels
from tests.training import make_problem

X, Y = make_sine(120, random_state=0)
Y = (Y > 0).astype(int)
LABELS, FLIPPED = flip_labels(Y, 0.1, random_state=0)


def bits_by_hand(block):
    bits = np.ones(len(Y))
    for i in np.flatnonzero(block > 0):
        before = block < block[i]
        model = GaussianNB().fit(X[before], LABELS[before])
        chance = model.predict_proba(X[[i]])[0, LABELS[i]]
        bits[i] = -np.log2(max(chance, LEAST))
    return bits


def test_the_definition():
    training = make_problem(X, LABELS)
    blocks = [fold_of(training, 6, seed) for seed in (1, 2)]
    found = surprise_scores(training, GaussianNB(), blocks)
    np.testing.assert_allclose(found.scores, np.mean([bits_by_hand(b) for b in blocks], axis=0))
    np.testing.assert_allclose(found.support.sum(axis=1), 2.0)


def test_flags_are_labels_of_less_than_half():
    found = SurpriseFilter(GaussianNB(), n_blocks=6, random_state=0).fit(X, LABELS)
    assert (found.mislabeled_ == (found.scores_ > 1.0)).all()
    assert found.scores_[FLIPPED].mean() > 2 * found.scores_[~FLIPPED].mean()


def test_the_first_block_is_not_flagged():
    X, y = load_iris(return_X_y=True)
    found = SurpriseFilter(random_state=0).fit(X, y)
    first = folds_for(make_problem(X, y), 10, derive_seed(seed_of(0), 0)) == 0
    assert first.sum() == 15
    assert (found.scores_[first] == 1.0).all()
    assert not found.mislabeled_[first].any()


def test_a_class_that_comes_late():
    """No row of it came before: the least probability, and no error."""
    X, y = np.arange(60.0)[:, None], np.zeros(60, int)
    y[30] = 1
    found = SurpriseFilter(n_blocks=5, random_state=0).fit(X, y)
    assert found.scores_[30] in (1.0, -np.log2(LEAST))
    assert np.isfinite(found.scores_).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_orders": 0}, "n_orders must be at least 1"),
        ({"n_blocks": 1}, "n_folds must be at least 2"),
        ({"estimator": Perceptron()}, "SurpriseFilter needs probabilities"),
    ],
)
def test_bad_input(given, message):
    with pytest.raises((TypeError, ValueError), match=message):
        SurpriseFilter(**given).fit(X, LABELS)
