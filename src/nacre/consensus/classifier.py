"""The classifier for those who only know that their labels are noisy."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import xlogy
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import ThreadpoolController

from nacre.bins import Bins
from nacre.bins.cuts import Rows
from nacre.consensus.crossfit import CrossFitted
from nacre.consensus.linear import Linear, LinearRidge, suits
from nacre.consensus.members import Bagged, BaggedTrees, Bayes, BayesFolds, Boosted
from nacre.consensus.ridge import Landmarks, Ridge
from nacre.consensus.task import Fitted, Member, Task, set_task
from nacre.consensus.weighing import softmax_weights, stacked_weights
from nacre.consensus.words import WordScores, members_on_words
from nacre.data import TrainingRows, as_labels, as_mask, encode_known, read_rows, read_training
from nacre.data.check import check_form, check_jobs
from nacre.data.folds import hashed_rows
from nacre.data.reduce import Reducer, learn_reducer, read_sparse
from nacre.data.seeds import seed_of
from nacre.data.storable import storable
from nacre.data.training import as_original, check_noted, note_training
from nacre.models.base import workers
from nacre.noise.judge import judge, read_probabilities
from nacre.noise.noise_model import NoiseModel, log_scores, spread
from nacre.noise.quality import LabelQuality
from nacre.progress import Progress, Tally, silent

EFFORTS: dict[str, tuple[Member, ...]] = {
    "fast": (Bagged(5, False, 50), Bagged(15, True, 50), Bayes()),
    "full": (Bagged(5, False, 130), Bagged(15, True, 130), Bayes(), Boosted(8), Boosted(2)),
}
"""The members for each effort."""

RIDGES: dict[str, tuple[Ridge, ...]] = {
    effort: (
        Ridge(root=True, telling=False, landmarks=landmarks),
        Ridge(root=False, telling=True, landmarks=landmarks),
    )
    for effort, landmarks in {"fast": 250, "full": 500}.items()
}
"""Those that come after them, and may know what columns are worth."""

MANY = 2_000
"""Of so many rows and more, full effort also boosts larger trees."""

NEGLIGIBLE = 0.01
"""Members of a smaller weight are dropped."""

LEAST_TREES = 0.5
"""Forests keep this share of their trees at least."""

ROWS_AT_ONCE = 1024
"""Rows that are predicted together, by one thread: their bins stay in its cache."""

SIGNAL = 4.0
"""Log-likelihood that scores must gain over the classes' shares to be called a signal."""


