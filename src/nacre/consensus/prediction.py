"""What a fitted classifier says about rows: the members' blended scores, and probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from nacre.bins.cuts import Rows
from nacre.consensus.blend import blas, importances
from nacre.consensus.crossfit import CrossFitted
from nacre.consensus.linear import Linear
from nacre.consensus.members import BaggedTrees, BayesFolds
from nacre.consensus.ridge import Landmarks
from nacre.consensus.task import Fitted
from nacre.consensus.words import WordScores
from nacre.data import read_rows
from nacre.data.check import check_form
from nacre.data.reduce import Reducer, read_sparse
from nacre.data.training import check_noted
from nacre.models.base import workers
from nacre.noise.judge import judge
from nacre.noise.noise_model import NoiseModel
from nacre.noise.quality import LabelQuality, NoiseRate

ROWS_AT_ONCE = 1024
"""Rows that are predicted together, by one thread: their bins stay in its cache."""


class BlendPredictor(ClassifierMixin, BaseEstimator):
    """Prediction by fitted members, their weights and a noise model; ``fit`` is the subclass's."""

    n_jobs: int | None
    classes_: np.ndarray
    n_features_in_: int
    noise_: NoiseRate
    _members: list[Fitted]
    _weights: np.ndarray
    _noise_model: NoiseModel
    _reducer: Reducer | None

    def _read(self, X: Any) -> tuple[np.ndarray, Any]:
        """Rows to predict, as those of the training table were read, and their words."""
        if self._reducer is not None:
            return self._reducer.read(X), self._reducer.words(X)
        return read_rows(self, read_sparse(X).toarray() if sparse.issparse(X) else X), None

    def predict_proba(self, X: Any, words: Any = None) -> np.ndarray:
        """Probabilities of the true classes, wrong labels allowed for.

        ``words`` are those that :meth:`nacre.data.Schema.words` reads, where the model has learned
        from a table with text.
        """
        check_is_fitted(self)
        rows, own = self._read(X)
        return self._noise_model.true_classes(self._scores(rows, own if words is None else words))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable true class of each row, the first of ``classes_`` among equals."""
        chances = self.predict_proba(X)
        out: np.ndarray = self.classes_[chances.argmax(axis=1)]
        return out

    def decision_function(self, X: Any) -> np.ndarray:
        """Log-odds of ``classes_[1]``; of more than two classes, centred log-probabilities."""
        logs = np.log(np.maximum(self.predict_proba(X), np.finfo(float).tiny))
        if logs.shape[1] == 2:
            return logs[:, 1] - logs[:, 0]
        out: np.ndarray = logs - logs.mean(axis=1, keepdims=True)
        return out

    @property
    def feature_importances_(self) -> np.ndarray:
        """The gain of the splits on each column, as a share, by the members' weights."""
        check_is_fitted(self)
        if self._reducer is None:
            return importances(self._members, self.n_features_in_, self._weights)
        used = importances(self._members, self._reducer.rank, self._weights)
        return self._reducer.importances(used)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def recalibrate(
        self, X: np.ndarray, given: np.ndarray, clean: np.ndarray, words: Any = None
    ) -> LabelQuality:
        """Fit the noise model anew, to rows that were not learned from; judge their labels.

        Where many rows will be judged by the model itself rather than out of fold, this is the
        noise model of just such scores. Parameters as of :meth:`label_posterior`.
        """
        scores, rows = self._scores(X, words), np.arange(len(given))
        found, self._noise_model = judge(scores, given, clean, self.classes_, rows=rows)
        return found

    def label_posterior(
        self, X: np.ndarray, given: np.ndarray, clean: np.ndarray, words: Any = None
    ) -> np.ndarray:
        """The posterior of the true classes of rows that were not learned from.

        Parameters
        ----------
        X : array of shape (n, d), as the model has learned from
        given : the labels, as places in ``classes_``
        clean : boolean mask of rows whose labels are trusted
        words : what :meth:`nacre.data.Schema.words` reads, where there is text
        """
        return self._noise_model.given_label(self._scores(X, words), given, clean)

    def judge_unseen(
        self, X: np.ndarray, given: np.ndarray, clean: np.ndarray, words: Any = None
    ) -> LabelQuality:
        """All about the labels of rows that were not learned from; as ``label_posterior``."""
        scores = self._scores(X, words)
        posterior = self._noise_model.given_label(scores, given, clean)
        chances = self._noise_model.true_classes(scores)
        return LabelQuality(posterior, chances, given, self.classes_, self.noise_)

    def _scores(self, X: np.ndarray, words: Any = None) -> np.ndarray:
        """The blend of the members' scores, in threads; the same for any number of them."""
        out = np.empty((len(X), len(self.classes_)))

        def fill(start: int) -> None:
            some = slice(start, start + ROWS_AT_ONCE)
            rows, own = Rows(X[some]), None if words is None else words[some]
            each = [said(one, rows, own) for one in self._members]
            out[some] = np.tensordot(self._weights, each, axes=1)

        in_parts(fill, range(0, len(X), ROWS_AT_ONCE), self.n_jobs)
        return out

    def _check_loaded(self) -> None:
        """Raise unless the fitted attributes, out of a file, fit together."""
        d, n_classes = check_noted(self)
        reducer = self.__dict__.setdefault("_reducer", None)  # which earlier files do not have
        if reducer is not None:
            if not isinstance(reducer, Reducer) or reducer.width != d:
                raise ValueError(f"a sparse table must have {d} columns.")
            d = reducer.rank
        check_members(self._members, d, n_classes)
        check_form(self._weights, "the members' weights", np.float64, (len(self._members),))
        if (
            not isinstance(self._noise_model, NoiseModel)
            or len(self._noise_model.matrix) != n_classes
        ):
            raise ValueError(f"the noise model must be of {n_classes} classes.")


def said(member: Fitted, rows: Rows, words: Any) -> np.ndarray:
    """The scores of a member; where words are not known, what is said without any."""
    if not isinstance(member, WordScores):
        return member.scores(rows)
    return np.tile(member.base, (len(rows), 1)) if words is None else member.scores(words)


def in_parts(work: Callable[[int], None], starts: Sequence[int], n_jobs: int | None) -> None:
    """Do all parts of some work, in threads; BLAS keeps to the thread that calls it."""
    with blas().limit(limits=1, user_api="blas"):
        if len(starts) == 1 or workers(n_jobs) == 1:
            for start in starts:
                work(start)
            return
        with ThreadPoolExecutor(workers(n_jobs)) as pool:
            list(pool.map(work, starts))


def check_members(members: Any, d: int, n_classes: int) -> None:
    """Raise unless members, out of a file, are of so many columns and classes."""
    if not isinstance(members, list) or not members:
        raise ValueError("a model has members.")
    kinds = BaggedTrees, BayesFolds, CrossFitted, Landmarks, Linear, WordScores
    for one in members:
        if not isinstance(one, kinds) or one.width > d:
            raise ValueError(f"members must be of {d} columns.")
        if said(one, Rows(np.zeros((1, d))), None).shape[1] != n_classes:
            raise ValueError(f"members must be of {n_classes} classes.")
