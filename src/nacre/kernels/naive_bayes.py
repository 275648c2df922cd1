"""Naive Bayes: weighted counts and Gaussians, and the log-likelihoods that follow.

``prior`` holds the log of each class's share of the weight; ``curves`` for each column of numbers
and class the mean, half the inverse variance, and the log of the density there (less a constant of
all classes); ``tables`` for each class the log-probability of each place of a category.

Rows stand by column, in training sorted by class. Missing numbers are NaN, missing places -1.
"""

from typing import NamedTuple

import numpy as np

from nacre.kernels.compile import compiled, vectorised
from nacre.kernels.outputs import say, tally
from nacre.kernels.vectors import add_placed, add_up, scatter

TILE = 512
MEAN, NARROWNESS, HEIGHT = 0, 1, 2


class Rows(NamedTuple):
    """Training rows, sorted by class."""

    numbers: np.ndarray  # (columns, n), in standard units
    places: np.ndarray  # (columns, n)
    firsts: np.ndarray  # where the places of each column begin
    starts: np.ndarray  # where the classes begin
    order: np.ndarray  # the row each one is


@vectorised
def moments(x, w):
    """Mean and variance of the present values; of all rows, 0 and 1, where none has weight."""
    mass, total = 0.0, 0.0
    for i in range(len(x)):
        present = x[i] == x[i]
        mass += w[i] if present else 0.0
        total += w[i] * x[i] if present else 0.0
    if mass == 0.0:
        return 0.0, 1.0
    mean = total / mass
    spread = 0.0
    for i in range(len(x)):
        away = x[i] - mean
        spread += w[i] * away * away if x[i] == x[i] else 0.0
    return mean, spread / mass


@compiled
def fit(rows, w, smoothing, var_smoothing, prior, curves, tables):
    """Fill in a naive Bayes for row weights ``w``, whose sum is the number of rows."""
    whole = add_up(w)
    for k in range(len(prior)):
        start, stop = rows.starts[k], rows.starts[k + 1]
        own = w[start:stop]
        prior[k] = np.log(add_up(own) / whole)
        for j in range(len(rows.numbers)):
            mean, variance = moments(rows.numbers[j, start:stop], own)
            variance += var_smoothing
            curves[j, k, MEAN] = mean
            curves[j, k, NARROWNESS] = 0.5 / variance
            curves[j, k, HEIGHT] = -0.5 * np.log(variance)
        table = tables[k]
        table[:] = smoothing
        for c in range(len(rows.places)):
            scatter(table, own, rows.places[c, start:stop])
            ours = table[rows.firsts[c] : rows.firsts[c + 1]]
            total = add_up(ours)
            for p in range(len(ours)):
                ours[p] = np.log(ours[p] / total)


@vectorised
def add_density(out, x, mean, narrowness, height):
    """Add the log-density of each number that is present."""
    for i in range(len(out)):
        away = x[i] - mean
        out[i] += height - narrowness * away * away if x[i] == x[i] else 0.0


@compiled
def put_out(numbers, places, start, stop, prior, curves, tables, outputs):
    """Log-likelihoods of the rows from ``start`` to ``stop``, by class."""
    for k in range(len(prior)):
        out = outputs[k, : stop - start]
        out[:] = prior[k]
        for j in range(len(numbers)):
            mean, narrowness, height = curves[j, k, 0], curves[j, k, 1], curves[j, k, 2]
            add_density(out, numbers[j, start:stop], mean, narrowness, height)
        for c in range(len(places)):
            add_placed(out, tables[k], places[c, start:stop])


@compiled
def say_all(rows, prior, curves, tables, outputs, said):
    """What a naive Bayes says for the training rows."""
    for start in range(0, len(rows.order), TILE):
        stop = min(start + TILE, len(rows.order))
        put_out(rows.numbers, rows.places, start, stop, prior, curves, tables, outputs)
        say(outputs, rows.order[start:stop], said)


@compiled
def vote_all(numbers, places, prior, curves, tables, votes, outputs, totals):
    """Votes of many, tile by tile."""
    for start in range(0, len(totals), TILE):
        stop = min(start + TILE, len(totals))
        for t in range(len(votes)):
            put_out(numbers, places, start, stop, prior[t], curves[t], tables[t], outputs)
            tally(outputs, votes[t], totals[start:stop])
