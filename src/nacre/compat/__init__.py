"""The names of other packages, over nacre's own functions."""
