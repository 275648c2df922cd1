"""The noise model: how held-out scores meet labels that may be wrong.

Scores become probabilities of the true class by a softmax with a temperature, and these become
probabilities of the given label by a noise matrix. Bayesian model averaging over base rates, and
over one rate for all classes or one for each, says how far each setting is believed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline, PchipInterpolator
from scipy.optimize import minimize
from scipy.special import expit, logit, softmax
from threadpoolctl import threadpool_limits

from nacre.data.check import check_form
from nacre.data.storable import storable
from nacre.kernels.noise_model import add_up_likelihood, add_up_losses
from nacre.noise.quality import LEVEL, symmetric_matrix

LEAST = 1e-3
"""Smaller probabilities count as this."""

FLAT = 1e-6
"""The inverse temperature of scores that say nothing."""

NEGLIGIBLE = 1e-4
"""Components of less posterior weight are passed over."""

RATES = np.array(
    [0.003, 0.015, 0.03, 0.05, 0.075, 0.1, 0.13, 0.16, 0.2, 0.24, 0.28, 0.32, 0.36, 0.4, 0.44, 0.48]
)
"""Base rates tried; the prior is uniform up to 1/2."""

STEEP = 1.5, 1.0
"""Prior mean and deviation of the log of the inverse temperature."""

UNLIKE = 2.0
"""Prior deviation of the log-odds of classes' rates, and of the logs of where flips go."""

FARTHEST = 3.0
"""Deviations from the prior mean, at most."""


FINE = np.linspace(RATES[0], RATES[-1], 160)
"""Base rates that are averaged over."""

STEEPNESS = np.exp(STEEP[0] + STEEP[1] * np.linspace(-FARTHEST, FARTHEST, 19))
"""Inverse temperatures tried for a model of one rate."""


@storable
@dataclass(frozen=True, eq=False)
class NoiseModel:
    """What scores say about true classes and labels: a posterior mixture of noise models.

    Attributes
    ----------
    rate : float
        The share of wrong labels among the rows that are not clean, at most 1/2.
    interval : (float, float)
    matrix : array of shape (K, K)
        The chance that a row of one class (its row) is labelled as another (its column).
    scale : float
        Root mean square of the scores that it was fitted to.
    weight, steep, shift, matrices : arrays of shapes (B,), (B,), (B, K), (B, K, K)
        The posterior weight of each component, its inverse softmax temperature, its shift of
        the scores and its noise matrix.
    """

    rate: float
    interval: tuple[float, float]
    matrix: np.ndarray
    scale: float
    weight: np.ndarray
    steep: np.ndarray
    shift: np.ndarray
    matrices: np.ndarray

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        if type(self.scale) is not float or not self.scale > 0.0:
            raise ValueError("the scale of a noise model must be above 0.")
        check_form(self.weight, "weight", np.float64, (None,), 0.0)
        count, K = len(self.weight), len(self.matrix)
        check_form(self.matrix, "matrix", np.float64, (K, K))
        check_form(self.steep, "steep", np.float64, (count,))
        check_form(self.shift, "shift", np.float64, (count, K))
        check_form(self.matrices, "matrices", np.float64, (count, K, K))
        if not np.any(self.weight > NEGLIGIBLE):
            raise ValueError("a noise model must be believed.")

    def true_classes(self, scores: np.ndarray) -> np.ndarray:
        """The probability of each true class, by the scores alone."""
        out: np.ndarray = sum(w * p for w, p, _ in self._each(scores))  # type: ignore[assignment]
        return out / out.sum(axis=1, keepdims=True)

    def given_label(self, scores: np.ndarray, given: np.ndarray, clean: np.ndarray) -> np.ndarray:
        """The probability of each true class, knowing also the label that was given."""
        joint: np.ndarray = sum(w * p * matrix.T[given] for w, p, matrix in self._each(scores))
        joint[clean] = np.eye(joint.shape[1])[given[clean]]
        out: np.ndarray = joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)
        return out

    def _each(self, scores: np.ndarray) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
        """The components that matter: weight, probabilities of the true classes, noise matrix."""
        for b in np.flatnonzero(self.weight > NEGLIGIBLE):
            p = softmax(self.steep[b] * (scores / self.scale + self.shift[b]), axis=1)
            yield self.weight[b], p, self.matrices[b]


def log_scores(chances: np.ndarray) -> np.ndarray:
    """Log-probabilities, centred by row."""
    logs = np.log(np.maximum(chances, LEAST))
    out: np.ndarray = logs - logs.mean(axis=1, keepdims=True)
    return out


def spread(scores: np.ndarray) -> float:
    """The root mean square of centred scores, above 0."""
    return max(float(np.sqrt(np.mean(scores * scores))), LEAST)


