"""Kernels that other kernels call: typed and lowered by themselves, optimised with their caller.

Numba makes a library of every function: it is optimised and turned into machine code when it is
compiled, and linked whole into each function that calls it, where both happens again. Of a call
tree ten levels deep, the leaves are so optimised ten times. Here a function that is called by
another kernel is left as it was lowered, and only the kernel that Python calls is optimised, in
one piece with all that it calls. That halves the time of a first fit, and costs no speed.

Numba does the same for its own subroutines (``compile_subroutine``), but has no option for it: this
file is all of nacre that reaches inside Numba. Where a version of Numba does not have what is used
here, ``Linked`` is its ordinary compiler, which is slower, and right.
"""

from typing import Any

from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class _Lowered(JITCodeLibrary):
    """A library to be linked into others: not optimised, not turned into machine code."""

    def finalize(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(NativeLowering):
    """Lower a function, and have its callers link it together with all that it calls."""

    _name = "linked_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _Lowered(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        found = state.cr
        place = found.fndesc.lookup_module(), found.fndesc.qualname.split(".")[-1]
        handle = _dynfunc.make_function(*place, "linked only", 0, found.env, (state.library,))
        called = dict.fromkeys([state.library, *state.library._linking_libraries])
        state.targetctx.insert_user_function(handle, found.fndesc, list(called))
        state.cr = found._replace(cfunc=handle)
        return True


class _LinkedCompiler(Compiler):
    """Numba's compiler with the last pass exchanged."""

    def define_pipelines(self) -> list[Any]:
        pipelines: list[Any] = super().define_pipelines()
        for one in pipelines:
            one.passes = [(_Lowering if p is NativeLowering else p, why) for p, why in one.passes]
            one.finalize()
        return pipelines


_USED = {
    JITCodeLibrary: ["_finalize_dynamic_globals", "_get_module_for_linking"],
    Flags: ["no_compile"],
    _dynfunc: ["make_function"],
}
_HAVE = all(hasattr(one, name) for one, names in _USED.items() for name in names)
Linked: type[Compiler] = _LinkedCompiler if _HAVE else Compiler
