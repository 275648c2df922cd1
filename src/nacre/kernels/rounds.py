"""The compiled boosting loop over stumps.

A round is: bring each block's histogram up to date and find its columns' best edges
(``scan_block``, independent of the other blocks), then pick the stump, take the step and reweigh
the rows (``finish_round``). ``run_rounds`` strings them together; several threads may share out
the blocks instead, and find the same sums.

Two ways of reweighing. In general every margin is updated, every weight recomputed and every
histogram refilled. Under the exponential cost a round multiplies all hits of a class by one factor
and all misses by another: the class keeps one offset for the larger of the two groups, and only
rows of the smaller group are touched and re-read. Now and then everything is refilled, so that
rounding errors do not pile up.
"""

import math
from typing import NamedTuple

import numpy as np

from nacre.kernels import formulas as fm
from nacre.kernels import histogram as hg
from nacre.kernels import random as rd
from nacre.kernels.binning import midpoint
from nacre.kernels.compile import compiled, inlined

WIDTH = hg.WIDTH
MISSING = hg.MISSING
TIE = fm.TIE

# When to refill the histograms, and below which error to add up the misses row by row.
REFILL_ROUNDS = 128
REFILL_FALL = 7.0  # in the log of the total weight, against which rounding errors are small
REFILL_TRAVEL = 200.0  # of the margins, which must not take a weight out of a float's range
SMALL_ERROR = 1e-6
# Weights below the largest by more than this power of e all count as this little.
FAR = 400.0

# Places in Work.clock
ROUND, SINCE, FULL = 0, 1, 2
# Places in Work.travel: votes since the last refill, the log of the common scale (minus the least
# margin at the last refill), the log of the total weight then
MOVED, LOG_SCALE, LOG_START = 0, 1, 2


class Rows(NamedTuple):
    """The binned training rows, sorted by class; constant over the rounds."""

    words: np.ndarray  # uint64 (blocks, n): eight bins a word
    last: np.ndarray  # int64 (features,): split points of a numeric column, else 0
    bins: np.ndarray  # int64 (features,): bins or categories
    kind: np.ndarray  # uint8 (features,): numeric, categorical or absent
    missing: np.ndarray  # uint8 (features,): whether any value is missing
    share: np.ndarray  # float64 (blocks, SIZE) or (0, SIZE): trust in a category
    starts: np.ndarray  # int64 (classes + 1,): where each class begins
    order: np.ndarray  # int32 (n,): the original row at each place
    s: np.ndarray  # float64 (n,): sample weights, sum 1
    equal: bool  # whether they are all equal
    values: np.ndarray  # float64 (d, n) or (0, 0): the columns, for exact thresholds
    mixed: np.ndarray  # uint8 (d, 256) or (0, 256): bins of several values


class Recipe(NamedTuple):
    """An algorithm in numbers: see ``formulas``."""

    cost: int
    slope: float
    draws: np.ndarray
    sums: np.ndarray
    noise: np.ndarray  # float64 (n,) in the order of Rows, or (0,)
    step: int
    a: float
    b: float
    rate: float
    extra: float
    limit: float
    stops: bool
    draw: int
    share: float
    incremental: bool


class Work(NamedTuple):
    """What the next round needs. Arrays a recipe does not use have no rows."""

    z: np.ndarray  # float64 (n,): margins (by class: at the last refill)
    w: np.ndarray  # float64 (n,): weights, in the scale of the class
    v: np.ndarray  # float64 (n,): weights times draws
    u: np.ndarray  # float64 (n,): +1 hit, -1 miss
    times: np.ndarray  # int32 (n,): draws in original order
    reread: np.ndarray  # uint32 (n,): rows to re-read
    change: np.ndarray  # float64 (n,): by how much their weight changes
    listed: np.ndarray  # int64 (classes + 1,): where each class begins in them
    hist: np.ndarray  # float64 (blocks, classes, SIZE)
    counts: np.ndarray  # int32 (blocks, classes, SIZE): rows per bin
    edges: np.ndarray  # float64 (features,)
    scratch: np.ndarray  # float64 (blocks, 5, SIZE)
    said: np.ndarray  # int16 (256,): class said per bin of the chosen column
    picked: np.ndarray  # uint8 (256,): bins whose rows are re-read
    inner: np.ndarray  # uint8 (n,): rows of the split bin that go left
    offset: np.ndarray  # float64 (classes,)
    gain: np.ndarray  # float64 (classes,)
    total: np.ndarray  # float64 (classes,): weight per class, in its scale
    mass: np.ndarray  # float64 (classes,): weight per class, in the common scale
    side: np.ndarray  # float64 (4, classes)
    clock: np.ndarray  # int64 (3,)
    travel: np.ndarray  # float64 (3,)
    memory: np.ndarray  # float64 (1,): the step's running sum
    state: np.ndarray  # uint64 (1,)
    by_value: np.ndarray  # int32 (d, n): rows grouped by bin, each bin sorted on demand
    in_order: np.ndarray  # uint8 (d, 257): which bins are sorted; 256: whether rows are grouped
    place: np.ndarray  # int64 (257,): scratch


