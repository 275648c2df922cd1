"""As ``cleanlab.count``: how many labels are wrong, and which become which.

cleanlab's letters: s is the label as given, y the true one. Its ``noise_matrix`` has P(s | y) with
the given label as its row and the true one as its column, the transpose of nacre's;
``inverse_noise_matrix`` has P(y | s), the true label as its row; a joint or ``confident_joint`` has
the given label as its row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from nacre.compat.cleanlab.judgement import as_codes, judged, refuse
from nacre.noise.judge import read_probabilities
from nacre.noise.quality import LabelQuality

Matrices = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def latent(found: LabelQuality) -> Matrices:
    """What cleanlab calls py, noise_matrix, inverse_noise_matrix and confident_joint.

    The prior is the mean posterior of the true class, the noise matrix that of the noise model;
    the others follow.
    """
    prior = found.posterior.mean(axis=0)
    noise = found.noise.matrix.T
    joint = noise * prior
    inverse = (joint / joint.sum(axis=1, keepdims=True)).T
    counts = np.bincount(found.given, minlength=len(prior))
    return prior, noise, inverse, rounded(inverse.T * counts[:, None])


def rounded(counts: np.ndarray) -> np.ndarray:
    """Whole numbers near these, whose rows have the same sums: by largest remainders."""
    whole = np.floor(counts + 1e-9).astype(np.int64)
    for row, line in enumerate(counts - whole):
        left = round(counts[row].sum()) - whole[row].sum()
        whole[row, np.argsort(-line, kind="stable")[:left]] += 1
    return whole


def num_label_issues(
    labels: Any,
    pred_probs: Any,
    *,
    confident_joint: Any = None,
    estimation_method: str = "off_diagonal",
    multi_label: bool = False,
) -> int:
    """How many labels seem to be wrong: ``len(judge_labels(...).suspects)``.

    Parameters
    ----------
    labels : whole numbers from 0, n of them
    pred_probs : array of shape (n, K)
    estimation_method : str
        Makes no difference.
    confident_joint, multi_label
        Are refused.

    Returns
    -------
    int

    Examples
    --------
    >>> import numpy as np
    >>> from nacre.compat.cleanlab.count import num_label_issues
    >>> labels = np.arange(100) % 2
    >>> pred_probs = np.where(labels[:, None] == [0, 1], 0.98, 0.02)
    >>> labels[:10] = 1 - labels[:10]
    >>> 5 <= num_label_issues(labels, pred_probs) <= 10
    True
    """
    refuse(confident_joint=confident_joint, multi_label=multi_label)
    return len(judged(labels, pred_probs).suspects)


def estimate_py_and_noise_matrices_from_probabilities(
    labels: Any,
    pred_probs: Any,
    *,
    thresholds: Any = None,
    converge_latent_estimates: bool = True,
    py_method: str = "cnt",
    calibrate: bool = True,
) -> Matrices:
    """Estimate the prior of the true classes, and how labels go wrong.

    Parameters
    ----------
    labels : whole numbers from 0, n of them
    pred_probs : array of shape (n, K)
        Out-of-fold probabilities.
    thresholds
        Is refused.
    converge_latent_estimates, py_method, calibrate
        Make no difference.

    Returns
    -------
    py : ndarray of shape (K,)
        The prior of the true classes.
    noise_matrix : ndarray of shape (K, K)
        P(given | true), the given label as its row; columns sum to 1. It is nacre's, transposed.
    inverse_noise_matrix : ndarray of shape (K, K)
        P(true | given), the true label as its row; columns sum to 1.
    confident_joint : ndarray of shape (K, K)
        Counts, the given label as its row; rows sum to the number of such labels.

    Examples
    --------
    >>> import numpy as np
    >>> from nacre.compat.cleanlab.count import estimate_py_and_noise_matrices_from_probabilities
    >>> labels = np.arange(100) % 2
    >>> pred_probs = np.where(labels[:, None] == [0, 1], 0.98, 0.02)
    >>> labels[0:10:2] = 1
    >>> found = estimate_py_and_noise_matrices_from_probabilities(labels, pred_probs)
    >>> found[1].sum(axis=0)
    array([1., 1.])
    """
    refuse(thresholds=thresholds)
    return latent(judged(labels, pred_probs))


def estimate_cv_predicted_probabilities(
    X: Any,
    labels: Any,
    clf: Any = None,
    *,
    cv_n_folds: int = 5,
    seed: int | None = None,
    clf_kwargs: dict[str, Any] | None = None,
    validation_func: Any = None,
) -> np.ndarray:
    """Out-of-fold probabilities of a classifier.

    Parameters
    ----------
    X : array or data frame of shape (n, d)
    labels : whole numbers from 0, n of them
    clf : classifier, optional
        Default: scikit-learn's logistic regression, as in cleanlab.
    cv_n_folds : int, default=5
    seed : int or None
        Of the folds.
    clf_kwargs : dict, optional
        For its ``fit``.
    validation_func
        Is refused.

    Returns
    -------
    ndarray of shape (n, K)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from nacre.compat.cleanlab.count import estimate_cv_predicted_probabilities
    >>> X, y = load_iris(return_X_y=True)
    >>> estimate_cv_predicted_probabilities(X, y, GaussianNB(), seed=0).shape
    (150, 3)
    """
    refuse(validation_func=validation_func)
    folds = StratifiedKFold(cv_n_folds, shuffle=True, random_state=seed)
    model = LogisticRegression() if clf is None else clone(clf)
    return cross_val_predict(
        model, X, labels, cv=folds, method="predict_proba", params=clf_kwargs or None
    )


def estimate_py_noise_matrices_and_cv_pred_proba(
    X: Any,
    labels: Any,
    clf: Any = None,
    *,
    cv_n_folds: int = 5,
    thresholds: Any = None,
    converge_latent_estimates: bool = False,
    py_method: str = "cnt",
    seed: int | None = None,
    clf_kwargs: dict[str, Any] | None = None,
    validation_func: Any = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Out-of-fold probabilities of a classifier, and what they say of the labels.

    Parameters
    ----------
    X : array or data frame of shape (n, d)
    labels : whole numbers from 0, n of them
    clf, cv_n_folds, seed, clf_kwargs, validation_func
        As for :func:`estimate_cv_predicted_probabilities`.
    thresholds, converge_latent_estimates, py_method
        As for :func:`estimate_py_and_noise_matrices_from_probabilities`.

    Returns
    -------
    py, noise_matrix, inverse_noise_matrix, confident_joint, pred_probs : ndarrays

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from nacre.compat.cleanlab.count import estimate_py_noise_matrices_and_cv_pred_proba
    >>> X, y = load_iris(return_X_y=True)
    >>> found = estimate_py_noise_matrices_and_cv_pred_proba(X, y, GaussianNB(), seed=0)
    >>> [one.shape for one in found]
    [(3,), (3, 3), (3, 3), (3, 3), (150, 3)]
    """
    chances = estimate_cv_predicted_probabilities(
        X, labels, clf, cv_n_folds=cv_n_folds, seed=seed, clf_kwargs=clf_kwargs,
        validation_func=validation_func,
    )  # fmt: skip
    found = estimate_py_and_noise_matrices_from_probabilities(
        labels, chances, thresholds=thresholds
    )
    return (*found, chances)


