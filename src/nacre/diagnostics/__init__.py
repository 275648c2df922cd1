"""Looking inside a boosted ensemble: margins, weights, volumes, bounds, diversity, and plots.

Functions of plain arrays, most of them of :func:`hits`: which hypothesis is right on which row.
"""

from nacre.diagnostics.ensemble import hits
from nacre.diagnostics.margins import area_under_margin, margin_distribution, margins
from nacre.diagnostics.volumes import (
    axis_volumes,
    cell_volumes,
    decision_volumes,
    mean_volumes,
    thresholds_by_column,
)
from nacre.diagnostics.weights import Spread, weight_paths, weight_ranges

__all__ = [
    "Spread",
    "area_under_margin",
    "axis_volumes",
    "cell_volumes",
    "decision_volumes",
    "hits",
    "margin_distribution",
    "margins",
    "mean_volumes",
    "thresholds_by_column",
    "weight_paths",
    "weight_ranges",
]
