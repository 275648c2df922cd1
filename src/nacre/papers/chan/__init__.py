"""J. Chan, On boosting and noisy labels, MEng thesis, MIT, 2015."""

from nacre.papers.chan import filters, margins

EXPERIMENTS = (*margins.EXPERIMENTS, *filters.EXPERIMENTS)
