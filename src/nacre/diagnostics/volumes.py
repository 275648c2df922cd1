"""Volumes around the rows: how much room the ensemble leaves each of them.

Both volumes are products over the columns of the length of an interval around the row, in logs.
The ends of the box, a little beyond the least and the largest value of the rows given, bound every
interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nacre.boost.stopping import TIE, first_of_most
from nacre.data import read_rows
from nacre.diagnostics.ensemble import as_numbers, pick_rounds
from nacre.kernels.volumes import LEAST, add_decision_volumes
from nacre.learners.branches import Trees
from nacre.learners.stump import Stumps


def cell_volumes(
    model: Any, X: Any, rounds: Any = None, *, pad: float = 0.01, rescale: bool = True
) -> np.ndarray:
    r"""Log volumes of the cells that the thresholds cut around each row.

    .. math::

        \log V_i = \sum_j \log\bigl(r_{ij} - l_{ij}\bigr),

    where :math:`l_{ij} < x_{ij} \le r_{ij}` are the nearest thresholds on column j, or the ends of
    the box where there are none. Chan found that they shrink for all rows alike: they do not tell
    suspects from others. :func:`decision_volumes` do.

    A missing value and a column of categories count for nothing (a length of 1).

    Parameters
    ----------
    model : fitted voting booster of nacre with native stumps or trees
    X : array or data frame of shape (n, d)
    rounds : int or list of them, optional
        After which rounds, from 1; -1 is the last. Default after each.
    pad : float above 0, default=0.01
        How far the box reaches beyond the least and the largest value of a column.
    rescale : bool, default=True
        Measure every column in units of its range. ``rescale=False`` measures as Chan did, where
        the pad weighs more on columns of small range.

    Returns
    -------
    ndarray of shape (rounds, n), or (n,) for a single round

    References
    ----------
    .. [1] J. Chan, "On boosting and noisy labels", MEng thesis, MIT, 2015; section 3.4.

    Examples
    --------
    >>> import numpy as np
    >>> from nacre import AdaBoostClassifier
    >>> from nacre.diagnostics import cell_volumes
    >>> X, y = [[0.0], [1.0], [2.0], [10.0]], ["a", "a", "b", "b"]
    >>> model = AdaBoostClassifier(n_estimators=1).fit(X, y)
    >>> np.exp(cell_volumes(model, X, rounds=-1)).round(2)  # cut at 1.5, box from -.1 to 10.1
    array([0.16, 0.16, 0.86, 0.86])
    """
    ensemble = _ensemble(model)
    chosen, single = pick_rounds(rounds, len(ensemble))
    rows = read_rows(model, X)
    box = _Box.around(rows, ensemble.categories, pad, rescale)
    turn, feature, threshold = splits(ensemble)
    grid = _Grid.over(rows, feature, threshold, box)
    placed = [np.zeros(len(edges), bool) for edges in grid.edges]
    log_shares = [np.zeros(len(edges) + 1) for edges in grid.edges]
    volumes, out = box.log_volumes(rows), np.empty((len(chosen), len(rows)))
    for t in range(len(ensemble)):
        for c in np.unique(grid.column[(turn == t) & (grid.column >= 0)]):
            placed[c][grid.split[(turn == t) & (grid.column == c)]] = True
            lower, upper = box.stretches(grid.columns[c], grid.edges[c][placed[c]])
            lengths = (upper - lower)[np.append(0, np.cumsum(placed[c]))]
            now = np.log(np.maximum(lengths * grid.scale[c], LEAST))
            volumes += np.append(now - log_shares[c], 0.0)[grid.place[:, c]]
            log_shares[c] = now
        out[chosen == t + 1] = volumes
    return out[0] if single else out


def decision_volumes(
    model: Any, X: Any, rounds: Any = None, *, pad: float = 0.01, rescale: bool = True
) -> np.ndarray:
    """Log volumes within which each row keeps the ensemble's label.

    On each column, with the other coordinates fixed, a walk outwards from the row through the
    thresholds of that column ends where the ENSEMBLE's label changes, or at the end of the box;
    the volume is the product of the lengths walked. (It is not the volume of the whole region of
    that label: Chan's approximation, which this is, looks along the axes only.)

    The given label does not count. A row that the ensemble has fitted against its surroundings has
    a small volume; a row of wrong label that it has not fitted may well have a large one. A missing
    value and a column of categories count for nothing (a length of 1), but have their votes.

    Parameters
    ----------
    model : fitted voting booster of nacre with native stumps or trees
        With trees, F along a column depends on the other coordinates, so every row walks by
        itself: slow, ask for few rounds. For other ensembles see :func:`axis_volumes`.
    X : array or data frame of shape (n, d)
    rounds : int or list of them, optional
        After which rounds, from 1; -1 is the last. Default after each.
    pad : float above 0, default=0.01
        How far the box reaches beyond the least and the largest value of a column.
    rescale : bool, default=True
        Measure every column in units of its range. ``rescale=False`` measures as Chan did.

    Returns
    -------
    ndarray of shape (rounds, n), or (n,) for a single round

    References
    ----------
    .. [1] J. Chan, "On boosting and noisy labels", MEng thesis, MIT, 2015; section 3.3.

    Examples
    --------
    >>> import numpy as np
    >>> from nacre import AdaBoostClassifier
    >>> from nacre.diagnostics import decision_volumes
    >>> X = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]
    >>> model = AdaBoostClassifier(n_estimators=3).fit(X, [0, 0, 1, 0, 0, 0])
    >>> model.predict(X)
    array([1, 0, 1, 0, 0, 0])
    >>> np.exp(decision_volumes(model, X, rounds=-1)).round(2)
    array([0.11, 0.2 , 0.2 , 0.51, 0.51, 0.51])
    """
    stumps = _ensemble(model)
    chosen, single = pick_rounds(rounds, len(stumps))
    rows = read_rows(model, X)
    if isinstance(stumps, Trees):
        stages = [_tree_volumes(model, rows, t, pad, rescale) for t in chosen]
        return stages[0] if single else np.array(stages)
    box = _Box.around(rows, stumps.categories, pad, rescale)
    grid = _Grid.over(rows, stumps.feature, stumps.threshold, box)
    starts = np.append(0, np.cumsum([len(edges) + 1 for edges in grid.edges])).astype(np.int64)
    ends = [box.stretches(j, edges) for j, edges in zip(grid.columns, grid.edges, strict=True)]
    lower, upper = np.concatenate([np.empty((2, 0)), *ends], axis=1)
    width = 1 if stumps.n_classes == 2 else stumps.n_classes
    scores, profile = np.zeros((len(rows), width)), np.zeros((starts[-1], width))
    reach = np.zeros(len(grid.edges))
    votes = model.estimator_weights_
    ties = TIE * np.cumsum(np.abs(votes))
    whole, out = box.log_volumes(rows), np.empty((len(chosen), len(rows)))
    for t, said in enumerate(stumps.said_by_each(rows)):
        _cast(scores, said, votes[t])
        c = grid.column[t]
        if c >= 0:
            steps = profile[starts[c] : starts[c + 1]]
            left = np.arange(len(steps)) <= grid.split[t]
            _cast(steps, np.where(left, stumps.left[t], stumps.right[t]), votes[t])
            reach[c] = np.sort(np.ptp(steps, axis=0))[-2:].sum()
        if np.any(chosen == t + 1):
            volumes = whole.copy()
            add_decision_volumes(
                grid.place, starts, lower, upper, grid.scale, profile, reach, scores, ties[t],
                volumes,
            )  # fmt: skip
            out[chosen == t + 1] = volumes
    return out[0] if single else out


def axis_volumes(
    predict: Callable[[np.ndarray], Any],
    X: Any,
    thresholds: Sequence[Any],
    *,
    pad: float = 0.01,
    rescale: bool = True,
) -> np.ndarray:
    """Decision volumes of any model whose label changes at known thresholds only.

    The walk of :func:`decision_volumes`, for trees and their ensembles: the label is asked for at
    the middle of each stretch between thresholds, outwards until it changes. That takes up to two
    calls of ``predict`` for each threshold.

    Parameters
    ----------
    predict : function
        Labels for an array of shape (k, d).
    X : array of shape (n, d)
    thresholds : d lists of numbers
        Where the label may change along each column; :func:`thresholds_by_column` makes them. None
        for a column of categories, which counts for nothing, as does a missing value.
    pad : float above 0, default=0.01
    rescale : bool, default=True

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from nacre.diagnostics import axis_volumes, thresholds_by_column
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> model = DecisionTreeClassifier(random_state=0).fit(X, [0, 0, 0, 1])
    >>> cuts = thresholds_by_column(model.tree_.feature, model.tree_.threshold, columns=2)
    >>> np.exp(axis_volumes(model.predict, X, cuts)).round(2)
    array([1.04, 0.52, 0.52, 0.26])
    """
    rows = np.asarray(X, float)
    if rows.ndim != 2 or len(rows) == 0:
        raise ValueError(f"X must be a table of rows and columns, got shape {rows.shape}.")
    if len(thresholds) != rows.shape[1]:
        raise ValueError(
            f"thresholds has {len(thresholds)} entries for {rows.shape[1]} columns of X: "
            "give one list per column, None for a column of categories."
        )
    symbolic = [j for j, one in enumerate(thresholds) if one is None]
    box = _Box.around(rows, symbolic, pad, rescale)
    labels, volumes = np.asarray(predict(rows)), box.log_volumes(rows)
    for j, one in enumerate(thresholds):
        edges = np.unique(as_numbers([] if one is None else one, f"thresholds[{j}]"))
        if not len(edges):
            continue
        present = np.flatnonzero(~np.isnan(rows[:, j]))
        place = np.searchsorted(edges, rows[present, j])
        outer = min(box.low[j], edges[0]), max(box.high[j], edges[-1])
        middles = np.append(outer[0], edges) / 2 + np.append(edges, outer[1]) / 2
        ends = []
        for way, last in ((-1, 0), (1, len(edges))):
            stretch, walking = place.copy(), np.flatnonzero(place != last)
            while len(walking):
                probes = rows[present[walking]]
                probes[:, j] = middles[stretch[walking] + way]
                walking = walking[np.asarray(predict(probes)) == labels[present[walking]]]
                stretch[walking] += way
                walking = walking[stretch[walking] != last]
            ends.append(stretch)
        lower, upper = box.stretches(j, edges)
        lengths = (upper[ends[1]] - lower[ends[0]]) / box.sides[j]
        volumes[present] += np.log(np.maximum(lengths, LEAST))
    return volumes


def thresholds_by_column(feature: Any, threshold: Any, columns: int) -> list[np.ndarray]:
    """The distinct thresholds on each column, from the nodes of trees or from stumps.

    Parameters
    ----------
    feature : whole numbers
        The column that each node splits on; negative for a leaf.
    threshold : as many numbers
        Infinite ones (a split on whether the value is missing) are left out.
    columns : int

    Returns
    -------
    list of ndarray, ascending, one per column

    Examples
    --------
    >>> from nacre.diagnostics import thresholds_by_column
    >>> thresholds_by_column([0, 2, 0, -1], [1.5, 3.0, 0.5, 0.0], columns=3)
    [array([0.5, 1.5]), array([], dtype=float64), array([3.])]
    """
    which, where = np.asarray(feature), np.asarray(threshold, float)
    if which.shape != where.shape or which.ndim != 1:
        raise ValueError("feature and threshold must be lists of one length.")
    if len(which) and which.max() >= columns:
        raise ValueError(f"feature names column {which.max()}, but there are {columns} columns.")
    return [np.unique(where[(which == j) & np.isfinite(where)]) for j in range(columns)]


def mean_volumes(log_volumes: Any) -> np.ndarray:
    """Log of the mean volume of the rows.

    Parameters
    ----------
    log_volumes : array of shape (..., n)

    Returns
    -------
    ndarray of shape (...)

    Examples
    --------
    >>> import numpy as np
    >>> from nacre.diagnostics import mean_volumes
    >>> np.exp(mean_volumes(np.log([1.0, 2.0, 6.0]))).round(6)
    np.float64(3.0)
    """
    logs = np.asarray(log_volumes, float)
    if logs.ndim == 0 or logs.shape[-1] == 0:
        raise ValueError("log_volumes must have at least one row.")
    return np.logaddexp.reduce(logs, axis=-1) - np.log(logs.shape[-1])


def _ensemble(model: Any) -> Stumps | Trees:
    found = getattr(model, "estimators_", None)
    if not isinstance(found, Stumps | Trees):
        raise TypeError(
            f"Volumes are of fitted voting boosters of nacre with native stumps or trees, got "
            f"{model!r}: for other ensembles use axis_volumes."
        )
    return found


def splits(ensemble: Stumps | Trees) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Round, column and threshold of every decision on a number."""
    if isinstance(ensemble, Stumps):
        return np.arange(len(ensemble)), ensemble.feature, ensemble.threshold
    turn = np.repeat(np.arange(len(ensemble)), [len(tree) for tree in ensemble])
    feature, threshold = (
        np.concatenate([getattr(tree, name) for tree in ensemble] or [np.empty(0, int)])
        for name in ("feature", "threshold")
    )
    inner = feature >= 0
    return turn[inner], feature[inner], threshold[inner]


