"""The boosting loop.

Twice: a plain one for any weak learner, short enough to read as the definition, and a driver of
the compiled one for native stumps. Both use the same compiled formulas; tests hold them equal.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from nacre.boost.algorithm import STOP_REASONS, Algorithm, row_by_row
from nacre.kernels import formulas as fm
from nacre.kernels import rounds as kernel
from nacre.kernels.random import draw_rows
from nacre.kernels.weights import weigh
from nacre.learners.base import Fitter, Hypotheses
from nacre.learners.stump import StumpFitter
from nacre.table import Problem

KEPT = (fm.GO, fm.PERFECT, fm.VANISHED)


@dataclass(frozen=True)
class Run:
    """What boosting leaves behind.

    Attributes
    ----------
    hypotheses : sequence of the weak hypotheses kept
    steps : shrink and vote of each round, F <- shrink * F + vote * h, of shape (rounds, 2)
    errors : their weighted errors in their rounds
    log_costs : log of the mean pull before each round, the cost itself where it is exponential
    stop_reason : why there are no more
    """

    hypotheses: Hypotheses
    steps: np.ndarray
    errors: np.ndarray
    log_costs: np.ndarray
    stop_reason: str

    @property
    def votes(self) -> np.ndarray:
        """The votes in the final ensemble."""
        return final_votes(*self.steps.T)

    @property
    def edges(self) -> np.ndarray:
        """Weight right less weight wrong, in each round."""
        return 1.0 - 2.0 * self.errors


def boost(
    fitter: Fitter,
    problem: Problem,
    algorithm: Algorithm,
    rounds: int,
    seed: int = 0,
    noise: np.ndarray | None = None,
) -> Run:
    """Boost a prepared learner, compiled where it is the native stump."""
    if isinstance(fitter, StumpFitter):
        return boost_stumps(fitter, problem, algorithm, rounds, seed, noise)
    return boost_any(fitter, problem, algorithm, rounds, seed, noise)


def boost_any(
    fitter: Fitter,
    problem: Problem,
    algorithm: Algorithm,
    rounds: int,
    seed: int = 0,
    noise: np.ndarray | None = None,
) -> Run:
    """The plain loop."""
    recipe = algorithm.recipe(problem.n_classes, rounds, seed, noise)
    s, n = problem.weight, len(problem.y)
    z, w, times = np.zeros(n), np.empty(n), np.ones(n, np.int32)
    state, memory = np.array([seed], np.uint64), np.zeros(1)
    hypotheses, steps, trace = [], [], []
    end = fm.GO
    for t in range(1, rounds + 1):
        slope = fm.cost_slope(recipe.slope, recipe.step, recipe.b, t)
        top = weigh(recipe.cost, slope, recipe.noise, recipe.draws, recipe.sums, s, z, w)
        if top == -np.inf:
            end = fm.VANISHED
            break
        log_cost = top + np.log(w.sum())
        w /= w.sum()
        draw_rows(state, recipe.draw, recipe.share, times)
        drawn = w * times
        fitted = fitter.fit(drawn if drawn.any() else w, seed + t)
        if fitted is None:
            end = fm.NO_SPLIT
            break
        hypothesis, said = fitted
        u = np.where(said == problem.y, 1.0, -1.0)
        error = w[u < 0].sum()
        shrink, vote, drive, end = kernel.judge(recipe, t, error, w @ z, log_cost, s, z, u, memory)
        if end not in KEPT:
            break
        z = shrink * z + drive * u
        hypotheses.append(hypothesis)
        steps.append((shrink, vote))
        trace.append((error, log_cost))
        if end != fm.GO:
            break
    errors, log_costs = np.array(trace).reshape(-1, 2).T
    return Run(
        fitter.collect(hypotheses),
        np.array(steps).reshape(-1, 2),
        errors,
        log_costs,
        STOP_REASONS[end],
    )


def boost_stumps(
    fitter: StumpFitter,
    problem: Problem,
    algorithm: Algorithm,
    rounds: int,
    seed: int = 0,
    noise: np.ndarray | None = None,
) -> Run:
    """The compiled loop."""
    in_order = None if noise is None else noise[fitter.rows.order]
    recipe = algorithm.recipe(problem.n_classes, rounds, seed, in_order)
    if len(fitter.rows.mixed):
        recipe = row_by_row(recipe)
    return run_recipe(fitter, recipe, rounds, seed)


def run_recipe(fitter: StumpFitter, recipe: kernel.Recipe, rounds: int, seed: int = 0) -> Run:
    """Run the compiled loop, blocks of columns shared out among the fitter's threads."""
    rows, work, trace = fitter.rows, fitter.work(recipe, seed), fitter.trace(rounds)
    blocks = len(rows.words)
    workers = min(fitter.workers, blocks)
    work.clock[kernel.ROUND] = 1
    kernel.reweigh(rows, recipe, work)
    if workers <= 1:
        end = kernel.run_rounds(rows, recipe, work, trace, rounds)
    else:
        own, *others = pairwise(np.linspace(0, blocks, workers + 1).astype(int).tolist())
        with ThreadPoolExecutor(workers - 1) as pool:
            end = fm.GO
            while end == fm.GO and work.clock[kernel.ROUND] <= rounds:
                shares = [pool.submit(kernel.scan_blocks, rows, work, *other) for other in others]
                kernel.scan_blocks(rows, work, *own)
                for share in shares:
                    share.result()
                end = kernel.finish_round(rows, recipe, work, trace)
    kept = int(work.clock[kernel.ROUND]) - 1
    if end == fm.VANISHED and kept == rounds:
        end = fm.GO
    numbers = trace.numbers[:kept].T.copy()
    return Run(
        fitter.stumps(trace, kept),
        numbers[[kernel.SHRINK, kernel.VOTE]].T,
        numbers[kernel.ERROR],
        numbers[kernel.LOG_COST],
        STOP_REASONS[end],
    )


def final_votes(shrinks: np.ndarray, votes: np.ndarray) -> np.ndarray:
    """Each vote times the shrinks of all later rounds: 0 where thousands of them leave nothing."""
    later = np.append(np.cumprod(shrinks[:0:-1])[::-1], 1.0)
    return votes * later[-len(votes) :] if len(votes) else votes.copy()
