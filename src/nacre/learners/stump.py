"""The native weak learner: a weighted stump on binned columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nacre.bins import Bins, bin_rows, check_bins
from nacre.bins.binner import category_trust, cut_at, sort_by_class
from nacre.data import TrainingRows
from nacre.data.categories import category_codes, check_known
from nacre.data.check import check_form, check_whole
from nacre.data.storable import storable
from nacre.kernels import binning, stump_votes
from nacre.kernels import round_state as state
from nacre.kernels import stump_search as search
from nacre.kernels.binning import WIDTH
from nacre.kernels.formulas import TIE
from nacre.kernels.histogram import SIZE
from nacre.kernels.random import ALL_ROWS
from nacre.learners.base import Learner, check_call, check_categories, check_size

WORTH_THREADS = 10_000_000
"""Cells of a table below which handing out work to threads costs more than it saves."""

ARRAYS = ("feature", "threshold", "left", "right", "missing", "said")
"""What a stump is made of, each an array with an entry (or row) a stump."""


@storable
class Stump(Learner):
    """A decision on one column: a threshold, or a class for each category.

    All thresholds (midpoints between neighbouring values) and both polarities are tried, and the
    first split of least weighted error is kept. With two classes the two sides say opposite
    classes; with more, each side says its heaviest class. Missing values take the side that suits
    the training rows; where none were seen, that of the heavier side.

    Of a categorical column, every category says its own heaviest class. Categories of few rows
    count less in the choice of the column, so that an identifier is not mistaken for a rule;
    unknown categories count as missing.

    Parameters
    ----------
    max_bins : int from 2 to 255, or None, default=255
        Columns of more distinct values are cut into so many bins of about equal mass before
        thresholds are sought (above 8192 rows, by a sample of them). None seeks them between all
        distinct values: exact, slower, and up to 13 bytes a cell instead of one.
    categorical_features : columns (numbers, names or a mask), optional
        Columns that hold categories. Columns of a data frame with a categorical type are
        categories in any case.

    Attributes
    ----------
    rule_ : Rule
        The stump found.
    classes_ : ndarray
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only where ``X`` has column names.

    Notes
    -----
    *When it helps.* As the weak learner of a voting booster: it is the fastest, needs no scaling,
    and an ensemble of stumps is a sum of functions of one column each, which can be read.

    *When it does not.* Classes that only columns taken together tell apart: use
    :class:`~nacre.Tree`. Many classes: a stump names two of them.

    Examples
    --------
    >>> from nacre import Stump
    >>> Stump().fit([[1.0], [2.0], [3.0]], ["no", "yes", "yes"]).rule_
    Rule(feature=0, threshold=1.5, left=0, right=1, missing=1, categories=None)
    """

    def __init__(
        self,
        max_bins: int | None = binning.MAX_BINS,
        *,
        categorical_features: Any = None,
    ) -> None:
        self.max_bins = max_bins
        self.categorical_features = categorical_features

    def prepare(self, training: TrainingRows, n_jobs: int = 1) -> StumpFitter:
        """Bin the rows, once for all rounds."""
        check_bins(self.max_bins)
        return StumpFitter(training, self.max_bins, n_jobs)


@dataclass(frozen=True)
class Rule:
    """One stump in words a person can read; classes are codes.

    A value up to ``threshold`` says ``left``, a larger one ``right``. On a categorical column
    ``threshold`` is None and ``categories`` maps values to classes; all others say ``missing``.
    """

    feature: int
    threshold: float | None
    left: int
    right: int
    missing: int
    categories: dict[float, int] | None = None

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Class codes said for the rows of ``X``."""
        x = np.asarray(X[:, self.feature], float)
        if self.threshold is not None:
            side = np.where(x <= self.threshold, self.left, self.right)
            return np.where(np.isnan(x), self.missing, side)
        assert self.categories is not None
        values = np.array(list(self.categories))
        said = np.full(256, self.missing)
        said[: len(values)] = list(self.categories.values())
        return said[category_codes(x, values)]


