"""Naive Bayes and logistic regression on sparse words, which components of text do not exhaust."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from nacre.consensus.path import Coefficients, centred, fit_path, logistic_path
from nacre.consensus.task import Task
from nacre.data import TrainingRows
from nacre.data.check import check_form
from nacre.data.storable import storable

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

    Rare words, each of which says much of few rows, are lost in the first components of a text.
    """

    strengths: ClassVar[tuple[float, ...]]

    @abstractmethod
    def path(
        self, words: sparse.csr_matrix, y: np.ndarray, weight: np.ndarray, n_classes: int
    ) -> Iterator[Coefficients]:
        """The model at each of the strengths."""

    def fit(self, task: Task, seed: int) -> tuple[WordScores, np.ndarray]:
        """The model of the best strength, and the out-of-fold scores of rows."""
        words, rows = task.training.words, task.judged
        if len(rows) < len(task.training.y):
            words = words[rows]
        (coefficients, base), held = fit_path(self.path, words, task, rows, seed)
        model = WordScores(coefficients.astype(np.float32), base)
        return model, task.with_held(model, held, base, rows)


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
    ) -> Iterator[Coefficients]:
        """The model at each smoothing a."""
        label = np.eye(n_classes)[y] * weight[:, None]
        prior, found = np.log(label.sum(axis=0) + 0.5), np.asarray(words.T @ label)
        for smoothing in self.strengths:
            mass = found + smoothing
            yield _narrow(*centred(np.log(mass / mass.sum(axis=0)), prior))


@dataclass(frozen=True)
class WordLogistic(OnWords):
    """Multinomial logistic regression on sparse words, out of fold, with a quadratic penalty."""

    strengths = (0.06, 0.2, 0.6, 2.0, 6.0, 20.0)
    """Inverse penalties, of rows of length 1 on average."""

    def path(
        self, words: sparse.csr_matrix, y: np.ndarray, weight: np.ndarray, n_classes: int
    ) -> Iterator[Coefficients]:
        """The model at each inverse penalty."""
        for found in logistic_path(words, y, weight, n_classes, self.strengths):
            yield _narrow(*found)


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


def _narrow(coefficients: np.ndarray, base: np.ndarray) -> Coefficients:
    """Coefficients as files have them, so that held-out scores are those of the stored model."""
    return coefficients.astype(np.float32), base
