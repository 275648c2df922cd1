r"""Dawid and Skene's model of annotators, with a classifier as one more witness.

Rows are i, annotators j, classes k (true) and l (said). The symbols of the formulas:

- :math:`a_{ij}` the answer of an annotator on a row, where there is one; :math:`v_i(l)` how many
  have said l of it;
- :math:`q_i(k)` the posterior of the true class: ``posterior``;
- :math:`p_i(k)` its prior, by a model that has not seen the row, or the classes' shares;
- :math:`T_j(k, l)` the noise matrix of an annotator: how often l is said where k is true;
  :math:`T_0` that of all annotators together;
- :math:`r_j(k)` the share of class k among the rows that an annotator answers, :math:`\pi(k)`
  among all: labelling functions and specialists choose their rows, and the choice tells;
- :math:`g` how unlike rows are: some are hard for everybody, so that answers go wrong together.

E step: :math:`q_i(k) \propto p_i(k)\, \mathrm{DM}(v_i; g\, T_0(k)) \prod_j r_j(k) / \pi(k) \,
T_j(k, a_{ij}) / T_0(k, a_{ij})`, with DM the Dirichlet-multinomial distribution: it
makes five who agree on a row less sure than five rows would (:math:`g = \infty`: as sure).

M step: expected counts, shrunk. Each annotator's matrix has a Dirichlet prior about the common one,
moved to the annotator's own rate; the rates have a beta prior about the common rate, the
:math:`r_j` a Dirichlet prior about :math:`\pi`. How strong each prior is, the counts say (empirical
Bayes).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, gammaln, log_softmax, logit, logsumexp, softmax

from nacre.data.answers import Answers
from nacre.noise.quality import LEVEL, MOST

STRENGTHS = np.array([2, 5, 10, 20, 50, 100, 300, 1e3, 1e4, 1e6])
"""Answers that a prior may be worth: the last makes all annotators alike."""

HARDNESS = np.array([2, 3, 5, 8, 12, 20, 40, 100, np.inf])
"""How alike rows may be: at the last, none is harder than others of its class."""

SHARPER = 0.5
"""Prior deviation of the log of the witness's inverse temperature."""

LEAST = 1e-6
"""Smaller chances of an answer count as this."""

STEPS, SETTLED = 100, 1e-4
"""Steps of EM, at most; it ends where no posterior changes by more."""

WEAK = 2.0
"""Answers that the prior of a rate is worth in intervals: these must hold for annotators unlike."""

DRAWS, BURN_IN = 200, 20
"""Gibbs samples that intervals are made of, and those passed over."""


RATES = np.geomspace(1e-4, MOST, 100)
"""How often all annotators together may be wrong."""

SHARED = 0.5
"""Mistakes that annotators may share, beside each that they do not: no answer shows them."""

SOLE = 0.8
"""The share of a class's answers from which on one annotator is all that is known of it."""


class Crowd(NamedTuple):
    """What the M step finds."""

    matrices: np.ndarray  # T_j(k, l): (J, K, K)
    common: np.ndarray  # T_0(k, l)
    hardness: float  # g
    focus: np.ndarray  # r_j(k) / pi(k): (J, K)
    prior: np.ndarray  # log p_i(k): (n, K)
    centres: np.ndarray  # where the matrices are shrunk to: (J, K, K)
    rates: np.ndarray  # where the annotators' rates of wrong answers are shrunk to: (J,)
    shares: np.ndarray  # pi(k)
    strength: tuple[float, float, float]  # of the priors of rates, matrices and shares
    unlike: float  # log-likelihood that annotators gain by being unlike


