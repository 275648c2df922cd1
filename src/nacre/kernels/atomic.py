"""Numbers that threads share: read, changed and set in one piece, in one order for all threads.

A number is given by its address (``array.ctypes.data``), of an int64.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

WORD = ir.IntType(64)


def _place(builder: Any, address: Any) -> Any:
    return builder.inttoptr(address, WORD.as_pointer())


@intrinsic  # type: ignore[untyped-decorator]
def load(_: Any, address: Any) -> Any:
    """The number."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_place(builder, args[0]), "seq_cst", 8)

    return types.int64(types.int64), code


@intrinsic  # type: ignore[untyped-decorator]
def fetch_add(_: Any, address: Any, change: Any) -> Any:
    """Add to the number; return what it was."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", _place(builder, args[0]), args[1], "seq_cst")

    return types.int64(types.int64, types.int64), code


@intrinsic  # type: ignore[untyped-decorator]
def exchange(_: Any, address: Any, value: Any) -> Any:
    """Set the number; return what it was."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.atomic_rmw("xchg", _place(builder, args[0]), args[1], "seq_cst")

    return types.int64(types.int64, types.int64), code