@storable
class NacreClassifier(ClassifierMixin, BaseEstimator):
    r"""The classifier to use when you only know that some labels are wrong.

    Several models are fitted, each so that every training row has a score that does not know its
    label:

    - *out-of-bag MarginBoost*: trees on bootstrap samples, whose rows are weighted by the bounded
      cost of their out-of-bag margins [1]_, so that suspects lose weight and so do easy rows; with
      leaves of 5 rows and the best cuts, and with leaves of 15 rows and random cuts;
    - *naive Bayes*, out of fold (five folds), its scores clipped;
    - *gradient boosting*, out of fold, with trees of 8 leaves and with stumps (``effort="full"``
      only), from 2000 rows on also with trees of 32 leaves, as many rounds as are best; several
      classes share each tree [4]_;
    - *kernel ridge regression* on Nystroem landmarks, each row's leave-one-out prediction by the
      hat matrix; with a Laplacian kernel, and with a Gaussian one, whose columns are scaled by
      their importances to the trees;
    - *linear ridge regression*, leave-one-out likewise, of tables of 40 columns of numbers or more
      (and 300 rows or more): embeddings, and the components of text;
    - *multinomial naive Bayes* and *logistic regression on sparse words*, out of fold, where there
      are any.

    How good held-out scores are is judged on the noisy labels themselves, by the forward-corrected
    log loss (Patrini et al. 2017) at its best rate e and inverse temperature a,

    .. math:: \min_{a, e} \; -\sum_i \log\Bigl(\bigl(1 - e - \tfrac{e}{K - 1}\bigr)\, p_{y_i}(x_i)
        + \tfrac{e}{K - 1}\Bigr), \qquad p = \mathrm{softmax}(a s),

    whose minimum, under symmetric noise of rate e, is at the true probabilities: overfitting and
    underfitting both raise it, wrong labels do not. Members are averaged with softmax weights
    :math:`\propto \exp(-\mathrm{loss} / 6)`, at a higher temperature on large tables; where there
    are words, with the weights of least loss of their blend (stacking). The blend is
    judged as :func:`nacre.judge_labels` judges any model's held-out probabilities: a noise model,
    averaged over no noise, one rate for all classes and a rate for each by how far the labels speak
    for them, gives the noise matrix, the probabilities of the true classes, and for each training
    row the posterior of its label.

    Parameters
    ----------
    effort : {"full", "fast"}, default="full"
        "fast" leaves out gradient boosting, grows fewer trees and takes fewer landmarks.
    categorical_features : columns (numbers, names or a mask), optional
        Columns that hold categories. Columns of a data frame with a categorical type are
        categories in any case.
    random_state : int, RandomState or None, default=None
        Seeds all that is drawn: rows, columns, folds.
    n_jobs : int or None, default=None
        Members fitted at a time, folds of them on large tables, and parts of a table predicted, in
        threads; the result is the same for any number.

    Attributes
    ----------
    classes_ : ndarray
        The labels, ascending.
    noise_rate_ : float
        The share of wrong labels, of the rows that are not clean.
    noise_matrix_ : ndarray of shape (K, K)
        The chance that a row of one class (its row) is labelled as another (its column).
    noise_ : NoiseRate
        Both, and an interval of the rate.
    label_quality_ : ndarray of shape (n,)
        For each training row the probability that its label is right.
    suspects_ : ndarray
        The training rows to look at, by number, most suspect first: as many as labels seem to be
        wrong. ``found_.expected_wrong(k)`` says how many of the first k to expect wrong.
    found_ : LabelQuality
        All that was found about the training labels.
    pred_probs_weight_ : float
        The weight of ``pred_probs`` in what was found, from 0 to 1; 0 where none were given.
    feature_importances_ : ndarray
        The gain of the splits on each column, as a share.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only where ``X`` has column names.

    Notes
    -----
    *When it helps.* Tables of tens to hundreds of thousands of rows with wrong labels, about whose
    noise nothing is known. With clean labels it is about as good as gradient boosting.

    *When it does not.* Where labels are known to be right and plenty: boosted trees are as good,
    and sooner fitted. Where a fit must take less time than a random forest. Where more labels of a
    class are wrong than right no method can know. Where classes overlap, wrong labels look like
    right ones of the other class: the interval of the rate then reaches down to 0, until some rows
    are checked and given as ``clean``.

    Of samples of more than 50 000 rows trees are grown on so many; kernel ridge regressions are
    fitted to 20 000 rows at most, linear ridge regressions and models of words to 5000, on which
    scores are judged.

    Members of a weight below 1 % are dropped in the end, and forests of a weight below one half
    keep half of their trees.

    References
    ----------
    .. [1] N. Sano, H. Suzuki, M. Koda, "A robust ensemble learning using zero-one loss function",
       Journal of the Operations Research Society of Japan 50, 2007; the bounded cost.
    .. [2] M. Weil, "Stage apprentissage statistique", report, Ecole polytechnique, 2015; the
       bootstrap.
    .. [3] J. Chan, "On boosting and noisy labels", MEng thesis, MIT, 2015; held-out votes.
    .. [4] L. Iosipoi, A. Vakhrushev, "SketchBoost: fast gradient boosted decision tree for
       multioutput problems", NeurIPS 2022; random projections of gradients.

    See Also
    --------
    nacre.find_mislabeled : The same for those who only want to know which labels are wrong.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import NacreClassifier
    >>> from nacre.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, flipped = flip_labels(y[::2], 0.3, random_state=0)
    >>> model = NacreClassifier(effort="fast", random_state=0).fit(X[::2], labels)
    >>> bool(model.score(X[1::2], y[1::2]) > 0.9)
    True
    >>> bool(abs(model.noise_rate_ - 0.3) < 0.1)
    True
    """

    def __init__(
        self,
        effort: str = "full",
        *,
        categorical_features: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.effort = effort
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        clean: Any = None,
        original: Any = None,
        groups: Any = None,
        pred_probs: Any = None,
        progress: Progress = silent,
    ) -> NacreClassifier:
        """Learn from a table and its labels, some of them wrong.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, d)
            Numbers; NaN is a missing value. A sparse matrix of many columns, such as TF-IDF, is
            reduced to its first 60 components by truncated SVD, which sees no labels.
        y : labels, n of them
            Text, whole numbers or booleans.
        sample_weight : weights of the rows, optional
            Rows of weight 0 are judged, but have no say.
        clean : boolean mask of n rows, optional
            The rows whose labels are trusted.
        original : labels, n of them, optional
            The labels of clean rows as they were before somebody checked them; None or NaN where
            that is not known. What was found wrong there tells how many of the others are.
        groups : the group of each row, optional
            Rows of a group, such as the visits of a patient, are held out together, as copies of a
            row are: none has a say in how another is judged.
        pred_probs : array of shape (n, K), optional
            Held-out probabilities of the classes, ascending, by a model of your own: one more
            member, which has its say on the training labels. New rows are predicted without it.
        progress : callback, optional
            Is told how many members are fitted: see :mod:`nacre.progress`.

        Returns
        -------
        self
        """
        self._check_parameters()
        self._reducer = None
        if sparse.issparse(X):
            words = read_sparse(X)
            self._reducer = learn_reducer(words)
            X = words.toarray() if self._reducer is None else self._reducer.read(words)
        training = read_training(
            self, X, y, sample_weight, self.categorical_features, groups=groups
        )
        if self._reducer is not None:
            self.n_features_in_ = self._reducer.width
            words = self._reducer.words(words)
            kept = slice(None) if training.kept is None else training.kept
            training = replace(training, words=words[kept])
        n = training.n_given
        given = self._codes(as_labels(y, n))
        trusted = np.zeros(n, bool) if clean is None else as_mask(clean, n)
        before = as_original(original, trusted, self.classes_)
        other = None if pred_probs is None else self._read_other(pred_probs, n)
        if training.kept is None:
            return self._fit_rows(training, given, trusted, before, other=other, progress=progress)
        unweighted = np.ones(n, bool)
        unweighted[training.kept] = False
        if self._reducer is None:
            others = read_rows(self, X)[unweighted], None
        else:
            others = X[unweighted], words[unweighted]
        return self._fit_rows(
            training, given, trusted, before, others, unweighted, other=other, progress=progress
        )

    def fit_training(
        self,
        training: TrainingRows,
        classes: np.ndarray,
        *,
        clean: np.ndarray | None = None,
        original: np.ndarray | None = None,
        bins: Bins | None = None,
        pred_probs: np.ndarray | None = None,
        alone: bool = False,
        progress: Progress = silent,
    ) -> NacreClassifier:
        """``fit`` for rows that have been read already, and perhaps binned.

        Parameters
        ----------
        training : TrainingRows
            None of them of weight 0.
        classes : ndarray
            What the codes of the labels stand for, ascending.
        clean : boolean mask of n rows, optional
        original : int64 array of shape (n,), optional
            Codes of labels before they were checked, -1 where that is not known.
        bins : Bins, optional
        pred_probs : array of shape (n, K), optional
        alone : bool, default=False
            Whether labels are judged by ``pred_probs`` alone.
        progress : callback, optional

        Returns
        -------
        self
        """
        self._check_parameters()
        self._reducer = None
        note_training(self, training, classes)
        n = len(training.y)
        trusted = np.zeros(n, bool) if clean is None else as_mask(clean, n)
        other = None if pred_probs is None else self._read_other(pred_probs, n)
        return self._fit_rows(
            training,
            training.y,
            trusted,
            original,
            bins=bins,
            other=other,
            alone=alone,
            progress=progress,
        )

    def _check_parameters(self) -> None:
        if self.effort not in tuple(EFFORTS):  # a dict would not take what has no hash
            raise ValueError(f"effort must be one of {', '.join(EFFORTS)}; got {self.effort!r}.")
        check_jobs(self.n_jobs)

    def _fit_rows(
        self,
        training: TrainingRows,
        given: np.ndarray,
        clean: np.ndarray,
        original: np.ndarray | None = None,
        others: tuple[np.ndarray, Any] | None = None,
        unweighted: np.ndarray | None = None,
        bins: Bins | None = None,
        other: np.ndarray | None = None,
        alone: bool = False,
        progress: Progress = silent,
    ) -> NacreClassifier:
        """Learn, and judge the labels of all rows, ``others`` of weight 0 among them.

        ``other`` are held-out scores of all rows by a model that is none of the members.
        """
        n, rows = len(given), training.kept
        rows = np.arange(n) if rows is None else rows
        seed = seed_of(self.random_state)
        warn_of_lonely_classes(training, self.classes_)
        task, blend = self._learn(training, clean[rows], seed, bins, progress)
        scores, weight = blend, training.weight
        if others is not None and unweighted is not None:  # which nobody has seen
            scores, weight = np.empty((n, training.n_classes)), np.zeros(n)
            scores[rows], weight[rows] = blend, training.weight
            scores[unweighted] = self._scores(*others)
            twins(scores, unweighted, rows, hashed_rows(others[0]), hashed_rows(training.X))
        judged = rows[task.judged]
        told = given, clean, self.classes_, weight, judged, original
        found, self._noise_model = judge(scores, *told)
        self.pred_probs_weight_ = 0.0
        if other is not None:
            share = 1.0 if alone else share_of(task, scores[judged], other[judged])
            both = (1.0 - share) * scores / spread(scores) + share * other / spread(other)
            found = judge(both, *told)[0]
            self.pred_probs_weight_ = share
        return self.note_found(found)

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

    def note_found(self, found: LabelQuality) -> NacreClassifier:
        """Note what was found about the training labels, by the model itself or who knows more."""
        self.found_ = found
        self.noise_ = found.noise
        self.noise_rate_, self.noise_matrix_ = self.noise_.rate, self.noise_.matrix
        self.label_quality_, self.suspects_ = found.quality, found.suspects
        return self

    def _chosen(self, training: TrainingRows) -> tuple[Member, ...]:
        """The members for a table of this shape."""
        large = (Boosted(32),) if self.effort == "full" and len(training.y) >= MANY else ()
        wide = (LinearRidge(),) if suits(training) else ()
        return (*EFFORTS[self.effort], *large, *wide, *members_on_words(training))

    def _learn(
        self,
        training: TrainingRows,
        clean: np.ndarray,
        seed: int,
        bins: Bins | None,
        progress: Progress,
    ) -> tuple[Task, np.ndarray]:
        """Fit members and their weights; return the training rows' held-out blended scores."""
        members, ridges = self._chosen(training), RIDGES[self.effort]
        seeds = np.random.SeedSequence(seed).generate_state(1 + len(members) + len(ridges)).tolist()
        task = set_task(training, clean, seeds.pop(), bins, workers(self.n_jobs))
        tally = Tally("member", len(members) + len(ridges), progress)

        def counted(result: tuple[Any, np.ndarray]) -> tuple[Any, np.ndarray]:
            tally.step()
            return result

        with (
            blas().limit(limits=1, user_api="blas"),
            ThreadPoolExecutor(workers(self.n_jobs)) as pool,
        ):
            own = [seeds.pop() for _ in members]
            found: list[tuple[Any, np.ndarray]]
            found = list(pool.map(lambda one, seed: counted(one.fit(task, seed)), members, own))
            worth = column_worth([fitted for fitted, _ in found], training.X.shape[1])
            own = [seeds.pop() for _ in ridges]
            found += pool.map(lambda one, seed: counted(one.fit(task, worth, seed)), ridges, own)
        held = [scores for _, scores in found]
        weights = softmax_weights(task, np.array([task.loss(scores) for scores in held]))
        if training.words is not None:
            weights = stacked_weights(task, held, weights)
        kept = np.flatnonzero(weights >= NEGLIGIBLE)
        weights = weights[kept] / weights[kept].sum()
        self._members = [
            thinned(found[m][0], share) for m, share in zip(kept, weights.tolist(), strict=True)
        ]
        self._weights = weights / np.array([spread(held[m]) for m in kept])
        blend: np.ndarray = np.tensordot(self._weights, [held[m] for m in kept], axes=1)
        shares = np.bincount(task.labels, task.weight)
        chance = -xlogy(shares, shares / shares.sum()).sum()
        if chance - task.loss(blend) < SIGNAL:
            warnings.warn(
                "The labels carry no signal that could be found in these columns: predictions and "
                "suspects are guesses.",
                UserWarning,
                stacklevel=4,
            )
        return task, blend

    def _read_other(self, pred_probs: Any, n: int) -> np.ndarray:
        """Probabilities of another model as centred scores."""
        chances, K = read_probabilities(pred_probs), len(self.classes_)
        if chances.shape != (n, K):
            raise ValueError(
                f"pred_probs has shape {chances.shape}, but there are {n} rows and {K} classes."
            )
        return log_scores(chances)

    def _codes(self, labels: np.ndarray) -> np.ndarray:
        """The places of all rows' labels among the classes, which are those of rows of weight."""
        strange = np.setdiff1d(labels, self.classes_).tolist()
        if strange:
            raise ValueError(f"All rows of class {strange[0]!r} have weight 0: drop them.")
        return encode_known(labels, self.classes_)

    def _check_loaded(self) -> None:
        """Raise unless the fitted attributes, out of a file, fit together."""
        d, n_classes = check_noted(self)
        reducer = self.__dict__.setdefault("_reducer", None)  # which earlier files do not have
        if reducer is not None:
            if not isinstance(reducer, Reducer) or reducer.width != d:
                raise ValueError(f"a sparse table must have {d} columns.")
            d = reducer.rank
        if not isinstance(self._members, list) or not self._members:
            raise ValueError("a model has members.")
        check_form(self._weights, "the members' weights", np.float64, (len(self._members),))
        if (
            not isinstance(self._noise_model, NoiseModel)
            or len(self._noise_model.matrix) != n_classes
        ):
            raise ValueError(f"the noise model must be of {n_classes} classes.")
        for one in self._members:
            if (
                not isinstance(
                    one, (BaggedTrees, BayesFolds, CrossFitted, Landmarks, Linear, WordScores)
                )
                or one.width > d
            ):
                raise ValueError(f"members must be of {d} columns.")
            if self._said(one, Rows(np.zeros((1, d))), None).shape[1] != n_classes:
                raise ValueError(f"members must be of {n_classes} classes.")

    def _scores(self, X: np.ndarray, words: Any = None) -> np.ndarray:
        """The blend of the members' scores, in threads; the same for any number of them."""
        out = np.empty((len(X), len(self.classes_)))

        def fill(start: int) -> None:
            some = slice(start, start + ROWS_AT_ONCE)
            rows, own = Rows(X[some]), None if words is None else words[some]
            each = [self._said(one, rows, own) for one in self._members]
            out[some] = np.tensordot(self._weights, each, axes=1)

        in_parts(fill, range(0, len(X), ROWS_AT_ONCE), self.n_jobs)
        return out

    def _said(self, member: Fitted, rows: Rows, words: Any) -> np.ndarray:
        """The scores of a member; where words are not known, what is said without any."""
        if not isinstance(member, WordScores):
            return member.scores(rows)
        return np.tile(member.base, (len(rows), 1)) if words is None else member.scores(words)

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


