"""Core AdaBoost: some rows are trusted, the others flipped at a known rate."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from nacre.boost import (
    Algorithm,
    AllRows,
    Boosting,
    Bootstrap,
    CoreLogOdds,
    Exponential,
    Harmonic,
    Logistic,
    Run,
    boosting,
)
from nacre.data import TrainingRows
from nacre.data.check import check_choice, check_flag
from nacre.data.storable import storable
from nacre.learners.base import Fitter
from nacre.models.adaboost import AdaBoostClassifier
from nacre.models.voting_base import VotingBooster
from nacre.noise import OutOfFold
from nacre.progress import Progress, silent

COSTS = ("exponential", "logistic")
MOST = 0.45
"""An estimated rate above this counts as this."""

ROUNDS = 50
FOLDS = 5


@storable
@dataclass(eq=False, repr=False, kw_only=True)
class CoreBoostClassifier(VotingBooster):
    r"""Core AdaBoost: boosting on a cost whose mean over flipped labels is that of the true ones.

    A label that is wrong with probability :math:`e < 1/2` is given the cost

    .. math:: \tilde c(z) = \frac{(1 - e)\, c(z) - e\, c(-z)}{1 - 2 e},

    whose expectation is :math:`c` of the true label; rows marked ``clean`` keep :math:`c`. The
    stochastic form fits each hypothesis to a bootstrap sample and votes 1/t; the other one takes
    the step of least cost,

    .. math:: b = \tfrac{1}{2} \log\frac{1 - \epsilon - a}{\epsilon - a},

    where :math:`a` is the share of weight that stands for labels flipped back.

    Parameters
    ----------
    noise_rate : float, array of one float per row, or None, default=None
        The chance that a label of a row that is not clean is wrong, below 1/2. None estimates it:
        see :func:`nacre.noise.estimate_noise_rate`. Where it cannot be told it counts as 0, with
        a warning. Where ``X`` is a table that only the ``estimator`` can read, its out-of-fold
        votes, boosted, tell the rate.
    stochastic : bool, default=True
        The stochastic form.
    cost : {"exponential", "logistic"}, default="exponential"
        The cost to correct; ``"logistic"`` only in the stochastic form.
    learning_rate : float, default=1.0
        Factor of every vote.
    random_state : int, RandomState or None, default=None
        Seeds the bootstrap samples and folds, and weak learners that need a seed.

    Attributes
    ----------
    noise_rate_ : float or ndarray
        The rate used.
    stop_reason_ : str
        "rounds done", "no better than chance", "perfect", "step undefined", "no better on held-out
        rows" or "nothing to learn".
    link_scale_ : float
        Factor of the votes in ``predict_proba``: 1, or fitted in the stochastic form.

    Notes
    -----
    *When it helps.* A small trusted set beside many noisy labels, a rate that is known or can be
    estimated, and shallow trees rather than stumps.

    *When it does not.* The corrected cost falls without bound for a row far on either side. The
    step of least cost soon does not exist ("step undefined", often in the first round); the
    stochastic form goes on, but its weights come to favour rows it is surest of. With stumps and
    many rows AdaBoost on all labels may do better. Do not use it with ``noise_rate=None`` where
    the clean rows are not drawn as the others are.

    With more than two classes a hit counts as :math:`z` rising and any miss as falling, so the
    correction takes a flip to any other class as one event. A stump says two classes at most, so
    that of many classes most are never said: of 200 (1500 rows, five columns, labels that are
    right) 100 stumps get 2 % of the training rows right (AdaBoost's 3 %), 100 trees of depth 8
    82 % (AdaBoost's 100 %).

    References
    ----------
    .. [1] M. Weil, "Stage apprentissage statistique", report, Ecole polytechnique, 2015.
    .. [2] N. Natarajan, I. Dhillon, P. Ravikumar, A. Tewari, "Learning with noisy labels", Advances
       in Neural Information Processing Systems 26, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import CoreBoostClassifier
    >>> from nacre.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clean = np.arange(len(y)) < 100
    >>> labels = np.where(clean, y, flip_labels(y, 0.3, random_state=0)[0])
    >>> model = CoreBoostClassifier(noise_rate=0.3, random_state=0)
    >>> bool(model.fit(X, labels, clean=clean).score(X, y) > 0.9)
    True
    """

    noise_rate: Any = None
    stochastic: bool = True
    cost: str = "exponential"
    learning_rate: float = 1.0

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        clean: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        groups: Any = None,
        progress: Progress = silent,
    ) -> CoreBoostClassifier:
        """Boost on a table, its labels, and what is known of them.

        Parameters
        ----------
        clean : boolean mask of n rows, optional
            The rows whose labels are trusted; default none.
        """
        validation = X_val, y_val, sample_weight_val
        self._fit(X, y, sample_weight, validation, clean, groups, progress)
        return self

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self.cost, "cost", COSTS)
        check_flag(self.stochastic, "stochastic")
        if self.cost == "logistic" and not self.stochastic:
            raise ValueError("cost='logistic' needs stochastic=True: its step has no closed form.")

    def _algorithm(self) -> Algorithm:
        return Algorithm(
            Exponential() if self.cost == "exponential" else Logistic(),
            Harmonic() if self.stochastic else CoreLogOdds(),
            Bootstrap() if self.stochastic else AllRows(),
            learning_rate=self.learning_rate,
            stops=False,
        )

    def _boosting(
        self,
        fitter: Fitter,
        training: TrainingRows,
        seed: int,
        clean: np.ndarray | None,
        before: Run | None,
    ) -> Boosting:
        trusted = np.zeros(len(training.y), bool) if clean is None else clean
        self.noise_rate_ = self._rate(training, trusted, seed)
        noise = np.where(trusted, 0.0, self.noise_rate_)
        return boosting(fitter, training, self._algorithm(), self.n_estimators, seed, noise, before)

    def _rate(self, training: TrainingRows, clean: np.ndarray, seed: int) -> Any:
        if self.noise_rate is None:
            return 0.0 if np.all(clean) else self._estimated(training, clean, seed)
        rate = np.asarray(self.noise_rate, float)
        if rate.ndim > 1 or (rate.ndim == 1 and len(rate) != training.n_given):
            raise ValueError("noise_rate must be one number, or one per row.")
        if rate.ndim == 1 and training.kept is not None:
            rate = rate[training.kept]
        if not np.all((rate >= 0.0) & (rate < 0.5)):
            raise ValueError("noise_rate must be from 0 to below 1/2.")
        return rate if rate.ndim else float(rate)

    def _estimated(self, training: TrainingRows, clean: np.ndarray, seed: int) -> float:
        numeric = isinstance(training.X, np.ndarray) and training.X.dtype.kind in "biuf"
        judge = None if numeric else AdaBoostClassifier(self.estimator, ROUNDS, random_state=seed)
        method = OutOfFold(judge, n_folds=min(FOLDS, len(training.y)))
        found = method.estimate(training, self.classes_, clean, check_random_state(seed))
        if not found.told:
            warnings.warn(
                "The noise rate cannot be told: these columns hardly tell the classes apart. "
                "noise_rate=None takes it to be 0; give a rate, or clean rows.",
                UserWarning,
                stacklevel=6,
            )
            return 0.0
        return min(found.rate, MOST)
