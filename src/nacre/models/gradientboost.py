"""Gradient boosting, on the log loss or one that stands wrong labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from nacre.boost.gradient import Aim, NegativeGradient
from nacre.boost.loss import Backward, CrossEntropy, Forward, LogLoss, Loss, TanhLoss
from nacre.data import TrainingRows
from nacre.data.check import check_choice, check_number
from nacre.models.gradient_base import GradientBooster

LOSSES = ("logistic", "tanh", "gce", "forward", "backward")


class GradientBoostClassifier(GradientBooster):
    r"""Gradient boosting of trees, on the log loss or on one that stands wrong labels.

    Each tree fits minus the gradient of the loss; each of its leaves then takes one Newton step:

    .. math:: F \leftarrow F + \frac{\nu}{2}\,
        \frac{\sum_{i \in leaf} s_i r_i}{\sum_{i \in leaf} s_i h_i}, \qquad
        r_i = c_i\,([y_i = k] - p_{ik}), \qquad
        h_i = c_i\, p_{ik} (1 - p_{ik}) + (1 - c_i) / 4.

    Scores F are half log-odds, :math:`p = 1 / (1 + e^{-2 F})`, and start from the classes' shares.
    :math:`p_i` is the probability of the label given, and :math:`c_i = c(p_i)` how far the loss
    trusts it (with the largest curvature of the log loss where it does not, so that a leaf of rows
    that are given up stays where it is):

    ============ ============================================= =====================================
    loss         :math:`\ell(p)`                               :math:`c(p)`
    ============ ============================================= =====================================
    "logistic"   :math:`-\log p`                               1
    "tanh"       :math:`1 - p = (1 - \tanh yF)/2`              p
    "gce"        :math:`(1 - p^q) / q`                         :math:`p^q`
    "forward"    :math:`-\log((1 - 2e) p + e)`                 :math:`(1-2e) p / ((1-2e) p + e)`
    "backward"   the log loss, noise taken out on average      none: targets beyond 0 and 1
    ============ ============================================= =====================================

    With K > 2 classes :math:`p = \mathrm{softmax}(2 F)`, a round has one tree a class, flips go to
    any other class alike, and steps are (K - 1) / K as long.

    Parameters
    ----------
    estimator : regressor, default=None
        The weak learner: None for a native tree of three levels, a :class:`~nacre.Tree`, or any
        scikit-learn regressor that takes ``sample_weight``.
    n_estimators : int, default=100
        Rounds.
    loss : {"logistic", "tanh", "gce", "forward", "backward"}, default="logistic"
        What to minimise.
    q : float above 0 and up to 1, default=0.7
        The power of "gce": near 0 it is the log loss, at 1 it is "tanh".
    noise_rate : float from 0, default=0.1
        The chance that a label is wrong, for "forward" and "backward"; below (K - 1) / K.
    learning_rate : float, default=0.1
        Shrinkage: the factor of every tree.
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
        By how much each round's values count:
        ``learning_rate`` times 1/2 (times (K - 1) / K for K > 2).
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
    *When it helps.* Most tables. With wrong labels: "gce" and "tanh" (bounded, so that a hopeless
    row is given up), "forward" where the noise rate is known; with early stopping in any case.

    *When it does not.* Bounded losses are not convex: with few rows, or a rare class, they may give
    up rows that are merely hard. "backward" is right on average but unbounded below, and needs
    strong shrinkage or early stopping. The losses for noise take it to be the same for all rows.

    References
    ----------
    .. [1] J. Friedman, "Greedy function approximation: a gradient boosting machine", Annals of
       Statistics 29, 2001.
    .. [2] Z. Zhang, M. Sabuncu, "Generalized cross entropy loss for training deep neural networks
       with noisy labels", Advances in Neural Information Processing Systems 31, 2018.
    .. [3] G. Patrini, A. Rozza, A. Menon, R. Nock, L. Qu, "Making deep neural networks robust to
       label noise: a loss correction approach", Computer Vision and Pattern Recognition, 2017.
    .. [4] N. Natarajan, I. Dhillon, P. Ravikumar, A. Tewari, "Learning with noisy labels", Advances
       in Neural Information Processing Systems 26, 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import GradientBoostClassifier
    >>> from nacre.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, _ = flip_labels(y[::2], 0.3, random_state=0)
    >>> for loss in ("logistic", "tanh"):
    ...     model = GradientBoostClassifier(loss=loss).fit(X[::2], labels)
    ...     print(loss, round(model.score(X[1::2], y[1::2]), 2))
    logistic 0.81
    tanh 0.86
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        loss: str = "logistic",
        q: float = 0.7,
        noise_rate: float = 0.1,
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
        self.loss = loss
        self.q = q
        self.noise_rate = noise_rate
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

    levels = 3

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self.loss, "loss", LOSSES)
        check_number(self.q, "q")
        if self.q > 1:
            raise ValueError(f"q must be at most 1, got {self.q!r}.")
        check_number(self.noise_rate, "noise_rate", zero=True)

    def _aim(self) -> Aim:
        losses: dict[str, Loss] = {
            "logistic": LogLoss(),
            "tanh": TanhLoss(),
            "gce": CrossEntropy(self.q),
            "forward": Forward(self.noise_rate),
            "backward": Backward(self.noise_rate),
        }
        return NegativeGradient(losses[self.loss])

    def _start(self, training: TrainingRows) -> np.ndarray:
        """Half the log-odds of the classes' shares."""
        most = (training.n_classes - 1) / training.n_classes
        if self.loss in ("forward", "backward") and self.noise_rate >= most:
            raise ValueError(
                f"noise_rate must be below {most:g} for {training.n_classes} classes, got "
                f"{self.noise_rate!r}."
            )
        share = np.bincount(training.y, training.weight, training.n_classes)
        logs = 0.5 * np.log(share)
        return np.diff(logs) if training.n_classes == 2 else logs
