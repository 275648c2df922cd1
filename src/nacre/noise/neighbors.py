"""The noise rate from the neighbours of trusted rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import t as student

from nacre.data import TrainingRows
from nacre.data.embed import coordinates
from nacre.noise.quality import LEVEL, NoiseRate, symmetric_matrix

GROUPS = 20
"""Of rows, left out in turn: a delete-a-group jackknife."""

DISTANCES = 50_000_000
"""As many are computed; of more clean rows than that allows, a sample is asked."""

GROWTH = 1.25
"""From one size of neighbourhood to the next."""

ENOUGH = 0.5
"""Share of neighbourhoods that must hold two clean rows."""

FARTHER = 1.0 + 1e-9
"""Squared distances within this factor are equal but for rounding."""


@dataclass(frozen=True)
class Neighbors:
    r"""Estimate the noise rate from how often the neighbours of trusted rows agree.

    Each clean row :math:`k` has a neighbourhood, out to the :math:`m`-th nearest row that is not
    clean. With :math:`\bar y_k` and :math:`\tilde y_k` the mean clean and noisy label in it
    (-1 or 1, two classes) and :math:`n_k` the number of clean rows, itself included,

    .. math:: e = \frac{1}{2} \frac{\sum_k (u_k - \bar y_k \tilde y_k)}{\sum_k u_k}, \qquad
        u_k = \frac{n_k \bar y_k^2 - 1}{n_k - 1}.

    Weil's own formula has :math:`u_k = \bar y_k^2` (and lacks the 1/2 in print), which is too large
    by the scatter of :math:`\bar y_k`, and so is his rate. For :math:`K` classes the same is

    .. math:: e = \frac{K - 1}{K} \Bigl(1 - \frac{a_N - 1/K}{a_I - 1/K}\Bigr),

    where :math:`a_I` is how often two clean rows of a neighbourhood are of one class, and
    :math:`a_N` how often a clean and a noisy one are: where labels flip to all other classes alike,
    agreement above chance shrinks by the factor :math:`1 - e K / (K - 1)`.

    Parameters
    ----------
    corrected : bool, default=True
        False for Weil's own formula.
    n_neighbors : int, optional
        m, the size of neighbourhoods. Default: that of least standard error in the corrected form,
        among those where half of the neighbourhoods hold two clean rows.

    Notes
    -----
    Distances are Euclidean over standardised numbers (missing ones at the mean), plus 1 for every
    category that differs. Rows as far away as the m-th belong to the neighbourhood as well, so
    that the order of rows does not matter. The standard error is a jackknife's: each of 20 random
    groups of rows is left out in turn. The interval is Student's.

    Where clean rows times rows exceed fifty million, only a random sample of the clean rows have a
    neighbourhood; all rows are in them.

    *When it helps.* Few columns, all of them telling, and noise that is the same for all classes;
    no model is fitted.

    *When it does not.* Clean rows that are not drawn as the others are. Rates that differ by class
    shift the result where classes are of unequal size. With many columns that say nothing,
    neighbours agree little more than by chance, and the interval is wide.

    References
    ----------
    .. [1] M. Weil, "Stage apprentissage statistique", report, Ecole polytechnique, 2015, section 5.

    Examples
    --------
    >>> import numpy as np
    >>> from nacre.datasets import make_ring
    >>> from nacre.noise import Neighbors, estimate_noise_rate, flip_labels
    >>> X, y = make_ring(1000, random_state=0)
    >>> clean = np.arange(1000) < 300
    >>> labels, _ = flip_labels(y, 0.2, clean=clean, random_state=0)
    >>> found = estimate_noise_rate(X, labels, clean=clean, method=Neighbors(), random_state=0)
    >>> bool(abs(found.rate - 0.2) < 0.05)
    True
    """

    corrected: bool = True
    n_neighbors: int | None = None

    native: ClassVar[bool] = True

    def estimate(
        self,
        training: TrainingRows,
        classes: np.ndarray,
        clean: np.ndarray,
        rng: np.random.RandomState,
    ) -> NoiseRate:
        """The rate among the rows that are not clean."""
        noisy, limit = int(np.sum(~clean)), 1.0 - 1.0 / len(classes)
        if not clean.any():
            raise ValueError("Neighbors needs clean rows: give a mask of them, or use OutOfFold.")
        m, sizes = self.n_neighbors, _sizes(noisy)
        if m is not None:
            if isinstance(m, bool) or not isinstance(m, (int, np.integer)) or not 1 <= m <= noisy:
                raise ValueError(
                    f"n_neighbors must be a whole number from 1 to {noisy}, the rows that are not "
                    f"clean; got {m!r}."
                )
            sizes = np.union1d(sizes, m)
        corrected, plain, share = agreement_curves(training, clean, sizes, rng)
        if m is None:
            chosen = np.where(share >= ENOUGH, standard_error(corrected), np.inf).argmin()
        else:
            chosen = np.flatnonzero(sizes == m)[0]
        rates = corrected if self.corrected else plain
        rate, error = rates[0], standard_error(rates)
        if not np.isfinite(error[chosen]):
            raise ValueError(
                "The clean rows are too few, or agree with their neighbours no more than by "
                "chance: mark more rows as clean."
            )
        reach = student.ppf(0.5 + LEVEL / 2, GROUPS - 1) * error[chosen]
        low, best, high = np.clip(rate[chosen] + reach * np.array([-1, 0, 1]), 0, limit).tolist()
        return NoiseRate(
            best,
            (low, high),
            symmetric_matrix(best, len(classes)),
            classes,
            np.column_stack([sizes, rate, error]),
            int(sizes[chosen]),
        )


def agreement_curves(
    training: TrainingRows, clean: np.ndarray, sizes: np.ndarray, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Noise rates by size of neighbourhood, in the corrected and in the plain form.

    The first row of each is of all rows, the others leave out one group of rows each. Also the
    share of neighbourhoods that hold two clean rows. NaN where there is nothing to divide by.
    """
    K, G = training.n_classes, len(sizes)
    numbers, symbols = coordinates(training)
    order = _noisy_first(numbers, symbols, training.y, clean, rng)
    numbers, symbols = numbers[order], np.asfortranarray(symbols[order])
    n, noisy = len(order), int(np.sum(~clean))
    group = np.arange(n) % GROUPS
    kind = (group * (G + 1) * 2 + (np.arange(n) >= noisy)) * K + training.y[order]
    centres = range(noisy, min(n, noisy + max(GROUPS, DISTANCES // n)))
    sums, pairs = np.zeros((4, 1 + GROUPS, G)), np.zeros(G)
    for centre in centres:
        apart = cdist(numbers[centre : centre + 1], numbers, "sqeuclidean")[0]
        apart += np.sum(symbols != symbols[centre], axis=1)
        edges = np.sort(apart[:noisy])[sizes - 1]
        ring = np.searchsorted(edges * FARTHER, apart)
        counts = np.bincount(kind + ring * (2 * K), minlength=GROUPS * (G + 1) * 2 * K)
        within = counts.reshape(GROUPS, G + 1, 2, K).cumsum(axis=1)[:, :G]
        whole = within.sum(axis=0)
        some = np.concatenate([whole[None], whole - within])
        some[1 + group[centre]] = 0  # a centre is left out with its group
        sums += _terms(some[:, :, 0], some[:, :, 1])
        pairs += whole[:, 1].sum(axis=1) > 1
    with np.errstate(divide="ignore", invalid="ignore"):
        across, own = sums[:2], sums[2:]
        rates = (1.0 - 1.0 / K) * (1.0 - across / np.where(own > 0.0, own, np.nan))
    return rates[0], rates[1], pairs / len(centres)


def _terms(noisy: np.ndarray, clean: np.ndarray) -> np.ndarray:
    """Agreement above chance, from counts by class along the last axis.

    Of clean with noisy rows, and of clean rows with each other; of both, first the corrected form,
    which asks for two clean rows, then the plain one.
    """
    chance = 1.0 / clean.shape[-1]
    n, k = noisy.sum(axis=-1), clean.sum(axis=-1)
    squares = np.sum(clean * clean, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        across = np.sum(noisy * clean, axis=-1) / (n * k) - chance
        others = (squares - k) / (k * (k - 1)) - chance
        own = squares / (k * k) - chance
    two, one = (n > 0) & (k > 1), (n > 0) & (k > 0)
    terms = [(two, across), (one, across), (two, others), (one, own)]
    return np.stack([np.where(where, term, 0.0) for where, term in terms])


def standard_error(rates: np.ndarray) -> np.ndarray:
    """The jackknife's, by size, from rates that leave out a group each; else infinite."""
    apart = rates[1:] - rates[1:].mean(axis=0)
    error = np.sqrt((GROUPS - 1) / GROUPS * np.sum(apart * apart, axis=0))
    return np.where(np.isfinite(rates[0] + error), error, np.inf)


def _sizes(noisy: int) -> np.ndarray:
    """Sizes of neighbourhoods to try, up to all rows that are not clean."""
    steps = np.arange(np.log(noisy) / np.log(GROWTH))
    return np.union1d(np.round(GROWTH**steps), noisy).astype(np.int64)


def _noisy_first(
    numbers: np.ndarray,
    symbols: np.ndarray,
    codes: np.ndarray,
    clean: np.ndarray,
    rng: np.random.RandomState,
) -> np.ndarray:
    """A random order of the rows, clean ones last, that does not depend on the one given."""
    place = numbers @ rng.normal(size=numbers.shape[1])
    place += symbols @ rng.normal(size=symbols.shape[1])
    order = np.lexsort((place, codes, clean))
    noisy = int(np.sum(~clean))
    late = noisy + rng.permutation(len(order) - noisy)
    return order[np.append(rng.permutation(noisy), late)]
