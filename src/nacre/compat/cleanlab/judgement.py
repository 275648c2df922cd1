"""What all of the functions begin with: cleanlab's labels and probabilities, judged by nacre."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from nacre.data.check import check_choice
from nacre.noise.judge import judge_labels, read_probabilities
from nacre.noise.quality import LabelQuality

RANKINGS = ("self_confidence", "normalized_margin", "confidence_weighted_entropy")
"""cleanlab's ways to rank; nacre ranks by the probability that a label is right."""

FILTERS = (
    "prune_by_noise_rate", "prune_by_class", "both", "confident_learning", "predicted_neq_given",
    "low_normalized_margin", "low_self_confidence",
)  # fmt: skip
"""cleanlab's ways to choose issues."""


def judged(labels: Any, pred_probs: Any) -> LabelQuality:
    """Judge labels that are whole numbers from 0, the columns of the probabilities."""
    chances = read_probabilities(pred_probs)
    given = as_codes(labels, *chances.shape)
    return judge_labels(chances, given, classes=np.arange(chances.shape[1]))


def as_codes(labels: Any, n: int, K: int) -> np.ndarray:
    """Labels as places of columns; ValueError where they are none."""
    given = column_or_1d(np.asarray(labels))
    if len(given) != n:
        raise ValueError(f"There are {len(given)} labels for {n} rows of pred_probs.")
    whole = given.astype(np.int64) if given.dtype.kind in "iuf" else None
    if whole is None or not np.array_equal(whole, given) or whole.min() < 0 or whole.max() >= K:
        raise ValueError(
            f"labels must be whole numbers from 0 to {K - 1}, the columns of pred_probs: "
            "sklearn.preprocessing.LabelEncoder makes them, or give the labels as they are to "
            "nacre.judge_labels."
        )
    return whole


def refuse(**arguments: Any) -> None:
    """Raise where an argument is set that nacre has no counterpart of."""
    for name, value in arguments.items():
        if value is not None and value is not False:
            raise ValueError(f"{name} has no counterpart in nacre: leave it out.")


def check_ranking(method: Any, name: str) -> None:
    """Raise unless it is one of cleanlab's rankings."""
    check_choice(method, name, RANKINGS)
