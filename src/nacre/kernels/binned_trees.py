"""Trees over bins: how rows find the leaves of many trees, and what those say in sum.

Rows are read into bins once, a byte a cell, and then all trees look at bytes. The nodes of each
tree stand in preorder: a node, all on its left, all on its right. So the left child is the next
node, and leaves stand from left to right.

Trees of up to 32 leaves are not walked through. A node says which leaves are out of reach of rows
that go right, as bits, for 64 rows at a time by vector instructions; the first leaf from the left
that no node rules out is where a row ends (QuickScorer, Lucchese et al. 2015). Larger trees are
walked through, 64 rows by each tree while it is in the cache.

A decision is one number: the column, whether gaps go left (bins are then raised by one, so that
255 becomes 0), the least bin that goes right, and the node that is there. Indices are unsigned:
Numba looks whether others are below 0.
"""

import numpy as np

from nacre.kernels.compile import compiled

LANES = 64
"""Rows at a time: a byte each fills the widest vector."""

SMALL = 32
"""Leaves of a tree that has a bit for each."""

ALL = np.uint32(2**32 - 1)
SPREAD = np.uint32(0x077CB531)  # a de Bruijn sequence: which bit it is shifted by, its top bits say
BIT = np.zeros(32, np.uint8)
BIT[(((1 << np.arange(32)) * 0x077CB531) % 2**32) >> 27] = np.arange(32)

# The parts of a decision, from the lowest bit on: 32 bits, 9 bits, 1 bit, the rest
LEAST, GAP, COLUMN = np.uint64(32), np.uint64(41), np.uint64(42)
RIGHT_BITS, LEAST_BITS = np.uint64(2**32 - 1), np.uint64(511)
ONE, BYTE = np.uint64(1), np.uint64(255)


@compiled
def read_bins(X, columns, counts, cuts, values, codes, bins):
    """The bins of numeric columns, a row a column; ``cuts`` has 256 a column, infinite at the end.

    A value up to a cut is left of it; NaN is in bin 255. ``values`` and ``codes`` have a place for
    each of the rows that are searched for together.
    """
    for start in range(0, len(X), len(codes)):
        rows = min(len(codes), len(X) - start)
        for k in range(len(columns)):
            j, cut, half = columns[k], cuts[k], np.uint32(1)
            while half <= counts[k]:
                half *= np.uint32(2)
            for r in range(rows):
                values[r], codes[r] = X[start + r, j], 0
            while half > 1:
                half //= np.uint32(2)
                for r in range(rows):
                    codes[r] += half * np.uint32(values[r] > cut[codes[r] + half - np.uint32(1)])
            for r in range(rows):
                bins[j, start + r] = codes[r] if values[r] == values[r] else 255


@compiled
def preorder(feature, left, right, stack, order):
    """The nodes of a tree in preorder."""
    stack[0] = 0
    waiting, count = 1, 0
    while waiting:
        waiting -= 1
        node = stack[waiting]
        order[count] = node
        count += 1
        if feature[node] >= 0:
            stack[waiting], stack[waiting + 1] = right[node], left[node]
            waiting += 2


@compiled
def link(inner, stack, right):
    """The right child of each node, of a leaf itself; returns the number of trees.

    ``inner`` says which nodes are no leaves. The roots are left in ``stack``, the last one first.
    """
    count = 0
    for node in range(len(inner) - 1, -1, -1):
        if inner[node]:
            right[node] = stack[count - 2]
            count -= 2
        else:
            right[node] = node
        stack[count] = node
        count += 1
    return count


@compiled
def sift(column, decision, mask, alive):
    """Rule out leaves of the rows that go right."""
    gap = np.uint8((decision >> GAP) & ONE)
    last = np.uint8(((decision >> LEAST) & LEAST_BITS) - ONE)
    for r in range(LANES):
        alive[r] &= mask if np.uint8(column[r] + gap) > last else ALL


@compiled
def sift_categories(column, side, mask, alive):
    """The same of a column of categories."""
    for r in range(LANES):
        alive[r] &= ALL if side[column[r]] else mask


@compiled
def add_small(bins, begins, decisions, tables, masks, sides, leaves, alive, values, out):
    """Add what small trees say. ``begins`` and ``leaves`` are their first decisions and leaves."""
    for start in range(0, len(out), LANES):
        for t in range(len(leaves)):
            for r in range(LANES):
                alive[r] = ALL
            for k in range(begins[t], begins[t + 1]):
                column = bins[decisions[k] >> COLUMN, start : start + LANES]
                if tables[k] >= 0:
                    sift_categories(column, sides[tables[k]], masks[k], alive)
                else:
                    sift(column, decisions[k], masks[k], alive)
            for r in range(np.uint64(min(LANES, len(out) - start))):
                lowest = np.uint32(alive[r] & (~alive[r] + np.uint32(1)))
                leaf = leaves[t] + np.uint64(BIT[np.uint32(lowest * SPREAD) >> np.uint32(27)])
                for c in range(out.shape[1]):
                    out[np.uint64(start) + r, c] += values[leaf, c]


@compiled
def add_large(bins, roots, decisions, tables, sides, leaf, values, out):
    """Add what trees of any size say. A leaf is its own right child."""
    for start in range(0, len(out), LANES):
        for t in range(len(roots)):
            for i in range(np.uint64(start), np.uint64(min(start + LANES, len(out)))):
                node = roots[t]
                while True:
                    what = decisions[node]
                    right = what & RIGHT_BITS
                    if right == node:
                        break
                    b = np.uint64(bins[what >> COLUMN, i])
                    goes = ((b + ((what >> GAP) & ONE)) & BYTE) >= ((what >> LEAST) & LEAST_BITS)
                    if len(sides) and tables[node] >= 0:
                        goes = sides[tables[node], b] == 0
                    node = right if goes else node + ONE
                for c in range(out.shape[1]):
                    out[i, c] += values[leaf[node], c]
