"""Growing one tree on a large table, by segments of its rows that threads may share out.

A segment is a fixed share of the rows, whatever the number of threads. It parts its own rows and
adds them up (``serve``); sums of segments are added in one order, which finds the next splits
(``decide``). So the tree is the same bits for any number of threads. Several nodes are split at a
time, a *wave*.

One thread leads, others help: each takes segments that nobody has taken, first those that it had
before, whose rows are in its cache. To wake a thread takes as long as to read a wave, so helpers
wait for the next one, of this tree or the next, by looking again and again, though not for long; a
helper that comes late, or never, is not waited for. Waves are numbered through all trees, and a
segment notes the last one that it was taken for.

Which of two children is read must be known before segments part their rows: the one that has fewer
of a sample of them.
"""

from typing import NamedTuple

import numpy as np

from nacre.kernels.compile import compiled, inlined
from nacre.kernels.grow import (
    add_classes,
    consider,
    describe,
    fill,
    mark_rows,
    mark_sides,
    most_worth,
    part,
    pass_on,
    pick,
    place_node,
    send_down,
    take_slot,
    worth_reading,
)
from nacre.kernels.histogram import BINS, MISSING, SIZE, WIDTH, add_up, add_word, clear
from nacre.kernels.instructions import exchange, fetch_add, fetch_max, load
from nacre.kernels.split import DEPTH, FIRST, NO_NODE, SLOT, STOP, TIE, Work
from nacre.kernels.tree import FEATURE, GAIN, LEFT, RIGHT, TABLE, WEIGHT
from nacre.kernels.weights import CHUNK

# Of fewer rows, a node is read without the threads
SMALL = 16_384
# Rows of a node, about, that say which side has fewer
SAMPLE = 512

# Places in Segments.wave: a node to be split; which of its children is read, if any; whether it is
# read when segments are added up
NODE, READ, LATER = 0, 1, 2
# Places in Segments.tally: nodes so far, leaves, nodes that wait, those of this wave, whether no
# other comes after it
COUNT, LEAVES, WAITING, SIZE_OF_WAVE, LAST_WAVE = 0, 1, 2, 3, 4
# Entries of a line of the cache, and where these lines begin in Segments.shared: the number of the
# wave, its segments that are done, and from there the last wave that each segment was taken for
LINE = 8
WAVE, DONE, TAKEN = 0, LINE, 2 * LINE
# So often the lead looks whether helpers are done, about a fifth of a millisecond; and so often a
# helper whether there is another wave: about two, longer than boosters take between two trees
LOOKS, STAYS = 1_000_000, 10_000_000
# Places in Segments.bounds: least weight of a side, the most that a split can be worth
LEAST, SCALE = 0, 1


class Segments(NamedTuple):
    """What segments found, and what they are asked; each writes to its own entries."""

    starts: np.ndarray  # int64 (segments + 1,): where the rows of each stand in Work.rows
    place: np.ndarray  # int64 (segments, nodes, 4): as in Work, from there
    hist: np.ndarray  # float64 (segments, wave, blocks, channels, SIZE)
    total: np.ndarray  # float64 (segments, wave, 2, channels): of both children
    weight: np.ndarray  # float64 (segments, wave, 2)
    sizes: np.ndarray  # float64 (segments, 2): sums of sizes and of weights
    wave: np.ndarray  # int64 (wave, 3): NODE, READ, LATER
    tally: np.ndarray  # int64 (5,)
    bounds: np.ndarray  # float64 (2,)
    goes: np.ndarray  # uint8 (segments, 256)
    pairs: np.ndarray  # float64 (segments, blocks, 2 * SIZE), as in Work
    shared: np.ndarray  # int64 ((2 + segments) * LINE,)


@compiled
def lead(table, share, limits, first, second, work, nodes, segments, threads, leaf, again):
    """Grow a tree, others helping.

    Returns whether it is grown: else somebody is at work on a segment for long, and it is to be
    called ``again``.
    """
    shared = segments.shared
    if not again:
        for k in range(len(segments.tally)):
            segments.tally[k] = 0
        begin_wave(shared)
    while True:
        while attend(table, first, second, work, nodes, segments, 0, threads, leaf):
            pass
        looks = 0
        while load(shared, DONE) < len(segments.place):
            looks += 1
            if looks == LOOKS:
                return False
        rows = decide(table, share, limits, first, second, work, nodes, segments)
        while 0 < rows < SMALL:
            for s in range(len(segments.place)):
                serve(table, first, second, work, nodes, segments, s, leaf)
            rows = decide(table, share, limits, first, second, work, nodes, segments)
        if not rows:
            return True
        begin_wave(shared)


