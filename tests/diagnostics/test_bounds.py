import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nacre import AdaBoostClassifier, AveBoostClassifier
from nacre.diagnostics import (
    adaboost_bound,
    aveboost2_bound,
    hull_bound,
    margin_bound,
    vc_bound,
)
from tests.training import noisy_problem

ERRORS = arrays(float, st.integers(1, 20), elements=st.floats(1e-6, 0.5))
MARGINS = np.linspace(-0.2, 1.0, 1000)


@given(ERRORS)
def test_training_bounds_as_printed(errors):
    even = errors * (1 - errors)
    t = np.arange(1, len(errors) + 1)
    factors = (t + 1) / np.sqrt(t**2 + t / (2 * even) + 1 / (4 * even))
    np.testing.assert_allclose(adaboost_bound(errors)[-1], np.prod(2 * np.sqrt(even)))
    np.testing.assert_allclose(aveboost2_bound(errors)[-1], np.prod(factors))


@given(ERRORS)
def test_the_bound_of_averaged_weights_is_looser(errors):
    one, two = adaboost_bound(errors), aveboost2_bound(errors)
    assert np.all(one <= two * (1 + 1e-12))
    assert np.all(two <= 1 + 1e-12)


@given(ERRORS)
def test_aveboost2_is_adaboost_with_another_beta(errors):
    """Oza's factor is (err + (1 - err) b) / sqrt(b) for b = beta gamma."""
    t = np.arange(1, len(errors) + 1)
    gamma = (2 * (1 - errors) * t + 1) / (2 * errors * t + 1)
    b = errors / (1 - errors) * gamma
    factors = (errors + (1 - errors) * b) / np.sqrt(b)
    np.testing.assert_allclose(aveboost2_bound(errors), np.cumprod(factors))


@pytest.mark.parametrize("weights", ["equal", "random"])
@pytest.mark.parametrize(
    ("make", "bound"),
    [(AdaBoostClassifier, adaboost_bound), (AveBoostClassifier, aveboost2_bound)],
)
def test_training_errors_stay_below(make, bound, weights):
    training = noisy_problem(n=120, d=4, weights=weights)
    model = make(n_estimators=60).fit(training.X, training.y, training.weight)
    errors = [training.weight @ (said != training.y) for said in model.staged_predict(training.X)]
    assert np.all(errors <= bound(model.estimator_errors_) + 1e-12)


@pytest.mark.parametrize("bound", [adaboost_bound, aveboost2_bound])
def test_a_perfect_hypothesis_and_a_useless_one(bound):
    assert bound([0.5, 0.5]).tolist() == [1.0, 1.0]
    assert bound([0.3, 0.0])[-1] == 0.0


# Rows to come


def test_the_vc_bound():
    found = vc_bound(0.1, n=400, dimension=3, delta=0.01, constant=2.0)
    assert found.empirical == 0.1
    np.testing.assert_allclose(found.confidence, np.sqrt(2 / 400 * (3 + np.log(100))))
    np.testing.assert_allclose(found.total, 0.1 + found.confidence)


def test_the_vc_bound_of_a_vote_grows_with_the_rounds():
    wide = [vc_bound(0.0, 1000, 3 * rounds).total for rounds in (1, 10, 100)]
    assert wide == sorted(wide)
    assert vc_bound([0.1, 0.2], 100, 3).total.shape == (2,)


def test_the_margin_bound():
    found = margin_bound(MARGINS, 0.25, dimension=3, delta=0.1, constant=0.5)
    np.testing.assert_allclose(found.empirical, np.mean(MARGINS <= 0.25))
    square = 0.5 / 1000 * (3 * np.log(1000 / 3) ** 2 / 0.25**2 + np.log(10))
    np.testing.assert_allclose(found.confidence, np.sqrt(square))


def test_the_hull_bound():
    """From its parts: covers of half the margin, in natural logs."""
    found = hull_bound(MARGINS, 0.25, dimension=3, p=0.8, delta=0.1, constant=0.5)
    log2_covers = 0.5 * 3 * (1 / 0.125) ** (2 * 0.8 / (2 - 0.8)) * np.log2(1 / 0.125)
    square = 8 / 1000 * (np.log(2.0) * log2_covers + np.log(2 / 0.1))
    np.testing.assert_allclose(found.empirical, np.mean(MARGINS <= 0.25))
    np.testing.assert_allclose(found.confidence, np.sqrt(square))


@pytest.mark.parametrize("bound", [margin_bound, hull_bound])
def test_the_two_terms_pull_against_each_other(bound):
    found = bound(MARGINS, np.linspace(0.05, 0.45, 9), dimension=3)
    assert np.all(np.diff(found.empirical) > 0)
    assert np.all(np.diff(found.confidence) < 0)
    more = bound(np.tile(MARGINS, 10), np.linspace(0.05, 0.45, 9), dimension=3)
    assert np.all(more.confidence < found.confidence)


def test_a_smaller_hull_has_a_smaller_confidence_term():
    terms = [hull_bound(MARGINS, 0.2, 3, p=p).confidence for p in (0.5, 0.8, 1.0, 1.5)]
    assert terms == sorted(terms)


def test_bad_input():
    for bound in (adaboost_bound, aveboost2_bound):
        with pytest.raises(ValueError, match="errors must be from 0 to 1"):
            bound([0.1, 1.2])
    with pytest.raises(ValueError, match="error must be from 0 to 1"):
        vc_bound(-0.1, 10, 1)
    with pytest.raises(ValueError, match="n must be a number above 0, got 0"):
        vc_bound(0.1, 0, 1)
    with pytest.raises(ValueError, match="delta must be between 0 and 1, got 1"):
        vc_bound(0.1, 10, 1, delta=1)
    with pytest.raises(ValueError, match="dimension must be a number above 0, got 0"):
        margin_bound(MARGINS, 0.1, 0)
    with pytest.raises(ValueError, match="constant must be a number above 0, got nan"):
        margin_bound(MARGINS, 0.1, 1, constant=np.nan)
    with pytest.raises(ValueError, match="dimension must be below the number of rows, 3"):
        margin_bound([0.1, 0.2, 0.3], 0.1, 3)
    with pytest.raises(ValueError, match="threshold must be above 0 and up to 1, got 0"):
        margin_bound(MARGINS, 0, 1)
    with pytest.raises(ValueError, match="threshold must be above 0 and below 1/2, got"):
        hull_bound(MARGINS, 0.5, 1)
    with pytest.raises(ValueError, match="p must be above 0 and below 2, got 2"):
        hull_bound(MARGINS, 0.1, 1, p=2)
    with pytest.raises(ValueError, match="margins must have at least one row"):
        hull_bound([], 0.1, 1)
