"""Sums over rows that links between scores and labels are fitted by."""

import math

from nacre.kernels.compile import compiled


@compiled
def chances(row, shift, steep, out):
    """The softmax of a row of scores, shifted and made steeper."""
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
def add_up_link(scores, given, clean, weight, steep, shift, matrix, true, push, flips):
    """Minus the log-likelihood of the labels, and what its gradient is made of.

    ``push`` gets the sums of the true classes' chances less those that know the label, ``flips``
    for rows that are not clean those by true class and label. Returns also the sum of each push
    times its score.
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
            behind = w * joint / total
            moved = w * true[k] - behind
            push[k] += moved
            pull += moved * (scores[i, k] + shift[k])
            if not clean[i]:
                flips[k, y] += behind
    return loss, pull


@compiled
def add_up_losses(scores, given, clean, weight, steepness, rates, out):
    """Minus the log-likelihood of the labels under one rate of noise, for each steepness."""
    K = scores.shape[1]
    out[:] = 0.0
    for i in range(len(given)):
        own = scores[i, given[i]]
        for a in range(len(steepness)):
            whole = 0.0
            for k in range(K):
                whole += math.exp(min(steepness[a] * (scores[i, k] - own), 700.0))
            p = 1.0 / whole
            for e in range(len(rates)):
                other = 0.0 if clean[i] else rates[e] / (K - 1)
                rate = 0.0 if clean[i] else rates[e]
                chance = other + (1.0 - rate - other) * p
                out[a, e] -= weight[i] * math.log(max(chance, 1e-300))