@inlined
def begin_wave(shared):
    """Let the segments of the next wave be taken."""
    exchange(shared, DONE, 0)
    fetch_add(shared, WAVE, 1)


@compiled
def lend(table, first, second, work, nodes, segments, thread, threads, leaf, stays):
    """Help with one tree after the other, until ``stays`` looks in a row have found no wave."""
    looks, seen = np.int64(0), np.int64(0)
    while looks < stays:
        looks += 1
        wave = load(segments.shared, WAVE)
        if wave != seen:
            while attend(table, first, second, work, nodes, segments, thread, threads, leaf):
                pass
            looks, seen = np.int64(0), wave


@compiled
def attend(table, first, second, work, nodes, segments, thread, threads, leaf):
    """Take a segment of the wave that nobody has taken, and do its part. False: there is none."""
    count, shared = len(segments.place), segments.shared
    wave = load(shared, WAVE)
    for k in range(2 * count):
        s = k % count
        if k < count and s % threads != thread:
            continue
        taken = TAKEN + LINE * s
        if load(shared, taken) < wave and fetch_max(shared, taken, wave) < wave:
            serve(table, first, second, work, nodes, segments, s, leaf)
            fetch_add(shared, DONE, 1)
            return True
    return False


@inlined
def own(work, segments, s):
    """What a segment works on: rows of its own."""
    start, stop = segments.starts[s], segments.starts[s + 1]
    return Work(
        work.rows[start:stop], work.spare[start:stop], segments.place[s], work.open, work.free,
        segments.hist[s], segments.pairs[s], work.total, work.run, work.peak, work.best, work.side,
        segments.goes[s], work.rank, work.key, work.sums, work.state,
    )  # fmt: skip


@compiled
def serve(table, first, second, whole, nodes, segments, s, leaf):
    """Do a segment's part of a wave."""
    work = own(whole, segments, s)
    tally, zero = segments.tally, np.int64(0)
    if not tally[COUNT]:
        weight = first if table.classes else second
        weighty = list_share(weight, s, len(segments.place), work.rows)
        place_node(work, zero, zero, weighty, zero)
        add_side(table, first, second, work, segments, s, zero, zero, zero)
        add_sizes(first, second, work.rows, weighty, segments.sizes[s])
        work.place[0, SLOT] = 0
        fill(table, first, second, work, zero)
        return
    for k in range(tally[SIZE_OF_WAVE]):
        node, read = segments.wave[k, NODE], segments.wave[k, READ]
        left, right = np.int64(nodes.links[node, LEFT]), np.int64(nodes.links[node, RIGHT])
        cut = part(table, work, nodes, node)
        place_node(work, left, work.place[node, FIRST], cut, zero)
        place_node(work, right, cut, work.place[node, STOP], zero)
        add_side(table, first, second, work, segments, s, k, zero, left)
        add_side(table, first, second, work, segments, s, k, zero + 1, right)
        if read != NO_NODE and not segments.wave[k, LATER]:
            work.place[read, SLOT] = k
            fill(table, first, second, work, read)
    if tally[LAST_WAVE]:
        weighty = work.place[0, STOP]
        for node in range(tally[COUNT]):
            if nodes.links[node, LEFT] < 0:
                mark_rows(work.rows, work.place[node, FIRST], work.place[node, STOP], node, leaf)
        send_down(table, work, nodes, tally[COUNT], weighty, leaf)


@compiled
def list_share(weight, s, count, rows):
    """List a segment's rows that have weight, in order, then its others; return how many have."""
    found, last = np.int64(0), len(rows) - 1
    for start in range(s * CHUNK, len(weight), count * CHUNK):
        for i in range(start, min(start + CHUNK, len(weight))):
            rows[found], rows[last] = i, i
            has = np.int64(weight[i] > 0.0)
            found += has
            last -= 1 - has
    return found


