"""Growing one weighted tree on binned rows.

Of two children the one of fewer rows is read; the other's histograms are the parent's less those.

Rows only meet through sums. What ``grow`` does with a node can be called apart, for rows in
several partitions: ``add_up`` (totals) and ``fill`` (histograms) are local sums of a partition's
rows, ``describe`` and ``choose_split`` look at sums of all rows only, ``part`` sends a partition's
rows left and right.

What a table does not need is not compiled for it: ``share``, the trust in categories, is None where
no column holds any, and ``tried``, room for columns that are drawn, where all are tried.
"""

import math
from typing import NamedTuple

import numpy as np

from nacre.kernels.compile import compiled, inlined
from nacre.kernels.drawn import ask
from nacre.kernels.histogram import (
    BINS,
    MISSING,
    SIZE,
    WIDTH,
    add_up,
    add_word,
    clear,
    heaviest_class,
)
from nacre.kernels.pairs import add_pairs
from nacre.kernels.split import DEPTH, FIRST, NO_NODE, NO_SLOT, SLOT, STOP, TIE, find
from nacre.kernels.tree import (
    FEATURE,
    GAIN,
    GAP,
    LEFT,
    RIGHT,
    SPLIT,
    TABLE,
    THRESHOLD,
    VALUE,
    WEIGHT,
)


class Limits(NamedTuple):
    """When a tree stops growing."""

    depth: int
    leaves: int
    best_first: bool
    weight: float  # least share of the whole weight on each side of a split
    features: int  # columns tried per node, 0 for all
    random: bool  # whether numeric columns are cut at random


@compiled
def grow(table, share, tried, limits, first, second, work, nodes, leaf):
    """Grow a tree; return its number of nodes. ``leaf`` gets the leaf of each row.

    ``first`` is the weight of each row and ``second`` empty, or ``first`` is the weighted response
    and ``second`` its weight. Rows of no weight are only sent down the tree in the end.
    """
    weighty = list_rows(first if table.classes else second, work.rows)
    if tried is not None:
        for f in range(len(tried)):
            tried[f] = f
    slots = work.hist.shape[0]
    for k in range(slots):
        work.free[k] = slots - 1 - k
    work.free[slots] = slots
    zero = np.int64(0)  # of one type with all later nodes, so that each function has one form
    begin(table, first, second, work, nodes, zero, zero, weighty, zero)
    least = limits.weight * nodes.numbers[0, WEIGHT] * (1.0 - TIE)
    scale = most_worth(*add_sizes(first, second))
    count, leaves, waiting = zero + 1, zero + 1, zero
    few, many, slot = zero, zero + NO_NODE, zero + NO_SLOT
    while True:
        see_few = leaves < limits.leaves and worth_reading(limits, least, work, nodes, few)
        see_many = leaves < limits.leaves and worth_reading(limits, least, work, nodes, many)
        if tried is None:
            read(table, first, second, work, few, see_few, many, see_many, slot)
        for k in range(2):
            node, see = (few, see_few) if k else (many, see_many)
            if not see:
                continue
            if tried is None:
                waiting = consider(table, share, least, scale, work, nodes, node, waiting)
            else:
                waiting = ask(
                    table, share, tried, limits, least, scale, first, second, work, nodes, node,
                    waiting,
                )  # fmt: skip
        if not waiting or leaves == limits.leaves:
            break
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
    for node in range(count):
        if nodes.links[node, LEFT] < 0:
            nodes.links[node, FEATURE], nodes.links[node, TABLE] = -1, -1
            nodes.numbers[node, GAIN] = 0.0
            mark_rows(work.rows, work.place[node, FIRST], work.place[node, STOP], node, leaf)
    send_down(table, work, nodes, count, weighty, leaf)
    return count


@compiled
def send_down(table, work, nodes, count, first, leaf):
    """The leaves that rows come to, from the ``first`` of a list on.

    Nodes part them one after the other, as trees are grown: children come after their parents.
    """
    zero = np.int64(0)
    place_node(work, zero, first, len(work.rows), zero)
    for node in range(count):
        start, stop = work.place[node, FIRST], work.place[node, STOP]
        left, right = np.int64(nodes.links[node, LEFT]), np.int64(nodes.links[node, RIGHT])
        if left < 0:
            mark_rows(work.rows, start, stop, node, leaf)
        else:
            cut = part(table, work, nodes, node)
            place_node(work, left, start, cut, zero)
            place_node(work, right, cut, stop, zero)


@compiled
def mark_rows(rows, start, stop, node, leaf):
    """Note the leaf that some rows come to."""
    for k in range(start, stop):
        leaf[rows[k]] = node


@compiled
def list_rows(weight, rows):
    """List the rows that have weight, in order, then the others; return how many have."""
    count, last = 0, len(rows) - 1
    for i in range(len(rows)):  # without a branch, which could not be foreseen where rows are drawn
        rows[count], rows[last] = i, i
        has = np.int64(weight[i] > 0.0)
        count += has
        last -= 1 - has
    return count


@inlined
def begin(table, first, second, work, nodes, node, start, stop, depth):
    """Set up a node of rows: its weight and what it says."""
    place_node(work, node, start, stop, depth)
    whole = add_up(table.codes, first, second, work.rows, start, stop, work.total)
    describe(table, work.total, whole, nodes, node)


