"""Any composition of a cost, a step and a draw, as an estimator."""

from __future__ import annotations

from typing import Any

from nacre.boost import Algorithm
from nacre.models.voting_base import VotingBooster


class BoostedClassifier(VotingBooster):
    """Boosting with any cost, step and draw.

    The named boosters (:class:`~nacre.AdaBoostClassifier` and so on) are compositions from the
    papers; this one fits a composition that you give it, also of parts of your own
    (:class:`nacre.boost.CustomCost`, :class:`nacre.boost.CustomStep`).

    Parameters
    ----------
    algorithm : :class:`nacre.boost.Algorithm`, default=None
        The composition; None is AdaBoost (SAMME).
    estimator : classifier, default=None
        The weak learner: None for the native stump, another of nacre (:class:`~nacre.Tree`,
        :class:`~nacre.NaiveBayes`, :class:`~nacre.Network`), or any scikit-learn classifier.
    n_estimators : int, default=100
        Rounds.
    n_iter_no_change : int or None, default=None
        Stop early when held-out rows have not done better for so many rounds, and keep the best
        round. None takes all rounds.
    validation_fraction : float, default=0.1
        Share of the rows held out for that, unless ``fit`` is given a validation set.
    stop_on : {"error", "loss"}, default="error"
        What held-out rows are judged by: wrong votes, or the mean cost.
    warm_start : bool, default=False
        Go on from the rounds of the last ``fit`` to the same table.
    max_bins : int from 2 to 255, or None, default=255
        Bins of the native stump for columns of more distinct values; None tries every threshold.
    categorical_features : columns (numbers, names or a mask), optional
        Columns that hold categories, for native learners.
    random_state : int, RandomState or None, default=None
        Seeds draws of rows and weak learners that need one.
    n_jobs : int or None, default=None
        Threads of the native learners; the result is the same for any number.

    Attributes
    ----------
    classes_, estimators_, estimator_weights_, estimator_steps_, estimator_errors_, log_costs_
        As in :class:`~nacre.AdaBoostClassifier`; votes are those of the final ensemble.
    validation_scores_, feature_importances_, n_features_in_, feature_names_in_
        As in :class:`~nacre.AdaBoostClassifier`.
    stop_reason_ : str
        Why there are no more rounds: see :doc:`/explain/loop`.
    link_scale_ : float
        Factor of the votes in ``predict_proba``: 1 where the step says that votes are half
        log-odds, else fitted to the training rows.

    Examples
    --------
    AveBoost2's step with a logistic cost, which no paper has joined:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import BoostedClassifier
    >>> from nacre.boost import Algorithm, AverageBoth, Logistic
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BoostedClassifier(Algorithm(Logistic(), AverageBoth())).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.92
    """

    def __init__(
        self,
        algorithm: Algorithm | None = None,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        n_iter_no_change: int | None = None,
        validation_fraction: float = 0.1,
        stop_on: str = "error",
        warm_start: bool = False,
        max_bins: int | None = 255,
        categorical_features: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.stop_on = stop_on
        self.warm_start = warm_start
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.algorithm is not None and not isinstance(self.algorithm, Algorithm):
            raise TypeError(f"algorithm must be a nacre.boost.Algorithm, got {self.algorithm!r}.")

    def _algorithm(self) -> Algorithm:
        return Algorithm() if self.algorithm is None else self.algorithm
