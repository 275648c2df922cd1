"""Looking inside a boosted ensemble: margins, weights, volumes, bounds, diversity, and plots.

Functions of plain arrays, most of them of :func:`hits`: which hypothesis is right on which row.
"""

from nacre.diagnostics.ensemble import hits
from nacre.diagnostics.volumes import (
    axis_volumes,
    cell_volumes,
    decision_volumes,
    mean_volumes,
    thresholds_by_column,
)

__all__ = [
    "axis_volumes",
    "cell_volumes",
    "decision_volumes",
    "hits",
    "mean_volumes",
    "thresholds_by_column",
]
