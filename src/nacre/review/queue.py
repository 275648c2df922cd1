"""In which order rows are looked at: the most suspect ones, and some at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Queue:
    """Rows in the order in which they are looked at.

    Attributes
    ----------
    rows : int64 array of shape (n,)
        Each row once.
    random : boolean array of shape (n,)
        Which of them stand there because they were drawn.
    """

    rows: np.ndarray
    random: np.ndarray


def draw_rows(rows: np.ndarray, seed: int) -> np.ndarray:
    """All rows in random order: the first m are a simple random sample, for every m."""
    return np.random.default_rng(seed).permutation(rows)


def interleave(ranking: np.ndarray, draws: np.ndarray, share: float) -> Queue:
    """Mix two orders of the same rows, so that of every so many slots one is of the second.

    A row that both orders have by then stands in the queue once, where it came first.

    Parameters
    ----------
    ranking : rows, most suspect first
    draws : the same rows in random order
    share : of the slots that are filled from ``draws``, from 0 to 1

    Examples
    --------
    >>> import numpy as np
    >>> from nacre.review.queue import interleave
    >>> found = interleave(np.array([7, 3, 5, 1, 9, 0]), np.array([9, 7, 1, 0, 5, 3]), 1 / 3)
    >>> found.rows
    array([7, 3, 9, 5, 1, 0])
    >>> found.random
    array([False, False,  True, False, False,  True])
    """
    n = len(ranking)
    slots = np.arange(n + 1) * share + 1e-9
    random = np.diff(np.floor(slots)) > 0
    placed: set[int] = set()
    orders = {False: iter(ranking.tolist()), True: iter(draws.tolist())}
    rows = np.empty(n, np.int64)
    for slot, drawn in enumerate(random.tolist()):
        row = next(one for one in orders[drawn] if one not in placed)
        placed.add(row)
        rows[slot] = row
    return Queue(rows, random)
