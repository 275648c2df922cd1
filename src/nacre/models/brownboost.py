"""BrownBoost: boosting against a clock, which gives up rows that it will not get right in time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.optimize import brentq
from scipy.special import erf, log_ndtr

from nacre.boost import Algorithm, CustomCost, CustomStep, Move, Round, Rules
from nacre.data.check import check_number
from nacre.data.storable import storable
from nacre.models.voting_base import VotingBooster

TIE = 1e-12
ROUNDING = 1e-14
GROWTH = 1.5
"""By what trial votes grow until one goes too far."""
MOST_STEPS = 200


@storable
@dataclass(frozen=True)
class BrownCost(CustomCost):
    """(1 - erf((z + time left) / sqrt(c))) / 2: the chance to be wrong when the time is up."""

    c: float = 1.0

    def log_pull(self, z: np.ndarray, clock: float) -> np.ndarray:
        """-(z + time left)^2 / c: rows far behind are given up, those far ahead are safe."""
        return -((z + clock) ** 2) / self.c

    def value(self, z: np.ndarray, clock: float) -> np.ndarray:
        """The potential of each row."""
        return 0.5 - 0.5 * erf((z + clock) / np.sqrt(self.c))


@storable
@dataclass(frozen=True)
class BrownStep(CustomStep):
    """The vote that uses up the edge of h, and the time that keeps the potential: BrownBoost."""

    c: float = 1.0

    def start(self) -> np.ndarray:
        """All the time."""
        return np.array([float(self.c)])

    def clock(self, t: int, state: np.ndarray) -> float:
        """The time left."""
        return float(state[0])

    def take(self, now: Round, state: np.ndarray, rules: Rules) -> Move:
        """Find vote and time; end when there is no more of the latter."""
        if now.error >= rules.limit - TIE:
            return Move(end="no better than chance", kept=False)
        if now.error <= 0.0:
            vote, state[0] = state[0], 0.0
            return Move(vote=vote, drive=vote, end="perfect")
        line = Line(now.z + state[0], now.u, now.s, self.c)
        vote, time = line.solve(float(state[0]))
        if vote == 0.0:
            return Move(end="no descent", kept=False)
        state[0] -= max(time, 0.0)  # rounding may take a tiny step back
        return Move(vote=vote, drive=vote, end="time is up" if state[0] <= 0.0 else None)


class Line:
    """Weights and potential of the rows along a hypothesis; ``a`` are margins plus time left."""

    def __init__(self, a: np.ndarray, u: np.ndarray, s: np.ndarray, c: float) -> None:
        self.a, self.u, self.s, self.c = a, u, s, c
        self.before = self.potential(0.0, 0.0)[0]
        self.found = {0.0: (0.0, self.potential(0.0, 0.0)[2])}

    def potential(self, vote: float, time: float) -> tuple[float, float, float]:
        """Log of the mean potential after a vote and so much time, its slope, and h's edge."""
        reached = (self.a + vote * self.u - time) / np.sqrt(self.c)
        logs = log_ndtr(-np.sqrt(2.0) * reached)
        top = logs.max()
        mean = self.s @ np.exp(logs - top)
        squares = reached**2
        least = squares.min()
        w = self.s * np.exp(least - squares)
        whole = w.sum()
        slope = whole * np.exp(-least - top) / (np.sqrt(np.pi * self.c) * mean)
        return float(top + np.log(mean)), float(slope), float(w @ self.u / whole)

    def at(self, vote: float) -> tuple[float, float]:
        """The time that keeps the potential after a vote, and the edge h has then.

        Newton's method on the log of the potential, which rises with time, between -vote and vote.
        """
        if vote in self.found:
            return self.found[vote]
        near = min(self.found, key=lambda other: abs(other - vote))
        low, high = -vote, vote
        time = self.found[near][0] + self.found[near][1] * (vote - near)
        for _ in range(MOST_STEPS):
            log_potential, slope, edge = self.potential(vote, time)
            if log_potential > self.before:
                high = time
            else:
                low = time
            moved = time - (log_potential - self.before) / slope if slope > 0.0 else np.nan
            moved = moved if low <= moved <= high else 0.5 * (low + high)
            done = abs(moved - time) <= ROUNDING * vote
            time = moved
            if done:
                break
        self.found[vote] = time, edge
        return self.found[vote]

    def time(self, vote: float) -> float:
        """The time that keeps the potential."""
        return self.at(vote)[0]

    def edge(self, vote: float) -> float:
        """The edge of h under the weights after a vote."""
        return self.at(vote)[1]

    def solve(self, left: float) -> tuple[float, float]:
        """The vote after which h has no edge, and its time; or that which uses all time left.

        Along the votes that keep the potential, time goes by as fast as h has an edge: so it is
        longest where the edge is used up. A vote of 0 says that there is none.
        """
        low, high = 0.0, 0.1 * np.sqrt(self.c) * self.edge(0.0)
        for _ in range(MOST_STEPS):
            if self.edge(high) <= 0.0 or self.time(high) >= left:
                break
            low, high = high, GROWTH * high
        else:
            return 0.0, 0.0
        if self.edge(high) <= 0.0:
            vote = _root(self.edge, low, high)
            if self.time(vote) < left:
                return vote, self.time(vote)
            high = vote
        return _root(lambda vote: self.time(vote) - left, low, high), left


