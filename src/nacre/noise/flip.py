"""Make labels wrong, on purpose."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def flip_labels(y: Any, rate: float, random_state: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Give a share of the rows another label, each other class as likely.

    Exactly ``round(rate * n)`` rows are flipped, drawn without replacement.

    Parameters
    ----------
    y : labels, n of them
    rate : float from 0 to 1
    random_state : int, RandomState or None

    Returns
    -------
    labels : ndarray
        A copy of the labels, some of them wrong.
    flipped : ndarray of bool
        Which.

    Examples
    --------
    >>> from nacre.noise import flip_labels
    >>> labels, flipped = flip_labels(["cat"] * 5 + ["dog"] * 5, rate=0.2, random_state=0)
    >>> int(flipped.sum())
    2
    """
    labels = np.array(y)
    if labels.ndim != 1:
        raise ValueError(f"y must be 1D, got {labels.ndim}D: one label per row.")
    if not 0.0 <= rate <= 1.0:
        raise ValueError(f"rate must be from 0 to 1, got {rate!r}.")
    classes, codes = np.unique(labels, return_inverse=True)
    flipped = np.zeros(len(labels), bool)
    count = round(rate * len(labels))
    if count == 0:
        return labels, flipped
    if len(classes) < 2:
        raise ValueError("y has one class only: there is no other label to flip to.")
    rng = check_random_state(random_state)
    rows = rng.permutation(len(labels))[:count]
    flipped[rows] = True
    labels[rows] = classes[(codes[rows] + rng.randint(1, len(classes), count)) % len(classes)]
    return labels, flipped
