"""Gini's index of many classes, by a sweep over the rows of a node in the order of their bins.

A histogram of every class has as many numbers for a node of ten rows as for one of a million. A row
that changes sides changes the sums of one class, and so the sum of squares in one term: all splits
of a column cost a few operations a row, whatever the number of classes.
"""

import math

import numpy as np

from nacre.kernels.compile import compiled
from nacre.kernels.histogram import MISSING
from nacre.kernels.split import EMPTY, TIE


@compiled
def sort_by_bin(words, lane, rows, start, stop, places, order):
    """Put the rows of a node in the order of their bins, gaps last; ``places`` get their ends."""
    shift = np.uint64(8 * lane)
    for b in range(len(places)):
        places[b] = 0
    for k in range(start, stop):
        places[((words[rows[k]] >> shift) & np.uint64(255)) + np.uint64(1)] += 1
    for b in range(1, len(places)):
        places[b] += places[b - 1]
    for k in range(start, stop):
        b = (words[rows[k]] >> shift) & np.uint64(255)
        order[places[b]] = rows[k]
        places[b] += 1


@compiled
def sweep(words, lane, bins, codes, weight, rows, start, stop, total, whole, least, goal,
          places, order, side):  # fmt: skip
    """The first split of a numeric column worth ``goal``, or the best there is.

    As ``split_numbers`` of the histograms: its bin, whether gaps go left, and its worth. ``side``
    has room for sums by class: of the left, the right, and of gaps, which are on neither.
    """
    sort_by_bin(words, lane, rows, start, stop, places, order)
    left, right, gone = side[0], side[1], side[2]
    for c in range(len(total)):
        left[c], right[c], gone[c] = 0.0, total[c], 0.0
    absent = 0.0
    for k in range(places[MISSING - 1], places[MISSING]):
        i = order[k]
        gone[codes[i]] += weight[i]
        absent += weight[i]
    gaps = absent > EMPTY * whole
    squares, others, both, beyond, own = 0.0, 0.0, 0.0, 0.0, 0.0
    for c in range(len(total)):
        right[c] -= gone[c]
        others += right[c] * right[c]
        beyond += right[c] * gone[c]
        own += gone[c] * gone[c]
    split, gap, most, mass, k = np.int64(0), np.int64(0), -math.inf, 0.0, 0
    for b in range(bins):
        if places[b] == k and b > 0:
            continue
        while k < places[b]:
            i = order[k]
            c, w = codes[i], weight[i]
            squares += w * (2.0 * left[c] + w)
            others -= w * (2.0 * right[c] - w)
            both += w * gone[c]
            beyond -= w * gone[c]
            left[c] += w
            right[c] -= w
            mass += w
            k += 1
        for go in range(1 if gaps else 0, -1, -1):
            here = mass + absent if go else mass
            there = whole - here
            if min(here, there) < least:
                continue
            near = squares + (2.0 * both + own if go else 0.0)
            far = others + (0.0 if go else 2.0 * beyond + own)
            worth = near / here + far / there
            if worth > most:
                heavier = np.int64(2.0 * here >= whole * (1.0 - TIE))
                split, gap, most = np.int64(b), (np.int64(go) if gaps else heavier), worth
            if most >= goal:
                return split, gap, most
    return split, gap, most
