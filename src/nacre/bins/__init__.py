"""A numeric matrix becomes uint8 bins, once per fit."""

from nacre.bins.binner import Bins, bin_rows, check_bins

__all__ = ["Bins", "bin_rows", "check_bins"]
