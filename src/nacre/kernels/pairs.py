"""Histograms of two channels, added to at once.

A row adds to two channels of the same bin: a response times its weight, and the weight. Where the
two stand side by side, one instruction adds both, and a pass over the rows takes half the time.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from nacre.kernels.compile import compiled
from nacre.kernels.histogram import BINS, MISSING, SIZE, WIDTH, add_word

FEW = 1000
"""Of fewer rows, putting the channels apart again takes longer than adding to them one by one."""


@intrinsic
def add_both(context, array, index, one, two):
    """Add to the entries ``index`` and ``index + 1`` of an array of float64."""

    def generate(context, builder, signature, values):
        there = context.make_array(signature.args[0])(context, builder, values[0])
        both = ir.VectorType(ir.DoubleType(), 2)
        place = builder.bitcast(builder.gep(there.data, [values[1]]), both.as_pointer())
        change = ir.Constant(both, ir.Undefined)
        for k in range(2):
            change = builder.insert_element(change, values[2 + k], ir.IntType(32)(k))
        before = builder.load(place)
        after = builder.store(builder.fadd(before, change), place)
        before.align = after.align = 8
        return context.get_dummy_value()

    return types.void(array, types.uint64, types.float64, types.float64), generate


@compiled
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
    for k in range(start, stop):
        i = rows[k]
        add_word_pair(words[i], first[i], second[i], pairs)
    for k in range(used * WIDTH):
        one[k], two[k] = pairs[2 * k], pairs[2 * k + 1]
    for k in range(MISSING * WIDTH, SIZE):
        one[k], two[k] = pairs[2 * k], pairs[2 * k + 1]
