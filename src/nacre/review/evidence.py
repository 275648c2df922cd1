"""What a reviewer is shown of a row: neighbours of both classes, telling values, reasons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nacre.auditing.explain import (
    NEAR,
    OBJECTION,
    POOL,
    TENTHS,
    evidence,
    shortened,
    telling,
    vote,
)
from nacre.auditing.load import Loaded
from nacre.auditing.wording import Wording
from nacre.data.standardize import fit_standardizer

CELLS = 10_000_000
"""Values, at most, of the rows that others are compared with."""


class Evidence:
    """Looks rows up among others: everything that takes long is done once.

    Parameters
    ----------
    loaded : the table that was audited
    flagged : boolean array, which of its labelled rows look mislabelled
    seed : of the sample of rows to compare with, where there are many
    """

    def __init__(self, loaded: Loaded, flagged: np.ndarray, seed: int) -> None:
        training = loaded.training
        n, d = training.X.shape
        most = min(POOL, max(CELLS // d, NEAR))
        self._loaded, self._units = loaded, training.units.of
        self._pool = np.sort(np.random.default_rng(seed).permutation(n)[:most])
        self._words = [shortened(name) for name in loaded.schema.classes]
        pool = training.take(self._pool)
        self._reader = fit_standardizer(pool, 0.0)
        self._points = self._read(pool.X)
        fair = ~flagged[self._pool]
        held = set(training.categorical)
        self._columns = {
            j: _Shares(training.X[self._pool, j][fair], pool.y[fair], len(self._words), j in held)
            for j in loaded.schema.shown
        }
        self._wording = Wording(loaded, self._pool[fair])

    def near(self, row: int, label: int | None, count: int) -> np.ndarray:
        """The nearest rows of a label (of any, if None): of other groups, and no copies."""
        pool, training = self._pool, self._loaded.training
        fit = self._units[pool] != self._units[row]
        if label is not None:
            fit &= training.y[pool] == label
        (numbers, places), (own, kinds) = self._points, self._read(training.X[row : row + 1])
        apart = np.sum((numbers - own) ** 2, axis=1) + np.sum(places != kinds, axis=1)
        apart[~fit] = np.inf
        count = min(count, int(fit.sum()))
        first = np.argpartition(apart, count - 1)[:count] if count else pool[:0]
        return pool[first[np.argsort(apart[first], kind="stable")]]

    def alike(self, row: int) -> np.ndarray:
        """Which share of each class has a value like the row's, column by column: (d, K)."""
        values = self._loaded.training.X[row]
        out = np.zeros((len(values), len(self._words)))
        for j, one in self._columns.items():
            out[j] = one.of(values[j])
        return out

    def reasons(self, row: int, other: int, chances: np.ndarray, alike: np.ndarray) -> list[str]:
        """Sentences on what speaks for another label of a row."""
        loaded = self._loaded
        given = int(loaded.training.y[row])
        around = loaded.training.y[self.near(row, None, NEAR)]
        names = loaded.schema.features
        said = given if chances.argmax() == given else other
        found = evidence(
            self._words, given, other, around, alike, names, lambda j: loaded.cell(row, j)
        )
        if said == given:  # nothing that an objection could object to
            plain = (one.removeprefix(OBJECTION) for one in found)
            found = [one[:1].upper() + one[1:] for one in plain]
        return [
            vote(chances, given, said, self._words),
            *found,
            *self._wording.reasons(
                np.array([row]), np.array([given]), np.array([other]), self._words
            )[0],
        ]

    def _read(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        numbers, places = self._reader.read(X)
        return numbers.T.astype(np.float32), np.ascontiguousarray(places.T)


class _Shares:
    """Which share of each class has a value like another, of one column.

    Alike are numbers of the same tenth of all, equal categories, and gaps.
    """

    def __init__(self, values: np.ndarray, y: np.ndarray, classes: int, category: bool) -> None:
        there = np.unique(values[~np.isnan(values)])
        self._known = there if category else None
        if not category and len(there):
            there = np.unique(np.quantile(values[~np.isnan(values)], TENTHS))
        self._cuts = there
        bins = len(there) + 2
        counts = np.bincount(self._places(values) * classes + y, minlength=bins * classes)
        sizes = np.maximum(np.bincount(y, minlength=classes), 1)
        self._shares = (counts.reshape(bins, classes) / sizes).astype(np.float32)

    def of(self, value: float) -> np.ndarray:
        """By class."""
        out: np.ndarray = self._shares[self._places(np.array([value]))[0]]
        return out

    def _places(self, values: np.ndarray) -> np.ndarray:
        """Bins of values; the last is for gaps, the one before it for categories not seen."""
        cuts = self._cuts
        if self._known is None:
            place = np.searchsorted(cuts, values, "right")
        else:
            place = np.searchsorted(cuts, values)
            strange = ~np.isin(values, cuts)
            place[strange] = len(cuts)
        return np.where(np.isnan(values), len(cuts) + 1, place)


def most_telling(alike: np.ndarray, given: int, other: int, sources: Sequence[str]) -> list[str]:
    """Columns of the table whose values speak for another class, the clearest first."""
    return list(dict.fromkeys(sources[j] for j in telling(alike[:, other], alike[:, given])))
