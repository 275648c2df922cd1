"""J. Barnes, Capacity control in boosting using a p-convex hull, honours thesis, ANU, 1999."""

from nacre.papers.barnes import comparison, theory

EXPERIMENTS = (*theory.EXPERIMENTS, *comparison.EXPERIMENTS)