@inlined
def add_side(table, first, second, work, segments, s, k, side, node):
    """Add up a segment's rows of a node: a child of the wave's node k, or the root."""
    segments.weight[s, k, side] = add_up(
        table.codes, first, second, work.rows, work.place[node, FIRST], work.place[node, STOP],
        segments.total[s, k, side],
    )  # fmt: skip


@compiled
def add_sizes(first, second, rows, stop, sizes):
    """The sums of sizes and of weights of a segment's rows."""
    size, weight = 0.0, 0.0
    for k in range(stop):
        size += abs(first[rows[k]])
        weight += second[rows[k]] if len(second) else first[rows[k]]
    sizes[0], sizes[1] = size, weight


@compiled
def decide(table, share, limits, first, second, work, nodes, segments):
    """Add up what all segments found, and choose the next wave. Returns the rows that it parts."""
    tally, bounds, zero = segments.tally, segments.bounds, np.int64(0)
    if not tally[COUNT]:
        slots = work.hist.shape[0]
        for k in range(slots):
            work.free[k] = slots - 1 - k
        work.free[slots] = slots
        for s in range(1, len(segments.sizes)):
            segments.sizes[0, 0] += segments.sizes[s, 0]
            segments.sizes[0, 1] += segments.sizes[s, 1]
        tally[COUNT], tally[LEAVES], tally[WAITING] = 1, 1, 0
        settle(table, work, nodes, segments, zero, zero, zero, zero)
        bounds[LEAST] = limits.weight * nodes.numbers[0, WEIGHT] * (1.0 - TIE)
        bounds[SCALE] = most_worth(segments.sizes[0, 0], segments.sizes[0, 1])
        if limits.leaves > 1 and worth_reading(limits, bounds[LEAST], work, nodes, zero):
            work.place[0, SLOT] = take_slot(work)
            add_segments(table, segments, zero, work.hist[work.place[0, SLOT]])
            tally[WAITING] = consider(
                table, share, bounds[LEAST], bounds[SCALE], work, nodes, zero, zero
            )
    else:
        for k in range(tally[SIZE_OF_WAVE]):
            answer(table, share, limits, first, second, work, nodes, segments, k)
    return next_wave(table, limits, work, nodes, segments)


@inlined
def answer(table, share, limits, first, second, work, nodes, segments, k):
    """Describe the children of the wave's node k; find the splits of those that may have one."""
    tally, least, scale = segments.tally, segments.bounds[LEAST], segments.bounds[SCALE]
    node, read, zero = segments.wave[k, NODE], segments.wave[k, READ], np.int64(0)
    left, right = np.int64(nodes.links[node, LEFT]), np.int64(nodes.links[node, RIGHT])
    depth, slot = work.place[node, DEPTH], work.place[node, SLOT]
    settle(table, work, nodes, segments, k, zero, left, depth + 1)
    settle(table, work, nodes, segments, k, zero + 1, right, depth + 1)
    other = left + right - read
    see_read = read != NO_NODE and worth_reading(limits, least, work, nodes, read)
    see_other = read != NO_NODE and worth_reading(limits, least, work, nodes, other)
    if see_read or see_other:
        work.place[read, SLOT] = take_slot(work)
        hist = work.hist[work.place[read, SLOT]]
        if segments.wave[k, LATER]:
            read_all(table, first, second, work, segments, read, hist)
        else:
            add_segments(table, segments, k, hist)
    pass_on(table, work, read, see_read, other, see_other, slot)
    many = left if work.place[left, STOP] > work.place[right, STOP] else right
    for turn in range(2):  # the smaller child is split first: few nodes wait
        child = left + right - many if turn else many
        if see_read if child == read else see_other:
            tally[WAITING] = consider(
                table, share, least, scale, work, nodes, child, tally[WAITING]
            )


@inlined
def settle(table, work, nodes, segments, k, side, node, depth):
    """Set up a node: its weight and what it says, and of how many rows it is."""
    total, weight, rows = segments.total[0, k, side], segments.weight[0, k, side], np.int64(0)
    for s in range(len(segments.place)):
        rows += segments.place[s, node, STOP] - segments.place[s, node, FIRST]
        if s:
            weight += segments.weight[s, k, side]
            for c in range(len(total)):
                total[c] += segments.total[s, k, side, c]
    place_node(work, node, np.int64(0), rows, depth)
    describe(table, total, weight, nodes, node)


