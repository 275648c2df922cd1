"""Dawid and Skene's model, with the priors of nacre, in plain loops."""

import math


def posterior(answers, prior, matrices, common, focus, hardness):
    """The E step: for each row the probability of each class, by Bayes' rule.

    ``answers`` are (row, annotator, said). The votes of a row are Polya's urn: each answer makes
    the next one like it more likely.
    """
    out = []
    for i, chances in enumerate(prior):
        mine = [(j, said) for row, j, said in answers if row == i]
        joint = []
        for k, chance in enumerate(chances):
            met = [0] * len(chances)
            for j, said in mine:
                urn = common[k][said] + met[said] / hardness
                chance *= urn / (1.0 + sum(met) / hardness)
                chance *= matrices[j][k][said] / common[k][said] * focus[j][k]
                met[said] += 1
            joint.append(chance)
        out.append([one / math.fsum(joint) for one in joint])
    return out


def matrix_of(annotator, answers, posterior, centre, strength):
    """The M step: an annotator's noise matrix, with a Dirichlet prior worth some answers."""
    K = len(centre)
    out = []
    for k in range(K):
        counts = [strength * centre[k][l] for l in range(K)]  # noqa: E741
        for i, j, said in answers:
            if j == annotator:
                counts[said] += posterior[i][k]
        out.append([one / math.fsum(counts) for one in counts])
    return out
