"""Any composition of a cost, a step and a draw, as an estimator."""

from __future__ import annotations

from dataclasses import dataclass

from nacre.boost import Algorithm
from nacre.data.storable import storable
from nacre.models.voting_base import VotingBooster


@storable
@dataclass(eq=False, repr=False, kw_only=True)
class BoostedClassifier(VotingBooster):
    """Boosting with any cost, step and draw.

    The named boosters (:class:`~nacre.AdaBoostClassifier` and so on) are compositions from the
    papers; this one fits a composition that you give it, also of parts of your own
    (:class:`nacre.boost.CustomCost`, :class:`nacre.boost.CustomStep`).

    Parameters
    ----------
    algorithm : :class:`nacre.boost.Algorithm`, default=None
        The composition; None is AdaBoost (SAMME).
    random_state : int, RandomState or None, default=None
        Seeds draws of rows and weak learners that need one.

    Attributes
    ----------
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
    >>> calm = Algorithm(Logistic(), AverageBoth())
    >>> model = BoostedClassifier(algorithm=calm).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.92
    """

    algorithm: Algorithm | None = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.algorithm is not None and not isinstance(self.algorithm, Algorithm):
            raise TypeError(f"algorithm must be a nacre.boost.Algorithm, got {self.algorithm!r}.")

    def _algorithm(self) -> Algorithm:
        return Algorithm() if self.algorithm is None else self.algorithm