def thinned(member: Fitted, share: float) -> Fitted:
    """A member of a share in the blend: bagged trees in proportion to it, at least half.

    The variance of a mean of T trees falls as 1 / T, and counts by the square of the share. Half of
    the trees are still more than have judged any training row, which is what weights and noise
    model were fitted to.
    """
    if not isinstance(member, BaggedTrees):
        return member
    return BaggedTrees(member.trees.first(math.ceil(max(share, LEAST_TREES) * len(member.trees))))


@cache
def blas() -> ThreadpoolController:
    """Who sets how many threads BLAS uses; to look for all libraries takes a while."""
    return ThreadpoolController()


def in_parts(work: Callable[[int], None], starts: Sequence[int], n_jobs: int | None) -> None:
    """Do all parts of some work, in threads; BLAS keeps to the thread that calls it."""
    with blas().limit(limits=1, user_api="blas"):
        if len(starts) == 1 or workers(n_jobs) == 1:
            for start in starts:
                work(start)
            return
        with ThreadPoolExecutor(workers(n_jobs)) as pool:
            list(pool.map(work, starts))


def warn_of_lonely_classes(training: TrainingRows, classes: np.ndarray) -> None:
    """Say so where all rows of a class are in one group: without it nobody knows the class."""
    if training.groups is None:
        return
    for k, label in enumerate(classes.tolist()):
        units = training.units.of[training.y == k]
        if len(units) > 1 and np.all(units == units[0]):
            warnings.warn(
                f"All rows of class {label!r} are in one group: their labels cannot be judged by "
                "others.",
                UserWarning,
                stacklevel=4,
            )


