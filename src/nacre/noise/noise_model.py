"""The noise model: how held-out scores meet labels that may be wrong.

Scores become probabilities of the true class by calibration, and these become probabilities of the
given label by a noise matrix. Bayesian model averaging over hypotheses (no noise, one rate for all
classes, a rate for each) and over base rates says how far each is believed. Overlap of the classes
and noise that follows the overlap look alike to any scores: how far the latter is believed is
stated beforehand, and only trusted rows can change it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import logit, logsumexp, xlogy
from threadpoolctl import threadpool_limits

from nacre.data.check import check_form
from nacre.data.storable import storable
from nacre.kernels.noise_model import (
    add_up_losses,
    add_up_overlap,
    add_up_posteriors,
    add_up_true,
)
from nacre.noise.checks import NORMAL, Checks, by_difference, fit_checks
from nacre.noise.hypothesis import Evidence, Fit, Hypothesis, Meaning, hypotheses
from nacre.noise.quality import LEVEL, MOST, noise_matrix

LEAST = 1e-3
"""Smaller probabilities count as this."""

NEGLIGIBLE = 1e-4
"""Components of less posterior weight are passed over."""

RATES = np.array(
    [0.003, 0.015, 0.03, 0.05, 0.075, 0.1, 0.13, 0.16, 0.2, 0.24, 0.28, 0.32, 0.36, 0.4, 0.44, 0.48]
)
"""Base rates tried; the prior is uniform up to 1/2."""

FINE = np.linspace(RATES[0], RATES[-1], 160)
"""Base rates that are averaged over."""

STEEPNESS = np.exp(np.linspace(-1.5, 4.5, 19))
"""Inverse temperatures tried for a model of one rate."""

SILENT, NO_NOISE, ONE_RATE, BY_CLASS = 0.1, 0.46, 0.38, 0.06
"""Prior weights: scores say nothing; no label is wrong; one rate for all classes; one for each.

Labels that have nothing to do with the scores look like a rate near 1/2. With less weight on
silence, too many such tables get an interval of the rate that leaves 0 out.
"""

SIGNAL = 4.0
"""Log-likelihood that scores must gain over the classes' shares to be called a signal."""

BY_CHANCE = 1e-3
"""Trusted rows that are less likely to have been drawn at random were not."""

POWERS = np.array([1.0, 1.5, 2.5, 60.0, 1.0, 1.0])
MIXED = np.array([0.0, 0.0, 0.0, 0.0, 0.4, 1.0])
OVERLAP = np.array([0.9, 0.03, 0.03, 0.04, 0.0, 0.0])
CHECKED = np.array([0.8, 0.03, 0.03, 0.04, 0.05, 0.05])
"""How far it is believed beforehand that labels overlap otherwise than true classes do.

Chances of the true classes are those that fit the labels, to one of the powers: 1 leaves all
overlap to the classes, 60 none. What labels overlap more is noise. Where some are mixed, so
many labels have nothing to do with the class but what the scores say of both: only believed
(``CHECKED`` instead of ``OVERLAP``) where true classes of some rows are known.
"""

BELIEVED = 0.01
"""Powers of less posterior weight are left out of the interval of the rate."""

POINTS = np.sqrt(3.0) * np.array([0.0, 1.0, -1.0]), np.array([2.0, 0.5, 0.5]) / 3.0
"""Gauss-Hermite points and weights, for the steepness about its best."""


ROWS_AT_ONCE = 512
"""Rows whose true classes are found together: what that takes stays in the cache."""


