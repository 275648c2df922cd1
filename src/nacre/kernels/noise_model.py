"""Likelihood of noisy labels and posteriors of true classes: calibrated scores, a noise matrix."""

import math

from nacre.kernels.compile import compiled, fused
from nacre.kernels.smooth import exp, log

PASSED_OVER = 1e-9
"""Parts of a mixture that are believed less are left out."""


@fused
def calibrate(row, steep, slopes, shift, logs, out):
    """Chances from a row of scores: log-softmax, then a slope and a shift for each class.

    ``logs`` gets the log-softmax at inverse temperature ``steep``, ``out`` the chances.
    """
    K = len(out)
    top = -math.inf
    for k in range(K):
        top = max(top, row[k])
    for k in range(K):
        logs[k] = steep * (row[k] - top)
        out[k] = exp(logs[k])
    whole = 0.0
    for k in range(K):
        whole += out[k]
    whole = math.log(whole)
    top = -math.inf
    for k in range(K):
        logs[k] -= whole
        out[k] = slopes[k] * logs[k] + shift[k]
    for k in range(K):
        top = max(top, out[k])
    for k in range(K):
        out[k] = exp(out[k] - top)
    whole = 0.0
    for k in range(K):
        whole += out[k]
    whole = 1.0 / whole
    for k in range(K):
        out[k] *= whole


@fused
def joint(true, matrix, k, y, z):
    """The chance of class k with label y, each of which may not be known (-1); z is the class."""
    if z >= 0 and z != k:
        return 0.0
    return true[k] if y < 0 else true[k] * matrix[k, y]


@fused
def add_up_likelihood(
    scores, given, known, weight, steep, slopes, shift, matrix, work, by_slope, by_shift, flips
):
    """Minus the log-likelihood of the labels, and what its gradient is made of.

    The label's probability is forward-corrected: the sum over true classes k of p_k T_ky; where
    the true class is known, its term alone; where the label is not, without T. ``by_slope`` and
    ``by_shift`` get the derivatives by the log-slopes and the shifts; ``flips`` the sums of
    posteriors by true class and label. Returns the loss and its derivative by the log of
    ``steep``. ``work`` has shape (3, K).
    """
    K = scores.shape[1]
    logs, true, moved = work[0], work[1], work[2]
    by_slope[:] = 0.0
    by_shift[:] = 0.0
    flips[:] = 0.0
    loss, by_steep = 0.0, 0.0
    for i in range(len(given)):
        calibrate(scores[i], steep, slopes, shift, logs, true)
        y, z, w = given[i], known[i], weight[i]
        total = 0.0
        for k in range(K):
            moved[k] = joint(true, matrix, k, y, z)
            total += moved[k]
        loss -= w * math.log(max(total, 1e-300))
        if total <= 1e-300:
            continue
        whole = 0.0
        for k in range(K):
            posterior = w * moved[k] / total
            moved[k] = w * true[k] - posterior
            by_shift[k] += moved[k]
            by_slope[k] += moved[k] * slopes[k] * logs[k]
            whole += moved[k] * slopes[k]
            if y >= 0:
                flips[k, y] += posterior
        for k in range(K):
            logs[k] = (moved[k] * slopes[k] - exp(logs[k]) * whole) * steep * scores[i, k]
        for k in range(K):
            by_steep += logs[k]
    return loss, by_steep


@fused
def sharpen(true, power, out):
    """Chances to a power, brought to sum 1."""
    top = 0.0
    for k in range(len(true)):
        top = max(top, true[k])
    for k in range(len(true)):
        out[k] = exp(-power * log(top / max(true[k], 1e-300)))
    whole = 0.0
    for k in range(len(true)):
        whole += out[k]
    whole = 1.0 / whole
    for k in range(len(true)):
        out[k] *= whole


@fused
def know_label(reached, total, soft, power, mixed, sharp, out):
    """Chances of the classes of a row of known label: of what each power and mixture suppose.

    ``reached`` are the joint chances of the classes and the label, of sum ``total``. Of classes
    that lose chance by sharpening, rows are of those that gain it. Where chances are ``mixed``, so
    many labels have nothing to do with the class but what the scores say of both.
    """
    K = len(soft)
    if power == 1.0:
        for k in range(K):
            out[k] = reached[k] / total
    else:
        sharpen(soft, power, sharp)
        moved, gained = 0.0, 1e-300
        for k in range(K):
            moved += (1.0 - min(1.0, sharp[k] / max(soft[k], 1e-300))) * reached[k]
            gained += max(sharp[k] - soft[k], 0.0)
        for k in range(K):
            kept = min(1.0, sharp[k] / max(soft[k], 1e-300)) * reached[k]
            out[k] = (kept + moved / gained * max(sharp[k] - soft[k], 0.0)) / total
    if mixed > 0.0:
        for k in range(K):
            out[k] += mixed * (soft[k] - out[k])


