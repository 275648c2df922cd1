"""Trees that have been grown, ready to vote or to add up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nacre.data.categories import category_codes, check_known
from nacre.data.check import check_form, check_whole
from nacre.data.storable import storable
from nacre.kernels import tree as kernel
from nacre.kernels.binning import MISSING
from nacre.learners.base import check_call, check_categories
from nacre.learners.shapley import shapley_values

ROWS_AT_ONCE = 65_536
"""Rows that are copied at a time to predict."""


@dataclass(frozen=True, repr=False, eq=False)
class Branches:
    """One tree: a row for each node, the root first.

    Attributes
    ----------
    links : int32 array of shape (nodes, 6)
    numbers : float64 array of shape (nodes, 4)
    sides : uint8 array of shape (categorical nodes, 256)
        Which categories, by code, go left.
    """

    links: np.ndarray
    numbers: np.ndarray
    sides: np.ndarray

    @property
    def feature(self) -> np.ndarray:
        """The column that each node decides on; -1 for a leaf."""
        return self.links[:, kernel.FEATURE]

    @property
    def left(self) -> np.ndarray:
        """The node for values up to the threshold."""
        return self.links[:, kernel.LEFT]

    @property
    def right(self) -> np.ndarray:
        """The node for larger values."""
        return self.links[:, kernel.RIGHT]

    @property
    def gap(self) -> np.ndarray:
        """Whether a missing value goes left."""
        return self.links[:, kernel.GAP] == 1

    @property
    def table(self) -> np.ndarray:
        """The row of ``sides`` of a categorical decision, else -1."""
        return self.links[:, kernel.TABLE]

    @property
    def threshold(self) -> np.ndarray:
        """Values up to it go left; infinite for a leaf or a categorical decision."""
        return self.numbers[:, kernel.THRESHOLD]

    @property
    def value(self) -> np.ndarray:
        """The class code or number that a leaf says (and a node would, were it one)."""
        return self.numbers[:, kernel.VALUE]

    @property
    def gain(self) -> np.ndarray:
        """What each decision gains; 0 for a leaf."""
        return self.numbers[:, kernel.GAIN]

    @property
    def weight(self) -> np.ndarray:
        """The weight of the training rows that come to each node."""
        return self.numbers[:, kernel.WEIGHT]

    def __len__(self) -> int:
        return len(self.feature)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Branches) and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("links", "numbers", "sides")
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "\n".join(self._lines(0, ""))

    def _lines(self, node: int, before: str) -> Iterator[str]:
        """The tree in words, a decision a line; categories by their codes."""
        if self.feature[node] < 0:
            yield f"{before}{self.value[node]:g}"
            return
        if self.table[node] >= 0:
            codes = np.flatnonzero(self.sides[self.table[node], :MISSING])
            test = f"in {{{', '.join(map(str, codes[:8]))}{', ...' if len(codes) > 8 else ''}}}"
        else:
            test = f"<= {self.threshold[node]:g}"
        gap = " (missing too)" if self.gap[node] else ""
        indent = " " * (len(before) - len(before.lstrip()))
        if before.strip():
            yield before.rstrip()
            indent += "  "
        yield from self._branch(self.left[node], f"{indent}column {self.feature[node]} {test}{gap}")
        yield from self._branch(self.right[node], f"{indent}else")

    def _branch(self, node: int, said: str) -> Iterator[str]:
        return self._lines(node, f"{said}: ")


@storable
class Trees(Sequence[Branches]):
    """The trees of an ensemble, one after the other in the same arrays."""

    def __init__(
        self, trees: Sequence[Branches], categories: dict[int, np.ndarray], n_classes: int
    ) -> None:
        self.trees = list(trees)
        self.categories = categories
        self.n_classes = n_classes
        sizes = self._sizes()
        self._roots, tables = (np.cumsum(sizes, axis=0) - sizes).T.copy()
        self._nodes = links, numbers, _ = self._joint()
        own = links[:, kernel.TABLE]
        links[:, kernel.TABLE] = np.where(own >= 0, own + np.repeat(tables, sizes[:, 0]), -1)
        self.width = 1 + max([int(links[:, kernel.FEATURE].max(initial=-1)), *categories])
        said = numbers[links[:, kernel.FEATURE] < 0, kernel.VALUE]
        self._says = said.min(initial=0), said.max(initial=0)

    def _sizes(self) -> np.ndarray:
        """How many nodes and how many tables of categories each tree has."""
        sizes = [(len(tree), len(tree.sides)) for tree in self.trees]
        return np.array(sizes, np.int64).reshape(-1, 2)

    def _joint(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Links, numbers and sides of all trees, one after the other."""
        trees = self.trees
        return (
            np.concatenate([np.empty((0, 6), np.int32), *(tree.links for tree in trees)]),
            np.concatenate([np.empty((0, 4)), *(tree.numbers for tree in trees)]),
            np.concatenate([np.empty((0, 256), np.uint8), *(tree.sides for tree in trees)]),
        )

    def __getstate__(self) -> dict[str, Any]:
        """All trees in a few arrays, for files."""
        links, numbers, sides = self._joint()
        return {
            "sizes": self._sizes(),
            "links": links,
            "numbers": numbers,
            "sides": sides,
            "categories": self.categories,
            "n_classes": self.n_classes,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The trees out of a file; raise unless they are safe for the kernels."""
        check_nodes(**state)
        sizes = state["sizes"]
        nodes, tables = np.cumsum(sizes, axis=0).T
        links, numbers = (np.split(state[name], nodes)[:-1] for name in ("links", "numbers"))
        sides = np.split(state["sides"], tables)[:-1]
        trees = list(map(Branches, links, numbers, sides))
        self.__init__(trees, state["categories"], state["n_classes"])  # type: ignore[misc]

    def __len__(self) -> int:
        return len(self.trees)

    def __getitem__(self, index: Any) -> Any:
        return self.trees[index]

    def first(self, count: int) -> Trees:
        """The first so many trees."""
        return Trees(self.trees[:count], self.categories, self.n_classes)

    def joined(self, other: Trees) -> Trees:
        """These and others."""
        check_categories(self.categories, other.categories)
        return Trees([*self.trees, *other.trees], self.categories, self.n_classes)

    def said_by_each(self, X: np.ndarray) -> Iterator[np.ndarray]:
        """Class codes said for the rows of ``X``, tree by tree."""
        self._check_classes()
        return (said.astype(np.int64) for said in self.values_by_each(X))

    def values_by_each(self, X: np.ndarray) -> Iterator[np.ndarray]:
        """What each tree says for the rows of ``X``."""
        check_call(self, X)
        rows = self._coded(X)
        leaf = np.empty(len(rows), np.int64)
        for root in self._roots:
            kernel.find_leaves(rows, root, *self._nodes, leaf)
            yield self._nodes[1][leaf, kernel.VALUE]

    def scores(self, X: np.ndarray, votes: np.ndarray) -> np.ndarray:
        """Votes per row: for class 1 less class 0 of two, else one column per class."""
        check_call(self, X, len(votes))
        self._check_classes()
        out = np.zeros((len(X), 1 if self.n_classes == 2 else self.n_classes))
        for start in range(0, len(X), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            kernel.add_votes(self._coded(X[rows]), self._roots, *self._nodes, votes, out[rows])
        return out[:, 0] if out.shape[1] == 1 else out

    def add_values(
        self, X: np.ndarray, votes: np.ndarray, column: np.ndarray, out: np.ndarray
    ) -> None:
        """Add what each tree says, times its vote, to its column of ``out``."""
        check_call(self, X, len(votes), len(column))
        if not 0 <= column.min(initial=0) <= column.max(initial=0) < out.shape[1]:
            raise ValueError(f"columns of trees must be among the {out.shape[1]} of scores.")
        for start in range(0, len(X), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            kernel.add_values(
                self._coded(X[rows]), self._roots, *self._nodes, votes, column, out[rows]
            )

    @property
    def nodes(self) -> int:
        """How many nodes all trees have together."""
        return int(self._sizes()[:, 0].sum())

    def add_outputs(self, X: np.ndarray, outputs: np.ndarray, out: np.ndarray) -> None:
        """Add what the leaves of all trees put out, such as shares of classes: a row a node."""
        check_call(self, X)
        for start in range(0, len(X), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            kernel.add_shares(self._coded(X[rows]), self._roots, *self._nodes, outputs, out[rows])

    def contributions(
        self, X: np.ndarray, votes: np.ndarray, background: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """What each column of ``X`` contributes to the votes: see :mod:`nacre.learners.shapley`.

        Of two classes, signed in one column, else in a column per class.
        """
        self._check_classes()
        said = self._nodes[1][:, kernel.VALUE].astype(np.int64)
        signed = np.array([[-1.0], [1.0]]) if self.n_classes == 2 else np.eye(self.n_classes)
        outputs = signed[np.clip(said, 0, self.n_classes - 1)] * self._by_node(votes)[:, None]
        column = np.zeros(len(self), np.int64)
        return self._shapley_values(X, outputs, column, outputs.shape[1], background)

    def output_contributions(
        self, X: np.ndarray, outputs: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """What each column of ``X`` contributes to any outputs, a row a node."""
        column = np.zeros(len(self), np.int64)
        return self._shapley_values(X, outputs, column, outputs.shape[1], None)

    def value_contributions(
        self,
        X: np.ndarray,
        votes: np.ndarray,
        column: np.ndarray,
        columns: int,
        background: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """What each column of ``X`` contributes to values times votes.

        Each tree's are in its own of so many columns.
        """
        outputs = self._nodes[1][:, kernel.VALUE] * self._by_node(votes)
        return self._shapley_values(X, outputs[:, None], column, columns, background)

    def _shapley_values(
        self,
        X: np.ndarray,
        outputs: np.ndarray,
        column: np.ndarray,
        columns: int,
        background: np.ndarray | None,
    ) -> tuple[np.ndarray, np.ndarray]:
        check_call(self, X, len(column))
        if background is not None:
            check_call(self, background)
            background = self._coded(background)
        return shapley_values(
            self._coded(X), self._roots, self._nodes, outputs, column, columns, background
        )

    def _by_node(self, votes: np.ndarray) -> np.ndarray:
        return np.repeat(votes, self._sizes()[:, 0])

    def importances(self, votes: np.ndarray, d: int) -> np.ndarray:
        """The gain of each column's splits, as a share of its tree's, times the tree's vote."""
        out = np.zeros(d)
        for tree, vote in zip(self.trees, np.abs(votes), strict=True):
            inner = tree.feature >= 0
            gains = np.bincount(tree.feature[inner], tree.gain[inner], d)
            out += vote * gains / max(gains.sum(), np.finfo(float).tiny)
        return out

    def _check_classes(self) -> None:
        """Raise unless the leaves say classes."""
        least, most = self._says
        if not 0 <= least <= most < self.n_classes:
            raise ValueError(f"leaves must say one of {self.n_classes} classes.")

    def _coded(self, X: np.ndarray) -> np.ndarray:
        """Rows as the kernels read them: floats, categories as codes, unknown ones missing."""
        if not self.categories:
            return np.ascontiguousarray(X, np.float64)
        rows = np.array(X, np.float64, order="C")
        for j, values in self.categories.items():
            codes = category_codes(rows[:, j], values)
            rows[:, j] = np.where(codes == MISSING, np.nan, codes)
        return rows


def check_nodes(
    sizes: np.ndarray,
    links: np.ndarray,
    numbers: np.ndarray,
    sides: np.ndarray,
    categories: dict[int, np.ndarray],
    n_classes: int,
) -> None:
    """Raise unless rows of any table that is wide enough find their leaves.

    Kernels check no bounds: a node's branches must be nodes after it, and only a column of
    categories may be looked up in a table of sides.
    """
    check_known(categories)
    check_whole(n_classes, "n_classes", 2)
    check_form(links, "links", np.int32, (None, 6), -1)
    check_form(numbers, "numbers", np.float64, (len(links), 4))
    check_form(sides, "sides", np.uint8, (None, 256))
    most = max(len(links), len(sides))
    check_form(sizes, "sizes", np.int64, (None, 2), 0, most + 1)
    if np.any(sizes[:, 0] < 1) or sizes.sum(axis=0).tolist() != [len(links), len(sides)]:
        raise ValueError("sizes of trees do not add up.")
    starts = np.cumsum(sizes[:, 0]) - sizes[:, 0]
    own = np.arange(len(links)) - np.repeat(starts, sizes[:, 0])
    nodes, tables = np.repeat(sizes, sizes[:, 0], axis=0).T
    feature, table = links[:, kernel.FEATURE], links[:, kernel.TABLE]
    if np.any(table >= tables) or not np.all(np.isin(feature[table >= 0], list(categories))):
        raise ValueError("categories of trees do not fit.")
    inner = feature >= 0
    for branch in links[:, kernel.LEFT], links[:, kernel.RIGHT]:
        if np.any(((branch <= own) | (branch >= nodes))[inner]):
            raise ValueError("branches of trees lead nowhere.")