class Trace(NamedTuple):
    """One entry a round: the stump and the numbers diagnostics need."""

    feature: np.ndarray
    split: np.ndarray  # bins up to it go left; -1 for a categorical stump
    threshold: np.ndarray  # only where the split lies inside a bin, else NaN
    left: np.ndarray
    right: np.ndarray
    missing: np.ndarray
    said: np.ndarray  # int16 (rounds, 256) or (0, 256): categorical stumps
    error: np.ndarray
    edge: np.ndarray
    vote: np.ndarray
    shrink: np.ndarray
    drive: np.ndarray
    log_cost: np.ndarray


@compiled
def run_rounds(rows, recipe, work, trace, rounds):
    """Up to ``rounds`` rounds on one thread. Returns how they end."""
    end = fm.GO
    while end == fm.GO and work.clock[ROUND] <= rounds:
        scan_blocks(rows, work, 0, rows.words.shape[0])
        end = finish_round(rows, recipe, work, trace)
    return end


@compiled
def start_rounds(rows, recipe, work):
    """Margins are 0: weights are the sample weights, and everything is to be read."""
    work.clock[ROUND] = 1
    if recipe.incremental:
        for i in range(len(rows.s)):
            work.w[i] = rows.s[i]
        read_all(rows, work)
    else:
        reweigh(rows, recipe, work)
        draw(rows, recipe, work)


# Weights


@inlined
def reweigh(rows, recipe, work):
    """Weights of all rows from their margins. Returns False where they all vanish."""
    slope = fm.cost_slope(recipe.slope, recipe.step, recipe.b, work.clock[ROUND])
    work.travel[LOG_SCALE] = weigh(recipe, slope, rows.s, work.z, work.w)
    read_all(rows, work)
    return work.travel[LOG_SCALE] > -np.inf


@compiled
def weigh(recipe, slope, s, z, w):
    """Fill ``w`` with s times pull over the largest pull; return the log of that."""
    top = -np.inf
    for i in range(len(z)):
        noise = recipe.noise[i] if len(recipe.noise) else 0.0
        w[i] = fm.log_pull(recipe.cost, z[i], slope, noise, recipe.draws, recipe.sums)
        top = max(top, w[i])
    if top == -np.inf:
        for i in range(len(w)):
            w[i] = 0.0
        return top
    for i in range(len(z)):
        w[i] = s[i] * math.exp(w[i] - top)
    return top


@compiled
def refill(rows, work):
    """By class: recover the margins from the weights and the offsets, and weigh afresh."""
    least = -work.travel[LOG_SCALE]
    lowest = np.inf
    for c in range(len(work.offset)):
        for i in range(rows.starts[c], rows.starts[c + 1]):
            moved = -math.log(work.w[i] / rows.s[i]) - min(work.z[i] - least, FAR)
            work.z[i] += moved + work.offset[c]
            lowest = min(lowest, work.z[i])
    for i in range(len(work.z)):
        work.w[i] = rows.s[i] * math.exp(-min(work.z[i] - lowest, FAR))
    for c in range(len(work.offset)):
        work.offset[c] = 0.0
    work.travel[LOG_SCALE] = -lowest
    work.travel[MOVED] = 0.0
    work.clock[SINCE] = 0
    read_all(rows, work)


@inlined
def read_all(rows, work):
    """Every row's weight is new: add up the classes, and have all rows read."""
    work.clock[FULL] = 1
    for c in range(len(work.total)):
        total = 0.0
        for i in range(rows.starts[c], rows.starts[c + 1]):
            total += work.w[i]
        work.total[c] = total
    balance(work)


