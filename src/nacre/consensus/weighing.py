"""How members are weighed: by their own losses, and where words are read by the blend's loss."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from nacre.consensus.task import Task
from nacre.noise.noise_model import RATES, STEEPNESS, spread, symmetric_losses

COOL = 6.0, 120
"""The softmax temperature of the members' weights: so much, or a row in so many if that is more.

Log-likelihoods differ by a few units by chance, whatever the number of rows.
"""

STRENGTH = 10.0
"""How far stacked weights are held to those by the members' own losses, in log-likelihood."""

EVEN = 0.1
"""The share of these that all members have alike."""

LEAST = 1e-4
"""No stacked weight is smaller, before they are brought to sum 1."""


def softmax_weights(task: Task, losses: np.ndarray) -> np.ndarray:
    """Weights by the members' own losses: as in Bayesian model averaging, at a temperature."""
    out: np.ndarray = softmax(-losses / max(COOL[0], len(task.judged) / COOL[1]))
    return out


def stacked_weights(task: Task, held: list[np.ndarray], own: np.ndarray) -> np.ndarray:
    r"""Weights of least loss of the blend: stacking [1]_, with weights that are not negative [2]_.

    Members that read a text each in its own way are wrong about different rows. Their own losses do
    not tell, and the best of them would have nearly all of the weight. Minimised over the weights
    :math:`w \ge 0` and the rate e is

    .. math:: -\sum_i \log\Bigl(\bigl(1 - e - \tfrac{e}{K - 1}\bigr)\, p_{y_i}(x_i)
        + \tfrac{e}{K - 1}\Bigr) - c \sum_m v_m \log \frac{w_m}{\sum_j w_j},
        \qquad p = \mathrm{softmax}\Bigl(\sum_m w_m s_m\Bigr),

    the forward-corrected log loss of held-out scores s, and a Dirichlet prior about the weights v
    by the members' own losses.

    Parameters
    ----------
    task : Task
    held : held-out scores of the members, M arrays of shape (n, K)
    own : array of shape (M,)
        Weights by the members' own losses.

    Returns
    -------
    weights : array of shape (M,)
        Of scores that are brought to a root mean square of 1; they sum to 1.

    References
    ----------
    .. [1] D. Wolpert, "Stacked generalization", Neural Networks 5, 1992.
    .. [2] L. Breiman, "Stacked regressions", Machine Learning 24, 1996.
    """
    rows, given = task.judged, task.labels
    scores = np.array([one[rows] / spread(one) for one in held])
    clean, weight = task.clean[rows], task.weight
    prior = (1.0 - EVEN) * own + EVEN / len(own)
    blend = np.tensordot(prior, scores, axes=1)
    losses = symmetric_losses(blend / spread(blend), given, clean, weight)
    steep, rate = np.unravel_index(losses.argmin(), losses.shape)
    first = np.append(STEEPNESS[steep] / spread(blend) * prior, RATES[rate])
    bounds = [(LEAST, None)] * len(held) + [(0.0, RATES[-1])]
    found = minimize(
        blend_loss, first, (scores, given, clean, weight, STRENGTH * prior),
        jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 60},
    )  # fmt: skip
    out: np.ndarray = found.x[:-1] / found.x[:-1].sum()
    return out


def blend_loss(
    numbers: np.ndarray,
    scores: np.ndarray,
    given: np.ndarray,
    clean: np.ndarray,
    weight: np.ndarray,
    prior: np.ndarray,
) -> tuple[float, np.ndarray]:
    """The loss of M weights and a rate, for scores of shape (M, n, K), and its gradient.

    The ``prior`` is Dirichlet: what each weight counts beforehand.
    """
    weights, rate = numbers[:-1], numbers[-1]
    _, n, K = scores.shape
    chances = softmax(np.tensordot(weights, scores, axes=1), axis=1)
    right = chances[np.arange(n), given]
    other = np.where(clean, 0.0, rate / (K - 1))
    kept = np.where(clean, 1.0, 1.0 - rate) - other
    label = np.maximum(kept * right + other, np.finfo(float).tiny)
    by_rate = np.where(clean, 0.0, (1.0 - K * right) / (K - 1))
    pull = weight * kept * right / label
    by_score = pull[:, None] * chances
    by_score[np.arange(n), given] -= pull
    total = weights.sum()
    loss = -weight @ np.log(label) - prior @ np.log(weights / total)
    by_weight = np.tensordot(scores, by_score, axes=2) - prior / weights + prior.sum() / total
    return float(loss), np.append(by_weight, -(weight / label) @ by_rate)
