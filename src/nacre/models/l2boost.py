"""L2Boost: least squares on what is left."""

from __future__ import annotations

from dataclasses import dataclass

from nacre.boost.gradient import Aim, Residual
from nacre.data.storable import storable
from nacre.models.gradient_base import GradientBooster


@storable
@dataclass(eq=False, repr=False, kw_only=True)
class L2BoostClassifier(GradientBooster):
    r"""L2Boost: each regressor fits the residuals by least squares.

    With labels y = +1 and -1 and scores F that start from 0,

    .. math:: h_t = \arg\min_h \sum_i w_i (y_i - F(x_i) - h(x_i))^2, \qquad
        F \leftarrow F + \nu h_t.

    With K > 2 classes there is one score a class, for that class against the others.

    Parameters
    ----------
    learning_rate : float, default=0.1
        Shrinkage: the factor of every regressor.

    Attributes
    ----------
    link_scale_ : float
        Factor of the scores in ``predict_proba``, fitted to the training rows.

    Notes
    -----
    *When it helps.* Few rows, many columns, moderate noise: wrong labels are punished by a square
    and no more, and small steps act like a ridge penalty.

    *When it does not.* A score beyond the label (:math:`y F > 1`) counts as an error, so it wastes
    effort on rows that are safely right. Early stopping matters more than with other boosters.

    References
    ----------
    .. [1] P. Buehlmann, B. Yu, "Boosting with the L2 loss: regression and classification", Journal
       of the American Statistical Association 98, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import L2BoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = L2BoostClassifier(n_estimators=200).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.91
    """

    learning_rate: float = 0.1

    def _aim(self) -> Aim:
        return Residual()