def _tree_volumes(model: Any, rows: np.ndarray, t: int, pad: float, rescale: bool) -> np.ndarray:
    """Decision volumes of the first t trees."""
    trees, votes = model.estimators_.first(t), model.estimator_weights_[:t]
    _, feature, threshold = splits(trees)
    edges: list[Any] = [*thresholds_by_column(feature, threshold, rows.shape[1])]
    for j in trees.categories:
        edges[j] = None

    whole = np.abs(votes).sum()

    def label(some: np.ndarray) -> np.ndarray:
        scores = trees.scores(some, votes)
        return scores > TIE * whole if scores.ndim == 1 else first_of_most(scores, whole)

    return axis_volumes(label, rows, edges, pad=pad, rescale=rescale)


@dataclass(frozen=True)
class _Box:
    """What bounds all volumes. ``counts`` says which columns do: those that hold numbers."""

    low: np.ndarray
    high: np.ndarray
    unit: np.ndarray
    counts: np.ndarray

    @classmethod
    def around(cls, rows: np.ndarray, symbolic: Any, pad: float, rescale: bool) -> _Box:
        if not 0 < pad < np.inf:
            raise ValueError(f"pad must be a number above 0, got {pad!r}.")
        low, high = (np.asarray(f.reduce(rows, axis=0), float) for f in (np.fmin, np.fmax))
        unit = np.where(high > low, high - low, 1.0) if rescale else np.ones(len(low))
        counts = ~np.isnan(low) & ~np.isin(np.arange(len(low)), list(symbolic))
        return cls(low - pad * unit, high + pad * unit, unit, counts)

    @property
    def sides(self) -> np.ndarray:
        return self.high - self.low

    def stretches(self, j: int, edges: np.ndarray) -> np.ndarray:
        """Lower and upper ends of the stretches between edges on column j."""
        inside = np.clip(edges, self.low[j], self.high[j])
        return np.array([np.append(self.low[j], inside), np.append(inside, self.high[j])])

    def log_volumes(self, rows: np.ndarray) -> np.ndarray:
        """Of the whole box, per row: without the columns that it lacks."""
        logs = np.log(self.sides[self.counts] / self.unit[self.counts])
        return ~np.isnan(rows[:, self.counts]) @ logs


