"""p-boosting: capacity control by a p-convex hull."""

from __future__ import annotations

from typing import Any

from sklearn.utils import Tags

from nacre.boost import Algorithm, Exponential, Gravity, NaiveHull, SloppyHull, Step, StrictHull
from nacre.data.check import check_choice, check_number
from nacre.models.voting_base import VotingBooster

VARIANTS = ("sloppy", "strict", "naive", "gravity")


class PBoostClassifier(VotingBooster):
    r"""p-boosting: AdaBoost with votes held to a p-norm.

    All but two variants keep :math:`\sum_t |b_t|^p = 1`: after each step the votes are divided by
    :math:`(1 + a^p)^{1/p}`. That bounds the margins, so the exponential cost cannot run away on a
    mislabelled row; the smaller p, the smaller the set of ensembles.

    =========  ====================================================================================
    variant    step
    =========  ====================================================================================
    sloppy     :math:`a = \frac{1}{2} \log((1 - \epsilon) / \epsilon)`, AdaBoost's, then rescale
    strict     the a > 0 of least cost after rescaling; stop where none beats standing still
    naive      AdaBoost, whose votes are raised to the power 1/p at the end
    gravity    the a of least mean cost plus ``gravity`` times the p-norm of the votes
    =========  ====================================================================================

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner: None for the native stump, another of nacre (:class:`~nacre.Tree`,
        :class:`~nacre.NaiveBayes`, :class:`~nacre.Network`), or any scikit-learn classifier.
    n_estimators : int, default=100
        Rounds.
    variant : {"sloppy", "strict", "naive", "gravity"}, default="sloppy"
    p : float, default=1.0
        The norm.
    acceleration : float, default=0.0
        Sloppy only: cost exp(-z t^acceleration) and steps divided by t^acceleration, so that the
        cost sharpens as rounds go by.
    gravity : float, default=0.01
        Gravity only: weight of the norm.
    learning_rate : float, default=1.0
        Factor of every step.
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
        "rounds done", "no better than chance", "perfect", "no descent", "no better on held-out
        rows" or "nothing to learn".
    link_scale_ : float
        Factor of the votes in ``predict_proba``: 1 for the gravity variant, else fitted to the
        training rows.

    Notes
    -----
    *When it helps.* Few rows, noisy labels: sloppy with p = 2 overfits less than AdaBoost.

    *When it does not.* Strict with p < 1 stops almost at once: the hull is not convex, and from
    its corners every step goes uphill. Naive changes the final votes but not the run that made
    them.

    References
    ----------
    .. [1] J. Barnes, "Capacity control in boosting using a p-convex hull", honours thesis,
       Australian National University, 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import PBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = PBoostClassifier(n_estimators=200).fit(X[::2], y[::2])
    >>> round(float(model.estimator_weights_.sum()), 6)
    1.0
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        variant: str = "sloppy",
        p: float = 1.0,
        acceleration: float = 0.0,
        gravity: float = 0.01,
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
        self.variant = variant
        self.p = p
        self.acceleration = acceleration
        self.gravity = gravity
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
        check_choice(self.variant, "variant", VARIANTS)
        check_number(self.p, "p")
        check_number(self.acceleration, "acceleration", zero=True)
        check_number(self.gravity, "gravity", zero=True)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # Margins within [-1, 1] leave the weights nearly equal: with stumps and several classes the
        # ensemble stays close to its first hypotheses.
        tags.classifier_tags.poor_score = True
        return tags

    def _algorithm(self) -> Algorithm:
        steps: dict[str, Step] = {
            "sloppy": SloppyHull(self.p, self.acceleration),
            "strict": StrictHull(self.p),
            "naive": NaiveHull(self.p),
            "gravity": Gravity(self.p, self.gravity),
        }
        return Algorithm(Exponential(), steps[self.variant], learning_rate=self.learning_rate)