def estimate_noise_matrices(
    X: Any,
    labels: Any,
    clf: Any = None,
    *,
    cv_n_folds: int = 5,
    thresholds: Any = None,
    converge_latent_estimates: bool = True,
    seed: int | None = None,
    clf_kwargs: dict[str, Any] | None = None,
    validation_func: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The noise matrix and its inverse, by a classifier's out-of-fold probabilities.

    Parameters
    ----------
    X : array or data frame of shape (n, d)
    labels : whole numbers from 0, n of them
    clf, cv_n_folds, seed, clf_kwargs, validation_func
        As for :func:`estimate_cv_predicted_probabilities`.
    thresholds, converge_latent_estimates
        As for :func:`estimate_py_and_noise_matrices_from_probabilities`.

    Returns
    -------
    noise_matrix, inverse_noise_matrix : ndarrays of shape (K, K)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from nacre.compat.cleanlab.count import estimate_noise_matrices
    >>> X, y = load_iris(return_X_y=True)
    >>> noise_matrix, inverse = estimate_noise_matrices(X, y, GaussianNB(), seed=0)
    >>> noise_matrix.sum(axis=0).round(6)
    array([1., 1., 1.])
    """
    return estimate_py_noise_matrices_and_cv_pred_proba(
        X, labels, clf, cv_n_folds=cv_n_folds, thresholds=thresholds, seed=seed,
        clf_kwargs=clf_kwargs, validation_func=validation_func,
    )[1:3]  # fmt: skip


def estimate_joint(
    labels: Any, pred_probs: Any, *, confident_joint: Any = None, multi_label: bool = False
) -> np.ndarray:
    """P(given, true): the given label as its row; all sum to 1.

    Parameters
    ----------
    labels : whole numbers from 0, n of them
    pred_probs : array of shape (n, K)
    confident_joint, multi_label
        Are refused.

    Returns
    -------
    ndarray of shape (K, K)
        Its rows sum to the shares of the given labels.

    Examples
    --------
    >>> import numpy as np
    >>> from nacre.compat.cleanlab.count import estimate_joint
    >>> labels = np.arange(100) % 2
    >>> pred_probs = np.where(labels[:, None] == [0, 1], 0.98, 0.02)
    >>> labels[0:10:2] = 1
    >>> estimate_joint(labels, pred_probs).sum(axis=1)
    array([0.45, 0.55])
    """
    refuse(confident_joint=confident_joint, multi_label=multi_label)
    found = judged(labels, pred_probs)
    inverse = latent(found)[2]
    shares = np.bincount(found.given, minlength=len(inverse)) / len(found.given)
    out: np.ndarray = inverse.T * shares[:, None]
    return out


def compute_confident_joint(
    labels: Any,
    pred_probs: Any,
    *,
    thresholds: Any = None,
    calibrate: bool = True,
    multi_label: bool = False,
    return_indices_of_off_diagonals: bool = False,
) -> np.ndarray:
    """Counts of given and true labels: the given label as its row.

    Parameters
    ----------
    labels : whole numbers from 0, n of them
    pred_probs : array of shape (n, K)
    calibrate : bool
        Makes no difference: rows sum to the number of such labels in any case.
    thresholds, multi_label, return_indices_of_off_diagonals
        Are refused.

    Returns
    -------
    ndarray of shape (K, K)

    Examples
    --------
    >>> import numpy as np
    >>> from nacre.compat.cleanlab.count import compute_confident_joint
    >>> labels = np.arange(100) % 2
    >>> pred_probs = np.where(labels[:, None] == [0, 1], 0.98, 0.02)
    >>> labels[0:10:2] = 1
    >>> compute_confident_joint(labels, pred_probs).sum(axis=1)
    array([45, 55])
    """
    refuse(
        thresholds=thresholds,
        multi_label=multi_label,
        return_indices_of_off_diagonals=return_indices_of_off_diagonals,
    )
    return latent(judged(labels, pred_probs))[3]


def get_confident_thresholds(labels: Any, pred_probs: Any, multi_label: bool = False) -> np.ndarray:
    """The mean probability of each class among rows that are labelled so: cleanlab's formula.

    Parameters
    ----------
    labels : whole numbers from 0, n of them
    pred_probs : array of shape (n, K)
    multi_label : bool
        Is refused.

    Returns
    -------
    ndarray of shape (K,)
        2 for a class that no row is labelled as.

    Examples
    --------
    >>> from nacre.compat.cleanlab.count import get_confident_thresholds
    >>> get_confident_thresholds([0, 1, 1], [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])
    array([0.9, 0.6])
    """
    refuse(multi_label=multi_label)
    chances = read_probabilities(pred_probs)
    given = as_codes(labels, *chances.shape)
    return np.array(
        [
            chances[given == k, k].mean() if (given == k).any() else 2.0
            for k in range(chances.shape[1])
        ]
    )
