"""The compiled boosting loop over stumps.

Rows only meet through sums, so a round is made of parts that are *local*, to be called for each
partition of the rows, and parts that look at sums only:

1. ``scan_blocks``: bring the histograms of weights up to date (local), find each column's best
   edge;
2. ``pick_stump``: the best stump (histograms);
3. ``sum_rows``: the weight it gets wrong, the edge of the ensemble (local);
4. ``decide``: the step (sums; steps that search for their vote look at all rows);
5. ``apply_step``: move the margins and reweigh (local).

``finish_round`` is 2 to 5 for rows in one piece, ``run_rounds`` all rounds of them. Several threads
may share out the blocks of columns of 1 and, on the short way of the exponential cost, the pieces
of 5 (``step_round``, ``move_piece``, ``end_move``), and find the same sums. Over partitions,
somebody else adds up what the local parts found.

A loop compiles what its recipe needs: ``Work.long`` is None on the short way of the exponential
cost, ``Work.exact`` where thresholds lie between bins, ``Work.many`` where there are two classes;
the functions that take them as arguments leave out what they do not need.
"""

import math
from typing import NamedTuple

import numpy as np

from nacre.kernels import exact as ex
from nacre.kernels import formulas as fm
from nacre.kernels import histogram as hg
from nacre.kernels import random as rd
from nacre.kernels import weights as wt
from nacre.kernels.compile import compiled, inlined
from nacre.kernels.histogram import BINS, CATEGORICAL, KIND, WIDTH
from nacre.kernels.smooth import exp

TIE = fm.TIE

# When to refill the histograms, and below which error to add up the misses row by row.
REFILL_ROUNDS = 128
REFILL_FALL = 7.0  # in the log of the total weight, against which rounding errors are small
REFILL_TRAVEL = 200.0  # of the margins, which must not take a weight out of a float's range
SMALL_ERROR = 1e-6
# Up to so many rows a sum of equal weights tells their number
EXACT_SUMS = 50_000_000

# Places in Work.clock: the round (from 1), rounds since the last refill, whether to read all rows,
# the rows left of a split inside a bin (0: none), whether rows per bin have been counted, whether
# rows have been weighed at all, and whether the pieces of the rows are still to be moved
ROUND, SINCE, FULL, CUT, COUNTED, BEGUN, MOVING = 0, 1, 2, 3, 4, 5, 6
# Pieces of a class whose rows are moved by themselves, on the short way
PIECES = 2
# Places in Work.travel: votes since the last refill, the log of the common scale (by class: minus
# the least margin at the last refill), the log of the total weight then
MOVED, LOG_SCALE, LOG_START = 0, 1, 2
# Places in Trace.stump; the fifth is what a missing value says
FEATURE, SPLIT, LEFT, RIGHT = 0, 1, 2, 3
# Places in Trace.numbers
ERROR, LOG_COST, SHRINK, VOTE, DRIVE, STATE, THRESHOLD = 0, 1, 2, 3, 4, 5, 6


class Rows(NamedTuple):
    """The binned training rows, sorted by class; constant over the rounds."""

    words: np.ndarray  # uint64 (blocks, n): eight bins a word
    columns: np.ndarray  # int64 (4, features): LAST, BINS, KIND, GAPS
    share: np.ndarray  # float64 (blocks, SIZE) or (0, SIZE): trust in a category
    starts: np.ndarray  # int64 (classes + 1,): where each class begins
    order: np.ndarray  # int32 (n,): the original row at each place
    s: np.ndarray  # float64 (n,): sample weights, sum 1
    equal: bool  # whether they are all equal


class Recipe(NamedTuple):
    """An algorithm in numbers: see ``formulas``."""

    cost: fm.CostNumbers  # noise rates in the order of Rows
    step: fm.StepNumbers
    draw: int
    share: float
    seed: np.uint64
    incremental: bool
    searched: fm.Margins | None  # of no rows, where the short way searches for its vote


class Sums(NamedTuple):
    """What the rows of a round add up to, once its stump is known."""

    wrong: float  # weight of the rows that it gets wrong
    edge: float  # weighted sum of the margins
    weight: float  # of all rows
    log_scale: float  # log of the unit of these three


class Long(NamedTuple):
    """What the loop needs where every row is weighed in every round."""

    u: np.ndarray  # float64 (n,): +1 hit, -1 miss
    v: np.ndarray  # float64 (n,) or (0,): weights times draws
    keys: np.ndarray  # uint64 (n,) or (0,): of the rows, for draws
    copies: np.ndarray  # int64 (n,) or (0,): how many rows each draws as


