"""LogitBoost: Newton steps on the logistic likelihood."""

from __future__ import annotations

from dataclasses import dataclass

from nacre.boost.gradient import Aim, WorkingResponse
from nacre.data.storable import storable
from nacre.models.gradient_base import GradientBooster


@storable
@dataclass(eq=False, repr=False, kw_only=True)
class LogitBoostClassifier(GradientBooster):
    r"""LogitBoost: each regressor takes a Newton step on the logistic likelihood.

    With y = 1 or 0, :math:`p = 1 / (1 + e^{-2 F})` and scores F that start from 0, h fits the
    working response by weighted least squares:

    .. math:: z_i = \frac{y_i - p_i}{p_i (1 - p_i)}, \qquad w_i = s_i\, p_i (1 - p_i), \qquad
        F \leftarrow F + \nu\, h / 2.

    Responses are clipped to -4 and 4. With K > 2 classes :math:`p = \mathrm{softmax}(2 F)`, there
    is one regressor a class, and steps are (K - 1) / K as long.

    Attributes
    ----------
    estimator_weights_ : ndarray
        By how much each round's values count:
        ``learning_rate`` times 1/2 (times (K - 1) / K for K > 2).

    Notes
    -----
    *When it helps.* The logistic loss grows linearly, not exponentially, with a wrong margin, so
    it stands more noise than AdaBoost and gives better probabilities.

    *When it does not.* A row that is far on the wrong side keeps its clipped response for ever:
    under much noise use a bounded loss of :class:`~nacre.GradientBoostClassifier`.

    References
    ----------
    .. [1] J. Friedman, T. Hastie, R. Tibshirani, "Additive logistic regression: a statistical view
       of boosting", Annals of Statistics 28, 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import LogitBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogitBoostClassifier(n_estimators=50).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.95
    """

    def _aim(self) -> Aim:
        return WorkingResponse()
