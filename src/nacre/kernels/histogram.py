"""Histograms of row weight per bin, and the best stump they allow.

A block's histogram is flat and bin-major: bin b of lane j is at ``8 b + j``, so that running sums
over the bins advance eight columns at once. There is one histogram per class.
"""

import numpy as np

from nacre.kernels.binning import MISSING, WIDTH
from nacre.kernels.compile import compiled

SIZE = 256 * WIDTH

# What is known of each column: split points of a numeric one (else 0), bins or categories, kind,
# and whether any value is missing
LAST, BINS, KIND, GAPS = 0, 1, 2, 3
NUMERIC, CATEGORICAL, ABSENT = 0, 1, 2

# Of rows that are far apart, no cache line has two, and the processor does not guess which is next:
# they are asked for so many rows ahead.
AHEAD = 64


# NumPy's own reductions set up an iterator, which costs more than adding up a few classes.


@compiled
def sum_of(values):
    """The sum of a short array."""
    out = 0.0
    for value in values:
        out += value
    return out


@compiled
def largest(values):
    """The largest entry of a short array."""
    out = values[0]
    for value in values:
        out = max(out, value)
    return out


@compiled
def smallest(values):
    """The smallest entry of a short array."""
    out = values[0]
    for value in values:
        out = min(out, value)
    return out


@compiled
def add_word(word, weight, hist):
    """Add one row's weight to its bin in each of the eight lanes."""
    low = np.uint64(255)
    three = np.uint64(3)
    hist[(word & low) << three] += weight
    hist[(((word >> np.uint64(8)) & low) << three) | np.uint64(1)] += weight
    hist[(((word >> np.uint64(16)) & low) << three) | np.uint64(2)] += weight
    hist[(((word >> np.uint64(24)) & low) << three) | np.uint64(3)] += weight
    hist[(((word >> np.uint64(32)) & low) << three) | np.uint64(4)] += weight
    hist[(((word >> np.uint64(40)) & low) << three) | np.uint64(5)] += weight
    hist[(((word >> np.uint64(48)) & low) << three) | np.uint64(6)] += weight
    hist[((word >> np.uint64(56)) << three) | np.uint64(7)] += weight


@compiled
def add_rows(words, start, stop, weight, hist):
    """Add rows ``start`` to ``stop``, all of one class, to the class's histogram."""
    for i in range(start, stop):
        add_word(words[i], weight[i], hist)


@compiled
def add_listed(words, rows, change, start, stop, hist):
    """Add a change of weight of the listed rows, all of one class."""
    for k in range(start, stop):
        add_word(words[rows[k]], change[k], hist)


@compiled
def clear(columns, block, hist):
    """Empty the bins that the block's columns use."""
    used = np.int64(0)
    for f in range(block * WIDTH, block * WIDTH + WIDTH):
        used = max(used, columns[BINS, f])
    for k in range(used * WIDTH):
        hist[k] = 0.0
    for k in range(MISSING * WIDTH, len(hist)):
        hist[k] = 0.0


@compiled
def far_apart(rows, start, stop):
    """Whether less than half of the rows between the first and the last are listed."""
    return rows[stop - 1] - rows[start] > 2 * (stop - start) if stop > start else False


@compiled
def add_up(codes, first, second, rows, start, stop, total):
    """The channels' totals over some rows, into ``total``. Returns their weight."""
    for c in range(len(total)):
        total[c] = 0.0
    if len(codes):
        whole = 0.0
        for k in range(start, stop):
            i = rows[k]
            total[codes[i]] += first[i]
            whole += first[i]
        return whole
    for k in range(start, stop):
        i = rows[k]
        total[0] += first[i]
        total[1] += second[i]
    return total[1]


@compiled
def add_chosen(values, rows, start, stop):
    """The sum of the values of some rows."""
    total = 0.0
    for k in range(start, stop):
        total += values[rows[k]]
    return total


@compiled
def count_rows(words, start, stop, counts):
    """How many rows of a class each bin holds."""
    for i in range(start, stop):
        add_word(words[i], np.int32(1), counts)


@compiled
def count_equal(hist, weight, counts):
    """As ``count_rows``, from a histogram of rows of equal weight."""
    for k in range(len(counts)):
        counts[k] = np.int32(hist[k] / weight + 0.5)


