"""How many labels are wrong, and how many will be left: from rows that somebody has looked at.

The rows fall into two strata. Those that the queue's order has *reached* and that are decided are
known: their wrong labels are counted, not estimated. Of the rest, the rows that were *drawn* are a
simple random sample, because neither the draw nor the order has looked at what came of the other:
the order is learned from reached rows only. So the number of wrong labels among the rest follows
from the hypergeometric distribution, exactly, for any number of rows.

Rows decided by choice (from the list) are neither reached nor drawn: they bound the number of wrong
labels, and are not left to be found, but no share is taken from them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

LEVEL = 0.95
"""Of intervals."""

OPEN, RIGHT, WRONG, UNSURE = -1, 0, 1, 2
"""What is known of a row's label. A row to be left out counts as wrong."""

POINTS = 60
"""Of the curve."""


@dataclass(frozen=True)
class Estimate:
    """A number of rows, and where it lies at the 95 % level.

    Attributes
    ----------
    count : float
        Unbiased, but for being held to what is possible; NaN where nothing was drawn.
    low, high : int
    """

    count: float
    low: int
    high: int


@dataclass(frozen=True)
class Progress:
    """What a review has come to.

    Attributes
    ----------
    rows : int
        Rows under review.
    checked, drawn, unsure : int
        Rows that are decided; of these, rows of the random sample; rows that nobody was sure of.
    found : int
        Wrong labels found.
    wrong : Estimate
        Wrong labels that there were, those found among them.
    left : Estimate
        Wrong labels that are not found yet.
    """

    rows: int
    checked: int
    drawn: int
    unsure: int
    found: int
    wrong: Estimate
    left: Estimate


@dataclass(frozen=True, eq=False)
class Curve:
    """Wrong labels left, against the rows that the order has reached.

    Attributes
    ----------
    reached : int array
        Rows from the top of the order that are decided.
    count, low, high : arrays
        As of ``Estimate``.
    expected : array
        What the models expect, who have no reviewer to ask.
    """

    reached: np.ndarray
    count: np.ndarray
    low: np.ndarray
    high: np.ndarray
    expected: np.ndarray


