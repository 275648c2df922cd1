"""The compiled boosting loop over stumps.

Rows only meet through sums, so a round is made of parts that are *local*, to be called for each
partition of the rows, and parts that look at sums only:

1. ``scan_blocks``: bring the histograms of weights up to date (local), find each column's best
   edge (this and 2 in ``stump_search``);
2. ``best_stump``: the best stump (histograms);
3. ``sum_rows``: the weight it gets wrong, the edge of the ensemble (local);
4. ``decide``: the step (sums; steps that search for their vote look at all rows);
5. ``apply_step``: move the margins and reweigh (local).

``finish_round`` is 2 to 5 for rows in one piece, ``run_rounds`` all rounds of them. Several threads
may share out the blocks of columns of 1 and, on the short way of the exponential cost, the pieces
of 5 (``step_round``; ``exponential`` has the rest), and find the same sums. Over partitions,
somebody else adds up what the local parts found.

A loop compiles what its recipe needs: ``Work.long`` is None on the short way of the exponential
cost, ``Work.exact`` where thresholds lie between bins, ``Work.many`` where there are two classes;
the functions that take them as arguments leave out what they do not need.
"""

import math

import numpy as np

from nacre.kernels import formulas as fm
from nacre.kernels import histogram as hg
from nacre.kernels import random as rd
from nacre.kernels import weights as wt
from nacre.kernels.compile import compiled, inlined
from nacre.kernels.exponential import (
    begin_move,
    end_move,
    move_piece,
    move_rows,
    settle_move,
    weigh_by_class,
    wrong_by_class,
)
from nacre.kernels.round_state import (
    BEGUN,
    COUNTED,
    DRIVE,
    ERROR,
    FEATURE,
    LOG_COST,
    LOG_SCALE,
    MOVING,
    PIECES,
    ROUND,
    SHRINK,
    STATE,
    VOTE,
    Sums,
    read_all,
)
from nacre.kernels.stump_search import best_stump, mark_hits, scan_blocks


@compiled
def run_rounds(rows, recipe, work, trace, rounds):
    """Up to ``rounds`` rounds on one thread. Returns how they end."""
    if not work.clock[BEGUN] and not start(rows, recipe, work):
        return fm.VANISHED
    end = fm.GO
    while end == fm.GO and work.clock[ROUND] <= rounds:
        scan_blocks(rows, work, 0, rows.words.shape[0])
        end = finish_round(rows, recipe, work, trace)
    return end


@inlined
def start(rows, recipe, work):
    """Weigh all rows for the first of some rounds. Returns False where weights vanish."""
    work.clock[BEGUN] = 1
    return weigh_first(rows, recipe, work, work.long)


@inlined
def weigh_first(rows, recipe, work, long):
    """``start``, on the short way or the long one."""
    if long is None:
        weigh_by_class(rows, work)
        return True
    there = weigh_rows(rows, recipe, work, long)
    take_all(recipe, work, long)
    return there


@inlined
def reweigh(rows, recipe, work):
    """Weigh all rows by their margins and draw from them. Returns False where weights vanish."""
    return weigh_rows(rows, recipe, work, work.long)


@inlined
def weigh_rows(rows, recipe, work, long):
    """``reweigh``, with what the long way needs."""
    t = work.clock[ROUND]
    clock = fm.clock(recipe.step.kind, recipe.step.b, t)
    top = wt.weigh(recipe.cost, clock, rows.s, work.z, work.w)
    work.travel[LOG_SCALE] = top
    read_all(rows, work)
    wt.balance(work.offset, work.total, work.gain, work.mass)
    if recipe.draw != rd.ALL_ROWS:
        wt.draw_weights(
            long.keys, long.copies, recipe.seed, np.uint64(t), recipe.draw, recipe.share,
            work.w, long.v,
        )  # fmt: skip
        wt.add_classes(rows.starts, long.v, work.mass)
    return top > -np.inf


@inlined
def take_all_if_none(recipe, work):
    """Where only rows without weight were drawn, have all rows count."""
    take_all(recipe, work, work.long)


