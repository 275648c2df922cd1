"""Plain loops over numbers; sums are taken in any order, so that they use vector instructions."""

from nacre.kernels.compile import vectorised


@vectorised
def copy(out, x):
    """Copy x."""
    for i in range(len(out)):
        out[i] = x[i]


@vectorised
def add_scaled(out, factor, x):
    """Add a multiple of x."""
    for i in range(len(out)):
        out[i] += factor * x[i]


@vectorised
def add_up(x):
    """Sum."""
    total = 0.0
    for i in range(len(x)):
        total += x[i]
    return total


@vectorised
def dot(a, b):
    """Sum of products."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@vectorised
def add_placed(out, x, places):
    """Add the number at each place; -1 is no place."""
    for i in range(len(out)):
        if places[i] >= 0:
            out[i] += x[places[i]]


@vectorised
def scatter(out, x, places):
    """Add each number to its place."""
    for i in range(len(x)):
        if places[i] >= 0:
            out[places[i]] += x[i]
