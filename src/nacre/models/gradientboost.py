"""Gradient boosting, on the log loss or one that stands wrong labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nacre.boost.gradient import Aim, NegativeGradient
from nacre.boost.loss import Backward, CrossEntropy, Forward, LogLoss, Loss, TanhLoss
from nacre.data import TrainingRows
from nacre.data.check import check_choice
from nacre.data.storable import storable
from nacre.models.gradient_base import GradientBooster

LOSSES: dict[str, Loss] = {"logistic": LogLoss(), "tanh": TanhLoss(), "gce": CrossEntropy()}


@storable
@dataclass(eq=False, repr=False, kw_only=True)
class GradientBoostClassifier(GradientBooster):
    r"""Gradient boosting of trees, on the log loss or on one that stands wrong labels.

    Each tree fits minus the gradient of the loss; each of its leaves then takes one Newton step:

    .. math:: F \leftarrow F + \frac{\nu}{2}\,
        \frac{\sum_{i \in leaf} s_i r_i}{\sum_{i \in leaf} s_i h_i}, \qquad
        r_i = c_i\,([y_i = k] - p_{ik}), \qquad
        h_i = c_i\, p_{ik} (1 - p_{ik}) + (1 - c_i) / 4.

    Scores F are half log-odds, :math:`p = 1 / (1 + e^{-2 F})`, and start from the classes' shares.
    :math:`p_i` is the probability of the label given, and :math:`c_i = c(p_i)` how far the loss
    trusts it (with the largest curvature of the log loss where it does not, so that a leaf of rows
    that are given up stays where it is). :math:`h_i` is at least :math:`|r_i| / 40`, so that no
    leaf steps further than 40 in log-odds: without a bound, wrong labels among many classes make
    boosting diverge.

    ================ ======================================== ====================================
    loss             :math:`\ell(p)`                          :math:`c(p)`
    ================ ======================================== ====================================
    "logistic"       :math:`-\log p`                          1
    "tanh"           :math:`1 - p = (1 - \tanh yF)/2`         p
    CrossEntropy(q)  :math:`(1 - p^q) / q`                    :math:`p^q`
    Forward(rate=e)  :math:`-\log((1 - 2e) p + e)`            :math:`(1-2e) p / ((1-2e) p + e)`
    Backward(rate=e) the log loss, noise taken out on average none: targets beyond 0 and 1
    ================ ======================================== ====================================

    With K > 2 classes :math:`p = \mathrm{softmax}(2 F)`, a round has one tree a class, flips go to
    any other class alike, and steps are (K - 1) / K as long.

    Parameters
    ----------
    estimator : regressor, default=None
        The weak learner: None for a native tree of three levels, a :class:`~nacre.Tree`, or any
        scikit-learn regressor that takes ``sample_weight``.
    loss : {"logistic", "tanh", "gce"} or a loss of :mod:`nacre.boost`, default="logistic"
        What to minimise. :class:`~nacre.boost.CrossEntropy`, :class:`~nacre.boost.Forward` and
        :class:`~nacre.boost.Backward` have a parameter: a power q above 0 and up to 1 (near 0 it is
        the log loss, at 1 it is "tanh"; "gce" is q = 0.7), and the chance e that a label is wrong,
        below (K - 1) / K.
    learning_rate : float, default=0.1
        Shrinkage: the factor of every tree.

    Attributes
    ----------
    estimator_weights_ : ndarray
        By how much each round's values count:
        ``learning_rate`` times 1/2 (times (K - 1) / K for K > 2).

    Notes
    -----
    *When it helps.* Most tables. With wrong labels: "gce" and "tanh" (bounded, so that a hopeless
    row is given up), ``Forward`` where the noise rate is known; with early stopping in any case.

    *When it does not.* Bounded losses are not convex: with few rows, or a rare class, they may give
    up rows that are merely hard. ``Backward`` is right on average but unbounded below, and needs
    strong shrinkage or early stopping. The losses for noise take it to be the same for all rows.

    References
    ----------
    .. [1] J. Friedman, "Greedy function approximation: a gradient boosting machine", Annals of
       Statistics 29, 2001.
    .. [2] Z. Zhang, M. Sabuncu, "Generalized cross entropy loss for training deep neural networks
       with noisy labels", Advances in Neural Information Processing Systems 31, 2018.
    .. [3] G. Patrini, A. Rozza, A. Menon, R. Nock, L. Qu, "Making deep neural networks robust to
       label noise: a loss correction approach", Computer Vision and Pattern Recognition, 2017.
    .. [4] N. Natarajan, I. Dhillon, P. Ravikumar, A. Tewari, "Learning with noisy labels", Advances
       in Neural Information Processing Systems 26, 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import GradientBoostClassifier
    >>> from nacre.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, _ = flip_labels(y[::2], 0.3, random_state=0)
    >>> for loss in ("logistic", "tanh"):
    ...     model = GradientBoostClassifier(loss=loss).fit(X[::2], labels)
    ...     print(loss, round(model.score(X[1::2], y[1::2]), 2))
    logistic 0.81
    tanh 0.86
    """

    loss: str | Loss = "logistic"
    learning_rate: float = 0.1

    levels = 3

    def _check_parameters(self) -> None:
        super()._check_parameters()
        named_loss(self.loss)

    def _aim(self) -> Aim:
        return NegativeGradient(named_loss(self.loss))

    def _start(self, training: TrainingRows) -> np.ndarray:
        """Half the log-odds of the classes' shares."""
        most = (training.n_classes - 1) / training.n_classes
        if isinstance(self.loss, Forward | Backward) and self.loss.rate >= most:
            raise ValueError(
                f"The rate of loss={self.loss} must be below {most:g} for {training.n_classes} "
                "classes."
            )
        share = np.bincount(training.y, training.weight, training.n_classes)
        logs = 0.5 * np.log(share)
        return np.diff(logs) if training.n_classes == 2 else logs


def named_loss(loss: Any) -> Loss:
    """A loss, or the one of that name."""
    if isinstance(loss, Loss) and not isinstance(loss, type):
        return loss
    if loss in ("forward", "backward"):
        part = f"{loss.title()}(rate=0.1)"
        raise ValueError(f"loss={loss!r} needs a noise rate: use loss={part} of nacre.boost.")
    check_choice(loss, "loss", tuple(LOSSES))
    return LOSSES[str(loss)]
