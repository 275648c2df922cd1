"""The number of rounds: the hat matrix, the criteria, how they are judged."""

import numpy as np
import pytest

from nacre import L2BoostClassifier
from nacre.papers.chan.choice_of_rounds import (
    CHOICES,
    CHOOSING,
    criteria,
    degrees_of_freedom,
)
from tests.papers.made_up import agree, made_up


@pytest.fixture(scope="module")
def run():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = np.where(X[:, 0] + rng.normal(size=40) > 0, 1.0, -1.0)
    model = L2BoostClassifier(n_estimators=30, learning_rate=0.3).fit(X, y)
    return y, np.array(list(model.staged_decision_function(X)))


def hat_matrix(y, scores, rate):
    """H such that the scores are H y, by the definition: H + rate S (I - H)."""
    H = np.zeros((len(y), len(y)))
    for before, after in zip([np.zeros(len(y)), *scores], scores, strict=False):
        step = after - before
        same = np.abs(step[:, None] - step) < 1e-9
        H = H + rate * (same / same.sum(axis=1, keepdims=True)) @ (np.eye(len(y)) - H)
        yield H


def test_scores_are_labels_times_the_hat_matrix(run):
    y, scores = run
    hats = list(hat_matrix(y, scores, 0.3))
    np.testing.assert_allclose([H @ y for H in hats], scores, atol=1e-9)
    np.testing.assert_allclose(degrees_of_freedom(scores, 0.3), [np.trace(H) for H in hats])


def test_criteria(run):
    y, scores = run
    found, n = criteria(y, scores, 0.3), len(y)
    used = degrees_of_freedom(scores, 0.3)
    assert np.all(np.diff(used) > 0)
    variance = np.log(np.mean((y - scores[4]) ** 2))
    assert found["bic"][4] == pytest.approx(variance + np.log(n) * used[4] / n)
    corrected = (1 + used[4] / n) / (1 - (used[4] + 2) / n)
    assert found["aic"][4] == pytest.approx(variance + corrected)
    assert found["bic"].argmin() <= found["aic"].argmin()


@pytest.mark.slow
def test_a_quick_run(quick):
    results, outcome = quick("chan-rounds")
    assert len(outcome.table) == 6 * len(CHOICES)
    for setting in results.where():
        best = results.get("error_best", **setting)
        for name in ("all", "aic", "bic"):
            assert np.all(best <= results.get(f"error_{name}", **setting))


@pytest.mark.parametrize(
    ("all_rounds", "held_out", "criterion", "claims"),
    [
        (0.3, 0.2, 0.1, [True] * 5),
        (0.3, 0.1, 0.2, [True, True, True, False, False]),
        (0.1, 0.1, 0.1, [False, False, False, True, True]),
        (0.1, 0.2, 0.3, [False] * 5),
    ],
)
def test_claims(all_rounds, held_out, criterion, claims):
    errors = {"all": all_rounds, "held_out": held_out, "aic": criterion, "bic": criterion}
    numbers = {f"error_{name}": [one, one + 0.001, one] for name, one in errors.items()}
    assert agree(CHOOSING, made_up(({"data": "ring", "noise": 0.2}, numbers))) == claims
