"""The noise rate and matrix from out-of-fold probabilities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from nacre.data import TrainingRows, fold_of, out_of_fold_probabilities
from nacre.data.folds import sample_rows
from nacre.noise.judge import JUDGES, judge
from nacre.noise.noise_model import log_scores
from nacre.noise.quality import NoiseRate

LARGEST = float(np.finfo(np.float32).max)
"""Scikit-learn's trees take no larger numbers."""


@dataclass(frozen=True)
class OutOfFold:
    r"""Estimate the noise rate from how a cross-validated model's confidence meets the labels.

    With :math:`s(x)` the log-probabilities of a row by a model that has not seen it, centred and
    brought to one scale, calibration gives the true class: a temperature, then a slope and a shift
    for each class (of two classes, beta calibration [1]_). The given label comes of it by a noise
    matrix :math:`T` (the forward model [2]_; for a clean row :math:`T` is the identity):

    .. math:: P(\tilde y = j \mid x) = \sum_k p_k(x)\, T_{kj}, \qquad
        p(x) = \mathrm{softmax}_k\bigl(b_k \log \mathrm{softmax}(a\, s(x))_k + c_k\bigr).

    Where classes overlap, labels disagree with the model the more the less sure it is; where labels
    are wrong anywhere, they also disagree where it is surest. That tells :math:`p` and :math:`T`
    apart. Bayesian model averaging is over four hypotheses, with their weights beforehand: no label
    is wrong (.46), one rate :math:`e` for all classes (.38), a rate for each class (.06), and the
    scores say nothing (.1). Priors are normal: :math:`\log a` about 0.7 (deviation 1),
    :math:`\log b_k` about 0 (.5), :math:`c_k` about 0 (.7), the log-odds of each class's rate about
    those of :math:`e` (2), the logs of where its flips go about each other (2; anywhere, if there
    are more than ten classes, fewer than five rows for each pair, or if scores tell less than half
    of the labels); :math:`e` is uniform up to 1/2. The evidence of each hypothesis is found by
    Laplace's method at its MAP numbers, so that every number pays for what it could have been;
    :math:`a` is averaged over by three Gauss-Hermite points.

    Wrong labels that follow the overlap (near the boundary, or along the columns) and overlap
    itself give the same labels for the same scores, so no likelihood tells them apart. How far they
    are believed is therefore stated: with 10 %, true classes overlap less than labels do (:math:`p`
    is raised to a power of 1.5, 2.5 or 60), and what labels overlap more is noise. Clean rows, and
    only these, change that belief; most so where their labels are known as they were before they
    were checked (``original`` of :func:`nacre.judge_labels`). Without them, the interval of classes
    that overlap reaches from 0 up to about all of the disagreement, and :class:`NoiseRate` says so
    (``settled``, ``rows_to_check``). No rate above 1/2 is said, unless checked rows show it.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``, optional
        The model. It gets the table as it was given, and labels as codes 0, 1, ... Default: trees
        split at random, on a table read as nacre's own learners read it.
    n_folds : int, default=5

    Notes
    -----
    *When it helps.* No trusted rows are needed, and rates may differ by class. It asks that some
    rows of each class be sure but for the noise. Clean rows, where there are any, help much to
    tell noise from overlap.

    *When it does not.* Where classes overlap nearly everywhere, the result leans on what was
    believed beforehand, and the interval is wide. The better the model tells classes apart, the
    more it can say: what a weak one fails to tell apart looks like overlap. The interval is of
    chance and of what is said above, not of everything in which the model may fail.

    Of more than 5000 rows a random sample is used, half of it clean where there are so many.

    ``benchmarks/noise_rate.py`` sets its errors beside cleanlab's on the same model, on thirteen
    sets with 5 to 40 % of the labels flipped.

    References
    ----------
    .. [1] M. Kull, T. Silva Filho, P. Flach, "Beta calibration: a well-founded and easily
       implemented improvement on logistic calibration for binary classifiers", AISTATS 2017.
    .. [2] G. Patrini et al., "Making deep neural networks robust to label noise: a loss correction
       approach", CVPR 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from nacre.noise import OutOfFold, estimate_noise_rate, flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, _ = flip_labels(y, 0.2, random_state=0)
    >>> method = OutOfFold(GaussianNB(), n_folds=3)
    >>> bool(abs(estimate_noise_rate(X, labels, method=method, random_state=0).rate - 0.2) < 0.05)
    True
    """

    estimator: Any = None
    n_folds: int = 5

    @property
    def native(self) -> bool:
        """Whether the table is to be read as numbers and category codes."""
        return self.estimator is None

    def estimate(
        self,
        training: TrainingRows,
        classes: np.ndarray,
        clean: np.ndarray,
        rng: np.random.RandomState,
    ) -> NoiseRate:
        """The rate among the rows that are not clean."""
        self._check(len(training.y))
        seed = rng.randint(2**31 - 1)
        rows = sample_rows(clean, JUDGES, seed, training.units)
        part = training.take(rows)
        model = default_model(seed) if self.estimator is None else self.estimator
        fold = fold_of(part, self.n_folds, seed)
        if self.native:
            part = replace(part, X=np.clip(part.X, -LARGEST, LARGEST))
        scores = log_scores(out_of_fold_probabilities(part, fold, model, seed))
        weight = part.weight if np.ptp(part.weight) > 0.0 else None
        return judge(scores, part.y, clean[rows], classes, weight)[0].noise

    def _check(self, n: int) -> None:
        if not isinstance(self.n_folds, (int, np.integer)) or not 2 <= self.n_folds <= n:
            raise ValueError(
                f"n_folds must be a whole number from 2 to {n}, the number of rows; "
                f"got {self.n_folds!r}."
            )
        if self.estimator is not None and not hasattr(self.estimator, "predict_proba"):
            raise TypeError(f"estimator must have predict_proba, got {self.estimator!r}.")


def default_model(seed: int) -> Any:
    """The classifier used where none is given."""
    return ExtraTreesClassifier(100, min_samples_leaf=10, random_state=seed)
