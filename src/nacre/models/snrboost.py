"""SNRBoost: boosting on the zero-one cost itself."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.utils import Tags

from nacre.boost import Algorithm, AllRows, Bootstrap, ConvexHull, ZeroOne
from nacre.data.check import check_flag, check_number, check_whole
from nacre.data.storable import storable
from nacre.models.voting_base import VotingBooster


@storable
@dataclass(eq=False, repr=False, kw_only=True)
class SNRBoostClassifier(VotingBooster):
    r"""SNRBoost: MarginBoost.L1 on the zero-one cost, by stochastic noise reaction.

    The step 1[z < 0] has no derivative. Shaken by Gaussian noise :math:`\xi` of variance
    :math:`\sigma^2` it has one, which M draws estimate without ever differentiating:

    .. math:: d(z) = \frac{1}{\sigma^2 M} \sum_{j=1}^{M} 1[z + \xi_j < 0]\, \xi_j
              \;\longrightarrow\; -\frac{1}{\sigma}\, \varphi(z / \sigma)

    Rows are weighted by -d of their normalised margin; the limit on the right holds exactly for
    many draws (Stein's identity).

    Parameters
    ----------
    sigma2 : float, default=0.1
        Variance of the noise. Small values look at rows near the boundary only.
    draws : int or None, default=None
        M; None is the limit of many draws, which is free of sampling error and as fast. The paper
        uses 100.
    k, bootstrap, descent_test
        As in :class:`~nacre.MarginBoostClassifier`: the bell, too, is even in z.
    random_state : int, RandomState or None, default=None
        Seeds the draws and bootstrap samples, and weak learners that need a seed.

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

    *When it helps.* As :class:`~nacre.MarginBoostClassifier`, whose tanh cost it resembles.

    *When it does not.* A small ``sigma2`` with sampled ``draws``: after the first round every
    margin is 1 or -1, no draw reaches that far, all weights are exactly 0 and boosting stops
    ("weights vanished"). An implementation that goes on there is driven by the rounding error of
    the draws' mean. ``draws=None`` goes on.

    References
    ----------
    .. [1] N. Sano, H. Suzuki, M. Koda, "A robust ensemble learning using zero-one loss function",
       Journal of the Operations Research Society of Japan 50, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import SNRBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SNRBoostClassifier(n_estimators=200, random_state=0).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.93
    """

    sigma2: float = 0.1
    draws: int | None = None
    k: float | None = None
    bootstrap: bool = True
    descent_test: bool = False

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number(self.sigma2, "sigma2")
        if self.draws is not None:
            check_whole(self.draws, "draws", 2)
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
        return Algorithm(
            ZeroOne(self.sigma2, self.draws),
            ConvexHull(self.k),
            Bootstrap() if self.bootstrap else AllRows(),
            stops=self.descent_test,
        )
