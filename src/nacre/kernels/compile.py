"""How kernels are compiled.

Kernels borrow every array and allocate none. Numba cannot see that through tuples of arrays and
would count references at each access, which triples the time of a round on small data; so counting
is switched off where this version of Numba has the switch. ``allocating`` is for the few functions
that make arrays, ``reordering`` for those whose sums may be taken in any order, ``fused`` for those
where a product and a sum may be rounded as one, ``vectorised`` for both, ``internal`` for those
that take whole tuples and are called by other kernels only, ``inlined`` for such that Python may
call too.
"""

from typing import Any

from numba import njit
from numba.core.options import DefaultOptions

PLAIN: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}
UNCOUNTED: dict[str, Any] = {"_nrt": False} if hasattr(DefaultOptions, "_nrt") else {}


allocating = njit(**PLAIN)
compiled = njit(no_cfunc_wrapper=True, **PLAIN, **UNCOUNTED)
internal = njit(
    forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, **PLAIN, **UNCOUNTED
)
inlined = njit(forceinline=True, no_cfunc_wrapper=True, **PLAIN, **UNCOUNTED)
reordering = njit(fastmath={"reassoc"}, **PLAIN, **UNCOUNTED)
fused = njit(no_cfunc_wrapper=True, fastmath={"contract"}, **PLAIN, **UNCOUNTED)
vectorised = njit(no_cfunc_wrapper=True, fastmath={"reassoc", "contract"}, **PLAIN, **UNCOUNTED)
