"""Weights of the training rows, round after round."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nacre.boost import Algorithm, Run, Step, Steps
from nacre.data.seeds import seed_of
from nacre.diagnostics.ensemble import as_hits, as_mislabeled, as_numbers


def weight_paths(
    hits: Any,
    drives: Any,
    *,
    shrinks: Any = None,
    clocks: Any = None,
    algorithm: Algorithm | None = None,
    sample_weight: Any = None,
    noise_rate: Any = None,
    random_state: Any = None,
) -> np.ndarray:
    r"""The weights that the rows had in each round, found by replaying their margins.

    .. math::

        w_{ti} \propto s_i \bigl(-c'(z_{ti})\bigr),
        \qquad z_{t+1,i} = \mathrm{shrink}_t\, z_{ti} + \mathrm{drive}_t\, u_{ti}.

    Works for every booster of nacre but AdaBoost.M2 with three classes or more, whose weights
    belong to pairs of a row and a label.

    Parameters
    ----------
    hits : table of shape (rounds, n), +1 right and -1 wrong
        Of the training rows.
    drives : as many numbers as there are rounds
        How far each round moves the margins: for AdaBoost and AveBoost2 the votes.
    shrinks : as many numbers, optional
        By what each round first multiplies them; default 1.
    clocks : as many numbers, optional
        The time in each round, for costs that depend on what the step remembers (BrownBoost);
        default what the algorithm's step says of the number of the round.
    algorithm : :class:`nacre.boost.Algorithm`, optional
        Says what a margin weighs; default AdaBoost, exp(-z).
    sample_weight : n numbers, optional
    noise_rate : n numbers, optional
        Noise rates of the rows, for a corrected cost.
    random_state : int, RandomState or None, default=None
        That of the model: it seeds the draws of ``ZeroOne(draws=...)``.

    Returns
    -------
    ndarray of shape (rounds, n)
        Row t has the weights to which hypothesis t was fitted. Each row sums to 1, or is 0 where
        the weights have vanished.

    Examples
    --------
    >>> import numpy as np
    >>> from nacre.diagnostics import weight_paths
    >>> vote = np.log(3) / 2  # of a hypothesis that is wrong on a quarter of the weight
    >>> weight_paths([[1, 1, 1, -1], [1, 1, -1, 1]], drives=[vote, 1.0]).round(3)
    array([[0.25 , 0.25 , 0.25 , 0.25 ],
           [0.167, 0.167, 0.167, 0.5  ]])
    """
    table = as_hits(hits)
    rounds, n = table.shape
    drives = as_numbers(drives, "drives", rounds)
    shrinks = np.ones(rounds) if shrinks is None else as_numbers(shrinks, "shrinks", rounds)
    s = np.ones(n) if sample_weight is None else as_numbers(sample_weight, "sample_weight", n)
    if np.any(s < 0) or not np.any(s > 0):
        raise ValueError("sample_weight must be 0 or more, and not 0 everywhere.")
    rates = None if noise_rate is None else as_numbers(noise_rate, "noise_rate", n)
    if rates is not None and not np.all((rates >= 0) & (rates < 0.5)):
        raise ValueError("noise_rate must be from 0 to below 1/2.")
    seed = seed_of(random_state)
    algorithm = algorithm or Algorithm()
    pull, start = algorithm.cost.ready(seed, rates), algorithm.step.start()
    if clocks is None:
        clocks = [algorithm.step.clock(t, start) for t in range(1, rounds + 1)]
    times = as_numbers(clocks, "clocks", rounds)
    paths, z = np.zeros((rounds, n)), np.zeros(n)
    staged = Steps(shrinks, drives, drives).margins(table, z)
    for t in range(rounds):
        weights, log_cost = pull.weigh(z, s, float(times[t]))
        if log_cost > -np.inf:
            paths[t] = weights
        next(staged)
    return paths


def clocks(step: Step, run: Run) -> np.ndarray:
    """The time in each round of a run, as its step tells it."""
    assert run.states is not None
    before = [step.start(), *run.states[:-1]]
    return np.array([step.clock(t, state) for t, state in enumerate(before[: len(run)], 1)])


class Spread(NamedTuple):
    """The weights of a group of rows, round by round.

    Attributes
    ----------
    least, mean, most : ndarray, one number per round
    """

    least: np.ndarray
    mean: np.ndarray
    most: np.ndarray


def weight_ranges(paths: Any, mislabeled: Any) -> tuple[Spread, Spread]:
    """Ranges of the weights of suspect rows and of the others, per round.

    Weights are counted in fair shares: 1 is 1/n of the whole weight. Oza expected the ranges to be
    narrower where weights are averaged over the rounds, as AveBoost does.

    Parameters
    ----------
    paths : array of shape (rounds, n)
        :func:`weight_paths` makes it.
    mislabeled : boolean mask of n rows
        The suspects.

    Returns
    -------
    suspects, others : Spread
        Each of three arrays, ``least``, ``mean`` and ``most``, with one entry per round.

    Examples
    --------
    >>> from nacre.diagnostics import weight_ranges
    >>> suspects, others = weight_ranges([[0.1, 0.1, 0.3, 0.5]], [False, False, False, True])
    >>> suspects.most, others.most
    (array([2.]), array([1.2]))
    """
    shares = np.asarray(paths, float)
    if shares.ndim != 2:
        raise ValueError("paths must be of shape (rounds, rows): weight_paths makes them.")
    mask = as_mislabeled(mislabeled, shares.shape[1])
    shares = shares * len(mask)
    return _spread(shares[:, mask]), _spread(shares[:, ~mask])


def _spread(values: np.ndarray) -> Spread:
    return Spread(values.min(axis=1), values.mean(axis=1), values.max(axis=1))
