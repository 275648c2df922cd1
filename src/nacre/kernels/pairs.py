"""Histograms of two channels, added to at once.

A row adds to two channels of the same bin: a response times its weight, and the weight. Where the
two stand side by side, one instruction adds both, and a pass over the rows takes half the time.
"""

import numpy as np

from nacre.kernels.compile import compiled, inlined
from nacre.kernels.histogram import AHEAD, BINS, MISSING, SIZE, WIDTH, add_word, far_apart
from nacre.kernels.instructions import add_both, prefetch

FEW = 1000
"""Of fewer rows, putting the channels apart again takes longer than adding to them one by one."""


@inlined
def add_word_pair(word, one, two, pairs):
    """Add a row to its bin in each of the eight lanes, both channels side by side."""
    low, four = np.uint64(255), np.uint64(4)
    for lane in range(WIDTH):
        b = (word >> np.uint64(8 * lane)) & low
        add_both(pairs, (b << four) | np.uint64(2 * lane), one, two)


@compiled
def add_pairs(words, first, second, rows, start, stop, columns, block, pairs, hist):
    """Add the rows of a node to both histograms, which are empty.

    ``pairs`` is room for both side by side. Each entry is the same sum, in the same order, whether
    there are few rows or many.
    """
    one, two = hist[0], hist[1]
    if stop - start < FEW:
        for k in range(start, stop):
            i = rows[k]
            add_word(words[i], first[i], one)
            add_word(words[i], second[i], two)
        return
    used = np.int64(0)
    for f in range(block * WIDTH, block * WIDTH + WIDTH):
        used = max(used, columns[BINS, f])
    for k in range(2 * SIZE):
        pairs[k] = 0.0
    if far_apart(rows, start, stop):
        for k in range(start, stop):
            later = rows[min(k + AHEAD, stop - 1)]
            prefetch(words, later)
            prefetch(first, later)
            prefetch(second, later)
            i = rows[k]
            add_word_pair(words[i], first[i], second[i], pairs)
    else:
        for k in range(start, stop):
            i = rows[k]
            add_word_pair(words[i], first[i], second[i], pairs)
    for k in range(used * WIDTH):
        one[k], two[k] = pairs[2 * k], pairs[2 * k + 1]
    for k in range(MISSING * WIDTH, SIZE):
        one[k], two[k] = pairs[2 * k], pairs[2 * k + 1]
