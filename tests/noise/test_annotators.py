"""Dawid and Skene's model: E and M steps, priors, intervals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import dirichlet_multinomial

from nacre.data.answers import Answers
from nacre.noise.annotators import (
    HARDNESS,
    Crowd,
    Witness,
    common_matrix,
    count_answers,
    draw_rates,
    e_step,
    fit_crowd,
    log_votes,
    m_step,
    strength_of_prior,
)
from tests.textbook import annotators as textbook


def crowd_data(n, rates, n_classes=3, asked=0.7, seed=0):
    """Rows, true classes, and the answers of annotators who are wrong so often."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=n)
    J = len(rates)
    row, by = np.nonzero(rng.random((n, J)) < asked)
    wrong = rng.random(len(row)) < np.array(rates)[by]
    said = (truth[row] + wrong * rng.integers(1, n_classes, size=len(row))) % n_classes
    return truth, Answers(row, by, said, n, np.arange(J), np.arange(n_classes))


def classical(answers, posterior):
    """Dawid and Skene's own M step: no priors."""
    counts = count_answers(answers, posterior)
    matrices = counts / counts.sum(axis=2, keepdims=True)
    J, K = len(answers.annotators), len(answers.classes)
    shares = posterior.mean(axis=0)
    prior = np.broadcast_to(np.log(shares), posterior.shape)
    return Crowd(
        matrices, np.full((K, K), 1.0 / K), np.inf, np.ones((J, K)), prior, matrices, shares,
        shares, (0.0, 0.0, 0.0), 0.0,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of crowd-kit, about pandas
def test_without_priors_the_steps_are_crowd_kits():
    kit = pytest.importorskip("crowdkit.aggregation")
    pd = pytest.importorskip("pandas")
    _, answers = crowd_data(120, [0.1, 0.2, 0.4, 0.3])
    table = pd.DataFrame({"task": answers.row, "worker": answers.by, "label": answers.said})
    theirs = kit.DawidSkene(n_iter=30, tol=0.0).fit(table)
    posterior = answers.votes / np.maximum(answers.votes.sum(axis=1, keepdims=True), 1)
    for _ in range(30):
        posterior = e_step(answers, classical(answers, posterior))
    rows = theirs.probas_.index.to_numpy()
    assert np.allclose(posterior[rows], theirs.probas_[[0, 1, 2]], atol=1e-3)


@pytest.mark.parametrize("hardness", [2.0, 8.0, np.inf])
def test_e_step_is_the_textbooks(hardness):
    _, answers = crowd_data(25, [0.1, 0.3, 0.4], asked=0.8)
    witness = np.random.default_rng(1).dirichlet(np.ones(3), 25)
    posterior, crowd = fit_crowd(answers, Witness(np.log(witness), fixed=True))
    crowd = crowd._replace(hardness=hardness)
    triples = list(zip(answers.row, answers.by, answers.said, strict=True))
    naive = textbook.posterior(
        triples, np.exp(crowd.prior), crowd.matrices, crowd.common, crowd.focus, hardness
    )
    assert np.allclose(e_step(answers, crowd), naive)
    again = m_step(answers, posterior, Witness(np.log(witness), fixed=True))
    for j in range(3):
        own = textbook.matrix_of(j, triples, posterior, again.centres[j], again.strength[1])
        assert np.allclose(again.matrices[j], own)


@given(st.lists(st.integers(0, 4), min_size=3, max_size=3), st.sampled_from(HARDNESS[:-1].tolist()))
@settings(max_examples=30, deadline=None)
def test_votes_are_dirichlet_multinomial(votes, hardness):
    """But for the number of orders in which the same votes may come."""
    common = common_matrix(np.array([[8.0, 1.0, 1.0], [2.0, 6.0, 2.0], [0.0, 1.0, 4.0]]))
    found = log_votes(np.array([votes]), common, hardness)[0]
    some = sum(votes) > 0  # of none, older versions of SciPy have no distribution
    theirs = np.array(
        [
            dirichlet_multinomial.logpmf(votes, hardness * line, sum(votes)) if some else 0.0
            for line in common
        ]
    )
    assert np.allclose(found - found[0], theirs - theirs[0])


def test_strength_is_that_of_the_data():
    """Annotators that are alike are taken for alike; those that differ much are not."""
    rng = np.random.default_rng(0)
    mean = np.array([0.2, 0.8])
    alike = rng.multinomial(50, mean, size=40)
    unlike = np.array([rng.multinomial(50, one) for one in rng.dirichlet(5 * mean, 40)])
    assert strength_of_prior(alike, np.broadcast_to(mean, (40, 2)))[0] >= 300
    strength, gain = strength_of_prior(unlike, np.broadcast_to(mean, (40, 2)))
    assert 2 <= strength <= 20
    assert gain > 10


def test_posteriors_are_probabilities_and_annotators_may_change_places():
    _, answers = crowd_data(80, [0.1, 0.2, 0.45])
    posterior, crowd = fit_crowd(answers, Witness(None))
    assert np.allclose(posterior.sum(axis=1), 1.0)
    assert np.allclose(crowd.matrices.sum(axis=2), 1.0, atol=1e-4)
    other = Answers(
        answers.row, np.array([2, 0, 1])[answers.by], answers.said, 80, answers.annotators,
        answers.classes,
    )  # fmt: skip
    assert np.allclose(fit_crowd(other, Witness(None))[0], posterior, atol=1e-6)


def test_known_rows_stay_known():
    truth, answers = crowd_data(60, [0.4, 0.4, 0.4])
    known = np.where(np.arange(60) < 20, truth, -1)
    posterior, _ = fit_crowd(answers, Witness(None), known)
    assert np.array_equal(posterior[:20], np.eye(3)[truth[:20]])


@pytest.mark.slow
def test_intervals_of_annotators_hold():
    """Of 40, 95 % hold how often annotators were wrong, and most how often they would be."""
    rates = np.array([0.05, 0.1, 0.1, 0.2, 0.35])
    been, would = [], []
    for seed in range(8):
        truth, answers = crowd_data(150, rates, asked=0.6, seed=seed)
        posterior, crowd = fit_crowd(answers, Witness(None))
        consensus = posterior.argmax(axis=1)
        draws, _ = draw_rates(answers, crowd, posterior, consensus, np.ones(150, bool))
        low, high = np.quantile(draws, [0.025, 0.975], axis=0)
        low, high = low.min(axis=0), high.max(axis=0)
        wrong = np.bincount(answers.by, answers.said != truth[answers.row]) / answers.by_annotator
        been.append((low <= wrong) & (wrong <= high))
        would.append((low <= rates) & (rates <= high))
    assert np.mean(been) >= 0.95
    assert np.mean(would) >= 0.85