@dataclass(frozen=True)
class _Grid:
    """The thresholds of all rounds, column by column, and where the rows lie among them."""

    column: np.ndarray  # (splits,): the place of each split's column in ``columns``, -1 for none
    split: np.ndarray  # (splits,): the place of its threshold among the edges
    columns: np.ndarray  # columns that have thresholds
    edges: list[np.ndarray]  # their distinct thresholds, ascending
    scale: np.ndarray  # one over their sides of the box
    place: np.ndarray  # int32 (n, columns): the stretch of each row, -1 where it has no value

    @classmethod
    def over(cls, rows: np.ndarray, feature: np.ndarray, threshold: np.ndarray, box: _Box) -> _Grid:
        numeric = box.counts[feature] & np.isfinite(threshold)
        columns = np.unique(feature[numeric])
        column, split = np.full((2, len(feature)), -1)
        edges, place = [], np.empty((len(rows), len(columns)), np.int32)
        for c, j in enumerate(columns):
            on = numeric & (feature == j)
            found, split[on] = np.unique(threshold[on], return_inverse=True)
            column[on] = c
            values = rows[:, j].astype(float)
            place[:, c] = np.where(np.isnan(values), -1, np.searchsorted(found, values))
            edges.append(found)
        return cls(column, split, columns, edges, 1.0 / box.sides[columns], place)


def _cast(values: np.ndarray, said: np.ndarray, vote: float) -> None:
    """Add a vote per row: signed where there is one column for two classes."""
    if values.shape[1] == 1:
        values[:, 0] += np.where(said == 1, vote, -vote)
    else:
        values[np.arange(len(said)), said] += vote
