"""MarginBoost.L1: boosting on a bounded cost of the normalised margin."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.utils import Tags

from nacre.boost import (
    Algorithm,
    AllRows,
    Bootstrap,
    ConvexHull,
    Exponential,
    Logistic,
    Sigmoid,
    Tanh,
)
from nacre.boost.cost import Cost
from nacre.data.check import check_choice, check_flag, check_number
from nacre.data.storable import storable
from nacre.models.voting_base import VotingBooster

COSTS = ("tanh", "sigmoid", "logistic", "exponential")


@storable
@dataclass(eq=False, repr=False, kw_only=True)
class MarginBoostClassifier(VotingBooster):
    r"""MarginBoost.L1: votes that sum to 1, and a cost of the margin of your choice.

    In round t the vote :math:`v_t = k / (k + t)` joins the others, and all are rescaled to sum 1,
    so that a row's margin :math:`z` lies in [-1, 1]. Rows are weighted by the slope of the cost
    there,

    .. math:: w_i \propto -c'(z_i), \qquad c(z) = \tfrac{1}{2} (1 - \tanh \lambda z)

    for the default cost: a row far on the wrong side, which may be mislabelled, is given up.

    Parameters
    ----------
    cost : {"tanh", "sigmoid", "logistic", "exponential"}, default="tanh"
        ``"sigmoid"`` is 1 / (1 + exp(slope z)), the tanh cost of half the slope. The last two are
        not bounded.
    slope : float, default=5.0
        Slope of the tanh and sigmoid costs. Large values look at rows near the boundary only.
    k : float or None, default=None
        How long the steps stay large; None for ``n_estimators``. Name it where ``warm_start`` is
        to come to the model of a single fit: else the first rounds are of a smaller ``k``.
    bootstrap : bool, default=True
        Fit each hypothesis to a bootstrap sample. A learner without chance of its own needs it:
        the tanh and sigmoid costs pull equally at z and -z, all margins are 1 or -1 after the first
        round, so the weights are equal again and the same hypothesis would return for ever.
    descent_test : bool, default=False
        Stop where a hypothesis has no larger edge than the ensemble. With bootstrap samples that
        happens by chance within a few rounds.
    random_state : int, RandomState or None, default=None
        Seeds the bootstrap samples, and weak learners that need a seed.

    Attributes
    ----------
    stop_reason_ : str
        "rounds done", "no descent", "perfect", "weights vanished", "no better on held-out rows" or
        "nothing to learn".
    link_scale_ : float
        Factor of the votes in ``predict_proba``, fitted to the training rows.

    Notes
    -----
    There is no ``learning_rate``: a factor of all steps goes when the votes are rescaled.

    *When it helps.* Mislabelled rows far from the boundary, a learner of some strength and chance
    of its own (a small network, a shallow tree), and many rounds.

    *When it does not.* Stumps on data that need fine sums of many of them: votes that sum to 1
    change slowly, and a small ``slope`` makes all rows weigh nearly the same, which is bagging.

    The paper stops "if the edge is at least 0", which would stop at the first useful hypothesis;
    the test here is its correction for votes that sum to 1.

    References
    ----------
    .. [1] L. Mason, J. Baxter, P. Bartlett, M. Frean, "Functional gradient techniques for combining
       hypotheses", Advances in Large Margin Classifiers, 2000.
    .. [2] N. Sano, H. Suzuki, M. Koda, "A robust ensemble learning using zero-one loss function",
       Journal of the Operations Research Society of Japan 50, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import MarginBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = MarginBoostClassifier(n_estimators=200, random_state=0).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.95
    >>> round(float(model.estimator_weights_.sum()), 6)
    1.0
    """

    cost: str = "tanh"
    slope: float = 5.0
    k: float | None = None
    bootstrap: bool = True
    descent_test: bool = False

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self.cost, "cost", COSTS)
        check_number(self.slope, "slope")
        if self.k is not None:
            check_number(self.k, "k")
        check_flag(self.bootstrap, "bootstrap")
        check_flag(self.descent_test, "descent_test")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # With stumps and several classes the ensemble may stay close to its first hypotheses, as
        # one run in four does on three clouds of points.
        tags.classifier_tags.poor_score = True
        return tags

    def _algorithm(self) -> Algorithm:
        costs: dict[str, Cost] = {
            "tanh": Tanh(self.slope),
            "sigmoid": Sigmoid(self.slope),
            "logistic": Logistic(),
            "exponential": Exponential(),
        }
        return Algorithm(
            costs[self.cost],
            ConvexHull(self.k),
            Bootstrap() if self.bootstrap else AllRows(),
            stops=self.descent_test,
        )
