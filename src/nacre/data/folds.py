"""Cross-validation folds that keep groups and equal rows together, and out-of-fold predictions.

A *unit* is what must not be parted: the rows of a group, and equal rows. A copy of a mislabelled
row that is left in the training part would vouch for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone
from sklearn.dummy import DummyClassifier

from nacre.data.features import as_matrix
from nacre.data.seeds import derive_seed, set_seeds
from nacre.kernels.binning import hash_rows
from nacre.kernels.random import mixed, mixed_pairs

if TYPE_CHECKING:
    from nacre.data.training import TrainingRows


COPIES, CELLS, FEW = 5, 50, 20
"""Equal rows are told apart if more than 5 and than 1 row in 50, or if fewer than 20 differ."""


@dataclass(frozen=True)
class Units:
    """Which rows belong together.

    Attributes
    ----------
    of : int64 array of shape (n,)
        The unit of each row: 0, 1, ...
    key : uint64 array of shape (n,)
        A number that all rows of a unit share. It depends on their values only, not on where they
        stand, and seeds all that is drawn about them.
    count : int
        How many units there are.
    """

    of: np.ndarray
    key: np.ndarray
    count: int

    @property
    def single(self) -> bool:
        """Whether every unit is one row."""
        return self.count == len(self.of)


def find_units(X: Any, groups: np.ndarray | None = None) -> Units:
    """Connected components of "equal values or the same group": what is held out together.

    Equal rows that are many are no copies, but a cell of a table of few distinct rows. Held out as
    a whole, nothing would be left to tell what belongs there. So equal rows are told apart where
    they are more than ``COPIES`` and more than one row in ``CELLS``, or where the table has fewer
    than ``FEW`` distinct rows. Rows of a table that cannot be read as numbers are all different.
    """
    n, key = X.shape[0], hashed_rows(X)
    same, sizes = np.unique(key, return_inverse=True, return_counts=True)[1:]
    limit = max(COPIES, n / CELLS) if len(sizes) >= FEW else 1
    apart = np.flatnonzero(sizes[same] > limit)
    if len(apart):
        order = apart[np.argsort(same[apart], kind="stable")]
        first = np.searchsorted(same[order], same[order])
        key[order] = mixed_pairs(key[order], np.arange(len(order)) - first)
        same = np.unique(key, return_inverse=True)[1]
    size = int(same.max()) + 1
    if groups is None:
        return Units(same, key, size)
    codes = np.unique(groups, return_inverse=True)[1]
    edges = coo_array((np.ones(n), (same, size + codes)), (size + codes.max() + 1,) * 2)
    count, part = connected_components(edges, directed=False)
    least = np.full(count, np.iinfo(np.uint64).max, np.uint64)
    np.minimum.at(least, part[same], key)
    return Units(part[same].astype(np.int64), least[part[same]], count)


def fold_of(training: TrainingRows, n_folds: int, seed: int = 0) -> np.ndarray:
    """Stratified group k-fold: the fold of each row, units kept whole, classes shared out evenly.

    Rows are put in an order that only their values and the seed decide, so that the same rows are
    held out together however the table is sorted. There are fewer folds where there are fewer
    units.
    """
    y, units = training.y, training.units
    if units.single or units.count < 2:
        hashed = hashed_rows(training.X, seed)
        fold = np.empty(len(y), np.int64)
        fold[np.lexsort((hashed, y))] = np.arange(len(y)) % n_folds
        return fold
    return _share_out(y, training.n_classes, units, min(n_folds, units.count), seed)[units.of]


def hashed_rows(X: Any, seed: int = 0) -> np.ndarray:
    """A number for each row by its values and the seed, or by its place where it has no numbers."""
    try:
        matrix = as_matrix(X)[0]
    except (TypeError, ValueError):
        matrix = np.arange(X.shape[0], dtype=float)[:, None]
    out: np.ndarray = hash_rows(np.ascontiguousarray(matrix, np.float64), np.uint64(seed))
    return out


def _share_out(y: np.ndarray, K: int, units: Units, n_folds: int, seed: int) -> np.ndarray:
    """The fold of each unit, greedily: large ones first, where their classes are rarest so far."""
    counts = np.bincount(units.of * K + y, minlength=units.count * K).reshape(-1, K)
    key = np.empty(units.count, np.uint64)
    key[units.of] = mixed(units.key, np.uint64(seed), np.uint64(0))
    sizes, whole = counts.sum(axis=1), np.maximum(counts.sum(axis=0), 1)
    fold = np.empty(units.count, np.int64)
    held = np.zeros((n_folds, K))
    order = np.lexsort((key, -sizes))
    for u in order[sizes[order] > 1]:
        crowd = held @ (counts[u] / whole)
        k = np.lexsort((held.sum(axis=1), crowd.round(12)))[0]
        fold[u] = k
        held[k] += counts[u]
    singles = order[sizes[order] == 1]
    label = counts[singles].argmax(axis=1)
    for c in np.unique(label):
        own = singles[label == c]
        first = np.argsort(held.sum(axis=1), kind="stable")  # ties go to the smallest folds
        level = held[first, c][:, None] + np.arange(len(own))
        places = np.sort(np.argsort(level, axis=None, kind="stable")[: len(own)])
        fold[own] = first[places // len(own)]
        held[:, c] += np.bincount(fold[own], minlength=n_folds)
    return fold


def hold_out(training: TrainingRows, share: float, seed: int) -> tuple[TrainingRows, TrainingRows]:
    """A stratified hold-out: a share of each class apart, units whole, at least a row of it left.

    Returns
    -------
    rest, held : TrainingRows
    """
    units, rng = training.units, np.random.default_rng(seed)
    held = np.zeros(len(training.y), bool)
    if units.single:
        for k in range(training.n_classes):
            rows = rng.permutation(np.flatnonzero(training.y == k))
            held[rows[: min(round(share * len(rows)), len(rows) - 1)]] = True
    else:
        K = training.n_classes
        counts = np.bincount(units.of * K + training.y, minlength=units.count * K).reshape(-1, K)
        left, wanted = counts.sum(axis=0), np.round(share * counts.sum(axis=0))
        for u in rng.permutation(units.count):
            enough = wanted - counts[u] >= 0
            if np.all(enough | (counts[u] == 0)) and np.all(left - counts[u] >= 1):
                held[units.of == u] = True
                wanted, left = wanted - counts[u], left - counts[u]
    if not np.any(held):
        raise ValueError(
            f"validation_fraction={share} of {len(held)} rows leaves none to stop on: use more, or "
            "give X_val and y_val."
        )
    return training.take(np.flatnonzero(~held)), training.take(np.flatnonzero(held))


def sample_rows(clean: np.ndarray, most: int, seed: int, units: Units | None = None) -> np.ndarray:
    """All rows or, of more than ``most``, a random sample, half of it clean where there are many.

    In ascending order. Of units, none is in the sample by halves.
    """
    n = len(clean)
    if n <= most:
        return np.arange(n)
    rng = np.random.default_rng(seed)
    if units is None or units.single:
        order = rng.permutation(n)
        trusted = order[clean[order]][: most // 2]
        return np.sort(np.append(trusted, order[~clean[order]][: most - len(trusted)]))
    sizes = np.bincount(units.of, minlength=units.count)
    trusts = np.bincount(units.of, clean, units.count) > 0
    order = rng.permutation(units.count)
    chosen = np.zeros(units.count, bool)
    for some, room in ((trusts, most // 2), (~trusts, most), (trusts, most)):
        left = order[some[order] & ~chosen[order]]
        chosen[left[np.cumsum(sizes[left]) <= room - sizes[chosen].sum()]] = True
    return np.flatnonzero(chosen[units.of]) if chosen.any() else np.arange(n)


Fit = Callable[["TrainingRows", int], Any]
"""Fits a model to training rows; the second argument is the number of the fold held out."""


def out_of_fold(
    training: TrainingRows, fold: np.ndarray, fit: Fit
) -> Iterator[tuple[np.ndarray, Any]]:
    """Cross-fitting: for each fold, its rows and what ``fit`` makes of all others."""
    for k in range(int(fold.max()) + 1):
        train, held = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        if len(held):
            yield held, fit(training.take(train if len(train) else held), k)


def fit_copy(model: Any, seed: int) -> Fit:
    """A ``fit`` for :func:`out_of_fold`: copies of a classifier, each with seeds of its own.

    Where all rows are of one class there is nothing to fit, and the copy is one that says it.
    """

    def fit(part: TrainingRows, k: int) -> Any:
        if len(np.unique(part.y)) == 1:
            return DummyClassifier(strategy="prior").fit(np.zeros((len(part.y), 1)), part.y)
        copy = clone(model)
        set_seeds(copy, derive_seed(seed, k))
        return copy.fit(part.X, part.y)

    return fit


def out_of_fold_probabilities(
    training: TrainingRows, fold: np.ndarray, model: Any, seed: int = 0
) -> np.ndarray:
    """Out-of-fold class probabilities: of each row, by a copy of ``model`` that has not seen it.

    A class that is not in a training part has probability 0 there.
    """
    out = np.zeros((len(training.y), training.n_classes))
    for held, fitted in out_of_fold(training, fold, fit_copy(model, seed)):
        out[np.ix_(held, fitted.classes_)] = fitted.predict_proba(training.take(held).X)
    return out
