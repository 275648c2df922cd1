"""The classifier for those who only know that their labels are noisy."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from scipy.special import xlogy
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from nacre.consensus.crossfit import CrossFitted
from nacre.consensus.members import (
    Bagged,
    BaggedTrees,
    Bayes,
    BayesFolds,
    Boosted,
    Fitted,
    Member,
    gather,
)
from nacre.consensus.ridge import Landmarks, Ridge
from nacre.data import TrainingRows, as_labels, as_mask, encode_known, read_rows, read_training
from nacre.data.check import check_form, check_jobs
from nacre.data.storable import storable
from nacre.data.training import check_noted
from nacre.models.base import workers
from nacre.noise.noise_model import NoiseModel, fit_noise_model, spread
from nacre.noise.quality import LabelQuality, NoiseRate

EFFORTS: dict[str, tuple[Member, ...]] = {
    "fast": (
        *(Bagged(least, cuts, 50) for least in (5, 15) for cuts in (False, True)),
        Bayes(),
    ),
    "full": (
        *(Bagged(least, cuts, 130) for least in (5, 15) for cuts in (False, True)),
        Bayes(),
        Boosted(8),
        Boosted(2),
    ),
}
"""The members for each effort."""

RIDGES: dict[str, tuple[Ridge, ...]] = {
    "fast": (Ridge(root=True, telling=False, landmarks=250),),
    "full": (
        Ridge(root=True, telling=False, landmarks=500),
        Ridge(root=False, telling=True, landmarks=500),
    ),
}
"""Those that come after them, and may know what columns are worth."""

MANY = 2_000
"""Of so many rows and more, full effort also boosts larger trees."""

COOL = 6.0, 120
"""Members whose losses differ by so much, or by a row in so many, differ in weight by a factor e.

Chance differs by a few units of log-likelihood, whatever the number of rows.
"""

SIGNAL = 4.0
"""Log-likelihood that scores must gain over the classes' shares to be called a signal."""