def count_interval(
    size: np.ndarray, sampled: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Interval of the number of marked rows among ``size``, from a simple random sample.

    The two one-sided tests of the hypergeometric distribution, each at half of what the level
    leaves, turned round (Clopper and Pearson's interval for draws without replacement).

    Parameters
    ----------
    size : rows that there are
    sampled : rows drawn from them
    low, high : marked rows in the sample, at least and at most

    Examples
    --------
    >>> import numpy as np
    >>> from nacre.review.estimate import count_interval
    >>> low, high = count_interval(*(np.array([one]) for one in (1000, 50, 2, 2)))
    >>> int(low[0]), int(high[0])
    (6, 134)
    """
    tail = (1.0 - LEVEL) / 2.0
    size, sampled, low, high = np.broadcast_arrays(size, sampled, low, high)

    def fewest_with(likely) -> np.ndarray:  # type: ignore[no-untyped-def]
        """The least number for which a condition holds that, once true, stays so."""
        least, most = np.zeros(len(size), np.int64), size.astype(np.int64) + 1
        while np.any(least < most):
            middle = (least + most) // 2
            true = likely(np.minimum(middle, size)) | (middle > size)
            least, most = np.where(true, least, middle + 1), np.where(true, middle, most)
        return least

    first = fewest_with(lambda marked: 1.0 - at_most(low - 1, size, marked, sampled) > tail)
    past = fewest_with(lambda marked: at_most(high, size, marked, sampled) <= tail)
    empty = size == 0
    return np.where(empty, 0, first), np.where(empty, 0, past - 1)


def at_most(
    hits: np.ndarray, size: np.ndarray, marked: np.ndarray, sampled: np.ndarray
) -> np.ndarray:
    """The hypergeometric distribution function, for arrays of cases at once.

    The probability that of ``sampled`` rows, drawn from ``size`` of which some are ``marked``, at
    most ``hits`` are. SciPy's takes a hundred times as long on large tables.
    """
    hits, size, marked, sampled = (one[:, None] for one in (hits, size, marked, sampled))
    k = np.arange(max(int(hits.max()), 0) + 1)
    able = (k <= hits) & (k <= marked) & (k <= sampled) & (sampled - k <= size - marked)
    inside = np.where(able, k, np.maximum(sampled - (size - marked), 0))
    terms = (
        _log_choose(marked, inside)
        + _log_choose(size - marked, sampled - inside)
        - _log_choose(size, sampled)
    )
    out: np.ndarray = np.minimum(np.sum(np.where(able, np.exp(terms), 0.0), axis=1), 1.0)
    return out


def _log_choose(n: np.ndarray, k: np.ndarray) -> np.ndarray:
    out: np.ndarray = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return out


def measure(state: np.ndarray, reached: np.ndarray, drawn: np.ndarray) -> Progress:
    """Sum up a review.

    Parameters
    ----------
    state : array of shape (n,), what is known of each row under review
    reached : boolean array of shape (n,), rows that the order has reached
    drawn : boolean array of shape (n,), the random sample; rows of it that are open count as unsure
    """
    known = reached & (state != OPEN)
    rest = ~known
    found = int(np.sum(state == WRONG))
    doubt = int(np.sum(known & (state == UNSURE)))
    sure = int(np.sum(known & (state == WRONG)))
    there = _wrong_among(state, rest, drawn)
    inside = int(np.sum(rest & (state == WRONG)))
    wrong = Estimate(sure + doubt / 2 + there.count, sure + there.low, sure + doubt + there.high)
    left = Estimate(
        max(doubt / 2 + there.count - inside, 0.0), there.low - inside, doubt + there.high - inside
    )
    return Progress(
        len(state),
        int(np.sum(state != OPEN)),
        int(np.sum(drawn & (state != OPEN))),
        int(np.sum(state == UNSURE)),
        found,
        wrong,
        left,
    )


def _wrong_among(state: np.ndarray, rest: np.ndarray, drawn: np.ndarray) -> Estimate:
    """Wrong labels among rows of which some were drawn."""
    sample = state[rest & drawn]
    size, sampled = int(rest.sum()), len(sample)
    low = int(np.sum(sample == WRONG))
    high = low + int(np.sum((sample == UNSURE) | (sample == OPEN)))
    ends = count_interval(*(np.array([one]) for one in (size, sampled, low, high)))
    least = int(np.sum(rest & (state == WRONG)))
    most = size - int(np.sum(rest & (state == RIGHT)))
    count = size * (low + high) / 2 / sampled if sampled else np.nan
    if size == 0:
        count = 0.0
    return Estimate(
        float(np.clip(count, least, most)), max(int(ends[0][0]), least), min(int(ends[1][0]), most)
    )


def wrong_left(
    state: np.ndarray, ranking: np.ndarray, drawn: np.ndarray, chances: np.ndarray, frontier: int
) -> Curve:
    """How many wrong labels are left once the first rows of an order are decided.

    What is past is known: up to the frontier the curve falls by the wrong labels found on the way.
    What is to come rests on the random rows that the order has not reached by then. More than there
    are now cannot be left later, so the upper end of now bounds all later ones; at worst that takes
    2.5 points off their level.

    Parameters
    ----------
    state, drawn : as for ``measure``
    ranking : all rows under review, in the order in which they are looked at
    chances : the probability of each row that its label is wrong
    frontier : how many rows of the order are reached
    """
    n = len(state)
    points = np.round(np.linspace(0, np.sqrt(n), POINTS) ** 2).astype(np.int64)
    reached = np.unique([*points, frontier])
    later = np.maximum(reached, frontier)
    open_yet = state == OPEN
    marks = {
        "size": np.ones(n, bool),
        "sampled": drawn,
        "low": drawn & (state == WRONG),
        "high": drawn & (state != RIGHT),
        "found": state == WRONG,
        "fine": state == RIGHT,
        "expected": np.where(open_yet, chances, 0.0),
    }
    ahead = {name: np.concatenate([[0.0], np.cumsum(one[ranking])]) for name, one in marks.items()}
    rest = {name: one[-1] - one[later] for name, one in ahead.items()}
    whole = {name: np.round(one).astype(np.int64) for name, one in rest.items()}
    low, high = count_interval(*(whole[name] for name in ("size", "sampled", "low", "high")))
    low = np.maximum(low, whole["found"])
    high = np.minimum(high, whole["size"] - whole["fine"])
    with np.errstate(invalid="ignore", divide="ignore"):
        count = whole["size"] * (whole["low"] + whole["high"]) / 2 / whole["sampled"]
    count[whole["size"] == 0] = 0.0
    past = ahead["found"][later] - ahead["found"][reached]  # found between there and here
    left = [np.maximum(one - whole["found"], 0) for one in (np.clip(count, low, high), low, high)]
    now = int(np.searchsorted(reached, frontier))
    left[2] = np.minimum(left[2], left[2][now])
    left[0] = np.minimum(left[0], left[2])
    expected = np.maximum(rest["expected"], 0.0) + past
    expected[whole["size"] == 0] = past[whole["size"] == 0]
    count, low, high = (one + past for one in left)
    return Curve(reached, count, low, high, expected)


def advise(now: Progress, curve: Curve, reached: int, goal: float) -> dict[str, float | str]:
    """When to stop: once the share of wrong labels left is surely below a goal.

    Few rows drawn prove little: as long as models expect more wrong labels than the goal allows,
    suspects come first.

    Returns
    -------
    dict
        ``say``: "stop" (the upper end of the interval is below the goal), "random" (estimate and
        models are, but more rows must be drawn to be sure: ``rows`` of them), "go on" (after
        ``rows`` more suspects they will be) or "begin" (nothing was drawn yet).
    """
    most = goal * now.rows
    if now.left.high <= most:
        return {"say": "stop", "rows": 0}
    if not now.drawn or np.isnan(now.left.count):
        return {"say": "begin", "rows": 0}
    both = np.maximum(curve.count, curve.expected)
    enough = np.flatnonzero((curve.reached >= reached) & (both <= most))
    more = int(curve.reached[enough[0]]) - reached if len(enough) else now.rows - now.checked
    if more == 0:
        return {"say": "random", "rows": _draws_needed(now, goal)}
    return {"say": "go on", "rows": more}


def _draws_needed(now: Progress, goal: float) -> int:
    """More rows to draw until the interval ends below the goal, if the share stays as it is."""
    share = now.left.count / max(now.rows, 1)
    for more in (10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 2000, 5000):
        sampled = min(now.drawn + more, now.rows)
        hits = round(share * sampled)
        ends = count_interval(*(np.array([one]) for one in (now.rows, sampled, hits, hits)))
        if ends[1][0] - hits <= goal * now.rows:
            return more
    return now.rows - now.checked