@storable
@dataclass(frozen=True, eq=False)
class NoiseModel:
    """What scores say about true classes and labels: a posterior mixture of noise models.

    Attributes
    ----------
    rate : float
        The share of wrong labels among the rows that are not clean: at most 1/2, unless rows that
        were checked show more.
    interval : (float, float)
    matrix : array of shape (K, K)
        The chance that a row of one class (its row) is labelled as another (its column).
    scale : float
        Root mean square of the scores that it was fitted to.
    weight, steep, slopes, shift, matrices : arrays of B, B, (B, K), (B, K), (B, K, K)
        The posterior weight of each component, its inverse softmax temperature, its slopes and
        shifts of the log-probabilities, and its noise matrix.
    overlap : array of shape (B, 6)
        How far each component believes each of ``POWERS`` and ``MIXED``.
    checks : Checks or None
        What rows that were checked say, where their labels are known as they were before.
    """

    rate: float
    interval: tuple[float, float]
    matrix: np.ndarray
    scale: float
    weight: np.ndarray
    steep: np.ndarray
    slopes: np.ndarray
    shift: np.ndarray
    matrices: np.ndarray
    overlap: np.ndarray
    checks: Checks | None = None

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        if type(self.scale) is not float or not self.scale > 0.0:
            raise ValueError("the scale of a noise model must be above 0.")
        check_form(self.weight, "weight", np.float64, (None,), 0.0)
        count, K = len(self.weight), len(self.matrix)
        check_form(self.matrix, "matrix", np.float64, (K, K))
        check_form(self.steep, "steep", np.float64, (count,))
        check_form(self.slopes, "slopes", np.float64, (count, K))
        check_form(self.shift, "shift", np.float64, (count, K))
        check_form(self.matrices, "matrices", np.float64, (count, K, K))
        check_form(self.overlap, "overlap", np.float64, (count, len(POWERS)), 0.0)
        if self.checks is not None and not isinstance(self.checks, Checks):
            raise ValueError("the checks of a noise model must be such.")
        if not np.any(self.weight[:, None] * self.overlap > NEGLIGIBLE):
            raise ValueError("a noise model must be believed.")

    def true_classes(self, scores: np.ndarray) -> np.ndarray:
        """The probability of each true class, by the scores alone."""
        n, K = scores.shape
        out = np.empty((n, K))
        for start in range(0, n, ROWS_AT_ONCE):
            part = np.ascontiguousarray(scores[start : start + ROWS_AT_ONCE].T) / self.scale
            true = np.empty_like(part)
            add_up_true(
                part, self.weight, self.steep, self.slopes, self.shift, POWERS, self.overlap,
                np.empty((K + 2, part.shape[1])), true,
            )  # fmt: skip
            out[start : start + ROWS_AT_ONCE] = true.T
        out /= np.maximum(out.sum(axis=1, keepdims=True), 1e-300)
        return out

    def given_label(self, scores: np.ndarray, given: np.ndarray, clean: np.ndarray) -> np.ndarray:
        """The probability of each true class, knowing also the label that was given."""
        n, K = scores.shape
        posterior = np.empty((n, K))
        add_up_posteriors(
            scores / self.scale, given, self.weight, self.steep, self.slopes, self.shift,
            self.matrices, POWERS, MIXED, self.overlap, np.empty((5, K)), posterior,
        )  # fmt: skip
        posterior /= np.maximum(posterior.sum(axis=1, keepdims=True), 1e-300)
        if self.checks is not None:
            posterior = self.checks.mix(posterior, scores, given)
        posterior[clean] = np.eye(K)[given[clean]]
        return posterior


def log_scores(chances: np.ndarray) -> np.ndarray:
    """Log-probabilities, centred by row."""
    logs = np.log(np.maximum(chances, LEAST))
    out: np.ndarray = logs - logs.mean(axis=1, keepdims=True)
    return out


def spread(scores: np.ndarray) -> float:
    """The root mean square of centred scores, above 0."""
    return max(float(np.sqrt(np.mean(scores * scores))), LEAST)


class Part(NamedTuple):
    """A component of the mixture, its weight not yet brought to sum 1."""

    log_weight: float
    meaning: Callable[[], Meaning]  # of many classes a large matrix: made for those that are kept
    overlap: np.ndarray  # the posterior of each power
    wrong: np.ndarray  # the share of wrong labels for each power


