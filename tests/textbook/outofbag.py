"""Out-of-bag MarginBoost in a few naive lines.

Letters: s sample weights, z margins, sigma their standard deviation. `grow(w, t)` grows tree t on
weights w and returns the leaf of each row; `draws` has a row of multiplicities for each tree.
"""

from collections.abc import Callable

import numpy as np

Array = np.ndarray


def shares_of(leaf: Array, y: Array, w: Array, n_classes: int) -> Array:
    """For each row, the classes' shares of the weight in its leaf."""
    rows = []
    for own in leaf:
        sums = np.array([w[(leaf == own) & (y == k)].sum() for k in range(n_classes)])
        rows.append(sums / sums.sum())
    return np.array(rows)


def out_of_bag(
    grow: Callable[[Array, int], Array],
    draws: Array,
    y: Array,
    n_classes: int,
    s: Array,
    warm: int,
    slope: float,
    clean: Array,
) -> tuple[Array, Array]:
    """Mean shares of each row: by all trees that count, and by all that have not seen it."""
    n = len(y)
    unseen = [[] for _ in range(n)]
    said = []
    for t, times in enumerate(draws):
        w = s
        if t >= warm:
            z = np.zeros(n)
            for i in range(n):
                if unseen[i]:
                    p = np.mean(unseen[i], axis=0)
                    z[i] = p[y[i]] - max(p[k] for k in range(n_classes) if k != y[i])
            pull = 1 / np.cosh(slope * z / (2 * z.std())) ** 2
            w = np.where(clean, s, s * pull)
        shares = shares_of(grow(w * times, t), y, w * times, n_classes)
        for i in range(n):
            if times[i] == 0:
                unseen[i].append(shares[i])
        if t >= warm:
            said.append(shares)
    alike = np.full(n_classes, 1 / n_classes)
    return np.mean(said, axis=0), np.array([np.mean(u, axis=0) if u else alike for u in unseen])
