"""GentleBoost: AdaBoost by regressors, in bounded steps."""

from __future__ import annotations

from dataclasses import dataclass

from nacre.boost.gradient import Aim, Label
from nacre.data.storable import storable
from nacre.models.gradient_base import GradientBooster


@storable
@dataclass(eq=False, repr=False, kw_only=True)
class GentleBoostClassifier(GradientBooster):
    r"""GentleBoost: regressors fit the labels themselves, with AdaBoost's weights.

    With y = +1 and -1 and scores F that start from 0,

    .. math:: h_t = \arg\min_h \sum_i s_i\, e^{-y_i F(x_i)} (y_i - h(x_i))^2, \qquad
        F \leftarrow F + \nu h_t.

    A leaf says the difference of the classes' shares, between -1 and 1, where AdaBoost would take
    half their log-odds: no leaf, however pure, takes a large step. With K > 2 classes there is one
    score a class, for that class against the others.

    Notes
    -----
    *When it helps.* Where AdaBoost with real-valued leaves is unstable: pure leaves, data that can
    be separated.

    *When it does not.* The weights are still exponential, so wrong labels come to dominate as they
    do in AdaBoost.

    References
    ----------
    .. [1] J. Friedman, T. Hastie, R. Tibshirani, "Additive logistic regression: a statistical view
       of boosting", Annals of Statistics 28, 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import GentleBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GentleBoostClassifier(n_estimators=50).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.94
    """

    def _aim(self) -> Aim:
        return Label()
