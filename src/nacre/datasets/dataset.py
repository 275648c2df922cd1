"""A data set as one numeric matrix that still knows its categories and gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of features and its labels.

    One float matrix serves every learner, with or without pandas: a category is the number of its
    name in ``levels``, a gap is NaN. Pass ``categorical`` on as ``categorical_features``.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n, d)
    y : ndarray of n labels
        Text, or whole numbers where all labels are.
    features : names of the columns
    categorical : numbers of the columns that hold categories
    levels : of each of those, the names of its categories

    Examples
    --------
    >>> from nacre import AdaBoostClassifier
    >>> from nacre.datasets import load
    >>> data = load("car")
    >>> data.X.shape, data.features[0], data.levels[0]
    ((1728, 6), 'buying', ('high', 'low', 'med', 'vhigh'))
    >>> model = AdaBoostClassifier(categorical_features=data.categorical)
    >>> round(model.fit(data.X, data.y).score(data.X, data.y), 2)
    0.86
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    features: tuple[str, ...]
    categorical: tuple[int, ...]
    levels: dict[int, tuple[str, ...]]


def from_text(
    name: str, features: Sequence[str], rows: Sequence[Sequence[str]], labels: Sequence[str]
) -> Dataset:
    """A data set from text: a column is of numbers where all its values are, empty is missing."""
    X = np.empty((len(rows), len(features)))
    levels = {}
    for j, column in enumerate(zip(*rows, strict=True)):
        try:
            X[:, j] = [float(value) if value else np.nan for value in column]
        except ValueError:
            levels[j] = tuple(sorted(set(column) - {""}))
            code = {value: float(k) for k, value in enumerate(levels[j])} | {"": np.nan}
            X[:, j] = [code[value] for value in column]
    try:
        y = np.array([int(label) for label in labels])
    except ValueError:
        y = np.array(labels)
    return Dataset(name, X, y, tuple(features), tuple(levels), levels)