@compiled
def add_up_overlap(
    scores, given, known, weight, steep, slopes, shift, matrix, powers, mixed, work, wrong, gain
):
    """What follows if labels overlap otherwise than classes do: of one component.

    Adds up, for each of ``powers`` and what is ``mixed``, the probability that labels are wrong
    (``wrong``, rows whose class is not known) and the log-likelihood that is gained where it is
    known (``gain``). ``work`` has shape (5, K).
    """
    K = scores.shape[1]
    logs, soft, sharp, reached, now = work[0], work[1], work[2], work[3], work[4]
    wrong[:] = 0.0
    gain[:] = 0.0
    for i in range(len(given)):
        calibrate(scores[i], steep, slopes, shift, logs, soft)
        y, z, w = given[i], known[i], weight[i]
        total = 1e-300
        for k in range(K):
            reached[k] = joint(soft, matrix, k, y, -1)
            total += reached[k]
        for g in range(len(powers)):
            know_label(reached, total, soft, powers[g], mixed[g], sharp, now)
            if z >= 0:
                gain[g] += w * math.log(max(now[z] * total, 1e-300) / max(reached[z], 1e-300))
            else:
                wrong[g] += w * (1.0 - now[y])


@fused
def add_up_true(scores, parts, steep, slopes, shift, powers, shares, work, true):
    """Probabilities of true classes by a mixture, before labels are known: a row a class.

    ``scores`` has a row for each class too, so that rows of a table are computed by vector
    instructions. ``work`` has shape (K + 2, n). The rest is as for ``add_up_posteriors``.
    """
    K, n = scores.shape
    top, whole = work[K], work[K + 1]
    true[:] = 0.0
    for b in range(len(parts)):
        for i in range(n):
            top[i], whole[i] = scores[0, i], 0.0
        for k in range(1, K):
            for i in range(n):
                top[i] = max(top[i], scores[k, i])
        for k in range(K):
            for i in range(n):
                work[k, i] = steep[b] * (scores[k, i] - top[i])
                whole[i] += exp(work[k, i])
        for i in range(n):
            whole[i], top[i] = log(whole[i]), -math.inf
        for k in range(K):
            for i in range(n):
                work[k, i] = slopes[b, k] * (work[k, i] - whole[i]) + shift[b, k]
                top[i] = max(top[i], work[k, i])
        for g in range(len(powers)):
            part = parts[b] * shares[b, g]
            if part < PASSED_OVER:
                continue
            for i in range(n):
                whole[i] = 0.0
            for k in range(K):
                for i in range(n):
                    whole[i] += exp(powers[g] * (work[k, i] - top[i]))
            for i in range(n):
                whole[i] = part / whole[i]
            for k in range(K):
                for i in range(n):
                    true[k, i] += whole[i] * exp(powers[g] * (work[k, i] - top[i]))


@compiled
def add_up_posteriors(
    scores, given, parts, steep, slopes, shift, matrices, powers, mixed, shares, work, posterior
):
    """Probabilities of true classes by a mixture, knowing the labels that were given.

    ``parts`` are the components' weights, ``shares`` of shape (B, G) how far each of them believes
    each of ``powers`` and what is ``mixed``. ``work`` has shape (5, K).
    """
    n, K = scores.shape
    logs, soft, sharp, reached, now = work[0], work[1], work[2], work[3], work[4]
    posterior[:] = 0.0
    for i in range(n):
        for b in range(len(parts)):
            calibrate(scores[i], steep[b], slopes[b], shift[b], logs, soft)
            total = 1e-300
            for k in range(K):
                reached[k] = soft[k] * matrices[b, k, given[i]]
                total += reached[k]
            for g in range(len(powers)):
                part = parts[b] * shares[b, g]
                if part < PASSED_OVER:
                    continue
                know_label(reached, total, soft, powers[g], mixed[g], sharp, now)
                for k in range(K):
                    posterior[i, k] += part * now[k]


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
