"""Which labels are wrong?"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples

from nacre.consensus.classifier import NacreClassifier
from nacre.data import TrainingRows, as_groups, as_target, fold_of, out_of_fold_probabilities
from nacre.data.folds import find_units
from nacre.data.seeds import seed_of
from nacre.data.training import as_it_is
from nacre.noise.judge import judge_labels
from nacre.noise.quality import LabelQuality
from nacre.progress import Progress, silent

FOLDS = 5
"""Of an estimator that is somebody's own."""


def find_mislabeled(
    X: Any,
    y: Any,
    *,
    pred_probs: Any = None,
    estimator: Any = None,
    clean: Any = None,
    original: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    effort: str = "full",
    categorical_features: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress = silent,
) -> LabelQuality:
    """Find the labels that are wrong, and say how many there are.

    Every row is judged by models that have not seen its label, nacre's own
    (:class:`~nacre.NacreClassifier`) or one of yours, and the judgement is weighed against how
    noisy the labels are (:func:`~nacre.judge_labels`).

    Parameters
    ----------
    X : array, data frame or sparse matrix of shape (n, d)
        Numbers; NaN is a missing value. A sparse matrix of many columns, such as TF-IDF, is reduced
        by truncated SVD.
    y : labels, n of them
        Text, whole numbers or booleans.
    pred_probs : array of shape (n, K), optional
        Held-out probabilities of the classes, ascending, by a model of your own. Where ``X`` is
        None the labels are judged by these alone, and ``effort`` and what follows is ignored; else
        they are one more member beside nacre's own, weighed by how well they fit the labels.
    estimator : classifier with ``predict_proba``, optional
        A model of your own, or a pipeline. Copies of it are fitted to four fifths of the rows each,
        and their held-out probabilities are one more member, as ``pred_probs`` would be. It gets
        ``X`` as it is, and weights that differ if its ``fit`` takes them.
    clean : boolean mask of n rows, optional
        The rows whose labels are trusted: none of them is suspected.
    original : labels, n of them, optional
        The labels of clean rows as they were before somebody checked them; None or NaN where that
        is not known. What was found wrong there tells how many of the others are.
    groups : the group of each row, optional
        Rows of a group, such as the visits of a patient, are held out together, as copies of a row
        are.
    sample_weight : weights of the rows, optional
        Rows of weight 0 are judged, but have no say.
    effort : {"full", "fast"}, default="full"
        "fast" leaves out gradient boosting, grows fewer trees and takes fewer landmarks.
    categorical_features : columns (numbers, names or a mask), optional
        Columns that hold categories. Columns of a data frame with a categorical type are
        categories in any case.
    random_state : int, RandomState or None, default=None
        Seeds all that is drawn: rows, columns, folds.
    n_jobs : int or None, default=None
        Threads; the result is the same for any number.
    progress : callback, optional
        Is told how many models are fitted: see :mod:`nacre.progress`.

    Returns
    -------
    LabelQuality
        Its ``suspects`` (a queue: row numbers, most suspect first, as many as labels seem to be
        wrong), ``expected_wrong(k)`` (how many of the first k are), ``scores`` (the probability
        that a label is wrong), ``quality`` (that it is right), ``suggested`` labels of suspects,
        ``mislabeled`` (a mask: another class has 80 % or more), ``corrected`` (the labels, those
        changed), ``probabilities`` and ``noise``.

    See Also
    --------
    nacre.NacreClassifier : The same, and a model.
    nacre.judge_labels : The same from held-out probabilities alone.
    nacre.audit : The same for a file or a data frame as it comes, with reasons and a report.

    Notes
    -----
    *When it helps.* To have a list of labels for a person to look at, and to know how many are
    wrong, before any model is chosen.

    *When it does not.* Where most labels of a class are wrong. Where classes overlap, a wrong
    label looks like a right one that is rare: the interval of the rate then begins at 0, and only
    rows that somebody has checked (``clean``) settle it.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import find_mislabeled
    >>> from nacre.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> found = find_mislabeled(X, labels, effort="fast", random_state=0)
    >>> bool(flipped[found.suspects[:40]].mean() > 0.9)
    True
    """
    if X is None:
        if pred_probs is None:
            raise ValueError("X is None: give a table, or pred_probs of a model of your own.")
        if estimator is not None:
            raise ValueError("X is None: an estimator needs a table to learn from.")
        if groups is not None:
            raise ValueError("groups is of no use with pred_probs: folds are made already.")
        return judge_labels(
            pred_probs, y, clean=clean, original=original, sample_weight=sample_weight
        )
    if estimator is not None:
        if pred_probs is not None:
            raise ValueError("Give an estimator or its pred_probs, not both.")
        random_state = seed_of(random_state)
        pred_probs = _held_out(estimator, X, y, sample_weight, groups, random_state)
    model = NacreClassifier(
        effort,
        categorical_features=categorical_features,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    model.fit(
        X,
        y,
        sample_weight,
        clean=clean,
        original=original,
        groups=groups,
        pred_probs=pred_probs,
        progress=progress,
    )
    return model.found_


def _held_out(
    estimator: Any, X: Any, y: Any, sample_weight: Any, groups: Any, seed: int
) -> np.ndarray:
    """Out-of-fold probabilities of somebody's own model; groups, and copies, in one fold.

    Rows of weight 0 are held out with those they belong to, if there are any, and nobody learns
    from them.
    """
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(f"estimator must have predict_proba, got {estimator!r}.")
    table = as_it_is(X)
    n = _num_samples(table)
    target = as_target(y, sample_weight, n)
    kept = np.arange(n) if target.kept is None else target.kept
    codes, weight = np.zeros(n, np.int64), np.zeros(n)
    codes[kept], weight[kept] = target.codes, target.weight
    unit = find_units(table, None if groups is None else as_groups(groups, n)).of
    K = len(target.classes)
    training = TrainingRows(table, codes, K, weight, n_given=n, groups=unit)
    own = fold_of(training.take(kept), min(FOLDS, len(kept)), seed)
    fold_of_unit = np.full(unit.max() + 1, own.max() + 1)
    fold_of_unit[unit[kept]] = own
    fold = fold_of_unit[unit]
    fold[kept] = own
    return out_of_fold_probabilities(training, fold, estimator, seed)
