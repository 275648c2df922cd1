"""Guyon's information criterion: how surprising a label is to a model of the rows before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from nacre.data import TrainingRows
from nacre.data.check import check_whole
from nacre.data.folds import fit_copy
from nacre.data.seeds import derive_seed
from nacre.data.storable import storable
from nacre.filters.base import LabelFilter, folds_for, ready
from nacre.filters.cut import Threshold
from nacre.filters.score import Scored
from nacre.models.adaboost import AdaBoostClassifier

LEAST = 2.0**-20
"""Probabilities below it count as much: no single row is more than 20 bits."""


@storable
@dataclass(eq=False, repr=False)
class SurpriseFilter(LabelFilter):
    r"""Rows whose labels are improbable, given the rows that came before them.

    Rows come block by block, in a random order. The score of a row is the information that its
    label has, in bits, for a model of all blocks before,

    .. math:: -\log_2 P(y_i \mid x_i, \text{rows before}),

    which is large for rows that are informative and for rows that are garbage; a person was to tell
    them apart.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``, default=None
        None: :class:`~nacre.AdaBoostClassifier` of 100 stumps.
    n_blocks : int, default=10
        The first is judged by nobody: its rows get one bit, which the default cut does not flag.
    n_orders : int, default=1
        How many orders to average over.
    cut : part, default=None
        As in :class:`VoteFilter`; None is ``Threshold(1.0)``: the label has a probability below one
        half.
    random_state : int, RandomState or None, default=None
        Seeds the orders and the models.

    Notes
    -----
    *When it helps.* Rows that arrive one after the other, each of which is to be judged at once.

    *When it does not.* A score depends on the order: early rows are judged by models of few rows,
    the first block not at all. Averaging over orders helps, at their cost; a filter by folds
    (:class:`MarginFilter`) judges every row by most of the others.

    References
    ----------
    .. [1] I. Guyon, N. Matic, V. Vapnik, "Discovering informative patterns and data cleaning",
       Advances in Knowledge Discovery and Data Mining, AAAI Press, 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre.filters import SurpriseFilter
    >>> from nacre.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> found = SurpriseFilter(n_orders=3, random_state=0).fit(X, labels)
    >>> round(float(flipped[found.mislabeled_].mean()), 2)
    0.45
    """

    estimator: Any = None
    _: KW_ONLY
    n_blocks: int = 10
    n_orders: int = 1

    default_cut = Threshold(1.0)

    def _models(self) -> list[Any]:
        return [AdaBoostClassifier() if self.estimator is None else self.estimator]

    def _score(self, training: TrainingRows, seed: int) -> Scored:
        check_whole(self.n_orders, "n_orders", 1)
        model = ready(self._models()[0], training)
        if not hasattr(model, "predict_proba"):
            raise TypeError(f"SurpriseFilter needs probabilities, and {model!r} has none.")
        seeds = [derive_seed(seed, k) for k in range(self.n_orders)]
        blocks = [folds_for(training, self.n_blocks, one) for one in seeds]
        return surprise_scores(training, model, blocks, seed)


def surprise_scores(
    training: TrainingRows, model: Any, blocks: Sequence[np.ndarray], seed: int = 0
) -> Scored:
    """Bits of each label, by copies of a model fitted to the blocks before; means over orders."""
    n, K = len(training.y), training.n_classes
    bits, support = np.zeros(n), np.zeros((n, K))
    for block in blocks:
        chances, own = np.full((n, K), 1.0 / K), np.ones(n)
        fit = fit_copy(model, seed)
        for k in range(1, int(block.max()) + 1):
            here, before = np.flatnonzero(block == k), np.flatnonzero(block < k)
            if len(here) and len(before):
                fitted = fit(training.take(before), k)
                chances[here] = 0.0
                chances[np.ix_(here, fitted.classes_)] = fitted.predict_proba(training.take(here).X)
                own[here] = -np.log2(np.maximum(chances[here, training.y[here]], LEAST))
        bits += own / len(blocks)
        support += chances
    return Scored(bits, support)
