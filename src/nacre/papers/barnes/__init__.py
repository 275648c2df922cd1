"""J. Barnes, Capacity control in boosting using a p-convex hull, honours thesis, ANU, 1999."""

from nacre.papers.barnes import hull_cost, overfitting, p_boosting, theory, variants

EXPERIMENTS = (
    *overfitting.EXPERIMENTS,
    *variants.EXPERIMENTS,
    *theory.EXPERIMENTS,
    *hull_cost.EXPERIMENTS,
    *p_boosting.EXPERIMENTS,
)
