"""J. Barnes, Capacity control in boosting using a p-convex hull, honours thesis, ANU, 1999."""

from nacre.papers.barnes import (
    capacity,
    courses,
    hull_cost,
    overfitting,
    p_boosting,
    restarts,
    theory,
    variants,
    verdict,
)

EXPERIMENTS = (
    *capacity.EXPERIMENTS,
    *overfitting.EXPERIMENTS,
    *variants.EXPERIMENTS,
    *theory.EXPERIMENTS,
    *hull_cost.EXPERIMENTS,
    *p_boosting.EXPERIMENTS,
    *courses.EXPERIMENTS,
    *restarts.EXPERIMENTS,
)

__all__ = ["EXPERIMENTS", "verdict"]
