"""Shapley values of trees: what each column contributes to a score."""

from __future__ import annotations

import numpy as np

from nacre.kernels import shapley
from nacre.kernels.tree import FEATURE, WEIGHT


def shapley_values(
    X: np.ndarray,
    roots: np.ndarray,
    nodes: tuple[np.ndarray, np.ndarray, np.ndarray],
    outputs: np.ndarray,
    column: np.ndarray,
    columns: int,
    background: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Path-dependent TreeSHAP: contributions that add up to what the trees say.

    A column that is left out is averaged over at every node that decides on it, by how many rows
    go to each side.

    Parameters
    ----------
    X : array of shape (n, d)
        Categories as codes.
    roots, nodes : as for predicting
        The place of each tree's first node; links, numbers and sides of all nodes.
    outputs : array of shape (nodes, width)
        What each leaf says.
    column : int64 array
        The first of so many ``columns`` of scores that each tree says something of.
    columns : int
    background : array of shape (m, d), optional
        The rows that are averaged over; default those that each tree was grown on, with their
        weights then.

    Returns
    -------
    arrays of shapes (n, d, columns) and (columns,)
        The contributions, and what the trees say of a row of which nothing is known.
    """
    links, numbers, sides = nodes
    if background is None:
        cover = numbers[:, WEIGHT].copy()
    else:
        cover = np.zeros(len(links))
        shapley.count_rows(background, roots, links, numbers, sides, cover)
    most = most_decided(links, roots)
    base, out = np.zeros(columns), np.zeros((*X.shape, columns))
    shapley.add_contributions(
        X, roots, links, numbers, sides, cover, outputs, column, *quadratures(most),
        np.empty(len(links), np.int64), np.empty(most, np.int64), np.empty((4, most)), base, out,
    )  # fmt: skip
    return out, base


def most_decided(links: np.ndarray, roots: np.ndarray) -> int:
    """How many columns, at most, one tree decides on; 1 or more."""
    used = (np.unique(tree[tree >= 0]) for tree in np.split(links[:, FEATURE], roots[1:]))
    return max(1, *map(len, used))


def quadratures(most: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gauss-Legendre points and weights on 0 to 1 that are exact to the degree m - 1, m = 0, ...

    One after the other; the third array says where each begins.
    """
    found = [np.polynomial.legendre.leggauss(max(1, (m + 1) // 2)) for m in range(most + 1)]
    points, weights = (np.concatenate(part) for part in zip(*found, strict=True))
    starts = np.append(0, np.cumsum([len(part) for part, _ in found]))
    return (points + 1.0) / 2.0, weights / 2.0, starts
