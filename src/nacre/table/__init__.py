"""Tables in: data frames and arrays become numeric matrices; labels become codes."""

from nacre.table.folds import fold_of
from nacre.table.problem import Problem, as_mask, hold_out, read_problem, read_rows
from nacre.table.target import as_labels, as_target, encode_known

__all__ = [
    "Problem",
    "as_labels",
    "as_mask",
    "as_target",
    "encode_known",
    "fold_of",
    "hold_out",
    "read_problem",
    "read_rows",
]
