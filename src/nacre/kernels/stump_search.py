"""The best stump for weighted rows, from histograms of their weights.

``scan_blocks`` is local to the rows; ``find_edges`` and ``best_stump`` look at histograms only.
"""

import numpy as np

from nacre.kernels import exact as ex
from nacre.kernels import formulas as fm
from nacre.kernels import histogram as hg
from nacre.kernels import weights as wt
from nacre.kernels.compile import compiled, inlined
from nacre.kernels.histogram import BINS, CATEGORICAL, KIND, WIDTH
from nacre.kernels.round_state import (
    COUNTED,
    CUT,
    FEATURE,
    FULL,
    LEFT,
    PIECES,
    RIGHT,
    ROUND,
    SPLIT,
    THRESHOLD,
    read_all,
)

TIE = fm.TIE
# Up to so many rows a sum of equal weights tells their number
EXACT_SUMS = 50_000_000


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
