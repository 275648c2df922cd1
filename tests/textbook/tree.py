"""The weighted tree by brute force: in every node list every split, take the first of the best.

Letters: w row weights, g what is to be fitted times w (a column a class; one signed column for two
classes or for numbers), so that a side of a split is worth the sum over columns of G^2 / H.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tests.textbook.stump import midpoint

TIE = 1e-10
ROUNDING = 1e-12
TRUST = 10

Array = np.ndarray


@dataclass
class Split:
    """x <= threshold goes left, or each category that `left_of` says; missing values by `gap`."""

    feature: int
    threshold: float | None
    gap: bool
    left_of: dict[float, bool] | None = None

    def goes_left(self, X: Array) -> Array:
        x = X[:, self.feature]
        if self.left_of is None:
            side = x <= self.threshold
        else:
            side = np.array([self.left_of.get(value, self.gap) for value in x.tolist()], bool)
        return np.where(np.isnan(x), self.gap, side)


@dataclass(eq=False)
class Node:
    """A node and the rows of positive weight in it; a leaf has no split."""

    rows: Array
    value: float
    depth: int
    split: Split | None = None
    gain: float = 0.0
    left: "Node | None" = None
    right: "Node | None" = None

    def predict(self, X: Array) -> Array:
        if self.split is None:
            return np.full(len(X), self.value)
        on_left = self.split.goes_left(X)
        out = np.empty(len(X))
        out[on_left] = self.left.predict(X[on_left])
        out[~on_left] = self.right.predict(X[~on_left])
        return out

    def leaves(self) -> "list[Node]":
        return [self] if self.split is None else self.left.leaves() + self.right.leaves()


def class_tree(X: Array, y: Array, w: Array, n_classes: int, **limits) -> Node:
    """The tree of least Gini index; a leaf says its heaviest class."""
    g = w[:, None] * (y[:, None] == np.arange(n_classes))

    def say(rows: Array) -> float:
        sums = g[rows].sum(axis=0)
        return float(np.argmax(sums >= sums.max() - TIE * sums.sum()))

    lean = g[:, 1:] - g[:, :1] if n_classes == 2 else g
    return grow(X, lean, w, say, heaviest_first=True, **limits)


def number_tree(X: Array, r: Array, w: Array, **limits) -> Node:
    """The tree of least weighted squares; a leaf says its mean."""

    def say(rows: Array) -> float:
        return np.average(r[rows], weights=w[rows])

    return grow(X, (w * r)[:, None], w, say, **limits)


def grow(
    X: Array,
    g: Array,
    w: Array,
    say: Callable[[Array], float],
    categorical: Sequence[int] = (),
    counts: Array | None = None,
    max_depth: int = 3,
    max_leaves: int | None = None,
    min_weight: float = 0.0,
    heaviest_first: bool = False,
) -> Node:
    """Split every node that gains, or `max_leaves` times the one that gains most."""
    counts = np.ones(len(X)) if counts is None else counts
    sizes = np.abs(g).sum(axis=1)
    scale = sizes.sum() ** 2 / w.sum()

    def node(rows: Array, depth: int) -> Node:
        here = Node(rows, say(rows), depth)
        if depth < max_depth and len(rows) > 1:
            least = max(min_weight * w.sum(), TIE * w[rows].sum())
            found = [
                (gain, split)
                for j in range(X.shape[1])
                for gain, split in (
                    category_splits(j, X, g, w, rows, counts, least, heaviest_first)
                    if j in categorical
                    else number_splits(j, X, g, w, rows, least)
                )
            ]
            best = max((gain for gain, _ in found), default=0.0)
            if best > ROUNDING * max(scale, best + worth(g[rows], w[rows])):
                here.gain, here.split = next(one for one in found if one[0] >= best * (1 - TIE))
        return here

    root = node(np.flatnonzero(w > 0), 0)
    waiting, leaves = [root], 1
    while waiting and (max_leaves is None or leaves < max_leaves):
        here = max(waiting, key=lambda one: one.gain)
        waiting.remove(here)
        if here.split is not None:
            on_left = here.split.goes_left(X[here.rows])
            here.left = node(here.rows[on_left], here.depth + 1)
            here.right = node(here.rows[~on_left], here.depth + 1)
            waiting += [here.left, here.right]
            leaves += 1
    for here in waiting:
        here.split = None
    return root


def worth(g: Array, w: Array) -> float:
    return (g.sum(axis=0) ** 2).sum() / w.sum()


def number_splits(
    j: int, X: Array, g: Array, w: Array, rows: Array, least: float
) -> Iterator[tuple[float, Split]]:
    """Between any two values of the whole column; missing rows of the node left, then right."""
    values = np.unique(X[~np.isnan(X[:, j]), j])
    x, g, w = X[rows, j], g[rows], w[rows]
    missing = np.isnan(x)
    for cut in [midpoint(a, b) for a, b in pairwise(values)] + [np.inf]:
        for gap in (True, False) if missing.any() else (False,):
            left = (x <= cut) | (missing & gap)
            if min(w[left].sum(), w[~left].sum()) < least or left.all() or not left.any():
                continue
            if not missing.any():
                gap = w[left].sum() >= w[~left].sum() - TIE * w.sum()
            gain = worth(g[left], w[left]) + worth(g[~left], w[~left]) - worth(g, w)
            yield gain, Split(j, float(cut), bool(gap))


def category_splits(
    j: int,
    X: Array,
    g: Array,
    w: Array,
    rows: Array,
    counts: Array,
    least: float,
    heaviest_first: bool,
) -> Iterator[tuple[float, Split]]:
    """Categories by their mean (or the share of the heaviest class), split between neighbours.

    A category of c rows in the whole table has its own sums by c / (c + 10), the node's mean else.
    """
    column, x, g, w = X[:, j], X[rows, j], g[rows], w[rows]
    whole = g.sum(axis=0)
    known = np.unique(column[~np.isnan(column)]).tolist()
    groups = []
    for value in [*known, np.nan]:
        own = np.isnan(x) if np.isnan(value) else x == value
        if w[own].sum() <= TIE * w.sum():
            continue
        c = counts[np.isnan(column) if np.isnan(value) else column == value].sum()
        trust = c / (c + TRUST)
        sums = trust * g[own].sum(axis=0) + (1 - trust) * whole / w.sum() * w[own].sum()
        key = sums[0] / w[own].sum()
        if heaviest_first and len(sums) == 1:
            key = key if whole[0] > TIE * w.sum() else -key
        elif heaviest_first:
            key = sums[np.argmax(whole >= whole.max() - TIE * w.sum())] / w[own].sum()
        place = len(groups)
        while place and groups[place - 1][0] > key + TIE * abs(key):
            place -= 1
        groups.insert(place, (key, value, sums, w[own].sum()))
    for size in range(1, len(groups)):
        sides = [(sum(p[2] for p in part), sum(p[3] for p in part)) for part in
                 (groups[:size], groups[size:])]  # fmt: skip
        if min(weight for _, weight in sides) < least:
            continue
        heavier = sides[0][1] >= sides[1][1] - TIE * w.sum()
        goes = {value: bool(heavier) for value in known}
        gap = bool(heavier)
        for k, (_, value, _, _) in enumerate(groups):
            if np.isnan(value):
                gap = k < size
            else:
                goes[value] = k < size
        gain = sum((sums**2).sum() / weight for sums, weight in sides) - (whole**2).sum() / w.sum()
        yield gain, Split(j, None, gap, goes)
