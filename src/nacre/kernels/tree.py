"""Growing one weighted tree on binned rows.

A node's histograms have one channel per class (classification) or two, for a response times its
weight and for the weight (regression). A split is worth the sum over its sides of G^2 / H, where G
and H are the sums of the two channels: least squares for a response, and Gini's index for classes.
Of two children the one of fewer rows is read; the other's histograms are the parent's less those.
"""

import math
from typing import NamedTuple

import numpy as np

from nacre.kernels import random as rd
from nacre.kernels.binning import TILE
from nacre.kernels.compile import compiled, internal
from nacre.kernels.histogram import (
    BINS,
    CATEGORICAL,
    GAPS,
    KIND,
    LAST,
    MISSING,
    NUMERIC,
    SIZE,
    WIDTH,
    add_word,
    clear,
    heaviest_class,
)
from nacre.kernels.score import cast

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
    share: np.ndarray  # float64 (blocks, SIZE) or (0, SIZE): trust in a category
    codes: np.ndarray  # int64 (n,): class of each row, or (0,) for regression
    classes: int  # 0 for regression


class Limits(NamedTuple):
    """When a tree stops growing."""

    depth: int
    leaves: int
    best_first: bool
    weight: float  # least share of the whole weight on each side of a split
    features: int  # columns tried per node, 0 for all


class Nodes(NamedTuple):
    """A tree, the root first: a row a node."""

    links: np.ndarray  # int32 (nodes, 6): FEATURE, SPLIT, LEFT, RIGHT, GAP, TABLE
    numbers: np.ndarray  # float64 (nodes, 4): THRESHOLD, VALUE, GAIN, WEIGHT
    sides: np.ndarray  # uint8 (nodes, 256) or (0, 256): categories that go left


# The column a node decides on, -1 for a leaf; the last bin that goes left, -1 for a categorical
# split; the nodes on both sides; whether a missing value goes left; the row of ``sides`` of a
# categorical split, else -1
FEATURE, SPLIT, LEFT, RIGHT, GAP, TABLE = 0, 1, 2, 3, 4, 5
THRESHOLD, VALUE, GAIN, WEIGHT = 0, 1, 2, 3


class Work(NamedTuple):
    """What growing needs; nothing of it lasts from tree to tree."""

    rows: np.ndarray  # int32 (n,): rows, those of a node together, in order
    spare: np.ndarray  # int32 (n,)
    place: np.ndarray  # int64 (nodes, 4): FIRST, STOP, DEPTH, SLOT
    open: np.ndarray  # int64 (leaves,): nodes that may be split
    free: np.ndarray  # int64 (slots + 1,): slots not in use; their number last
    hist: np.ndarray  # float64 (slots, blocks, channels, SIZE)
    total: np.ndarray  # float64 (channels,)
    run: np.ndarray  # float64 (5, SIZE)
    peak: np.ndarray  # float64 (WIDTH,)
    best: np.ndarray  # float64 (features,)
    tried: np.ndarray  # int32 (d,): the columns, those to be tried first
    side: np.ndarray  # float64 (2, channels)
    goes: np.ndarray  # uint8 (256,): bins that go left
    rank: np.ndarray  # int64 (257,): categories in order; their number last
    key: np.ndarray  # float64 (256,)
    sums: np.ndarray  # float64 (256, channels)
    state: np.ndarray  # uint64 (1,)


FIRST, STOP, DEPTH, SLOT = 0, 1, 2, 3
NO_SLOT = -1


