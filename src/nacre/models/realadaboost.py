"""Real AdaBoost: hypotheses that say how sure they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacre.data.check import check_number
from nacre.data.storable import storable
from nacre.models.confidence_base import ConfidenceRated, Leaves


@storable
@dataclass(eq=False, repr=False, kw_only=True)
class RealAdaBoostClassifier(ConfidenceRated):
    r"""Real AdaBoost: each leaf says half the log-odds of the classes in it.

    With y = +1 and -1, weights :math:`w_i \propto s_i e^{-y_i F(x_i)}` of sum 1 and the weight
    :math:`W_\pm` of either class in a leaf,

    .. math:: h_t = \tfrac{1}{2} \log \frac{W_+ + \varepsilon}{W_- + \varepsilon}, \qquad
        F \leftarrow F + \nu h_t.

    For a given tree and :math:`\varepsilon = 0` no other values lower the exponential cost as
    much. With K > 2 classes there is one score a class, for that class against the others
    (AdaBoost.MH as Friedman et al. have it).

    Parameters
    ----------
    smoothing : float, default=1.0
        :math:`\varepsilon`, in rows: 1 stands for 1/n of all weight. It bounds the values of pure
        leaves; 0 would let them grow without bound, so it must be above.

    Notes
    -----
    *When it helps.* Clean labels and leaves that differ in how pure they are: fewer rounds than
    AdaBoost, and probabilities that follow without a fitted scale.

    *When it does not.* Wrong labels: its steps are longer than AdaBoost's.

    *Where others differ.* Schapire and Singer [1]_ grow trees by :math:`\sum 2\sqrt{W_+ W_-}`, the
    cost that is left; Friedman et al. [2]_ take any weighted class probabilities, as here, where
    trees are grown by least squares (Gini's index). Schapire and Singer want
    :math:`\varepsilon` of the order of 1/n; the GML toolbox has the rounding unit instead, and
    scikit-learn, up to 1.5, cut probabilities off there in SAMME.R, which for two classes is this
    algorithm.

    References
    ----------
    .. [1] R. Schapire, Y. Singer, "Improved boosting algorithms using confidence-rated
       predictions", Machine Learning 37, 1999.
    .. [2] J. Friedman, T. Hastie, R. Tibshirani, "Additive logistic regression: a statistical view
       of boosting", Annals of Statistics 28, 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import RealAdaBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RealAdaBoostClassifier(n_estimators=50).fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.95
    """

    smoothing: float = 1.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number(self.smoothing, "smoothing")

    def _say(self, leaves: Leaves) -> np.ndarray:
        little = self.smoothing / leaves.n
        return 0.5 * np.log((leaves.own + little) / (leaves.other + little))