class Exact(NamedTuple):
    """What thresholds between any two values need."""

    values: np.ndarray  # float64 (d, n): the columns
    mixed: np.ndarray  # uint8 (d, 256): bins of several values
    by_value: np.ndarray  # int32 (d, n): rows grouped by bin, each bin sorted on demand
    in_order: np.ndarray  # uint8 (d, 257): which bins are sorted; 256: whether rows are grouped
    place: np.ndarray  # int64 (257,): scratch


class Work(NamedTuple):
    """What the next round needs. Arrays that a recipe does not use have no entries."""

    z: np.ndarray  # float64 (n,): margins (by class: at the last refill)
    w: np.ndarray  # float64 (n,): weights, in the scale of the class
    seen: np.ndarray  # float64 (n,): weights that the stump sees: w, or v where rows are drawn
    reread: np.ndarray  # uint32 (n,): rows to re-read
    change: np.ndarray  # float64 (n,): by how much their weight changes
    listed: np.ndarray  # int64 (PIECES * classes, 2): where each piece begins and ends in them
    grown: np.ndarray  # float64 (PIECES * classes,): by how much the weight of each has changed
    factor: np.ndarray  # float64 (classes,): by which weights of re-read rows change; 0: none do
    hist: np.ndarray  # float64 (blocks, classes, SIZE)
    counts: np.ndarray  # int32 (blocks, classes, SIZE): rows per bin
    edges: np.ndarray  # float64 (features,)
    scratch: np.ndarray  # float64 (blocks, 2, SIZE)
    many: np.ndarray | None  # float64 (blocks, 3, SIZE) where there are more than two classes
    said: np.ndarray  # int64 (256,): class said per bin of the chosen column
    picked: np.ndarray  # uint8 (classes, 256): bins whose rows are re-read
    offset: np.ndarray  # float64 (classes,)
    gain: np.ndarray  # float64 (classes,)
    total: np.ndarray  # float64 (classes,): weight per class, in its scale
    begun: np.ndarray  # float64 (classes,): the same at the last refill
    mass: np.ndarray  # float64 (classes,): weight the stump sees, in the common scale
    side: np.ndarray  # float64 (4, classes): scratch
    clock: np.ndarray  # int64 (7,)
    travel: np.ndarray  # float64 (3,)
    state: np.ndarray  # float64 (1,): what the step remembers
    long: Long | None
    exact: Exact | None


class Trace(NamedTuple):
    """One row a round: the stump and the numbers diagnostics need."""

    stump: np.ndarray  # int64 (rounds, 5); bins up to SPLIT go left, -1 for a categorical stump
    said: np.ndarray  # int64 (rounds, 256) or (0, 256): categorical stumps
    numbers: np.ndarray  # float64 (rounds, 7); THRESHOLD only for a split inside a bin, else NaN


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


@inlined
def read_all(rows, work):
    """Every weight is new: add up the classes, and have all rows read."""
    work.clock[FULL] = 1
    wt.add_classes(rows.starts, work.w, work.total)
    for c in range(len(work.total)):
        work.begun[c] = work.total[c]


# The best stump


@compiled
def scan_blocks(rows, work, first, stop):
    """Bring blocks' histograms up to date and find the best edge of each of their columns."""
    for block in range(first, stop):
        words = rows.words[block]
        for c in range(len(work.total)):
            hist = work.hist[block, c]
            if not work.clock[FULL]:
                for k in range(PIECES * c, PIECES * c + PIECES):
                    begin, end = work.listed[k, 0], work.listed[k, 1]
                    hg.add_listed(words, work.reread, work.change, begin, end, hist)
                continue
            hg.clear(rows.columns, block, hist)
            hg.add_rows(words, rows.starts[c], rows.starts[c + 1], work.seen, hist)
            if len(work.counts) and not work.clock[COUNTED]:
                counts = work.counts[block, c]
                fresh = work.clock[ROUND] == 1
                if fresh and rows.equal and len(work.reread) and len(work.reread) < EXACT_SUMS:
                    hg.count_equal(hist, rows.s[0], counts)
                else:
                    hg.count_rows(words, rows.starts[c], rows.starts[c + 1], counts)
        hg.block_edges(
            work.hist[block], work.gain, work.mass, rows.columns, block * WIDTH, rows.share,
            work.scratch[block], work.many, work.edges,
        )  # fmt: skip


