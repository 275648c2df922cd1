"""What a vote filter gets wrong, if its voters err independently of each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import binom


def majority_discards_good(voters: Any, error: Any) -> Any:
    r"""The chance that a majority filter discards a row whose label is right.

    .. math:: \sum_{j > m/2} \binom{m}{j} P^j (1 - P)^{m - j}

    Parameters
    ----------
    voters : int, or array of them
        How many, m.
    error : float from 0 to 1, or array of them
        The chance P that one of them is wrong.

    Returns
    -------
    float or ndarray

    References
    ----------
    .. [1] C. Brodley, M. Friedl, "Identifying mislabeled training data", Journal of Artificial
       Intelligence Research 11, 1999.

    Examples
    --------
    >>> from nacre.filters import majority_discards_good
    >>> round(float(majority_discards_good(3, 0.1)), 3)
    0.028
    """
    m, P = _check(voters, error)
    return binom.sf(m // 2, m, P)


def majority_keeps_bad(voters: Any, error: Any) -> Any:
    r"""The chance that a majority filter keeps a row whose label is wrong (of two classes).

    .. math:: \sum_{j \ge m/2} \binom{m}{j} P^j (1 - P)^{m - j}

    Parameters
    ----------
    voters : int, or array of them
    error : float from 0 to 1, or array of them

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> from nacre.filters import majority_keeps_bad
    >>> round(float(majority_keeps_bad(4, 0.1)), 3)
    0.052
    """
    m, P = _check(voters, error)
    return binom.sf((m + 1) // 2 - 1, m, P)


def consensus_discards_good(voters: Any, error: Any) -> Any:
    r"""The chance that a consensus filter discards a row whose label is right: :math:`P^m`.

    Parameters
    ----------
    voters : int, or array of them
    error : float from 0 to 1, or array of them

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> from nacre.filters import consensus_discards_good
    >>> round(float(consensus_discards_good(3, 0.1)), 3)
    0.001
    """
    m, P = _check(voters, error)
    return P**m


def consensus_keeps_bad(voters: Any, error: Any) -> Any:
    r"""The chance that a consensus filter keeps a wrong label (of two classes).

    .. math:: 1 - (1 - P)^m

    Parameters
    ----------
    voters : int, or array of them
    error : float from 0 to 1, or array of them

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> from nacre.filters import consensus_keeps_bad
    >>> round(float(consensus_keeps_bad(3, 0.1)), 3)
    0.271
    """
    m, P = _check(voters, error)
    return 1.0 - (1.0 - P) ** m


def _check(voters: Any, error: Any) -> tuple[np.ndarray, np.ndarray]:
    m, P = np.asarray(voters), np.asarray(error, float)
    if m.dtype.kind not in "iu" or np.any(m < 1):
        raise ValueError(f"voters must be a whole number from 1 on, got {voters!r}.")
    if not np.all((P >= 0.0) & (P <= 1.0)):
        raise ValueError(f"error must be from 0 to 1, got {error!r}.")
    return m, P