class Witness:
    """The prior of the true classes: a model's probabilities, calibrated, or the classes' shares.

    Parameters
    ----------
    logs : array of shape (n, K) or None
        Log-probabilities by a model that has not seen the rows.
    fixed : bool
        Whether they are calibrated already.
    """

    def __init__(self, logs: np.ndarray | None, fixed: bool = False) -> None:
        self.logs, self.fixed = logs, fixed
        self._numbers: np.ndarray | None = None

    def prior(self, posterior: np.ndarray) -> np.ndarray:
        """The log prior that fits a posterior best."""
        n, K = posterior.shape
        if self.logs is None:
            shares = (posterior.sum(axis=0) + 1.0) / (n + K)
            return np.broadcast_to(np.log(shares), (n, K))
        if self.fixed:
            return self.logs
        start = np.zeros(1 + K) if self._numbers is None else self._numbers
        found = minimize(
            self._loss, start, posterior, jac=True, method="L-BFGS-B",
            bounds=[(-3, 3)] * (1 + K), options={"maxiter": 5},  # it goes on in the next step
        )  # fmt: skip
        self._numbers = found.x
        return np.asarray(log_softmax(np.exp(found.x[0]) * self.logs + found.x[1:], axis=1))

    def _loss(self, numbers: np.ndarray, posterior: np.ndarray) -> tuple[float, np.ndarray]:
        """Cross-entropy of softmax(a s + c), with normal priors of log a and c; its gradient."""
        assert self.logs is not None
        steep, shift = np.exp(numbers[0]), numbers[1:]
        logs = log_softmax(steep * self.logs + shift, axis=1)
        off = np.exp(logs) - posterior
        own = np.append(numbers[0] / SHARPER**2, shift)
        gradient = own + np.append(steep * (off * self.logs).sum(), off.sum(axis=0))
        return float(0.5 * own @ numbers - (posterior * logs).sum()), gradient


def e_step(answers: Answers, crowd: Crowd) -> np.ndarray:
    """The posterior of the true class of each row: (n, K)."""
    # Logs: a product of many small chances would be 0.
    unlike = np.log(crowd.matrices / crowd.common) + np.log(crowd.focus)[:, :, None]
    out = crowd.prior + log_votes(answers.votes, crowd.common, crowd.hardness)
    for k in range(len(crowd.common)):
        logs = unlike[answers.by, k, answers.said]
        out[:, k] += np.bincount(answers.row, logs, answers.n_rows)
    return np.asarray(softmax(out, axis=1))


def m_step(answers: Answers, posterior: np.ndarray, witness: Witness) -> Crowd:
    """The annotators' matrices and the prior that fit a posterior best."""
    counts = count_answers(answers, posterior)
    common = common_matrix(counts.sum(axis=0))
    rates, share, by_rate, gain = _rates(counts, common)
    centres = _centres(common, rates, share)
    by_matrix, gained = strength_of_prior(counts, centres)
    hardness = np.inf
    if witness.logs is not None:  # answers alone do not tell a hard row from one of another class
        several = answers.votes.sum(axis=1) > 1
        votes, true = answers.votes[several], posterior[several]
        likely = [np.sum(true * log_votes(votes, common, hard)) for hard in HARDNESS]
        hardness = float(HARDNESS[np.argmax(likely)])
    shares = (posterior.sum(axis=0) + 1.0) / (len(posterior) + len(common))
    seen = counts.sum(axis=2)
    by_share, _ = strength_of_prior(seen, np.broadcast_to(shares, seen.shape))
    return Crowd(
        _shrunk(counts, centres, by_matrix),
        common,
        hardness,
        _shrunk(seen, shares, by_share) / shares,
        witness.prior(posterior),
        centres,
        rates,
        shares,
        (by_rate, by_matrix, by_share),
        gain + gained,
    )


def fit_crowd(
    answers: Answers, witness: Witness, known: np.ndarray | None = None
) -> tuple[np.ndarray, Crowd]:
    """Expectation maximisation: the posterior of each row's true class, and the annotators.

    ``known`` has the class of rows whose truth is known, -1 for others.
    """
    K = len(answers.classes)
    votes = answers.votes
    begin = 1.0 / K if witness.logs is None else softmax(witness.logs, axis=1)
    posterior = (votes + begin) / (votes.sum(axis=1, keepdims=True) + 1.0)
    sure = np.zeros(len(votes), bool) if known is None else known >= 0
    truth = np.eye(K)[known[sure]] if known is not None else np.empty((0, K))
    posterior[sure] = truth
    for _ in range(STEPS):
        crowd = m_step(answers, posterior, witness)
        before, posterior = posterior, e_step(answers, crowd)
        posterior[sure] = truth
        if np.abs(posterior - before).max() < SETTLED:
            break
    return posterior, crowd


