"""Exact thresholds: splits between two values of one bin.

The weight of each class inside a bin bounds the edge of any split there, so only bins that could
hold a better split are looked into, their rows sorted by value when first needed.
"""

import numpy as np

from nacre.kernels.binning import count_below, midpoint
from nacre.kernels.compile import compiled
from nacre.kernels.histogram import (
    BINS,
    GAPS,
    KIND,
    MISSING,
    NUMERIC,
    WIDTH,
    heaviest_class,
    sum_of,
)


@compiled
def refine(
    columns, words, starts, order, values, mixed, weight, gains, hist, counts, gain, mass, side,
    first, most, tie, by_value, in_order, place, stump,
):  # fmt: skip
    """Look for the best split inside a bin, of a higher edge than ``most``, that of ``stump``.

    Where ``first``, look for one as good as ``stump`` that comes before it or is the same.

    Rows count by ``weight`` in their class or, where given, by ``gains`` in all classes; those may
    be negative, so that no bin can be ruled out. ``side`` is scratch, four rows of classes. Writes
    column, bin and what the sides say to ``stump``; returns the threshold, the number of the
    column's rows that go left of it, and the edge (NaN, 0 and ``most``: no such split).
    """
    goal = most - tie if first else most + tie
    last_column, last_bin = (stump[0], stump[1]) if first else (np.int64(len(mixed)), np.int64(0))
    left, inside, absent, right = side[0], side[1], side[2], side[3]
    threshold = np.nan
    cut = np.int64(0)
    for f in range(len(mixed)):
        if columns[KIND, f] != NUMERIC or f > last_column:
            continue
        block, lane = f // WIDTH, f % WIDTH
        for c in range(len(mass)):
            left[c] = 0.0
            gone = hist[block, c, MISSING * WIDTH + lane] if columns[GAPS, f] else 0.0
            absent[c] = gain[c] * gone
        begin = np.int64(0)
        for b in range(columns[BINS, f]):
            if f == last_column and b > last_bin:
                break
            stop = begin
            for c in range(len(mass)):
                inside[c] = gain[c] * hist[block, c, b * WIDTH + lane]
                stop += counts[block, c, b * WIDTH + lane]
            if mixed[f, b] and (len(gains) or highest_edge(left, inside, absent, mass) >= goal):
                if not in_order[f, 256]:
                    group_rows(words[block], lane, place, by_value[f])
                    in_order[f, 256] = 1
                if not in_order[f, b]:
                    sort_by_value(by_value[f, begin:stop], values[f], order)
                    in_order[f, b] = 1
                for k in range(begin, stop - 1):
                    i = by_value[f, k]
                    if len(gains):
                        for c in range(len(mass)):
                            left[c] += gains[c, i]
                            inside[c] -= gains[c, i]
                    else:
                        c = class_of(starts, i)
                        left[c] += gain[c] * weight[i]
                        inside[c] -= gain[c] * weight[i]
                    low = values[f, order[i]]
                    high = values[f, order[by_value[f, k + 1]]]
                    if low == high:
                        continue
                    edge = split_edge(left, absent, mass)
                    if edge >= goal:
                        goal = edge + tie
                        most = edge
                        threshold, cut = midpoint(low, high), k + 1
                        stump[0], stump[1] = f, b
                        say_sides(left, right, absent, mass, columns[GAPS, f], tie, stump)
                        if first:
                            return threshold, cut, most
            for c in range(len(mass)):
                left[c] += inside[c]
            begin = stop
    return threshold, cut, most


@compiled
def class_of(starts, i):
    """The class of the row at place i."""
    return count_below(starts, i + 1) - 1