@inlined
def balance(work):
    """Bring the classes' own scales to a common one."""
    least = hg.smallest(work.offset)
    for c in range(len(work.offset)):
        work.gain[c] = math.exp(least - work.offset[c])
        work.mass[c] = work.gain[c] * work.total[c]


@inlined
def draw(rows, recipe, work):
    """Draw this round's rows, where the recipe asks for it."""
    if recipe.draw == rd.ALL_ROWS:
        return
    rd.draw_rows(work.state, recipe.draw, recipe.share, work.times)
    for c in range(len(work.total)):
        work.mass[c] = 0.0
        for i in range(rows.starts[c], rows.starts[c + 1]):
            work.v[i] = work.w[i] * work.times[rows.order[i]]
            work.mass[c] += work.v[i]


# The best stump


@compiled
def scan_blocks(rows, work, first, stop):
    """Bring blocks' histograms up to date and find the best edge of each of their columns."""
    weight = work.v if len(work.v) else work.w
    for block in range(first, stop):
        words = rows.words[block]
        for c in range(len(work.total)):
            hist = work.hist[block, c]
            if work.clock[FULL]:
                clear(rows, block, hist)
                hg.add_rows(words, rows.starts[c], rows.starts[c + 1], weight, hist)
                if len(work.counts) and work.clock[ROUND] == 1:
                    count_rows(rows, work, block, c)
            else:
                hg.add_listed(
                    words, work.reread, work.change, work.listed[c], work.listed[c + 1], hist
                )
        block_edges(rows, work, block)


@compiled
def scan_gains(rows, work, gains):
    """As ``scan_blocks`` for a gain per row and class: what saying the class there is worth."""
    for c in range(len(work.mass)):
        work.gain[c] = 1.0
        work.mass[c] = hg.sum_of(gains[c])
    for block in range(rows.words.shape[0]):
        for c in range(len(work.mass)):
            hist = work.hist[block, c]
            clear(rows, block, hist)
            hg.add_rows(rows.words[block], 0, rows.words.shape[1], gains[c], hist)
        block_edges(rows, work, block)


@inlined
def clear(rows, block, hist):
    """Empty the bins that the block's columns use."""
    used = np.int64(0)
    for f in range(block * WIDTH, block * WIDTH + WIDTH):
        used = max(used, rows.bins[f])
    for k in range(used * WIDTH):
        hist[k] = 0.0
    for k in range(MISSING * WIDTH, len(hist)):
        hist[k] = 0.0


@compiled
def count_rows(rows, work, block, c):
    """How many rows of a class each bin holds; equal weights have counted them already."""
    counts = work.counts[block, c]
    hist = work.hist[block, c]
    if rows.equal and len(work.reread):
        for k in range(len(counts)):
            counts[k] = np.int32(hist[k] / rows.s[0] + 0.5)
        return
    for i in range(rows.starts[c], rows.starts[c + 1]):
        hg.add_word(rows.words[block, i], np.int32(1), counts)


@inlined
def block_edges(rows, work, block):
    """The best edge of each column of a block."""
    here = slice(block * WIDTH, block * WIDTH + WIDTH)
    scratch = work.scratch[block]
    share = rows.share[block] if len(rows.share) else scratch[0]
    if len(work.total) == 2:
        hg.two_class_edges(
            work.hist[block], work.gain, work.mass[1] - work.mass[0], rows.last[here],
            rows.bins[here], rows.kind[here], rows.missing[here], share,
            scratch[0], scratch[1], work.edges[here],
        )  # fmt: skip
    else:
        hg.many_class_edges(
            work.hist[block], work.gain, work.mass, rows.last[here],
            rows.bins[here], rows.kind[here], rows.missing[here], share,
            scratch[0:2], scratch[2:4], scratch[4], work.edges[here],
        )  # fmt: skip