@threadpool_limits.wrap(limits=1, user_api="blas")  # small matrices: threads would only wait
def fit_noise_model(
    scores: np.ndarray,
    given: np.ndarray,
    clean: np.ndarray,
    weight: np.ndarray | None = None,
    original: np.ndarray | None = None,
) -> NoiseModel:
    """Fit the noise model to held-out scores, centred by row.

    Where all rows are clean no label is in doubt. ``original`` are labels as they were before rows
    were checked, -1 where that is not known.
    """
    n, K = scores.shape
    scale = spread(scores)
    weight = np.ones(n) if weight is None else weight
    before = np.full(n, -1) if original is None else original
    before = np.where((before < 0) & _trusted_for_label(given, clean), given, before)
    evidence = Evidence(
        np.ascontiguousarray(scores / scale),
        np.where(clean, before, given),
        np.where(clean, given, -1),
        weight,
    )
    parts, rate, mass = _average(evidence)
    share = np.array([one.log_weight for one in parts])
    share = np.exp(share - logsumexp(share))
    kept = share > NEGLIGIBLE
    parts = [one for one, keep in zip(parts, kept, strict=True) if keep]
    steep, slopes, shift, matrices = (
        np.array(one) for one in zip(*(one.meaning() for one in parts), strict=True)
    )
    model = NoiseModel(
        rate=0.0,
        interval=(0.0, 0.0),
        matrix=np.eye(K),
        scale=scale,
        weight=share[kept] / share[kept].sum(),
        steep=steep,
        slopes=slopes,
        shift=shift,
        matrices=matrices,
        overlap=np.array([one.overlap for one in parts]),
    )
    if clean.all():
        return model
    total = float(logsumexp(mass))
    mass = np.exp(mass - total)
    checked = clean & (before >= 0)
    if checked.any():
        unchecked = evidence._replace(known=np.where(checked, -1, evidence.known))
        _, untold, prior = _average(unchecked)
        some = ~clean | checked
        labelled = evidence._replace(scores=scores)
        labelled = Evidence(*(one[some] for one in labelled))
        before_checks = float(logsumexp(prior))
        told = rate.ravel(), mass.ravel()
        model, interval = _with_checks(model, labelled, *told, total - before_checks)
        low, high = _hull(untold, np.exp(prior - before_checks))
        # All that is wrong may be among the rows that are not clean.
        high = min(high * float(weight[some].sum() / weight[~clean].sum()), MOST)
        unseen = ~np.isin(given, before[checked])[~clean]
        interval = _widened(
            interval, (low, high), float(np.average(unseen, weights=weight[~clean]))
        )
    elif has_signal(scores, given, clean, weight):
        interval = _hull(rate, mass)
    else:  # labels of pure chance look as if nearly half of them were wrong
        interval = 0.0, MOST
    return _with_rates(model, scores, given, clean, weight, interval)


def _trusted_for_label(given: np.ndarray, clean: np.ndarray) -> np.ndarray:
    """Trusted rows of labels that all other rows lack, more often than chance would have it.

    Such rows were not drawn at random but trusted for their label, which therefore is the one that
    they were given. As rows drawn at random they would say that their class is more frequent than
    labels have it, and that the other labels are wrong.
    """
    count = np.bincount(given)
    whole = np.bincount(given, clean, len(count)) == count
    chance = count * np.log(max(float(clean.mean()), 1e-300))
    out: np.ndarray = (clean & whole[given]) & (chance[given] < np.log(BY_CHANCE))
    return out


def _with_checks(
    model: NoiseModel, evidence: Evidence, rate: np.ndarray, mass: np.ndarray, rival: float
) -> tuple[NoiseModel, tuple[float, float]]:
    """The model, with what checked rows say beside it, and the interval of the rate by both.

    ``rival`` is the log evidence of the checks by the model, of rates of some mass each. Scores are
    as they came, and all rows have a label.
    """
    scores, given, known, weight = evidence
    checks, rates, masses = fit_checks(scores, given, known, weight, rival)
    model = replace(model, checks=checks)
    rate = np.append(rate, rates)
    mass = np.append((1.0 - checks.share) * mass, checks.share * masses)
    posterior = model.given_label(scores, given, np.zeros(len(given), bool))
    wrong = 1.0 - posterior[np.arange(len(given)), given]
    low, high = _interval(rate, mass, 1.0)
    least, most = by_difference(wrong, given, known, weight)
    return model, (min(low, max(least, 0.0)), max(high, min(most, 1.0)))