@storable
class Stumps(Sequence[Rule]):
    """The stumps of an ensemble, kept as arrays.

    Predictions do not walk through the stumps: all stumps on a column are collapsed into one
    table of votes by value, so that the cost does not depend on their number.
    """

    def __init__(
        self,
        feature: np.ndarray,
        threshold: np.ndarray,
        left: np.ndarray,
        right: np.ndarray,
        missing: np.ndarray,
        said: np.ndarray,
        categories: dict[int, np.ndarray],
        n_classes: int,
    ) -> None:
        self.feature = feature
        self.threshold = threshold
        self.left = left
        self.right = right
        self.missing = missing
        self.said = said
        self.categories = categories
        self.n_classes = n_classes

    def _check_loaded(self) -> None:
        """Raise unless the arrays, out of a file, are safe for the kernels."""
        check_known(self.categories)
        check_whole(self.n_classes, "n_classes", 2)
        count = len(self)
        check_form(self.feature, "feature", np.int64, (count,), 0)
        check_form(self.threshold, "threshold", np.float64, (count,))
        if np.any(np.isnan(self.threshold) | (self.threshold == -np.inf)):
            raise ValueError("threshold must be numbers.")
        for name in ("left", "right", "missing"):
            check_form(getattr(self, name), name, np.int64, (count,), 0, self.n_classes)
        rows = count if self.categories else 0
        check_form(self.said, "said", np.int64, (rows, 256), 0, self.n_classes)

    def __len__(self) -> int:
        return len(self.feature)

    @property
    def width(self) -> int:
        """How many columns a table must have."""
        return 1 + max([int(self.feature.max(initial=-1)), *self.categories])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = range(len(self))[index]
        feature = int(self.feature[i])
        left, right, missing = int(self.left[i]), int(self.right[i]), int(self.missing[i])
        if feature in self.categories:
            said = self.said[i].tolist()
            table = dict(zip(self.categories[feature].tolist(), said, strict=False))
            return Rule(feature, None, left, right, missing, table)
        return Rule(feature, float(self.threshold[i]), left, right, missing)

    def first(self, count: int) -> Stumps:
        """The first so many stumps."""
        arrays = {name: getattr(self, name)[:count] for name in ARRAYS}
        return Stumps(**arrays, categories=self.categories, n_classes=self.n_classes)

    def joined(self, *others: Stumps) -> Stumps:
        """These and others."""
        for other in others:
            check_categories(self.categories, other.categories)
        runs = (self, *others)
        arrays = {name: np.concatenate([getattr(one, name) for one in runs]) for name in ARRAYS}
        return Stumps(**arrays, categories=self.categories, n_classes=self.n_classes)

    def importances(self, votes: np.ndarray, d: int) -> np.ndarray:
        """The votes of the stumps on each column."""
        return np.bincount(self.feature, np.abs(votes), d)

    def said_by_each(self, X: np.ndarray) -> Iterator[np.ndarray]:
        """Class codes said for the rows of ``X``, stump by stump."""
        return (rule.predict(X) for rule in self)

    def scores(self, X: np.ndarray, votes: np.ndarray) -> np.ndarray:
        """Votes per row: for class 1 less class 0 of two, else one column per class."""
        check_call(self, X, len(votes))
        width = 1 if self.n_classes == 2 else self.n_classes
        out = np.zeros((len(X), width))
        if len(self):
            stump_votes.score_rows(X, *self._collapse(votes, width), out)
        return out[:, 0] if width == 1 else out

    def contributions(
        self, X: np.ndarray, votes: np.ndarray, background: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """What the stumps on each column say, less the mean over the background if there is one.

        Arrays of shapes (n, d, C) and (C,), the second the sum of those means; C is 1 for two
        classes, else one for each class.
        """
        out = self._said_by_columns(X, votes)
        if background is None:
            return out, np.zeros(out.shape[2])
        mean = self._said_by_columns(background, votes).mean(axis=0)
        return out - mean, mean.sum(axis=0)

    def _said_by_columns(self, X: np.ndarray, votes: np.ndarray) -> np.ndarray:
        """Votes of the stumps on each column."""
        check_call(self, X, len(votes))
        width = 1 if self.n_classes == 2 else self.n_classes
        out, votes_here = np.zeros((*X.shape, width)), np.empty((len(X), width))
        if not len(self):
            return out
        columns, categorical, starts, points, tables, grids, steps, rows, values = self._collapse(
            votes, width
        )
        for c, j in enumerate(columns.tolist()):
            votes_here[:] = 0.0
            stump_votes.score_tile(
                X, 0, len(X), j, points[starts[c] : starts[c + 1]], categorical[c], tables[c],
                grids[c], steps[c], values[rows[c] : rows[c + 1]], votes_here,
            )  # fmt: skip
            out[:, j] = votes_here
        return out

    def _collapse(self, votes: np.ndarray, width: int) -> tuple[np.ndarray, ...]:
        """The tables that :mod:`nacre.kernels.stump_votes` describes."""
        symbolic = np.isin(self.feature, list(self.categories))
        numeric = np.flatnonzero(~symbolic)
        order = numeric[np.lexsort((self.threshold[numeric], self.feature[numeric]))]
        count = len(order)
        points, values = np.empty(2 * count), np.zeros((3 * count, width))
        sizes = np.empty((count, 3), np.int64)
        used = stump_votes.collapse_numeric(
            order, self.feature, self.threshold, self.left, self.right, self.missing, votes,
            points, values, sizes,
        )  # fmt: skip
        sizes = sizes[:used]
        all_points = [points[: sizes[:, 1].sum()]]
        all_values = [values[: sizes[:, 2].sum()]]
        for j in np.unique(self.feature[symbolic]):
            categories = self.categories[int(j)]
            table = np.zeros((len(categories) + 1, width))
            for t in np.flatnonzero(self.feature == j):
                said = np.append(self.said[t, : len(categories)], self.missing[t])
                for row, one in enumerate(said):
                    stump_votes.cast(table, row, one, votes[t])
            sizes = np.vstack([sizes, [j, len(categories) + 1, len(table)]])
            all_points.append(np.append(categories, np.inf))
            all_values.append(table)
        starts = np.append(0, np.cumsum(sizes[:, 1]))
        points = np.concatenate(all_points)
        tables = np.empty((len(sizes), binning.CELLS), np.int32)
        grids, steps = np.empty((len(sizes), 2)), np.empty(len(sizes), np.int64)
        stump_votes.index_columns(starts, points, tables, grids, steps)
        return (
            sizes[:, 0].copy(), np.isin(sizes[:, 0], list(self.categories)), starts, points,
            tables, grids, steps, np.append(0, np.cumsum(sizes[:, 2])), np.concatenate(all_values),
        )  # fmt: skip


def _rows(
    bins: Bins, share: np.ndarray, starts: np.ndarray, order: np.ndarray, weight: np.ndarray
) -> state.Rows:
    """Binned rows for the kernels; ``weight`` in the order of places."""
    equal = bool(len(weight) and np.ptp(weight) == 0)
    columns = np.stack([bins.last, bins.bins, bins.kind, bins.missing])
    return state.Rows(bins.words, columns, share, starts, order, weight, equal)


class StumpFitter:
    """Binned rows, ready for any number of stumps."""

    def __init__(self, training: TrainingRows, max_bins: int | None, n_jobs: int) -> None:
        self.workers = n_jobs if training.X.size >= WORTH_THREADS else 1
        self.n_classes = training.n_classes
        self.y = training.y
        blocks = -(-training.X.shape[1] // WIDTH)
        check_size(12 * SIZE * self.n_classes * blocks, self.n_classes, len(training.y))
        order, rank, starts = sort_by_class(training.y, training.n_classes)
        limit = binning.MAX_BINS if max_bins is None else max_bins
        self.bins = bin_rows(
            training.X, rank, training.count, training.categorical, limit, self.workers
        )
        weight = training.weight[order]
        self.rows = _rows(self.bins, self._trust(training, order), starts, order, weight)
        self.exact = self._mixed(training.X, rank) if max_bins is None else None
        self._one: tuple[state.Work, state.Trace] | None = None

    @classmethod
    def of_bins(
        cls, bins: Bins, y: np.ndarray, weight: np.ndarray, n_classes: int, share: np.ndarray
    ) -> StumpFitter:
        """Of rows that are binned already and stand in the order of their classes.

        ``share`` is the trust in categories (``category_trust``), which a partition of the rows
        cannot know by itself.
        """
        self = cls.__new__(cls)
        self.workers, self.n_classes, self.y, self.bins = 1, n_classes, y, bins
        self.exact = self._one = None
        starts = np.searchsorted(y, np.arange(n_classes + 1))
        order = np.arange(len(y), dtype=np.int32)
        self.rows = _rows(bins, share, starts, order, weight)
        return self

    def _trust(self, training: TrainingRows, order: np.ndarray) -> np.ndarray:
        """The trust in categories; empty where there are none."""
        if not self.bins.categories:
            return np.empty((0, SIZE))
        count = np.ones(len(order)) if training.count is None else training.count[order]
        return category_trust(self.bins, count)

    def _mixed(self, X: np.ndarray, rank: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """The columns, and which of their bins hold several values; None where none does."""
        values = np.array(X.T, np.float64, order="C")
        mixed = np.zeros((len(values), 256), np.uint8)
        binning.mixed_bins(values, rank, self.bins.words, mixed)
        return (values, mixed) if mixed.any() else None

    def work(
        self,
        recipe: state.Recipe | None = None,
        keys: np.ndarray | None = None,
        copies: np.ndarray | None = None,
    ) -> state.Work:
        """Room for the rounds of a recipe; without one, for single stumps.

        ``keys`` are those of the rows, needed where rows are drawn, and ``copies`` as how many each
        is drawn; default one.
        """
        blocks, n = self.rows.words.shape
        classes = self.n_classes
        short = recipe is not None and recipe.incremental
        drawn = n if recipe is not None and recipe.draw != ALL_ROWS else 0
        counted = blocks if short or self.exact else 0
        long = state.Long(
            u=np.empty(0 if recipe is None else n),
            v=np.empty(drawn),
            keys=np.empty(0, np.uint64) if keys is None else keys[self.rows.order],
            copies=np.ones(drawn, np.int64) if copies is None else copies[self.rows.order],
        )
        w = np.empty(n)
        return state.Work(
            z=np.zeros(n if recipe is not None else 0),
            w=w,
            seen=long.v if drawn else w,
            reread=np.empty(n if short else 0, np.uint32),
            change=np.empty(n if short else 0),
            listed=np.zeros((state.PIECES * classes, 2), np.int64),
            grown=np.zeros(state.PIECES * classes),
            factor=np.zeros(classes),
            hist=np.zeros((blocks, classes, SIZE)),
            counts=np.zeros((counted, classes, SIZE), np.int32),
            edges=np.empty(self.rows.columns.shape[1]),
            scratch=np.zeros((blocks, 2, SIZE)),
            many=None if classes == 2 else np.zeros((blocks, 3, SIZE)),
            said=np.zeros(256, np.int64),
            picked=np.zeros((classes, 256), np.uint8),
            offset=np.zeros(classes),
            gain=np.ones(classes),
            total=np.zeros(classes),
            begun=np.zeros(classes),
            mass=np.zeros(classes),
            side=np.zeros((4, classes)),
            clock=np.zeros(7, np.int64),
            travel=np.zeros(3),
            state=np.zeros(1),
            long=None if short else long,
            exact=self._exact_work(),
        )

    def _exact_work(self) -> state.Exact | None:
        """Room for exact thresholds, where they lie inside bins."""
        if self.exact is None:
            return None
        values, mixed = self.exact
        return state.Exact(
            values, mixed, np.empty(values.shape, np.int32),
            np.zeros((len(values), 257), np.uint8), np.zeros(257, np.int64),
        )  # fmt: skip

    def trace(self, rounds: int) -> state.Trace:
        """Room for what so many rounds leave behind."""
        said = np.zeros((rounds if self.bins.categories else 0, 256), np.int64)
        return state.Trace(np.zeros((rounds, 5), np.int64), said, np.zeros((rounds, 7)))

    def fit(self, weights: np.ndarray, seed: int = 0) -> tuple[Stumps, np.ndarray] | None:
        """The best stump for row weights, and what it says for the training rows."""
        return self._single(lambda work, trace: search.fit_stump(self.rows, work, trace, weights))

    def fit_gains(self, gains: np.ndarray) -> tuple[Stumps, np.ndarray] | None:
        """The best stump where saying class k on row i is worth ``gains[i, k]``."""
        by_class = np.ascontiguousarray(gains[self.rows.order].T)
        found = self._single(lambda work, trace: search.fit_gains(self.rows, work, trace, by_class))
        if found is not None and not self.bins.missing[found[0].feature[0]]:
            stump, codes = found
            weight = gains[np.arange(len(gains)), self.y]
            on_left = weight[codes == stump.left[0]].sum()
            heavier = stump.left if 2.0 * on_left >= weight.sum() * (1 - TIE) else stump.right
            if int(stump.feature[0]) not in self.bins.categories:
                stump.missing[:] = heavier
        return found

    def _single(self, find: Any) -> tuple[Stumps, np.ndarray] | None:
        if self._one is None:
            self._one = self.work(), self.trace(1)
        work, trace = self._one
        if not find(work, trace):
            return None
        codes = np.empty(len(self.rows.order), np.int64)
        search.say_all(self.rows, work, trace, codes)
        return self.stumps(trace, 0, 1), codes

    def stumps(self, trace: state.Trace, start: int, stop: int) -> Stumps:
        """Some of the stumps of a trace."""
        feature, split, left, right, missing = trace.stump[start:stop].T.copy()
        inside = trace.numbers[start:stop, state.THRESHOLD]
        at_cut = cut_at(self.bins, feature, split)
        threshold = np.where(np.isnan(inside), at_cut, inside)
        said = trace.said[start:stop].copy()
        return Stumps(
            feature, threshold, left, right, missing, said, self.bins.categories, self.n_classes
        )

    def collect(self, hypotheses: list[Stumps]) -> Stumps:
        """The stumps of single fits as one ensemble."""
        return self.stumps(self.trace(0), 0, 0).joined(*hypotheses)
