"""What a report of a fault should say: ``nacre --version --verbose``."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from nacre import __version__

NEEDED = (
    "numpy", "scipy", "scikit-learn", "numba", "narwhals", "joblib", "lazy_loader", "threadpoolctl",
)  # fmt: skip
"""Packages that nacre depends on."""

OPTIONAL = (
    "pyarrow", "jinja2", "typer", "rich", "matplotlib", "starlette", "uvicorn", "pandas", "polars",
)  # fmt: skip
"""Packages of extras, and those whose tables nacre takes."""

VARIABLES = (
    "NACRE_DATA", "NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_CPU_NAME", "NUMBA_DISABLE_JIT",
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE", "MKL_NUM_THREADS",
)  # fmt: skip
"""Variables of the environment that change where or how nacre computes."""


def versions(verbose: bool) -> Iterator[str]:
    """Lines with the version of nacre; ``verbose``: and of all that it runs on."""
    yield f"nacre {__version__}"
    if not verbose:
        return
    yield f"python {platform.python_version()} ({platform.python_implementation()})"
    yield f"system {platform.system()} {platform.release()} {platform.machine()}"
    for name in (*NEEDED, *OPTIONAL):
        yield f"{name} {installed(name)}"
    yield from machine()
    said = [name for name in VARIABLES if name in os.environ]
    yield f"variables that are set: {', '.join(said) or 'none'}"


def installed(name: str) -> str:
    """The version of a package, without loading it."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "is not installed"


def machine() -> Iterator[str]:
    """The processor as the compiler sees it, linear algebra, threads, and where kernels are kept.

    These decide the last bits of a result, and how long the first run takes.
    """
    import scipy.linalg  # noqa: F401 (its library of linear algebra is to be seen)
    from llvmlite.binding import get_host_cpu_name
    from threadpoolctl import threadpool_info

    yield f"processor {get_host_cpu_name()}, {os.cpu_count()} cores"
    for pool in threadpool_info():
        yield _pool(pool)
    yield f"compiled kernels are kept in {_shown(kernel_folder())}"


def _pool(pool: dict[str, Any]) -> str:
    build = [str(pool[name]) for name in ("version", "architecture") if pool.get(name)]
    return f"{pool['internal_api']} {' '.join([*build, ''])}with {pool['num_threads']} threads"


def kernel_folder() -> Path | None:
    """The folder of machine code; None where it is not kept."""
    from nacre.kernels.compile import PLAIN
    from nacre.kernels.random import next_bits

    return Path(next_bits.own.stats.cache_path) if PLAIN["cache"] else None


def _shown(folder: Path | None) -> str:
    """A folder, the user's own written as ~."""
    if folder is None:
        return "no folder: none can be written to"
    try:
        return f"~/{folder.relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(folder)
