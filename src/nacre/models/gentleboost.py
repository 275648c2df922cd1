"""GentleBoost: AdaBoost by regressors, in bounded steps."""

from __future__ import annotations

from typing import Any

from nacre.boost.gradient import Aim, Label
from nacre.models.gradient_base import GradientBooster


class GentleBoostClassifier(GradientBooster):
    r"""GentleBoost: regressors fit the labels themselves, with AdaBoost's weights.

    With y = +1 and -1 and scores F that start from 0,

    .. math:: h_t = \arg\min_h \sum_i s_i\, e^{-y_i F(x_i)} (y_i - h(x_i))^2, \qquad
        F \leftarrow F + \nu h_t.

    A leaf says the difference of the classes' shares, between -1 and 1, where AdaBoost would take
    half their log-odds: no leaf, however pure, takes a large step. With K > 2 classes there is one
    score a class, for that class against the others.

    Parameters
    ----------
    estimator : regressor, default=None
        The weak learner: None for a native stump, a :class:`~nacre.Tree`, or any
        scikit-learn regressor that takes ``sample_weight``.
    n_estimators : int, default=100
        Rounds.
    learning_rate : float, default=1.0
        Shrinkage: the factor of every regressor.
    subsample : float up to 1, default=1.0
        Share of the rows, drawn without replacement, that each regressor sees.
    max_features : int, float or None, default=None
        Columns tried at each node of the default learner, drawn at random: a number or a share.
    n_iter_no_change : int or None, default=None
        Stop early when held-out rows have not done better for so many rounds, and keep the best
        round. None takes all rounds.
    validation_fraction : float, default=0.1
        Share of the rows held out for that, unless ``fit`` is given a validation set.
    stop_on : {"loss", "error"}, default="loss"
        What held-out rows are judged by: their mean loss, or wrong predictions.
    warm_start : bool, default=False
        Go on from the rounds of the last ``fit`` to the same table.
    max_bins : int from 2 to 255, or None, default=255
        Bins of native trees for columns of more distinct values; None is the same as 255.
    categorical_features : columns (numbers, names or a mask), optional
        Columns that hold categories, for native learners.
    random_state : int, RandomState or None, default=None
        Seeds the draws of rows and columns, and learners that need a seed.
    n_jobs : int or None, default=None
        Threads that bin the columns; the result is the same for any number.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    estimators_ : sequence of regressors
        One a round or, with K > 2 classes, a list of K.
    estimator_weights_ : ndarray
        By how much each round's values count, ``learning_rate``.
    estimator_errors_ : ndarray
        Weighted error of the ensemble on the training rows, after each round.
    train_losses_ : ndarray
        Mean loss of the training rows, after each round.
    validation_scores_ : ndarray
        Mean loss (or error) of held-out rows after each round; only with ``n_iter_no_change``.
    link_scale_ : float
        Factor of the scores in ``predict_proba``: 1.
    stop_reason_ : str
        "rounds done", "no better on held-out rows", "weights vanished" or "nothing to learn".
    feature_importances_ : ndarray
        Share of the gains each column has.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only where ``X`` has column names.

    Notes
    -----
    *When it helps.* Where AdaBoost with real-valued leaves is unstable: pure leaves, data that can
    be separated.

    *When it does not.* The weights are still exponential, so wrong labels come to dominate as they
    do in AdaBoost.

    References
    ----------
    .. [1] J. Friedman, T. Hastie, R. Tibshirani, "Additive logistic regression: a statistical view
       of boosting", Annals of Statistics 28, 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import GentleBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GentleBoostClassifier(n_estimators=50).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.94
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        learning_rate: float = 1.0,
        subsample: float = 1.0,
        max_features: int | float | None = None,
        n_iter_no_change: int | None = None,
        validation_fraction: float = 0.1,
        stop_on: str = "loss",
        warm_start: bool = False,
        max_bins: int | None = 255,
        categorical_features: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.subsample = subsample
        self.max_features = max_features
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.stop_on = stop_on
        self.warm_start = warm_start
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _aim(self) -> Aim:
        return Label()
