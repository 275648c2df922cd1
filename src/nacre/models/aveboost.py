"""AveBoost and AveBoost2: AdaBoost whose weights remember all rounds."""

from __future__ import annotations

from dataclasses import dataclass

from nacre.boost import Algorithm, AverageBoth, AverageWeights, Exponential
from nacre.data.check import check_choice
from nacre.data.storable import storable
from nacre.models.voting_base import VotingBooster


@storable
@dataclass(eq=False, repr=False, kw_only=True)
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
    version : {1, 2}, default=2
        1 is the algorithm of 2003, 2 that of 2004.
    variant : {"samme", "m1"}, default="samme"
        What more than two classes are handled by: SAMME, or as printed, where an error of 1/2 is
        the end.
    learning_rate : float, default=1.0
        Factor of every vote.

    Attributes
    ----------
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

    version: int = 2
    variant: str = "samme"
    learning_rate: float = 1.0

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
