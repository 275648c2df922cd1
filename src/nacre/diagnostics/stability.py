"""How much one training row can matter: algorithmic stability, and what follows from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nacre.data.check import check_number, check_whole


class Stability(NamedTuple):
    """That of a learner: replacing a row changes no error by more than beta.

    Attributes
    ----------
    log_beta : float
        The log of beta, which is beyond any number for some tens of rounds.
    delta : float
        The probability that it is not so.
    """

    log_beta: float
    delta: float


def boosting_stability(
    n: int,
    rounds: int,
    least_error: float,
    *,
    base_stability: float = 0.0,
    averaged: bool = False,
) -> Stability:
    r"""Stability of AdaBoost (Kutin and Niyogi) or of AveBoost2 (Oza's theorem 3).

    For base models of L1-stability :math:`\lambda` whose weighted errors all exceed
    :math:`\epsilon_*`, and n rows,

    .. math::

        \beta = \frac{2}{n} \sum_{t=1}^T \frac{2^{t^2 + 1} (\lambda + 1)^t}{\epsilon_*^{2t - 1}},
        \qquad
        \beta' = \frac{2}{n} \sum_{t=1}^T 2^{3t - 2} \Bigl(\frac{(\lambda + 1)\,t}{\epsilon_*}
        \Bigr)^t, \qquad \delta = e^{-n \epsilon_*^2 / 2},

    the second of AveBoost2. Both say nothing, as they exceed 1, from two or three rounds on.

    Parameters
    ----------
    n : int
        Training rows.
    rounds : int
    least_error : float above 0 and below 1/2
    base_stability : float, default=0.0
        0 is more stable than any learner that learns: a least value of beta.
    averaged : bool, default=False
        AveBoost2 rather than AdaBoost.

    Returns
    -------
    Stability

    References
    ----------
    .. [1] S. Kutin, P. Niyogi, "The interaction of stability and weakness in AdaBoost", report
       TR-2001-30, University of Chicago, 2001.
    .. [2] N. Oza, "AveBoost2: Boosting for noisy data", Multiple Classifier Systems, 2004.

    Examples
    --------
    >>> from nacre.diagnostics import boosting_stability
    >>> one, other = (boosting_stability(1000, 5, 0.1, averaged=a) for a in (False, True))
    >>> round(one.log_beta, 1), round(other.log_beta, 1)
    (32.5, 22.4)
    """
    check_whole(n, "n", 1)
    check_whole(rounds, "rounds", 1)
    check_number(least_error, "least_error")
    check_number(base_stability, "base_stability", zero=True)
    if least_error >= 0.5:
        raise ValueError(f"least_error must be below 1/2, got {least_error!r}.")
    t = np.arange(1.0, rounds + 1.0)
    grown, shrunk = np.log(base_stability + 1.0), np.log(least_error)
    if averaged:
        logs = (3.0 * t - 2.0) * np.log(2.0) + t * (grown + np.log(t) - shrunk)
    else:
        logs = (t**2 + 1.0) * np.log(2.0) + t * grown - (2.0 * t - 1.0) * shrunk
    log_beta = np.log(2.0 / n) + np.logaddexp.reduce(logs)
    return Stability(float(log_beta), float(np.exp(-n * least_error**2 / 2.0)))


def stability_bound(stability: Stability, n: int, gap: float) -> float:
    r"""The probability, at most, that training and test error differ by more than ``gap``.

    .. math::

        2 \exp\Bigl(\frac{-\tau^2 n}{2 (2 n \beta + 1)^2}\Bigr)
        + \frac{4 n^2 \delta}{2 n \beta + 1}, \qquad \tau = \text{gap} - \beta - \delta,

    cut off at 1, which it is where :math:`\tau \le 0` (Kutin and Niyogi; Oza's theorem 2).

    Parameters
    ----------
    stability : Stability
    n : int
        Training rows.
    gap : float above 0

    Returns
    -------
    float

    Examples
    --------
    >>> from nacre.diagnostics import Stability, stability_bound
    >>> round(stability_bound(Stability(log_beta=-12.0, delta=0.0), n=1000, gap=0.1), 4)
    0.0152
    """
    check_whole(n, "n", 1)
    check_number(gap, "gap")
    if stability.log_beta >= np.log(gap):
        return 1.0
    beta = float(np.exp(stability.log_beta))
    spread = 2.0 * n * beta + 1.0
    rest = gap - beta - stability.delta
    if rest <= 0.0:
        return 1.0
    bound = 2.0 * np.exp(-(rest**2) * n / (2.0 * spread**2)) + 4.0 * n**2 * stability.delta / spread
    return float(min(bound, 1.0))
