"""Margins: how firmly the ensemble stands by each row's label, round after round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nacre.boost.result import Steps
from nacre.diagnostics.ensemble import as_hits, as_numbers, pick_rounds


def margins(
    hits: Any, votes: Any, rounds: Any = None, *, p: float = 1.0, shrinks: Any = None
) -> np.ndarray:
    r"""Normalised margins of all rows, per round.

    .. math::

        \frac{\sum_{s \le t} b_s\, u_{si}}{\lVert (b_1, \ldots, b_t) \rVert_p},
        \qquad u_{si} = \pm 1,

    from -1 (all votes against the label) to 1 (all for it). Final votes serve for earlier rounds
    too, as every algorithm's votes at a round are proportional to them; but where each round
    shrinks all votes before it, thousands of rounds shrink the first ones to 0. There, tell what
    each round did: ``shrinks, votes = model.estimator_steps_.T``.

    Parameters
    ----------
    hits : table of shape (rounds, n), +1 right and -1 wrong
        :func:`~nacre.diagnostics.hits` makes it.
    votes : as many numbers as there are rounds
        ``estimator_weights_`` of the model; with ``shrinks``, what each vote was in its round.
    rounds : int or list of them, optional
        Which rounds, from 1; -1 is the last. Default all.
    p : float above 0, default=1.0
        Norm of the votes. :func:`~nacre.diagnostics.hull_bound` needs that of the p-hull; with p
        below 1 margins are smaller, above 1 they may leave -1 to 1.
    shrinks : as many numbers, optional
        By what each round first multiplied all earlier votes; default 1.

    Returns
    -------
    ndarray of shape (rounds, n), or (n,) for a single round

    References
    ----------
    .. [1] R. Schapire, Y. Freund, P. Bartlett, W. S. Lee, "Boosting the margin", Annals of
       Statistics 26, 1998.

    Examples
    --------
    >>> from nacre.diagnostics import margins
    >>> margins([[1, 1, -1], [1, -1, 1]], votes=[3.0, 1.0])
    array([[ 1. ,  1. , -1. ],
           [ 1. ,  0.5, -0.5]])
    >>> margins([[1, 1, -1], [1, -1, 1]], votes=[3.0, 1.0], rounds=-1)
    array([ 1. ,  0.5, -0.5])
    """
    table = as_hits(hits)
    chosen, single = pick_rounds(rounds, len(table))
    out = np.empty((len(chosen), table.shape[1]))
    for t, one in enumerate(_each(table, votes, shrinks, p), start=1):
        out[chosen == t] = one
    return out[0] if single else out


def area_under_margin(hits: Any, votes: Any, *, shrinks: Any = None) -> np.ndarray:
    """Area under the margin: the mean of each row's normalised margins over the rounds.

    Rows that the ensemble learns late, or never, have a small or negative area: a sign of a wrong
    label that, unlike the last margin, does not fade as the ensemble fits the training rows.

    Parameters
    ----------
    hits : table of shape (rounds, n), +1 right and -1 wrong
    votes : as many numbers as there are rounds
    shrinks : as many numbers, optional
        As :func:`margins` takes them.

    Returns
    -------
    ndarray of shape (n,)

    References
    ----------
    .. [1] G. Pleiss, T. Zhang, E. Elenberg, K. Weinberger, "Identifying mislabeled data using the
       area under the margin ranking", NeurIPS 2020.

    Examples
    --------
    >>> from nacre.diagnostics import area_under_margin
    >>> area_under_margin([[1, 1, -1], [1, -1, 1]], votes=[3.0, 1.0])
    array([ 1.  ,  0.75, -0.75])
    """
    table = as_hits(hits)
    total = sum(_each(table, votes, shrinks), np.zeros(table.shape[1]))
    return np.asarray(total) / max(len(table), 1)


def margin_distribution(margins: Any, at: Any) -> np.ndarray:
    """Share of the rows whose margin is at most so much: the cumulative distribution.

    Parameters
    ----------
    margins : array of shape (n,) or (rounds, n)
    at : numbers, k of them

    Returns
    -------
    ndarray of shape (k,) or (rounds, k)

    Examples
    --------
    >>> from nacre.diagnostics import margin_distribution
    >>> margin_distribution([-0.5, 0.5, 1.0, 1.0], at=[0.0, 0.5, 1.0])
    array([0.25, 0.5 , 1.  ])
    """
    rows = np.sort(np.asarray(margins, float), axis=-1)
    if rows.ndim not in (1, 2) or rows.size == 0 or np.isnan(rows).any():
        raise ValueError("margins must be numbers, of shape (n,) or (rounds, n).")
    points = as_numbers(at, "at")
    counts = [np.searchsorted(one, points, side="right") for one in np.atleast_2d(rows)]
    shares = np.array(counts) / rows.shape[-1]
    return shares[0] if rows.ndim == 1 else shares


def _each(table: np.ndarray, votes: Any, shrinks: Any, p: float = 1.0) -> Iterator[np.ndarray]:
    """Margins after each round, in one pass; 0 while there are no votes."""
    if not p > 0:
        raise ValueError(f"p must be above 0, got {p!r}.")
    rounds = len(table)
    votes = as_numbers(votes, "votes", rounds)
    shrinks = np.ones(rounds) if shrinks is None else as_numbers(shrinks, "shrinks", rounds)
    norm = 0.0
    staged = Steps(shrinks, votes, votes).margins(table, np.zeros(table.shape[1]))
    for total, vote, shrink in zip(staged, votes.tolist(), shrinks.tolist(), strict=True):
        norm = _longer(abs(shrink) * norm, abs(vote), p)
        yield total / norm if norm > 0 else np.zeros_like(total)


def _longer(norm: float, vote: float, p: float) -> float:
    """The p-norm of votes after one more, of any scale."""
    top = max(norm, vote)
    if top == 0.0:
        return 0.0
    return top * ((norm / top) ** p + (vote / top) ** p) ** (1.0 / p)
