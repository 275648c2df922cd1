"""The region of a row: all points of its label that can be reached without crossing another."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.ndimage import label

from nacre.data import read_rows
from nacre.diagnostics.volumes import splits, thresholds_by_column
from nacre.learners.branches import Trees
from nacre.learners.stump import Stumps

MOST_CELLS = 20_000_000


def region_volumes(model: Any, X: Any, *, pad: float = 0.01) -> np.ndarray:
    """Log volumes of the connected regions of one label in which the rows lie.

    Chan's decision volume as he defines it: the region around a row within which the ensemble keeps
    its label, any two points of which a path within it connects. Thresholds cut the box of the rows
    into cells of one label each; cells that share a face and a label belong together. There are as
    many cells as the product of the columns' thresholds, so this is for two or three columns;
    :func:`decision_volumes` looks along the axes only, for any number of them.

    Parameters
    ----------
    model : fitted voting booster of nacre with native stumps or trees, on columns of numbers
    X : array of shape (n, d), d small
    pad : float above 0, default=0.01
        How far the box reaches beyond the rows, in units of a column's range.

    Returns
    -------
    ndarray of shape (n,)
        Logs of volumes in units of the columns' ranges.

    References
    ----------
    .. [1] J. Chan, "On boosting and noisy labels", MEng thesis, MIT, 2015; section 3.3.

    Examples
    --------
    >>> import numpy as np
    >>> from nacre import AdaBoostClassifier
    >>> from nacre.diagnostics import region_volumes
    >>> X, y = [[0.0], [1.0], [2.0], [10.0]], ["a", "a", "b", "b"]
    >>> model = AdaBoostClassifier(n_estimators=1).fit(X, y)
    >>> np.exp(region_volumes(model, X)).round(2)  # cut at 1.5, box from -.1 to 10.1
    array([0.16, 0.16, 0.86, 0.86])
    """
    found = getattr(model, "estimators_", None)
    if not isinstance(found, Stumps | Trees) or found.categories:
        raise TypeError(
            "Regions are of fitted voting boosters of nacre with native stumps or trees on columns "
            f"of numbers, got {model!r}."
        )
    rows = np.asarray(read_rows(model, X), float)
    if np.isnan(rows).any():
        raise ValueError("Regions are not defined for rows with missing values.")
    low, high = rows.min(axis=0), rows.max(axis=0)
    unit = np.where(high > low, high - low, 1.0)
    low, high = low - pad * unit, high + pad * unit
    _, feature, threshold = splits(found)
    every = thresholds_by_column(feature, threshold, rows.shape[1])
    cuts = [own[(own > a) & (own < b)] for own, a, b in zip(every, low, high, strict=True)]
    shape = [len(own) + 1 for own in cuts]
    if np.prod(shape, dtype=float) > MOST_CELLS:
        raise ValueError(
            f"The thresholds make {np.prod(shape, dtype=float):.2g} cells: regions are for two or "
            "three columns; use decision_volumes."
        )
    edges = [np.concatenate([[a], own, [b]]) for own, a, b in zip(cuts, low, high, strict=True)]
    centres = np.meshgrid(*((one[:-1] + one[1:]) / 2 for one in edges), indexing="ij")
    said = model.predict(np.column_stack([one.ravel() for one in centres])).reshape(shape)
    volume = np.ones(shape)
    for j, one in enumerate(edges):
        sides = np.diff(one) / unit[j]
        volume *= sides.reshape([-1 if k == j else 1 for k in range(len(edges))])
    place = tuple(np.searchsorted(own, column) for own, column in zip(cuts, rows.T, strict=True))
    out = np.empty(len(rows))
    for one in model.classes_:
        region, count = label(said == one)
        totals = np.bincount(region.ravel(), volume.ravel(), count + 1)
        mine = said[place] == one
        out[mine] = np.log(totals[region[place][mine]])
    return out
