"""N. Oza, AveBoost2: boosting for noisy data, Multiple Classifier Systems, 2004."""

from nacre.papers.oza import bounds, comparison

EXPERIMENTS = (*bounds.EXPERIMENTS, *comparison.EXPERIMENTS)
