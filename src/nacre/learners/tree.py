"""Growing a weighted tree on binned columns: of classes for voting, of numbers for gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from nacre.bins import Bins, bin_training, check_bins
from nacre.bins.binner import category_trust
from nacre.data import TrainingRows
from nacre.data.check import check_flag, check_number, check_whole
from nacre.data.storable import storable
from nacre.kernels import grow, split
from nacre.kernels import tree as kernel
from nacre.kernels.binning import MAX_BINS, WIDTH
from nacre.kernels.histogram import SIZE
from nacre.learners import segmented
from nacre.learners.base import Learner, check_size
from nacre.learners.branches import Branches, Trees

DEEP = 64
"""More levels than any useful tree has; no limit at all could grow as deep as there are rows."""


@storable
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

    def prepare(
        self, training: TrainingRows, n_jobs: int = 1, bins: Bins | None = None
    ) -> TreeFitter:
        """Bin the rows, once for all rounds; or take bins that are there already."""
        check_bins(self.max_bins)
        if self.max_bins is None:
            raise TypeError("max_bins of a Tree must be a whole number from 2 to 255, got None.")
        n, d = training.X.shape
        return TreeFitter(training, self._limits(n, d), self.max_bins, n_jobs, bins)

    def _limits(self, n: int, d: int) -> grow.Limits:
        """When trees on n rows and d columns stop growing; raises where a parameter is bad."""
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


class TreeFitter:
    """Binned rows, ready for any number of trees."""

    def __init__(
        self,
        training: TrainingRows,
        limits: grow.Limits,
        max_bins: int = MAX_BINS,
        n_jobs: int = 1,
        bins: Bins | None = None,
    ) -> None:
        n = len(training.y)
        self.limits = limits
        self.n_classes = training.n_classes
        self.codes = training.y
        self.bins = bins = bin_training(training, max_bins, n_jobs) if bins is None else bins
        self.share: np.ndarray | None = None
        if bins.categories:
            count = np.ones(n) if training.count is None else training.count
            self.share = category_trust(bins, count)
        self._room: dict[int, tuple[split.Table, split.Work, kernel.Nodes]] = {}
        self._growers: dict[int, segmented.Grower] = {}
        self.tried = room_for_draws(bins, limits)
        self.leaf = np.empty(n, np.int32)
        self.segments = segmented.count_segments(n, self.n_classes, limits)
        self.threads = n_jobs

    @classmethod
    def of_bins(
        cls, bins: Bins, y: np.ndarray, n_classes: int, limits: grow.Limits, share: np.ndarray
    ) -> TreeFitter:
        """Of rows that are binned already; ``share`` is the trust in categories."""
        self = cls.__new__(cls)
        self.limits, self.n_classes, self.codes = limits, n_classes, y
        self.bins, self.share = bins, share if bins.categories else None
        self._room, self._growers, self.leaf = {}, {}, np.empty(len(y), np.int32)
        self.tried, self.segments, self.threads = room_for_draws(bins, limits), 1, 1
        return self

    def fit(self, weights: np.ndarray, seed: int = 0) -> tuple[Branches, np.ndarray] | None:
        """The tree of classes for row weights, and what it says for the training rows."""
        tree = self._grow(weights, np.empty(0), self.n_classes, seed)
        if len(tree) == 1:
            return None
        said = np.empty(len(self.leaf), np.int64)
        kernel.say_leaves(self.leaf, tree.value, said)
        return tree, said

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
            self._room[classes] = room = self._make_room(classes)
            if self.segments > 1:
                self._growers[classes] = segmented.Grower(
                    room, self.limits, self.segments, self.threads, self.leaf
                )
        table, work, nodes = self._room[classes]
        if classes in self._growers:
            count = self._growers[classes].grow(self.share, first, second)
            return as_branches(nodes, count)
        work.state[0] = seed
        count = grow.grow(
            table, self.share, self.tried, self.limits, first, second, work, nodes, self.leaf
        )
        return as_branches(nodes, count)

    def _make_room(self, classes: int) -> tuple[split.Table, split.Work, kernel.Nodes]:
        blocks, n = self.bins.words.shape
        most = self.limits.leaves
        slots, extra = count_slots(self.limits, n), 0
        if self.segments > 1:
            slots = segmented.count_slots(self.limits, n, blocks)
            extra = self.segments * segmented.wave_size(self.limits, blocks)
        shape = (1, 1) if self.limits.features else (slots, blocks)
        size = int(np.prod(shape)) + extra * blocks
        check_size(8 * SIZE * size * max(2, classes), self.n_classes, n)
        codes = self.codes if classes else np.empty(0, np.int64)
        return make_room(self.bins, codes, classes, most, shape)


def count_slots(limits: grow.Limits, n: int) -> int:
    """How many nodes have histograms at a time."""
    return limits.leaves + 1 if limits.best_first else min(limits.leaves, int(np.log2(n)) + 2)


def make_room(
    bins: Bins,
    codes: np.ndarray,
    classes: int,
    most: int,
    shape: tuple[int, int],
) -> tuple[split.Table, split.Work, kernel.Nodes]:
    """What the kernels work on: the table, room for ``most`` leaves, and the nodes.

    ``shape`` is how many histograms there is room for, and of how many blocks of columns each.
    """
    blocks, n = bins.words.shape
    columns = np.stack([bins.last, bins.bins, bins.kind, bins.missing])
    channels = max(2, classes)
    size = 2 * most - 1
    table = split.Table(bins.words, columns, bins.cuts, codes, classes)
    work = split.Work(
        rows=np.empty(n, np.int32),
        spare=np.empty(n, np.int32),
        place=np.empty((size, 4), np.int64),
        open=np.empty(most + 1, np.int64),
        free=np.empty(shape[0] + 1, np.int64),
        hist=np.zeros((*shape, channels, SIZE)),
        pairs=np.empty((0 if classes else shape[1], 2 * SIZE)),
        total=np.zeros(channels),
        run=np.zeros((5, SIZE)),
        peak=np.empty(WIDTH),
        best=np.empty(blocks * WIDTH),
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
        np.empty((size if bins.categories else 0, 256), np.uint8),
    )
    return table, work, nodes


def room_for_draws(bins: Bins, limits: grow.Limits) -> np.ndarray | None:
    """Room for the columns that a node draws; None where all are tried."""
    return np.empty(len(bins.cuts), np.int32) if limits.features else None


def as_branches(nodes: kernel.Nodes, count: int) -> Branches:
    """The first ``count`` nodes as a tree of their own."""
    links, sides = nodes.links[:count].copy(), nodes.sides[:0]
    if len(nodes.sides):
        symbolic = np.flatnonzero(links[:, kernel.TABLE] >= 0)
        links[symbolic, kernel.TABLE] = np.arange(len(symbolic))
        sides = nodes.sides[symbolic]
    return Branches(links, nodes.numbers[:count].copy(), sides)
