"""AdaBoost_Reg: soft margins, by which rows that were hard for long are forgiven."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.optimize import brentq

from nacre.boost import Algorithm, CustomCost, CustomStep, Move, Round, Rules
from nacre.data.check import check_number
from nacre.data.storable import storable
from nacre.kernels import formulas as fm
from nacre.models.voting_base import VotingBooster

TIE = 1e-12


class Mistrust:
    """The cost in a run: it remembers how much each row has weighed so far.

    In a round all margins move by the vote, up or down: so it is seen from the margins.
    """

    numbers: ClassVar[None] = None
    remembers: ClassVar[bool] = True

    def __init__(self, strength: float) -> None:
        self.strength = strength
        self.before: np.ndarray | None = None
        self.influence = self.share = np.empty(0)

    def weigh(self, z: np.ndarray, s: np.ndarray, clock: float) -> tuple[np.ndarray, float]:
        """Weights of sum 1, and the log of the mean cost."""
        if self.before is None:
            self.influence = np.zeros_like(z)
        else:
            self.influence += np.abs(z - self.before).max() * self.share
        self.before = z.copy()
        logs = -z - self.strength * self.influence
        top = float(logs.max())
        w = s * np.exp(logs - top)
        whole = float(w.sum())
        w /= whole
        self.share = np.divide(w, s / s.sum(), out=np.zeros_like(w), where=s > 0.0)
        return w, top + float(np.log(whole))

    def mean(self, z: np.ndarray, s: np.ndarray, clock: float) -> float:
        """The mean of exp(-z) of rows that have no influence: held-out ones."""
        return float(s @ np.exp(np.minimum(-z, 700.0)))


@storable
@dataclass(frozen=True)
class SoftMargin(CustomCost):
    """exp(-(z + C times the row's influence)): the cost of soft margins."""

    C: float = 0.1

    def log_pull(self, z: np.ndarray, clock: float) -> np.ndarray:
        """-z: that of rows without any influence."""
        return -z

    def value(self, z: np.ndarray, clock: float) -> np.ndarray:
        """exp(-z)."""
        return np.exp(np.minimum(-z, 700.0))

    def ready(self, seed: int, noise: np.ndarray | None) -> Mistrust:
        """Something that remembers the weights of a run."""
        super().ready(seed, noise)
        return Mistrust(self.C)


@storable
@dataclass(frozen=True)
class SoftStep(CustomStep):
    """The vote of least cost, which is also that by which the row's weight counts as influence."""

    def take(self, now: Round, state: np.ndarray, rules: Rules) -> Move:
        """Search the vote; end where none is least."""
        pull = now.pull
        if not isinstance(pull, Mistrust):
            raise TypeError(f"SoftStep goes with the cost SoftMargin, got {now.pull!r}.")
        if now.error >= rules.limit - TIE:
            return Move(end="no better than chance", kept=False)
        if now.error <= 0.0:
            vote = rules.learning_rate * fm.half_log_odds(0.0)
            return Move(vote=vote, drive=vote, end="perfect")
        gain = now.u + pull.strength * pull.share
        if gain.min() >= 0.0:
            return Move(end="step undefined", kept=False)
        vote = rules.learning_rate * least_cost(now.s * pull.share, gain)
        return Move(vote=vote, drive=vote)


def least_cost(w: np.ndarray, gain: np.ndarray) -> float:
    """The vote b of least sum of w exp(-b gain): some gains are below 0, the mean is above."""

    def slope(b: float) -> float:
        logs = -b * gain
        return float((w * gain) @ np.exp(logs - logs.max()))

    high = 1.0
    while slope(high) > 0.0:
        high *= 2.0
    return float(brentq(slope, 0.0, high, xtol=1e-15, rtol=1e-14, maxiter=200))


@storable
@dataclass(eq=False, repr=False, kw_only=True)
class AdaBoostRegClassifier(VotingBooster):
    r"""AdaBoost_Reg: AdaBoost with soft margins.

    A row that has weighed much in all rounds so far is mistrusted: what it has weighed is added to
    its margin. With weights :math:`w_r` and votes :math:`b_r` of the rounds,

    .. math::

        w_{t+1,i} \propto s_i \exp\Bigl(-z_i - C \sum_{r \le t} b_r \frac{w_{r,i}}{s_i}\Bigr),
        \qquad
        b_t = \arg\min_b \sum_i w_{t,i}\, e^{-b\,(u_i + C w_{t,i} / s_i)},

    where :math:`z_i = \sum_r b_r u_{r,i}` is the margin and :math:`u_i = +1` on the rows that the
    hypothesis gets right, else -1 (with several classes too, as in AdaBoost.M1). C = 0 is AdaBoost.

    Parameters
    ----------
    C : float, default=0.1
        How much a row is forgiven. A row of k times the mean weight gains kC in every step, so one
        that weighs 1/C means is no longer worth a vote. 1 or more is too much: even in the first
        round no vote is then of least cost.
    learning_rate : float, default=1.0
        Factor of every vote.

    Attributes
    ----------
    link_scale_ : float
        Factor of the votes in ``predict_proba``, fitted to the training rows.
    log_costs_ : ndarray
        Log of the mean cost before each round, in soft margins.
    stop_reason_ : str
        "rounds done", "no better than chance", "perfect", "step undefined" (the cost falls
        without bound: all rows that the hypothesis gets wrong are mistrusted), "no better on
        held-out rows" or "nothing to learn".

    Notes
    -----
    *When it helps.* Some wrong labels among rows that can otherwise be separated.

    *When it does not.* Classes that overlap: rows of the overlap are hard and right. C is to be
    tuned.

    *In the paper's terms.* The influence of a row is :math:`\mu_i = \sum_r b_r w_{r,i} / |b|` with
    weights of sum 1 and :math:`|b| = \sum_r b_r`, its margin :math:`\rho_i = z_i / |b|`, its soft
    margin :math:`\rho_i + C' \mu_i`, and the cost :math:`\sum_i \exp(-|b| (\rho_i + C' \mu_i))`,
    whose least value in :math:`b_t` a line search finds: :math:`C' = n C` makes that the above.

    *Where others differ.* The paper's votes are log-odds, twice these, with a factor 1/2 in the
    cost. Here weights are counted against sample weights, so that a row of weight two counts as two
    rows. An implementation by others keeps AdaBoost's votes and multiplies the term into the
    weights anew each round; here both are as the cost has them.

    References
    ----------
    .. [1] G. Raetsch, T. Onoda, K.-R. Mueller, "Soft margins for AdaBoost", Machine Learning 42,
       2001.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import AdaBoostClassifier, AdaBoostRegClassifier
    >>> from nacre.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, _ = flip_labels(y[::2], 0.2, random_state=0)
    >>> for model in (AdaBoostClassifier(), AdaBoostRegClassifier()):
    ...     print(round(model.fit(X[::2], labels).score(X[1::2], y[1::2]), 2))
    0.86
    0.92
    """

    C: float = 0.1
    learning_rate: float = 1.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number(self.C, "C", zero=True)
        if self.C >= 1:
            raise ValueError(f"C must be below 1, got {self.C!r}.")

    def _algorithm(self) -> Algorithm:
        return Algorithm(
            SoftMargin(float(self.C)),
            SoftStep(),
            samme=False,
            learning_rate=float(self.learning_rate),
        )