def draw_rates(
    answers: Answers,
    crowd: Crowd,
    posterior: np.ndarray,
    consensus: np.ndarray,
    judged: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Gibbs samples of how often annotators are wrong, and of the share of wrong consensus labels.

    True classes, matrices and shares are drawn in turn, so that what is not known of one is not
    taken for known by the others. Returns arrays of shapes (draws, 2, J) and (draws,): how often
    annotators have been wrong on these rows, and how often they would be on others; the share is of
    the rows that ``judged`` says.
    """
    rng = np.random.default_rng(0)
    sure = posterior.max(axis=1) == 1.0
    total, (_, by_matrix, by_share) = answers.by_annotator, crowd.strength
    rates, wrong = [], []
    chances = posterior
    for draw in range(DRAWS + BURN_IN):
        true = (rng.random((len(chances), 1)) > chances.cumsum(axis=1)[:, :-1]).sum(axis=1)
        counts = count_answers(answers, np.eye(chances.shape[1])[true])
        matrices = rng.standard_gamma(by_matrix * crowd.centres + counts) + LEAST
        shares = rng.standard_gamma(by_share * crowd.shares + counts.sum(axis=2)) + LEAST
        drawn = crowd._replace(
            matrices=matrices / matrices.sum(axis=2, keepdims=True),
            focus=shares / shares.sum(axis=1, keepdims=True) / crowd.shares,
        )
        chances = np.where(sure[:, None], posterior, e_step(answers, drawn))
        if draw >= BURN_IN:
            right = np.einsum("jkk->j", counts)
            prior = WEAK * crowd.rates, WEAK * (1.0 - crowd.rates)
            been = (total - right) / np.maximum(total, 1)
            rates.append([been, rng.beta(prior[0] + total - right, prior[1] + right)])
            wrong.append(np.mean((true != consensus)[judged]) if judged.any() else 0.0)
    return np.array(rates), np.array(wrong)


def left_open(
    answers: Answers,
    posterior: np.ndarray,
    consensus: np.ndarray,
    judged: np.ndarray,
) -> np.ndarray:
    """How far few rows of several answers leave open how often answers are wrong.

    Without a witness only these tell, and rows that are known; the Gibbs samples take what all
    annotators have in common as found. If all were alike, with a uniform prior of their rate of
    wrong answers: by how much the ends of its 95 % interval lie below and above its mean, and what
    that comes to in the share of wrong consensus labels of the rows that ``judged`` says. Returns
    an array of shape (2, 2): for answers and for the consensus, an end each.
    """
    votes, K = answers.votes, posterior.shape[1]
    known = posterior.max(axis=1, keepdims=True) == 1.0
    shares = np.where(known, posterior == 1.0, (posterior.sum(axis=0) + 1.0) / (len(votes) + K))
    tells = (votes.sum(axis=1) > 1) | (known[:, 0] & votes.any(axis=1))
    cases, count = np.unique(np.hstack([votes, shares])[tells], axis=0, return_counts=True)
    with np.errstate(divide="ignore"):  # what is known rules out the other classes
        prior = np.log(cases[:, K:])
    likely = np.array(
        [
            count @ logsumexp(prior + log_votes(cases[:, :K], _alike(rate, K), np.inf), axis=1)
            for rate in RATES
        ]
    )
    mass = softmax(likely + np.log(RATES))  # they are spaced by their logs
    tail = 0.5 - LEVEL / 2
    ends = np.interp([tail, 1.0 - tail], mass.cumsum(), RATES)
    mean = mass @ RATES
    own, rows = shares[judged], np.arange(int(judged.sum()))
    wrong = []
    for rate in (mean, *ends):
        logs = log_votes(votes[judged], _alike(rate, K), np.inf)
        true = own * softmax(logs, axis=1)
        true /= true.sum(axis=1, keepdims=True)
        wrong.append(1.0 - true[rows, consensus[judged]].mean() if len(rows) else 0.0)
    return np.array([ends - mean, np.array(wrong[1:]) - wrong[0]])


class Unseen(NamedTuple):
    """What answers cannot show."""

    shared: float  # the share of rows that may mislead everybody
    lonely: np.ndarray  # which answers nobody else could vouch for


def unseen(answers: Answers, wrong: np.ndarray, known: np.ndarray) -> Unseen:
    """How much answers leave open, whatever the model of annotators.

    Mistakes that all make alike look like truth. There may be half as many of them as of others,
    which is an assumption: nothing but checked rows can tell. And where an annotator is the only
    one to answer a row, with a class that hardly anybody else ever says (a keyword function), both
    the answer and what a model knows of the class come from one source: such answers may be right
    or wrong (worst-case bounds [1]_).

    Parameters
    ----------
    answers : Answers
    wrong : array, the probability that each is wrong
    known : boolean array, rows whose truth is known

    References
    ----------
    .. [1] C. Manski, "Partial identification of probability distributions", Springer, 2003.
    """
    J, K = len(answers.annotators), len(answers.classes)
    open_ = ~known[answers.row]
    counts = np.bincount(answers.by * K + answers.said, minlength=J * K).reshape(J, K)
    sole = counts > SOLE * counts.sum(axis=0)
    alone = answers.votes.sum(axis=1)[answers.row] == 1
    shared = SHARED * float(wrong[open_].mean()) if open_.any() else 0.0
    return Unseen(shared, open_ & alone & sole[answers.by, answers.said])


def count_answers(answers: Answers, posterior: np.ndarray) -> np.ndarray:
    """Expected answers by annotator, true class and what was said: (J, K, K)."""
    J, K = len(answers.annotators), len(answers.classes)
    out = np.empty((J, K, K))
    place = answers.by * K + answers.said
    for k in range(K):
        out[:, k] = np.bincount(place, posterior[answers.row, k], J * K).reshape(J, K)
    return out


def log_votes(votes: np.ndarray, common: np.ndarray, hardness: float) -> np.ndarray:
    """The log-likelihood of a row's votes by true class, (n, K): Dirichlet-multinomial."""
    total = votes.sum(axis=1)
    out = np.zeros(votes.shape)
    for before in range(int(total.max(initial=0))):
        already = before / hardness
        out += (votes > before) @ np.log(common + already).T
        out -= np.where(total > before, np.log1p(already), 0.0)[:, None]
    return out


def common_matrix(counts: np.ndarray) -> np.ndarray:
    """The matrix of all annotators together, shrunk to symmetric noise by a few answers a class."""
    K = len(counts)
    right = (counts.trace() + 1.0) / (counts.sum() + 2.0)
    alike = _alike(1.0 - right, K)
    out: np.ndarray = (counts + K * alike) / (counts.sum(axis=1, keepdims=True) + K)
    return out


def _alike(wrong: float, K: int) -> np.ndarray:
    """The matrix of symmetric noise."""
    out = np.full((K, K), wrong / (K - 1))
    np.fill_diagonal(out, 1.0 - wrong)
    return out


def strength_of_prior(counts: np.ndarray, mean: np.ndarray) -> tuple[float, float]:
    """How many counts a Dirichlet prior about ``mean`` is worth: the likeliest of ``STRENGTHS``.

    By the Dirichlet-multinomial likelihood of the counts, over the last axis. Also returned is by
    how much the log-likelihood is higher than if all were alike.
    """
    logs = []
    for strength in STRENGTHS:
        prior = strength * mean
        own = gammaln(prior + counts) - gammaln(prior)
        whole = gammaln(prior.sum(axis=-1)) - gammaln(prior.sum(axis=-1) + counts.sum(axis=-1))
        logs.append(own.sum() + whole.sum())
    best = int(np.argmax(logs))
    return float(STRENGTHS[best]), float(logs[best] - logs[-1])


def _shrunk(counts: np.ndarray, mean: np.ndarray, strength: float) -> np.ndarray:
    """The posterior mean under a Dirichlet prior, over the last axis."""
    out: np.ndarray = (counts + strength * mean) / (counts.sum(axis=-1, keepdims=True) + strength)
    return out


def _rates(counts: np.ndarray, common: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, float]:
    """How often each annotator is wrong by the common matrix, and in fact, shrunk to that.

    Also the strength of the prior, and the log-likelihood gained over annotators that are alike.
    """
    total, right = counts.sum(axis=(1, 2)), np.einsum("jkk->j", counts)
    expected = counts.sum(axis=2) @ (1.0 - common.diagonal()) / np.maximum(total, LEAST)
    expected = np.clip(expected, LEAST, 1.0 - LEAST)
    mean = np.stack([expected, 1.0 - expected], axis=1)
    found = np.stack([total - right, right], axis=1)
    strength, gain = strength_of_prior(found, mean)
    own = np.clip(_shrunk(found, mean, strength)[:, 0], LEAST, 1.0 - LEAST)
    return expected, own, strength, gain


def _centres(common: np.ndarray, expected: np.ndarray, own: np.ndarray) -> np.ndarray:
    """The common matrix with the odds of being wrong as much higher as an annotator's are."""
    wrong = np.clip(1.0 - common.diagonal(), LEAST, 1.0 - LEAST)
    goes = common / wrong[:, None]
    moved = expit(logit(wrong) + (logit(own) - logit(expected))[:, None])
    out = moved[:, :, None] * goes
    for k in range(len(common)):
        out[:, k, k] = 1.0 - moved[:, k]
    return np.maximum(out, LEAST)
