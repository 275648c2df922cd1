"""N. Oza, AveBoost2: boosting for noisy data, Multiple Classifier Systems, 2004."""

from nacre.papers.oza import error_bounds, uci_comparison

EXPERIMENTS = (
    *error_bounds.EXPERIMENTS,
    *uci_comparison.EXPERIMENTS,
)