@inlined
def take_all(recipe, work, long):
    """``take_all_if_none``: on the short way all rows count in any case."""
    if long is not None and recipe.draw != rd.ALL_ROWS and hg.sum_of(work.mass) <= 0.0:
        for i in range(len(work.w)):
            long.v[i] = work.w[i]
        for c in range(len(work.mass)):
            work.mass[c] = work.total[c]


# The step


@compiled
def finish_round(rows, recipe, work, trace):
    """Pick the stump, step, reweigh. Returns how the round ends."""
    end = step_round(rows, recipe, work, trace)
    if work.clock[MOVING]:
        for k in range(PIECES * len(work.total)):
            move_piece(rows, work, trace, k)
        end_move(rows, work, trace)
    return end


@compiled
def step_round(rows, recipe, work, trace):
    """``finish_round``, but for moving the pieces of the rows on the short way."""
    work.clock[MOVING] = 0
    t = work.clock[ROUND] - 1
    work.clock[COUNTED] = 1
    if not best_stump(rows, work, trace, t):
        return fm.NO_SPLIT
    stump, numbers = trace.stump[t], trace.numbers[t]
    sums = sum_rows(rows, recipe, work, stump)
    end = decide_round(rows, recipe, work, work.long, t + 1, sums, numbers)
    if end != fm.GO and end != fm.PERFECT:
        return end
    work.clock[ROUND] += 1
    if end == fm.PERFECT:
        return end
    there = begin_step(rows, recipe, work, work.long, stump, numbers[SHRINK], numbers[DRIVE])
    take_all_if_none(recipe, work)
    return fm.GO if there else fm.VANISHED


@inlined
def begin_step(rows, recipe, work, long, stump, shrink, drive):
    """``apply_step``, but for moving the pieces of the rows on the short way."""
    if long is None:
        begin_move(rows, work, stump[FEATURE], drive)
        return True
    wt.move(work.z, long.u, shrink, drive)
    return weigh_rows(rows, recipe, work, long)


@inlined
def decide_round(rows, recipe, work, long, t, sums, numbers):
    """``decide``, for rows in one piece: on the short way margins are not at hand."""
    if long is None:
        return decide(recipe, t, sums, recipe.searched, work.state, numbers)
    margins = fm.Margins(rows.s, work.z, long.u)
    return decide(recipe, t, sums, margins, work.state, numbers)


@inlined
def sum_rows(rows, recipe, work, stump):
    """What the rows add up to under a stump, whose classes by bin are in ``work.said``."""
    return add_rows_up(rows, work, work.long, stump)


@inlined
def add_rows_up(rows, work, long, stump):
    """``sum_rows``, on the short way or the long one."""
    log_scale = work.travel[LOG_SCALE] - hg.smallest(work.offset)
    if long is None:
        whole = hg.sum_of(work.mass)
        return Sums(wrong_by_class(rows, work, stump[FEATURE], whole), 0.0, whole, log_scale)
    mark_hits(rows, work, long, work.exact, stump)
    wrong, edge = wt.weigh_misses(long.u, work.w, work.z)
    return Sums(wrong, edge, hg.sum_of(work.total), log_scale)


@inlined
def decide(recipe, t, sums, margins, state, numbers):
    """Take the step of round t and note it in ``numbers``. Returns how the round ends."""
    error, edge = sums.wrong / sums.weight, sums.edge / sums.weight
    log_cost = sums.log_scale + math.log(sums.weight)
    now = fm.Round(t, error, edge, log_cost)
    shrink, vote, drive, end = fm.judge(recipe.cost, recipe.step, now, margins, state)
    numbers[ERROR], numbers[LOG_COST] = error, log_cost
    numbers[SHRINK], numbers[VOTE], numbers[DRIVE] = shrink, vote, drive
    numbers[STATE] = state[0]
    return end


@inlined
def apply_step(rows, recipe, work, stump, shrink, drive, log_cost):
    """Move the margins and weigh the rows for the next round. False where weights vanish."""
    there = begin_step(rows, recipe, work, work.long, stump, shrink, drive)
    if work.clock[MOVING]:
        for k in range(PIECES * len(work.total)):
            move_rows(rows, work, stump[FEATURE], k)
        settle_move(rows, work, drive, log_cost)
    return there


@compiled
def log_scale(work):
    """The log of the unit of a partition's weights."""
    return work.travel[LOG_SCALE] - hg.smallest(work.offset)
