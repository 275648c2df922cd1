"""The formulas of the boosting family, one small function each, shared by both loops.

A *cost* says how much a row of margin z matters (its pull, -c'(z), in the log domain); a *step*
says how far to go along a hypothesis. Both are picked by a whole number and a few parameters,
because a compiled function that takes functions could not be cached.
"""

import math
from typing import NamedTuple

import numpy as np

from nacre.kernels.compile import compiled

# Costs
EXPONENTIAL, LOGISTIC, TANH, GAUSSIAN, REACTION, CORRECTED, CORRECTED_LOGISTIC = range(7)

# Steps
LOG_ODDS, AVERAGED, AVERAGED_2, NAIVE, SLOPPY, STRICT, GRAVITY, HULL, CORE, HARMONIC = range(10)

# What a round can end in
GO, CHANCE, PERFECT, NO_DESCENT, VANISHED, UNDEFINED, NO_SPLIT = range(7)

LEAST_ERROR = 1e-10
TIE = 1e-12


class CostNumbers(NamedTuple):
    """A cost in numbers."""

    kind: int
    slope: float
    draws: np.ndarray  # ascending, and scaled running sums: of the noise reaction only
    sums: np.ndarray
    noise: np.ndarray  # float64 (n,): noise rates of the rows, or (0,)


class StepNumbers(NamedTuple):
    """A step in numbers."""

    kind: int
    a: float  # the step's own parameters
    b: float
    rate: float  # learning rate
    extra: float  # added to the half log-odds: 1/2 log(K - 1) for SAMME
    limit: float  # the error of chance
    stops: bool  # whether steps whose votes do not depend on the error heed it all the same


class Round(NamedTuple):
    """What the rows of a round add up to."""

    t: int  # 1, 2, ...
    error: float  # weighted error of the hypothesis
    edge: float  # weighted mean of the margins: the edge of the ensemble so far
    log_cost: float  # log of the mean pull, which is the cost itself where that is exponential


class Margins(NamedTuple):
    """Sample weights, margins and hits (+1 or -1) of the rows."""

    s: np.ndarray
    z: np.ndarray
    u: np.ndarray


@compiled
def log_add(a, b):
    """log(exp(a) + exp(b))."""
    top = max(a, b)
    if top == -np.inf:
        return top
    return top + math.log1p(math.exp(min(a, b) - top))


@compiled
def log_sigmoid(z):
    """log(1 / (1 + exp(-z)))."""
    return -log_add(0.0, -z)


@compiled
def reaction(z, draws, sums):
    """Minus the noise-reaction derivative of 1[z < 0]; ``draws`` ascend, ``sums`` scaled totals.

    A row that every draw or no draw crosses gets exactly 0, not the rounding error of the mean.
    """
    crossed = np.searchsorted(draws, -z)
    if crossed == 0 or crossed == len(draws):
        return 0.0
    return max(-sums[crossed - 1], 0.0)


@compiled
def log_pull(kind, z, slope, rate, draws, sums):
    """Log of the pull -c'(z), up to a constant shared by all rows."""
    if kind == EXPONENTIAL:
        return -slope * z
    if kind == LOGISTIC:
        return log_sigmoid(-slope * z)
    if kind == TANH:
        size = abs(slope * z)
        return -2.0 * (size + math.log1p(math.exp(-2.0 * size)))
    if kind == GAUSSIAN:
        return -0.5 * (z / slope) ** 2
    if kind == REACTION:
        pull = reaction(z, draws, sums)
        return math.log(pull) if pull > 0.0 else -np.inf
    right, wrong = corrected_parts(kind, z, slope, rate)
    return log_add(right, wrong)


@compiled
def cost(kind, z, slope):
    """The cost c(z) itself, before any correction for noise; the limit of many draws."""
    if kind in (EXPONENTIAL, CORRECTED):
        return math.exp(min(-slope * z, 700.0))
    if kind in (LOGISTIC, CORRECTED_LOGISTIC):
        return -log_sigmoid(slope * z) / math.log(2.0)
    if kind == TANH:
        return 0.5 * (1.0 - math.tanh(slope * z))
    return 0.5 * math.erfc(z / (slope * math.sqrt(2.0)))


@compiled
def mean_cost(kind, slope, s, z):
    """The mean cost of rows of weight ``s``, which sums to 1."""
    total = 0.0
    for i in range(len(z)):
        total += s[i] * cost(kind, z[i], slope)
    return total


