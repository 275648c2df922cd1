"""From a table to training rows: its schema, features, target, checks and folds.

``Schema`` is public. It needs pyarrow, and loads it when it is first used. The other names are what
estimators read their input by, and may change.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nacre.data.folds import fold_of, hold_out, out_of_fold_probabilities
from nacre.data.target import as_labels, as_target, encode_known
from nacre.data.training import TrainingRows, as_groups, as_mask, read_rows, read_training

if TYPE_CHECKING:
    from nacre.data.schema import Schema

__all__ = [
    "Schema",
    "TrainingRows",
    "as_groups",
    "as_labels",
    "as_mask",
    "as_target",
    "encode_known",
    "fold_of",
    "hold_out",
    "out_of_fold_probabilities",
    "read_rows",
    "read_training",
]


def __getattr__(name: str) -> Any:
    if name != "Schema":
        raise AttributeError(f"module 'nacre.data' has no attribute {name!r}")
    return import_module("nacre.data.schema").Schema
