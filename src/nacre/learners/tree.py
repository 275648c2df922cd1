"""A weighted tree on binned columns: of classes for voting, of numbers for gradient boosting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nacre.bins import bin_rows, check_bins
from nacre.bins.binner import category_codes, category_trust, check_known
from nacre.kernels import grow, split
from nacre.kernels import tree as kernel
from nacre.kernels.binning import MAX_BINS, MISSING, WIDTH
from nacre.kernels.histogram import SIZE
from nacre.learners.base import Learner, check_call, check_categories, check_size
from nacre.table import Problem
from nacre.table.check import check_flag, check_form, check_number, check_whole

ROWS_AT_ONCE = 65_536
"""Rows that are copied at a time to predict."""

DEEP = 64
"""More levels than any useful tree has; no limit at all could grow as deep as there are rows."""


class Tree(Learner):
    r"""A tree of decisions on one column each.

    Grown from the root: a node's split is the one of most gain,

    .. math:: \frac{G_l^2}{H_l} + \frac{G_r^2}{H_r} - \frac{G^2}{H},

    where H is the weight of the rows on a side and G their signed weight (the weight of class 1
    less that of class 0; with more classes, the sum of the classes' squares). That is Gini's index.
    Among equals the first column and the lowest threshold are taken. A leaf says its heaviest
    class. Under a gradient booster G is the weighted sum of a response, and a leaf says a number.

    Missing values take the side that gains more, in every node anew; where a node has seen none,
    the heavier side. Of a categorical column the categories are put in order of their mean, and
    split between neighbours; those of few rows are drawn towards the mean of all, so that an
    identifier is not mistaken for a rule. Unknown categories count as missing.

    Parameters
    ----------
    max_depth : int or None, default=3
        Decisions from the root to a leaf at most; None for up to 64.
    max_leaves : int or None, default=None
        Leaves at most. With it, the node of most gain is split next; without, all are.
    min_weight : float from 0 to below 1/2, default=0.0
        Least share of the whole weight on each side of a split.
    max_features : int, float or None, default=None
        Columns tried at each node, drawn at random: a number of them or a share; None tries all.
    random_cuts : bool, default=False
        Whether a numeric column is cut at one random place within its reach, as in extremely
        randomised trees [3]_: single trees are worse, many of them smoother. Categories are split
        as ever.
    max_bins : int from 2 to 255, default=255
        Columns of more distinct values are cut into so many bins of about equal mass.
    categorical_features : columns (numbers, names or a mask), optional
        Columns that hold categories. Columns of a data frame with a categorical type are
        categories in any case.

    Attributes
    ----------
    rule_ : Branches
        The tree found.
    classes_ : ndarray
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only where ``X`` has column names.

    Notes
    -----
    *When it helps.* Columns that matter together, which no sum of stumps can express. Two or three
    levels are enough for most boosters.

    *When it does not.* Deep trees fit their rows, wrong labels included, and boosting then has
    nothing left to vote on: AdaBoost stops as "perfect" after one round.

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone, "Classification and regression trees",
       Wadsworth, 1984.
    .. [2] W. D. Fisher, "On grouping for maximum homogeneity", Journal of the American Statistical
       Association 53, 1958: why ordered categories are split between neighbours.
    .. [3] P. Geurts, D. Ernst, L. Wehenkel, "Extremely randomized trees", Machine Learning 63,
       2006.

    Examples
    --------
    >>> from nacre import AdaBoostClassifier, Tree
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoostClassifier(Tree(max_depth=2), n_estimators=50).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.96
    >>> Tree(max_depth=2).fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["a", "a", "a", "b"]).rule_
    column 0 <= 0.5 (missing too): 0
    else:
      column 1 <= 0.5 (missing too): 0
      else: 1
    """

    def __init__(
        self,
        max_depth: int | None = 3,
        *,
        max_leaves: int | None = None,
        min_weight: float = 0.0,
        max_features: int | float | None = None,
        random_cuts: bool = False,
        max_bins: int = MAX_BINS,
        categorical_features: Any = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_weight = min_weight
        self.max_features = max_features
        self.random_cuts = random_cuts
        self.max_bins = max_bins
        self.categorical_features = categorical_features

    def prepare(self, problem: Problem, n_jobs: int = 1) -> TreeFitter:
        """Bin the rows, once for all rounds."""
        check_bins(self.max_bins)
        if self.max_bins is None:
            raise TypeError("max_bins of a Tree must be a whole number from 2 to 255, got None.")
        n, d = problem.X.shape
        return TreeFitter(problem, self._limits(n, d), self.max_bins, n_jobs)

    def _limits(self, n: int, d: int) -> grow.Limits:
        if self.max_depth is not None:
            check_whole(self.max_depth, "max_depth", 1)
        if self.max_leaves is not None:
            check_whole(self.max_leaves, "max_leaves", 2)
        check_number(self.min_weight, "min_weight", zero=True)
        if self.min_weight >= 0.5:
            raise ValueError(f"min_weight must be from 0 to below 1/2, got {self.min_weight!r}.")
        depth = DEEP if self.max_depth is None else min(self.max_depth, DEEP)
        leaves = min(n, 2 ** min(depth, 40))
        if self.max_leaves is not None:
            leaves = min(leaves, self.max_leaves)
        features = count_features(self.max_features, d)
        check_flag(self.random_cuts, "random_cuts")
        cuts = bool(self.random_cuts)
        if cuts and not features:
            features = d
        best_first = self.max_leaves is not None
        return grow.Limits(depth, leaves, best_first, float(self.min_weight), features, cuts)


def count_features(max_features: int | float | None, d: int) -> int:
    """How many of ``d`` columns are tried; 0 stands for all."""
    if max_features is None:
        return 0
    whole = isinstance(max_features, (int, np.integer)) and not isinstance(max_features, bool)
    if whole and max_features >= 1:
        count = int(max_features)
    elif isinstance(max_features, (float, np.floating)) and 0.0 < max_features <= 1.0:
        count = max(1, round(max_features * d))
    else:
        raise ValueError(
            "max_features must be None, a number of columns from 1 on, or a share above 0 and up "
            f"to 1.0; got {max_features!r}."
        )
    return 0 if count >= d else count


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

    def add_shares(self, X: np.ndarray, shares: np.ndarray, out: np.ndarray) -> None:
        """Add the classes' shares, a row of ``shares`` a node, in the leaves of all trees."""
        check_call(self, X)
        for start in range(0, len(X), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            kernel.add_shares(self._coded(X[rows]), self._roots, *self._nodes, shares, out[rows])

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


class TreeFitter:
    """Binned rows, ready for any number of trees."""

    def __init__(
        self, problem: Problem, limits: grow.Limits, max_bins: int = MAX_BINS, n_jobs: int = 1
    ) -> None:
        n = len(problem.y)
        self.limits = limits
        self.n_classes = problem.n_classes
        self.codes = problem.y
        self.bins = bin_rows(
            problem.X, np.arange(n, dtype=np.int32), problem.count, problem.categorical, max_bins,
            n_jobs,
        )  # fmt: skip
        bins = self.bins
        self.share = np.empty((0, SIZE))
        if bins.categories:
            count = np.ones(n) if problem.count is None else problem.count
            self.share = category_trust(bins, count, len(bins.words))
        self.columns = np.stack([bins.last, bins.bins, bins.kind, bins.missing])
        self._room: dict[int, tuple[split.Table, split.Work, kernel.Nodes]] = {}
        self.leaf = np.empty(n, np.int32)

    def fit(self, weights: np.ndarray, seed: int = 0) -> tuple[Branches, np.ndarray] | None:
        """The tree of classes for row weights, and what it says for the training rows."""
        tree = self._grow(weights, np.empty(0), self.n_classes, seed)
        return None if len(tree) == 1 else (tree, tree.value[self.leaf].astype(np.int64))

    def fit_shares(self, weights: np.ndarray, seed: int = 0) -> tuple[Branches, np.ndarray]:
        """The tree of classes for row weights, and each class's share of the weight in its nodes.

        Rows of weight 0 are sent down the tree as well: ``leaf`` has the leaf of every row.
        """
        tree = self._grow(weights, np.empty(0), self.n_classes, seed)
        shares = np.empty((len(tree), self.n_classes))
        kernel.leaf_shares(self.leaf, self.codes, weights, shares)
        return tree, shares

    def fit_response(
        self,
        response: np.ndarray,
        weights: np.ndarray,
        seed: int = 0,
        curvature: np.ndarray | None = None,
    ) -> tuple[Branches, np.ndarray]:
        """The tree of numbers, by weighted least squares, and what it says for the training rows.

        With ``curvature``, leaves say the sum of the weighted response over that of the curvature.
        """
        weighted = response * weights
        tree = self._grow(weighted, weights, 0, seed)
        if curvature is not None:
            kernel.refine(self.leaf, weighted, curvature, np.empty(len(tree)), tree.value)
        return tree, tree.value[self.leaf]

    def collect(self, hypotheses: list[Branches]) -> Trees:
        """The trees of all rounds as one ensemble."""
        return Trees(hypotheses, self.bins.categories, self.n_classes)

    def _grow(self, first: np.ndarray, second: np.ndarray, classes: int, seed: int) -> Branches:
        if classes not in self._room:
            self._room[classes] = self._make_room(classes)
        table, work, nodes = self._room[classes]
        work.state[0] = seed
        count = grow.grow(table, self.limits, first, second, work, nodes, self.leaf)
        links, sides = nodes.links[:count].copy(), nodes.sides[:0]
        if self.bins.categories:
            symbolic = np.flatnonzero(links[:, kernel.TABLE] >= 0)
            links[symbolic, kernel.TABLE] = np.arange(len(symbolic))
            sides = nodes.sides[symbolic]
        return Branches(links, nodes.numbers[:count].copy(), sides)

    def _make_room(self, classes: int) -> tuple[split.Table, split.Work, kernel.Nodes]:
        blocks, n = self.bins.words.shape
        features = blocks * WIDTH
        channels = max(2, classes)
        most = self.limits.leaves
        shape = (most + 1 if self.limits.best_first else min(most, int(np.log2(n)) + 2), blocks)
        if self.limits.features:
            shape = (1, 1)
        check_size(8 * SIZE * int(np.prod(shape)) * channels, self.n_classes, n)
        size = 2 * most - 1
        codes = self.codes if classes else np.empty(0, np.int64)
        table = split.Table(
            self.bins.words, self.columns, self.bins.cuts, self.share, codes, classes
        )
        work = split.Work(
            rows=np.empty(n, np.int32),
            spare=np.empty(n, np.int32),
            place=np.empty((size, 4), np.int64),
            open=np.empty(most + 1, np.int64),
            free=np.empty(shape[0] + 1, np.int64),
            hist=np.zeros((*shape, channels, SIZE)),
            total=np.zeros(channels),
            run=np.zeros((5, SIZE)),
            peak=np.empty(WIDTH),
            best=np.empty(features),
            tried=np.empty(len(self.bins.cuts), np.int32),
            side=np.zeros((3, channels)),
            goes=np.empty(256, np.uint8),
            rank=np.empty(257, np.int64),
            key=np.empty(256),
            sums=np.empty((256, channels)),
            state=np.zeros(1, np.uint64),
        )
        nodes = kernel.Nodes(
            np.empty((size, 6), np.int32),
            np.zeros((size, 4)),
            np.empty((size if self.bins.categories else 0, 256), np.uint8),
        )
        return table, work, nodes
