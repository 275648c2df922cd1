"""Files and data frames in and out: ``read_table`` and ``write_table``.

They need pyarrow, and load it when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nacre.io.read import read_table
    from nacre.io.write import write_table

_HOMES = {"read_table": "nacre.io.read", "write_table": "nacre.io.write"}

__all__ = ["read_table", "write_table"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'nacre.io' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
