"""Core AdaBoost: some rows are trusted, the others flipped at a known rate."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing

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
from nacre.learners.base import Fitter, Learner
from nacre.models.adaboost import AdaBoostClassifier
from nacre.models.voting import VotingBooster
from nacre.table import Problem

COSTS = ("exponential", "logistic")
ROUNDS = 50
FOLDS = 5
SUREST = 0.4
MOST = 0.45


class CoreBoostClassifier(VotingBooster):
    r"""Core AdaBoost: boosting on a cost whose mean over flipped labels is that of the true ones.

    A label that is wrong with probability :math:`e < 1/2` is given the cost

    .. math:: \tilde c(z) = \frac{(1 - e)\, c(z) - e\, c(-z)}{1 - 2 e},

    whose expectation is :math:`c` of the true label; rows marked ``clean`` keep :math:`c`. The
    stochastic form fits each hypothesis to a bootstrap sample and votes 1/t; the other one takes
    the step of least cost,

    .. math:: b = \tfrac12 \log\frac{1 - \epsilon - a}{\epsilon - a},

    where :math:`a` is the share of weight that stands for labels flipped back.

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner: None for the native stump, another of nacre (:class:`~nacre.Tree`), or
        any scikit-learn classifier.
    n_estimators : int, default=100
        Rounds.
    noise_rate : float, array of one float per row, or None, default=None
        The chance that a label of a row that is not clean is wrong, below 1/2. None estimates it
        from how often a model of the clean rows disagrees with the other labels or, without clean
        rows, from the rows that a cross-validated model is surest of: crude, and too high where
        classes overlap.
    stochastic : bool, default=True
        The stochastic form.
    cost : {"exponential", "logistic"}, default="exponential"
        The cost to correct; ``"logistic"`` only in the stochastic form.
    learning_rate : float, default=1.0
        Factor of every vote.
    n_iter_no_change : int or None, default=None
        Stop early when held-out rows have not done better for so many rounds, and keep the best
        round. None takes all rounds.
    validation_fraction : float, default=0.1
        Share of the rows held out for that, unless ``fit`` is given a validation set.
    stop_on : {"error", "loss"}, default="error"
        What held-out rows are judged by: wrong votes, or the mean cost, in which a few wrong
        labels may outweigh all others.
    warm_start : bool, default=False
        Go on from the rounds of the last ``fit`` to the same table.
    max_bins : int from 2 to 255, or None, default=255
        Bins of the native stump for columns of more distinct values; None tries every threshold.
    categorical_features : columns (numbers, names or a mask), optional
        Columns that hold categories, for native learners.
    random_state : int, RandomState or None, default=None
        Seeds the bootstrap samples and folds, and weak learners that need a seed.
    n_jobs : int or None, default=None
        Threads of the native stump; the result is the same for any number.

    Attributes
    ----------
    classes_, estimators_, estimator_weights_, estimator_errors_, log_costs_
        As in :class:`~nacre.AdaBoostClassifier`.
    noise_rate_ : float or ndarray
        The rate used.
    stop_reason_ : str
        "rounds done", "no better than chance", "perfect", "step undefined" or "nothing to learn".
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
    correction takes a flip to any other class as one event.

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

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        noise_rate: Any = None,
        stochastic: bool = True,
        cost: str = "exponential",
        learning_rate: float = 1.0,
        n_iter_no_change: int | None = None,
        validation_fraction: float = 0.1,
        stop_on: str = "error",
        warm_start: bool = False,
        max_bins: int | None = 255,
        categorical_features: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.noise_rate = noise_rate
        self.stochastic = stochastic
        self.cost = cost
        self.learning_rate = learning_rate
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.stop_on = stop_on
        self.warm_start = warm_start
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        clean: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> CoreBoostClassifier:
        """Boost on a table, its labels, and what is known of them.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        y : labels, n of them
        sample_weight : weights of the rows, optional
        clean : boolean mask of n rows, optional
            The rows whose labels are trusted; default none.
        X_val, y_val, sample_weight_val : a validation set, optional
            Rows for early stopping (``n_iter_no_change``), instead of a share of the training rows.

        Returns
        -------
        self
        """
        self._fit(X, y, sample_weight, (X_val, y_val, sample_weight_val), clean)
        return self

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.cost not in COSTS:
            raise ValueError(f"cost must be one of {', '.join(COSTS)}; got {self.cost!r}.")
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
        problem: Problem,
        seed: int,
        clean: np.ndarray | None,
        before: Run | None,
    ) -> Boosting:
        trusted = np.zeros(len(problem.y), bool) if clean is None else clean
        self.noise_rate_ = self._rate(problem, trusted, seed)
        noise = np.where(trusted, 0.0, self.noise_rate_)
        return boosting(fitter, problem, self._algorithm(), self.n_estimators, seed, noise, before)

    def _rate(self, problem: Problem, clean: np.ndarray, seed: int) -> Any:
        if self.noise_rate is None:
            return estimate_rate(problem, clean, self._judge(problem, seed), seed)
        rate = np.asarray(self.noise_rate, float)
        if rate.ndim > 1 or (rate.ndim == 1 and len(rate) != problem.given):
            raise ValueError("noise_rate must be one number, or one per row.")
        if rate.ndim == 1 and problem.kept is not None:
            rate = rate[problem.kept]
        if not np.all((rate >= 0.0) & (rate < 0.5)):
            raise ValueError("noise_rate must be from 0 to below 1/2.")
        return rate if rate.ndim else float(rate)

    def _judge(self, problem: Problem, seed: int) -> AdaBoostClassifier:
        """The model whose disagreement with the labels tells how many are wrong."""
        learner = self.estimator
        if isinstance(learner, Learner):
            learner = clone(learner).set_params(categorical_features=None)
        return AdaBoostClassifier(
            learner,
            n_estimators=ROUNDS,
            max_bins=self.max_bins,
            categorical_features=list(problem.categorical),
            random_state=seed,
            n_jobs=self.n_jobs,
        )


