"""Decision volumes of additive stump ensembles.

Each column has a grid: all thresholds on it, ascending. Along a column the votes are a step
function, ``profile``, with one row for each stretch between them; a row's place is the stretch it
lies in. The stretches of all columns stand in one array, those of column c from ``starts[c]`` on.
"""

import math

from nacre.kernels.compile import compiled, inlined

# Lengths count as LEAST at least, and products of them are logged below SMALL: none is ever 0
LEAST = 1e-200
SMALL = 1e-100


@inlined
def label_at(scores, i, profile, here, there, tie):
    """The class of the most votes for row i, moved from its stretch to another; first of equals."""
    if scores.shape[1] == 1:
        return 1 if scores[i, 0] + (profile[there, 0] - profile[here, 0]) > tie else 0
    top = scores[i, 0] + (profile[there, 0] - profile[here, 0])
    for k in range(1, scores.shape[1]):
        top = max(top, scores[i, k] + (profile[there, k] - profile[here, k]))
    for k in range(scores.shape[1]):
        if scores[i, k] + (profile[there, k] - profile[here, k]) >= top - tie:
            return k
    return 0


@inlined
def lead_of(scores, i, label):
    """How many votes the label of row i is ahead."""
    if scores.shape[1] == 1:
        return abs(scores[i, 0])
    lead = math.inf
    for k in range(scores.shape[1]):
        if k != label:
            lead = min(lead, scores[i, label] - scores[i, k])
    return lead


@compiled
def add_decision_volumes(place, starts, lower, upper, scale, profile, reach, scores, tie, out):
    """Add to ``out`` the log of the share of the box in which each row keeps its label.

    ``place`` (rows, columns) has -1 for a coordinate that does not count; ``lower`` and ``upper``
    are the ends of the stretches, ``scale`` one over the box's sides. Where a row's lead is beyond
    ``reach``, the most that a column can change, there is no need to walk.
    """
    if place.shape[1] == 0:
        return
    for i in range(place.shape[0]):
        label = label_at(scores, i, profile, 0, 0, tie)
        lead = lead_of(scores, i, label) - tie
        share = 1.0
        for c in range(place.shape[1]):
            if place[i, c] < 0 or lead > reach[c]:
                continue
            here = starts[c] + place[i, c]
            low, high = here, here
            while low > starts[c] and label_at(scores, i, profile, here, low - 1, tie) == label:
                low -= 1
            while (
                high + 1 < starts[c + 1]
                and label_at(scores, i, profile, here, high + 1, tie) == label
            ):
                high += 1
            share *= max((upper[high] - lower[low]) * scale[c], LEAST)
            if share < SMALL:
                out[i] += math.log(share)
                share = 1.0
        out[i] += math.log(share)
