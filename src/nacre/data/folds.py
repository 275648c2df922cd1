"""Cross-validation folds that keep groups and equal rows together, and out-of-fold predictions.

A *unit* is what must not be parted: the rows of a group, and equal rows. A copy of a mislabelled
row that is left in the training part would vouch for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from nacre.data.features import as_matrix
from nacre.data.seeds import derive_seed, set_seeds
from nacre.io.frames import as_frame, is_missing
from nacre.kernels.binning import hash_rows
from nacre.kernels.random import NEXT_COPY, mixed, mixed_pairs

if TYPE_CHECKING:
    from nacre.data.training import TrainingRows


COPIES, CELLS, FEW = 10, 50, 30
"""Equal rows are told apart if more than 10 and than 1 row in 50, or if fewer than 30 differ."""


@dataclass(frozen=True)
class Units:
    """Which rows belong together.

    Attributes
    ----------
    of : int64 array of shape (n,)
        The unit of each row: 0, 1, ...
    key : uint64 array of shape (n,)
        A number that all rows of a unit share, and that seeds all that is drawn about them. It
        depends on their values only, not on where they stand (but for equal rows told apart).
    own : uint64 array of shape (n,)
        A number of each row's own, by its values; of equal rows, also by their order. Labels have
        no part in it: held-out rows must not be chosen by them.
    copies : int64 array of shape (n,)
        As how many rows each row is drawn: what it stands for where equal rows are told apart,
        else 1.
    count : int
        How many units there are.
    """

    of: np.ndarray
    key: np.ndarray
    own: np.ndarray
    copies: np.ndarray
    count: int

    @property
    def single(self) -> bool:
        """Whether every unit is one row."""
        return self.count == len(self.of)

    def shuffled(self, seed: int) -> np.ndarray:
        """All rows in a random order, which their values and the seed decide."""
        return np.argsort(mixed(self.own, np.uint64(seed), np.uint64(0)), kind="stable")


def find_units(
    X: Any,
    groups: np.ndarray | None = None,
    count: np.ndarray | None = None,
) -> Units:
    """Connected components of "equal values or the same group": what is held out together.

    Equal rows that are many are no copies, but a cell of a table of few distinct rows. Held out as
    a whole, nothing would be left to tell what belongs there; drawn as a whole, a bootstrap sample
    would be one of few cells. So equal rows are told apart where they are more than ``COPIES`` and
    more than one row in ``CELLS``, or where the table has fewer than ``FEW`` distinct rows.

    Parameters
    ----------
    X : a table of any kind
    groups : codes of the rows' groups, optional
    count : how many rows each row stands for, optional
        Where these are whole numbers, a row is drawn as so many equal ones would be.
    """
    n, key = X.shape[0], hashed_rows(X)
    rows = np.ones(n)
    if count is not None and np.all(count == np.round(count)):
        rows = count
    same = np.unique(key, return_inverse=True)[1]
    sizes = np.bincount(same, rows)
    own = key if len(sizes) == n else key + _numbers(same, rows) * NEXT_COPY
    limit = max(COPIES, rows.sum() / CELLS) if len(sizes) >= FEW else 1
    apart = sizes[same] > limit
    copies = np.ones(n, np.int64)
    if np.any(apart):
        key = np.where(apart, own, key)
        copies[apart] = rows[apart]
        same = np.unique(key, return_inverse=True)[1]
    size = int(same.max()) + 1
    if groups is None:
        return Units(same, key, own, copies, size)
    codes = np.unique(groups, return_inverse=True)[1]
    edges = sparse.coo_array((np.ones(n), (same, size + codes)), (size + codes.max() + 1,) * 2)
    number, part = connected_components(edges, directed=False)
    least = np.full(number, np.iinfo(np.uint64).max, np.uint64)
    np.minimum.at(least, part[same], key)
    return Units(part[same].astype(np.int64), least[part[same]], own, np.ones_like(copies), number)


def _numbers(same: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """How many rows equal to each come before it."""
    order = np.argsort(same, kind="stable")
    before = np.cumsum(rows[order]) - rows[order]
    first = np.searchsorted(same[order], same[order])
    out = np.empty(len(same), np.uint64)
    out[order] = (before - before[first]).astype(np.uint64)
    return out


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
    """A number for each row by its values and the seed, of any table."""
    try:
        matrix = as_matrix(X)[0]
    except (TypeError, ValueError):
        return _hashed_objects(X, seed)
    out = np.empty(len(matrix), np.uint64)
    kind = np.float32 if matrix.dtype == np.float32 else np.float64
    hash_rows(np.ascontiguousarray(matrix, kind), np.uint64(seed), out)
    return out


def _hashed_objects(X: Any, seed: int) -> np.ndarray:
    """A number for each row of text and other objects, by how they are written."""
    frame = as_frame(X)
    if frame is not None:
        columns = [frame[:, j].to_list() for j in range(len(frame.columns))]
    elif sparse.issparse(X):
        rows = X.tocsr()
        rows.sort_indices()
        ends = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
        columns = [[(rows.indices[a:b].tolist(), rows.data[a:b].tolist()) for a, b in ends]]
    else:
        columns = np.asarray(X, object).T.tolist()
    out = np.full(X.shape[0], seed, np.uint64)
    for column in columns:
        words = ["" if is_missing(value) else repr(value) for value in column]
        digests = b"".join(blake2b(word.encode(), digest_size=8).digest() for word in words)
        out = mixed_pairs(out, np.frombuffer(digests, np.uint64))
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
    units = training.units
    held = np.zeros(len(training.y), bool)
    if units.single:
        order = units.shuffled(seed)
        for k in range(training.n_classes):
            rows = order[training.y[order] == k]
            held[rows[: min(round(share * len(rows)), len(rows) - 1)]] = True
    else:
        held = np.isin(units.of, _units_to_hold(training, share, np.random.default_rng(seed)))
    if not np.any(held):
        raise ValueError(
            f"validation_fraction={share} of {len(held)} rows leaves none to stop on: use more, or "
            "give X_val and y_val."
        )
    return training.take(np.flatnonzero(~held)), training.take(np.flatnonzero(held))


def _units_to_hold(training: TrainingRows, share: float, rng: np.random.Generator) -> list[int]:
    """Units that make up about a share of each class; the smallest one where all are larger."""
    K, units = training.n_classes, training.units
    counts = np.bincount(units.of * K + training.y, minlength=units.count * K).reshape(-1, K)
    whole = counts.sum(axis=0)
    left, room, chosen = whole.copy(), np.round(share * whole), []
    order = rng.permutation(units.count)
    for unit in order:
        own = counts[unit]
        if np.all((room >= own) | (own == 0)) and np.all((left > own) | (own == 0)):
            chosen.append(int(unit))
            room, left = room - own, left - own
    if chosen:
        return chosen
    able = [unit for unit in order if np.all((whole > counts[unit]) | (counts[unit] == 0))]
    return [int(min(able, key=lambda unit: counts[unit].sum()))] if able else []


def sample_rows(clean: np.ndarray, most: int, seed: int, units: Units) -> np.ndarray:
    """All rows or, of more than ``most``, a random sample, half of it clean where there are many.

    In ascending order. Units are in the sample as a whole or not at all, unless they are so large
    that little would be in it.
    """
    n = len(clean)
    if n <= most:
        return np.arange(n)
    shuffled = units.shuffled(seed)
    if units.single:
        order = shuffled
        trusted = order[clean[order]][: most // 2]
        return np.sort(np.append(trusted, order[~clean[order]][: most - len(trusted)]))
    sizes = np.bincount(units.of, minlength=units.count).tolist()
    trusts = np.bincount(units.of, clean, units.count) > 0
    chosen, taken = np.zeros(units.count, bool), 0
    order = np.random.default_rng(seed).permutation(units.count)
    for some, room in ((trusts, most // 2), (~trusts, most), (trusts, most)):
        for unit in order[some[order] & ~chosen[order]].tolist():
            if taken + sizes[unit] <= room:
                chosen[unit], taken = True, taken + sizes[unit]
    rows = np.flatnonzero(chosen[units.of])
    if 2 * len(rows) < most:  # large units: part of them is better than nothing
        others = shuffled[~chosen[units.of[shuffled]]]
        rows = np.sort(np.append(rows, others[: most - len(rows)]))
    return rows


Fit = Callable[["TrainingRows", int], Any]
"""Fits a model to training rows; the second argument is the number of the fold held out."""


def out_of_fold(
    training: TrainingRows, fold: np.ndarray, fit: Fit
) -> Iterator[tuple[np.ndarray, Any]]:
    """Cross-fitting: for each fold, its rows and what ``fit`` makes of all others of weight."""
    for k in range(int(fold.max()) + 1):
        train = np.flatnonzero((fold != k) & (training.weight > 0.0))
        held = np.flatnonzero(fold == k)
        if len(held):
            yield held, fit(training.take(train if len(train) else held), k)


def fit_copy(model: Any, seed: int) -> Fit:
    """A ``fit`` for :func:`out_of_fold`: copies of a classifier, each with seeds of its own.

    Weights that differ are passed on to a classifier that takes them. Where all rows are of one
    class there is nothing to fit, and the copy is one that says it.
    """

    def fit(part: TrainingRows, k: int) -> Any:
        if len(np.unique(part.y)) == 1:
            return DummyClassifier(strategy="prior").fit(np.zeros((len(part.y), 1)), part.y)
        copy = clone(model)
        set_seeds(copy, derive_seed(seed, k))
        name = weight_parameter(copy) if np.ptp(part.weight) > 0.0 else None
        weights = {} if name is None else {name: part.weight * len(part.y)}
        return copy.fit(part.X, part.y, **weights)

    return fit


def weight_parameter(estimator: Any) -> str | None:
    """The name under which ``fit`` takes row weights, or None."""
    steps = getattr(estimator, "steps", None)
    if steps:
        inner = weight_parameter(steps[-1][1])
        return None if inner is None else f"{steps[-1][0]}__{inner}"
    return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else None


def out_of_fold_probabilities(
    training: TrainingRows, fold: np.ndarray, model: Any, seed: int = 0
) -> np.ndarray:
    """Out-of-fold class probabilities: of each row, by a copy of ``model`` that has not seen it.

    A class that is not in a training part has probability 0 there.
    """
    out = np.zeros((len(training.y), training.n_classes))
    for held, fitted in out_of_fold(training, fold, fit_copy(model, seed)):
        out[np.ix_(held, fitted.classes_)] = fitted.predict_proba(_safe_indexing(training.X, held))
    return out