def _average(evidence: Evidence) -> tuple[list[Part], np.ndarray, np.ndarray]:
    """All components; rates of wrong labels, (components, powers), and the log mass of each."""
    one_rate, by_class = hypotheses(evidence)
    none = one_rate.fit(0.0, evidence)
    parts = [
        _part(np.log(NO_NOISE) - none.loss, partial(one_rate.meaning, none.numbers, 0.0), evidence)
    ]
    parts.append(_silent(evidence))
    rates = [one.wrong for one in parts]
    masses = [one.log_weight + np.log(np.maximum(one.overlap, 1e-300)) for one in parts]
    for hypothesis, prior in ((one_rate, ONE_RATE), (by_class, BY_CLASS)):
        found, rate, mass = _over_base_rates(hypothesis, evidence, np.log(prior), none.numbers)
        parts += found
        rates.append(rate)
        masses.append(mass)
    return (
        parts,
        np.concatenate([one.reshape(-1, len(POWERS)) for one in rates]),
        np.concatenate([one.reshape(-1, len(POWERS)) for one in masses]),
    )


def _with_rates(
    model: NoiseModel,
    scores: np.ndarray,
    given: np.ndarray,
    clean: np.ndarray,
    weight: np.ndarray,
    interval: tuple[float, float],
) -> NoiseModel:
    """The model, and what it says of all rows that are not clean: rate and noise matrix."""
    posterior = model.given_label(scores, given, clean)[~clean]
    given, weight = given[~clean], weight[~clean]
    right = posterior[np.arange(len(given)), given]
    # Labels are wrong or right, each by its chance: their number varies about what is expected.
    chance = NORMAL * float(np.sqrt(weight**2 @ (right * (1.0 - right))) / weight.sum())
    most = MOST if model.checks is None else 1.0
    matrix, rate = noise_matrix(posterior, given, weight)
    rate = min(rate, most)
    low = max(min(interval[0], rate) - chance, 0.0)
    high = min(max(interval[1], rate) + chance, most)
    return replace(model, rate=rate, interval=(low, high), matrix=matrix)


def _widened(
    interval: tuple[float, float], without: tuple[float, float], share: float
) -> tuple[float, float]:
    """An interval by checked rows, opened towards the one without them.

    By the share of labels that no checked row had: of these no more is known than before.
    """
    (low, high), (least, most) = interval, without
    return low + share * min(least - low, 0.0), high + share * max(most - high, 0.0)


def _hull(rate: np.ndarray, mass: np.ndarray) -> tuple[float, float]:
    """Where the rate lies whichever of the powers is true, for no label tells them apart.

    Outer quantiles of all of them together would stop within what the sharpest power says.
    """
    believed = mass.sum(axis=0) >= BELIEVED * mass.sum()
    ends = [_interval(*one) for one in zip(rate.T[believed], mass.T[believed], strict=True)]
    return min(low for low, _ in ends), max(high for _, high in ends)


def _interval(rate: np.ndarray, mass: np.ndarray, most: float = MOST) -> tuple[float, float]:
    """Where the rate lies: between the posterior's outer quantiles, and never above ``most``."""
    order = np.argsort(rate)
    below = np.cumsum(mass[order])
    tails = np.array([0.5 - LEVEL / 2, 0.5 + LEVEL / 2]) * below[-1]
    place = np.minimum(np.searchsorted(below, tails), len(order) - 1)
    low, high = np.minimum(rate[order][place], most).tolist()
    return low, high


def _part(log_weight: float, meaning: Callable[[], Meaning], evidence: Evidence) -> Part:
    """A component, with what trusted rows say on how far classes overlap."""
    K = evidence.scores.shape[1]
    wrong, gain = np.empty(len(POWERS)), np.empty(len(POWERS))
    add_up_overlap(*evidence, *meaning(), POWERS, MIXED, np.empty((5, K)), wrong, gain)
    prior = OVERLAP if np.all(evidence.known < 0) else CHECKED
    belief = np.log(np.maximum(prior, 1e-300)) + gain
    whole = logsumexp(belief)
    noisy = max(float(evidence.weight @ (evidence.known < 0)), 1e-300)
    return Part(log_weight + whole, meaning, np.exp(belief - whole), wrong / noisy)


