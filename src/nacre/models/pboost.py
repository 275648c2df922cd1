"""p-boosting: capacity control by a p-convex hull."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.utils import Tags

from nacre.boost import Algorithm, Exponential, Gravity, NaiveHull, SloppyHull, Step, StrictHull
from nacre.data.check import check_choice, check_number
from nacre.data.storable import storable
from nacre.models.voting_base import VotingBooster

VARIANTS = ("sloppy", "strict", "naive", "gravity")


@storable
@dataclass(eq=False, repr=False, kw_only=True)
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

    Attributes
    ----------
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

    The thesis leaves open whether the sloppy form weighs rows by the margins of the normalised
    votes, as here, or by margins that are not normalised, which :class:`nacre.boost.RawHull` does.

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

    variant: str = "sloppy"
    p: float = 1.0
    acceleration: float = 0.0
    gravity: float = 0.01
    learning_rate: float = 1.0

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
