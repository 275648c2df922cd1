"""Modest AdaBoost: hypotheses count less where they also work on rows that are easy already."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacre.boost.gradient import Aim, Label
from nacre.data.storable import storable
from nacre.models.confidence_base import ConfidenceRated, Leaves


@dataclass(frozen=True)
class ModestLabel(Label):
    """Labels with weights exp(-y F), as in GentleBoost; scores are no log-odds."""

    logistic = False


@storable
@dataclass(eq=False, repr=False, kw_only=True)
class ModestAdaBoostClassifier(ConfidenceRated):
    r"""Modest AdaBoost: a leaf says little where it does well on rows of small weight, too.

    With y = +1 and -1, weights :math:`w_i \propto s_i e^{-y_i F(x_i)}` of sum 1 and inverse weights
    :math:`\bar w_i \propto 1 - w_i`, let :math:`W_\pm` and :math:`\bar W_\pm` be the weights of the
    classes in a leaf. It says

    .. math:: h_t = W_+ (1 - \bar W_+) - W_- (1 - \bar W_-), \qquad F \leftarrow F + \nu h_t.

    So a leaf speaks for the share of the weight that it holds, less where it holds many rows of
    that class anyway, and never says more than 1. With K > 2 classes there is one score a class,
    for that class against the others.

    Attributes
    ----------
    link_scale_ : float
        Factor of the scores in ``predict_proba``, fitted to the training rows: they are no
        log-odds.

    Notes
    -----
    *When it helps.* Noisy labels and few rounds: steps are short, and weights stay even.

    *When it does not.* It is slow: the training error stays above AdaBoost's for long, and the
    exponential weights win in the end.

    *Where others differ.* The paper's inverse is :math:`1 - w_i`, as here; for many rows that is
    nearly one weight for all. The GML toolbox of the same author has :math:`1 / w_i`, and divides
    the scores by their sum of sizes before they become weights. JSAT takes the formula for a vote
    of the whole hypothesis rather than of a leaf.

    References
    ----------
    .. [1] A. Vezhnevets, V. Vezhnevets, "Modest AdaBoost: teaching AdaBoost to generalize better",
       Graphicon, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import ModestAdaBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ModestAdaBoostClassifier().fit(X[::2], y[::2])
    >>> round(model.score(X[1::2], y[1::2]), 2)
    0.95
    """

    def _aim(self) -> Aim:
        return ModestLabel()

    def _say(self, leaves: Leaves) -> np.ndarray:
        return leaves.own * (1.0 - leaves.own_easy) - leaves.other * (1.0 - leaves.other_easy)
