"""Artificial data of the papers. Labels are -1 and 1 and right: nacre.noise makes them wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from nacre.data.check import check_share, check_whole


def make_ring(n_samples: int = 100, *, random_state: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Points of the unit square: 1 within a circle about its centre, -1 outside.

    The circle's radius is :math:`\\sqrt{1/8}`, so that it holds :math:`\\pi/8` of the square.

    Parameters
    ----------
    n_samples : int, default=100
    random_state : int, RandomState or None, default=None

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of -1 and 1

    References
    ----------
    .. [1] J. Barnes, "Capacity control in boosting using a p-convex hull", honours thesis,
       Australian National University, 1999, appendix C.1.

    Examples
    --------
    >>> from nacre.datasets import make_ring
    >>> X, y = make_ring(10_000, random_state=0)
    >>> round(float((y == 1).mean()), 1)
    0.4
    """
    rng = _rng(n_samples, random_state)
    X = rng.uniform(size=(n_samples, 2))
    return X, np.where(((X - 0.5) ** 2).sum(axis=1) <= 0.125, 1, -1)


def make_sine(n_samples: int = 300, *, random_state: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Points of the square from -4 to 4: the sign of :math:`x_2 - 3 \\sin x_1`.

    Parameters
    ----------
    n_samples : int, default=300
    random_state : int, RandomState or None, default=None

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of -1 and 1

    References
    ----------
    .. [1] N. Sano, H. Suzuki, M. Koda, "A robust ensemble learning using zero-one loss function",
       Journal of the Operations Research Society of Japan 50, 2007, section 5.1.

    Examples
    --------
    >>> from nacre.datasets import make_sine
    >>> X, y = make_sine(5, random_state=0)
    >>> y
    array([ 1, -1,  1,  1,  1])
    """
    rng = _rng(n_samples, random_state)
    X = rng.uniform(-4.0, 4.0, (n_samples, 2))
    return X, np.where(X[:, 1] > 3.0 * np.sin(X[:, 0]), 1, -1)


def make_sphere(
    n_samples: int = 1000, *, n_features: int = 5, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Normal points: 1 where they lie further out than the median of all, else -1.

    The median is that of the points drawn, so draw training and test rows together.

    Parameters
    ----------
    n_samples : int, default=1000
    n_features : int, default=5
    random_state : int, RandomState or None, default=None

    Returns
    -------
    X : ndarray of shape (n, n_features)
    y : ndarray of -1 and 1

    References
    ----------
    .. [1] N. Sano, H. Suzuki, M. Koda, "A robust ensemble learning using zero-one loss function",
       Journal of the Operations Research Society of Japan 50, 2007, section 5.2.

    Examples
    --------
    >>> from nacre.datasets import make_sphere
    >>> X, y = make_sphere(2000, random_state=0)
    >>> X.shape, int(y.sum())
    ((2000, 5), 0)
    """
    check_whole(n_features, "n_features", 1)
    rng = _rng(n_samples, random_state)
    X = rng.normal(size=(n_samples, n_features))
    squares = (X**2).sum(axis=1)
    return X, np.where(squares > np.median(squares), 1, -1)


def make_bernoulli(
    n_samples: int = 1000, *, chance: float = 0.7, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Points of the square from -1 to 1 whose labels are 1 with the same chance everywhere.

    Parameters
    ----------
    n_samples : int, default=1000
    chance : float from 0 to 1, default=0.7
    random_state : int, RandomState or None, default=None

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of -1 and 1

    References
    ----------
    .. [1] M. Weil, "Stage apprentissage statistique", report, Ecole polytechnique, 2015,
       section 5.

    Examples
    --------
    >>> from nacre.datasets import make_bernoulli
    >>> X, y = make_bernoulli(chance=0.9, random_state=0)
    >>> round(float((y == 1).mean()), 1)
    0.9
    """
    check_share(chance, "chance")
    rng = _rng(n_samples, random_state)
    X = rng.uniform(-1.0, 1.0, (n_samples, 2))
    return X, np.where(rng.uniform(size=n_samples) < chance, 1, -1)


def make_random_labels(
    n_samples: int = 1000, *, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Points of the square from -1 to 1 whose labels are a coin's: nothing can be learned.

    Parameters
    ----------
    n_samples : int, default=1000
    random_state : int, RandomState or None, default=None

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of -1 and 1

    References
    ----------
    .. [1] M. Weil, "Stage apprentissage statistique", report, Ecole polytechnique, 2015,
       section 4.3.

    Examples
    --------
    >>> from nacre.datasets import make_random_labels
    >>> X, y = make_random_labels(6, random_state=0)
    >>> y
    array([-1, -1,  1,  1,  1, -1])
    """
    return make_bernoulli(n_samples, chance=0.5, random_state=random_state)


def _rng(n_samples: int, random_state: Any) -> np.random.RandomState:
    check_whole(n_samples, "n_samples", 1)
    return check_random_state(random_state)
