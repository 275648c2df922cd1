"""L2Boost: least squares on what is left."""

from __future__ import annotations

from typing import Any

from nacre.boost.gradient import Aim, Residual
from nacre.models.gradient_base import GradientBooster


class L2BoostClassifier(GradientBooster):
    r"""L2Boost: each regressor fits the residuals by least squares.

    With labels y = +1 and -1 and scores F that start from 0,

    .. math:: h_t = \arg\min_h \sum_i w_i (y_i - F(x_i) - h(x_i))^2, \qquad
        F \leftarrow F + \nu h_t.

    With K > 2 classes there is one score a class, for that class against the others.

    Parameters
    ----------
    estimator : regressor, default=None
        The weak learner: None for a native stump, a :class:`~nacre.Tree`, or any
        scikit-learn regressor that takes ``sample_weight``.
    n_estimators : int, default=100
        Rounds.
    learning_rate : float, default=0.1
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
        Factor of the scores in ``predict_proba``, fitted to the training rows.
    stop_reason_ : str
        "rounds done", "no better on held-out rows", "weights vanished" or "nothing to learn".
    feature_importances_ : ndarray
        Share of the gains each column has.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only where ``X`` has column names.

    Notes
    -----
    *When it helps.* Few rows, many columns, moderate noise: wrong labels are punished by a square
    and no more, and small steps act like a ridge penalty.

    *When it does not.* A score beyond the label (:math:`y F > 1`) counts as an error, so it wastes
    effort on rows that are safely right. Early stopping matters more than with other boosters.

    References
    ----------
    .. [1] P. Buehlmann, B. Yu, "Boosting with the L2 loss: regression and classification", Journal
       of the American Statistical Association 98, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import L2BoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = L2BoostClassifier(n_estimators=200).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.91
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        learning_rate: float = 0.1,
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
        return Residual()
