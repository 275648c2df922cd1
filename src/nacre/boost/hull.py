"""Sloppy p-boosting as it may have been run: only votes are normalised."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nacre.boost.step import CustomStep, Move, Round, Rules
from nacre.data.storable import storable
from nacre.kernels import formulas as fm

MOST_STEPS = 1000
FLAT = float(np.finfo(float).eps)


@storable
@dataclass(frozen=True)
class RawHull(CustomStep):
    """AdaBoost's step, then all votes, but not the margins, rescaled to p-norm 1.

    The listing of sloppy p-boosting in Barnes' appendix B normalises the votes, and keeps row
    margins that a routine which is not printed returns. Either these are the margins of the
    normalised votes (:class:`~nacre.boost.SloppyHull`), or the former margins plus the vote times
    the hits, as here: rows then weigh as they do under AdaBoost, and votes of early rounds fade.

    Parameters
    ----------
    p : float, default=1.0
        The norm.
    tolerance : float or None, default=1e-3
        Slope of the mean cost at which the listing's Newton search for the step ends; it begins at
        1 / (2 (t - 1)), so that once the cost is small steps are just that. None is the exact step,
        1/2 log((1 - err) / err), in all rounds but the first, whose vote is 1.

    References
    ----------
    .. [1] J. Barnes, "Capacity control in boosting using a p-convex hull", honours thesis,
       Australian National University, 1999, appendix B.
    """

    p: float = 1.0
    tolerance: float | None = 1e-3

    def take(self, now: Round, state: np.ndarray, rules: Rules) -> Move:
        """Find the step; shrink votes only."""
        if now.error >= rules.limit - fm.TIE:
            return Move(end="no better than chance", kept=False)
        end = "perfect" if now.error <= 0.0 else None
        if now.t == 1:
            return Move(1.0, 1.0, 1.0, end, carry=1.0)
        if self.tolerance is None or end is not None:
            length = float(fm.half_log_odds(now.error)) + rules.extra
        else:
            cost = math.exp(now.log_cost)
            parts = (1.0 - now.error) * cost, now.error * cost
            length = newton_step(*parts, 0.5 / (now.t - 1), self.tolerance)
        length *= rules.learning_rate
        shrink = 1.0 / float(fm.hull_norm(length, self.p))
        return Move(shrink, length * shrink, length, end, carry=1.0)


def newton_step(right: float, wrong: float, start: float, tolerance: float) -> float:
    """The step of least cost right exp(-a) + wrong exp(a), as appendix B searches for it."""
    following, last, signs = start, math.inf, set()
    for _ in range(MOST_STEPS):
        step = following
        fall, rise = right * math.exp(-step), wrong * math.exp(min(step, 700.0))
        cost, slope = fall + rise, rise - fall
        signs.add(slope > 0.0)
        bend = cost if cost >= FLAT else 0.01
        following = max(0.5 * step, step - slope / bend)
        if abs(slope) < tolerance or (abs(cost - last) < tolerance and len(signs) == 1):
            break
        last = cost
    return step
