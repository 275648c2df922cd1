"""Hypotheses on noise: gradients, what numbers mean, evidence."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.linalg import block_diag
from scipy.optimize import approx_fprime
from scipy.special import expit, logit, logsumexp

from nacre.noise.hypothesis import (
    FEW,
    ROWS,
    SHIFTS,
    SLOPES,
    STEEP,
    UNLIKE,
    Evidence,
    Hypothesis,
    hypotheses,
)
from nacre.noise.noise_model import RATES, STEEPNESS, symmetric_losses
from nacre.noise.quality import symmetric_matrix

FLOW = np.array([[0.0, 0.3, 0.7], [0.5, 0.0, 0.5], [0.9, 0.1, 0.0]])
FORMS = {
    "one rate": Hypothesis(3, False),
    "by class": Hypothesis(3, True),
    "by class, flow fixed": Hypothesis(3, True, FLOW),
}


def evidence_of(seed, K=3, n=50):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, K))
    scores -= scores.mean(axis=1, keepdims=True)
    kind = rng.choice(3, n, p=[0.6, 0.2, 0.2])  # labelled, of known class, or both
    labels = np.where(kind == 1, -1, rng.integers(0, K, n))
    known = np.where(kind == 0, -1, rng.integers(0, K, n))
    return Evidence(scores, labels, known, rng.random(n))


def some_numbers(hypothesis, seed=0):
    return np.random.default_rng(seed).normal(size=hypothesis.size)


@pytest.mark.parametrize("form", FORMS)
@given(seed=st.integers(0, 999), base=st.sampled_from([0.003, 0.2, 0.48]))
def test_the_gradient(form, seed, base):
    hypothesis, evidence = FORMS[form], evidence_of(seed)
    numbers = some_numbers(hypothesis, seed)
    slope = approx_fprime(numbers, lambda v: hypothesis.loss(v, base, evidence)[0], 1e-7)
    assert_allclose(hypothesis.loss(numbers, base, evidence)[1], slope, atol=2e-4)


@pytest.mark.parametrize("form", FORMS)
@given(seed=st.integers(0, 999), base=st.sampled_from([0.003, 0.2, 0.48]))
def test_gradients_of_rows_add_up(form, seed, base):
    hypothesis, evidence = FORMS[form], evidence_of(seed)
    numbers = some_numbers(hypothesis, seed)
    rows = hypothesis._gradients(numbers, base, evidence) * np.sqrt(evidence.weight)[:, None]
    expected = hypothesis.loss(numbers, base, evidence)[1] - numbers
    assert_allclose(rows.sum(axis=0), expected, atol=1e-8)


@pytest.mark.parametrize("at_once", [2**20, 40])
@pytest.mark.parametrize("form", FORMS)
def test_the_curvature(form, at_once, monkeypatch):
    monkeypatch.setattr("nacre.noise.hypothesis.AT_ONCE", at_once)
    hypothesis, evidence = FORMS[form], evidence_of(3)
    numbers = some_numbers(hypothesis)
    rows = hypothesis._gradients(numbers, 0.2, evidence)
    information = np.eye(hypothesis.size) + rows.T @ rows
    half_volume, spread = hypothesis._curvature(numbers, 0.2, evidence)
    assert_allclose(half_volume, 0.5 * np.linalg.slogdet(information)[1])
    variances = np.linalg.inv(information)[0]
    assert_allclose(spread, variances / np.sqrt(variances[0]))


def test_of_many_classes_information_is_by_class(monkeypatch):
    monkeypatch.setattr("nacre.noise.hypothesis.MANY", 2)
    monkeypatch.setattr("nacre.noise.hypothesis.AT_ONCE", 40)
    hypothesis, evidence = FORMS["by class, flow fixed"], evidence_of(3)
    numbers = some_numbers(hypothesis)
    rows = hypothesis._gradients(numbers, 0.2, evidence)
    of_class = np.array([-1, 0, 1, 2, 0, 1, 2, 0, 1, 2])  # the first is the steepness
    information = np.eye(10) + (rows.T @ rows) * (of_class[:, None] == of_class)
    half_volume, spread = hypothesis._curvature(numbers, 0.2, evidence)
    assert_allclose(half_volume, 0.5 * np.linalg.slogdet(information)[1])
    assert_allclose(spread, np.eye(10)[0] / np.sqrt(information[0, 0]))


def test_how_many_numbers():
    assert [one.size for one in FORMS.values()] == [7, 16, 10]


def test_what_numbers_mean():
    """By hand, for two classes: what is the same for all classes means nothing."""
    numbers = np.array([0.5, 3.0, 1.0, 1.0, 0.0, 2.0, 1.0, 0.3, -5.0])
    steep, slopes, shift, matrix = Hypothesis(2, True).meaning(numbers, 0.2)
    assert_allclose(steep, np.exp(STEEP[0] + 0.5 * STEEP[1]))
    assert_allclose(slopes, np.exp([SLOPES, -SLOPES]))
    assert_allclose(shift, [0.5 * SHIFTS, -0.5 * SHIFTS])
    wrong = expit(logit(0.2) + UNLIKE * np.array([0.5, -0.5]))
    assert_allclose(matrix, [[1 - wrong[0], wrong[0]], [wrong[1], 1 - wrong[1]]])
    *same, matrix = Hypothesis(2, False).meaning(numbers, 0.2)
    assert same[0] == steep
    assert all(map(np.array_equal, same[1:], (slopes, shift)))
    assert np.array_equal(matrix, symmetric_matrix(0.2, 2))


@pytest.mark.parametrize("form", FORMS)
def test_at_0_all_classes_have_the_base_rate(form):
    hypothesis = FORMS[form]
    matrix = hypothesis.meaning(np.zeros(hypothesis.size), 0.3).matrix
    assert_allclose(matrix.diagonal(), 0.7)
    assert_allclose(matrix.sum(axis=1), 1.0)
    if hypothesis.flow is None:
        assert_allclose(matrix, symmetric_matrix(0.3, 3))
    else:
        assert_allclose(matrix - 0.7 * np.eye(3), 0.3 * FLOW)


def test_where_flips_go():
    numbers = np.zeros(16)
    numbers[10:12] = np.log(3.0) / UNLIKE, 0.0  # from the first class to the second, the third
    matrix = Hypothesis(3, True).meaning(numbers, 0.2).matrix
    assert_allclose(matrix, [[0.8, 0.15, 0.05], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])


def test_the_loss_by_hand():
    """Two classes, a row of each kind, all numbers as expected beforehand."""
    scores = np.array([[1.0, -1.0], [-0.5, 0.5]])
    scores = scores[[0, 1, 1]]
    evidence = Evidence(scores, np.array([1, -1, 0]), np.array([-1, 1, 1]), np.ones(3))
    p = expit(2 * np.exp(STEEP[0]) * np.array([1.0, -0.5]))  # of class 0
    expected = -np.log(0.1 * p[0] + 0.9 * (1 - p[0])) - np.log(1 - p[1])
    expected -= np.log(0.1 * (1 - p[1]))  # labelled 0, and of class 1
    for by_class in (False, True):
        hypothesis = Hypothesis(2, by_class)
        assert_allclose(hypothesis.loss(np.zeros(hypothesis.size), 0.1, evidence)[0], expected)
        loss = hypothesis.loss(np.eye(hypothesis.size)[0] * 1e-9, 0.1, evidence)[0]
        assert_allclose(loss, expected, rtol=1e-6)


def test_one_rate_is_the_symmetric_model():
    """Where classes are alike, the losses are those of inverse temperatures and rates alone."""
    evidence = evidence_of(1, n=40)
    evidence = evidence._replace(given=np.where(evidence.known < 0, evidence.given, -1))
    clean = evidence.known >= 0
    labels = np.where(clean, evidence.known, evidence.given)
    losses = symmetric_losses(evidence.scores, labels, clean, evidence.weight)
    for (a, steep), (e, rate) in product(enumerate(STEEPNESS), enumerate(RATES)):
        numbers = np.zeros(7)
        numbers[0] = (np.log(steep) - STEEP[0]) / STEEP[1]
        found = Hypothesis(3, False).loss(numbers, rate, evidence)[0]
        assert_allclose(losses[a, e] + numbers[0] ** 2 / 2, found, rtol=1e-6)


def test_weights_count_rows():
    evidence = evidence_of(2)
    times = np.random.default_rng(0).integers(1, 3, 50)
    rows = np.repeat(np.arange(50), times)
    repeated = Evidence(*(one[rows] for one in evidence))._replace(weight=np.ones(len(rows)))
    weighted = evidence._replace(weight=times * 1.0)
    for hypothesis in FORMS.values():
        one, two = (hypothesis.fit(0.1, some) for some in (weighted, repeated))
        assert_allclose(one.loss, two.loss, rtol=1e-6)
        assert_allclose(one.numbers, two.numbers, atol=1e-3)
        assert_allclose(one.spread, two.spread, atol=1e-3)


@pytest.mark.parametrize("form", FORMS)
def test_the_best_numbers(form):
    """Nothing near by is better; the spread is that of the steepness, others going along."""
    hypothesis, evidence = FORMS[form], evidence_of(3, n=200)
    found = hypothesis.fit(0.1, evidence)
    least = hypothesis.loss(found.numbers, 0.1, evidence)[0]
    rng = np.random.default_rng(0)
    for step in rng.normal(size=(50, hypothesis.size)):
        assert hypothesis.loss(found.numbers + 0.3 * step, 0.1, evidence)[0] > least
    assert 0.0 < found.spread[0] <= 1.0
    rows = hypothesis._gradients(found.numbers, 0.1, evidence)
    covariance = np.linalg.inv(np.eye(hypothesis.size) + rows.T @ rows)
    assert_allclose(found.spread[0], np.sqrt(covariance[0, 0]))
    assert_allclose(found.spread, covariance[0] / found.spread[0])


@pytest.mark.parametrize("base", [0.05, 0.2])
def test_the_evidence_against_an_integral(base):
    """Of two classes and one rate three numbers matter: steepness, and differences."""
    rng = np.random.default_rng(4)
    margin = rng.normal(size=300)
    labels = (rng.random(300) < 0.8 * expit(3 * margin) + 0.1).astype(int)
    scores = np.column_stack([-margin, margin])
    evidence = Evidence(scores, labels, np.full(300, -1), np.ones(300))
    hypothesis = Hypothesis(2, False)
    found = hypothesis.fit(base, evidence)
    apart = np.array([[1.0, -1.0]]) / np.sqrt(2.0)
    basis = block_diag(1.0, apart, apart)
    rows = hypothesis._gradients(found.numbers, base, evidence) @ basis.T
    spread = np.linalg.cholesky(np.linalg.inv(np.eye(3) + rows.T @ rows))
    grid = np.arange(-4.0, 4.01, 0.8)
    logs = [
        -hypothesis.loss(found.numbers + spread @ point @ basis, base, evidence)[0]
        for point in product(grid, grid, grid)
    ]
    volume = np.log(np.linalg.det(0.8 * spread)) - 1.5 * np.log(2.0 * np.pi)
    assert_allclose(found.loss, -logsumexp(logs) - volume, atol=0.5)


@pytest.mark.parametrize("told", [True, False])
def test_where_flips_go_is_learned_where_scores_tell_most_labels_and_rows_are_enough(told):
    def flow(n, K):
        labels = np.arange(n) % K
        wrong = labels + 1 + (np.arange(n) < n / 2)
        scores = np.eye(K)[labels if told else wrong % K]
        one_rate, by_class = hypotheses(Evidence(scores, labels, np.full(n, -1), np.ones(n)))
        assert (one_rate.by_class, by_class.by_class) == (False, True)
        assert one_rate.flow is None
        return by_class.flow

    for n, K in ((ROWS * 6, 3), (ROWS * FEW * (FEW - 1), FEW)):
        assert told == (flow(n, K) is None)
    for n, K in ((ROWS * 6 - 1, 3), (9000, FEW + 1), (90, 2)):
        assert_allclose(flow(n, K), symmetric_matrix(1.0, K))


def test_rows_of_no_weight_and_checks_do_not_change_where_flips_go():
    """The evidence with and without what was checked must be of one model."""
    labels, weight = np.arange(80) % 3, (np.arange(80) % 7 > 0) * 1.0
    wrong = np.where(np.arange(80) % 4 > 0, (labels + 1) % 3, -1)  # says who checked
    evidence = Evidence(np.eye(3)[labels], labels, wrong, weight)
    some = Evidence(*(one[weight > 0] for one in evidence))
    unchecked = evidence._replace(known=np.full(80, -1))
    assert [hypotheses(one)[1].flow for one in (evidence, some, unchecked)] == [None, None, None]
    few = evidence._replace(weight=(np.arange(80) < 20) * 1.0)
    assert hypotheses(few)[1].flow is not None
