"""Small tables to learn from."""

import pyarrow as pa

LABELS = ["u", "v"]
N = 40


def table(**columns):
    """A table of 40 rows in which the given values repeat, with labels."""
    return pa.table({name: repeated(values) for name, values in {**columns, "y": LABELS}.items()})


def repeated(values):
    return [values[i % len(values)] for i in range(N)]
