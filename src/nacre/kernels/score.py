"""Votes of stump ensembles: all stumps on a column collapsed into one table."""

import numpy as np

from nacre.kernels.binning import CELLS, TILE
from nacre.kernels.compile import compiled


@compiled
def column_step(X, start, stop, j, points, categorical, table, grid, steps, values, out):
    """Add what column ``j`` says to the scores of rows ``start`` to ``stop``.

    ``values`` has a row for each stretch between ``points`` (or for each category), and a last
    one for missing and unknown values; ``table``, ``grid`` and ``steps`` index the points.
    """
    last = np.float64(CELLS - 1)
    count = len(points)
    gone = len(values) - 1
    width = values.shape[1]
    for i in range(start, stop):
        x = np.float64(X[i, j])
        if steps <= 4:
            place = (x - grid[0]) * grid[1]
            place = place if place > 0.0 else 0.0
            place = place if place < last else last
            code = np.int64(table[np.int64(place)])
            for _ in range(steps):
                if code < count and x > points[code]:
                    code += 1
        else:
            code = np.searchsorted(points, x)
        if x != x or (categorical and (code == count or points[code] != x)):
            code = gone
        if width == 1:
            out[i, 0] += values[code, 0]
        else:
            for k in range(width):
                out[i, k] += values[code, k]


@compiled
def score_rows(
    X, columns, starts, points, categorical, tables, grids, steps, value_starts, values, out
):
    """Scores of all rows: the sum of what each used column says, tile by tile."""
    for start in range(0, X.shape[0], TILE):
        stop = min(start + TILE, X.shape[0])
        for c in range(len(columns)):
            column_step(
                X, start, stop, columns[c], points[starts[c] : starts[c + 1]], categorical[c],
                tables[c], grids[c], steps[c], values[value_starts[c] : value_starts[c + 1]], out,
            )  # fmt: skip
