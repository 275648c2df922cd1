"""Make labels wrong, on purpose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from nacre.data import as_labels, as_mask
from nacre.data.check import is_number
from nacre.data.target import encode, take_labels

ROUNDING = 1e-9
"""Sums of chances closer to 1 than this are 1."""


def flip_labels(
    y: Any,
    rate: Any,
    *,
    score: Any = None,
    exact: bool = True,
    clean: Any = None,
    random_state: Any = None,
) -> tuple[Any, np.ndarray]:
    r"""Give some rows another label, and say which.

    Row :math:`i` of class :math:`a` is flipped with chance

    .. math:: p_i = \frac{s_i}{\bar s} \sum_{b \ne a} T_{ab},

    where :math:`T` is the noise matrix that ``rate`` stands for and :math:`s_i` the row's
    ``score``, of mean :math:`\bar s`; the new label is :math:`b` with chance in proportion to
    :math:`T_{ab}`.

    Parameters
    ----------
    y : labels, n of them
        A list, an array or a series, of text, whole numbers or booleans.
    rate : float, mapping or matrix
        A number from 0 to 1 is the share of rows to flip, each other class being as likely
        (symmetric noise). ``{("a", "b"): 0.3}`` is the share of rows labelled "a" that become "b"
        (class-conditional noise); pairs left out do not happen. A K x K matrix says the same for
        all pairs, classes in ascending order, every row summing to 1.
    score : one number of 0 or more per row, optional
        How prone a row is to be flipped, relative to the others: to those of its class where
        ``rate`` goes by class. A mask lets only its rows be flipped. Default: all alike.
    exact : bool, default=True
        Flip exactly as many rows as the rate says, rounded, drawn without replacement. False flips
        each row by its own chance, so that their number varies.
    clean : boolean mask of n rows, optional
        Rows never flipped; the rate is then of the others.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    labels : as ``y``
        A copy of the labels, some of them wrong, of the type, index and name they came with.
    flipped : ndarray of bool
        Which.

    See Also
    --------
    nacre.noise.estimate_noise_rate : The way back: how many labels are wrong.

    Notes
    -----
    The settings of the literature:

    - a share of the rows, drawn without replacement, to any other class [1]_ [2]_:
      ``flip_labels(y, 0.1)``;
    - far from a boundary F(x) = 0, or near it [3]_: ``score=abs(F) > np.median(abs(F))``, or
      ``<=``;
    - each label by the toss of a coin, but for the trusted ones [4]_: ``exact=False, clean=mask``;
    - a chance p(x) of each row's own: ``rate=p.mean(), score=p, exact=False``.

    References
    ----------
    .. [1] J. Barnes, "Capacity control in boosting using a p-convex hull", honours thesis,
       Australian National University, 1999.
    .. [2] N. Oza, "AveBoost2: boosting for noisy data", Multiple Classifier Systems, 2004.
    .. [3] N. Sano, H. Suzuki, M. Koda, "A robust ensemble learning using zero-one loss function",
       Journal of the Operations Research Society of Japan 50, 2007.
    .. [4] M. Weil, "Stage apprentissage statistique", report, Ecole polytechnique, 2015.

    Examples
    --------
    >>> from nacre.noise import flip_labels
    >>> labels, flipped = flip_labels(["cat"] * 5 + ["dog"] * 5, rate=0.2, random_state=0)
    >>> int(flipped.sum())
    2
    >>> labels, _ = flip_labels(["cat", "dog"] * 5, {("dog", "cat"): 0.4}, random_state=0)
    >>> labels.count("cat")
    7
    """
    shape = np.shape(y)
    if len(shape) != 1:
        raise ValueError(f"y must be 1D, got {len(shape)}D: one label per row.")
    n = shape[0]
    classes, codes = encode(as_labels(y, n))
    prone = _scores(score, n)
    kept = np.zeros(n, bool) if clean is None else as_mask(clean, n)
    rng = check_random_state(random_state)
    by_class = isinstance(rate, Mapping) or np.ndim(rate) > 0
    moves = _by_class(rate, classes.tolist()) if by_class else _symmetric(rate, len(classes))
    shares = moves.sum(axis=1) if by_class else [rate]
    flipped = np.zeros(n, bool)
    for g, share in enumerate(shares):
        rows = np.flatnonzero(~kept & (codes == g) if by_class else ~kept)
        flipped[rows] = _draw(share * len(rows), prone[rows], exact, rng)
    source, holder = np.arange(n), np.unique(codes, return_index=True)[1]
    for k in np.unique(codes[flipped]):
        rows = np.flatnonzero(flipped & (codes == k))
        source[rows] = rng.choice(holder, len(rows), p=moves[k] / moves[k].sum())
    return take_labels(y, source), flipped


def _symmetric(rate: Any, K: int) -> np.ndarray:
    """The chances of changing to each other class, all alike."""
    if not is_number(rate):
        raise TypeError(
            f"rate must be a number, a mapping of pairs of classes, or a matrix; got {rate!r}."
        )
    if not 0.0 <= rate <= 1.0:
        raise ValueError(f"rate must be from 0 to 1, got {rate!r}.")
    if K < 2 and rate > 0:
        raise ValueError("y has fewer than two classes: there is no other label to flip to.")
    return (1.0 - np.eye(K)) * float(rate) / max(K - 1, 1)


def _by_class(rate: Any, classes: list[Any]) -> np.ndarray:
    """The chances of changing to each other class, by class, from a mapping or a matrix."""
    matrix = _from_pairs(rate, classes) if isinstance(rate, Mapping) else np.array(rate, float)
    K = len(classes)
    if matrix.shape != (K, K):
        raise ValueError(f"rate has shape {matrix.shape}, but y has {K} classes: it must be K x K.")
    if not np.all((matrix >= 0.0) & (matrix <= 1.0 + ROUNDING)):
        raise ValueError("rate must hold chances from 0 to 1.")
    for one, total in zip(classes, matrix.sum(axis=1), strict=True):
        if abs(total - 1.0) > ROUNDING:
            raise ValueError(
                f"The row of class {one!r} in rate sums to {total:.6g}, not to 1: it must hold the "
                "chances of all that the class may become, itself included."
            )
    np.fill_diagonal(matrix, 0.0)
    return matrix


def _from_pairs(rate: Mapping[Any, Any], classes: list[Any]) -> np.ndarray:
    matrix = np.zeros((len(classes), len(classes)))
    for pair, chance in rate.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or pair[0] == pair[1]:
            raise ValueError(f"rate holds {pair!r}: keys must be pairs of two classes, (from, to).")
        for one in pair:
            if one not in classes:
                raise ValueError(f"rate names {one!r}, which is not a class of y.")
        matrix[classes.index(pair[0]), classes.index(pair[1])] = chance
    for k, total in enumerate(matrix.sum(axis=1)):
        if total > 1.0 + ROUNDING:
            raise ValueError(
                f"The chances of class {classes[k]!r} in rate sum to {total:.6g}: "
                "they must sum to 1 or less."
            )
        matrix[k, k] = max(1.0 - total, 0.0)
    return matrix


def _scores(score: Any, n: int) -> np.ndarray:
    if score is None:
        return np.ones(n)
    prone = np.asarray(score, float)
    if prone.shape != (n,):
        raise ValueError(f"score has shape {prone.shape}, but there are {n} rows: one per row.")
    if not np.all((prone >= 0.0) & np.isfinite(prone)):
        raise ValueError(
            "score must hold finite numbers of 0 or more: NaN, infinity or a negative "
            "number is among them."
        )
    return prone


def _draw(total: float, score: np.ndarray, exact: bool, rng: np.random.RandomState) -> np.ndarray:
    """A mask of rows drawn by score, ``total`` of them: exactly, or by chances that sum to it."""
    wanted: Any = round(total) if exact else total
    able = np.count_nonzero(score)
    if wanted > able + ROUNDING:
        raise ValueError(
            f"rate asks for {wanted:g} flips, but only {able} rows may be flipped: "
            "lower the rate, or let score or clean allow more rows."
        )
    drawn = np.zeros(len(score), bool)
    if wanted == 0:
        return drawn
    share = score / score.sum()
    if exact:
        drawn[rng.choice(len(score), wanted, replace=False, p=share)] = True
        return drawn
    if np.any(wanted * share > 1.0 + ROUNDING):
        raise ValueError(
            "score is too uneven for the rate: a row would be flipped with a chance "
            "above 1. Lower the rate, or use exact=True."
        )
    return rng.random_sample(len(score)) < wanted * share