@threadpool_limits.wrap(limits=1, user_api="blas")  # small matrices: threads would only wait
def fit_noise_model(
    scores: np.ndarray, given: np.ndarray, clean: np.ndarray, weight: np.ndarray | None = None
) -> NoiseModel:
    """Fit the noise model to held-out scores, centred by row.

    Models of one rate for all classes stand beside models of a rate for each. The latter pay the
    BIC penalty, half the log of the number of rows for each further parameter: without it, chance
    would pass for a difference between classes. Where all rows are clean no label is in doubt.
    """
    n, K = scores.shape
    scale = spread(scores)
    scores = scores / scale
    weight = np.ones(n) if weight is None else weight
    one_rate = _symmetric_models(scores, given, clean, weight)
    by_class = _class_models(scores, given, clean, weight)
    penalty = 0.5 * (K - 1) * np.log(n)
    lowest = min(one_rate[0].min(), by_class[0].min() + penalty)
    kinds = [
        over_base_rates(losses + extra - lowest, rates, matrices)
        for extra, (losses, rates, _, _, matrices) in ((0.0, one_rate), (penalty, by_class))
    ]
    mass = np.concatenate([kind.mass for kind in kinds])
    rate = np.concatenate([kind.rate for kind in kinds])
    whole = mass.sum()
    order = np.argsort(rate)
    below = np.cumsum(mass[order]) - mass[order] / 2  # a rate is the middle of its mass
    tails = [0.5 - LEVEL / 2, 0.5 + LEVEL / 2]
    low, high = np.interp(tails, below / whole, rate[order]).tolist()
    shares = np.maximum(np.bincount(given, weight, K) / weight.sum(), LEAST)
    silent = np.exp(lowest + np.log(shares)[given] @ weight) * len(FINE)
    model = NoiseModel(
        rate=min(float(mass @ rate / whole), 0.5),  # rounding
        interval=(low, high),
        matrix=sum(kind.matrix for kind in kinds) / whole,
        scale=scale,
        weight=np.concatenate([*(kind.nodes for kind in kinds), [silent]]) / (whole + silent),
        steep=np.concatenate([one_rate[2], by_class[2], [FLAT]]),
        shift=np.concatenate([np.zeros((len(RATES), K)), by_class[3], np.log(shares)[None] / FLAT]),
        matrices=np.concatenate([one_rate[4], by_class[4], np.eye(K)[None]]),
    )
    return replace(model, rate=0.0, interval=(0.0, 0.0), matrix=np.eye(K)) if clean.all() else model


def _symmetric_models(
    scores: np.ndarray, given: np.ndarray, clean: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, ...]:
    """MAP fits at each base rate: minus log posterior, rate, inverse temperature, shift, matrix."""
    K = scores.shape[1]
    prior = 0.5 * ((np.log(STEEPNESS) - STEEP[0]) / STEEP[1]) ** 2
    losses = symmetric_losses(scores, given, clean, weight, FINE) + prior[:, None]
    lowest, at = lowest_points(losses)
    steep = np.exp(np.interp(at, np.arange(len(STEEPNESS)), np.log(STEEPNESS)))
    steep = np.exp(np.interp(RATES, FINE, np.log(steep)))
    matrices = np.array([symmetric_matrix(rate, K) for rate in RATES])
    return lowest, FINE, steep, np.zeros((len(RATES), K)), matrices