@compiled
def corrected_parts(kind, z, slope, rate):
    """Logs of the two terms of a corrected pull: of the label as given, and of its opposite."""
    log_scale = math.log(1.0 - 2.0 * rate)
    if kind == CORRECTED:
        right, wrong = -slope * z, slope * z
    else:
        right, wrong = log_sigmoid(-slope * z), log_sigmoid(slope * z)
    flipped = math.log(rate) if rate > 0.0 else -np.inf
    return math.log1p(-rate) + right - log_scale, flipped + wrong - log_scale


@compiled
def core_sums(kind, slope, noise, z, s):
    """The corrected weight that stands for labels flipped back, and all of it; the log of its unit.

    In the order unit, back, whole.
    """
    top = -np.inf
    for i in range(len(z)):
        right, wrong = corrected_parts(kind, z[i], slope, noise[i])
        top = max(top, max(right, wrong))
    back = 0.0
    whole = 0.0
    for i in range(len(z)):
        right, wrong = corrected_parts(kind, z[i], slope, noise[i])
        back += s[i] * math.exp(wrong - top)
        whole += s[i] * (math.exp(right - top) + math.exp(wrong - top))
    return top, back, whole


@compiled
def core_correction(kind, slope, noise, z, s):
    """Share of the corrected weight that stands for labels flipped back."""
    _, back, whole = core_sums(kind, slope, noise, z, s)
    return back / whole


@compiled
def half_log_odds(error):
    """1/2 log((1 - error) / error), finite for error 0 and 1."""
    error = min(max(error, LEAST_ERROR), 1.0 - LEAST_ERROR)
    return 0.5 * (math.log1p(-error) - math.log(error))


@compiled
def averaged_vote(error, t):
    """1/2 log(1 / (beta gamma)) of AveBoost2 in round t = 1, 2, ..."""
    error = max(error, LEAST_ERROR)
    beta = error / (1.0 - error)
    gamma = (2.0 * (1.0 - error) * t + 1.0) / (2.0 * error * t + 1.0)
    return -0.5 * math.log(beta * gamma)


@compiled
def hull_norm(a, p):
    """(1 + a^p)^(1/p): the p-norm of votes of norm 1 and one more vote a."""
    if a <= 1.0:
        return (1.0 + a**p) ** (1.0 / p)
    return a * (1.0 + a**-p) ** (1.0 / p)


@compiled
def strict_cost(a, z, hits, s, p):
    """log sum s exp(-(z + a u) / (1 + a^p)^(1/p)), and the sign of its slope in a."""
    norm = hull_norm(a, p)
    bend = 0.0 if a == 0.0 else a ** (p - 1.0) / (1.0 + a**p)  # norm' / norm
    top = -np.inf
    for i in range(len(z)):
        top = max(top, -(z[i] + a * hits[i]) / norm)
    total = 0.0
    slope = 0.0
    for i in range(len(z)):
        m = z[i] + a * hits[i]
        weight = s[i] * math.exp(-m / norm - top)
        total += weight
        slope -= weight * (hits[i] - m * bend)
    return top + math.log(total), slope


@compiled
def gravity_cost(a, log_cost, error, norm_p, p, weight):
    """log of mean exp(-(z + a u)) + weight * p-norm of the votes and a; the sign of its slope."""
    right = log_cost + math.log1p(-error) - a
    wrong = log_cost + math.log(error) + a
    whole = norm_p + a**p
    if weight == 0.0 or whole == 0.0:
        return log_add(right, wrong), wrong - right
    pull = math.log(weight) + math.log(whole) / p
    rise = pull - math.log(whole) + (p - 1.0) * math.log(a) if a > 0.0 else -np.inf
    return log_add(log_add(right, wrong), pull), log_add(wrong, rise) - right


@compiled
def vote_cost(a, kind, z, hits, s, log_cost, error, norm_p, p, weight):
    """Log cost of the vote a under the strict or the gravity step, and the sign of its slope."""
    if kind == STRICT:
        return strict_cost(a, z, hits, s, p)
    return gravity_cost(a, log_cost, error, norm_p, p, weight)


GRID = 96
LOWEST, HIGHEST = 1e-6, 1e9
HALVINGS = 60


@compiled
def grid_point(k):
    """Trial votes, evenly spaced in the logarithm; 0 before the first."""
    return LOWEST * math.exp(k * math.log(HIGHEST / LOWEST) / (GRID - 1)) if k >= 0 else 0.0


