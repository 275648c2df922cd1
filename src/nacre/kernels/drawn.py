"""Splits of a node by a few columns, drawn at random.

Only they are read, so nothing is kept for the node's children.
"""

import math

import numpy as np

from nacre.kernels import random as rd
from nacre.kernels.compile import compiled, inlined
from nacre.kernels.histogram import BINS, CATEGORICAL, KIND, MISSING, WIDTH, add_up
from nacre.kernels.split import (
    EMPTY,
    FIRST,
    ROUNDING,
    STOP,
    TIE,
    order_categories,
    side_weight,
    side_worth,
    split_numbers,
    split_worth,
    write_cut,
    write_split,
)
from nacre.kernels.sweep import sweep
from nacre.kernels.tree import GAIN

FEW = 100
"""Of fewer rows for each of several classes, rows are swept over instead of filling histograms."""


@inlined
def ask(
    table, share, tried, limits, least, scale, first, second, work, nodes, node, waiting
):  # fmt: skip
    """As ``grow.consider``, of columns drawn anew, and where these have no split of all others."""
    start, stop = work.place[node, FIRST], work.place[node, STOP]
    whole = add_up(table.codes, first, second, work.rows, start, stop, work.total)
    before = side_worth(table.classes, work.total)
    least = max(least, EMPTY * whole)
    choose(work.state, tried, limits.features)
    zero = np.int64(0)
    most, column, split, gap = -math.inf, zero - 1, zero, zero
    hist = work.hist[0, 0]
    few = table.classes > 2 and stop - start < FEW * table.classes
    for k in range(len(tried)):
        if k >= limits.features and column >= 0:
            break
        f = np.int64(tried[k])
        lane, bins, words = f % WIDTH, table.columns[BINS, f], table.words[f // WIDTH]
        symbolic = table.columns[KIND, f] == CATEGORICAL
        cut, side, worth = zero, zero, -math.inf
        if limits.random and not symbolic:
            cut, side, worth = cut_at_random(
                table, first, second, work, start, stop, f, whole, least
            )
        elif few and not symbolic:
            cut, side, worth = sweep(
                words, lane, bins, table.codes, first, work.rows, start, stop, work.total, whole,
                least, math.inf, work.rank, work.spare, work.side,
            )  # fmt: skip
        else:
            fill_lane(words, lane, bins, table.codes, first, second, work.rows, start, stop, hist)
            if not symbolic:
                worth = split_numbers(
                    table.classes, lane, bins, hist, work.total, whole, least, math.inf, work.side
                )[2]
            if share is not None and symbolic:
                worth = order_categories(
                    table.classes, lane, bins, share[f // WIDTH], hist, work.total, whole,
                    least, work.side, work.key, work.rank, work.sums,
                )  # fmt: skip
        gain = worth - before
        dust = ROUNDING * max(scale, worth)
        if gain > dust and worth > most + max(TIE * gain, 0.1 * dust):
            most, column, split, gap = worth, f, cut, side
    if column < 0:
        return waiting
    lane, bins = column % WIDTH, table.columns[BINS, column]
    words = table.words[column // WIDTH]
    goal = most - max(TIE * (most - before), 0.1 * ROUNDING * max(scale, most))
    symbolic = table.columns[KIND, column] == CATEGORICAL
    if few and not limits.random and not symbolic:
        split, gap, _ = sweep(
            words, lane, bins, table.codes, first, work.rows, start, stop, work.total, whole,
            least, goal, work.rank, work.spare, work.side,
        )  # fmt: skip
    if (few or limits.random) and not symbolic:
        write_cut(table, column, split, gap, nodes, node)
    else:
        fill_lane(words, lane, bins, table.codes, first, second, work.rows, start, stop, hist)
        write_split(table, share, work, hist, column, whole, least, goal, nodes, node)
    nodes.numbers[node, GAIN] = most - before
    work.open[waiting] = node
    return waiting + 1


@inlined
def cut_at_random(table, first, second, work, start, stop, f, whole, least):
    """A random split of a numeric column, between the lowest and the highest bin of the node.

    Returns its bin, whether gaps go left (the heavier side, where the node has none) and its worth.
    """
    words, lane = table.words[f // WIDTH], f % WIDTH
    low, high = bin_range(words, lane, work.rows, start, stop)
    if low > high:
        return 0, 0, -math.inf
    split = low + rd.below(work.state, max(high - low, 1))
    left, right, gone = work.side[0], work.side[1], work.side[2]
    add_sides(words, lane, table.codes, first, second, work.rows, start, stop, split, left, gone)
    gaps = side_weight(table.classes, gone) > EMPTY * whole
    gap = np.int64(2.0 * side_weight(table.classes, left) >= whole * (1.0 - TIE))
    worth = -math.inf
    for go in range(2 if gaps else 1):
        for c in range(len(left)):
            right[c] = work.total[c] - left[c]
        here = split_worth(table.classes, left, right, least)
        if here > worth:
            gap, worth = (go if gaps else gap), here
        for c in range(len(left)):
            left[c] += gone[c]
    return split, gap, worth


@compiled
def bin_range(words, lane, rows, start, stop):
    """The lowest and the highest bin of a column among a node's rows, but for gaps."""
    shift = np.uint64(8 * lane)
    low, high = MISSING, -1
    for k in range(start, stop):
        b = np.int64((words[rows[k]] >> shift) & np.uint64(255))
        if b != MISSING:
            low, high = min(low, b), max(high, b)
    return low, high


@compiled
def add_sides(words, lane, codes, first, second, rows, start, stop, split, left, gone):
    """The sums of a node's rows up to a bin, and of its gaps."""
    shift = np.uint64(8 * lane)
    for c in range(len(left)):
        left[c], gone[c] = 0.0, 0.0
    for k in range(start, stop):
        i = rows[k]
        b = np.int64((words[i] >> shift) & np.uint64(255))
        if b > split and b != MISSING:
            continue
        side = gone if b == MISSING else left
        if len(codes):
            side[codes[i]] += first[i]
        else:
            side[0] += first[i]
            side[1] += second[i]


@compiled
def choose(state, columns, count):
    """Bring ``count`` columns drawn at random to the front, in ascending order."""
    for drawn in range(count):
        k = drawn
        other = k + rd.below(state, len(columns) - k)
        columns[k], columns[other] = columns[other], columns[k]
        while k > 0 and columns[k - 1] > columns[k]:
            columns[k - 1], columns[k] = columns[k], columns[k - 1]
            k -= 1


@compiled
def fill_lane(words, lane, bins, codes, first, second, rows, start, stop, hist):
    """Read a node's rows into the histograms of one column."""
    for c in range(hist.shape[0]):
        for b in range(bins):
            hist[c, b * WIDTH + lane] = 0.0
        hist[c, MISSING * WIDTH + lane] = 0.0
    shift = np.uint64(8 * lane)
    for k in range(start, stop):
        i = rows[k]
        place = ((words[i] >> shift) & np.uint64(255)) * np.uint64(WIDTH) + np.uint64(lane)
        if len(codes):
            hist[codes[i], place] += first[i]
        else:
            hist[0, place] += first[i]
            hist[1, place] += second[i]
