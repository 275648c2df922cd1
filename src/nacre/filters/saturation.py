"""Gamberger's saturation filter: rows without which fewer tests tell the classes apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacre.data import TrainingRows
from nacre.data.check import check_number
from nacre.data.storable import storable
from nacre.filters.base import LabelFilter
from nacre.filters.cut import Threshold
from nacre.filters.score import Scored

TOLERANCES = ((50, 1.5), (100, 1.0), (200, 0.75))
"""Up to so many rows, the weight that a row may have; else the last."""
LEAST = 0.5


@storable
@dataclass(eq=False, repr=False)
class SaturationFilter(LabelFilter):
    r"""Rows without which the classes could be told apart by fewer tests of single columns.

    Tests ("literals": a column is above a threshold, or has a category) are chosen greedily, each
    to separate as many pairs of rows with different labels as are not separated yet, until all
    are. A test is needed only for the pairs that the others do not separate; a row of such a pair
    gets :math:`1 / |E|`, where :math:`E` are all rows of its label among these pairs: without them
    the test could go. The row of most weight is set aside, and the tests are chosen anew, until no
    row has more than ``tolerance``. Rows that contradict each other (the same values, different
    labels) go first.

    Parameters
    ----------
    tolerance : float above 0, default=None
        The weight that a row may have. None: 1.5, 1, 0.75 and 0.5 in tables of up to 50, 100, 200
        and more rows.
    cut : part, default=None
        As in :class:`VoteFilter`; None is ``Threshold(1.0)``, all rows that were set aside. The
        score is the weight of a row when it was, else at the end, over the tolerance.
    random_state : int, RandomState or None, default=None
        Of the noise rate, where the cut asks for it.

    Notes
    -----
    *When it helps.* Classes that few simple rules tell apart, so that an exception has to pay for
    a rule of its own.

    *When it does not.* Where classes overlap, every row of the overlap is an exception. Costs grow
    with the rows times the rows set aside: it is for tables of up to some thousand.

    *Where others differ.* Of rows that contradict each other the original sets all aside; here
    those of the most frequent label stay. Rows of equal weight go together, so that the order of
    the rows does not matter.

    References
    ----------
    .. [1] D. Gamberger, N. Lavrac, S. Dzeroski, "Noise elimination in inductive concept learning: a
       case study in medical diagnosis", Algorithmic Learning Theory, 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre.filters import SaturationFilter
    >>> from nacre.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, flipped = flip_labels(y[:200], 0.1, random_state=0)
    >>> found = SaturationFilter().fit(X[:200], labels)
    >>> round(float(flipped[found.mislabeled_].mean()), 2)
    0.89
    """

    tolerance: float | None = None

    default_cut = Threshold(1.0)

    def _score(self, training: TrainingRows, seed: int) -> Scored:
        if self.tolerance is not None:
            check_number(self.tolerance, "tolerance")
        return saturation_scores(training, self.tolerance)


def saturation_scores(training: TrainingRows, tolerance: float | None = None) -> Scored:
    """The weight of each row when it was set aside, or at the end, over the tolerance."""
    y, K = training.y, training.n_classes
    if tolerance is None:
        tolerance = next((weight for most, weight in TOLERANCES if len(y) <= most), LEAST)
    columns = as_ranks(training)
    scores, support = np.zeros(len(y)), np.zeros((len(y), K))
    same = np.unique(columns, axis=1, return_inverse=True)[1].ravel()
    counts = np.bincount(same * K + y, minlength=(same.max() + 1) * K).reshape(-1, K)[same]
    own = counts[np.arange(len(y)), y]
    most = counts.max(axis=1)
    alone = (counts == most[:, None]).sum(axis=1) == 1
    against = (own < counts.sum(axis=1)) & ~((own == most) & alone)
    support[against] = counts[against]
    left = np.flatnonzero(~against)
    while len(left):
        scores[left], support[left] = weigh_needs(columns[:, left], y[left], K)
        heaviest = scores[left].max()
        if heaviest <= tolerance:
            break
        left = left[scores[left] < heaviest - 1e-9]
    scores /= tolerance
    scores[against] = 1.0 + scores.max()
    return Scored(scores, support)


def as_ranks(training: TrainingRows) -> np.ndarray:
    """Columns that tests are of, as whole numbers: of each category whether it is that one."""
    columns = []
    for j, column in enumerate(np.asarray(training.X, float).T):
        rank = np.unique(column, return_inverse=True)[1].ravel()  # NaN is the last
        if j in training.categorical:
            columns += [rank == one for one in range(rank.max() + 1)]
        else:
            columns += [np.where(np.isnan(column), 0, rank + 1)]
    return np.array(columns, np.int32)


def weigh_needs(columns: np.ndarray, y: np.ndarray, K: int) -> tuple[np.ndarray, np.ndarray]:
    """How much each row is what tests are needed for, and the labels that these tell it from."""
    weights, support = np.zeros(len(y)), np.zeros((len(y), K))
    tests = choose_tests(columns, y, K)
    for k in range(len(tests)):
        cell = cells_of(tests, leave=k)
        counts = np.bincount(cell * K + y, minlength=(cell.max() + 1) * K).reshape(-1, K)
        needy = ((counts > 0).sum(axis=1) > 1)[cell]
        weights[needy] += 1.0 / np.bincount(y[needy], minlength=K)[y[needy]]
        support[needy] += counts[cell[needy]]
    return weights, support


def cells_of(tests: np.ndarray, leave: int) -> np.ndarray:
    """The cell of each row: rows of a cell answer all tests but one alike."""
    kept = tests.copy()
    kept[leave] = False
    packed = np.ascontiguousarray(np.packbits(kept, axis=0).T)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    return np.unique(keys, return_inverse=True)[1].ravel()


def choose_tests(columns: np.ndarray, y: np.ndarray, K: int) -> np.ndarray:
    """Answers (tests, rows) of tests that separate all rows of different labels, greedily."""
    order = np.argsort(columns, axis=1, kind="stable")
    cell = np.zeros(len(y), np.int64)
    tests = np.empty((0, len(y)), bool)
    while True:
        counts = np.bincount(cell * K + y, minlength=(cell.max() + 1) * K).reshape(-1, K)
        mixed = ((counts > 0).sum(axis=1) > 1)[cell]
        rows = order[mixed[order]].reshape(len(columns), -1)
        if not rows.size:
            return tests
        values = np.take_along_axis(columns, rows, axis=1)
        ends = values[:, 1:] != values[:, :-1]
        gained = np.where(ends, _separated(cell[rows], y[rows], counts)[:, :-1], 0)
        best = int(gained.argmax()) if gained.size else 0
        if not gained.size or gained.flat[best] == 0:  # the rest is alike
            return tests
        j, i = divmod(best, gained.shape[1])
        tests = np.vstack([tests, columns[j] > values[j, i]])
        cell = np.unique(2 * cell + tests[-1], return_inverse=True)[1].ravel()


def _separated(cell: np.ndarray, y: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Pairs of a cell with different labels that are parted after each place, along columns.

    A row that moves from right to left is then parted from the others on the right, and no longer
    from those on the left.
    """
    K = counts.shape[1]
    left = _place_within(cell) - _place_within(cell * K + y)
    others = counts.sum(axis=1)[cell] - counts[cell, y]
    return np.cumsum(others - 2 * left, axis=1)


def _place_within(group: np.ndarray) -> np.ndarray:
    """How many of its group come before each entry, row by row; all rows have the same groups."""
    order = np.argsort(group, axis=1, kind="stable")
    ordered = np.take_along_axis(group, order[:1], axis=1)[0]
    begins = np.searchsorted(ordered, ordered)
    place = np.empty_like(group)
    np.put_along_axis(place, order, (np.arange(len(ordered)) - begins)[None], axis=1)
    return place
