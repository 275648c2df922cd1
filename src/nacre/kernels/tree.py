"""What a tree is, and how rows find their leaves."""

from typing import NamedTuple

import numpy as np

from nacre.kernels.binning import TILE
from nacre.kernels.compile import compiled
from nacre.kernels.stump_votes import cast


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


@compiled
def say_leaves(leaf, value, said):
    """The class that each row's leaf says."""
    for i in range(len(leaf)):
        said[i] = np.int64(value[leaf[i]])


# Predicting: the nodes of all trees one after the other, ``roots`` the place of each first one


@compiled
def goes_left(x, node, links, numbers, sides):
    """Whether a row goes left at a node; categorical columns of ``x`` hold codes."""
    value = x[links[node, FEATURE]]
    if value != value:
        return links[node, GAP] != 0
    if links[node, TABLE] >= 0:
        return sides[links[node, TABLE], np.int64(value)] != 0
    return value <= numbers[node, THRESHOLD]


@compiled
def find_leaf(x, root, links, numbers, sides):
    """The leaf that a row comes to."""
    node = root
    while links[node, FEATURE] >= 0:
        goes = goes_left(x, node, links, numbers, sides)
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


# A leaf may also say a share of each class: ``shares`` has a row a node


@compiled
def leaf_shares(leaf, codes, weight, shares):
    """The classes' shares of the weight in each leaf, alike where there is none."""
    shares[:] = 0.0
    for i in range(len(leaf)):
        shares[leaf[i], codes[i]] += weight[i]
    for node in range(len(shares)):
        whole = shares[node].sum()
        for c in range(shares.shape[1]):
            shares[node, c] = shares[node, c] / whole if whole > 0.0 else 1.0 / shares.shape[1]


@compiled
def add_held_out(leaf, times, shares, votes, asked):
    """Add what a tree says to the votes on the rows that it was not grown on."""
    for i in range(len(leaf)):
        if times[i] == 0:
            asked[i] += 1
            for c in range(shares.shape[1]):
                votes[i, c] += shares[leaf[i], c]


@compiled
def add_shares(X, roots, links, numbers, sides, shares, out):
    """Add the shares that all trees say."""
    for start in range(0, X.shape[0], TILE):
        for t in range(len(roots)):
            for i in range(start, min(start + TILE, X.shape[0])):
                node = find_leaf(X[i], roots[t], links, numbers, sides)
                for c in range(shares.shape[1]):
                    out[i, c] += shares[node, c]
