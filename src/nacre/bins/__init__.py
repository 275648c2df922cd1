"""Training rows become uint8 bins, once per fit, shared by all that learn from them."""

from nacre.bins.binner import Bins, bin_rows, bin_training, check_bins

__all__ = ["Bins", "bin_rows", "bin_training", "check_bins"]
