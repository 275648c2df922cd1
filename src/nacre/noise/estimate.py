"""How wrong are the labels?"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples

from nacre.data import TrainingRows, as_groups, as_mask
from nacre.data.features import as_matrix
from nacre.data.target import as_target
from nacre.data.training import as_it_is, refuse_infinite
from nacre.noise.neighbors import Neighbors
from nacre.noise.outoffold import OutOfFold
from nacre.noise.quality import NoiseRate


def estimate_noise_rate(
    X: Any,
    y: Any,
    *,
    clean: Any = None,
    method: Neighbors | OutOfFold | None = None,
    categorical_features: Any = None,
    groups: Any = None,
    random_state: Any = None,
) -> NoiseRate:
    """Estimate how many labels are wrong.

    Parameters
    ----------
    X : array or data frame of shape (n, d)
        Numbers; NaN is a missing value. Columns named in ``categorical_features``, and those of a
        data frame with a categorical type, hold categories.
    y : labels, n of them
        Text, whole numbers or booleans.
    clean : boolean mask of n rows, optional
        The rows whose labels are trusted, drawn at random. The rate is then that of the others.
    method : Neighbors or OutOfFold, optional
        :class:`OutOfFold`, the default, compares the labels with a cross-validated model's
        confidence and needs no clean rows, but makes good use of them. :class:`Neighbors` asks
        the neighbours of clean rows (Weil's estimate), and has a curve over their number.
    categorical_features : columns (numbers, names or a mask), optional
        Columns that hold categories, unless an estimator of your own reads the table.
    groups : the group of each row, optional
        Rows of a group, such as the visits of a patient, are held out together, as copies of a row
        are. Not for :class:`Neighbors`.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    NoiseRate
        Its ``rate``, ``interval`` and ``matrix``, whether it is ``settled`` that labels are wrong,
        and if not, how many random ``rows_to_check``; of neighbours also the ``curve`` and
        ``n_neighbors``.

    See Also
    --------
    nacre.noise.flip_labels : Make labels wrong, on purpose.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre.noise import Neighbors, estimate_noise_rate, flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, _ = flip_labels(y, 0.2, random_state=0)
    >>> found = estimate_noise_rate(X, labels, random_state=0)
    >>> round(found.rate, 1)
    0.2
    >>> clean = np.arange(len(y)) % 4 == 0
    >>> labels, _ = flip_labels(y, 0.2, clean=clean, random_state=0)
    >>> print(estimate_noise_rate(X, labels, clean=clean, method=Neighbors(), random_state=0))
    19.0% of the labels are wrong (95% interval 14.6% to 23.4%)
    """
    method = OutOfFold() if method is None else method
    if not isinstance(method, (Neighbors, OutOfFold)):
        raise TypeError(f"method must be Neighbors or OutOfFold, got {method!r}.")
    if groups is not None and isinstance(method, Neighbors):
        raise ValueError("Neighbors knows no groups: use OutOfFold, or leave them out.")
    if method.native:
        table, layout = as_matrix(X, categorical_features)
        refuse_infinite(table)
        categorical = layout.categorical
    else:
        table, categorical = as_it_is(X), ()
    n = _num_samples(table)
    target = as_target(y, None, n)
    trusted = np.zeros(n, bool) if clean is None else as_mask(clean, n)
    if clean is not None and not trusted.any():
        raise ValueError(
            "clean marks no row: leave it out, or mark the rows whose labels you trust."
        )
    if trusted.all():
        raise ValueError("clean marks every row: there is no label whose rate could be estimated.")
    training = TrainingRows(
        table,
        target.codes,
        len(target.classes),
        target.weight,
        categorical=categorical,
        n_given=n,
        groups=None if groups is None else as_groups(groups, n),
    )
    return method.estimate(training, target.classes, trusted, check_random_state(random_state))