@inlined
def pick_stump(rows, work, trace, t, whole):
    """Choose the best stump, the first of ties; write it to the trace. False: there is none."""
    tie = TIE * whole
    most = hg.largest(work.edges)
    if most == -np.inf or whole <= 0.0:
        return False
    f = 0
    while work.edges[f] < most - tie:
        f += 1
    block, lane = f // WIDTH, f % WIDTH
    hist = work.hist[block]
    trace.feature[t] = f
    trace.threshold[t] = np.nan
    if rows.kind[f] == hg.CATEGORICAL:
        rest = hg.category_classes(
            hist, lane, work.gain, work.mass, rows.bins[f], rows.missing[f], tie, work.said,
            work.side[0],
        )  # fmt: skip
        trace.split[t], trace.left[t], trace.right[t] = -1, rest, rest
        trace.missing[t] = work.said[MISSING]
        for b in range(256):
            trace.said[t, b] = work.said[b]
    else:
        if len(work.mass) == 2:
            split, left, right, missing = hg.two_class_split(
                hist, lane, work.gain, work.mass[1] - work.mass[0], whole, rows.last[f],
                rows.missing[f], most - tie, tie,
            )  # fmt: skip
        else:
            split, left, right, missing = hg.many_class_split(
                hist, lane, work.gain, work.mass, rows.last[f], rows.missing[f], most - tie, tie,
                work.side[0], work.side[1],
            )  # fmt: skip
        write_split(rows, work, trace, t, split, left, right, missing)
    if len(rows.mixed):
        refine(rows, work, trace, t, most + tie, tie)
    return True


@inlined
def write_split(rows, work, trace, t, split, left, right, missing):
    """Record a numeric split and tabulate what each bin says."""
    trace.split[t], trace.left[t], trace.right[t], trace.missing[t] = split, left, right, missing
    for b in range(rows.bins[trace.feature[t]]):
        work.said[b] = left if b <= split else right
    work.said[MISSING] = missing


# Exact thresholds: splits between two values of one bin


