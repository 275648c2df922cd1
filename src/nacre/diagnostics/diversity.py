"""How good the weak hypotheses are, and how alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import rankdata

from nacre.diagnostics.ensemble import as_hits


def accuracies(hits: Any) -> np.ndarray:
    """Share of the rows that each weak hypothesis gets right, each row counting alike.

    Parameters
    ----------
    hits : table of shape (rounds, n), +1 right and -1 wrong

    Returns
    -------
    ndarray, one number per round

    Examples
    --------
    >>> from nacre.diagnostics import accuracies
    >>> accuracies([[1, 1, 1, -1], [1, -1, -1, 1]])
    array([0.75, 0.5 ])
    """
    return np.asarray((as_hits(hits) > 0).mean(axis=1))


def error_correlations(hits: Any) -> np.ndarray:
    """Pearson correlations between the errors of the weak hypotheses.

    1 where two are wrong on the same rows, 0 where their errors have nothing to do with each other
    (or one is never wrong, or always), below 0 where one tends to be right when the other is not.

    Parameters
    ----------
    hits : table of shape (rounds, n), +1 right and -1 wrong

    Returns
    -------
    ndarray of shape (rounds, rounds)

    Examples
    --------
    >>> from nacre.diagnostics import error_correlations
    >>> error_correlations([[1, 1, -1, -1], [1, 1, -1, -1], [1, -1, 1, -1]])
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """
    unit = _standardised(as_hits(hits))
    table = np.clip(unit @ unit.T, -1.0, 1.0)
    np.fill_diagonal(table, 1.0)
    return table


def diversity(hits: Any) -> dict[str, float]:
    """A small table on the weak hypotheses of one ensemble.

    What Oza asks for: averaging the weights should make hypotheses more accurate, and more alike.

    Parameters
    ----------
    hits : table of shape (rounds, n), +1 right and -1 wrong
        Of training or of test rows.

    Returns
    -------
    dict
        ``hypotheses``: how many; ``distinct``: how many differ on these rows; ``accuracy``,
        ``least accuracy``, ``most accuracy``; ``correlation``: the mean over all pairs of the
        correlation of their errors (see :func:`error_correlations`).

    Examples
    --------
    >>> from nacre.diagnostics import diversity
    >>> table = diversity([[1, 1, 1, -1], [1, 1, -1, 1]])
    >>> table["accuracy"], round(table["correlation"], 3)
    (0.75, -0.333)
    """
    table = as_hits(hits)
    if len(table) == 0:
        raise ValueError("The ensemble is empty: there are no hypotheses to compare.")
    right, unit = accuracies(table), _standardised(table)
    pairs = len(table) * (len(table) - 1)
    # Over all pairs at once: the square of the sum, less each one's own.
    together = (unit.sum(axis=0) ** 2).sum() - (unit**2).sum()
    return {
        "hypotheses": len(table),
        "distinct": len(np.unique(table, axis=0)),
        "accuracy": float(right.mean()),
        "least accuracy": float(right.min()),
        "most accuracy": float(right.max()),
        "correlation": float(together / pairs) if pairs else 1.0,
    }


def overlaps(flags: Mapping[str, Any]) -> np.ndarray:
    """How far several filters agree on which rows are suspect.

    Of masks, the rows that both flag over the rows that either flags (Jaccard; 1 where neither
    flags any). Of scores, the rank correlation (Spearman; ties share their ranks).

    Parameters
    ----------
    flags : dict of names and boolean masks, or of names and scores

    Returns
    -------
    ndarray of shape (filters, filters)

    Examples
    --------
    >>> from nacre.diagnostics import overlaps
    >>> overlaps({"vote": [True, True, False], "margin": [True, False, False]})
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    if not flags:
        raise ValueError("flags must name at least one filter.")
    shapes = {np.shape(one) for one in flags.values()}
    if len(shapes) > 1 or len(shapes.pop()) != 1:
        raise ValueError("flags must hold masks or scores of the same rows, one per row.")
    rows = np.array(list(flags.values()))
    kinds = {np.asarray(one).dtype.kind for one in flags.values()}
    if kinds == {"b"}:
        both = (rows[:, None] & rows).sum(axis=-1)
        either = (rows[:, None] | rows).sum(axis=-1)
        return np.where(either > 0, both / np.maximum(either, 1), 1.0)
    if not kinds <= set("iuf") or not np.all(np.isfinite(rows)):
        raise ValueError("flags must be all masks, or all scores without NaN or infinity.")
    unit = _standardised(rankdata(rows, axis=1))
    table = np.clip(unit @ unit.T, -1.0, 1.0)
    np.fill_diagonal(table, 1.0)
    return table


def _standardised(table: np.ndarray) -> np.ndarray:
    """Rows brought to mean 0 and length 1; all 0 where they do not vary."""
    away = table - table.mean(axis=1, keepdims=True)
    length = np.sqrt((away**2).sum(axis=1, keepdims=True))
    return away / np.where(length > 0, length, 1.0)
