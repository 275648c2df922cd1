"""The short way of the exponential cost: a round re-reads only rows whose weight has changed.

Within a class every row on one side of a stump has its weight multiplied by one factor, every other
row by another. The larger group's factor goes into the offset of the class, and the rows of the
smaller one, in pieces that threads may share out, are weighed and listed to be read again.
"""

import math

import numpy as np

from nacre.kernels import histogram as hg
from nacre.kernels import weights as wt
from nacre.kernels.compile import compiled, inlined
from nacre.kernels.histogram import WIDTH
from nacre.kernels.round_state import (
    DRIVE,
    FEATURE,
    FULL,
    LOG_COST,
    LOG_SCALE,
    LOG_START,
    MOVED,
    MOVING,
    PIECES,
    ROUND,
    SINCE,
    read_all,
)
from nacre.kernels.smooth import exp

# When to refill the histograms
REFILL_ROUNDS = 128
REFILL_FALL = 7.0  # in the log of the total weight, against which rounding errors are small
REFILL_TRAVEL = 200.0  # of the margins, which must not take a weight out of a float's range
# Below so small an error, misses are added up row by row
SMALL_ERROR = 1e-6


@inlined
def wrong_by_class(rows, work, f, whole):
    """The weight that the stump gets wrong, from the bins of its column."""
    block = f // WIDTH
    wrong = 0.0
    misses = 0
    for c in range(len(work.total)):
        weight, count = wt.missed(
            rows.columns, f, work.hist[block, c], work.counts[block, c], work.said, c
        )
        wrong += work.gain[c] * weight
        misses += count
    if misses == 0:
        return 0.0
    if wrong < SMALL_ERROR * whole:
        wrong = 0.0
        for c in range(len(work.total)):
            wrong += work.gain[c] * wt.add_missed(
                rows.words[block], f % WIDTH, rows.starts[c], rows.starts[c + 1], work.said, c,
                work.w,
            )  # fmt: skip
    return wrong


@inlined
def begin_move(rows, work, f, drive):
    """Move the margins: of the larger group by the class's offset; its smaller one is to come."""
    block = f // WIDTH
    work.clock[MOVING] = 2.0 * abs(drive) <= REFILL_TRAVEL
    if not work.clock[MOVING]:
        leap_by_class(rows, work, f, drive)
        return
    for c in range(len(work.total)):
        size = rows.starts[c + 1] - rows.starts[c]
        misses = wt.missed(
            rows.columns, f, work.hist[block, c], work.counts[block, c], work.said, c
        )[1]
        few_hits = 2 * misses > size
        wt.pick_bins(rows.columns, f, work.said, c, few_hits, work.picked[c])
        work.offset[c] += -drive if few_hits else drive
        factor = math.exp(-2.0 * drive if few_hits else 2.0 * drive)
        work.factor[c] = factor if 0 < misses < size else 0.0


@compiled
def move_piece(rows, work, trace, k):
    """Weigh the rows of piece ``k`` that the class's offset does not move, and list them."""
    move_rows(rows, work, trace.stump[work.clock[ROUND] - 2, FEATURE], k)


@inlined
def move_rows(rows, work, f, k):
    """``move_piece``, of a stump on column ``f``."""
    c, p = k // PIECES, k % PIECES
    start, size = rows.starts[c], rows.starts[c + 1] - rows.starts[c]
    first, stop = start + size * p // PIECES, start + size * (p + 1) // PIECES
    listed = first
    if work.factor[c] != 0.0:
        listed = wt.list_rows(
            rows.words[f // WIDTH], f % WIDTH, first, stop, work.picked[c], work.reread
        )
    work.listed[k, 0], work.listed[k, 1] = first, listed
    work.grown[k] = wt.scale_listed(work.reread, first, listed, work.factor[c], work.w, work.change)


@compiled
def end_move(rows, work, trace):
    """Add up what the pieces have changed, once all are moved."""
    numbers = trace.numbers[work.clock[ROUND] - 2]
    settle_move(rows, work, numbers[DRIVE], numbers[LOG_COST])


@inlined
def settle_move(rows, work, drive, log_cost):
    """``end_move``, of a step."""
    for c in range(len(work.total)):
        for k in range(PIECES * c, PIECES * c + PIECES):
            work.total[c] += work.grown[k]
    work.clock[FULL] = 0
    work.clock[SINCE] += 1
    work.travel[MOVED] += 2.0 * abs(drive)
    if work.clock[SINCE] == 1:
        work.travel[LOG_START] = log_cost
    stale = (
        work.clock[SINCE] >= REFILL_ROUNDS
        or work.travel[MOVED] > REFILL_TRAVEL
        or work.travel[LOG_START] - log_cost > REFILL_FALL
        or 2.0 * abs(drive) > REFILL_FALL
    )
    for c in range(len(work.total)):
        stale = stale or work.total[c] < math.exp(-REFILL_FALL) * work.begun[c]
    if stale:
        refill(rows, work)
    wt.balance(work.offset, work.total, work.gain, work.mass)


@compiled
def refill(rows, work):
    """Recover the margins, weigh afresh, and have all rows read."""
    work.travel[LOG_SCALE] = wt.refill(
        rows.starts, rows.s, work.offset, work.travel[LOG_SCALE], work.z, work.w
    )
    work.travel[MOVED] = 0.0
    work.clock[SINCE] = 0
    read_all(rows, work)


@compiled
def leap_by_class(rows, work, f, drive):
    """Move the margins where factors would leave the range of floats: row by row."""
    refill(rows, work)
    words = rows.words[f // WIDTH]
    shift = np.uint64(8 * (f % WIDTH))
    for c in range(len(work.total)):
        for i in range(rows.starts[c], rows.starts[c + 1]):
            hit = work.said[(words[i] >> shift) & np.uint64(255)] == c
            work.z[i] += drive if hit else -drive
    weigh_by_class(rows, work)


@compiled
def weigh_by_class(rows, work):
    """Weigh all rows by their margins under the exponential cost, all offsets being 0."""
    least = hg.smallest(work.z)
    for i in range(len(work.z)):
        work.w[i] = rows.s[i] * exp(-min(work.z[i] - least, wt.FAR))
    work.travel[LOG_SCALE] = -least
    read_all(rows, work)
    wt.balance(work.offset, work.total, work.gain, work.mass)
