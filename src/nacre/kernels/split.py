"""The best split of a tree's node, from its histograms.

A node's histograms have one channel per class (classification) or two, for a response times its
weight and for the weight (regression). A split is worth the sum over its sides of G^2 / H, where G
and H are the sums of the two channels: least squares for a response, and Gini's index for classes.

``share`` is the trust in each category, float64 (blocks, SIZE), or None where no column holds
categories: what deals with them is then not compiled.
"""

import math
from typing import NamedTuple

import numpy as np

from nacre.kernels.compile import compiled, inlined
from nacre.kernels.histogram import (
    BINS,
    CATEGORICAL,
    GAPS,
    KIND,
    LAST,
    MISSING,
    NUMERIC,
    WIDTH,
    heaviest_class,
)
from nacre.kernels.tree import FEATURE, GAIN, GAP, SPLIT, TABLE, THRESHOLD

# A gain below this share of the largest one possible is rounding.
ROUNDING = 1e-12
# Of two splits whose gains differ by less than this share, the first is taken.
TIE = 1e-10
# A side of less than this share of its node's weight may be empty but for rounding.
EMPTY = 1e-10


class Table(NamedTuple):
    """The binned rows and what they are labelled; constant over the trees."""

    words: np.ndarray  # uint64 (blocks, n)
    columns: np.ndarray  # int64 (4, features): LAST, BINS, KIND, GAPS
    cuts: np.ndarray  # float64 (d, 256): values up to a cut go left of it
    codes: np.ndarray  # int64 (n,): class of each row, or (0,) for regression
    classes: int  # 0 for regression


class Work(NamedTuple):
    """What growing needs; nothing of it lasts from tree to tree."""

    rows: np.ndarray  # int32 (n,): rows, those of a node together, in order
    spare: np.ndarray  # int32 (n,)
    place: np.ndarray  # int64 (nodes, 4): FIRST, STOP, DEPTH, SLOT
    open: np.ndarray  # int64 (leaves,): nodes that may be split
    free: np.ndarray  # int64 (slots + 1,): slots not in use; their number last
    hist: np.ndarray  # float64 (slots, blocks, channels, SIZE)
    pairs: np.ndarray  # float64 (blocks, 2 * SIZE): of a response, both channels side by side
    total: np.ndarray  # float64 (channels,)
    run: np.ndarray  # float64 (5, SIZE)
    peak: np.ndarray  # float64 (WIDTH,)
    best: np.ndarray  # float64 (features,)
    side: np.ndarray  # float64 (3, channels)
    goes: np.ndarray  # uint8 (256,): bins that go left
    rank: np.ndarray  # int64 (257,): categories in order; their number last
    key: np.ndarray  # float64 (256,)
    sums: np.ndarray  # float64 (256, channels)
    state: np.ndarray  # uint64 (1,)


FIRST, STOP, DEPTH, SLOT = 0, 1, 2, 3
NO_SLOT, NO_NODE = -1, -1