def lowest_points(losses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The minimum of each column and its place, between rows where a parabola is sure of it."""
    columns = np.arange(losses.shape[1])
    row = losses.argmin(axis=0)
    left, here, right = (losses[np.clip(row + k, 0, len(losses) - 1), columns] for k in (-1, 0, 1))
    rise, fall = right - here, left - here
    sure = (rise < 8.0 * fall) & (fall < 8.0 * rise)
    bend = np.where(sure, rise + fall, 1.0)
    step = np.where(sure, 0.5 * (fall - rise) / bend, 0.0)
    return here - 0.5 * step**2 * bend, row + step


def symmetric_losses(
    scores: np.ndarray,
    given: np.ndarray,
    clean: np.ndarray,
    weight: np.ndarray,
    rates: np.ndarray = RATES,
) -> np.ndarray:
    """Minus the log-likelihood of the labels: inverse temperatures by row, rates by column."""
    out = np.empty((len(STEEPNESS), len(rates)))
    add_up_losses(scores, given, clean, weight, STEEPNESS, rates, out)
    return out


def calibrated_loss(
    scores: np.ndarray, given: np.ndarray, clean: np.ndarray, weight: np.ndarray
) -> float:
    """The log loss of scores on noisy labels: the forward-corrected loss at its best rate.

    Under symmetric noise it is least for the probabilities of the true classes: so scores can be
    compared without a clean label.
    """
    return float(symmetric_losses(scores / spread(scores), given, clean, weight).min())


def _class_models(
    scores: np.ndarray, given: np.ndarray, clean: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, ...]:
    """As ``_symmetric_models``, with a rate for each class and where its flips go."""
    K = scores.shape[1]
    noisy = ~clean if not clean.all() else clean
    start = last = np.zeros(1 + 2 * K + K * (K - 1))
    bounds = [(-FARTHEST, FARTHEST)] * len(start)
    found = []
    for base in RATES:
        tries = [
            minimize(
                noise_loss, one, (base, scores, given, clean, weight), method="L-BFGS-B", jac=True,
                bounds=bounds, options={"maxiter": 40, "ftol": 1e-6},
            )
            for one in (start, last)
        ]  # fmt: skip
        best = min(tries, key=lambda one: one.fun)
        last = best.x
        steep, shift, matrix = _noise_model(best.x, base, K)
        true = softmax(steep * (scores[noisy] + shift), axis=1)
        share = np.average(true, axis=0, weights=weight[noisy])
        found.append((best.fun, share @ (1.0 - matrix.diagonal()), steep, shift, matrix))
    return tuple(np.array(one) for one in zip(*found, strict=True))


class OverRates(NamedTuple):
    """Noise models of one kind, over all base rates; posterior masses are not brought to sum 1."""

    mass: np.ndarray  # of each of FINE
    rate: np.ndarray  # the rate of wrong labels for each
    matrix: np.ndarray  # (K, K): the noise matrix times the mass, added up
    nodes: np.ndarray  # the mass about each of RATES


def over_base_rates(losses: np.ndarray, rates: np.ndarray, matrices: np.ndarray) -> OverRates:
    """Turn minus log posteriors at base rates into masses; those between RATES are interpolated."""
    odds, fine = logit(RATES), logit(FINE)
    if len(losses) == len(RATES):
        losses = CubicSpline(odds, losses)(fine)
        rates = np.minimum(PchipInterpolator(odds, rates)(fine), 0.5)  # few rows of uneven classes
    mass = np.exp(-losses)
    nearest = np.abs(FINE[:, None] - RATES).argmin(axis=1)
    between = np.array([np.interp(fine, odds, node) for node in np.eye(len(RATES))])
    matrix = np.tensordot(between @ mass, matrices, axes=1)  # no spline: chances stay in [0, 1]
    return OverRates(mass, rates, matrix, np.bincount(nearest, mass, len(RATES)))


def noise_loss(
    numbers: np.ndarray,
    base: float,
    scores: np.ndarray,
    given: np.ndarray,
    clean: np.ndarray,
    weight: np.ndarray,
) -> tuple[float, np.ndarray]:
    """Minus the log posterior of a model, and its gradient; ``numbers`` are standard normal."""
    K = scores.shape[1]
    steep, shift, matrix = _noise_model(numbers, base, K)
    push, flips = np.empty(K), np.empty((K, K))
    loss, pull = add_up_likelihood(
        scores, given, clean, weight, steep, shift, matrix, np.empty(K), push, flips
    )
    moved = flips.sum(axis=1, keepdims=True) * matrix - flips
    kept = moved.diagonal()
    where = moved + kept[:, None] * matrix / (1.0 - matrix.diagonal())[:, None]
    gradient = numbers.copy()
    gradient[0] += STEEP[1] * steep * pull
    gradient[1 : K + 1] += steep * push
    gradient[K + 1 : 2 * K + 1] += UNLIKE * (kept.mean() - kept)
    gradient[2 * K + 1 :] += UNLIKE * where[_others(K)]
    return float(0.5 * numbers @ numbers) + loss, gradient


def _noise_model(numbers: np.ndarray, base: float, K: int) -> tuple[float, np.ndarray, np.ndarray]:
    """Inverse temperature, shift and noise matrix from 1, K, and K + K (K - 1) numbers."""
    rates = UNLIKE * numbers[K + 1 : 2 * K + 1]
    wrong = expit(logit(base) + rates - rates.mean())
    matrix = np.full((K, K), -np.inf)
    matrix[_others(K)] = UNLIKE * numbers[2 * K + 1 :]
    matrix = wrong[:, None] * softmax(matrix, axis=1)
    np.fill_diagonal(matrix, 1.0 - wrong)
    return float(np.exp(STEEP[0] + STEEP[1] * numbers[0])), numbers[1 : K + 1], matrix


def _others(K: int) -> np.ndarray:
    """Where a matrix is off its diagonal."""
    return ~np.eye(K, dtype=bool)
