"""Weil's estimate of the noise rate, row by row."""

import numpy as np

Array = np.ndarray


def distance(a: Array, b: Array, scale: Array, categorical: tuple[int, ...] = ()) -> float:
    """Squared, over standardised numbers; 1 for every category that differs."""
    total = 0.0
    for j in range(len(a)):
        if j in categorical:
            total += a[j] != b[j]
        else:
            total += ((a[j] - b[j]) / scale[j]) ** 2
    return total


def weil_rate(
    X: Array,
    y: Array,
    clean: Array,
    m: int,
    corrected: bool = True,
    categorical: tuple[int, ...] = (),
) -> float:
    """Two classes: y in {-1, +1}. Section 6 of the formulas, one neighbourhood at a time."""
    scale = X.std(axis=0)
    above = below = 0.0
    for k in np.flatnonzero(clean):
        d = np.array([distance(X[k], x, scale, categorical) for x in X])
        inside = d <= np.sort(d[~clean])[m - 1] * (1 + 1e-9)
        E_I, E_N = y[inside & clean].mean(), y[inside & ~clean].mean()
        n = np.sum(inside & clean)
        square = E_I**2
        if corrected:
            if n < 2:
                continue
            square = (n * E_I**2 - 1) / (n - 1)
        above += square - E_I * E_N
        below += square
    return 0.5 * above / below


def agreement_rate(X: Array, y: Array, clean: Array, m: int) -> float:
    """Any number of classes: counts pairs of rows that agree."""
    K, scale = len(np.unique(y)), X.std(axis=0)
    clean_pairs, mixed_pairs = [], []
    for k in np.flatnonzero(clean):
        d = np.array([distance(X[k], x, scale) for x in X])
        inside = d <= np.sort(d[~clean])[m - 1] * (1 + 1e-9)
        trusted, others = np.flatnonzero(inside & clean), np.flatnonzero(inside & ~clean)
        if len(trusted) > 1:
            clean_pairs.append(np.mean([y[i] == y[j] for i in trusted for j in trusted if i != j]))
            mixed_pairs.append(np.mean([y[i] == y[j] for i in trusted for j in others]))
    a_I, a_N = np.mean(clean_pairs), np.mean(mixed_pairs)
    return (K - 1) / K * (1 - (a_N - 1 / K) / (a_I - 1 / K))
