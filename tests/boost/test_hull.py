"""Votes on a hull, margins off it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre import AdaBoostClassifier, BoostedClassifier
from nacre.boost import Algorithm, RawHull, boost
from nacre.boost.hull import newton_step
from nacre.learners.stump import StumpFitter
from nacre.persistence import load_model, save_model
from tests.textbook.boosting import newton_raphson
from tests.training import noisy_problem

FITTED = noisy_problem(60, 3, flip=0.3)


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0])
def test_with_exact_steps_rows_weigh_as_under_adaboost(p):
    """All but the first vote are AdaBoost's before they are normalised."""
    X, y = FITTED.X, FITTED.y
    raw = Algorithm(step=RawHull(p, None), samme=False)
    model = BoostedClassifier(n_estimators=20, algorithm=raw).fit(X, y)
    steps = model._run.steps
    np.testing.assert_array_equal(steps.carry, 1.0)
    first = AdaBoostClassifier(n_estimators=1, variant="m1").fit(X, y)
    assert model.estimators_[0] == first.estimators_[0]
    odds = 0.5 * np.log(1 / model.estimator_errors_ - 1)
    np.testing.assert_allclose(steps.drive[1:], odds[1:])
    assert np.linalg.norm(model.estimator_weights_, p) == pytest.approx(1.0)


def test_early_votes_fade():
    algorithm = Algorithm(step=RawHull(0.5, None))
    run = boost(StumpFitter(FITTED, 255, 1), FITTED, algorithm, 200)
    assert run.votes[0] < 1e-20 < run.votes[-1]


@given(
    st.floats(1e-12, 10.0),
    st.floats(0.01, 0.49),
    st.integers(1, 1000),
    st.sampled_from([1e-2, 1e-3, 1e-6]),
)
def test_newton_steps(cost, error, iterations, tolerance):
    start = 0.5 / iterations
    found = newton_step((1 - error) * cost, error * cost, start, tolerance)
    s, u = cost * np.array([1 - error, error]), np.array([1.0, -1.0])
    assert found == pytest.approx(newton_raphson(s, np.zeros(2), u, iterations, tolerance))
    exact, least = 0.5 * np.log(1 / error - 1), 2 * cost * np.sqrt(error * (1 - error))
    slope = least * np.sinh(found - exact)
    if cost > 0.1 and tolerance < 1e-3 and iterations < 10:
        assert abs(slope) < tolerance
    if cost < tolerance:  # nothing to be searched for
        assert found == start


def test_going_on_and_files(tmp_path):
    X, y = FITTED.X, FITTED.y
    whole = BoostedClassifier(n_estimators=30, algorithm=Algorithm(step=RawHull(0.8))).fit(X, y)
    part = BoostedClassifier(
        n_estimators=12, algorithm=Algorithm(step=RawHull(0.8)), warm_start=True
    ).fit(X, y)
    again = part.set_params(n_estimators=30).fit(X, y)
    np.testing.assert_allclose(again.estimator_weights_, whole.estimator_weights_, rtol=1e-9)
    np.testing.assert_array_equal(again._run.steps.carry, 1.0)
    save_model(whole, tmp_path / "model.nacre")
    loaded, _ = load_model(tmp_path / "model.nacre")
    assert loaded.algorithm == whole.algorithm
    np.testing.assert_array_equal(loaded._run.steps.carry, whole._run.steps.carry)
    np.testing.assert_array_equal(loaded.predict(X), whole.predict(X))
