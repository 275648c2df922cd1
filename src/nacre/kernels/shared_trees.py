"""Boosting trees that all classes share: gradients by row, and leaves that say a vector."""

from nacre.kernels.compile import compiled, fused
from nacre.kernels.smooth import exp


@fused
def fill_chances(row, out):
    """Softmax of twice a row of scores, or with one column the logistic function."""
    if len(row) == 1:
        out[0] = 1.0 / (1.0 + exp(-2.0 * row[0]))
        return
    top = row[0]
    for k in range(1, len(row)):
        top = max(top, row[k])
    for k in range(len(row)):
        out[k] = exp(2.0 * (row[k] - top))
    whole = 0.0
    for k in range(len(row)):
        whole += out[k]
    for k in range(len(row)):
        out[k] /= whole


@compiled
def project_pulls(scores, codes, weight, direction, pulls, response):
    """Minus the gradients of the log loss, label less chance, and their parts in a direction.

    Only for rows that have weight. One column of scores is for class 1 of two.
    """
    for i in range(len(scores)):
        response[i] = 0.0
        if weight[i] == 0.0:
            continue
        pull = pulls[i]
        fill_chances(scores[i], pull)
        for k in range(len(pull)):
            pull[k] = -pull[k]
        if len(pull) > 1:
            pull[codes[i]] += 1.0
        else:
            pull[0] += codes[i]
        part = 0.0
        for k in range(len(pull)):
            part += pull[k] * direction[k]
        response[i] = part


@compiled
def leaf_vectors(leaf, pulls, weight, least, longest, totals, values):
    """Newton's step of each leaf and column: the sum of pulls over the sum of curvatures.

    The curvature of a row is p (1 - p), where p is its pull or what that lacks to 1; it is at least
    ``least``, and such that the row's own step is at most ``longest``.
    """
    totals[:] = 0.0
    values[:] = 0.0
    for i in range(len(leaf)):
        w = weight[i]
        if w == 0.0:
            continue
        pull, total, value = pulls[i], totals[leaf[i]], values[leaf[i]]
        for k in range(len(pull)):
            away = abs(pull[k])
            value[k] += w * pull[k]
            total[k] += w * max(away * (1.0 - away), least, away / longest)
    for node in range(len(values)):
        for k in range(values.shape[1]):
            total = totals[node, k]
            values[node, k] = values[node, k] / total if total > 0.0 else 0.0


@compiled
def add_leaves(leaf, values, vote, scores):
    """Add what the leaves say, times a vote, to the scores of all rows."""
    for i in range(len(leaf)):
        value = values[leaf[i]]
        for k in range(len(value)):
            scores[i, k] += vote * value[k]