@inlined
def find(table, share, least, scale, work, nodes, node):
    """Write the best split of a node. False where none gains anything."""
    hist = work.hist[work.place[node, SLOT]]
    whole = channel_totals(table, work, hist)
    before = side_worth(table.classes, work.total)
    least = max(least, EMPTY * whole)
    most = -math.inf
    for block in range(len(hist)):
        score_block(table, share, work, hist[block], block, whole, least)
        for f in range(block * WIDTH, block * WIDTH + WIDTH):
            most = max(most, work.best[f])
    gain = most - before
    dust = ROUNDING * max(scale, most)
    if most == -math.inf or gain <= dust:
        return False
    goal = most - max(TIE * gain, 0.1 * dust)
    f = 0
    while work.best[f] < goal:
        f += 1
    write_split(table, share, work, hist[f // WIDTH], f, whole, least, goal, nodes, node)
    nodes.numbers[node, GAIN] = work.best[f] - before
    return True


@inlined
def write_split(table, share, work, hist, f, whole, least, goal, nodes, node):
    """Write the first split of a column that is worth ``goal``."""
    lane, bins = f % WIDTH, table.columns[BINS, f]
    if share is not None and table.columns[KIND, f] == CATEGORICAL:
        nodes.numbers[node, THRESHOLD] = math.inf
        links = nodes.links[node]
        links[FEATURE], links[SPLIT], links[TABLE] = f, -1, node
        links[GAP] = split_categories(
            table.classes, lane, bins, share[f // WIDTH], hist, work.total, whole, least, goal,
            work.side, work.key, work.rank, work.sums, nodes.sides[node],
        )  # fmt: skip
        return
    split, gap, _ = split_numbers(
        table.classes, lane, bins, hist, work.total, whole, least, goal, work.side
    )
    write_cut(table, f, split, gap, nodes, node)


@inlined
def write_cut(table, f, split, gap, nodes, node):
    """Write a split of a numeric column after one of its bins."""
    nodes.links[node, FEATURE], nodes.links[node, SPLIT], nodes.links[node, TABLE] = f, split, -1
    nodes.links[node, GAP] = gap
    last = split >= table.columns[LAST, f]
    nodes.numbers[node, THRESHOLD] = math.inf if last else table.cuts[f, split]


@inlined
def channel_totals(table, work, hist):
    """Fill in the totals of a node's histograms; return the weight."""
    whole = 0.0
    for c in range(len(work.total)):
        total = hist[0, c, MISSING * WIDTH]
        for b in range(table.columns[BINS, 0]):
            total += hist[0, c, b * WIDTH]
        work.total[c] = total
        whole += total
    return whole if table.classes else work.total[1]


@compiled
def side_worth(classes, total):
    """G^2 / H of one side; with more than two classes, the sum over classes of W_k^2 / W."""
    if classes == 0:
        return total[0] * total[0] / total[1]
    if classes == 2:
        lean = total[1] - total[0]
        return lean * lean / (total[1] + total[0])
    whole, squares = 0.0, 0.0
    for one in total:
        whole += one
        squares += one * one
    return squares / whole


@inlined
def score_block(table, share, work, hist, block, whole, least):
    """Find what the best split of each column of a block is worth."""
    top, gaps, numeric = np.int64(0), False, False
    for f in range(block * WIDTH, block * WIDTH + WIDTH):
        work.best[f] = -math.inf
        if table.columns[KIND, f] == NUMERIC:
            numeric = True
            top = max(top, table.columns[BINS, f])
            gaps = gaps or table.columns[GAPS, f] != 0
        if share is not None and table.columns[KIND, f] == CATEGORICAL:
            work.best[f] = order_categories(
                table.classes, f % WIDTH, table.columns[BINS, f], share[block], hist,
                work.total, whole, least, work.side, work.key, work.rank, work.sums,
            )  # fmt: skip
    work.peak[:] = -math.inf
    for left in range((2 if gaps else 1) if numeric else 0):
        if table.classes > 2:
            score_many(hist, work.total, whole, least, top, left == 1, work.run, work.peak)
        else:
            score_pair(hist, table.classes, work.total, least, top, left == 1, work.run, work.peak)
    for f in range(block * WIDTH, block * WIDTH + WIDTH):
        if table.columns[KIND, f] == NUMERIC:
            work.best[f] = work.peak[f % WIDTH]


@compiled
def score_pair(hist, classes, total, least, top, left, run, peak):
    """Raise each lane's ``peak`` to the best G^2 / H over both sides of a split of its column.

    Missing values go left or, unless ``left``, right.
    """
    score, pull, mass = run[0], run[1], run[2]
    one, two = hist[0], hist[1]
    gone = MISSING * WIDTH
    for j in range(WIDTH):
        pull[j] = one[j] + (one[gone + j] if left else 0.0)
        mass[j] = two[j] + (two[gone + j] if left else 0.0)
    whole_pull, whole_mass = total[0], total[1]
    if classes == 2:
        whole_pull, whole_mass = total[1] - total[0], total[1] + total[0]
        for j in range(WIDTH):
            pull[j], mass[j] = mass[j] - pull[j], mass[j] + pull[j]
        for k in range(WIDTH, top * WIDTH):
            pull[k] = pull[k - WIDTH] + (two[k] - one[k])
        for k in range(WIDTH, top * WIDTH):
            mass[k] = mass[k - WIDTH] + (two[k] + one[k])
    else:
        for k in range(WIDTH, top * WIDTH):
            pull[k] = pull[k - WIDTH] + one[k]
        for k in range(WIDTH, top * WIDTH):
            mass[k] = mass[k - WIDTH] + two[k]
    for k in range(top * WIDTH):
        g, h = pull[k], mass[k]
        other_g, other_h = whole_pull - g, whole_mass - h
        worth = (g * g * other_h + other_g * other_g * h) / (h * other_h)
        score[k] = worth if min(h, other_h) >= least else -math.inf
    raise_peaks(score, top, peak)


@compiled
def score_many(hist, total, whole, least, top, left, run, peak):
    """As ``score_pair``, of the sum over classes of W_k^2 / W."""
    score, own, mass, squares, others = run[0], run[1], run[2], run[3], run[4]
    for k in range(top * WIDTH):
        mass[k], squares[k], others[k] = 0.0, 0.0, 0.0
    for c in range(len(total)):
        one = hist[c]
        for j in range(WIDTH):
            own[j] = one[j] + (one[MISSING * WIDTH + j] if left else 0.0)
        for k in range(WIDTH, top * WIDTH):
            own[k] = own[k - WIDTH] + one[k]
        for k in range(top * WIDTH):
            w = own[k]
            mass[k] += w
            squares[k] += w * w
            others[k] += (total[c] - w) * (total[c] - w)
    for k in range(top * WIDTH):
        h = mass[k]
        worth = (squares[k] * (whole - h) + others[k] * h) / (h * (whole - h))
        score[k] = worth if min(h, whole - h) >= least else -math.inf
    raise_peaks(score, top, peak)


@compiled
def raise_peaks(score, top, peak):
    """The largest score of each lane, where it is above the peak so far."""
    for k in range(0, top * WIDTH, WIDTH):
        for j in range(WIDTH):
            peak[j] = score[k + j] if score[k + j] > peak[j] else peak[j]


@compiled
def split_numbers(classes, lane, bins, hist, total, whole, least, goal, side):
    """The first split of a numeric column worth ``goal``, or the best there is.

    Returns its bin, whether gaps go left (the heavier side, where the node has none) and its worth.
    """
    if classes <= 2:
        return split_pair(hist[0], hist[1], lane, classes, total, bins, least, goal)
    left, right = side[0], side[1]
    gaps = bin_weight(classes, hist, MISSING * WIDTH + lane) > EMPTY * whole
    split, gap, most = 0, 0, -math.inf
    for b in range(bins):
        for c in range(len(left)):
            left[c] = hist[c, b * WIDTH + lane] + (0.0 if b == 0 else left[c])
        if bin_weight(classes, hist, b * WIDTH + lane) == 0.0 and b > 0:
            continue
        for go in range(1 if gaps else 0, -1, -1):
            for c in range(len(left)):
                left[c] += hist[c, MISSING * WIDTH + lane] if go else 0.0
                right[c] = total[c] - left[c]
            here = split_worth(classes, left, right, least)
            heavier = 2.0 * side_weight(classes, left) >= whole * (1.0 - TIE)
            if here > most:
                split, gap, most = b, (go if gaps else np.int64(heavier)), here
            if most >= goal:
                return split, gap, most
            for c in range(len(left)):
                left[c] -= hist[c, MISSING * WIDTH + lane] if go else 0.0
    return split, gap, most


@compiled
def split_pair(one, two, lane, classes, total, bins, least, goal):
    """As ``split_numbers``, of two channels."""
    whole_g, whole_h = total[0], total[1]
    gone = MISSING * WIDTH + lane
    gone_g, gone_h = one[gone], two[gone]
    if classes == 2:
        whole_g, whole_h = total[1] - total[0], total[1] + total[0]
        gone_g, gone_h = gone_h - gone_g, gone_h + gone_g
    gaps = gone_h > EMPTY * whole_h
    split, gap, most = 0, 0, -math.inf
    g, h = 0.0, 0.0
    for b in range(bins):
        first, second = one[b * WIDTH + lane], two[b * WIDTH + lane]
        if classes == 2:
            first, second = second - first, second + first
        if second == 0.0 and b > 0:
            continue
        g += first
        h += second
        for go in range(1 if gaps else 0, -1, -1):
            left_g, left_h = (g + gone_g, h + gone_h) if go else (g, h)
            right_g, right_h = whole_g - left_g, whole_h - left_h
            if min(left_h, right_h) < least:
                continue
            worth = (left_g * left_g * right_h + right_g * right_g * left_h) / (left_h * right_h)
            if worth > most:
                heavier = 2.0 * left_h >= whole_h * (1.0 - TIE)
                split, gap, most = b, (go if gaps else np.int64(heavier)), worth
            if most >= goal:
                return split, gap, most
    return split, gap, most


@compiled
def bin_weight(classes, hist, k):
    """The weight of one bin."""
    if classes == 0:
        return hist[1, k]
    weight = 0.0
    for c in range(classes):
        weight += hist[c, k]
    return weight


@compiled
def side_weight(classes, total):
    """The weight of a side."""
    if classes == 0:
        return total[1]
    weight = 0.0
    for one in total:
        weight += one
    return weight


@compiled
def split_worth(classes, left, right, least):
    """What a split into two sides is worth; minus infinity where one is too light."""
    if min(side_weight(classes, left), side_weight(classes, right)) < least:
        return -math.inf
    return side_worth(classes, left) + side_worth(classes, right)


# Categories: in order of their mean, the best split is between neighbours.


@compiled
def order_categories(
    classes, lane, bins, share, hist, total, whole, least, side, key, rank, sums
):  # fmt: skip
    """Sort a column's categories by their mean (of several classes: the share of the heaviest).

    Each category's sums are drawn towards the node's mean, those of few rows more so. Returns what
    the best split is worth.
    """
    heaviest = heaviest_class(total, TIE * whole) if classes else 0
    count = 0
    for b in range(256):
        weight = bin_weight(classes, hist, b * WIDTH + lane)
        used = b < bins or b == MISSING
        if not used or weight <= EMPTY * whole:
            continue
        trust = share[b * WIDTH + lane]
        for c in range(len(total)):
            own = hist[c, b * WIDTH + lane]
            sums[b, c] = trust * own + (1.0 - trust) * total[c] / whole * weight
        if classes == 0:
            sums[b, 1] = weight
        top = sums[b, heaviest] / weight
        k = count
        while k > 0 and key[k - 1] > top + TIE * abs(top):
            key[k], rank[k] = key[k - 1], rank[k - 1]
            k -= 1
        key[k], rank[k] = top, b
        count += 1
    rank[256] = count
    return best_prefix(classes, least, math.inf, side, rank, sums)[0]


@compiled
def best_prefix(classes, least, goal, side, rank, sums):
    """The worth of the best split of the ordered categories, and how many go left.

    The first that is worth ``goal`` is good enough.
    """
    left, right = side[0], side[1]
    for c in range(len(left)):
        left[c], right[c] = 0.0, 0.0
    count = rank[256]
    for k in range(count):
        for c in range(len(left)):
            right[c] += sums[rank[k], c]
    most, size = -math.inf, 0
    for k in range(count - 1):
        for c in range(len(left)):
            left[c] += sums[rank[k], c]
            right[c] -= sums[rank[k], c]
        here = split_worth(classes, left, right, least)
        if here > most:
            most, size = here, k + 1
        if most >= goal:
            break
    return most, size


@compiled
def split_categories(
    classes, lane, bins, share, hist, total, whole, least, goal, side, key, rank, sums, goes
):  # fmt: skip
    """Write which categories go left; return whether a missing value does.

    Categories that the node has not seen go with the heavier side, and missing ones where it has
    seen none.
    """
    order_categories(
        classes, lane, bins, share, hist, total, whole, least, side, key, rank, sums
    )  # fmt: skip
    size = best_prefix(classes, least, goal, side, rank, sums)[1]
    weight = 0.0
    for k in range(size):
        weight += bin_weight(classes, hist, rank[k] * WIDTH + lane)
    heavier = np.uint8(2.0 * weight >= whole * (1.0 - TIE))
    for b in range(256):
        goes[b] = heavier
    for k in range(rank[256]):
        goes[rank[k]] = np.uint8(k < size)
    return goes[MISSING]
