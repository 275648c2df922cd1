"""Looking inside a boosted ensemble: margins, weights, volumes, bounds, contributions, plots.

Functions of plain arrays, most of them of :func:`hits`: which hypothesis is right on which row.
"""

from nacre.diagnostics.boundary import plot_boundaries, plot_boundary
from nacre.diagnostics.bounds import (
    Bound,
    adaboost_bound,
    aveboost2_bound,
    hull_bound,
    margin_bound,
    vc_bound,
)
from nacre.diagnostics.contributions import (
    Contributions,
    ShapeFunction,
    ShapeFunctions,
    contributions,
    shape_functions,
)
from nacre.diagnostics.diversity import accuracies, diversity, error_correlations, overlaps
from nacre.diagnostics.ensemble import hits
from nacre.diagnostics.importances import permutation_importances
from nacre.diagnostics.margins import area_under_margin, margin_distribution, margins
from nacre.diagnostics.plots import (
    plot_errors,
    plot_margins,
    plot_noise_rate,
    plot_overlaps,
    plot_volumes,
    plot_weights,
)
from nacre.diagnostics.regions import region_volumes
from nacre.diagnostics.shapes import plot_shapes
from nacre.diagnostics.stability import Stability, boosting_stability, stability_bound
from nacre.diagnostics.volumes import (
    axis_volumes,
    cell_volumes,
    decision_volumes,
    mean_volumes,
    thresholds_by_column,
)
from nacre.diagnostics.weights import Spread, weight_paths, weight_ranges

__all__ = [
    "Bound",
    "Contributions",
    "ShapeFunction",
    "ShapeFunctions",
    "Spread",
    "Stability",
    "accuracies",
    "adaboost_bound",
    "area_under_margin",
    "aveboost2_bound",
    "axis_volumes",
    "boosting_stability",
    "cell_volumes",
    "contributions",
    "decision_volumes",
    "diversity",
    "error_correlations",
    "hits",
    "hull_bound",
    "margin_bound",
    "margin_distribution",
    "margins",
    "mean_volumes",
    "overlaps",
    "permutation_importances",
    "plot_boundaries",
    "plot_boundary",
    "plot_errors",
    "plot_margins",
    "plot_noise_rate",
    "plot_overlaps",
    "plot_shapes",
    "plot_volumes",
    "plot_weights",
    "region_volumes",
    "shape_functions",
    "stability_bound",
    "thresholds_by_column",
    "vc_bound",
    "weight_paths",
    "weight_ranges",
]