@compiled
def grow(table, limits, first, second, work, nodes, leaf):
    """Grow a tree; return its number of nodes. ``leaf`` gets the leaf of each row.

    ``first`` is the weight of each row and ``second`` empty, or ``first`` is the weighted response
    and ``second`` its weight.
    """
    n = table.words.shape[1]
    for i in range(n):
        work.rows[i] = i
    for f in range(len(work.tried)):
        work.tried[f] = f
    slots = work.hist.shape[0]
    for k in range(slots):
        work.free[k] = slots - 1 - k
    work.free[slots] = slots
    begin(table, first, second, work, nodes, 0, 0, n, 0)
    least = limits.weight * nodes.numbers[0, WEIGHT]
    scale = most_worth(first, second)
    count, leaves, waiting = 1, 1, 0
    if limits.leaves > 1 and worth_reading(limits, least, work, nodes, 0):
        if limits.features:
            waiting = ask(table, limits, least, scale, first, second, work, nodes, 0, waiting)
        else:
            work.place[0, SLOT] = take_slot(work)
            fill(table, first, second, work, 0)
            waiting = consider(table, least, scale, work, nodes, 0, waiting)
    while waiting and leaves < limits.leaves:
        node = pick(limits, work, nodes, waiting)
        waiting -= 1
        cut = part(table, work, nodes, node)
        start, stop = work.place[node, FIRST], work.place[node, STOP]
        depth, slot = work.place[node, DEPTH], work.place[node, SLOT]
        left, right = count, count + 1
        nodes.links[node, LEFT], nodes.links[node, RIGHT] = left, right
        count += 2
        leaves += 1
        begin(table, first, second, work, nodes, left, start, cut, depth + 1)
        begin(table, first, second, work, nodes, right, cut, stop, depth + 1)
        few, many = (left, right) if cut - start <= stop - cut else (right, left)
        see_few = leaves < limits.leaves and worth_reading(limits, least, work, nodes, few)
        see_many = leaves < limits.leaves and worth_reading(limits, least, work, nodes, many)
        if limits.features:
            if see_many:
                waiting = ask(
                    table, limits, least, scale, first, second, work, nodes, many, waiting
                )
            if see_few:
                waiting = ask(table, limits, least, scale, first, second, work, nodes, few, waiting)
            continue
        if not (see_few or see_many):
            give_slot(work, slot)
            continue
        work.place[few, SLOT] = take_slot(work)
        work.place[many, SLOT] = slot
        fill(table, first, second, work, few)
        if see_many:
            subtract(table, work, slot, work.place[few, SLOT])
            waiting = consider(table, least, scale, work, nodes, many, waiting)
        else:
            give_slot(work, slot)
        if see_few:
            waiting = consider(table, least, scale, work, nodes, few, waiting)
        else:
            give_slot(work, work.place[few, SLOT])
    for node in range(count):
        if nodes.links[node, LEFT] < 0:
            nodes.links[node, FEATURE], nodes.links[node, TABLE] = -1, -1
            nodes.numbers[node, GAIN] = 0.0
            for k in range(work.place[node, FIRST], work.place[node, STOP]):
                leaf[work.rows[k]] = node
    return count


@internal
def begin(table, first, second, work, nodes, node, start, stop, depth):
    """Set up a node of rows: its weight and what it says."""
    place = work.place[node]
    place[FIRST], place[STOP], place[DEPTH], place[SLOT] = start, stop, depth, NO_SLOT
    nodes.links[node] = -1
    nodes.numbers[node, THRESHOLD] = math.inf
    whole = add_up(table.codes, first, second, work.rows, start, stop, work.total)
    nodes.numbers[node, WEIGHT] = whole
    if table.classes:
        nodes.numbers[node, VALUE] = heaviest_class(work.total, TIE * whole)
    else:
        nodes.numbers[node, VALUE] = work.total[0] / whole if whole > 0.0 else 0.0


@compiled
def add_up(codes, first, second, rows, start, stop, total):
    """The channels' totals over some rows, into ``total``. Returns their weight."""
    for c in range(len(total)):
        total[c] = 0.0
    if len(codes):
        whole = 0.0
        for k in range(start, stop):
            i = rows[k]
            total[codes[i]] += first[i]
            whole += first[i]
        return whole
    for k in range(start, stop):
        i = rows[k]
        total[0] += first[i]
        total[1] += second[i]
    return total[1]