@compiled
def block_edges(hist, gain, mass, columns, first, share, scratch, many, edges):
    """The best edge of each of the eight columns from ``first``.

    ``many`` is scratch; None where there are two classes.
    """
    if many is None:
        two_class_edges(
            hist, gain, mass[1] - mass[0], columns, first, scratch[0], scratch[1], edges
        )
    else:
        more = many[first // WIDTH]
        many_class_edges(hist, gain, mass, columns, first, scratch, more[:2], more[2], edges)
    for f in range(first, first + WIDTH):
        if columns[KIND, f] == CATEGORICAL and columns[BINS, f] + columns[GAPS, f] > 1:
            edges[f] = category_edge(hist, gain, f % WIDTH, share[first // WIDTH])


@compiled
def category_edge(hist, gain, lane, share):
    """The edge of saying each category's heaviest class, categories of few rows trusted less."""
    edge = 0.0
    for b in range(256):
        heaviest = 0.0
        whole = 0.0
        for c in range(len(gain)):
            here = gain[c] * hist[c, b * WIDTH + lane]
            whole += here
            heaviest = max(heaviest, here)
        edge += share[b * WIDTH + lane] * (2.0 * heaviest - whole)
    return edge


@compiled
def two_class_edges(hist, gain, total, columns, first, run, peak, edges):
    """Best edges of a block's numeric columns, for two classes whose sides must differ.

    ``total`` is the signed weight (class 1 less class 0) of all rows, ``gain`` scales the classes'
    histograms. ``run`` and ``peak`` are scratch: signed weight left less right, and its largest
    size so far, per bin. A missing value takes the side that suits it.
    """
    none, one = hist[0], hist[1]
    g0, g1 = gain[0], gain[1]
    top = np.int64(0)
    for f in range(first, first + WIDTH):
        top = max(top, columns[LAST, f])
    gone = MISSING * WIDTH
    for j in range(WIDTH):
        absent = g1 * one[gone + j] - g0 * none[gone + j]
        run[j] = 2.0 * (g1 * one[j] - g0 * none[j]) - (total - absent)
        peak[j] = abs(run[j])
    for k in range(WIDTH, top * WIDTH):
        here = run[k - WIDTH] + 2.0 * (g1 * one[k] - g0 * none[k])
        run[k] = here
        size = abs(here)
        peak[k] = size if size > peak[k - WIDTH] else peak[k - WIDTH]
    for j in range(WIDTH):
        f = first + j
        absent = g1 * one[gone + j] - g0 * none[gone + j]
        edges[f] = -np.inf
        if columns[LAST, f] > 0:
            edges[f] = peak[(columns[LAST, f] - 1) * WIDTH + j] + abs(absent)
        if columns[KIND, f] == NUMERIC and columns[GAPS, f] and columns[BINS, f]:
            edges[f] = max(edges[f], abs(total - 2.0 * absent))


@compiled
def two_class_split(hist, lane, gain, total, whole, last, missing, goal, tie):
    """The first split of a numeric column whose edge reaches ``goal``.

    ``total`` is the signed and ``whole`` the unsigned weight of all rows. Returns its bin (bins
    up to it go left) and what the left, the right and a missing value say.
    """
    none, one = hist[0], hist[1]
    gone = MISSING * WIDTH + lane
    absent = gain[1] * one[gone] - gain[0] * none[gone] if missing else 0.0
    lean = absent - total
    mass = 0.0
    for b in range(last):
        k = b * WIDTH + lane
        lean += 2.0 * (gain[1] * one[k] - gain[0] * none[k])
        mass += gain[1] * one[k] + gain[0] * none[k]
        if abs(lean) + abs(absent) >= goal:
            if not missing:
                left = 0 if -lean >= goal else 1
                return b, left, 1 - left, left if 2.0 * mass >= whole - tie else 1 - left
            if -lean - absent >= goal:
                return b, 0, 1, 0
            if lean + absent >= goal:
                return b, 1, 0, 1
            if -lean + absent >= goal:
                return b, 0, 1, 1
            return b, 1, 0, 0
    left = 0 if 2.0 * absent - total >= goal else 1
    return last, left, 1 - left, 1 - left


@compiled
def many_class_edges(hist, gain, mass, columns, first, run, peak, best, edges):
    """Best edges of a block's numeric columns where each side says its heaviest class.

    ``mass`` is the total weight of each class; ``run``, ``peak`` and ``best`` are scratch.
    """
    whole = sum_of(mass)
    top = np.int64(0)
    gaps = False
    for f in range(first, first + WIDTH):
        edges[f] = -np.inf
        top = max(top, columns[LAST, f])
        gaps = gaps or columns[GAPS, f] != 0
    for right in range(2 if gaps else 1):
        side_peaks(hist, gain, mass, top, right == 1, run, peak, best)
        for f in range(first, first + WIDTH):
            if columns[LAST, f] > 0:
                score = best[(columns[LAST, f] - 1) * WIDTH + f % WIDTH]
                edges[f] = max(edges[f], 2.0 * score - whole)
    for f in range(first, first + WIDTH):
        if columns[KIND, f] == NUMERIC and columns[GAPS, f] and columns[BINS, f]:
            present = -np.inf
            absent = -np.inf
            for c in range(len(mass)):
                gone = gain[c] * hist[c, MISSING * WIDTH + f % WIDTH]
                present = max(present, mass[c] - gone)
                absent = max(absent, gone)
            edges[f] = max(edges[f], 2.0 * (present + absent) - whole)


@compiled
def side_peaks(hist, gain, mass, top, right, run, peak, best):
    """Fill ``best`` with the running best of heaviest left plus heaviest right, bin by bin.

    Missing values go left or, where ``right``, right. ``run`` (2 x SIZE) holds one class's weight
    on both sides, ``peak`` the heaviest so far.
    """
    left_run, right_run = run[0], run[1]
    left_peak, right_peak = peak[0], peak[1]
    for c in range(len(mass)):
        g = gain[c]
        one = hist[c]
        for j in range(WIDTH):
            gone = g * one[MISSING * WIDTH + j]
            left_run[j] = g * one[j] + (0.0 if right else gone)
            right_run[j] = mass[c] - left_run[j]
        for k in range(WIDTH, top * WIDTH):
            left_run[k] = left_run[k - WIDTH] + g * one[k]
        for k in range(WIDTH, top * WIDTH):
            right_run[k] = right_run[k - WIDTH] - g * one[k]
        if c == 0:
            for k in range(top * WIDTH):
                left_peak[k] = left_run[k]
            for k in range(top * WIDTH):
                right_peak[k] = right_run[k]
        else:
            for k in range(top * WIDTH):
                left_peak[k] = left_run[k] if left_run[k] > left_peak[k] else left_peak[k]
            for k in range(top * WIDTH):
                right_peak[k] = right_run[k] if right_run[k] > right_peak[k] else right_peak[k]
    for k in range(top * WIDTH):
        best[k] = left_peak[k] + right_peak[k]
    for k in range(WIDTH, top * WIDTH):
        best[k] = best[k] if best[k] > best[k - WIDTH] else best[k - WIDTH]


@compiled
def heaviest_class(weight, tie):
    """The lowest class within ``tie`` of the heaviest."""
    most = largest(weight)
    for c in range(len(weight)):
        if weight[c] >= most - tie:
            return c
    return 0


@compiled
def many_class_split(hist, lane, gain, mass, last, missing, goal, tie, left, right):
    """As ``two_class_split``, each side saying its heaviest class; the sides may agree."""
    classes = len(mass)
    whole = sum_of(mass)
    for b in range(last):
        for c in range(classes):
            left[c] = 0.0 if b == 0 else left[c]
            left[c] += gain[c] * hist[c, b * WIDTH + lane]
        for side in range(2 if missing else 1):
            for c in range(classes):
                gone = gain[c] * hist[c, MISSING * WIDTH + lane] if missing and side == 0 else 0.0
                left[c] += gone
                right[c] = mass[c] - left[c]
            reached = 2.0 * (largest(left) + largest(right)) - whole >= goal
            if reached:
                say = heaviest_class(left, tie)
                other = heaviest_class(right, tie)
                if missing:
                    return b, say, other, say if side == 0 else other
                return b, say, other, say if 2.0 * sum_of(left) >= whole - tie else other
            for c in range(classes):
                gone = gain[c] * hist[c, MISSING * WIDTH + lane] if missing and side == 0 else 0.0
                left[c] -= gone
    for c in range(classes):
        right[c] = gain[c] * hist[c, MISSING * WIDTH + lane]
        left[c] = mass[c] - right[c]
    other = heaviest_class(right, tie)
    return last, heaviest_class(left, tie), other, other


@compiled
def category_classes(hist, lane, gain, mass, bins, gaps, tie, said, scratch):
    """What each category says: its heaviest class; an unknown one says the heaviest of all."""
    rest = heaviest_class(mass, tie)
    for b in range(256):
        said[b] = rest
        if b < bins or (b == MISSING and gaps):
            for c in range(len(mass)):
                scratch[c] = gain[c] * hist[c, b * WIDTH + lane]
            said[b] = heaviest_class(scratch, tie)
    return rest


@compiled
def find_split(hist, f, gain, mass, whole, columns, goal, tie, side, many, said, stump):
    """Write the first split of column f whose edge reaches ``goal``, and what each bin says.

    ``stump`` gets the column, the split bin (-1 for a categorical column), and what the left, the
    right and a missing value say. ``many`` is None of two classes.
    """
    lane = f % WIDTH
    last, bins, gaps = columns[LAST, f], columns[BINS, f], columns[GAPS, f]
    stump[0] = f
    if columns[KIND, f] == CATEGORICAL:
        rest = category_classes(hist, lane, gain, mass, bins, gaps, tie, said, side[0])
        stump[1], stump[2], stump[3], stump[4] = -1, rest, rest, said[MISSING]
        return
    if many is None:
        stump[1], stump[2], stump[3], stump[4] = two_class_split(
            hist, lane, gain, mass[1] - mass[0], whole, last, gaps, goal, tie
        )
    else:
        stump[1], stump[2], stump[3], stump[4] = many_class_split(
            hist, lane, gain, mass, last, gaps, goal, tie, side[0], side[1]
        )
    say_bins(stump, bins, said)


@compiled
def say_bins(stump, bins, said):
    """What each bin says under a numeric split."""
    for b in range(bins):
        said[b] = stump[2] if b <= stump[1] else stump[3]
    said[MISSING] = stump[4]
