"""A member of NacreClassifier that is smooth where trees have steps: ridge regression."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from nacre.consensus.members import Evidence
from nacre.data import TrainingRows
from nacre.data.check import check_form
from nacre.data.standardize import Standardizer, fit_standardizer
from nacre.data.storable import storable
from nacre.kernels.distances import add_up_near, fill_distances
from nacre.noise.noise_model import calibrated_loss

PENALTIES = 10.0 ** np.arange(-2.0, 2.1, 0.5)
"""Tried; a row's own nearness to itself is 1."""

FAR = 4.0
"""No number counts as farther than so many deviations from the mean."""

TELLING = 1e-8
"""Directions in which landmarks differ by less, as a share of the most, are left out."""

ROWS_AT_ONCE = 4096
"""Read and scored together, so that memory does not grow with the table."""

LEAST_LEFT = 1e-6
"""A row's own label decides at most all but this share of its value."""

RATES = {False: (0.1, 0.5, 2.0), True: (0.15,)}
"""How fast nearness falls over the median distance: squared distances, distances."""


@storable
@dataclass(frozen=True, eq=False)
class Landmarks:
    """Scores that are sums over landmarks, each fading with the distance.

    Attributes
    ----------
    columns : Standardizer
    worth, costs : arrays of shapes (p,) and (q,)
        What each column of numbers counts, and what a category that differs costs.
    numbers, places : arrays of shapes (m, p) and (m, q)
        The landmarks.
    coefficients : array of shape (m, K)
    base : array of shape (K,)
        The scores far from all landmarks.
    rate : float
    root : bool
        Whether nearness falls with the distance, or else with its square.
    """

    columns: Standardizer
    worth: np.ndarray
    costs: np.ndarray
    numbers: np.ndarray
    places: np.ndarray
    coefficients: np.ndarray
    base: np.ndarray
    rate: float
    root: bool

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        if not isinstance(self.columns, Standardizer):
            raise ValueError("landmarks have columns.")
        p, q = len(self.columns.numeric), len(self.columns.categories)
        check_form(self.worth, "worth", np.float64, (p,))
        check_form(self.costs, "costs", np.float64, (q,))
        check_form(self.numbers, "numbers", np.float64, (None, p))
        m = len(self.numbers)
        check_form(self.places, "places", np.int32, (m, q))
        check_form(self.base, "base", np.float64, (None,))
        check_form(self.coefficients, "coefficients", np.float64, (m, len(self.base)))
        if type(self.rate) is not float or type(self.root) is not bool:
            raise ValueError("nearness has a rate, and a root or none.")

    @property
    def width(self) -> int:
        """How many columns a table must have."""
        return self.columns.width

    def scores(self, X: np.ndarray) -> np.ndarray:
        """Shares of the classes, by the regression, less their mean."""
        out = np.tile(self.base, (len(X), 1))
        scratch = np.empty(len(self.numbers))
        for first in range(0, len(X), ROWS_AT_ONCE):
            some = slice(first, first + ROWS_AT_ONCE)
            add_up_near(
                *placed(self.columns, self.worth, X[some]), self.numbers, self.places, self.costs,
                self.rate, self.root, self.coefficients, scratch, out[some],
            )  # fmt: skip
        return out

    def importances(self, d: int) -> np.ndarray:
        """None: all columns are used."""
        return np.zeros(d)


def placed(
    columns: Standardizer, worth: np.ndarray, X: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rows as numbers, each column by its worth, and places of categories."""
    numbers, places = columns.read(X)
    numbers = np.clip(numbers, -FAR, FAR) * worth[:, None]
    return np.ascontiguousarray(numbers.T), np.ascontiguousarray(places.T)


@dataclass(frozen=True)
class Ridge:
    """Ridge regression of the classes on the nearness to landmarks, the best of several.

    Symmetric noise does not mislead least squares: they aim at the chance of each label, and noise
    only brings those nearer to each other. What a row would get without its own label follows from
    one decomposition for all rows and penalties.

    Attributes
    ----------
    root : bool
        Whether nearness falls with the distance, or else with its square.
    telling : bool
        Whether columns count by their worth, or else all the same.
    landmarks : int
        At most so many, a random sample of the rows that members are judged on.
    """

    root: bool
    telling: bool
    landmarks: int

    def fit(
        self, training: TrainingRows, worth: np.ndarray, evidence: Evidence, seed: int
    ) -> tuple[Landmarks, np.ndarray]:
        """The regression, and the scores of rows, those it is fitted to without their own label.

        ``worth`` says for each column how much its distances count.
        """
        columns = fit_standardizer(training, 0.0)
        worth = worth if self.telling else np.ones_like(worth)
        own, costs = worth[columns.numeric], 2.0 * worth[list(columns.categories)] ** 2
        numbers, places = placed(columns, own, training.X[evidence.rows])
        order = np.random.default_rng(seed).permutation(len(numbers))
        at = np.sort(order[: self.landmarks])
        apart = np.empty((len(numbers), len(at)))
        fill_distances(numbers, places, numbers[at], places[at], costs, apart)
        if self.root:
            np.sqrt(apart, out=apart)
        unit = float(np.median(apart[apart > 0.0])) if apart.any() else 1.0
        label = np.eye(training.n_classes)[evidence.given]
        base = np.average(label, axis=0, weights=evidence.weight)
        found = [
            (calibrated_loss(held, *evidence[1:]), rate / unit, coefficients, held)
            for rate in RATES[self.root]
            for held, coefficients in regressions(
                np.exp(-rate / unit * apart), at, label - base, base - base.mean(), evidence.weight
            )
        ]
        _, rate, coefficients, held = min(found, key=lambda one: one[0])
        model = Landmarks(
            columns, own, costs, numbers[at], places[at], coefficients, base - base.mean(), rate,
            self.root,
        )  # fmt: skip
        if len(held) == len(training.X):
            return model, held
        scores = model.scores(training.X)
        scores[evidence.rows] = held
        return model, scores


def regressions(
    near: np.ndarray, at: np.ndarray, target: np.ndarray, base: np.ndarray, weight: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each penalty the values of all rows, each without its own target, and coefficients.

    The penalty is on the norm that belongs to nearness: of the functions that are sums of it over
    all points, those over landmarks. Of every row of targets, mean 0, so that values are centred.
    """
    target = target - target.mean(axis=1, keepdims=True)
    size, turn = eigh(near[at])
    some = size > TELLING * size[-1]
    turn = turn[:, some] / np.sqrt(size[some])
    heavy = np.sqrt(weight)[:, None]
    features = heavy * (near @ turn)
    size, more = eigh(features.T @ features)
    features, turn = features @ more, turn @ more
    own = features * features
    aim = features.T @ (heavy * target)
    for penalty in PENALTIES:
        shrunk = 1.0 / (np.maximum(size, 0.0) + penalty)
        said = features @ (shrunk[:, None] * aim) / heavy
        self_made = np.minimum(own @ shrunk, 1.0 - LEAST_LEFT)[:, None]
        held = (said - self_made * target) / (1.0 - self_made)
        yield held + base, turn @ (shrunk[:, None] * aim)