@internal
def worth_reading(limits, least, work, nodes, node):
    """Whether a node may be split further."""
    place = work.place[node]
    return (
        place[DEPTH] < limits.depth
        and place[STOP] - place[FIRST] > 1
        and nodes.numbers[node, WEIGHT] > 0.0
        and nodes.numbers[node, WEIGHT] >= 2.0 * least
    )


@internal
def take_slot(work):
    """Room for a node's histograms."""
    last = len(work.free) - 1
    work.free[last] -= 1
    return work.free[work.free[last]]


@internal
def give_slot(work, slot):
    """Room that is no longer needed."""
    last = len(work.free) - 1
    work.free[work.free[last]] = slot
    work.free[last] += 1


@internal
def fill(table, first, second, work, node):
    """Read a node's rows into its histograms."""
    start, stop = work.place[node, FIRST], work.place[node, STOP]
    for block in range(table.words.shape[0]):
        hist = work.hist[work.place[node, SLOT], block]
        for c in range(hist.shape[0]):
            clear(table.columns, block, hist[c])
        if table.classes:
            add_classes(table.words[block], table.codes, first, work.rows, start, stop, hist)
        else:
            add_pairs(table.words[block], first, second, work.rows, start, stop, hist)


@compiled
def add_classes(words, codes, weight, rows, start, stop, hist):
    """Add the rows of a node to the histograms of their classes."""
    for k in range(start, stop):
        i = rows[k]
        add_word(words[i], weight[i], hist[codes[i]])


@compiled
def add_pairs(words, first, second, rows, start, stop, hist):
    """Add the rows of a node to both histograms."""
    one, two = hist[0], hist[1]
    for k in range(start, stop):
        i = rows[k]
        add_word(words[i], first[i], one)
        add_word(words[i], second[i], two)


@internal
def subtract(table, work, slot, other):
    """Take one node's histograms from another's."""
    for block in range(table.words.shape[0]):
        for c in range(work.hist.shape[2]):
            take_off(table.columns, block, work.hist[slot, block, c], work.hist[other, block, c])


@compiled
def take_off(columns, block, hist, other):
    """Subtract the bins that the block's columns use."""
    used = np.int64(0)
    for f in range(block * WIDTH, block * WIDTH + WIDTH):
        used = max(used, columns[BINS, f])
    for k in range(used * WIDTH):
        hist[k] -= other[k]
    for k in range(MISSING * WIDTH, SIZE):
        hist[k] -= other[k]


@internal
def pick(limits, work, nodes, waiting):
    """The next node to split, taken off the list: the one of most gain, or the last to come."""
    k = waiting - 1
    if limits.best_first:
        k = 0
        for other in range(1, waiting):
            if nodes.numbers[work.open[other], GAIN] > nodes.numbers[work.open[k], GAIN]:
                k = other
    node = work.open[k]
    for other in range(k + 1, waiting):
        work.open[other - 1] = work.open[other]
    return node


@internal
def consider(table, least, scale, work, nodes, node, waiting):
    """Find a node's best split; have it wait where there is one. Returns how many wait."""
    found = find(table, least, scale, work, nodes, node)
    if not found:
        give_slot(work, work.place[node, SLOT])
        return waiting
    work.open[waiting] = node
    return waiting + 1


# The best split of a node


