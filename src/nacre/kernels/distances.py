"""Kernels (Laplacian, Gaussian) between rows and landmarks, and sums over landmarks.

A row is numbers, whose distances are squared and added up, and places of categories, each of which
costs its own when it differs.
"""

import math

from nacre.kernels.compile import compiled, fused, vectorised
from nacre.kernels.smooth import exp


@vectorised
def distances_of_row(numbers, places, at_numbers, at_places, costs, out):
    """Squared distances of one row from all landmarks."""
    for j in range(len(out)):
        apart = 0.0
        for c in range(len(numbers)):
            step = numbers[c] - at_numbers[j, c]
            apart += step * step
        for c in range(len(places)):
            apart += costs[c] * (places[c] != at_places[j, c])
        out[j] = apart


@compiled
def fill_distances(numbers, places, at_numbers, at_places, costs, out):
    """Squared distances of all rows from all landmarks."""
    for i in range(len(out)):
        distances_of_row(numbers[i], places[i], at_numbers, at_places, costs, out[i])


@fused
def fade(apart, rate, root):
    """Kernels of squared distances: Laplacian, exp(-rate d), or Gaussian, exp(-rate d^2)."""
    for j in range(len(apart)):
        far = math.sqrt(apart[j]) if root else apart[j]
        apart[j] = exp(-rate * far)


@compiled
def add_up_near(
    numbers, places, at_numbers, at_places, costs, rate, root, coefficients, scratch, out
):
    """Add to each row of ``out`` the landmarks' coefficients, each times its kernel value."""
    for i in range(len(out)):
        distances_of_row(numbers[i], places[i], at_numbers, at_places, costs, scratch)
        fade(scratch, rate, root)
        for j in range(len(scratch)):
            for k in range(out.shape[1]):
                out[i, k] += scratch[j] * coefficients[j, k]
