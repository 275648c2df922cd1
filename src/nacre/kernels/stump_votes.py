"""Votes of stump ensembles: all stumps on a column collapsed into one table.

Along one column the votes of an additive model are a step function. A table holds the points
where it steps, ascending and closed by an infinite one, and a row of votes for each stretch between
them, then one for a missing value. A categorical column has a point for each category instead.
"""

import numpy as np

from nacre.kernels.binning import CELLS, TILE, index_cuts
from nacre.kernels.compile import compiled


@compiled
def cast(values, row, said, vote):
    """Add a vote: signed where there is one column for two classes."""
    if values.shape[1] == 1:
        values[row, 0] += vote if said == 1 else -vote
    else:
        values[row, said] += vote


@compiled
def collapse_numeric(order, feature, threshold, left, right, missing, votes, points, values, sizes):
    """Write the tables of all numeric stumps, in ``order`` of column and threshold.

    ``sizes`` (columns, 3) gets the column, its number of points and of value rows. Returns the
    number of columns.
    """
    columns = 0
    point, row = 0, 0
    k = 0
    while k < len(order):
        j = feature[order[k]]
        stop = k
        while stop < len(order) and feature[order[stop]] == j:
            stop += 1
        first_point, first_row = point, row
        for i in range(k, stop):
            cast(values, row, left[order[i]], votes[order[i]])
        for i in range(k, stop):
            t = order[i]
            if threshold[t] == np.inf:
                break
            if point == first_point or threshold[t] != points[point - 1]:
                points[point] = threshold[t]
                point += 1
                row += 1
                for c in range(values.shape[1]):
                    values[row, c] = values[row - 1, c]
            cast(values, row, left[t], -votes[t])
            cast(values, row, right[t], votes[t])
        points[point] = np.inf
        point += 1
        row += 1
        for i in range(k, stop):
            cast(values, row, missing[order[i]], votes[order[i]])
        row += 1
        sizes[columns, 0], sizes[columns, 1], sizes[columns, 2] = (
            j,
            point - first_point,
            row - first_row,
        )
        columns += 1
        k = stop
    return columns


@compiled
def index_columns(starts, points, tables, grids, steps):
    """Index the points of every column, for a quick search."""
    for c in range(len(steps)):
        here = points[starts[c] : starts[c + 1]]
        grids[c, 0], grids[c, 1], steps[c] = index_cuts(here, len(here) - 1, tables[c])


@compiled
def score_tile(X, start, stop, j, points, categorical, table, grid, steps, values, out):
    """Add what column ``j`` says to the scores of rows ``start`` to ``stop``."""
    last = np.float64(CELLS - 1)
    origin, scale = grid[0], grid[1]
    gone = np.uint32(len(values) - 1)
    width = values.shape[1]
    for i in range(start, stop):
        x = np.float64(X[i, j])
        if steps <= 4:
            place = (x - origin) * scale
            place = place if place > 0.0 else 0.0
            place = place if place < last else last
            code = np.uint32(table[np.uint32(np.int32(place))])
            for _ in range(steps):
                code += np.uint32(x > points[code])
        else:
            code = np.uint32(np.searchsorted(points, x))
        if x != x or (categorical and points[code] != x):
            code = gone
        if width == 1:
            out[i, 0] += values[code, 0]
        else:
            for k in range(width):
                out[i, k] += values[code, k]


@compiled
def score_rows(
    X, columns, categorical, starts, points, tables, grids, steps, value_starts, values, out
):
    """Scores of all rows: the sum of what each used column says, tile by tile."""
    for start in range(0, X.shape[0], TILE):
        stop = min(start + TILE, X.shape[0])
        for c in range(len(columns)):
            score_tile(
                X, start, stop, columns[c], points[starts[c] : starts[c + 1]], categorical[c],
                tables[c], grids[c], steps[c], values[value_starts[c] : value_starts[c + 1]], out,
            )  # fmt: skip
