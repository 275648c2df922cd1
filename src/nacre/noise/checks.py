"""What checked rows say of the others where no noise model holds: by the margin of a label alone.

Real labels may be wrong in ways that no noise matrix has: where models agree with them, too. Rows
whose label was checked, and is known as it was before, show how often labels are wrong at a given
margin. That is a logistic regression with normal priors, averaged over; its evidence beside that of
the noise model says how far it is believed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit, logsumexp, ndtri

from nacre.data.check import check_form
from nacre.data.storable import storable
from nacre.noise.quality import LEVEL, label_margins

NORMAL = float(ndtri(0.5 + LEVEL / 2))
"""Deviations on either side that an interval of a normal distribution has."""

PRIOR = 0.1
"""How far it is believed beforehand that no noise model holds."""

INTERCEPTS, SLOPES = np.linspace(-9.0, 6.0, 61), np.linspace(-1.0, 4.0, 21)
INTERCEPT, SLOPE = (-2.0, 2.0), (1.0, 1.0)
"""What is averaged over, and its normal priors: means and deviations."""

MARGINS = np.linspace(-8.0, 8.0, 129)
"""Where the chance of a wrong label is noted; between them it is interpolated."""


@storable
@dataclass(frozen=True, eq=False)
class Checks:
    """How often labels are wrong, by their margins, as far as checked rows say.

    Attributes
    ----------
    share : float
        How far this is believed; the noise model has the rest.
    scale : float
        Root mean square of the margins.
    wrong : array of shape (129,)
        The chance that a label is wrong at each of ``MARGINS``.
    """

    share: float
    scale: float
    wrong: np.ndarray

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        if type(self.share) is not float or not 0.0 <= self.share <= 1.0:
            raise ValueError("the share of checked rows must be from 0 to 1.")
        if type(self.scale) is not float or not self.scale > 0.0:
            raise ValueError("the scale of margins must be above 0.")
        check_form(self.wrong, "wrong", np.float64, MARGINS.shape, 0.0, np.nextafter(1.0, 2.0))

    def mix(self, posterior: np.ndarray, scores: np.ndarray, given: np.ndarray) -> np.ndarray:
        """Posteriors of true classes by the noise model, and what checked rows say of the label."""
        rows = np.arange(len(given))
        wrong = np.interp(label_margins(scores, given) / self.scale, MARGINS, self.wrong)
        others = np.maximum(posterior, 1e-12)
        others[rows, given] = 0.0
        others *= (wrong / others.sum(axis=1))[:, None]
        others[rows, given] = 1.0 - wrong
        out: np.ndarray = posterior + self.share * (others - posterior)
        return out


def fit_checks(
    scores: np.ndarray, given: np.ndarray, known: np.ndarray, weight: np.ndarray, rival: float
) -> tuple[Checks, np.ndarray, np.ndarray]:
    """Learn from checked rows, whose class is ``known``, how often labels are wrong.

    ``rival`` is the log evidence of what the checks found by the noise model. Returns what was
    learned, and the rates of the rows that were not checked, each with its posterior mass.
    """
    margin = label_margins(scores, given)
    scale = max(float(np.sqrt(np.mean(margin * margin))), 1e-3)
    margin /= scale
    a, b = (one.ravel() for one in np.meshgrid(INTERCEPTS, SLOPES, indexing="ij"))
    prior = -0.5 * ((a - INTERCEPT[0]) / INTERCEPT[1]) ** 2 - 0.5 * ((b - SLOPE[0]) / SLOPE[1]) ** 2
    checked = known >= 0
    sign = np.where(known[checked] == given[checked], -1.0, 1.0)
    odds = a - b * margin[checked, None]
    fits = prior - logsumexp(prior) + weight[checked] @ log_expit(sign[:, None] * odds)
    own = float(logsumexp(fits))
    mass = np.exp(fits - own)
    share = float(expit(np.log(PRIOR) + own - np.log1p(-PRIOR) - rival))
    rest = weight[~checked] / max(weight[~checked].sum(), 1e-300)
    likely = mass > 1e-6 * mass.max()
    a, b, mass = a[likely], b[likely], mass[likely] / mass[likely].sum()
    rates = rest @ expit(a - b * margin[~checked, None])
    return Checks(share, scale, expit(a - b * MARGINS[:, None]) @ mass), rates, mass


def by_difference(
    wrong: np.ndarray, given: np.ndarray, known: np.ndarray, weight: np.ndarray
) -> tuple[float, float]:
    """An interval of the rate of rows that were not checked, if those checked are a random sample.

    The difference estimator of survey sampling: what a model says of all, and by how much it was
    wrong about the rows that were checked. It holds for any model.
    """
    checked = known >= 0
    off = (known[checked] != given[checked]) - wrong[checked]
    share = weight[checked] / weight[checked].sum()
    mean = float(share @ off)
    spread = NORMAL * float(np.sqrt(share**2 @ (off - mean) ** 2))
    rest = float(np.average(wrong[~checked], weights=weight[~checked]))
    return rest + mean - spread, rest + mean + spread
