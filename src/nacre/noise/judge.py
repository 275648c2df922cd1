"""From held-out probabilities of any model to which labels are wrong: the one road there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from nacre.data.folds import find_units, sample_rows
from nacre.data.target import as_labels, encode, read_weights
from nacre.data.training import as_mask, as_original
from nacre.noise.noise_model import NoiseModel, fit_noise_model, log_scores
from nacre.noise.quality import MOST, LabelQuality, NoiseRate

JUDGES = 5_000
"""Rows that the noise model is fitted to; of more, a random sample."""

ROUNDED = 0.01
"""How far the probabilities of a row may be from summing to 1."""


def judge_labels(
    pred_probs: Any,
    y: Any,
    *,
    clean: Any = None,
    original: Any = None,
    sample_weight: Any = None,
    classes: Any = None,
) -> LabelQuality:
    r"""Judge labels by the probabilities that a model gave to rows it had not seen.

    A noise model is fitted to how the probabilities meet the labels (see
    :class:`nacre.noise.OutOfFold` for its formula): where classes overlap, labels disagree with the
    model the more the less sure it is; where labels are wrong anywhere, they also disagree where it
    is surest. Bayes' rule then gives, for each row, the posterior of its true class given its
    label, averaged over hypotheses on the noise (none, one rate, a rate for each class).

    Parameters
    ----------
    pred_probs : array of shape (n, K)
        Probabilities of the classes, out of fold or out of bag: by a model that has not seen the
        row. Such as ``cross_val_predict(model, X, y, method="predict_proba")``. Columns of a data
        frame that are named by the classes may come in any order.
    y : labels, n of them
        Text, whole numbers or booleans.
    clean : boolean mask of n rows, optional
        The rows whose labels are trusted: none of them is suspected. Rows drawn at random, or all
        that have a certain label; of others give ``original`` as well.
    original : labels, n of them, optional
        The labels of clean rows as they were before somebody checked them; None or NaN where that
        is not known. What was found wrong there tells how many of the others are.
    sample_weight : weights of the rows, optional
        Rows of weight 0 are judged, but have no say in how noisy the labels are.
    classes : the label of each column of ``pred_probs``, optional
        Default: the distinct labels of ``y``, ascending, as scikit-learn orders them.

    Returns
    -------
    LabelQuality
        Its ``suspects`` (a queue: row numbers, most suspect first, as many as labels seem to be
        wrong), ``expected_wrong(k)`` (how many of the first k are), ``scores`` (the probability
        that a label is wrong), ``quality`` (that it is right), ``posterior``, ``suggested`` labels
        of suspects, ``mislabeled`` (a mask: another class has 80 % or more), ``corrected`` (the
        labels, those changed) and ``noise`` (rate, interval, matrix).

    See Also
    --------
    nacre.find_mislabeled : The same with nacre's own models.

    Notes
    -----
    *When it helps.* You have a model of your own for text, images or anything else, and its
    out-of-fold probabilities: the counterpart of cleanlab's ``find_label_issues``.

    *When it does not.* Probabilities of rows that the model was fitted to: they agree with wrong
    labels, and nothing is found. Where rows come in groups or copies, folds must keep those
    together (scikit-learn's ``StratifiedGroupKFold``), or copies vouch for each other. Where
    classes overlap, wrong labels that follow the overlap cannot be told from right ones: the
    interval of the rate then begins at 0, and ``noise.rows_to_check`` says how many random rows to
    check and give as ``clean``.

    ``noise.matrix`` has the true class as its row and the given label as its column; cleanlab's
    ``noise_matrix`` is its transpose.

    Of more than 5000 rows the noise model is fitted to a random sample; all rows are judged.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sklearn.model_selection import cross_val_predict
    >>> from nacre import judge_labels
    >>> from nacre.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> forest = RandomForestClassifier(random_state=0)
    >>> found = judge_labels(cross_val_predict(forest, X, labels, method="predict_proba"), labels)
    >>> bool(flipped[found.suspects[:40]].mean() > 0.9)
    True
    """
    chances = read_probabilities(pred_probs)
    n, K = chances.shape
    labels = as_labels(y, n, "pred_probs")
    known = _read_classes(labels, classes, K)
    chances = by_names(pred_probs, chances, known)
    place = np.searchsorted(known, labels)
    given = np.minimum(place, K - 1)
    if not np.array_equal(known[given], labels):
        strange = labels[known[given] != labels].tolist()[0]
        raise ValueError(f"y holds {strange!r}, which is none of the classes: {known.tolist()}.")
    trusted = np.zeros(n, bool) if clean is None else as_mask(clean, n)
    before = as_original(original, trusted, known)
    weight = read_weights(sample_weight, n)
    return judge(log_scores(chances), given, trusted, known, weight, original=before)[0]


def judge(
    scores: np.ndarray,
    given: np.ndarray,
    clean: np.ndarray,
    classes: np.ndarray,
    weight: np.ndarray | None = None,
    rows: np.ndarray | None = None,
    original: np.ndarray | None = None,
) -> tuple[LabelQuality, NoiseModel]:
    """Fit the noise model to centred scores, and judge every row by it.

    Parameters
    ----------
    scores : array of shape (n, K)
        Centred log-probabilities by models that have not seen the rows.
    given : int64 array of shape (n,)
        The labels, as places in ``classes``.
    clean : boolean array of shape (n,)
    classes : array of shape (K,)
    weight : array of shape (n,), optional
    rows : rows to fit the model to, optional
        Default: those of positive weight or, of more than 5000, a random sample.
    original : int64 array of shape (n,), optional
        Labels of clean rows as they were before they were checked, -1 where that is not known.
    """
    if rows is None:
        able = np.arange(len(given)) if weight is None else np.flatnonzero(weight > 0)
        if len(able) > JUDGES:
            able = able[sample_rows(clean[able], JUDGES, 0, find_units(scores[able]))]
        rows = able
    some = None if weight is None else weight[rows] / weight[rows].mean()
    model = fit_noise_model(
        scores[rows], given[rows], clean[rows], some, None if original is None else original[rows]
    )
    if clean[rows].all() and not clean.all():  # of the others nothing is known
        model = replace(model, interval=(0.0, MOST))
    return found_by(model, scores, given, clean, classes), model


def found_by(
    model: NoiseModel,
    scores: np.ndarray,
    given: np.ndarray,
    clean: np.ndarray,
    classes: np.ndarray,
) -> LabelQuality:
    """What a fitted noise model says of rows; parameters as of :func:`judge`."""
    labels = int(np.sum(~clean))
    noise = NoiseRate(model.rate, model.interval, model.matrix, classes, labels=labels)
    posterior = model.given_label(scores, given, clean)
    return LabelQuality(posterior, model.true_classes(scores), given, classes, noise)


def read_probabilities(pred_probs: Any) -> np.ndarray:
    """Probabilities as an array of shape (n, K), K of 2 or more, rows that sum to 1."""
    try:
        chances = np.asarray(pred_probs, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("pred_probs must hold numbers: a row for each row of y.") from None
    if chances.ndim != 2 or chances.shape[1] < 2 or not len(chances):
        raise ValueError(
            f"pred_probs has shape {chances.shape}: it must have a row for each row of y and a "
            "column for each class."
        )
    if not np.all(np.isfinite(chances)) or chances.min() < 0.0:
        raise ValueError("pred_probs must hold probabilities: NaN or a negative number is there.")
    off = np.abs(chances.sum(axis=1) - 1.0)
    if off.max() > ROUNDED:
        raise ValueError(
            f"Row {off.argmax()} of pred_probs sums to {chances[off.argmax()].sum():.4g}, not to "
            "1: give probabilities, not scores."
        )
    return chances


def by_names(pred_probs: Any, chances: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The columns of a data frame whose names are the classes, in the order of the classes.

    Arrays, and frames whose columns have other names, are in that order already.
    """
    names = [str(name) for name in getattr(pred_probs, "columns", ())]
    places = [one for one in named_columns(names, classes.tolist()) if one is not None]
    if names == [str(k) for k in range(len(names))] or not places:
        return chances
    if not len(names) == len(classes) == len(places):
        raise ValueError(
            f"The columns of pred_probs are named {', '.join(names)}, the classes are "
            f"{', '.join(map(str, classes.tolist()))}: name a column for each class."
        )
    return chances[:, places]


def named_columns(names: Sequence[str], classes: Sequence[Any]) -> list[int | None]:
    """The place of the column that is named by each class, if need be in another case."""
    there = {name.strip(): place for place, name in enumerate(names)}
    there = {name.casefold(): place for name, place in there.items()} | there
    return [there.get(str(one), there.get(str(one).casefold())) for one in classes]


def _read_classes(labels: np.ndarray, classes: Any, K: int) -> np.ndarray:
    """The label of each column."""
    if classes is None:
        found = encode(labels)[0]
        if len(found) != K:
            raise ValueError(
                f"pred_probs has {K} columns, y has {len(found)} classes: name the label of each "
                "column by classes=."
            )
        return found
    known = column_or_1d(classes)
    if len(known) != K:
        raise ValueError(f"classes has {len(known)} entries for {K} columns of pred_probs.")
    if not np.all(known[:-1] < known[1:]):
        raise ValueError("classes must ascend, each of them once, and so must the columns.")
    return known
