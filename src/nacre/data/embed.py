"""Rows as points: where distances between rows are needed."""

from __future__ import annotations

import numpy as np

from nacre.data.standardize import fit_standardizer
from nacre.data.training import TrainingRows


def coordinates(training: TrainingRows) -> tuple[np.ndarray, np.ndarray]:
    """Numbers in standard units, missing ones at the mean, and places of categories (gaps -1).

    Arrays of shapes (n, p) and (n, q).
    """
    numbers, places = fit_standardizer(training, 0.0).read(training.X)
    return np.ascontiguousarray(numbers.T), np.ascontiguousarray(places.T)


def embed(training: TrainingRows) -> np.ndarray:
    """Points whose squared distance adds standardised differences and 1 per differing category.

    Categories are one-hot encoded, each indicator times the root of 1/2.
    """
    numbers, places = coordinates(training)
    flags = [column[:, None] == np.unique(column) for column in places.T]
    points = np.hstack([numbers, *(np.sqrt(0.5) * one for one in flags)])
    return points if points.shape[1] else np.zeros((len(points), 1))
