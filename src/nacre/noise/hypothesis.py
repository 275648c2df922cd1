"""Hypotheses on noise: what they hold of scores and labels, their best numbers, their evidence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, logit, softmax

from nacre.kernels.noise_model import add_up_likelihood
from nacre.noise.quality import symmetric_matrix

STEEP = 0.7, 1.0
"""Prior mean and deviation of the log of the inverse temperature."""

SLOPES = 0.5
"""Prior deviation of the logs of classes' slopes: how unlike the two sides of a boundary are."""

SHIFTS = 0.7
"""Prior deviation of classes' shifts: how far the boundary may be from where labels have it.

With 1, noise along the columns of a table of unequal classes passes for a rate of the rare class.
"""

UNLIKE = 2.0
"""Prior deviation of the log-odds of classes' rates, and of the logs of where flips go."""

FARTHEST = 3.0
"""Deviations from the prior mean, at most."""

AT_ONCE = 2**20
"""Numbers of rows' gradients that are held at once."""

MANY = 100
"""Of more classes, what is known of one says nothing of the others: information is by class."""

FEW = 10
"""Up to so many classes, where flips go is learned."""

ROWS = 5
"""And where there are so many rows for each number of it."""


class Evidence(NamedTuple):
    """Labels, and the scores that they meet."""

    scores: np.ndarray  # (n, K), of root mean square 1
    given: np.ndarray  # the label, -1 where it is not known
    known: np.ndarray  # the true class, -1 where it is not known
    weight: np.ndarray


class Fit(NamedTuple):
    """A hypothesis at one base rate, at its best numbers."""

    loss: float  # minus the log evidence
    numbers: np.ndarray
    spread: np.ndarray  # a deviation of the steepness, and how the other numbers go along