def estimate_rate(
    problem: Problem, clean: np.ndarray, judge: AdaBoostClassifier, seed: int
) -> float:
    """The share of wrong labels among the rows that are not clean, by a model's disagreement.

    A model that errs with chance c on true labels disagrees with flipped ones with chance
    d = c (1 - e) + (1 - c) e. With clean rows, c is the cross-validated error there and d is
    counted on the others; without, c is taken to be 0 on the rows a cross-validated model is
    surest of.
    """
    y = problem.y
    if np.all(clean):
        return 0.0

    def fit(rows: np.ndarray) -> AdaBoostClassifier:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Boosting stopped in the first round")
            model = clone(judge)
            model.fit(_safe_indexing(problem.X, rows), y[rows], problem.weight[rows])
            return model

    rows = np.flatnonzero(clean) if np.any(clean) else np.arange(len(y))
    folds = min(FOLDS, *np.unique(y[rows], return_counts=True)[1])
    if folds < 2 or len(np.unique(y[rows])) < 2:
        if np.any(clean):
            raise ValueError(
                "noise_rate=None needs clean rows of two classes, two of each: mark more rows as "
                "clean, or give noise_rate."
            )
        return 0.0
    said = np.empty(len(y), np.int64)
    sure = np.empty(len(y))
    for train, held in StratifiedKFold(folds, shuffle=True, random_state=seed).split(rows, y[rows]):
        model = fit(rows[train])
        chances = model.predict_proba(_safe_indexing(problem.X, rows[held]))
        said[rows[held]] = model.classes_[chances.argmax(axis=1)]
        sure[rows[held]] = chances.max(axis=1)
    if not np.any(clean):
        wrong = said != y
        surest = [
            np.flatnonzero(said == k)[np.argsort(-sure[said == k], kind="stable")]
            for k in np.unique(said)
        ]
        picked = np.concatenate([one[: max(1, int(SUREST * len(one)))] for one in surest])
        return float(np.clip(np.average(wrong[picked], weights=problem.weight[picked]), 0.0, MOST))
    others = np.flatnonzero(~clean)
    error = np.average(said[rows] != y[rows], weights=problem.weight[rows])
    apart = fit(rows).predict(_safe_indexing(problem.X, others)) != y[others]
    disagreement = np.average(apart, weights=problem.weight[others])
    if error >= MOST:
        return 0.0
    return float(np.clip((disagreement - error) / (1.0 - 2.0 * error), 0.0, MOST))
