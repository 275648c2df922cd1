"""Tables in: data frames and arrays become numeric matrices; labels become codes."""

from nacre.table.problem import Problem, read_problem, read_rows

__all__ = ["Problem", "read_problem", "read_rows"]
