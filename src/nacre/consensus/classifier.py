"""The classifier for those who only know that their labels are noisy."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from nacre.bins import Bins
from nacre.consensus.blend import EFFORTS, fit_blend
from nacre.consensus.prediction import BlendPredictor
from nacre.consensus.task import Task
from nacre.consensus.weighing import softmax_weights
from nacre.data import TrainingRows, as_labels, as_mask, encode_known, read_rows, read_training
from nacre.data.check import check_jobs
from nacre.data.folds import hashed_rows
from nacre.data.reduce import learn_reducer, read_sparse
from nacre.data.seeds import seed_of
from nacre.data.storable import storable
from nacre.data.training import as_original, note_training
from nacre.noise.judge import by_names, found_by, judge, read_probabilities
from nacre.noise.noise_model import has_signal, log_scores, spread
from nacre.noise.quality import GUESSES, LabelQuality
from nacre.progress import Progress, silent


@storable
class NacreClassifier(BlendPredictor):
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
      their importances to the trees; of text and other columns, both also on the other columns
      alone; of fewer than 2000 rows without text, new rows are scored by the mean of each and one
      that is fitted to the posteriors below (self-training);
    - *logistic regression* on all columns, out of fold, categories one-hot, of tables of fewer than
      40 columns of numbers without words;
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
            Rows of weight 0 are judged, but have no say: by models that have not seen them, but
            have seen the rows of weight of their group, if it has any.
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
            if self._reducer is not None and self.categorical_features is not None:
                raise ValueError(
                    "categorical_features is of no use where a sparse X is reduced to components: "
                    "leave it out, or give a dense table."
                )
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
        task, blend = fit_blend(
            training,
            clean[rows],
            self.effort,
            seed,
            bins=bins,
            n_jobs=self.n_jobs,
            progress=progress,
        )
        self._weights = blend.weights
        warn_without_signal(task, blend.held)
        scores, weight = blend.held, training.weight
        if unweighted is not None:
            scores, weight = np.zeros((n, training.n_classes)), np.zeros(n)
            scores[rows], weight[rows] = blend.held, training.weight
        judged = rows[task.judged]
        told = given, clean, self.classes_, weight, judged, original
        found, self._noise_model = judge(scores, *told)
        self._members = blend.taught(task, found.posterior[rows], self.n_jobs)
        if others is not None and unweighted is not None:  # which nobody has seen
            scores[unweighted] = self._scores(*others)
            twins(scores, unweighted, rows, hashed_rows(others[0]), hashed_rows(training.X))
            found = found_by(self._noise_model, scores, given, clean, self.classes_)
        self.pred_probs_weight_ = 0.0
        if other is not None:
            share = 1.0 if alone else share_of(task, scores[judged], other[judged])
            both = (1.0 - share) * scores / spread(scores) + share * other / spread(other)
            found = judge(both, *told)[0]
            self.pred_probs_weight_ = share
        return self.note_found(found)

    def note_found(self, found: LabelQuality) -> NacreClassifier:
        """Note what was found about the training labels, by the model itself or who knows more."""
        self.found_ = found
        self.noise_ = found.noise
        self.noise_rate_, self.noise_matrix_ = self.noise_.rate, self.noise_.matrix
        self.label_quality_, self.suspects_ = found.quality, found.suspects
        return self

    def _read_other(self, pred_probs: Any, n: int) -> np.ndarray:
        """Probabilities of another model as centred scores."""
        chances, K = read_probabilities(pred_probs), len(self.classes_)
        if chances.shape != (n, K):
            raise ValueError(
                f"pred_probs has shape {chances.shape}, but there are {n} rows and {K} classes."
            )
        return log_scores(by_names(pred_probs, chances, self.classes_))

    def _codes(self, labels: np.ndarray) -> np.ndarray:
        """The places of all rows' labels among the classes, which are those of rows of weight."""
        strange = np.setdiff1d(labels, self.classes_).tolist()
        if strange:
            raise ValueError(f"All rows of class {strange[0]!r} have weight 0: drop them.")
        return encode_known(labels, self.classes_)


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


def warn_without_signal(task: Task, held: np.ndarray) -> None:
    """Say so where held-out scores tell hardly more than the classes' shares."""
    rows = task.judged
    if not has_signal(held[rows], task.labels, task.clean[rows], task.weight):
        warnings.warn(
            f"The labels carry no signal that could be found in these columns: {GUESSES}",
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
