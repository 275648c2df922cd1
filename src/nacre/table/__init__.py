"""Tables in: data frames and arrays become numeric matrices; labels become codes."""

from nacre.table.problem import Problem, as_mask, read_problem, read_rows
from nacre.table.target import as_labels

__all__ = ["Problem", "as_labels", "as_mask", "read_problem", "read_rows"]
