"""Core AdaBoost's undefined votes, and other steps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nacre import CoreBoostClassifier
from nacre.boost.step import Round, Rules
from nacre.experiments.experiment import Cell
from nacre.papers.weil.step_sequences import (
    DATA,
    MODELS_BY_NAME,
    STEPS,
    CorrectedHinge,
    PowerStep,
    core,
    draw_noisy,
)
from tests.papers.made_up import agree, always, made_up


def cell_of(model, data="sine"):
    return Cell("weil-4-1", 1, {"data": data, "model": model, "rounds": 8}, 0)


def test_power_one_is_the_stochastic_form():
    rows = draw_noisy(cell_of("1"))
    own, model = core(cell_of("1")), CoreBoostClassifier(core(cell_of("1")).estimator, 8)
    model.set_params(noise_rate=0.3, random_state=5)
    own.set_params(random_state=5)
    own.fit(rows.X, rows.y, **rows.fit)
    model.fit(rows.X, rows.y, **rows.fit)
    assert_allclose(own.estimator_weights_, model.estimator_weights_)
    assert np.array_equal(own.predict(rows.X_test), model.predict(rows.X_test))


def test_powers():
    now = Round(4, 0.4, 0.0, 0.0, 1.0, *np.zeros((3, 1)), None)
    votes = [PowerStep(power).take(now, np.empty(0), Rules(2, 9)).vote for power in (0.5, 1.0, 2.0)]
    assert votes == [0.5, 0.25, 0.0625]


@pytest.mark.parametrize("rate", [0.0, 0.3])
def test_the_corrected_hinge_is_unbiased(rate):
    """Over flips, the pull of a noisy row is that of the clean loss."""
    z = np.array([-2.0, -0.5, 0.5, 2.0])
    cost = CorrectedHinge().ready(0, np.full(4, rate))
    as_given, flipped = (np.exp(cost.log_pull(sign * z, 1.0)) for sign in (1, -1))
    assert_allclose((1 - rate) * as_given - rate * flipped, (z < 1).astype(float), atol=1e-12)


@pytest.mark.slow
def test_steps(quick):
    results, outcome = quick("weil-4-1")
    assert outcome.verdicts[0].word == "agree"
    for data in DATA:
        assert results.mean("rounds_run", data=data, model="deterministic") < 20
        for model in set(MODELS_BY_NAME) - {"deterministic"}:
            assert results.mean("rounds_run", data=data, model=model) == 20
            assert results.mean("error", data=data, model=model) < 0.45


@pytest.mark.parametrize(
    ("errors", "undefined", "claims"),
    [
        ({"1": 0.1, "2": 0.2, "deterministic": 0.3}, 1.0, [True, True, True]),
        ({"1": 0.3, "2": 0.2, "deterministic": 0.3}, 0.0, [False, False, False]),
    ],
)
def test_claims_on_steps(errors, undefined, claims):
    entries = [
        ({"data": data, "model": model}, always(error=error, undefined=undefined, rounds_run=3))
        for data in DATA
        for model, error in errors.items()
    ]
    assert agree(STEPS, made_up(*entries)) == claims