@inlined
def add_segments(table, segments, k, hist):
    """Add up the histograms that all segments have of the wave's node k."""
    for block in range(hist.shape[0]):
        used = np.int64(0)
        for f in range(block * WIDTH, block * WIDTH + WIDTH):
            used = max(used, table.columns[BINS, f])
        for c in range(hist.shape[1]):
            for s in range(len(segments.place)):
                own = segments.hist[s, k, block, c]
                put(own, s > 0, np.int64(0), used * WIDTH, hist[block, c])
                put(own, s > 0, np.int64(MISSING * WIDTH), np.int64(SIZE), hist[block, c])


@compiled
def put(values, more, start, stop, out):
    """Set a stretch of numbers, or add to it where there is ``more``."""
    if more:
        for k in range(start, stop):
            out[k] += values[k]
    else:
        for k in range(start, stop):
            out[k] = values[k]


@inlined
def read_all(table, first, second, work, segments, node, hist):
    """Read a node's rows of all segments into its histograms."""
    for block in range(hist.shape[0]):
        for c in range(hist.shape[1]):
            clear(table.columns, block, hist[block, c])
        for s in range(len(segments.place)):
            start = segments.starts[s] + segments.place[s, node, FIRST]
            stop = segments.starts[s] + segments.place[s, node, STOP]
            if table.classes:
                add_classes(
                    table.words[block], table.codes, first, work.rows, start, stop, hist[block]
                )
            else:
                add_channels(table.words[block], first, second, work.rows, start, stop, hist[block])


@compiled
def add_channels(words, first, second, rows, start, stop, hist):
    """Add some rows to both histograms, whatever these hold."""
    for k in range(start, stop):
        i = rows[k]
        add_word(words[i], first[i], hist[0])
        add_word(words[i], second[i], hist[1])


@inlined
def next_wave(table, limits, work, nodes, segments):
    """Choose the nodes to be split next. Returns how many rows they have; none: the tree is grown.

    The leaves that rows come to are part of the last wave; it has no nodes where nothing is left
    to be split.
    """
    tally, wave, rows, size = segments.tally, segments.wave, np.int64(0), np.int64(0)
    over = tally[LAST_WAVE] != 0
    while tally[WAITING] and tally[LEAVES] < limits.leaves and size < len(wave):
        node = pick(limits, work, nodes, tally[WAITING])
        nodes.links[node, LEFT], nodes.links[node, RIGHT] = tally[COUNT], tally[COUNT] + 1
        nodes.links[tally[COUNT]], nodes.links[tally[COUNT] + 1] = -1, -1
        wave[size, NODE] = node
        rows += work.place[node, STOP]
        tally[WAITING] -= 1
        tally[COUNT] += 2
        tally[LEAVES] += 1
        size += 1
    tally[SIZE_OF_WAVE] = size
    more = tally[LEAVES] < limits.leaves
    go_on = more and tally[WAITING] > 0
    for k in range(size):
        node = wave[k, NODE]
        wave[k, READ], wave[k, LATER] = NO_NODE, work.place[node, STOP] < SMALL
        if more and work.place[node, DEPTH] + 1 < limits.depth:
            fewer = fewer_left(table, work, nodes, segments, node)
            wave[k, READ] = nodes.links[node, LEFT if fewer else RIGHT]
            go_on = True
    tally[LAST_WAVE] = not go_on
    if not over:
        return max(rows, 1)
    for node in range(tally[COUNT]):
        if nodes.links[node, LEFT] < 0:
            nodes.links[node, FEATURE], nodes.links[node, TABLE] = -1, -1
            nodes.numbers[node, GAIN] = 0.0
    return np.int64(0)


@inlined
def fewer_left(table, work, nodes, segments, node):
    """Whether fewer rows of a sample go left at a node."""
    mark_sides(nodes, node, work.goes)
    f = nodes.links[node, FEATURE]
    words, shift = table.words[f // WIDTH], np.uint64(8 * (f % WIDTH))
    step = max(np.int64(1), work.place[node, STOP] // SAMPLE)
    left, seen = np.int64(0), np.int64(0)
    for s in range(len(segments.place)):
        start = segments.starts[s] + segments.place[s, node, FIRST]
        for k in range(start, segments.starts[s] + segments.place[s, node, STOP], step):
            left += work.goes[(words[work.rows[k]] >> shift) & np.uint64(255)]
            seen += 1
    return 2 * left <= seen
