"""As ``cleanlab.filter``: which labels are wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from nacre.compat.cleanlab.judgement import FILTERS, as_codes, check_ranking, judged, refuse
from nacre.data.check import check_choice
from nacre.noise.judge import read_probabilities


def find_label_issues(
    labels: Any,
    pred_probs: Any,
    *,
    return_indices_ranked_by: str | None = None,
    rank_by_kwargs: dict[str, Any] | None = None,
    filter_by: str = "prune_by_noise_rate",
    frac_noise: float = 1.0,
    num_to_remove_per_class: Any = None,
    min_examples_per_class: int = 1,
    confident_joint: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    multi_label: bool = False,
) -> np.ndarray:
    """Find the labels that are wrong: ``judge_labels(...).suspected``, or ``.suspects``.

    Parameters
    ----------
    labels : whole numbers from 0, n of them
    pred_probs : array of shape (n, K)
        Out-of-fold probabilities.
    return_indices_ranked_by : str, optional
        Any of cleanlab's names: return row numbers, most suspect first, instead of a mask. They are
        ranked by the probability that the label is right.
    filter_by : str
        Any of cleanlab's names; they make no difference.
    frac_noise : float, default=1.0
        The share of the suspects to return, the most suspect ones.
    rank_by_kwargs, min_examples_per_class, n_jobs, verbose
        Make no difference.
    num_to_remove_per_class, confident_joint, multi_label
        Are refused.

    Returns
    -------
    ndarray
        A mask of n rows, or row numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from nacre.compat.cleanlab.filter import find_label_issues
    >>> labels = np.arange(100) % 2
    >>> pred_probs = np.where(labels[:, None] == [0, 1], 0.98, 0.02)
    >>> labels[:10] = 1 - labels[:10]
    >>> found = find_label_issues(labels, pred_probs, return_indices_ranked_by="self_confidence")
    >>> set(found.tolist()) <= set(range(10))
    True
    """
    refuse(
        num_to_remove_per_class=num_to_remove_per_class,
        confident_joint=confident_joint,
        multi_label=multi_label,
    )
    check_choice(filter_by, "filter_by", FILTERS)
    if not 0 <= frac_noise <= 1:
        raise ValueError(f"frac_noise must be from 0 to 1, got {frac_noise!r}.")
    suspects = judged(labels, pred_probs).suspects
    suspects = suspects[: round(frac_noise * len(suspects))]
    if return_indices_ranked_by is not None:
        check_ranking(return_indices_ranked_by, "return_indices_ranked_by")
        return suspects
    mask = np.zeros(len(np.asarray(labels)), bool)
    mask[suspects] = True
    return mask


def find_predicted_neq_given(
    labels: Any, pred_probs: Any, *, multi_label: bool = False
) -> np.ndarray:
    """Find the labels that are not the likeliest class: as cleanlab's, to the row.

    Parameters
    ----------
    labels : whole numbers from 0, n of them
    pred_probs : array of shape (n, K)
    multi_label : bool
        Is refused.

    Returns
    -------
    ndarray
        A mask of n rows.

    Examples
    --------
    >>> from nacre.compat.cleanlab.filter import find_predicted_neq_given
    >>> find_predicted_neq_given([0, 1], [[0.9, 0.1], [0.6, 0.4]])
    array([False,  True])
    """
    refuse(multi_label=multi_label)
    chances = read_probabilities(pred_probs)
    out: np.ndarray = chances.argmax(axis=1) != as_codes(labels, *chances.shape)
    return out
