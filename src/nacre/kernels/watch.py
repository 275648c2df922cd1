"""How far compiling is, for those who wait for it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any

from numba.core import event

from nacre.kernels.compile import Kernel


@contextmanager
def watch_compiling(report: Callable[[int, int], None]) -> Iterator[None]:
    """Have ``report`` hear how far a kernel is, whenever one has to be compiled.

    It is called with the number of functions that are compiled and the number that the kernel can
    call, itself among them. What its arguments do not need is left out: the end may come early, and
    both numbers are then the same.
    """
    listener = _Listener(report)
    event.register("numba:compile", listener)
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)


def called(function: Any) -> set[Any]:
    """A kernel's function and those of all kernels that it can call."""
    found: set[Any] = set()
    todo = [function]
    while todo:
        one = todo.pop()
        if one in found:
            continue
        found.add(one)
        names = one.__code__.co_names
        for name in names:
            value = one.__globals__.get(name)
            inside = names if isinstance(value, ModuleType) else ()
            values = [value, *(getattr(value, other, None) for other in inside)]
            todo += [kernel.__wrapped__ for kernel in values if isinstance(kernel, Kernel)]
    return found


class _Listener(event.Listener):  # type: ignore[misc]
    """Counts the functions of the outermost kernel; Numba compiles one at a time."""

    def __init__(self, report: Callable[[int, int], None]) -> None:
        self.report = report
        self.depth = 0
        self.needed: set[Any] = set()
        self.begun: set[Any] = set()

    def on_start(self, event: Any) -> None:
        function: FunctionType = event.data["dispatcher"].py_func
        if self.depth == 0:
            ours = isinstance(function.__globals__.get(function.__name__), Kernel)
            self.needed, self.begun = called(function) if ours else set(), set()
        self.depth += 1
        if function in self.needed and function not in self.begun:
            self.report(len(self.begun), len(self.needed))
            self.begun.add(function)

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0 and self.needed:
            self.report(len(self.needed), len(self.needed))
