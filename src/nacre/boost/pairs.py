"""AdaBoost.M2: boosting on pairs of a row and a wrong label.

Weights are per row and wrong label, so this is not one of the family of :mod:`nacre.boost.loop`;
with two classes it is plain AdaBoost.
"""

from __future__ import annotations

import numpy as np

from nacre.boost.algorithm import STOP_REASONS
from nacre.boost.loop import Run
from nacre.kernels import formulas as fm
from nacre.learners.base import Fitter
from nacre.table import Problem


def boost_pairs(
    fitter: Fitter, problem: Problem, rounds: int, learning_rate: float = 1.0, seed: int = 0
) -> Run:
    """Boost on the pseudo-loss.

    Learners with ``fit_gains`` minimise it; others are fitted to each row's total weight.
    """
    y, n, K = problem.y, len(problem.y), problem.n_classes
    rows = np.arange(n)
    totals = np.zeros((n, K))
    hypotheses, votes, losses, log_costs = [], [], [], []
    end = fm.GO
    for t in range(1, rounds + 1):
        log_w = totals - totals[rows, y][:, None]
        log_w[rows, y] = -np.inf
        top = log_w.max()
        pairs = problem.weight[:, None] / (K - 1) * np.exp(log_w - top)
        log_cost = top + np.log(pairs.sum())
        pairs /= pairs.sum()
        fitted = _fit(fitter, pairs, y, seed + t)
        if fitted is None:
            end = fm.NO_SPLIT
            break
        hypothesis, said = fitted
        wrong = said != y
        loss = 0.5 * (pairs[wrong].sum() + pairs[rows[wrong], said[wrong]].sum())
        if loss >= 0.5 - fm.TIE:
            end = fm.CHANCE
            break
        vote = learning_rate * fm.half_log_odds(loss)
        totals[rows, said] += vote
        hypotheses.append(hypothesis)
        votes.append(vote)
        losses.append(loss)
        log_costs.append(log_cost)
        if loss <= 0.0:
            end = fm.PERFECT
            break
    return Run(
        fitter.collect(hypotheses),
        np.column_stack([np.ones(len(votes)), votes]),
        np.array(losses),
        np.array(log_costs),
        STOP_REASONS[end],
    )


def _fit(
    fitter: Fitter, pairs: np.ndarray, y: np.ndarray, seed: int
) -> tuple[object, np.ndarray] | None:
    weights = pairs.sum(axis=1)
    if not hasattr(fitter, "fit_gains"):
        return fitter.fit(weights, seed)
    gains = -pairs
    gains[np.arange(len(y)), y] = weights
    found: tuple[object, np.ndarray] | None = fitter.fit_gains(gains)
    return found
