"""Log-likelihood of noisy labels: a softmax with a temperature, then a noise matrix (forward)."""

import math

from nacre.kernels.compile import compiled, fused
from nacre.kernels.smooth import exp, log


@compiled
def chances(row, shift, steep, out):
    """The softmax of a row of scores, shifted, with inverse temperature ``steep``."""
    top = -math.inf
    for k in range(len(out)):
        out[k] = steep * (row[k] + shift[k])
        top = max(top, out[k])
    whole = 0.0
    for k in range(len(out)):
        out[k] = math.exp(out[k] - top)
        whole += out[k]
    for k in range(len(out)):
        out[k] /= whole


@compiled
def add_up_likelihood(scores, given, clean, weight, steep, shift, matrix, true, push, flips):
    """Minus the log-likelihood of the labels, and what its gradient is made of.

    The label's probability is forward-corrected: the sum over true classes k of p_k T_ky. ``push``
    gets, for each class, the sum over rows of its probability p_k less its posterior given the
    label; ``flips``, for rows that are not clean, the sums of posteriors by true class and label.
    Returns the loss, and the sum of each push times its shifted score.
    """
    K = scores.shape[1]
    push[:] = 0.0
    flips[:] = 0.0
    loss, pull = 0.0, 0.0
    for i in range(len(given)):
        chances(scores[i], shift, steep, true)
        y, w = given[i], weight[i]
        total = true[y] if clean[i] else 0.0
        if not clean[i]:
            for k in range(K):
                total += true[k] * matrix[k, y]
        total = max(total, 1e-300)
        loss -= w * math.log(total)
        for k in range(K):
            joint = true[k] * matrix[k, y]
            if clean[i]:
                joint = true[k] if k == y else 0.0
            posterior = w * joint / total
            moved = w * true[k] - posterior
            push[k] += moved
            pull += moved * (scores[i, k] + shift[k])
            if not clean[i]:
                flips[k, y] += posterior
    return loss, pull


@fused
def add_up_losses(scores, given, clean, weight, steepness, rates, out):
    """Minus the log-likelihood of the labels under symmetric noise.

    ``out`` has a row for each inverse temperature and a column for each rate.
    """
    K = scores.shape[1]
    out[:] = 0.0
    for i in range(len(given)):
        own, w = scores[i, given[i]], weight[i]
        for a in range(len(steepness)):
            odds = 0.0
            for k in range(K):
                odds += exp(steepness[a] * (scores[i, k] - own))
            if clean[i]:
                loss = w * log(odds)
                for e in range(len(rates)):
                    out[a, e] += loss
            else:
                p = 1.0 / odds
                for e in range(len(rates)):
                    other = rates[e] / (K - 1)
                    out[a, e] += w * log(1.0 / (other + (1.0 - rates[e] - other) * p))