def share_of(task: Task, own: np.ndarray, other: np.ndarray) -> float:
    """The weight of another model's held-out scores beside the members' blend, by their losses."""
    losses = np.array([task.loss_of_judged(own), task.loss_of_judged(other)])
    return float(softmax_weights(task, losses)[1])


def twins(
    scores: np.ndarray, missing: np.ndarray, rows: np.ndarray, key: np.ndarray, known: np.ndarray
) -> None:
    """Give rows that models have not been fitted to the held-out scores of rows equal to them."""
    order = np.argsort(known, kind="stable")
    place = np.minimum(np.searchsorted(known[order], key), len(order) - 1)
    equal = known[order][place] == key
    scores[np.flatnonzero(missing)[equal]] = scores[rows[order[place[equal]]]]


def importances(members: Sequence[Fitted], d: int, weights: np.ndarray | None = None) -> np.ndarray:
    """How much members use each of ``d`` columns, as shares; 0 where there are no splits."""
    out = np.zeros(d)
    for weight, member in zip(
        np.ones(len(members)) if weights is None else weights, members, strict=True
    ):
        own = member.importances(d)
        out += weight * own / max(own.sum(), np.finfo(float).tiny)
    return out / out.sum() if out.any() else out


def column_worth(members: Sequence[Fitted], d: int) -> np.ndarray:
    """How much distances on each of ``d`` columns count: importances of mean 1, or all alike."""
    used = importances(members, d)
    return used * d if used.any() else np.ones(d)
