"""Kernels that other kernels call: typed and lowered by themselves, optimised with their caller.

Numba makes a library of every function: it is optimised and turned into machine code when it is
compiled, and linked whole into each function that calls it, where both happens again. Of a call
tree ten levels deep, the leaves are so optimised ten times. Here a function that is called by
another kernel is left as it was lowered, and only the kernel that Python calls is optimised, in
one piece with all that it calls. That halves the time of a first fit, and costs no speed.

Numba does the same for its own subroutines (``compile_subroutine``), but has no option for it: this
file is all of nacre that reaches inside Numba. Where a version of Numba does not have what is used
here, ``Linked`` and ``Whole`` are its ordinary compiler, which is slower, and right.
"""

import gc
from itertools import count
from typing import Any

from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

_SERIAL = count()


class _Part(JITCodeLibrary):
    """A library to be linked into others: not optimised, not turned into machine code."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.serial = next(_SERIAL)

    def finalize(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _Entire(JITCodeLibrary):
    """A library that links callers before what they call.

    The linker leaves out functions that nothing so far refers to. What is called is lowered before
    its callers; libraries of Numba's own functions call none of ours.
    """

    def finalize(self) -> None:
        self._linking_libraries.sort(key=lambda one: getattr(one, "serial", -1), reverse=True)
        super().finalize()


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerPart(NativeLowering):
    """Lower a function, and have its callers link it together with all that it calls."""

    _name = "lower_part"

    def run_pass(self, state: Any) -> bool:
        library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library, state.flags.no_compile = library, True
        super().run_pass(state)
        found = state.cr
        place = found.fndesc.lookup_module(), found.fndesc.qualname.split(".")[-1]
        handle = _dynfunc.make_function(*place, "linked only", 0, found.env, (library,))
        called = dict.fromkeys([library, *library._linking_libraries])
        state.targetctx.insert_user_function(handle, found.fndesc, list(called))
        state.cr = found._replace(cfunc=handle)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerEntire(NativeLowering):
    """Lower a function and compile it together with all that it calls."""

    _name = "lower_entire"

    def run_pass(self, state: Any) -> bool:
        state.library = _Entire(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


def _compiler(last: type[NativeLowering]) -> type[Compiler]:
    """Numba's compiler with the last pass exchanged.

    Garbage is collected after it: a compiler makes millions of objects that are in use until then.
    """

    class Exchanged(Compiler):
        def compile_extra(self, func: Any) -> Any:
            collects = gc.isenabled()
            gc.disable()
            try:
                return super().compile_extra(func)
            finally:
                if collects:
                    gc.enable()

        def define_pipelines(self) -> list[Any]:
            pipelines: list[Any] = super().define_pipelines()
            for one in pipelines:
                one.passes = [(last if p is NativeLowering else p, why) for p, why in one.passes]
                one.finalize()
            return pipelines

    return Exchanged


_USED = {
    JITCodeLibrary: ["_finalize_dynamic_globals", "_get_module_for_linking", "finalize"],
    Flags: ["no_compile"],
    _dynfunc: ["make_function"],
}
_HAVE = all(hasattr(one, name) for one, names in _USED.items() for name in names)
Linked, Whole = (_compiler(_LowerPart), _compiler(_LowerEntire)) if _HAVE else (Compiler, Compiler)
