"""Instructions of the processor that Numba has no name for."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def add_both(context, array, index, one, two):
    """Add to the entries ``index`` and ``index + 1`` of an array of float64 at once."""

    def generate(context, builder, signature, values):
        both = ir.VectorType(ir.DoubleType(), 2)
        place = builder.bitcast(_place(context, builder, signature, values), both.as_pointer())
        change = ir.Constant(both, ir.Undefined)
        for k in range(2):
            change = builder.insert_element(change, values[2 + k], ir.IntType(32)(k))
        before = builder.load(place)
        after = builder.store(builder.fadd(before, change), place)
        before.align = after.align = 8
        return context.get_dummy_value()

    return types.void(array, types.uint64, types.float64, types.float64), generate


@intrinsic
def bits_of(context, number):
    """The bits of a float64."""

    def generate(context, builder, signature, values):
        return builder.bitcast(values[0], ir.IntType(64))

    return types.uint64(types.float64), generate


@intrinsic
def prefetch(context, array, index):
    """Begin to bring an entry of an array into the cache, without waiting for it."""

    def generate(context, builder, signature, values):
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        place = builder.bitcast(_place(context, builder, signature, values), pointer)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        call = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        builder.call(call, [place, number(0), number(3), number(1)])  # to read, keep, data
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


# Numbers that threads share, int64: all threads see what is done to them in one order, and before
# that whatever the thread wrote that did it


@intrinsic
def load(context, array, index):
    """An entry that other threads may change."""

    def generate(context, builder, signature, values):
        return builder.load_atomic(_place(context, builder, signature, values), "seq_cst", 8)

    return types.int64(array, types.int64), generate


@intrinsic
def fetch_add(context, array, index, change):
    """Add to an entry at one go; return what it was."""

    def generate(context, builder, signature, values):
        place = _place(context, builder, signature, values)
        return builder.atomic_rmw("add", place, values[2], "seq_cst")

    return types.int64(array, types.int64, types.int64), generate


@intrinsic
def exchange(context, array, index, value):
    """Set an entry at one go; return what it was."""

    def generate(context, builder, signature, values):
        place = _place(context, builder, signature, values)
        return builder.atomic_rmw("xchg", place, values[2], "seq_cst")

    return types.int64(array, types.int64, types.int64), generate


@intrinsic
def fetch_max(context, array, index, value):
    """Raise an entry to a value at one go, if it is below; return what it was."""

    def generate(context, builder, signature, values):
        place = _place(context, builder, signature, values)
        return builder.atomic_rmw("max", place, values[2], "seq_cst")

    return types.int64(array, types.int64, types.int64), generate


def _place(context, builder, signature, values):
    """Where an entry of a contiguous array is."""
    there = context.make_array(signature.args[0])(context, builder, values[0])
    return builder.gep(there.data, [values[1]])