_root = partial(brentq, xtol=1e-15, rtol=1e-14, maxiter=200)


@storable
@dataclass(eq=False, repr=False, kw_only=True)
class BrownBoostClassifier(VotingBooster):
    r"""BrownBoost: boosting with a fixed amount of time, for labels that are partly wrong.

    A clock runs from c down to 0. With :math:`s` on it, a row of margin :math:`z` has the weight

    .. math::

        w_i = e^{-(z_i + s)^2 / c},
        \qquad \Phi = \frac{1}{n} \sum_i \frac{1 - \mathrm{erf}((z_i + s) / \sqrt{c})}{2},

    the second being the mean potential: the chance that a Brownian motion which starts where the
    row is and drifts for the time that is left ends on the wrong side. Each round finds the vote b
    and the time t for which

    .. math::

        \sum_i u_i\, e^{-(z_i + b u_i + s - t)^2 / c} = 0
        \quad\text{and}\quad \Phi \text{ is what it was,}

    where :math:`u_i = +1` on the rows that the hypothesis gets right, else -1 (with several classes
    too, as in AdaBoost.M1). Rows so far behind that the time left will not do are given up: their
    weight *falls*.

    Parameters
    ----------
    n_estimators : int, default=100
        Rounds at most: there are fewer where the time is up.
    c : float, default=2.0
        The time. It says which training error is aimed at: when the time is up, the mean of
        :math:`(1 - \mathrm{erf}(z_i / \sqrt{c})) / 2` is :math:`(1 - \mathrm{erf}(\sqrt{c})) / 2`,
        so no more than a share :math:`1 - \mathrm{erf}(\sqrt{c})` of the rows is wrong: 16 % for
        c = 1, 4.6 % for c = 2, 0.5 % for c = 4. Large c is AdaBoost.
    stop_on : {"error", "loss"}, default="error"
        What held-out rows are judged by: wrong votes, or the mean potential.

    Attributes
    ----------
    log_costs_ : ndarray
        Log of the mean weight before each round.
    stop_reason_ : str
        "time is up", "rounds done", "no better than chance", "perfect", "no descent", "no better on
        held-out rows" or "nothing to learn".
    link_scale_ : float
        Factor of the votes in ``predict_proba``, fitted to the training rows.

    Notes
    -----
    *When it helps.* Wrong labels, and a guess how many: a target error somewhat above their share
    lets the rounds be spent on the others.

    *When it does not.* Clean labels: AdaBoost is faster and needs no c. A small c is over after a
    few rounds, before the ensemble is good for anything; with weak hypotheses of small edges, a
    large one takes many rounds, about c over the square of the edge, and is cut off by
    ``n_estimators``.

    Both equations are solved to rounding by Newton's and Brent's methods between bounds. The last
    vote is that which uses up the time that is left.

    References
    ----------
    .. [1] Y. Freund, "An adaptive version of the boost by majority algorithm", Machine Learning 43,
       2001.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import AdaBoostClassifier, BrownBoostClassifier
    >>> from nacre.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, _ = flip_labels(y[::2], 0.2, random_state=0)
    >>> for model in (AdaBoostClassifier(), BrownBoostClassifier(c=0.3)):
    ...     print(round(model.fit(X[::2], labels).score(X[1::2], y[1::2]), 2), model.stop_reason_)
    0.86 rounds done
    0.9 time is up
    """

    c: float = 2.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number(self.c, "c")

    def _algorithm(self) -> Algorithm:
        return Algorithm(BrownCost(float(self.c)), BrownStep(float(self.c)), samme=False)
