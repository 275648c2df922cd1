"""Values to bins: cut points from a sorted sample, then one pass over the table.

A block is eight neighbouring columns. Its bins fill the eight bytes of one 64-bit word per row,
so that a histogram reads eight cells at a time. ``MISSING`` (255) is the bin of a missing value.
"""

import numpy as np

from nacre.kernels.compile import allocating, compiled, inlined, reordering
from nacre.kernels.instructions import bits_of

WIDTH = 8
MISSING = 255
MAX_BINS = 255
CELLS = 1024
TILE = 256

FOUND_MISSING = 1
FOUND_INFINITE = 2
FOUND_UNKNOWN = 4


@compiled
def sort_by_class(codes, starts, order, rank):
    """Rows sorted by class, ties in order; each row's place among them; where classes begin.

    ``starts``, one longer than there are classes, begins with zeros.
    """
    for i in range(len(codes)):
        starts[codes[i] + 1] += 1
    for c in range(1, len(starts)):
        starts[c] += starts[c - 1]
    for i in range(len(codes)):
        rank[i] = starts[codes[i]]
        order[rank[i]] = i
        starts[codes[i]] += 1
    for c in range(len(starts) - 1, 0, -1):
        starts[c] = starts[c - 1]
    starts[0] = 0


@compiled
def count_below(values, bound):
    """How many of the ascending values are below the bound, by bisection."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < bound:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def midpoint(a, b):
    """A number in [a, b), as close to the middle as floats allow, without overflow."""
    middle = a / 2 + b / 2 if a < 0.0 < b else a + (b - a) / 2
    return a if middle >= b else middle


@compiled
def cut_points(values, mass, limit, cuts, distinct):
    """Fill ``cuts`` for one column from its sorted, present ``values``.

    Up to ``limit`` distinct values get a bin each; more are shared out so that the bins hold
    about equal ``mass`` (a running total over the values). Returns the number of bins and
    whether every distinct value has its own.
    """
    n = len(values)
    count = 0
    for i in range(n):
        if i == 0 or values[i] != values[i - 1]:
            if count == limit:
                count += 1
                break
            distinct[count] = values[i]
            count += 1
    if count <= limit:
        for j in range(count - 1):
            cuts[j] = midpoint(distinct[j], distinct[j + 1])
        return count, True
    bins = 1
    used = 0.0
    last = 0
    while bins < limit:
        aim = used + (mass[n - 1] - used) / (limit - bins + 1)
        last = max(last, count_below(mass, aim))
        while last < n - 1 and values[last] == values[last + 1]:
            last += 1
        if last >= n - 1:
            break
        cuts[bins - 1] = midpoint(values[last], values[last + 1])
        used = mass[last]
        last += 1
        bins += 1
    return bins, False


@compiled
def index_cuts(cuts, count, table):
    """Tabulate a grid over the range of the cuts: cell -> the first cut that may lie in it.

    Returns origin, scale and the most cuts that share a cell: that many comparisons finish the
    search that the table begins. The map to cells is monotone, so the answer is exact.
    """
    if count == 0:
        for c in range(len(table)):
            table[c] = 0
        return 0.0, 0.0, 0
    origin = cuts[0]
    span = cuts[count - 1] - origin
    scale = (CELLS - 1) / span if 0.0 < span < np.inf else 0.0
    if scale == np.inf:
        scale = 0.0
    cell = -1
    crowd = 0
    most = 0
    for j in range(count):
        here = np.int64((cuts[j] - origin) * scale)
        if here > cell:
            for c in range(cell + 1, here + 1):
                table[c] = j
            cell = here
            crowd = 0
        crowd += 1
        most = max(most, crowd)
    for c in range(cell + 1, len(table)):
        table[c] = count
    return origin, scale, most


@compiled
def plan_columns(columns, values, mass, limit, cuts, bins, tables, grid, steps, distinct, lossless):
    """Cut the given columns.

    Their ``values`` are in the rows, sorted, missing ones last; ``mass`` has the running totals
    of weight, one row for each column or one for all.
    """
    for k in range(len(columns)):
        j = columns[k]
        present = values.shape[1]
        while present > 0 and values[k, present - 1] != values[k, present - 1]:
            present -= 1
        for c in range(cuts.shape[1]):
            cuts[j, c] = np.inf
        bins[j], lossless[j] = cut_points(
            values[k, :present], mass[k % len(mass), :present], limit, cuts[j], distinct[j]
        )
        grid[j, 0], grid[j, 1], steps[j] = index_cuts(cuts[j], max(bins[j] - 1, 0), tables[j])


@compiled
def bin_tile(X, start, stop, j, cut, table, grid, steps, tile, lane):
    """Bin rows ``start`` to ``stop`` of column ``j`` into one lane of the tile."""
    origin, scale = grid[0], grid[1]
    last = np.float64(CELLS - 1)
    odd = 0.0
    if steps <= 4:
        for i in range(start, stop):
            x = np.float64(X[i, j])
            place = (x - origin) * scale
            place = place if place > 0.0 else 0.0
            place = place if place < last else last
            code = np.uint32(table[np.uint32(np.int32(place))])
            if steps == 1:
                code += np.uint32(x > cut[code])
            else:
                for _ in range(steps):
                    code += np.uint32(x > cut[code])
            odd += x - x
            tile[i - start, lane] = code
    else:
        for i in range(start, stop):
            x = np.float64(X[i, j])
            code = np.uint32(0)
            half = np.uint32(128)
            while half > np.uint32(0):
                code += half * np.uint32(x > cut[code + half - np.uint32(1)])
                half >>= np.uint32(1)
            odd += x - x
            tile[i - start, lane] = code
    if odd == 0.0:
        return 0
    found = 0
    for i in range(start, stop):
        x = np.float64(X[i, j])
        if x != x:
            tile[i - start, lane] = MISSING
            found |= FOUND_MISSING
        elif abs(x) == np.inf:
            found |= FOUND_INFINITE
    return found


@compiled
def bin_rows(
    X, rank, blocks, cuts, tables, grid, steps, check, distinct, tile, packed, words, found
):  # fmt: skip
    """Bin the columns of the given blocks and pack them, row i at place ``rank[i]``.

    ``found[j]`` collects what was met in column j: a missing value, an infinite one, or (where
    ``check[j]`` asks for it) a value that is not among the column's ``distinct`` ones. ``tile`` is
    room for ``TILE`` rows, ``packed`` the same bytes as words.
    """
    n, d = X.shape
    for k in range(len(blocks)):
        block = blocks[k]
        first = block * WIDTH
        for i in range(TILE):
            packed[i] = 0
        for start in range(0, n, TILE):
            stop = min(start + TILE, n)
            for lane in range(min(WIDTH, d - first)):
                j = first + lane
                seen = bin_tile(
                    X, start, stop, j, cuts[j], tables[j], grid[j], steps[j], tile, lane
                )
                if check[j]:
                    for i in range(start, stop):
                        x = np.float64(X[i, j])
                        if x == x and distinct[j, tile[i - start, lane]] != x:
                            seen |= FOUND_UNKNOWN
                found[j] |= seen
            for i in range(start, stop):
                words[block, rank[i]] = packed[i - start]


@allocating
def mixed_bins(values, rank, words, mixed):
    """Mark the bins of each column (a row of ``values``) that hold more than one value."""
    first = np.empty(256)
    for j in range(values.shape[0]):
        lane = np.uint64(8 * (j % WIDTH))
        first[:] = np.nan
        for i in range(values.shape[1]):
            code = (words[j // WIDTH, rank[i]] >> lane) & np.uint64(255)
            x = values[j, i]
            if np.isnan(first[code]):
                first[code] = x
            elif x != first[code]:
                mixed[j, code] = 1
        mixed[j, MISSING] = 0


@reordering
def infinite_column(X):
    """The first column that holds an infinite value, or -1."""
    n, d = X.shape
    for i in range(n):
        odd = 0.0
        for j in range(d):
            x = np.float64(X[i, j])
            odd += x - x
        if odd != 0.0:
            for j in range(d):
                if abs(np.float64(X[i, j])) == np.inf:
                    return j
    return -1


@inlined
def mix_in(h, x):
    """The hash of a row after one more of its values; all gaps are alike, and both zeros."""
    h = (h ^ bits_of(x + 0.0 if x == x else np.nan)) * np.uint64(0xBF58476D1CE4E5B9)
    h ^= h >> np.uint64(29)
    h *= np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(32))


@compiled
def hash_rows(X, seed, out):
    """A number for each row that depends on its values and the seed.

    Four rows at a time: the processor works on them side by side.
    """
    n, d = X.shape
    whole = n - n % 4
    for i in range(0, whole, 4):
        one = two = three = four = seed
        for j in range(d):
            one = mix_in(one, np.float64(X[i, j]))
            two = mix_in(two, np.float64(X[i + 1, j]))
            three = mix_in(three, np.float64(X[i + 2, j]))
            four = mix_in(four, np.float64(X[i + 3, j]))
        out[i], out[i + 1], out[i + 2], out[i + 3] = one, two, three, four
    for i in range(whole, n):
        out[i] = seed
        for j in range(d):
            out[i] = mix_in(out[i], np.float64(X[i, j]))
