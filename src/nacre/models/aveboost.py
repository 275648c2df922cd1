"""AveBoost and AveBoost2: AdaBoost whose weights remember all rounds."""

from __future__ import annotations

from typing import Any

from nacre.boost import Algorithm, AverageBoth, AverageWeights, Exponential
from nacre.data.check import check_choice
from nacre.models.voting_base import VotingBooster


class AveBoostClassifier(VotingBooster):
    r"""AveBoost: AdaBoost whose weights are averaged over the rounds.

    The next distribution over the rows is the mean of all that AdaBoost would have used, so that no
    single round can put much weight on a row that may be mislabelled. In closed form the margins
    move by

    .. math::

        g_t = \tfrac{1}{2} \log\frac{1}{\beta_t \gamma_t}, \qquad
        \beta_t = \frac{\epsilon_t}{1 - \epsilon_t}, \qquad
        \gamma_t = \frac{2 (1 - \epsilon_t) t + 1}{2 \epsilon_t t + 1}

    in round t, which falls off as 1/t. With K > 2 classes SAMME's
    :math:`\tfrac{1}{2} \log(K - 1)` is added, which does not. Version 2 also votes with
    :math:`g_t`; version 1 votes as AdaBoost does.

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner: None for the native stump, another of nacre (:class:`~nacre.Tree`,
        :class:`~nacre.NaiveBayes`, :class:`~nacre.Network`), or any scikit-learn classifier.
    n_estimators : int, default=100
        Rounds.
    version : {1, 2}, default=2
        1 is the algorithm of 2003, 2 that of 2004.
    variant : {"samme", "m1"}, default="samme"
        What more than two classes are handled by: SAMME, or as printed, where an error of 1/2 is
        the end.
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
        Seeds weak learners that need one. The native stump needs none.
    n_jobs : int or None, default=None
        Threads of the native stump; the result is the same for any number.

    Attributes
    ----------
    classes_, estimators_, estimator_weights_, estimator_steps_, estimator_errors_, log_costs_
        As in :class:`~nacre.AdaBoostClassifier`; votes are those of the final ensemble.
    validation_scores_, feature_importances_, n_features_in_, feature_names_in_
        As in :class:`~nacre.AdaBoostClassifier`.
    stop_reason_ : str
        "rounds done", "no better than chance", "perfect", "no better on held-out rows" or "nothing
        to learn".
    link_scale_ : float
        Factor of the votes in ``predict_proba``, fitted to the training rows.

    Notes
    -----
    *When it helps.* Noisy labels and a learner that is strong enough in its own right (naive Bayes,
    trees): later rounds correct it only gently.

    *When it does not.* Stumps on data that need many of them. The steps sum to about
    :math:`\log t`, so the ensemble keeps close to its first hypotheses and underfits.

    The paper prints :math:`\gamma_t` with t as an exponent; the form above is the one that its
    averaging of distributions gives. Its votes are twice these, which changes no prediction.

    References
    ----------
    .. [1] N. Oza, "AveBoost2: Boosting for noisy data", Multiple Classifier Systems, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from nacre import AveBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=3)
    >>> model = AveBoostClassifier(tree, n_estimators=20, random_state=0).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.95
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        version: int = 2,
        variant: str = "samme",
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
        self.version = version
        self.variant = variant
        self.learning_rate = learning_rate
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
        check_choice(self.version, "version", (1, 2))
        check_choice(self.variant, "variant", ("samme", "m1"))

    def _algorithm(self) -> Algorithm:
        step = AverageWeights() if self.version == 1 else AverageBoth()
        return Algorithm(
            Exponential(),
            step,
            samme=self.variant == "samme",
            learning_rate=self.learning_rate,
        )