@internal
def find(table, least, scale, work, nodes, node):
    """Write the best split of a node. False where none gains anything."""
    hist = work.hist[work.place[node, SLOT]]
    whole = channel_totals(table, work, hist)
    before = side_worth(table.classes, work.total)
    least = max(least, EMPTY * whole)
    most = -math.inf
    for block in range(len(hist)):
        score_block(table, work, hist[block], block, whole, least)
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
    write_split(table, work, hist[f // WIDTH], f, whole, least, goal, nodes, node)
    nodes.numbers[node, GAIN] = work.best[f] - before
    return True


@internal
def write_split(table, work, hist, f, whole, least, goal, nodes, node):
    """Write the first split of a column that is worth ``goal``; return what it is worth."""
    nodes.links[node, FEATURE] = f
    nodes.numbers[node, THRESHOLD] = math.inf
    if table.columns[KIND, f] == CATEGORICAL:
        nodes.links[node, SPLIT], nodes.links[node, TABLE] = -1, node
        nodes.links[node, GAP], worth = split_categories(
            table, work, hist, f, whole, least, goal, nodes.sides[node]
        )
        return worth
    split, gap, worth = split_numbers(table, work, hist, f, whole, least, goal)
    nodes.links[node, SPLIT], nodes.links[node, GAP], nodes.links[node, TABLE] = split, gap, -1
    if split < table.columns[LAST, f]:
        nodes.numbers[node, THRESHOLD] = table.cuts[f, split]
    return worth


# A few columns, drawn at random: only they are read, so nothing is kept for the children


@internal
def ask(table, limits, least, scale, first, second, work, nodes, node, waiting):
    """As ``consider``, of columns drawn anew; of all others in turn where those have no split."""
    start, stop = work.place[node, FIRST], work.place[node, STOP]
    whole = add_up(table.codes, first, second, work.rows, start, stop, work.total)
    before = side_worth(table.classes, work.total)
    least = max(least, EMPTY * whole)
    choose(work.state, work.tried, limits.features)
    most, column = -math.inf, -1
    hist = work.hist[0, 0]
    for k in range(len(work.tried)):
        if k >= limits.features and column >= 0:
            break
        f = work.tried[k]
        fill_lane(table, first, second, work.rows, start, stop, f, hist)
        if table.columns[KIND, f] == CATEGORICAL:
            worth = order_categories(table, work, hist, f, whole, least)
        else:
            worth = split_numbers(table, work, hist, f, whole, least, math.inf)[2]
        gain = worth - before
        dust = ROUNDING * max(scale, worth)
        if gain > dust and worth > most + max(TIE * gain, 0.1 * dust):
            most, column = worth, f
    if column < 0:
        return waiting
    fill_lane(table, first, second, work.rows, start, stop, column, hist)
    goal = most - max(TIE * (most - before), 0.1 * ROUNDING * max(scale, most))
    write_split(table, work, hist, column, whole, least, goal, nodes, node)
    nodes.numbers[node, GAIN] = most - before
    work.open[waiting] = node
    return waiting + 1


@internal
def fill_lane(table, first, second, rows, start, stop, f, hist):
    """Read a node's rows into the histograms of one column."""
    lane = f % WIDTH
    for c in range(hist.shape[0]):
        for b in range(table.columns[BINS, f]):
            hist[c, b * WIDTH + lane] = 0.0
        hist[c, MISSING * WIDTH + lane] = 0.0
    add_lane(table.words[f // WIDTH], lane, table.codes, first, second, rows, start, stop, hist)


@compiled
def add_lane(words, lane, codes, first, second, rows, start, stop, hist):
    """Add the rows of a node to the bins of one column."""
    shift = np.uint64(8 * lane)
    for k in range(start, stop):
        i = rows[k]
        place = ((words[i] >> shift) & np.uint64(255)) * np.uint64(WIDTH) + np.uint64(lane)
        if len(codes):
            hist[codes[i], place] += first[i]
        else:
            hist[0, place] += first[i]
            hist[1, place] += second[i]


@compiled
def most_worth(first, second):
    """What all rows together could be worth at most, but for outliers of the response."""
    size, weight = 0.0, 0.0
    for i in range(len(first)):
        size += abs(first[i])
        weight += second[i] if len(second) else first[i]
    return size * size / weight if weight > 0.0 else 0.0


@internal
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


@internal
def score_block(table, work, hist, block, whole, least):
    """Find what the best split of each column of a block is worth."""
    top, gaps, numeric = np.int64(0), False, False
    for f in range(block * WIDTH, block * WIDTH + WIDTH):
        work.best[f] = -math.inf
        if table.columns[KIND, f] == NUMERIC:
            numeric = True
            top = max(top, table.columns[BINS, f])
            gaps = gaps or table.columns[GAPS, f] != 0
        elif table.columns[KIND, f] == CATEGORICAL:
            work.best[f] = order_categories(table, work, hist, f, whole, least)
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


@internal
def split_numbers(table, work, hist, f, whole, least, goal):
    """The first split of a numeric column worth ``goal``, or the best there is.

    Returns its bin, whether gaps go left (the heavier side, where the node has none) and its worth.
    """
    lane = f % WIDTH
    if table.classes <= 2:
        return split_pair(
            hist[0], hist[1], lane, table.classes, work.total, table.columns[BINS, f], least, goal
        )
    left, right = work.side[0], work.side[1]
    absent = bin_weight(table.classes, hist, MISSING * WIDTH + lane)
    gaps = absent > EMPTY * whole
    split, gap, most = 0, 0, -math.inf
    for b in range(table.columns[BINS, f]):
        for c in range(len(left)):
            left[c] = hist[c, b * WIDTH + lane] + (0.0 if b == 0 else left[c])
        if bin_weight(table.classes, hist, b * WIDTH + lane) == 0.0 and b > 0:
            continue
        for go in range(1 if gaps else 0, -1, -1):
            for c in range(len(left)):
                left[c] += hist[c, MISSING * WIDTH + lane] if go else 0.0
                right[c] = work.total[c] - left[c]
            here = split_worth(table.classes, left, right, least)
            heavier = 2.0 * side_weight(table.classes, left) >= whole * (1.0 - TIE)
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


@internal
def order_categories(table, work, hist, f, whole, least):
    """Sort a column's categories by their mean (of several classes: the share of the heaviest).

    Each category's sums are drawn towards the node's mean, those of few rows more so. Returns what
    the best split is worth.
    """
    lane = f % WIDTH
    share = table.share[f // WIDTH]
    heaviest = 0
    for c in range(len(work.total)):
        if work.total[c] > work.total[heaviest]:
            heaviest = c
    count = 0
    for b in range(256):
        weight = bin_weight(table.classes, hist, b * WIDTH + lane)
        used = b < table.columns[BINS, f] or b == MISSING
        if not used or weight <= EMPTY * whole:
            continue
        trust = share[b * WIDTH + lane]
        for c in range(len(work.total)):
            own = hist[c, b * WIDTH + lane]
            work.sums[b, c] = trust * own + (1.0 - trust) * work.total[c] / whole * weight
        if table.classes == 0:
            work.sums[b, 1] = weight
        top = work.sums[b, heaviest if table.classes else 0] / weight
        k = count
        while k > 0 and work.key[k - 1] > top:
            work.key[k], work.rank[k] = work.key[k - 1], work.rank[k - 1]
            k -= 1
        work.key[k], work.rank[k] = top, b
        count += 1
    work.rank[256] = count
    return best_prefix(table, work, least, math.inf)[0]


@internal
def best_prefix(table, work, least, goal):
    """The worth of the best split of the ordered categories, and how many go left.

    The first that is worth ``goal`` is good enough.
    """
    left, right = work.side[0], work.side[1]
    for c in range(len(left)):
        left[c], right[c] = 0.0, 0.0
    count = work.rank[256]
    for k in range(count):
        for c in range(len(left)):
            right[c] += work.sums[work.rank[k], c]
    most, size = -math.inf, 0
    for k in range(count - 1):
        for c in range(len(left)):
            left[c] += work.sums[work.rank[k], c]
            right[c] -= work.sums[work.rank[k], c]
        here = split_worth(table.classes, left, right, least)
        if here > most:
            most, size = here, k + 1
        if most >= goal:
            break
    return most, size


@internal
def split_categories(table, work, hist, f, whole, least, goal, goes):
    """Write which categories go left; return whether a missing value does, and the worth.

    Categories that the node has not seen go with the heavier side, and missing ones where it has
    seen none.
    """
    order_categories(table, work, hist, f, whole, least)
    worth, size = best_prefix(table, work, least, goal)
    weight = 0.0
    for k in range(size):
        weight += bin_weight(table.classes, hist, work.rank[k] * WIDTH + f % WIDTH)
    heavier = np.uint8(2.0 * weight >= whole * (1.0 - TIE))
    for b in range(256):
        goes[b] = heavier
    for k in range(work.rank[256]):
        goes[work.rank[k]] = np.uint8(k < size)
    return goes[MISSING], worth


# Going down


@internal
def part(table, work, nodes, node):
    """Bring the rows of a node that go left before the others; return where those begin."""
    f, goes = nodes.links[node, FEATURE], work.goes
    if nodes.links[node, SPLIT] < 0:
        for b in range(256):
            goes[b] = nodes.sides[node, b]
    else:
        for b in range(256):
            goes[b] = np.uint8(b <= nodes.links[node, SPLIT])
        goes[MISSING] = nodes.links[node, GAP]
    return part_rows(
        table.words[f // WIDTH], f % WIDTH, goes, work.rows, work.spare,
        work.place[node, FIRST], work.place[node, STOP],
    )  # fmt: skip


@compiled
def part_rows(words, lane, goes, rows, spare, start, stop):
    """Stable partition of ``rows[start:stop]`` by the side of their bins."""
    shift = np.uint64(8 * lane)
    left, right = start, 0
    for k in range(start, stop):
        i = rows[k]
        side = goes[(words[i] >> shift) & np.uint64(255)]
        rows[left] = i
        spare[right] = i
        left += side
        right += 1 - side
    for k in range(right):
        rows[left + k] = spare[k]
    return left


@compiled
def refine(leaf, first, second, total, value):
    """Set each leaf's value to the ratio of two sums over its rows."""
    for node in range(len(value)):
        total[node], value[node] = 0.0, 0.0
    for i in range(len(leaf)):
        value[leaf[i]] += first[i]
        total[leaf[i]] += second[i]
    for node in range(len(value)):
        value[node] = value[node] / total[node] if total[node] > 0.0 else 0.0


# Predicting: the nodes of all trees one after the other, ``roots`` the place of each first one


@compiled
def find_leaf(x, root, links, numbers, sides):
    """The leaf that a row comes to; categorical columns of ``x`` hold codes."""
    node = root
    while links[node, FEATURE] >= 0:
        value = x[links[node, FEATURE]]
        if value != value:
            goes = links[node, GAP] != 0
        elif links[node, TABLE] >= 0:
            goes = sides[links[node, TABLE], np.int64(value)] != 0
        else:
            goes = value <= numbers[node, THRESHOLD]
        node = root + (links[node, LEFT] if goes else links[node, RIGHT])
    return node


@compiled
def find_leaves(X, root, links, numbers, sides, leaf):
    """The leaf of one tree that each row comes to."""
    for i in range(X.shape[0]):
        leaf[i] = find_leaf(X[i], root, links, numbers, sides)


@compiled
def add_votes(X, roots, links, numbers, sides, votes, out):
    """Add the trees' votes for classes: signed where there is one column for two."""
    for start in range(0, X.shape[0], TILE):
        for t in range(len(roots)):
            for i in range(start, min(start + TILE, X.shape[0])):
                node = find_leaf(X[i], roots[t], links, numbers, sides)
                cast(out, i, np.int64(numbers[node, VALUE]), votes[t])


@compiled
def add_values(X, roots, links, numbers, sides, votes, column, out):
    """Add the trees' values times their votes, each to its own column."""
    for start in range(0, X.shape[0], TILE):
        for t in range(len(roots)):
            for i in range(start, min(start + TILE, X.shape[0])):
                node = find_leaf(X[i], roots[t], links, numbers, sides)
                out[i, column[t]] += votes[t] * numbers[node, VALUE]
