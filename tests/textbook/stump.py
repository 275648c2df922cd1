"""The weighted decision stump by brute force: list every candidate, take the first of the best."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

TOL = 1e-12


@dataclass
class Stump:
    """x <= threshold says `left`, else `right`; or a table from category to class.

    A categorical stump holds in `left` (and `right`) what an unseen category says.
    """

    feature: int
    threshold: float | None
    left: int
    right: int
    missing: int
    table: dict[float, int] | None = None

    def predict(self, X: np.ndarray) -> np.ndarray:
        x = X[:, self.feature]
        if self.table is None:
            codes = np.where(x <= self.threshold, self.left, self.right)
        else:
            codes = np.array([self.table.get(value, self.left) for value in x.tolist()], dtype=int)
        return np.where(np.isnan(x), self.missing, codes)


Candidate = tuple[float, Stump]


def best_stump(
    X: np.ndarray,
    y: np.ndarray,
    w: np.ndarray,
    n_classes: int,
    categorical: Sequence[int] = (),
    counts: np.ndarray | None = None,
) -> Stump | None:
    """The stump with the most weight on rows it gets right; None if there is nothing to split."""
    gain = np.zeros((len(y), n_classes))
    gain[np.arange(len(y)), y] = w
    return best_gain_stump(X, gain, categorical, counts)


def best_gain_stump(
    X: np.ndarray,
    gain: np.ndarray,
    categorical: Sequence[int] = (),
    counts: np.ndarray | None = None,
) -> Stump | None:
    """The stump that gains most, where saying k on row i gains gain[i, k] (own label: the most)."""
    counts = np.ones(len(X)) if counts is None else np.asarray(counts)
    weight = gain.max(axis=1)
    X, gain, counts, weight = (part[weight > 0] for part in (X, gain, counts, weight))
    candidates: list[Candidate] = []
    for j in range(X.shape[1]):
        if j in categorical:
            candidates += category_candidates(j, X[:, j], gain, weight, counts)
        else:
            candidates += number_candidates(j, X[:, j], gain, weight)
    if not candidates:
        return None
    best = max(edge for edge, _ in candidates)
    return next(stump for edge, stump in candidates if edge >= best - TOL)


def number_candidates(
    j: int, x: np.ndarray, gain: np.ndarray, weight: np.ndarray
) -> Iterator[Candidate]:
    """Every threshold, missing rows left then right, then present values against missing ones."""
    missing, total = np.isnan(x), weight.sum()
    values = np.unique(x[~missing])
    tries = [(midpoint(a, b), True) for a, b in pairwise(values)]
    if missing.any():
        whole = [(np.inf, False)] if len(values) else []
        tries = [(cut, side) for cut, _ in tries for side in (True, False)] + whole
    for cut, missing_left in tries:
        left = (x <= cut) | (missing & missing_left)
        gain_left, gain_right = gain[left].sum(axis=0), gain[~left].sum(axis=0)
        if not missing.any():
            missing_left = weight[left].sum() >= weight[~left].sum() - TOL * total
        if gain.shape[1] == 2:
            says = [(0, 1), (1, 0)]
        else:
            says = [(heaviest(gain_left, total), heaviest(gain_right, total))]
        for a, b in says:
            edge = 2 * (gain_left[a] + gain_right[b]) / total - 1
            yield edge, Stump(j, float(cut), a, b, a if missing_left else b)


def category_candidates(
    j: int, x: np.ndarray, gain: np.ndarray, weight: np.ndarray, counts: np.ndarray
) -> Iterator[Candidate]:
    """Every category, and missing, says its own heaviest class; rare ones count for less."""
    missing, total = np.isnan(x), weight.sum()
    values = np.unique(x[~missing])
    groups = [(float(v), x == v) for v in values] + [(np.nan, missing)] * bool(missing.any())
    if len(groups) < 2:
        return
    unseen = heaviest(gain.sum(axis=0), total)
    stump, edge = Stump(j, None, unseen, unseen, unseen, {}), 0.0
    for value, rows in groups:
        sums, count = gain[rows].sum(axis=0), counts[rows].sum()
        edge += count / (count + 10) * (2 * sums.max() - weight[rows].sum()) / total
        if np.isnan(value):
            stump.missing = heaviest(sums, total)
        else:
            stump.table[value] = heaviest(sums, total)
    yield edge, stump


def midpoint(a: float, b: float) -> float:
    """Between a and b, never b itself: b has to go right."""
    middle = a + (b - a) / 2
    return a if middle == b else middle


def heaviest(sums: np.ndarray, total: float) -> int:
    """The class of largest sum; the lowest code of those within rounding of it."""
    return int(np.argmax(sums >= sums.max() - TOL * total))


def stump_learner(
    X: np.ndarray, y: np.ndarray, n_classes: int, categorical: Sequence[int] = ()
) -> Callable[[np.ndarray], np.ndarray]:
    """learn(w): what the best stump says on the rows of X (the heaviest class if there is none)."""

    def learn(w: np.ndarray) -> np.ndarray:
        stump = best_stump(X, y, w, n_classes, categorical)
        if stump is None:
            sums = np.bincount(y, weights=w, minlength=n_classes)
            return np.full(len(y), heaviest(sums, w.sum()))
        return stump.predict(X)

    return learn