@storable
class NacreClassifier(ClassifierMixin, BaseEstimator):
    r"""The classifier to use when you only know that some labels are wrong.

    Several models are fitted, each so that every training row has a score that does not know its
    label:

    - *out-of-bag MarginBoost*: trees on bootstrap samples, whose rows are weighted by the bounded
      cost of their out-of-bag margins [1]_, so that suspects lose weight and so do easy rows; with
      leaves of 5 rows and of 15, with the best cuts and with random ones;
    - *naive Bayes in five folds*, its scores clipped;
    - *gradient boosting in five folds*, with trees of 8 leaves and with stumps (``effort="full"``
      only), from 2000 rows on also with trees of 32 leaves, as many rounds as are best;
    - *ridge regression* on the nearness to landmarks, each row's score without its own label; with
      ``effort="full"`` another one whose columns are scaled by their importances to the trees.

    How good scores are is judged on the noisy labels themselves, by the log loss

    .. math:: \min_{a, e} \; -\sum_i \log\Bigl(\bigl(1 - e - \tfrac{e}{K - 1}\bigr)\, p_{y_i}(x_i)
        + \tfrac{e}{K - 1}\Bigr), \qquad p = \mathrm{softmax}(a s),

    whose minimum, under symmetric noise of rate e, is at the true probabilities: overfitting and
    underfitting both raise it, wrong labels do not. Members vote with weights
    :math:`\propto \exp(-\mathrm{loss} / 6)`, more evenly on large tables. To their blend a link is
    fitted that has a noise rate for each class where the labels speak for it (see
    :class:`nacre.noise.OutOfFold`), and gives the noise matrix, the probabilities of the true
    classes, and for each training row the probability that its label is right.

    Parameters
    ----------
    effort : {"full", "fast"}, default="full"
        "fast" leaves out gradient boosting and one ridge regression, and grows fewer trees.
    categorical_features : columns (numbers, names or a mask), optional
        Columns that hold categories. Columns of a data frame with a categorical type are
        categories in any case.
    random_state : int, RandomState or None, default=None
        Seeds all that is drawn: rows, columns, folds.
    n_jobs : int or None, default=None
        Members fitted at a time, in threads; the result is the same for any number.

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
        The training rows that are more likely of another class, by number, most suspect first.
    found_ : LabelQuality
        All that was found about the training labels.
    feature_importances_ : ndarray
        The gain of the splits on each column, as a share.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only where ``X`` has column names.

    Notes
    -----
    *When it helps.* Tables of tens to hundreds of thousands of rows with wrong labels, about whose
    noise nothing is known. With clean labels it is about as good as gradient boosting.

    *When it does not.* Where the best model is wanted of labels that are known to be right and
    plenty, or where a fit must take less time than a random forest. Where more labels of a class
    are wrong than right no method can know. Noise that depends on the columns in ways other than
    through the class counts as overlap of the classes.

    Of samples of more than 50 000 rows trees are grown on so many; scores are judged, and ridge
    regressions fitted, on 5000 rows.

    References
    ----------
    .. [1] N. Sano, H. Suzuki, M. Koda, "A robust ensemble learning using zero-one loss function",
       Journal of the Operations Research Society of Japan 50, 2007; the bounded cost.
    .. [2] M. Weil, "Stage apprentissage statistique", report, Ecole polytechnique, 2015; the
       bootstrap.
    .. [3] J. Chan, "On boosting and noisy labels", MEng thesis, MIT, 2015; held-out votes.

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
        self, X: Any, y: Any, sample_weight: Any = None, *, clean: Any = None
    ) -> NacreClassifier:
        """Fit to a table and its labels.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
            Numbers; NaN is a missing value.
        y : labels, n of them
            Text, whole numbers or booleans.
        sample_weight : weights of the rows, optional
            Rows of weight 0 are judged, but have no say.
        clean : boolean mask of n rows, optional
            The rows whose labels are trusted.

        Returns
        -------
        self
        """
        if self.effort not in tuple(EFFORTS):  # a dict would not take what has no hash
            raise ValueError(f"effort must be one of {', '.join(EFFORTS)}; got {self.effort!r}.")
        check_jobs(self.n_jobs)
        training = read_training(self, X, y, sample_weight, self.categorical_features)
        n = training.n_given
        given = self._codes(as_labels(y, n))
        trusted = np.zeros(n, bool) if clean is None else as_mask(clean, n)
        rows = np.arange(n) if training.kept is None else training.kept
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        scores = self._learn(training, trusted[rows], seed)
        if training.kept is not None:  # rows of weight 0 have been seen by nobody
            seen, scores = scores, self._scores(read_rows(self, X))
            scores[rows] = seen
        self._judge(scores, given, trusted)
        return self

    def _chosen(self, n: int) -> tuple[Member, ...]:
        """The members for so many rows."""
        large = (Boosted(32),) if self.effort == "full" and n >= MANY else ()
        return (*EFFORTS[self.effort], *large)

    def _learn(self, training: TrainingRows, clean: np.ndarray, seed: int) -> np.ndarray:
        """Fit members, their weights and the link; return the training rows' blended scores."""
        members, ridges = self._chosen(len(training.y)), RIDGES[self.effort]
        seeds = np.random.SeedSequence(seed).generate_state(1 + len(members) + len(ridges)).tolist()
        evidence = gather(training, clean, seeds.pop())
        with threadpool_limits(1, "blas"), ThreadPoolExecutor(workers(self.n_jobs)) as pool:

            def fit_all(members: Sequence[Any], known: np.ndarray) -> list[Any]:
                own = [seeds.pop() for _ in members]
                return list(
                    pool.map(lambda m, s: m.fit(training, known, evidence, s), members, own)
                )

            found = fit_all(members, clean)
            worth = column_worth([fitted for fitted, _ in found], training.X.shape[1])
            found += fit_all(ridges, worth)
        held = [scores for _, scores in found]
        losses = np.array([evidence.loss(scores) for scores in held])
        cool = max(COOL[0], len(evidence.rows) / COOL[1])
        weights = np.exp((losses.min() - losses) / cool)
        weights /= weights.sum() * np.array([spread(scores) for scores in held])
        self._members = [fitted for fitted, _ in found]
        self._weights = weights
        blend: np.ndarray = np.tensordot(weights, held, axes=1)
        self._noise_model = fit_noise_model(blend[evidence.rows], *evidence[1:])
        shares = np.bincount(evidence.given, evidence.weight)
        chance = -xlogy(shares, shares / shares.sum()).sum()
        if chance - evidence.loss(blend) < SIGNAL:
            warnings.warn(
                "The labels carry no signal that could be found in these columns: predictions and "
                "suspects are guesses.",
                UserWarning,
                stacklevel=3,
            )
        return blend

    def _judge(self, scores: np.ndarray, given: np.ndarray, clean: np.ndarray) -> None:
        """Set what was found about the labels."""
        link = self._noise_model
        noise = NoiseRate(link.rate, link.interval, link.matrix, self.classes_)
        self.noise_, self.noise_rate_, self.noise_matrix_ = noise, noise.rate, noise.matrix
        posterior = link.given_label(scores, given, clean)
        self.found_ = LabelQuality(
            posterior, link.true_classes(scores), given, self.classes_, noise
        )
        self.label_quality_ = self.found_.quality
        self.suspects_ = self.found_.suspects

    def _codes(self, labels: np.ndarray) -> np.ndarray:
        """The places of all rows' labels among the classes, which are those of rows of weight."""
        strange = np.setdiff1d(labels, self.classes_).tolist()
        if strange:
            raise ValueError(f"All rows of class {strange[0]!r} have weight 0: drop them.")
        return encode_known(labels, self.classes_)

    def _check_loaded(self) -> None:
        """Raise unless the fitted attributes, out of a file, fit together."""
        d, n_classes = check_noted(self)
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
                not isinstance(one, (BaggedTrees, BayesFolds, CrossFitted, Landmarks))
                or one.width > d
            ):
                raise ValueError(f"members must be of {d} columns.")
            if one.scores(np.zeros((1, d))).shape[1] != n_classes:
                raise ValueError(f"members must be of {n_classes} classes.")

    def _scores(self, rows: np.ndarray) -> np.ndarray:
        each = [one.scores(rows) for one in self._members]
        out: np.ndarray = np.tensordot(self._weights, each, axes=1)
        return out

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the true classes, wrong labels allowed for."""
        check_is_fitted(self)
        return self._noise_model.true_classes(self._scores(read_rows(self, X)))

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
        return importances(self._members, self.n_features_in_, self._weights)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


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
