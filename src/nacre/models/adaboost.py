"""AdaBoost in its three forms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacre.boost import Algorithm, Boosting, Exponential, LogOdds, PairBoosting, Run
from nacre.data import TrainingRows
from nacre.data.check import check_choice
from nacre.data.storable import storable
from nacre.learners.base import Fitter
from nacre.models.voting_base import VotingBooster

VARIANTS = ("samme", "m1", "m2")


@storable
@dataclass(eq=False, repr=False, kw_only=True)
class AdaBoostClassifier(VotingBooster):
    r"""AdaBoost, for two classes or more.

    Each round fits a weak hypothesis :math:`h_t` to weighted rows, gives it the vote

    .. math::

        b_t = \tfrac{1}{2} \log\frac{1 - \epsilon_t}{\epsilon_t} + \tfrac{1}{2} \log(K - 1),
        \qquad \epsilon_t = \sum_{i:\, h_t(x_i) \ne y_i} w_i,

    and multiplies the weights of the rows it gets right by :math:`e^{-b_t}`, of the others by
    :math:`e^{b_t}`. The prediction is the class of the most votes.

    Parameters
    ----------
    variant : {"samme", "m1", "m2"}, default="samme"
        ``"samme"`` is the formula above and asks for an accuracy above 1/K only. ``"m1"`` leaves
        out the term log(K - 1) and stops at an error of 1/2. ``"m2"`` keeps a weight for each pair
        of a row and a wrong label, and minimises the pseudo-loss. For two classes they agree.
    learning_rate : float, default=1.0
        Factor of every vote.
    n_jobs : int or None, default=None
        Threads of the native stump, which share out the columns of large tables; -1 for all cores.
        The result is the same for any number. Rounds of ``"m2"`` use one.

    Attributes
    ----------
    estimator_steps_ : ndarray of shape (rounds, 2)
        What every round did: all earlier votes times the first number, a vote of the second. (Here
        the first is always 1.)
    estimator_errors_ : ndarray
        Their weighted errors (``"m2"``: pseudo-losses) in their rounds.
    log_costs_ : ndarray
        Log of the mean exponential cost before each round.

    See Also
    --------
    sklearn.ensemble.AdaBoostClassifier : The same algorithm, hundreds of times slower with stumps.

    Notes
    -----
    *When it helps.* Clean labels, many weak cues, and little time: with stumps a fit costs about as
    much as reading the table a few dozen times.

    *When it does not.* Wrong labels. The weight of a row grows exponentially with its margin on
    the wrong side, so rounds are spent on mislabelled rows; more rounds make it worse. Stumps on
    more than two classes: a stump says two of them, and SAMME may stall; ``"m2"`` or trees do not.

    The paper's vote has no factor 1/2 in SAMME; a factor common to all votes changes no
    prediction. Probabilities are the softmax of twice the votes, which is the population minimiser
    of the cost (for ``"m1"`` with more than two classes, times ``link_scale_``, fitted to the
    training rows); after many rounds they are overconfident, as AdaBoost's are.

    Time per round grows with rows times columns; only rows whose weight changed in an unforeseen
    way are read again. Memory: about one byte a cell and 55 bytes a row above ``X``.

    References
    ----------
    .. [1] Y. Freund, R. Schapire, "A decision-theoretic generalization of on-line learning and an
       application to boosting", Journal of Computer and System Sciences 55, 1997.
    .. [2] J. Zhu, H. Zou, S. Rosset, T. Hastie, "Multi-class AdaBoost", Statistics and Its
       Interface 2, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import AdaBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=50).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.95
    >>> model.stop_reason_
    'rounds done'
    """

    variant: str = "samme"
    learning_rate: float = 1.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self.variant, "variant", VARIANTS)

    def _algorithm(self) -> Algorithm:
        return Algorithm(
            Exponential(),
            LogOdds(),
            samme=self.variant == "samme",
            learning_rate=self.learning_rate,
        )

    def _is_logistic(self, n_classes: int) -> bool:
        return self.variant == "m2" or super()._is_logistic(n_classes)

    def _boosting(
        self,
        fitter: Fitter,
        training: TrainingRows,
        seed: int,
        clean: np.ndarray | None,
        before: Run | None,
    ) -> Boosting:
        if self.variant == "m2" and training.n_classes > 2:
            return PairBoosting(fitter, training, self.learning_rate, seed, before)
        return super()._boosting(fitter, training, seed, clean, before)