class Meaning(NamedTuple):
    """What numbers stand for."""

    steep: float
    slopes: np.ndarray  # (K,)
    shift: np.ndarray  # (K,)
    matrix: np.ndarray  # (K, K)


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """How labels come about, but for numbers that are standard normal beforehand.

    The numbers are one for the steepness, K for the classes' slopes, K for their shifts, and where
    rates go by class K for these and K (K - 1) for where flips go.

    Attributes
    ----------
    n_classes : int
    by_class : bool
        Whether each class has a rate of its own; or all have the same, and flips go anywhere.
    flow : array of shape (K, K) or None
        Where flips go, if that is not learned: rows sum to 1.
    """

    n_classes: int
    by_class: bool
    flow: np.ndarray | None = None

    @cached_property
    def size(self) -> int:
        """How many numbers there are."""
        K = self.n_classes
        learned = K * (K - 1) if self.by_class and self.flow is None else 0
        return 1 + 2 * K + (K if self.by_class else 0) + learned

    def meaning(self, numbers: np.ndarray, base: float) -> Meaning:
        """What numbers stand for at a base rate."""
        K = self.n_classes
        steep = float(np.exp(STEEP[0] + STEEP[1] * numbers[0]))
        slopes = np.exp(SLOPES * _centred(numbers[1 : K + 1]))
        shift = SHIFTS * _centred(numbers[K + 1 : 2 * K + 1])
        if not self.by_class:
            return Meaning(steep, slopes, shift, symmetric_matrix(base, K))
        wrong = expit(logit(base) + UNLIKE * _centred(numbers[2 * K + 1 : 3 * K + 1]))
        matrix = wrong[:, None] * self._flow(numbers)
        np.fill_diagonal(matrix, 1.0 - wrong)
        return Meaning(steep, slopes, shift, matrix)

    def _flow(self, numbers: np.ndarray) -> np.ndarray:
        if self.flow is not None:
            return self.flow
        K = self.n_classes
        out = np.full((K, K), -np.inf)
        out[_others(K)] = UNLIKE * numbers[3 * K + 1 :]
        return np.asarray(softmax(out, axis=1))

    def loss(
        self, numbers: np.ndarray, base: float, evidence: Evidence
    ) -> tuple[float, np.ndarray]:
        """Minus the log posterior, and its gradient."""
        K = self.n_classes
        at = self.meaning(numbers, base)
        slope, shift, flips = np.empty(K), np.empty(K), np.empty((K, K))
        loss, steep = add_up_likelihood(*evidence, *at, np.empty((3, K)), slope, shift, flips)
        gradient = numbers.copy()
        gradient[0] += STEEP[1] * steep
        gradient[1 : K + 1] += SLOPES * _centred(slope)
        gradient[K + 1 : 2 * K + 1] += SHIFTS * _centred(shift)
        if self.by_class:
            moved = flips.sum(axis=1, keepdims=True) * at.matrix - flips
            kept = moved.diagonal()
            gradient[2 * K + 1 : 3 * K + 1] -= UNLIKE * _centred(kept)
            if self.flow is None:
                where = moved + kept[:, None] * at.matrix / (1.0 - at.matrix.diagonal())[:, None]
                gradient[3 * K + 1 :] += UNLIKE * where[_others(K)]
        return float(0.5 * numbers @ numbers) + loss, gradient

    def fit(self, base: float, evidence: Evidence, start: np.ndarray | None = None) -> Fit:
        """The MAP numbers at a base rate, and the evidence by Laplace's method."""
        found = minimize(
            self.loss, np.zeros(self.size) if start is None else start, (base, evidence),
            method="L-BFGS-B", jac=True, bounds=[(-FARTHEST, FARTHEST)] * self.size,
            options={"maxiter": 40, "ftol": 1e-6},
        )  # fmt: skip
        half_volume, spread = self._curvature(found.x, base, evidence)
        return Fit(found.fun + half_volume, found.x, spread)

    def _curvature(
        self, numbers: np.ndarray, base: float, evidence: Evidence
    ) -> tuple[float, np.ndarray]:
        """Half the log-determinant of the information, and a deviation of the steepness."""
        K, many = self.n_classes, self.n_classes > MANY
        kinds = (self.size - 1) // K
        whole = np.eye(1 if many else self.size)
        blocks = np.tile(np.eye(kinds if many else 0), (K, 1, 1))
        step = max(1, AT_ONCE // self.size)
        for start in range(0, len(evidence.given), step):
            part = Evidence(*(one[start : start + step] for one in evidence))
            rows = self._gradients(numbers, base, part)
            if many:
                by_class = rows[:, 1:].reshape(-1, kinds, K).transpose(2, 1, 0)
                blocks += by_class @ by_class.transpose(0, 2, 1)
            whole += rows[:, : len(whole)].T @ rows[:, : len(whole)]
        factor = cho_factor(whole, overwrite_a=True)
        spread = np.zeros(self.size)
        spread[: len(whole)] = cho_solve(factor, np.eye(len(whole), 1).ravel())
        half_volume = np.log(factor[0].diagonal()).sum()
        half_volume += 0.5 * np.linalg.slogdet(blocks)[1].sum()
        return float(half_volume), spread / np.sqrt(spread[0])

    def _gradients(self, numbers: np.ndarray, base: float, evidence: Evidence) -> np.ndarray:
        """Each row's own share of the gradient: their outer products add up to the information."""
        K = self.n_classes
        scores, given, known, weight = evidence
        labelled = np.flatnonzero(given >= 0)
        at = self.meaning(numbers, base)
        logs = log_softmax(at.steep * scores, axis=1)
        true = softmax(at.slopes * logs + at.shift, axis=1)
        reach = np.where(given[:, None] >= 0, at.matrix.T[given], 1.0)
        reach *= (known[:, None] < 0) | (known[:, None] == np.arange(K))
        chance = np.maximum((true * reach).sum(axis=1, keepdims=True), 1e-300)
        moved = true - true * reach / chance
        sloped = moved * at.slopes
        steep = sloped - np.exp(logs) * sloped.sum(axis=1, keepdims=True)
        out = np.zeros((len(given), self.size))
        out[:, 0] = STEEP[1] * at.steep * (steep * scores).sum(axis=1)
        out[:, 1 : K + 1] = SLOPES * _centred(sloped * logs)
        out[:, K + 1 : 2 * K + 1] = SHIFTS * _centred(moved)
        if self.by_class:
            flow, wrong = self._flow(numbers), 1.0 - at.matrix.diagonal()
            noisy = np.where((given[:, None] >= 0) & (reach > 0.0), true / chance, 0.0)
            by_rate = flow.T[given]
            sent = noisy * wrong * by_rate  # to the label given, by true class
            by_rate[labelled, given[labelled]] = -1.0
            out[:, 2 * K + 1 : 3 * K + 1] = -UNLIKE * _centred(
                noisy * by_rate * wrong * (1.0 - wrong)
            )
            if self.flow is None:
                by_flow = sent[:, :, None] * flow
                by_flow[np.arange(len(given)), :, given] -= sent
                out[:, 3 * K + 1 :] = UNLIKE * by_flow[:, _others(K)]
        return out * np.sqrt(weight)[:, None]


def hypotheses(evidence: Evidence) -> tuple[Hypothesis, Hypothesis]:
    """One rate for all classes, and a rate for each.

    Where flips go is learned where the scores' first choice is the label more often than not: of
    classes that overlap more widely, a noise matrix is but another calibration, and a better one.
    Else flips go anywhere. If they went where classes overlap, overlap would pass for noise.
    """
    K = evidence.scores.shape[1]
    label = np.where(evidence.given >= 0, evidence.given, evidence.known)
    told = evidence.weight @ (evidence.scores.argmax(axis=1) == label)
    rows = np.count_nonzero(evidence.weight)
    learned = 2 < K <= FEW and rows >= ROWS * K * (K - 1) and told > 0.5 * evidence.weight.sum()
    return Hypothesis(K, False), Hypothesis(K, True, None if learned else symmetric_matrix(1.0, K))


def _centred(numbers: np.ndarray) -> np.ndarray:
    out: np.ndarray = numbers - numbers.mean(axis=-1, keepdims=True)
    return out


def _others(K: int) -> np.ndarray:
    """Where a matrix is off its diagonal."""
    return ~np.eye(K, dtype=bool)