@inlined
def place_node(work, node, start, stop, depth):
    """Note where the rows of a node stand, and how deep it is."""
    place = work.place[node]
    place[FIRST], place[STOP], place[DEPTH], place[SLOT] = start, stop, depth, NO_SLOT


@inlined
def describe(table, total, whole, nodes, node):
    """Set up a node whose rows have the totals ``total`` and the weight ``whole``."""
    nodes.links[node] = -1
    nodes.numbers[node, THRESHOLD] = math.inf
    nodes.numbers[node, WEIGHT] = whole
    if table.classes:
        nodes.numbers[node, VALUE] = heaviest_class(total, TIE * whole)
    else:
        nodes.numbers[node, VALUE] = total[0] / whole if whole > 0.0 else 0.0


@compiled
def add_sizes(first, second):
    """The sums of sizes and of weights of all rows."""
    size, weight = 0.0, 0.0
    for i in range(len(first)):
        size += abs(first[i])
        weight += second[i] if len(second) else first[i]
    return size, weight


@compiled
def most_worth(size, weight):
    """What all rows together could be worth at most, but for outliers of the response."""
    return size * size / weight if weight > 0.0 else 0.0


@inlined
def worth_reading(limits, least, work, nodes, node):
    """Whether there is a node that may be split further."""
    place = work.place[node]
    return (
        node != NO_NODE
        and place[DEPTH] < limits.depth
        and place[STOP] - place[FIRST] > 1
        and nodes.numbers[node, WEIGHT] > 0.0
        and nodes.numbers[node, WEIGHT] >= 2.0 * least
    )


@inlined
def take_slot(work):
    """Room for a node's histograms."""
    last = len(work.free) - 1
    work.free[last] -= 1
    return work.free[work.free[last]]


@inlined
def give_slot(work, slot):
    """Room that is no longer needed."""
    last = len(work.free) - 1
    work.free[work.free[last]] = slot
    work.free[last] += 1


@inlined
def read(table, first, second, work, few, see_few, many, see_many, slot):
    """Fill in the histograms of the children that may be split; ``slot`` has their parent's."""
    if see_few or see_many:
        work.place[few, SLOT] = take_slot(work)
        fill(table, first, second, work, few)
    pass_on(table, work, few, see_few, many, see_many, slot)


@inlined
def pass_on(table, work, few, see_few, many, see_many, slot):
    """Have a parent's slot become the larger child's, the smaller one having been read; or free."""
    if see_many:
        work.place[many, SLOT] = slot
        subtract(table, work, slot, work.place[few, SLOT])
        if not see_few:
            give_slot(work, work.place[few, SLOT])
    elif slot != NO_SLOT:
        give_slot(work, slot)


@inlined
def fill(table, first, second, work, node):
    """Read a node's rows into the histograms of its slot."""
    start, stop = work.place[node, FIRST], work.place[node, STOP]
    for block in range(table.words.shape[0]):
        hist = work.hist[work.place[node, SLOT], block]
        for c in range(hist.shape[0]):
            clear(table.columns, block, hist[c])
        if table.classes:
            add_classes(table.words[block], table.codes, first, work.rows, start, stop, hist)
        else:
            add_pairs(
                table.words[block], first, second, work.rows, start, stop, table.columns, block,
                work.pairs[block], hist,
            )  # fmt: skip


@compiled
def add_classes(words, codes, weight, rows, start, stop, hist):
    """Add the rows of a node to the histograms of their classes."""
    for k in range(start, stop):
        i = rows[k]
        add_word(words[i], weight[i], hist[codes[i]])


@inlined
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


@inlined
def pick(limits, work, nodes, waiting):
    """The next node to split, taken off the list: the last to come or, of most gain, the first."""
    k = waiting - 1
    if limits.best_first:
        k = 0
        for other in range(1, waiting):
            own, rival = work.open[k], work.open[other]
            better = nodes.numbers[rival, GAIN] - nodes.numbers[own, GAIN]
            near = TIE * nodes.numbers[own, GAIN]
            if better > near or (better >= -near and rival < own):
                k = other
    node = work.open[k]
    for other in range(k + 1, waiting):
        work.open[other - 1] = work.open[other]
    return node


@inlined
def consider(table, share, least, scale, work, nodes, node, waiting):
    """Find a node's best split; have it wait where there is one. Returns how many wait."""
    if not choose_split(table, share, least, scale, work, nodes, node):
        give_slot(work, work.place[node, SLOT])
        return waiting
    work.open[waiting] = node
    return waiting + 1


@inlined
def choose_split(table, share, least, scale, work, nodes, node):
    """Write a node's best split, from the histograms of its slot. False where none gains."""
    return find(table, share, least, scale, work, nodes, node)


@inlined
def part(table, work, nodes, node):
    """Bring the rows of a node that go left before the others; return where those begin."""
    f = nodes.links[node, FEATURE]
    mark_sides(nodes, node, work.goes)
    return part_rows(
        table.words[f // WIDTH], f % WIDTH, work.goes, work.rows, work.spare,
        work.place[node, FIRST], work.place[node, STOP],
    )  # fmt: skip


@inlined
def mark_sides(nodes, node, goes):
    """Which bins of its column go left at a node."""
    if nodes.links[node, SPLIT] < 0:
        for b in range(256):
            goes[b] = nodes.sides[node, b]
    else:
        for b in range(256):
            goes[b] = np.uint8(b <= nodes.links[node, SPLIT])
        goes[MISSING] = nodes.links[node, GAP]


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
