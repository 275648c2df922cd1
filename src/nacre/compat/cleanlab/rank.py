"""As ``cleanlab.rank``: how good each label is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nacre.compat.cleanlab.judgement import as_codes, check_ranking, judged
from nacre.noise.judge import read_probabilities
from nacre.noise.quality import label_margins


def get_label_quality_scores(
    labels: Any,
    pred_probs: Any,
    *,
    method: str = "self_confidence",
    adjust_pred_probs: bool = False,
) -> np.ndarray:
    """Score each label from 0 to 1, high is good: ``judge_labels(...).quality``.

    The score is the probability that the label is right, which cleanlab's are not.

    Parameters
    ----------
    labels : whole numbers from 0, n of them
    pred_probs : array of shape (n, K)
        Out-of-fold probabilities.
    method : str
        Any of cleanlab's names; they make no difference.
    adjust_pred_probs : bool
        Makes no difference: nacre fits how labels and probabilities go together in any case.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from nacre.compat.cleanlab.rank import get_label_quality_scores
    >>> labels = np.arange(100) % 2
    >>> pred_probs = np.where(labels[:, None] == [0, 1], 0.98, 0.02)
    >>> labels[:5] = 1 - labels[:5]
    >>> scores = get_label_quality_scores(labels, pred_probs)
    >>> bool(scores[:5].max() < scores[5:].min())
    True
    """
    check_ranking(method, "method")
    return judged(labels, pred_probs).quality


def get_label_quality_ensemble_scores(
    labels: Any,
    pred_probs_list: Sequence[Any],
    *,
    method: str = "self_confidence",
    adjust_pred_probs: bool = False,
    weight_ensemble_members_by: str = "accuracy",
    custom_weights: Any = None,
    verbose: bool = True,
) -> np.ndarray:
    """Score each label by several models: by the weighted mean of their probabilities.

    Parameters
    ----------
    labels : whole numbers from 0, n of them
    pred_probs_list : arrays of shape (n, K)
        Out-of-fold probabilities of each model.
    weight_ensemble_members_by : {"uniform", "accuracy", "custom"}
        "accuracy" weighs a model by its agreement with the labels.
    custom_weights : a weight for each model, with "custom"
    method, adjust_pred_probs, verbose
        Make no difference.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from nacre.compat.cleanlab.rank import get_label_quality_ensemble_scores
    >>> labels = np.arange(100) % 2
    >>> pred_probs = np.where(labels[:, None] == [0, 1], 0.98, 0.02)
    >>> labels[:5] = 1 - labels[:5]
    >>> scores = get_label_quality_ensemble_scores(labels, [pred_probs, pred_probs])
    >>> bool(scores[:5].max() < scores[5:].min())
    True
    """
    check_ranking(method, "method")
    chances = [read_probabilities(one) for one in pred_probs_list]
    if not chances or len({one.shape for one in chances}) != 1:
        raise ValueError("pred_probs_list must hold arrays of one shape, one for each model.")
    if weight_ensemble_members_by == "custom":
        weights = np.asarray(custom_weights, float)
    elif weight_ensemble_members_by == "accuracy":
        given = as_codes(labels, *chances[0].shape)
        weights = np.array([(one.argmax(axis=1) == given).mean() for one in chances])
    elif weight_ensemble_members_by == "uniform":
        weights = np.ones(len(chances))
    else:
        raise ValueError(
            "weight_ensemble_members_by must be one of uniform, accuracy, custom; "
            f"got {weight_ensemble_members_by!r}."
        )
    if weights.shape != (len(chances),) or not np.all(weights >= 0) or not weights.sum() > 0:
        raise ValueError("custom_weights must have a weight of 0 or more for each model.")
    return judged(labels, np.average(chances, axis=0, weights=weights)).quality


def order_label_issues(
    label_issues_mask: Any,
    labels: Any,
    pred_probs: Any,
    *,
    rank_by: str = "self_confidence",
    rank_by_kwargs: dict[str, Any] | None = None,
) -> np.ndarray:
    """Order the rows of a mask, most suspect first.

    Parameters
    ----------
    label_issues_mask : boolean mask of n rows
    labels : whole numbers from 0, n of them
    pred_probs : array of shape (n, K)
    rank_by, rank_by_kwargs
        Make no difference.

    Returns
    -------
    ndarray
        Row numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from nacre.compat.cleanlab.rank import order_label_issues
    >>> labels = np.arange(100) % 2
    >>> pred_probs = np.where(labels[:, None] == [0, 1], 0.98, 0.02)
    >>> labels[5] = 0
    >>> order_label_issues(np.isin(np.arange(100), [4, 5]), labels, pred_probs)
    array([5, 4])
    """
    check_ranking(rank_by, "rank_by")
    mask = np.asarray(label_issues_mask)
    found = judged(labels, pred_probs)
    if mask.dtype != bool or mask.shape != found.given.shape:
        raise ValueError("label_issues_mask must be a boolean array, one entry for each label.")
    order = found.order
    return order[mask[order]]


def find_top_issues(quality_scores: Any, *, top: int = 10) -> np.ndarray:
    """Row numbers of the lowest scores, lowest first: as cleanlab's.

    Parameters
    ----------
    quality_scores : n numbers
    top : int, default=10

    Returns
    -------
    ndarray

    Examples
    --------
    >>> from nacre.compat.cleanlab.rank import find_top_issues
    >>> find_top_issues([0.9, 0.1, 0.5], top=2)
    array([1, 2])
    """
    return np.argsort(np.asarray(quality_scores), kind="stable")[:top]


def get_self_confidence_for_each_label(labels: Any, pred_probs: Any) -> np.ndarray:
    """The probability of each label, as it was given: cleanlab's formula.

    Parameters
    ----------
    labels : whole numbers from 0, n of them
    pred_probs : array of shape (n, K)

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> from nacre.compat.cleanlab.rank import get_self_confidence_for_each_label
    >>> get_self_confidence_for_each_label([0, 1], [[0.9, 0.1], [0.75, 0.25]])
    array([0.9 , 0.25])
    """
    chances = read_probabilities(pred_probs)
    out: np.ndarray = chances[np.arange(len(chances)), as_codes(labels, *chances.shape)]
    return out


def get_normalized_margin_for_each_label(labels: Any, pred_probs: Any) -> np.ndarray:
    """The label's probability less the largest other one, from 0 to 1: cleanlab's formula.

    Parameters
    ----------
    labels : whole numbers from 0, n of them
    pred_probs : array of shape (n, K)

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> from nacre.compat.cleanlab.rank import get_normalized_margin_for_each_label
    >>> get_normalized_margin_for_each_label([0, 1], [[0.9, 0.1], [0.75, 0.25]])
    array([0.9 , 0.25])
    """
    chances = read_probabilities(pred_probs)
    return (label_margins(chances, as_codes(labels, *chances.shape)) + 1.0) / 2.0