@compiled
def search_vote(kind, z, hits, s, log_cost, error, norm_p, p, weight):
    """The vote of least cost, searched globally: 0 where no step beats standing still.

    A local search would not do: for p < 1 the cost rises at first and may fall later. Between the
    neighbours of the best point of a grid, the slope is brought to 0 by halving.
    """
    error = max(error, LEAST_ERROR)
    best, place = 0.0, -1
    for k in range(-1, GRID):
        value = vote_cost(grid_point(k), kind, z, hits, s, log_cost, error, norm_p, p, weight)[0]
        if k == -1 or value < best - TIE:
            best, place = value, k
    if place < 0:
        return 0.0
    low, high = grid_point(place - 1), grid_point(min(place + 1, GRID - 1))
    for _ in range(HALVINGS):
        a = 0.5 * (low + high)
        if vote_cost(a, kind, z, hits, s, log_cost, error, norm_p, p, weight)[1] > 0.0:
            high = a
        else:
            low = a
    return 0.5 * (low + high)


@compiled
def clock(kind, b, t):
    """By what the cost is sharpened in round t: t^b for accelerated sloppy p-boost, else 1."""
    return t**b if kind == SLOPPY else 1.0


@compiled
def judge(cost, step, now, rows, state):
    """Shrink, vote and drive of a round, and how it ends; only searches look at the rows."""
    if step.kind == HULL and step.stops and 1.0 - 2.0 * now.error <= now.edge + 2.0 * TIE:
        return 1.0, 0.0, 0.0, NO_DESCENT
    correction = 0.0
    if step.kind == CORE and len(cost.noise):
        correction = core_correction(cost.kind, cost.slope, cost.noise, rows.z, rows.s)
    searched = 0.0
    if step.kind == GRAVITY or (step.kind == STRICT and now.t > 1):
        searched = search_vote(
            step.kind, rows.z, rows.u, rows.s, now.log_cost, now.error, state[0], step.a, step.b
        )
    return take_step(step, now, correction, searched, state)


@compiled
def take_step(step, now, correction, searched, state):
    """Shrink, vote and drive of a round, and what it ends in.

    ``correction`` is the share a of Core AdaBoost, ``searched`` the vote found by a search where
    the step needs one, ``state`` what the step remembers: a running sum.
    """
    kind, t, error, rate = step.kind, now.t, now.error, step.rate
    by_error = kind != HULL and kind != HARMONIC
    end = PERFECT if error <= 0.0 and (by_error or step.stops) else GO
    if kind == HULL:
        vote = rate * step.a / (step.a + t)
        state[0] += vote
        return (state[0] - vote) / state[0], vote / state[0], vote / state[0], end
    if error >= step.limit - TIE and (by_error or step.stops):
        return 1.0, 0.0, 0.0, CHANCE
    if kind == HARMONIC:
        return 1.0, rate / t, rate / t, end
    odds = half_log_odds(error) + step.extra
    if kind == LOG_ODDS:
        return 1.0, rate * odds, rate * odds, end
    if kind == AVERAGED:
        return 1.0, rate * odds, rate * (averaged_vote(error, t) + step.extra), end
    if kind == AVERAGED_2:
        vote = rate * (averaged_vote(error, t) + step.extra)
        return 1.0, vote, vote, end
    if kind == NAIVE:
        return 1.0, rate * odds ** (1.0 / step.a), rate * odds, end
    if kind == CORE:
        least = max(error, LEAST_ERROR)
        if error > 0.0 and correction > 0.0 and least <= correction + TIE:
            return 1.0, 0.0, 0.0, UNDEFINED
        if error > 0.0:
            odds = 0.5 * math.log((1.0 - least - correction) / (least - correction)) + step.extra
        return 1.0, rate * odds, rate * odds, end
    if kind == GRAVITY:
        vote = rate * searched
        state[0] += vote**step.a
        return 1.0, vote, vote, NO_DESCENT if vote == 0.0 else end
    # Sloppy and strict: the votes keep p-norm 1.
    if t == 1:
        return 1.0, 1.0, 1.0, end
    length = rate * (searched if kind == STRICT else odds / t**step.b)
    if length == 0.0:
        return 1.0, 0.0, 0.0, NO_DESCENT
    shrink = 1.0 / hull_norm(length, step.a)
    return shrink, length * shrink, length * shrink, end