def _silent(evidence: Evidence) -> Part:
    """The scores say nothing: chances are the classes' shares, and no label is wrong."""
    K = evidence.scores.shape[1]
    label = np.where(evidence.given >= 0, evidence.given, evidence.known)
    shares = np.maximum(np.bincount(label, evidence.weight, K), LEAST)
    logs = np.log(shares / shares.sum())
    penalty = 0.5 * (K - 1) * np.log(len(label))
    loss = penalty - logs[label] @ evidence.weight
    changed = (evidence.known >= 0) & (label != evidence.known)  # which no label is, by this
    loss += evidence.weight @ changed * -np.log(1e-300)
    meaning = Meaning(0.0, np.ones(K), logs, np.eye(K))
    sure = np.eye(len(POWERS))[0]
    return Part(np.log(SILENT) - loss, lambda: meaning, sure, np.zeros(len(POWERS)))


def _over_base_rates(
    hypothesis: Hypothesis, evidence: Evidence, prior: float, start: np.ndarray
) -> tuple[list[Part], np.ndarray, np.ndarray]:
    """Components of one hypothesis; rates of wrong labels and log masses, (3, FINE, powers).

    The steepness is averaged over as well: what is sure at its best need not be.
    """
    numbers = np.zeros(hypothesis.size)
    numbers[: len(start)] = start
    fits: list[Fit] = []
    for base in RATES:
        fits.append(hypothesis.fit(base, evidence, numbers))
        numbers = fits[-1].numbers
    grid = [
        [
            _part(
                np.log(share) - one.loss,
                partial(hypothesis.meaning, one.numbers + point * one.spread, base),
                evidence,
            )
            for one, base in zip(fits, RATES, strict=True)
        ]
        for point, share in zip(*POINTS, strict=True)
    ]
    odds, fine = logit(RATES), logit(FINE)
    shares = np.array([np.interp(fine, odds, node) for node in np.eye(len(RATES))])
    parts, rates, masses = [], [], []
    for row in grid:
        logs = PchipInterpolator(odds, [one.log_weight for one in row])(fine)
        logs += prior - np.log(len(FINE))
        peak = logs.max()
        at_nodes = np.log(np.maximum(shares @ np.exp(logs - peak), 1e-300)) + peak
        parts += [one._replace(log_weight=at) for one, at in zip(row, at_nodes, strict=True)]
        wrong, overlap = (
            np.array([getattr(one, of) for one in row]) for of in ("wrong", "overlap")
        )
        rates.append(PchipInterpolator(odds, wrong)(fine))
        with np.errstate(over="ignore"):  # of slopes that are next to none
            belief = np.maximum(PchipInterpolator(odds, overlap)(fine), 1e-300)
        masses.append(logs[:, None] + np.log(belief))
    return parts, np.array(rates), np.array(masses)


def symmetric_losses(
    scores: np.ndarray, given: np.ndarray, clean: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """Minus the log-likelihood of the labels: inverse temperatures by row, rates by column."""
    out = np.empty((len(STEEPNESS), len(RATES)))
    add_up_losses(scores, given, clean, weight, STEEPNESS, RATES, out)
    return out


def has_signal(
    scores: np.ndarray, given: np.ndarray, clean: np.ndarray, weight: np.ndarray
) -> bool:
    """Whether held-out scores say more of the labels than the classes' shares do."""
    shares = np.bincount(given, weight)
    chance = -float(xlogy(shares, shares / shares.sum()).sum())
    return chance - calibrated_loss(scores, given, clean, weight) >= SIGNAL


def calibrated_loss(
    scores: np.ndarray, given: np.ndarray, clean: np.ndarray, weight: np.ndarray
) -> float:
    """The log loss of scores on noisy labels: the forward-corrected loss at its best rate.

    Under symmetric noise it is least for the probabilities of the true classes: so scores can be
    compared without a clean label.
    """
    return float(symmetric_losses(scores / spread(scores), given, clean, weight).min())
