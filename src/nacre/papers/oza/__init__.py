"""N. Oza, AveBoost2: boosting for noisy data, Multiple Classifier Systems, 2004."""

from nacre.papers.oza import balance, error_bounds, stability, uci_comparison

EXPERIMENTS = (
    *error_bounds.EXPERIMENTS,
    *stability.EXPERIMENTS,
    *uci_comparison.EXPERIMENTS,
    *balance.EXPERIMENTS,
)
