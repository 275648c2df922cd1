"""What theory promises: bounds on the training error, and on the error of rows to come."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nacre.diagnostics.ensemble import as_numbers


def adaboost_bound(errors: Any) -> np.ndarray:
    r"""AdaBoost's bound on its training error, after each round.

    .. math::

        \prod_{s \le t} 2 \sqrt{\epsilon_s (1 - \epsilon_s)},

    which is also the mean of :math:`e^{-z}` over the training rows. Holds for two classes and for
    M1 with a learning rate of 1; SAMME with three classes or more has none.

    Parameters
    ----------
    errors : numbers from 0 to 1
        Weighted errors of the hypotheses in their rounds: ``estimator_errors_``.

    Returns
    -------
    ndarray, one number per round

    References
    ----------
    .. [1] Y. Freund, R. Schapire, "A decision-theoretic generalization of on-line learning and an
       application to boosting", Journal of Computer and System Sciences 55, 1997.

    Examples
    --------
    >>> from nacre.diagnostics import adaboost_bound
    >>> adaboost_bound([0.1, 0.2, 0.5])
    array([0.6 , 0.48, 0.48])
    """
    return np.cumprod(2.0 * np.sqrt(_evenness(errors)))


def aveboost2_bound(errors: Any) -> np.ndarray:
    r"""AveBoost2's bound on its training error, after each round.

    .. math::

        \prod_{s \le t} (s + 1) \Bigl/ \sqrt{s^2
        + \frac{s}{2 \epsilon_s (1 - \epsilon_s)} + \frac{1}{4 \epsilon_s (1 - \epsilon_s)}},

    never below AdaBoost's for the same errors: the price of averaged weights.

    Parameters
    ----------
    errors : numbers from 0 to 1
        Weighted errors of the hypotheses in their rounds: ``estimator_errors_``.

    Returns
    -------
    ndarray, one number per round

    References
    ----------
    .. [1] N. Oza, "AveBoost2: boosting for noisy data", Multiple Classifier Systems, 2004;
       theorem 1.

    Examples
    --------
    >>> from nacre.diagnostics import aveboost2_bound
    >>> aveboost2_bound([0.1, 0.2, 0.5]).round(3)
    array([0.655, 0.571, 0.571])
    """
    even = 4.0 * _evenness(errors)
    t = np.arange(1, len(even) + 1)
    # Theorem 1 with the fraction expanded, so that an error of 0 divides nothing.
    return np.cumprod((t + 1) * np.sqrt(even / (t**2 * even + 2 * t + 1)))


class Bound(NamedTuple):
    """A bound on the error of rows to come.

    Attributes
    ----------
    empirical : ndarray
        What is seen in the training rows.
    confidence : ndarray
        What must be allowed for.
    total : ndarray
        Their sum. Above 1 it says nothing.
    """

    empirical: np.ndarray
    confidence: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """Their sum. Above 1 it says nothing."""
        return self.empirical + self.confidence


def vc_bound(
    error: Any, n: int, dimension: float, *, delta: float = 0.05, constant: float = 1.0
) -> Bound:
    r"""The bound by the Vapnik-Chervonenkis dimension d, with probability 1 - delta.

    .. math::

        \hat R + \sqrt{\frac{c}{n} \left( d + \ln \frac1\delta \right)}.

    For a vote of T hypotheses Freund and Schapire took T times the dimension of one: by that bound
    boosting should overfit as it goes on, which it does less than it says.

    Parameters
    ----------
    error : number or array
        Training error.
    n : int
        Training rows.
    dimension : float
        VC dimension of the hypotheses; that of stumps on k columns is at most k + 1.
    delta : float between 0 and 1, default=0.05
    constant : float, default=1.0
        c: the theorem only says that there is one, so compare bounds rather than trust their size.

    Returns
    -------
    Bound
        ``empirical``, ``confidence``, and their sum ``total``.

    References
    ----------
    .. [1] J. Barnes, "Capacity control in boosting using a p-convex hull", ANU, 1999; theorem 2.

    Examples
    --------
    >>> from nacre.diagnostics import vc_bound
    >>> vc_bound(0.05, n=1000, dimension=3).total.round(3)
    np.float64(0.127)
    """
    _check(n, dimension, delta, constant)
    empirical = np.asarray(error, float)
    if not np.all((empirical >= 0) & (empirical <= 1)):
        raise ValueError("error must be from 0 to 1.")
    return _bound(empirical, constant / n * (dimension + np.log(1 / delta)))


def margin_bound(
    margins: Any, threshold: Any, dimension: float, *, delta: float = 0.05, constant: float = 1.0
) -> Bound:
    r"""The margin bound of Schapire et al., with probability 1 - delta, whatever the rounds.

    .. math::

        \hat P(\text{margin} \le \gamma) + \sqrt{\frac{c}{n}
        \left( \frac{d \ln^2 (n / d)}{\gamma^2} + \ln \frac1\delta \right)}.

    A larger threshold makes the first term larger and the second smaller. It explains why the test
    error may fall after the training error is 0; its size is far above any error seen in practice.

    Parameters
    ----------
    margins : n numbers
        Normalised margins of the training rows in one round, by the 1-norm of the votes.
    threshold : number or array, above 0 and up to 1
        :math:`\gamma`; one bound for each.
    dimension : float
        VC dimension of the weak hypotheses, below n; that of stumps on k columns is at most k + 1.
    delta : float between 0 and 1, default=0.05
    constant : float, default=1.0
        c: the theorem only says that there is one.

    Returns
    -------
    Bound
        ``empirical``, ``confidence``, and their sum ``total``.

    References
    ----------
    .. [1] R. Schapire, Y. Freund, P. Bartlett, W. S. Lee, "Boosting the margin", Annals of
       Statistics 26, 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from nacre.diagnostics import margin_bound
    >>> bound = margin_bound(np.linspace(-0.1, 1, 5000), threshold=[0.1, 0.5], dimension=3)
    >>> bound.empirical.round(2), bound.confidence.round(2)
    (array([0.18, 0.55]), array([1.82, 0.36]))
    """
    empirical, gamma, n = _margin_risk(margins, threshold, 1.0)
    _check(n, dimension, delta, constant)
    if dimension >= n:
        raise ValueError(f"dimension must be below the number of rows, {n}, got {dimension!r}.")
    spread = dimension * (np.log(n / dimension) / gamma) ** 2
    return _bound(empirical, constant / n * (spread + np.log(1 / delta)))


def hull_bound(
    margins: Any,
    threshold: Any,
    dimension: float,
    *,
    p: float = 1.0,
    delta: float = 0.05,
    constant: float = 1.0,
) -> Bound:
    r"""Barnes' bound over the p-convex hull, with probability of about 1 - delta.

    .. math::

        \hat P(\text{margin} \le \gamma) + \sqrt{\frac8n \left( c\, d
        \left(\tfrac2\gamma\right)^{2p / (2 - p)} \ln \tfrac2\gamma + \ln \tfrac2\delta \right)}.

    A smaller p makes the second term smaller: the reason for p-boosting. It is an approximation,
    as the covering numbers are. (The thesis mixes logarithms and drops a ln 2; this is what its
    parts give.)

    Parameters
    ----------
    margins : n numbers
        Margins of the training rows in one round, by the p-norm of the votes:
        ``margins(hits, votes, rounds=-1, p=p)``.
    threshold : number or array, above 0 and below 1/2
        :math:`\gamma`; one bound for each.
    dimension : float
        d: covers of the weak hypotheses at scale e grow as (1/e)^d.
    p : float above 0 and below 2, default=1.0
    delta : float between 0 and 1, default=0.05
    constant : float, default=1.0
        c(p): the theorem only says that there is one.

    Returns
    -------
    Bound
        ``empirical``, ``confidence``, and their sum ``total``.

    References
    ----------
    .. [1] J. Barnes, "Capacity control in boosting using a p-convex hull", ANU, 1999; theorem 12.

    Examples
    --------
    >>> import numpy as np
    >>> from nacre.diagnostics import hull_bound
    >>> rows = np.linspace(-0.1, 1, 50_000)
    >>> [hull_bound(rows, 0.1, dimension=3, p=p).confidence.round(2) for p in (0.5, 1.0)]
    [np.float64(0.11), np.float64(0.76)]
    """
    if not 0 < p < 2:
        raise ValueError(f"p must be above 0 and below 2, got {p!r}.")
    empirical, gamma, n = _margin_risk(margins, threshold, np.nextafter(0.5, 0.0))
    _check(n, dimension, delta, constant)
    covers = constant * dimension * (2 / gamma) ** (2 * p / (2 - p)) * np.log(2 / gamma)
    return _bound(empirical, 8 / n * (covers + np.log(2 / delta)))


def _evenness(errors: Any) -> np.ndarray:
    """err (1 - err)."""
    array = as_numbers(errors, "errors")
    if not np.all((array >= 0) & (array <= 1)):
        raise ValueError("errors must be from 0 to 1.")
    return array * (1 - array)


def _margin_risk(margins: Any, threshold: Any, most: float) -> tuple[np.ndarray, np.ndarray, int]:
    """Share of the rows whose margin is at most the threshold; the thresholds; the rows."""
    rows, gamma = as_numbers(margins, "margins"), np.asarray(threshold, float)
    if len(rows) == 0:
        raise ValueError("margins must have at least one row.")
    if not np.all((gamma > 0) & (gamma <= most)):
        limit = "up to 1" if most == 1.0 else "below 1/2"
        raise ValueError(f"threshold must be above 0 and {limit}, got {threshold!r}.")
    return np.searchsorted(np.sort(rows), gamma, side="right") / len(rows), gamma, len(rows)


def _bound(empirical: np.ndarray, square: Any) -> Bound:
    confidence = np.sqrt(square)
    return Bound(*np.broadcast_arrays(empirical, confidence))


def _check(n: int, dimension: float, delta: float, constant: float) -> None:
    for value, name in ((n, "n"), (dimension, "dimension"), (constant, "constant")):
        if not 0 < value < np.inf:
            raise ValueError(f"{name} must be a number above 0, got {value!r}.")
    if not 0 < delta < 1:
        raise ValueError(f"delta must be between 0 and 1, got {delta!r}.")
