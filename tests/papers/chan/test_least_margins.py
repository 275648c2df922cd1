"""Least margins by two norms: against other solvers, and how they are judged."""

import numpy as np
import pytest
from scipy.optimize import minimize

from nacre import AdaBoostClassifier
from nacre.experiments.experiment import Cell
from nacre.papers.chan.least_margins import (
    LEAST,
    agreements,
    largest_margin,
    least,
    measure,
    vector_machine,
)
from tests.papers.made_up import agree, always, made_up


@pytest.fixture(scope="module")
def rows():
    X = np.random.default_rng(0).normal(size=(20, 3))
    y = np.where(X[:, 0] + X[:, 1] > 0, 1, -1)
    return X, y, agreements(X, y)


def test_all_stumps(rows):
    X, y, z = rows
    assert z.shape == (20, 3 * 19)
    above = X[:, 1] > np.sort(X[:, 1])[4:6].mean()
    np.testing.assert_array_equal(z[:, 19 + 4], np.where(above, 1, -1) * y)


def test_no_votes_have_larger_margins(rows):
    _, _, z = rows
    machine, most = vector_machine(z), largest_margin(z)
    rng = np.random.default_rng(1)
    for votes in (machine, *(machine + rng.normal(size=len(machine)) * s for s in (0.01, 0.1, 1))):
        assert least(z, votes, 1) <= most + 1e-9
        assert least(z, votes, 2) <= least(z, machine, 2) + 1e-6


def test_the_machine_by_another_solver(rows):
    """Least |v|^2 with all agreements z v of at least 1."""
    _, _, z = rows
    found = minimize(
        lambda v: v @ v, np.linalg.pinv(z) @ np.ones(len(z)), jac=lambda v: 2 * v, method="SLSQP",
        constraints={"type": "ineq", "fun": lambda v: z @ v - 1, "jac": lambda v: z},
    )  # fmt: skip
    assert least(z, vector_machine(z), 2) == pytest.approx(least(z, found.x, 2), rel=1e-4)


def test_what_is_recorded():
    cell = Cell("e", 1, {"columns": 2, "rounds": 300}, 0)
    record = measure(cell)
    rng = np.random.default_rng(cell.seed("columns"))
    X = rng.normal(size=(100, 2))
    y = np.where(X.sum(axis=1) > 0, 1, -1)
    model = AdaBoostClassifier(n_estimators=300).fit(X, y)
    assert record["boosted_1"] >= model.margins(X, y).min() - 1e-12  # opposite votes cancel
    assert record["boosted_1"] == pytest.approx(record["boosted_2"] * record["norms"])
    assert 0 < record["boosted_1"] <= record["largest_1"]
    assert record["machine_2"] >= record["boosted_2"]
    assert record["machine_1"] <= record["largest_1"]
    assert record["stumps"] <= record["all_stumps"] == 198


@pytest.mark.slow
def test_a_quick_run(quick):
    _, outcome = quick("chan-2-2")
    assert outcome.verdicts[0].word == "agree"


@pytest.mark.parametrize(
    ("norms", "boosted", "claims"),
    [
        ((2.0, 3.0), (0.05, 0.3), [True, True, True]),
        ((3.0, 2.0), (0.2, 0.3), [False, True, True]),
        ((2.0, 3.0), (0.06, 0.15), [True, False, False]),
    ],
)
def test_claims(norms, boosted, claims):
    entries = [
        ({"columns": d}, always(norms=a, boosted_1=b, machine_2=0.1, largest_1=c))
        for d, a, b, c in zip((2, 50), norms, boosted, (0.1, 0.4), strict=True)
    ]
    assert agree(LEAST, made_up(*entries)) == claims