@compiled
def refine(rows, work, trace, t, goal, tie):
    """Look for a better split inside a bin, in the bins that could hold one."""
    left, inside, absent = work.side[0], work.side[1], work.side[2]
    weight = work.v if len(work.v) else work.w
    found = np.int64(-1)
    for f in range(len(rows.mixed)):
        if rows.kind[f] != hg.NUMERIC:
            continue
        hist = work.hist[f // WIDTH]
        lane = f % WIDTH
        for c in range(len(left)):
            left[c] = 0.0
            absent[c] = work.gain[c] * hist[c, MISSING * WIDTH + lane] if rows.missing[f] else 0.0
        for b in range(rows.bins[f]):
            for c in range(len(left)):
                inside[c] = work.gain[c] * hist[c, b * WIDTH + lane]
            if rows.mixed[f, b] and highest_edge(left, inside, absent, work.mass) > goal:
                begin, stop = sort_bin(rows, work, f, b)
                for k in range(begin, stop - 1):
                    i = work.by_value[f, k]
                    c = class_of(rows, i)
                    left[c] += work.gain[c] * weight[i]
                    inside[c] -= work.gain[c] * weight[i]
                    low = rows.values[f, rows.order[i]]
                    high = rows.values[f, rows.order[work.by_value[f, k + 1]]]
                    if low == high:
                        continue
                    edge = split_edge(left, absent, work.mass)
                    if edge > goal:
                        goal = edge + tie
                        found = k
                        trace.feature[t], trace.split[t] = f, b
                        trace.threshold[t] = midpoint(low, high)
                        say_sides(rows, work, trace, t, left, absent, tie)
            for c in range(len(left)):
                left[c] += inside[c]
    if found >= 0:
        f, b = trace.feature[t], trace.split[t]
        begin, stop = sort_bin(rows, work, f, b)
        for k in range(begin, stop):
            work.inner[work.by_value[f, k]] = k <= found
        write_split(rows, work, trace, t, b, trace.left[t], trace.right[t], trace.missing[t])


@inlined
def class_of(rows, i):
    """The class of the row at place i."""
    c = 0
    while rows.starts[c + 1] <= i:
        c += 1
    return c


@compiled
def split_edge(left, absent, mass):
    """The edge of a split with these class weights on the left and missing."""
    if len(mass) == 2:
        gone = absent[1] - absent[0]
        return abs(2.0 * (left[1] - left[0]) - (mass[1] - mass[0] - gone)) + abs(gone)
    near, far, near_gone, far_gone, whole = 0.0, 0.0, 0.0, 0.0, 0.0
    for c in range(len(mass)):
        right = mass[c] - absent[c] - left[c]
        near, near_gone = max(near, left[c]), max(near_gone, left[c] + absent[c])
        far, far_gone = max(far, right), max(far_gone, right + absent[c])
        whole += mass[c]
    return 2.0 * max(near_gone + far, near + far_gone) - whole


@compiled
def highest_edge(left, inside, absent, mass):
    """No split inside a bin of these class weights has a higher edge."""
    if len(mass) == 2:
        gone = absent[1] - absent[0]
        lean = 2.0 * (left[1] - left[0]) - (mass[1] - mass[0] - gone)
        return max(abs(lean + 2.0 * inside[1]), abs(lean - 2.0 * inside[0])) + abs(gone)
    near, far, whole = 0.0, 0.0, 0.0
    for c in range(len(mass)):
        near = max(near, left[c] + inside[c] + absent[c])
        far = max(far, mass[c] - left[c])
        whole += mass[c]
    return 2.0 * (near + far) - whole


@compiled
def say_sides(rows, work, trace, t, left, absent, tie):
    """What the sides of a split inside a bin, and a missing value, say."""
    mass = work.mass
    right = work.side[3]
    for c in range(len(mass)):
        right[c] = mass[c] - absent[c] - left[c]
    missing = rows.missing[trace.feature[t]]
    if len(mass) == 2:
        lean = left[1] - left[0] - (right[1] - right[0])
        gone = absent[1] - absent[0]
        near = 1 if lean > 0.0 else 0
        trace.left[t], trace.right[t] = near, 1 - near
        if missing:
            trace.missing[t] = 1 if gone > tie or (gone >= -tie and near == 1) else 0
        else:
            trace.missing[t] = near if hg.sum_of(left) >= hg.sum_of(right) - tie else 1 - near
        return
    on_left = hg.sum_of(left) >= hg.sum_of(right) - tie
    if missing:
        near, far, near_gone, far_gone = 0.0, 0.0, 0.0, 0.0
        for c in range(len(mass)):
            near, near_gone = max(near, left[c]), max(near_gone, left[c] + absent[c])
            far, far_gone = max(far, right[c]), max(far_gone, right[c] + absent[c])
        on_left = near_gone + far >= near + far_gone - tie
    joined = left if on_left else right
    for c in range(len(mass)):
        joined[c] += absent[c]
    trace.left[t] = hg.heaviest_class(left, tie)
    trace.right[t] = hg.heaviest_class(right, tie)
    trace.missing[t] = trace.left[t] if on_left else trace.right[t]
    for c in range(len(mass)):
        joined[c] -= absent[c]


@compiled
def sort_bin(rows, work, f, b):
    """Where the rows of a bin lie in ``by_value[f]``, sorted by value; sorts them if need be."""
    counts = work.counts[f // WIDTH]
    lane = f % WIDTH
    begin = np.int64(0)
    for c in range(len(counts)):
        for k in range(b):
            begin += counts[c, k * WIDTH + lane]
    stop = begin
    for c in range(len(counts)):
        stop += counts[c, b * WIDTH + lane]
    if not work.in_order[f, 256]:
        group_rows(rows, work, f)
    if not work.in_order[f, b]:
        sort_by_value(work.by_value[f, begin:stop], rows.values[f], rows.order)
        work.in_order[f, b] = 1
    return begin, stop


@compiled
def sort_by_value(members, values, order):
    """Shell sort of a few rows, in place."""
    gap = len(members) // 2
    while gap > 0:
        for k in range(gap, len(members)):
            row = members[k]
            value = values[order[row]]
            j = k
            while j >= gap and values[order[members[j - gap]]] > value:
                members[j] = members[j - gap]
                j -= gap
            members[j] = row
        gap //= 2


@compiled
def group_rows(rows, work, f):
    """Group the rows by their bin in column f."""
    words = rows.words[f // WIDTH]
    shift = np.uint64(8 * (f % WIDTH))
    place = work.place
    for b in range(257):
        place[b] = 0
    for i in range(len(words)):
        place[((words[i] >> shift) & np.uint64(255)) + np.uint64(1)] += 1
    for b in range(256):
        place[b + 1] += place[b]
    for i in range(len(words)):
        b = (words[i] >> shift) & np.uint64(255)
        work.by_value[f, place[b]] = i
        place[b] += 1
    work.in_order[f, 256] = 1


# The step


@inlined
def says(rows, work, trace, t, i):
    """The class the round's stump says for the row at place i."""
    f = trace.feature[t]
    code = (rows.words[f // WIDTH, i] >> np.uint64(8 * (f % WIDTH))) & np.uint64(255)
    if len(work.inner) and np.int64(code) == trace.split[t] and not np.isnan(trace.threshold[t]):
        return trace.left[t] if work.inner[i] else trace.right[t]
    return np.int64(work.said[code])


@compiled
def finish_round(rows, recipe, work, trace):
    """Pick the stump, step, reweigh. Returns how the round ends."""
    t = work.clock[ROUND] - 1
    if not pick_stump(rows, work, trace, t, hg.sum_of(work.mass)):
        return fm.NO_SPLIT
    if recipe.incremental:
        return finish_by_class(rows, recipe, work, trace, t)
    return finish_by_row(rows, recipe, work, trace, t)


@inlined
def finish_by_row(rows, recipe, work, trace, t):
    """The general way: every row's margin and weight."""
    wrong = 0.0
    behind = 0.0
    for c in range(len(work.total)):
        for i in range(rows.starts[c], rows.starts[c + 1]):
            hit = says(rows, work, trace, t, i) == c
            work.u[i] = 1.0 if hit else -1.0
            wrong += 0.0 if hit else work.w[i]
            behind += work.w[i] * work.z[i]
    whole = hg.sum_of(work.total)
    end = settle(rows, recipe, work, trace, t, wrong / whole, behind / whole)
    if end != fm.GO and end != fm.PERFECT:
        return end
    for i in range(len(work.z)):
        work.z[i] = trace.shrink[t] * work.z[i] + trace.drive[t] * work.u[i]
    work.clock[ROUND] += 1
    if not reweigh(rows, recipe, work):
        return fm.VANISHED
    draw(rows, recipe, work)
    return end


@inlined
def settle(rows, recipe, work, trace, t, error, behind):
    """Write the round's numbers and step to the trace. Returns how the round ends."""
    weight = 0.0
    for c in range(len(work.total)):
        weight += work.gain[c] * work.total[c]
    trace.error[t] = error
    trace.edge[t] = 1.0 - 2.0 * error
    trace.log_cost[t] = work.travel[LOG_SCALE] - hg.smallest(work.offset) + math.log(weight)
    trace.shrink[t], trace.vote[t], trace.drive[t], end = judge(
        recipe, t + 1, error, behind, trace.log_cost[t], rows.s, work.z, work.u, work.memory
    )
    return end


@compiled
def judge(recipe, t, error, behind, log_cost, s, z, u, memory):
    """Shrink, vote and drive of round t = 1, 2, ..., and how the round ends.

    ``behind`` is the edge of the ensemble so far, ``log_cost`` the log of its mean cost.
    """
    if recipe.step == fm.HULL and recipe.stops and 1.0 - 2.0 * error <= behind + TIE:
        return 1.0, 0.0, 0.0, fm.NO_DESCENT
    correction = 0.0
    if recipe.step == fm.CORE:
        correction = core_correction(recipe, z, s)
    searched = 0.0
    if recipe.step == fm.GRAVITY or (recipe.step == fm.STRICT and t > 1):
        searched = fm.search_vote(
            recipe.step, z, u, s, log_cost, error, memory[0], recipe.a, recipe.b
        )
    return fm.take_step(
        recipe.step, t, error, correction, searched, recipe.limit, recipe.extra, recipe.rate,
        recipe.a, recipe.b, memory,
    )  # fmt: skip


@compiled
def core_correction(recipe, z, s):
    """Share of the corrected weight that stands for labels flipped back."""
    top = -np.inf
    for i in range(len(z)):
        right, wrong = fm.corrected_parts(recipe.cost, z[i], recipe.slope, recipe.noise[i])
        top = max(top, max(right, wrong))
    back = 0.0
    whole = 0.0
    for i in range(len(z)):
        right, wrong = fm.corrected_parts(recipe.cost, z[i], recipe.slope, recipe.noise[i])
        back += s[i] * math.exp(wrong - top)
        whole += s[i] * (math.exp(right - top) + math.exp(wrong - top))
    return back / whole


@inlined
def finish_by_class(rows, recipe, work, trace, t):
    """The short way under the exponential cost: touch only the smaller group of each class."""
    wrong = 0.0
    misses = 0
    inside = not np.isnan(trace.threshold[t])
    for c in range(len(work.total)):
        if not inside:
            weight, rows_missed = missed(rows, work, trace, t, c)
            wrong += weight
            misses += rows_missed
    error = wrong / hg.sum_of(work.mass) if misses else 0.0
    if inside or (misses and error < SMALL_ERROR):
        error = missed_by_row(rows, work, trace, t) / hg.sum_of(work.mass)
    end = settle(rows, recipe, work, trace, t, error, 0.0)
    if end != fm.GO and end != fm.PERFECT:
        return end
    listed = 0
    for c in range(len(work.total)):
        work.listed[c] = listed
        listed = shift_class(rows, work, trace, t, c, listed)
    work.listed[len(work.total)] = listed
    work.clock[ROUND] += 1
    work.clock[SINCE] += 1
    work.clock[FULL] = 0
    work.travel[MOVED] += 2.0 * abs(trace.drive[t])
    if work.clock[SINCE] == 1:
        work.travel[LOG_START] = trace.log_cost[t]
    if (
        work.clock[SINCE] >= REFILL_ROUNDS
        or work.travel[MOVED] > REFILL_TRAVEL
        or work.travel[LOG_START] - trace.log_cost[t] > REFILL_FALL
    ):
        refill(rows, work)
    else:
        balance(work)
    return end


@inlined
def missed(rows, work, trace, t, c):
    """Weight and number of the rows of class c that the stump gets wrong, from the bins."""
    f = trace.feature[t]
    block, lane = f // WIDTH, f % WIDTH
    weight = 0.0
    count = np.int64(0)
    for b in range(rows.bins[f] + rows.missing[f]):
        code = b if b < rows.bins[f] else MISSING
        if work.said[code] != c:
            weight += work.hist[block, c, code * WIDTH + lane]
            count += work.counts[block, c, code * WIDTH + lane]
    return work.gain[c] * weight, count


@compiled
def missed_by_row(rows, work, trace, t):
    """Weight of the rows that the stump gets wrong, added up row by row."""
    wrong = 0.0
    for c in range(len(work.total)):
        weight = 0.0
        for i in range(rows.starts[c], rows.starts[c + 1]):
            if says(rows, work, trace, t, i) != c:
                weight += work.w[i]
        wrong += work.gain[c] * weight
    return wrong


@inlined
def shift_class(rows, work, trace, t, c, listed):
    """Move one class's margins: the larger group by its offset, the smaller row by row."""
    start, stop = rows.starts[c], rows.starts[c + 1]
    first = listed
    few_hits = False
    if np.isnan(trace.threshold[t]):
        misses = missed(rows, work, trace, t, c)[1]
        few_hits = 2 * misses > stop - start
        if 0 < misses < stop - start:
            listed = list_rows(rows, work, trace.feature[t], c, few_hits, listed)
    else:
        for i in range(start, stop):
            if says(rows, work, trace, t, i) != c:
                work.reread[listed] = i
                listed += 1
    drive = trace.drive[t]
    work.offset[c] += -drive if few_hits else drive
    move = 2.0 * drive if few_hits else -2.0 * drive
    factor = math.exp(-move)
    grown = 0.0
    for k in range(first, listed):
        i = np.uint64(work.reread[k])
        before = work.w[i]
        work.w[i] = before * factor
        work.change[k] = work.w[i] - before
        grown += work.change[k]
    work.total[c] += grown
    return listed


@inlined
def list_rows(rows, work, f, c, hits, listed):
    """List the rows of class c that the stump hits (or misses), by their bin in column f."""
    for b in range(rows.bins[f] + rows.missing[f]):
        code = b if b < rows.bins[f] else MISSING
        work.picked[code] = (work.said[code] == c) == hits
    words = rows.words[f // WIDTH]
    shift = np.uint64(8 * (f % WIDTH))
    for i in range(rows.starts[c], rows.starts[c + 1]):
        work.reread[listed] = i
        listed += work.picked[(words[i] >> shift) & np.uint64(255)]
    return listed


# One stump, for the plain loop


@compiled
def fit_stump(rows, work, trace, weights):
    """The best stump for weights in the original order of the rows."""
    for i in range(len(work.w)):
        work.w[i] = weights[rows.order[i]]
    work.clock[ROUND] += 1
    read_all(rows, work)
    scan_blocks(rows, work, 0, rows.words.shape[0])
    return pick_stump(rows, work, trace, 0, hg.sum_of(work.mass))


@compiled
def fit_gains(rows, work, trace, gains):
    """The best stump for a gain per class and row, in the order of Rows; weights sum to 1."""
    scan_gains(rows, work, gains)
    return pick_stump(rows, work, trace, 0, 1.0)


@compiled
def say_all(rows, work, trace, codes):
    """What the stump says for each training row, in the original order."""
    for i in range(len(codes)):
        codes[rows.order[i]] = says(rows, work, trace, 0, i)
