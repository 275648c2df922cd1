"""What diagnostics read off a fitted ensemble, and how they take their input."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples, check_is_fitted

from nacre.data import as_labels, read_rows


def hits(model: Any, X: Any, y: Any) -> np.ndarray:
    """Where each weak hypothesis is right: +1, and where it is wrong: -1.

    Most diagnostics are functions of this table and of the votes.

    Parameters
    ----------
    model : fitted booster
        One of nacre, or scikit-learn's ``AdaBoostClassifier``: anything whose ``estimators_`` vote
        for classes with ``estimator_weights_``.
    X : array or data frame of shape (n, d)
    y : labels, n of them

    Returns
    -------
    int8 array of shape (rounds, n)

    Examples
    --------
    >>> from nacre import AdaBoostClassifier
    >>> from nacre.diagnostics import hits
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "a"]
    >>> hits(AdaBoostClassifier(n_estimators=2).fit(X, y), X, y)
    array([[ 1,  1,  1, -1],
           [-1,  1, -1,  1]], dtype=int8)
    """
    if not hasattr(model, "estimators_"):
        check_is_fitted(model)
    if not hasattr(model, "estimator_weights_"):
        raise TypeError(
            f"model must be a booster whose hypotheses vote, got {type(model).__name__}: "
            "it has no estimator_weights_."
        )
    codes = as_codes(model, y, _num_samples(X))
    hypotheses = model.estimators_
    if hasattr(hypotheses, "said_by_each"):
        said = hypotheses.said_by_each(read_rows(model, X))
    else:
        said = (np.searchsorted(model.classes_, one.predict(X)) for one in hypotheses)
    table = np.empty((len(hypotheses), len(codes)), np.int8)
    for t, one in enumerate(said):
        table[t] = np.where(one == codes, 1, -1)
    return table


def as_codes(model: Any, y: Any, n: int) -> np.ndarray:
    """Read the labels of ``n`` rows as places in the model's ``classes_``."""
    labels = as_labels(y, n)
    if not np.all(np.isin(labels, model.classes_)):
        raise ValueError("y must hold labels of classes_ only.")
    return np.searchsorted(model.classes_, labels)


def as_hits(table: Any) -> np.ndarray:
    """Read a table of hits."""
    array = np.asarray(table)
    if array.ndim != 2:
        raise ValueError(
            f"hits must be a table of shape (rounds, rows), got {array.ndim} dimension(s): "
            "nacre.diagnostics.hits makes one."
        )
    if not np.all(np.abs(array) == 1):
        raise ValueError("hits must be +1 (right) or -1 (wrong) everywhere.")
    return array


def as_numbers(values: Any, name: str, length: int | None = None) -> np.ndarray:
    """Read a list of finite numbers, of a given length where there is one."""
    array = np.asarray(values, float)
    if array.ndim != 1 or (length is not None and len(array) != length):
        wanted = "" if length is None else f" of {length}"
        raise ValueError(f"{name} must be a list{wanted}, got an array of shape {array.shape}.")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} contains NaN or infinity: leave them out, or replace them.")
    return array


def as_mislabeled(mislabeled: Any, n: int) -> np.ndarray:
    """Read a mask of ``n`` rows that leaves rows on both sides."""
    mask = np.asarray(mislabeled)
    if mask.dtype != bool or mask.shape != (n,):
        raise ValueError(f"mislabeled must be a boolean mask of {n} rows.")
    if mask.all() or not mask.any():
        raise ValueError("mislabeled must mark some rows, and leave others.")
    return mask


def pick_rounds(rounds: Any, count: int) -> tuple[np.ndarray, bool]:
    """The rounds asked for, counted from 1, and whether a single one was."""
    if count == 0:
        raise ValueError("The ensemble is empty: there are no rounds to look at.")
    if rounds is None:
        return np.arange(1, count + 1), False
    chosen = np.atleast_1d(rounds)
    whole = chosen.ndim == 1 and chosen.dtype.kind in "iu"
    if not whole or not np.all((np.abs(chosen) <= count) & (chosen != 0)):
        raise ValueError(
            f"rounds must be whole numbers from 1 to {count} (or -1 for the last, and so on), "
            f"got {rounds!r}."
        )
    return np.where(chosen < 0, chosen + count + 1, chosen), np.ndim(rounds) == 0