@inlined
def pick_stump(rows, work, exact, trace, t, whole, gains):
    """Choose the best stump, the first of ties; write it to the trace. False: there is none.

    ``whole`` is the scale of the weights, ``gains`` empty unless rows count in all classes.
    """
    tie = TIE * whole
    most = hg.largest(work.edges)
    if most == -np.inf or whole <= 0.0:
        return False
    f = 0
    while work.edges[f] < most - tie:
        f += 1
    stump = trace.stump[t]
    hg.find_split(
        work.hist[f // WIDTH], f, work.gain, work.mass, whole, rows.columns, most - tie, tie,
        work.side, work.many, work.said, stump,
    )  # fmt: skip
    if rows.columns[KIND, f] == CATEGORICAL:
        for b in range(256):
            trace.said[t, b] = work.said[b]
    trace.numbers[t, THRESHOLD] = np.nan
    work.clock[CUT] = 0
    if exact is not None:
        for search in range(2):
            threshold, cut, edge = ex.refine(
                rows.columns, rows.words, rows.starts, rows.order, exact.values, exact.mixed,
                work.seen, gains, work.hist, work.counts, work.gain, work.mass,
                work.side, search == 1, most, tie, exact.by_value, exact.in_order, exact.place,
                stump,
            )  # fmt: skip
            if cut:
                trace.numbers[t, THRESHOLD], work.clock[CUT], most = threshold, cut, edge
        if work.clock[CUT]:
            hg.say_bins(stump, rows.columns[BINS, stump[FEATURE]], work.said)
    return True


@inlined
def mark_hits(rows, work, long, exact, stump):
    """Fill ``u``: +1 where the stump says a row's class, else -1."""
    f = stump[FEATURE]
    block, lane = f // WIDTH, f % WIDTH
    wt.mark_hits(rows.words[block], lane, rows.starts, work.said, long.u)
    if exact is not None and work.clock[CUT]:
        begin, stop = ex.bin_range(work.counts[block], lane, stump[SPLIT])
        ex.mark_inside(
            exact.by_value[f], begin, work.clock[CUT], stop, rows.starts, stump[LEFT],
            stump[RIGHT], long.u,
        )  # fmt: skip


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


# Sums over partitions


@compiled
def log_scale(work):
    """The log of the unit of a partition's weights."""
    return work.travel[LOG_SCALE] - hg.smallest(work.offset)


@compiled
def find_edges(rows, work):
    """The best edge of each column, from histograms of all rows."""
    for block in range(len(work.hist)):
        hg.block_edges(
            work.hist[block], work.gain, work.mass, rows.columns, block * WIDTH, rows.share,
            work.scratch[block], work.many, work.edges,
        )  # fmt: skip


@inlined
def best_stump(rows, work, trace, t):
    """``pick_stump`` of histograms of all rows, the edges being known."""
    return pick_stump(rows, work, work.exact, trace, t, hg.sum_of(work.mass), work.hist[0, :0])


# The short way of the exponential cost


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


# One stump, for the plain loop


@compiled
def fit_stump(rows, work, trace, weights):
    """The best stump for weights in the original order of the rows."""
    for i in range(len(work.w)):
        work.w[i] = weights[rows.order[i]]
    read_all(rows, work)
    wt.balance(work.offset, work.total, work.gain, work.mass)
    scan_blocks(rows, work, 0, rows.words.shape[0])
    work.clock[COUNTED] = 1
    return best_stump(rows, work, trace, 0)


@compiled
def fit_gains(rows, work, trace, gains):
    """The best stump where saying class k on row i is worth ``gains[k, i]``, rows as in Rows.

    The gains of the rows' own classes sum to 1.
    """
    for c in range(len(work.mass)):
        work.gain[c] = 1.0
        work.mass[c] = hg.sum_of(gains[c])
    for block in range(rows.words.shape[0]):
        for c in range(len(work.mass)):
            hist = work.hist[block, c]
            hg.clear(rows.columns, block, hist)
            hg.add_rows(rows.words[block], 0, rows.words.shape[1], gains[c], hist)
            if len(work.counts) and not work.clock[COUNTED]:
                start, stop = rows.starts[c], rows.starts[c + 1]
                hg.count_rows(rows.words[block], start, stop, work.counts[block, c])
        hg.block_edges(
            work.hist[block], work.gain, work.mass, rows.columns, block * WIDTH, rows.share,
            work.scratch[block], work.many, work.edges,
        )  # fmt: skip
    work.clock[COUNTED] = 1
    return pick_stump(rows, work, work.exact, trace, 0, 1.0, gains)


@compiled
def say_all(rows, work, trace, codes):
    """What the single stump says for each training row, in the original order."""
    say_rows(rows, work, work.exact, trace.stump[0], codes)


@inlined
def say_rows(rows, work, exact, stump, codes):
    """``say_all``, with what exact thresholds need."""
    f = stump[FEATURE]
    block, lane = f // WIDTH, f % WIDTH
    shift = np.uint64(8 * lane)
    for i in range(len(codes)):
        codes[rows.order[i]] = work.said[(rows.words[block, i] >> shift) & np.uint64(255)]
    if exact is not None and work.clock[CUT]:
        begin, stop = ex.bin_range(work.counts[block], lane, stump[SPLIT])
        for k in range(begin, stop):
            row = rows.order[exact.by_value[f, k]]
            codes[row] = stump[LEFT] if k < work.clock[CUT] else stump[RIGHT]
