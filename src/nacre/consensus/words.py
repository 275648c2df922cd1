"""Naive Bayes and logistic regression on sparse words, which components of text do not exhaust."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from nacre.consensus.task import Task
from nacre.data import TrainingRows, fold_of
from nacre.data.check import check_form
from nacre.data.storable import storable

FOLDS = 5

PATIENCE = 2
"""Strengths that may be no better before the search ends."""

ABSENT = np.log(1e-3)
"""The log-probability of a class that none of the rows of a fit has."""

MOST_ITERATIONS = 100
"""Of L-BFGS, at each strength; the next begins where the last has ended."""

MOST_COEFFICIENTS = 1_000_000
"""Of logistic regression: with more, words times classes, its search takes too much memory."""


@storable
@dataclass(frozen=True, eq=False)
class WordScores:
    """Linear scores of the classes by sparse words.

    Attributes
    ----------
    coefficients : float32 array of shape (words, K)
    base : array of shape (K,)
        The scores of a row without words.
    """

    coefficients: np.ndarray
    base: np.ndarray
    width = 0
    """Columns of numbers that a table must have: none."""

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        check_form(self.base, "base", np.float64, (None,))
        check_form(self.coefficients, "coefficients", np.float32, (None, len(self.base)))

    def scores(self, words: sparse.csr_matrix) -> np.ndarray:
        """Centred log-probabilities, a column a class."""
        if words.shape[1] != len(self.coefficients):
            raise ValueError(
                f"words has {words.shape[1]} columns, but this model has learned from "
                f"{len(self.coefficients)}."
            )
        return np.asarray(words @ self.coefficients + self.base, np.float64)

    def importances(self, d: int) -> np.ndarray:
        """None: it uses no column of numbers."""
        return np.zeros(d)


class OnWords(ABC):
    """A linear model of the classes on sparse words, out of fold.

    Rare words, each of which says much of few rows, are lost in the first components of a text. How
    closely labels are followed is chosen by the forward-corrected log loss.
    """

    strengths: ClassVar[tuple[float, ...]]
    """Tried in turn, until two in a row are no better."""

    @abstractmethod
    def path(
        self, words: sparse.csr_matrix, y: np.ndarray, weight: np.ndarray, n_classes: int
    ) -> Iterator[WordScores]:
        """The model at each of the strengths."""

    def fit(self, task: Task, seed: int) -> tuple[WordScores, np.ndarray]:
        """The model of the best strength, and the out-of-fold scores of rows."""
        training, rows = task.training, task.judged
        part = training if len(rows) == len(training.y) else training.take(rows)
        fold, K = fold_of(part, min(FOLDS, len(rows)), seed), training.n_classes
        outs = [fold == k for k in range(int(fold.max()) + 1)]
        if len(outs) == 1:  # nothing can be held out
            model = WordScores(np.zeros((part.words.shape[1], K), np.float32), np.zeros(K))
            return model, np.zeros((len(training.y), K))
        runs = [self.path(part.words[~o], part.y[~o], task.weight[~o], K) for o in outs]
        losses: list[float] = []
        best = np.zeros((len(rows), K))
        for models in zip(*runs, strict=True):
            held = np.empty((len(rows), K))
            for out, model in zip(outs, models, strict=True):
                held[out] = model.scores(part.words[out])
            losses.append(task.loss_of_judged(held))
            if np.argmin(losses) == len(losses) - 1:
                best = held
            if len(losses) - np.argmin(losses) > PATIENCE:
                break
        whole = self.path(part.words, part.y, task.weight, K)
        model = next(islice(whole, int(np.argmin(losses)), None))
        return model, task.with_held(model, best, model.base, rows)


@dataclass(frozen=True)
class WordBayes(OnWords):
    r"""Multinomial naive Bayes on sparse words, out of fold.

    With the weight :math:`n_{kv}` of word v (its TF-IDF) in the rows of class k, a row's score is

    .. math:: \log \pi_k + \sum_v x_v \log \frac{n_{kv} + a}{\sum_u (n_{ku} + a)}.

    There is next to nothing to fit, so that few texts suffice and wrong labels do little harm [1]_.

    References
    ----------
    .. [1] J. Rennie, L. Shih, J. Teevan, D. Karger, "Tackling the poor assumptions of naive Bayes
       text classifiers", ICML 2003; TF-IDF in the place of counts.
    """

    strengths = (3.0, 1.0, 0.3, 0.1, 0.03)

    def path(
        self, words: sparse.csr_matrix, y: np.ndarray, weight: np.ndarray, n_classes: int
    ) -> Iterator[WordScores]:
        """The model at each smoothing a."""
        label = np.eye(n_classes)[y] * weight[:, None]
        prior, found = np.log(label.sum(axis=0) + 0.5), np.asarray(words.T @ label)
        for smoothing in self.strengths:
            mass = found + smoothing
            yield _centred(np.log(mass / mass.sum(axis=0)), prior)


@dataclass(frozen=True)
class WordLogistic(OnWords):
    """Multinomial logistic regression on sparse words, out of fold, with a quadratic penalty."""

    strengths = (0.06, 0.2, 0.6, 2.0, 6.0, 20.0)
    """Inverse penalties, of rows of length 1 on average."""

    def path(
        self, words: sparse.csr_matrix, y: np.ndarray, weight: np.ndarray, n_classes: int
    ) -> Iterator[WordScores]:
        """The model at each inverse penalty."""
        size, present = words.shape[1], np.unique(y)
        length = max(float(words.multiply(words).sum()) / len(y), np.finfo(float).eps)
        model = LogisticRegression(max_iter=MOST_ITERATIONS, warm_start=True)
        for strength in self.strengths:
            coefficients, base = np.zeros((size, n_classes)), np.full(n_classes, ABSENT)
            if len(present) == 1:
                base[present] = 0.0
            else:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)  # near enough
                    model.set_params(C=strength / length).fit(words, y, weight)
                own, start = model.coef_.T, model.intercept_
                if len(present) == 2:  # the log-odds of the second
                    own, start = np.hstack([-own, own]) / 2.0, np.append(-start, start) / 2.0
                coefficients[:, present], base[present] = own, start
            yield _centred(coefficients, base)


def members_on_words(training: TrainingRows) -> tuple[OnWords, ...]:
    """Those for a table with words: naive Bayes counts them, so none may have a negative weight."""
    words = training.words
    if words is None:
        return ()
    members: list[OnWords] = []
    if words.nnz == 0 or words.data.min() >= 0.0:
        members.append(WordBayes())
    if words.shape[1] * training.n_classes <= MOST_COEFFICIENTS:
        members.append(WordLogistic())
    return tuple(members)


def _centred(coefficients: np.ndarray, base: np.ndarray) -> WordScores:
    """Scores that sum to 0 in every row."""
    coefficients = coefficients - coefficients.mean(axis=1, keepdims=True)
    return WordScores(coefficients.astype(np.float32), base - base.mean())
