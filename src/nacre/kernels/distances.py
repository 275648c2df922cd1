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
def turn_to_kernels(near, own, at_own, places, at_places, costs, rate, root):
    """Turn products of rows and landmarks into kernel values.

    The squared distance is what the squares of both (``own``, ``at_own``) have over twice their
    product, and the costs of categories that differ; ``at_places`` has a row a column. The kernel
    is Laplacian, exp(-rate d), or Gaussian, exp(-rate d^2).
    """
    for i in range(len(near)):
        row = near[i]
        for j in range(len(row)):
            row[j] = max(own[i] + at_own[j] - 2.0 * row[j], 0.0)
        for c in range(len(costs)):
            place, at = places[i, c], at_places[c]
            for j in range(len(row)):
                row[j] += costs[c] * (place != at[j])
        if root:
            for j in range(len(row)):
                row[j] = exp(-rate * math.sqrt(row[j]))
        else:
            for j in range(len(row)):
                row[j] = exp(-rate * row[j])
