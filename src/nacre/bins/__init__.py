"""A numeric matrix becomes uint8 bins, once per fit."""

from nacre.bins.binner import Bins, bin_rows

__all__ = ["Bins", "bin_rows"]
