"""Barnes' appendix B: strict p-boosting by the Newton search of its listing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacre.boost import CustomStep, Move
from nacre.boost.hull import FLAT, MOST_STEPS
from nacre.boost.step import Round, Rules
from nacre.kernels import formulas as fm


def cost_along(
    vote: float, z: np.ndarray, u: np.ndarray, s: np.ndarray, p: float
) -> tuple[float, float, float]:
    """The mean of exp(-(z + a u) / (1 + a^p)^(1/p)) at the vote a, its slope and its bend."""
    whole = 1.0 + vote**p
    norm = whole ** (1.0 / p)
    first = vote ** (p - 1.0) * norm / whole
    second = (p - 1.0) * vote ** (p - 2.0) * norm / whole**2
    margins = (z + vote * u) / norm
    slopes = (u - margins * first) / norm
    bends = -(2.0 * slopes * first + margins * second) / norm
    costs = s * np.exp(-margins)
    return float(costs.sum()), float(-costs @ slopes), float(costs @ (slopes**2 - bends))


@dataclass(frozen=True)
class ListedStrict(CustomStep):
    """The strict step as it was run: a local search, whose minimum may lie above the start.

    The search ends at a slope below the tolerance, or where the cost hardly changes and its slope
    has kept its sign; a point where the cost bends down ends the run.
    :class:`~nacre.boost.StrictHull` searches everywhere and takes no step uphill.
    """

    p: float = 1.0
    tolerance: float = 1e-3

    def take(self, now: Round, state: np.ndarray, rules: Rules) -> Move:
        """Find the step; shrink votes and margins."""
        if now.error >= rules.limit - fm.TIE:
            return Move(end="no better than chance", kept=False)
        if now.t == 1:
            return Move(1.0, 1.0, 1.0, "perfect" if now.error <= 0.0 else None)
        if now.error <= 0.0:
            return Move(end="perfect", kept=False)
        vote = self._search(now)
        if cost_along(vote, now.z, now.u, now.s, self.p)[2] <= 0.0:
            return Move(end="the cost only rises", kept=False)
        shrink = 1.0 / float(fm.hull_norm(vote, self.p))
        return Move(shrink, vote * shrink, vote * shrink)

    def _search(self, now: Round) -> float:
        following, last, signs = 0.5 / (now.t - 1), np.inf, set()
        for _ in range(MOST_STEPS):
            vote = following
            cost, slope, bend = cost_along(vote, now.z, now.u, now.s, self.p)
            signs.add(slope > 0.0)
            following = max(0.5 * vote, vote - slope / (bend if bend >= FLAT else 0.01))
            if abs(slope) < self.tolerance:
                break
            if abs(cost - last) < self.tolerance and len(signs) == 1:
                break
            last = cost
        return vote
