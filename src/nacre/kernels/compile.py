"""How kernels are compiled.

Kernels borrow every array and allocate none. Numba cannot see that through tuples of arrays and
would count references at each access, which triples the time of a round on small data; so counting
is switched off where this version of Numba has the switch. ``allocating`` is for the few functions
that make arrays, ``reordering`` for those whose sums may be taken in any order, ``fused`` for those
where a product and a sum may be rounded as one, ``vectorised`` for both, ``inlined`` for those that
take whole tuples, whose arrays would all be handed over at each call.

Machine code is kept on disk beside the sources, in the user's cache or where ``NUMBA_CACHE_DIR``
says; where none of these can be written to, as in many containers, in a folder of temporary files;
and not at all where that cannot be either.
"""

import functools
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import config, njit, types
from numba.core.caching import FunctionCache
from numba.core.options import DefaultOptions

from nacre.kernels.linking import Linked


def _can_be_kept() -> bool:
    """Whether Numba finds a place for the machine code of functions of this folder."""
    try:
        FunctionCache(_can_be_kept)
    except (RuntimeError, OSError):
        return False
    return True


def _private_folder() -> str | None:
    """A folder of temporary files that nobody else can write to: what it holds is run."""
    folder = Path(tempfile.gettempdir()) / f"nacre-kernels-{getattr(os, 'getuid', int)()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    own = found.st_uid == getattr(os, "getuid", int)() and found.st_mode & 0o77 == 0
    return str(folder) if own and folder.is_dir() and not folder.is_symlink() else None


def find_cache() -> bool:
    """Whether machine code can be kept, if need be in a temporary folder."""
    if _can_be_kept():
        return True
    before, folder = config.CACHE_DIR, _private_folder()
    if folder is not None:
        config.CACHE_DIR = folder
        if _can_be_kept():
            return True
    config.CACHE_DIR = before
    return False


PLAIN: dict[str, Any] = {"cache": find_cache(), "nogil": True, "error_model": "numpy"}
UNCOUNTED: dict[str, Any] = {"_nrt": False} if hasattr(DefaultOptions, "_nrt") else {}


class Kernel:
    """A compiled function.

    Python calls one form of it, whose machine code is kept; other kernels link another, which is
    only lowered (:mod:`nacre.kernels.linking`). Each is compiled when it is first called.
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        functools.update_wrapper(self, function)
        self.own = njit(no_cfunc_wrapper=True, **PLAIN, **options)(function)
        self.linked = njit(
            pipeline_class=Linked,
            no_cpython_wrapper=True,
            no_cfunc_wrapper=True,
            **(PLAIN | {"cache": False}),
            **options,
        )(function)
        self._numba_type_ = types.Dispatcher(self.linked)

    def __call__(self, *args: Any) -> Any:
        """Call it from Python."""
        return self.own(*args)

    def __reduce__(self) -> str:
        """By name, as functions are pickled."""
        return self.__name__


def _kernel(**options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    return lambda function: Kernel(function, **options)


allocating = _kernel()
compiled = _kernel(**UNCOUNTED)
inlined = _kernel(forceinline=True, **UNCOUNTED)
reordering = _kernel(fastmath={"reassoc"}, **UNCOUNTED)
fused = _kernel(fastmath={"contract"}, **UNCOUNTED)
vectorised = _kernel(fastmath={"reassoc", "contract"}, **UNCOUNTED)
