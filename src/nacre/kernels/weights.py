"""Weights of rows and how a round changes them.

In general every weight is computed from the row's margin. Under the exponential cost there is a
short way: a round multiplies all hits of a class by one factor and all misses by another, so the
class keeps one offset for the larger of the two groups, and only rows of the smaller one are
touched. A row's margin is then its class's offset, plus its own at the last refill, plus what its
weight has changed by since.
"""

import math

import numpy as np

from nacre.kernels import formulas as fm
from nacre.kernels import random as rd
from nacre.kernels.compile import compiled
from nacre.kernels.histogram import BINS, GAPS, MISSING, WIDTH, smallest
from nacre.kernels.smooth import exp

# Weights below the largest by more than this power of e all count as this little.
FAR = 400.0
# Weights below the largest by more than this power of e are 0.
LEAST_LOG = -708.0
# Neighbouring rows that one thread sees to: tables are often sorted
CHUNK = 1024


@compiled
def weigh(cost, clock, s, z, w):
    """Fill ``w`` with s times pull over the largest pull; return the log of that.

    ``cost`` is in numbers, ``clock`` what its slope is multiplied by.
    """
    slope = cost.slope * clock
    if cost.kind == fm.EXPONENTIAL:
        for i in range(len(z)):
            w[i] = -slope * z[i]
    else:
        for i in range(len(z)):
            rate = cost.noise[i] if len(cost.noise) else 0.0
            w[i] = fm.log_pull(cost.kind, z[i], slope, rate, cost.draws, cost.sums)
    top = top_of(w)
    unit = top if top > -np.inf else 0.0
    for i in range(len(z)):
        below = w[i] - unit
        w[i] = s[i] * exp(below) if below > LEAST_LOG else 0.0
    return top


@compiled
def top_of(values):
    """The largest number; four at a time, which need not wait for each other."""
    one, two, three, four = -np.inf, -np.inf, -np.inf, -np.inf
    for k in range(0, len(values) - 3, 4):
        one = max(one, values[k])
        two = max(two, values[k + 1])
        three = max(three, values[k + 2])
        four = max(four, values[k + 3])
    for k in range(len(values) - len(values) % 4, len(values)):
        one = max(one, values[k])
    return max(max(one, two), max(three, four))


@compiled
def add_classes(starts, w, total):
    """The weight of each class."""
    for c in range(len(total)):
        total[c] = 0.0
        for i in range(starts[c], starts[c + 1]):
            total[c] += w[i]


@compiled
def balance(offset, total, gain, mass):
    """Bring the classes' own scales to a common one."""
    least = smallest(offset)
    for c in range(len(offset)):
        gain[c] = math.exp(least - offset[c])
        mass[c] = gain[c] * total[c]


@compiled
def draw_weights(keys, copies, seed, t, kind, share, w, v):
    """Draw a round's rows: ``v`` is their weight times how often they were drawn."""
    for i in range(len(w)):
        v[i] = w[i] * rd.times_drawn(keys[i], copies[i], seed, t, kind, share)


# The recurrence F <- shrink F + vote h, z <- shrink z + drive u


@compiled
def move(z, u, shrink, drive):
    """The margins after a step: z <- shrink z + drive u."""
    for i in range(len(z)):
        z[i] = shrink * z[i] + drive * u[i]


@compiled
def cast_votes(totals, said, shrink, vote):
    """The votes for each class after a step: earlier ones shrunk, and one for the class said."""
    for i in range(len(totals)):
        for k in range(totals.shape[1]):
            totals[i, k] *= shrink
        totals[i, said[i]] += vote


@compiled
def mark_hits(words, lane, starts, said, u):
    """+1 where the class said for a row's bin is its own, else -1."""
    shift = np.uint64(8 * lane)
    for c in range(len(starts) - 1):
        for i in range(starts[c], starts[c + 1]):
            u[i] = 1.0 if said[(words[i] >> shift) & np.uint64(255)] == c else -1.0


@compiled
def mark_said(said, y, u):
    """+1 where the class said for a row is its own, else -1."""
    for i in range(len(u)):
        u[i] = 1.0 if said[i] == y[i] else -1.0


@compiled
def weigh_misses(u, w, z):
    """The weight of the misses, and the weighted sum of the margins."""
    wrong = 0.0
    edge = 0.0
    for i in range(len(u)):
        wrong += w[i] if u[i] < 0.0 else 0.0
        edge += w[i] * z[i]
    return wrong, edge


# The short way


@compiled
def missed(columns, f, hist, counts, said, c):
    """Weight and number of the rows of class c that the stump gets wrong, from the bins."""
    lane = f % WIDTH
    weight = 0.0
    count = np.int64(0)
    for b in range(columns[BINS, f] + columns[GAPS, f]):
        code = b if b < columns[BINS, f] else MISSING
        if said[code] != c:
            weight += hist[code * WIDTH + lane]
            count += counts[code * WIDTH + lane]
    return weight, count


@compiled
def add_missed(words, lane, start, stop, said, c, w):
    """Weight of the rows of class c that the stump gets wrong, added up row by row."""
    shift = np.uint64(8 * lane)
    weight = 0.0
    for i in range(start, stop):
        if said[(words[i] >> shift) & np.uint64(255)] != c:
            weight += w[i]
    return weight


@compiled
def pick_bins(columns, f, said, c, hits, picked):
    """Mark the bins of column f where the stump hits (or misses) class c."""
    for b in range(columns[BINS, f] + columns[GAPS, f]):
        code = b if b < columns[BINS, f] else MISSING
        picked[code] = (said[code] == c) == hits


@compiled
def list_rows(words, lane, start, stop, picked, reread):
    """List the rows whose bins are picked, from place ``start`` on; return where they end."""
    shift = np.uint64(8 * lane)
    listed = start
    for i in range(start, stop):
        reread[listed] = i
        listed += picked[(words[i] >> shift) & np.uint64(255)]
    return listed


@compiled
def scale_listed(reread, first, stop, factor, w, change):
    """Multiply the listed weights; note the changes and return their sum."""
    grown = 0.0
    for k in range(first, stop):
        i = np.uint64(reread[k])
        before = w[i]
        w[i] = before * factor
        change[k] = w[i] - before
        grown += change[k]
    return grown


@compiled
def refill(starts, s, offset, log_scale, z, w):
    """Recover the margins from weights and offsets, and weigh afresh; return the new log scale."""
    least = -log_scale
    lowest = np.inf
    for c in range(len(offset)):
        for i in range(starts[c], starts[c + 1]):
            moved = -math.log(w[i] / s[i]) - min(z[i] - least, FAR)
            z[i] += moved + offset[c]
            lowest = min(lowest, z[i])
        offset[c] = 0.0
    for i in range(len(z)):
        w[i] = s[i] * exp(-min(z[i] - lowest, FAR))
    return -lowest
