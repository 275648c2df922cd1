"""How much a model's predictions need each column, wrong labels allowed for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.inspection import permutation_importance
from sklearn.utils.validation import check_is_fitted

from nacre.diagnostics.ensemble import as_codes

if TYPE_CHECKING:
    from sklearn.utils import Bunch

LEAST = 1e-3
"""Smaller probabilities count as this: no single label decides."""


def permutation_importances(
    model: Any,
    X: Any,
    y: Any,
    *,
    noise_matrix: Any = None,
    sample_weight: Any = None,
    n_repeats: int = 5,
    random_state: Any = None,
) -> Bunch:
    r"""Permutation importances by the forward-corrected log loss.

    By how much the loss of the labels rises when the values of a column are shuffled. With noise
    matrix T and probabilities p of the true classes it is

    .. math:: -\log \sum_k p_k(x)\, T_{k y},

    the loss of the label as it came, so that a wrong one does not count against a model that is
    right [1]_. ``feature_importances_`` of stumps and trees favour columns of many values, in which
    there is always some split that gains a little: a column of random numbers has some of them, and
    none here, if the rows are held out.

    Parameters
    ----------
    model : fitted classifier
        Of any package.
    X : array or pandas frame of shape (n, d)
        Rows that the model was not fitted to.
    y : labels, n of them
        May be wrong.
    noise_matrix : array of shape (K, K), optional
        The chance that a row of one class (its row) is labelled as another (its column). Default
        ``model.noise_matrix_`` where there is one, else no noise: an ordinary classifier that was
        fitted to noisy labels says the probabilities of noisy labels.
    sample_weight : weights of the rows, optional
        Such as the quality of their labels.
    n_repeats : int, default=5
        How often each column is shuffled.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    Bunch
        As of scikit-learn's ``permutation_importance``: ``importances_mean``, ``importances_std``
        and ``importances``, in nats a row.

    References
    ----------
    .. [1] G. Patrini, A. Rozza, A. Menon, R. Nock, L. Qu, "Making deep neural networks robust to
       label noise: a loss correction approach", CVPR 2017.
    .. [2] L. Breiman, "Random forests", Machine Learning 45, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from nacre import GradientBoostClassifier
    >>> from nacre.diagnostics import permutation_importances
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> model = GradientBoostClassifier().fit(X[::2], X[::2, 0] > 0)
    >>> found = permutation_importances(model, X[1::2], X[1::2, 0] > 0, random_state=0)
    >>> found.importances_mean.round() + 0.0
    array([3., 0.])
    """
    check_is_fitted(model)
    codes = as_codes(model, y, len(y))
    matrix = getattr(model, "noise_matrix_", None) if noise_matrix is None else noise_matrix
    matrix = _as_matrix(matrix, len(model.classes_))

    def score(fitted: Any, rows: Any, told: Any, sample_weight: Any = None) -> float:
        return -noisy_log_loss(fitted.predict_proba(rows), told, matrix, sample_weight)

    return permutation_importance(
        model, X, codes, scoring=score, n_repeats=n_repeats, random_state=random_state,
        sample_weight=sample_weight,
    )  # fmt: skip


def noisy_log_loss(
    chances: np.ndarray, codes: np.ndarray, matrix: np.ndarray, weight: Any = None
) -> float:
    """The mean log loss of labels that are the true ones through a noise matrix."""
    said = (chances @ matrix)[np.arange(len(codes)), codes]
    return float(-np.average(np.log(np.maximum(said, LEAST)), weights=weight))


def _as_matrix(matrix: Any, n_classes: int) -> np.ndarray:
    if matrix is None:
        return np.eye(n_classes)
    array = np.asarray(matrix, float)
    if array.shape != (n_classes, n_classes) or not np.allclose(array.sum(axis=1), 1.0):
        raise ValueError(
            f"noise_matrix must be of shape {(n_classes, n_classes)}, its rows of sum 1."
        )
    if np.any(array < 0.0):
        raise ValueError("noise_matrix must hold probabilities, got some below 0.")
    return array