@compiled
def split_edge(left, absent, mass):
    """The edge of a split with these class weights on the left and missing."""
    if len(mass) == 2:
        gone = absent[1] - absent[0]
        return abs(2.0 * (left[1] - left[0]) - (mass[1] - mass[0] - gone)) + abs(gone)
    near, far, near_gone, far_gone, whole = -np.inf, -np.inf, -np.inf, -np.inf, 0.0
    for c in range(len(mass)):
        right = mass[c] - absent[c] - left[c]
        near, near_gone = max(near, left[c]), max(near_gone, left[c] + absent[c])
        far, far_gone = max(far, right), max(far_gone, right + absent[c])
        whole += mass[c]
    return 2.0 * max(near_gone + far, near + far_gone) - whole


@compiled
def highest_edge(left, inside, absent, mass):
    """No split inside a bin of these class weights has a higher edge."""
    if len(mass) == 2:
        gone = absent[1] - absent[0]
        lean = 2.0 * (left[1] - left[0]) - (mass[1] - mass[0] - gone)
        return max(abs(lean + 2.0 * inside[1]), abs(lean - 2.0 * inside[0])) + abs(gone)
    near, far, whole = 0.0, 0.0, 0.0
    for c in range(len(mass)):
        near = max(near, left[c] + inside[c] + absent[c])
        far = max(far, mass[c] - left[c])
        whole += mass[c]
    return 2.0 * (near + far) - whole


@compiled
def say_sides(left, right, absent, mass, gaps, tie, stump):
    """Write to ``stump`` what the sides of a split, and a missing value, say."""
    for c in range(len(mass)):
        right[c] = mass[c] - absent[c] - left[c]
    on_left = sum_of(left) >= sum_of(right) - tie
    if len(mass) == 2:
        near = 1 if left[1] - left[0] > right[1] - right[0] else 0
        gone = absent[1] - absent[0]
        if gaps:
            on_left = gone >= -tie if near == 1 else gone <= tie
        stump[2], stump[3], stump[4] = near, 1 - near, near if on_left else 1 - near
        return
    if gaps:
        near, far, near_gone, far_gone = -np.inf, -np.inf, -np.inf, -np.inf
        for c in range(len(mass)):
            near, near_gone = max(near, left[c]), max(near_gone, left[c] + absent[c])
            far, far_gone = max(far, right[c]), max(far_gone, right[c] + absent[c])
        on_left = near_gone + far >= near + far_gone - tie
    joined = left if on_left else right
    for c in range(len(mass)):
        joined[c] += absent[c]
    stump[2], stump[3] = heaviest_class(left, tie), heaviest_class(right, tie)
    stump[4] = stump[2] if on_left else stump[3]
    for c in range(len(mass)):
        joined[c] -= absent[c]


@compiled
def mark_inside(by_value, begin, cut, stop, starts, left, right, u):
    """Correct the hits of the rows in the split bin, which lie on both sides."""
    for k in range(begin, stop):
        i = by_value[k]
        u[i] = 1.0 if (left if k < cut else right) == class_of(starts, i) else -1.0


@compiled
def bin_range(counts, lane, b):
    """Where the rows of bin b begin and stop in the column's order of values."""
    begin = np.int64(0)
    stop = np.int64(0)
    for c in range(len(counts)):
        for k in range(b + 1):
            begin += counts[c, k * WIDTH + lane] if k < b else 0
            stop += counts[c, k * WIDTH + lane]
    return begin, stop


@compiled
def group_rows(words, lane, place, by_value):
    """Group the rows by their bin in one lane."""
    shift = np.uint64(8 * lane)
    for b in range(257):
        place[b] = 0
    for i in range(len(words)):
        place[((words[i] >> shift) & np.uint64(255)) + np.uint64(1)] += 1
    for b in range(256):
        place[b + 1] += place[b]
    for i in range(len(words)):
        b = (words[i] >> shift) & np.uint64(255)
        by_value[place[b]] = i
        place[b] += 1


@compiled
def sort_by_value(members, values, order):
    """Shell sort of a few rows, in place."""
    gap = len(members) // 2
    while gap > 0:
        for k in range(gap, len(members)):
            row = members[k]
            value = values[order[row]]
            j = k
            while j >= gap and values[order[members[j - gap]]] > value:
                members[j] = members[j - gap]
                j -= gap
            members[j] = row
        gap //= 2
