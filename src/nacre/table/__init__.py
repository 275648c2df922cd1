"""Tables in and out: ``read_table``, ``write_table`` and ``Columns``.

These need pyarrow, and load it when they are first used. The other names are what estimators read
their input by, and may change.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nacre.table.folds import fold_of
from nacre.table.problem import Problem, as_mask, hold_out, read_problem, read_rows
from nacre.table.target import as_labels, as_target, encode_known

if TYPE_CHECKING:
    from nacre.table.columns import Columns
    from nacre.table.read import read_table
    from nacre.table.write import write_table

_HOMES = {
    "Columns": "nacre.table.columns",
    "read_table": "nacre.table.read",
    "write_table": "nacre.table.write",
}

__all__ = [
    "Columns",
    "Problem",
    "as_labels",
    "as_mask",
    "as_target",
    "encode_known",
    "fold_of",
    "hold_out",
    "read_problem",
    "read_rows",
    "read_table",
    "write_table",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'nacre.table' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
