"""Naive Bayes as a weak learner: counts of categories, Gaussians of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nacre.data import TrainingRows
from nacre.data.check import check_number
from nacre.data.standardize import Standardizer
from nacre.data.storable import storable
from nacre.kernels import naive_bayes as kernel
from nacre.kernels.naive_bayes import MEAN, NARROWNESS, TILE
from nacre.learners.soft import Shown, SoftFitter, SoftHypotheses, SoftLearner


@storable
class NaiveBayes(SoftLearner):
    r"""Naive Bayes: columns are taken to be independent, given the class.

    The class said for a row is the one of the largest

    .. math::

        \log \pi_k + \sum_{j \text{ number}} \log N(x_j;\, \mu_{jk}, \sigma_{jk}^2)
        + \sum_{j \text{ category}} \log \frac{n_{jk}(x_j) + a}{n_{jk} + a\, m_j},

    with the weighted share :math:`\pi_k` of class k, weighted means and variances of the numbers,
    and the weight :math:`n_{jk}(v)` of the rows of class k that hold category v, of the
    :math:`m_j` known ones; :math:`a` is ``smoothing``. Weights are scaled so that they sum to the
    number of rows. Missing values add nothing, in training and later; unknown categories count as
    missing.

    Parameters
    ----------
    smoothing : float, default=1.0
        Rows of each class that every category is given on top of its own (Laplace's rule).
    var_smoothing : float, default=1e-9
        Share of a column's variance that is added to its variance in each class.
    categorical_features : columns (numbers, names or a mask), optional
        Columns that hold categories. Columns of a data frame with a categorical type are
        categories in any case. Of each, the commonest 255 values are known.

    Attributes
    ----------
    rule_ : Beliefs
        What was found, to be read: ``prior``, ``numbers`` and ``categories``.
    classes_ : ndarray
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only where ``X`` has column names.

    See Also
    --------
    sklearn.naive_bayes.CategoricalNB, sklearn.naive_bayes.GaussianNB : The same for one kind of
        column, without missing values.

    Notes
    -----
    *When it helps.* Many columns that each say a little, categories, gaps, and few rows: there is
    little to learn, and it is learned at once.

    *When it does not.* Classes that only a combination of columns tells apart, and skewed numbers,
    which are no Gaussians. It varies little with the weights, so that boosting it often ends after
    a few rounds: no hypothesis is better than chance by then.

    scikit-learn adds a share of the largest variance among all columns, so that a column of large
    numbers hides columns of small ones; here the share is of the column's own. A class without
    values in a column of numbers is given the mean and the variance of all rows.

    References
    ----------
    .. [1] D. Hand, K. Yu, "Idiot's Bayes: not so stupid after all?", International Statistical
       Review 69, 2001.
    .. [2] C. Elkan, "Boosting and naive Bayesian learning", report CS97-557, University of
       California, San Diego, 1997.

    Examples
    --------
    >>> from nacre import NaiveBayes
    >>> X = [["red", 1.0], ["red", 2.0], ["blue", 5.0], ["blue", None]]
    >>> model = NaiveBayes(categorical_features=[0]).fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([["blue", None], ["green", 1.2]]).tolist()
    ['yes', 'no']
    >>> model.rule_.prior, model.rule_.categories
    ((0.5, 0.5), {0: {0.0: (0.25, 0.75), 1.0: (0.75, 0.25)}})
    >>> from nacre import AdaBoostClassifier
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> boosted = AdaBoostClassifier(NaiveBayes(), n_estimators=20).fit(X[::2], y[::2])
    >>> round(boosted.score(X[1::2], y[1::2]), 2)
    0.93
    """

    def __init__(
        self,
        smoothing: float = 1.0,
        *,
        var_smoothing: float = 1e-9,
        categorical_features: Any = None,
    ) -> None:
        self.smoothing = smoothing
        self.var_smoothing = var_smoothing
        self.categorical_features = categorical_features

    def prepare(self, training: TrainingRows, n_jobs: int = 1) -> BayesFitter:
        """Bring numbers to standard units and categories to places, once for all rounds."""
        check_number(self.smoothing, "smoothing")
        check_number(self.var_smoothing, "var_smoothing")
        return BayesFitter(training, float(self.smoothing), float(self.var_smoothing))


@dataclass(frozen=True)
class Beliefs(Shown):
    """One naive Bayes in words a person can read; classes are codes, in their order.

    Attributes
    ----------
    prior : share of the weight that each class has
    numbers : for each column of numbers, mean and standard deviation in each class
    categories : for each categorical column and value, its probability in each class
    """

    prior: tuple[float, ...]
    numbers: dict[int, tuple[tuple[float, float], ...]]
    categories: dict[int, dict[float, tuple[float, ...]]]


@storable
class BayesHypotheses(SoftHypotheses):
    """Naive Bayes hypotheses: the arrays that :mod:`nacre.kernels.naive_bayes` describes."""

    def _show(self, alone: Any, *parts: np.ndarray) -> Beliefs:
        prior, curves, tables = parts
        columns = self.columns
        mean = columns.mean[:, None] + columns.scale[:, None] * curves[..., MEAN]
        deviation = columns.scale[:, None] / np.sqrt(2.0 * curves[..., NARROWNESS])
        pairs = np.stack([mean, deviation], axis=2).tolist()
        numbers = zip(columns.numeric.tolist(), pairs, strict=True)
        return Beliefs(
            tuple(np.exp(prior).tolist()),
            {j: tuple((mean, deviation) for mean, deviation in one) for j, one in numbers},
            columns.by_category([tuple(one) for one in np.exp(tables).T.tolist()]),
            alone=alone,
        )

    def _shapes(self) -> tuple[tuple[int, ...], ...]:
        return bayes_shapes(len(self), self.columns, self.n_classes)

    def _put_out(self, numbers: np.ndarray, places: np.ndarray, t: int, out: np.ndarray) -> None:
        kernel.put_out(numbers, places, 0, out.shape[1], *(part[t] for part in self.parts), out)

    def _vote(
        self, numbers: np.ndarray, places: np.ndarray, votes: np.ndarray, totals: np.ndarray
    ) -> None:
        outputs = np.empty((self.n_classes, TILE))
        kernel.vote_all(numbers, places, *self.parts, votes, outputs, totals)


def bayes_shapes(count: int, columns: Standardizer, n_classes: int) -> tuple[tuple[int, ...], ...]:
    """The shapes of the arrays of so many naive Bayes."""
    return (
        (count, n_classes),
        (count, len(columns.numeric), n_classes, 3),
        (count, n_classes, columns.firsts[-1]),
    )


class BayesFitter(SoftFitter):
    """Fits naive Bayes to row weights, which are scaled to count as rows."""

    kind = BayesHypotheses

    def __init__(self, training: TrainingRows, smoothing: float, var_smoothing: float) -> None:
        super().__init__(training)
        self.smoothing = smoothing, var_smoothing
        self.n_rows = len(training.y) if training.count is None else training.count.sum()
        self.rows = kernel.Rows(
            self.numbers, self.places, self.columns.firsts, self.starts, self.order
        )
        self.outputs = np.empty((self.n_classes, TILE))

    def room(self, count: int) -> tuple[np.ndarray, ...]:
        """Arrays for so many hypotheses."""
        return tuple(map(np.empty, bayes_shapes(count, self.columns, self.n_classes)))

    def fit(self, weights: np.ndarray, seed: int = 0) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """Fit to row weights; return the arrays found and the class codes said for the rows."""
        w = self.scaled(weights, self.n_rows)
        found = tuple(part[0] for part in self.room(1))
        kernel.fit(self.rows, w, *self.smoothing, *found)
        said = np.empty(len(w), np.int64)
        kernel.say_all(self.rows, *found, self.outputs, said)
        return found, said
