"""Kernel ridge regression on Nystroem landmarks: a member that is smooth where trees have steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import eigh

from nacre.bins.cuts import Rows
from nacre.consensus.task import Task, relative_weight
from nacre.data.check import check_form
from nacre.data.folds import Units
from nacre.data.standardize import Standardizer, fit_standardizer
from nacre.data.storable import storable
from nacre.kernels.distances import fill_distances, turn_to_kernels
from nacre.noise.noise_model import spread

PENALTIES = 10.0 ** np.arange(-2.0, 2.1, 0.5)
"""Ridge penalties tried; the kernel of a row with itself is 1."""

FAR = 4.0
"""Standardised numbers are clipped at so many deviations from the mean."""

TELLING = 1e-8
"""Eigenvalues of the landmarks' kernel matrix below this share of the largest are left out."""

ROWS_AT_ONCE = 256
"""Scored together: their kernel values, a row a landmark, stay in the cache."""

BLOCK = 2048
"""Rows that are multiplied at a time, where all of them would take hundreds of megabytes."""

MEDIAN_ROWS = 2000
"""The median distance is that of about so many rows."""

LEAST_LEFT = 1e-6
"""The leverage of a row (its entry of the hat matrix) is at most all but this."""

RATES = {False: (0.1, 0.5, 2.0), True: (0.15,)}
"""Kernel widths over the median distance: of the Gaussian kernel, of the Laplacian one."""

TAUGHT = 0.5
"""The share in a regression of one that is fitted to what all members make of the labels."""


@storable
@dataclass(frozen=True, eq=False)
class Landmarks:
    """Sums of kernels centred at landmarks, one for each class.

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
        How fast the kernel falls with the distance.
    root : bool
        Whether the kernel is Laplacian, exp(-rate d), or else Gaussian (RBF), exp(-rate d^2).
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
            raise ValueError("a kernel has a rate, and a root or none.")

    @property
    def width(self) -> int:
        """How many columns a table must have."""
        return self.columns.width

    def scores(self, rows: Rows) -> np.ndarray:
        """Shares of the classes, by the regression, less their mean."""
        out = np.empty((len(rows), len(self.base)))
        own, at = (self.numbers**2).sum(axis=1), np.ascontiguousarray(self.places.T)
        for first in range(0, len(rows), ROWS_AT_ONCE):
            some = slice(first, first + ROWS_AT_ONCE)
            numbers, places = placed(self.columns, self.worth, rows.X[some])
            near = numbers @ self.numbers.T
            turn_to_kernels(
                near, (numbers**2).sum(axis=1), own, places, at, self.costs, self.rate, self.root
            )  # fmt: skip
            out[some] = near @ self.coefficients + self.base
        return out

    def importances(self, d: int) -> np.ndarray:
        """None: all columns are used."""
        return np.zeros(d)

    def taught(self, task: Task, posterior: np.ndarray, scale: float) -> Landmarks:
        """Its mean with one fitted to posteriors of the true classes: a round of self-training.

        Landmarks and kernel stay, so that the mean is such a regression as well; the penalty is
        chosen anew.

        Parameters
        ----------
        task : Task
        posterior : array of shape (n, K)
            Of the true classes, by all members together, knowing the labels.
        scale : float
            Root mean square of the held-out scores, to which those of the other are brought.
        """
        training, rows = task.training, task.regressed
        near = self._kernels(*placed(self.columns, self.worth, training.X[rows]))
        weight = relative_weight(training, rows)
        base = np.average(posterior[rows], axis=0, weights=weight)
        fits = regressions(
            near,
            self._kernels(self.numbers, self.places),
            posterior[rows] - base,
            base - base.mean(),
            weight,
            rows_together(training.units, rows),
        )
        held, coefficients = min(fits, key=lambda one: task.loss_of(one[0], rows))
        share = TAUGHT * scale / spread(held)
        return replace(
            self,
            coefficients=(1.0 - TAUGHT) * self.coefficients + share * coefficients,
            base=(1.0 - TAUGHT) * self.base + share * (base - base.mean()),
        )

    def _kernels(self, numbers: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Of rows with the landmarks."""
        out = np.empty((len(numbers), len(self.numbers)))
        fill_distances(numbers, places, self.numbers, self.places, self.costs, out)
        if self.root:
            np.sqrt(out, out=out)
        return np.exp(np.multiply(out, -self.rate, out=out), out=out)


def placed(
    columns: Standardizer, worth: np.ndarray, X: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rows as numbers, each column by its worth, and places of categories."""
    numbers, places = columns.read(X)
    numbers = np.clip(numbers, -FAR, FAR) * worth[:, None]
    return np.ascontiguousarray(numbers.T), np.ascontiguousarray(places.T)


@dataclass(frozen=True)
class Ridge:
    """Kernel ridge regression of class indicators on Nystroem landmarks, the best of several.

    Symmetric label noise does not mislead least squares: it aims at the probability of each label,
    and noise only brings those nearer to each other. Each row's leave-one-out prediction follows
    from the hat matrix, for all penalties from one eigendecomposition; rows that belong together
    (copies, groups) are left out together.

    Attributes
    ----------
    root : bool
        Whether the kernel is Laplacian, exp(-g d), or else Gaussian (RBF), exp(-g d^2).
    telling : bool
        Whether columns are scaled by how much the trees use them, or else all the same (automatic
        relevance determination, by importances).
    landmarks : int
        At most so many, a random sample of the rows that it is fitted to.
    beside_text : bool
        Whether it looks at the columns beside the components of texts only.
    """

    root: bool
    telling: bool
    landmarks: int
    beside_text: bool = False

    def fit(self, task: Task, worth: np.ndarray, seed: int) -> tuple[Landmarks, np.ndarray]:
        """The regression, and the scores of rows, those it is fitted to without their own label.

        ``worth`` says for each column how much its distances count.
        """
        training, rows = task.training, task.regressed
        columns = fit_standardizer(training, 0.0)
        worth = worth if self.telling else np.ones_like(worth)
        if self.beside_text:
            worth = worth.copy()
            worth[list(training.components)] = 0.0
        own, costs = worth[columns.numeric], 2.0 * worth[list(columns.categories)] ** 2
        numbers, places = placed(columns, own, training.X[rows])
        order = training.units.shuffled(seed)
        chosen = order[np.isin(order, rows)][: self.landmarks]
        at = np.searchsorted(rows, np.sort(chosen))
        near = np.empty((len(numbers), len(at)))
        self._fill_distances(numbers, places, at, costs, near)
        some = near[:: max(1, len(near) // MEDIAN_ROWS)]
        unit = float(np.median(some[some > 0.0])) if some.any() else 1.0
        label = np.eye(training.n_classes)[training.y[rows]]
        weight = relative_weight(training, rows)
        base = np.average(label, axis=0, weights=weight)
        together = rows_together(training.units, rows)
        best: Any = np.inf, None
        for rate in RATES[self.root]:
            if best[1] is not None:  # regressions have overwritten them
                self._fill_distances(numbers, places, at, costs, near)
            np.exp(np.multiply(near, -rate / unit, out=near), out=near)
            for held, coefficients in regressions(
                near, near[at], label - base, base - base.mean(), weight, together
            ):
                loss = task.loss_of(held, rows)
                if loss < best[0] or best[1] is None:
                    best = loss, (rate / unit, coefficients, held)
        rate, coefficients, held = best[1]
        model = Landmarks(
            columns, own, costs, numbers[at], places[at], coefficients, base - base.mean(), rate,
            self.root,
        )  # fmt: skip
        return model, task.with_held(model, held, base - base.mean(), rows)

    def _fill_distances(
        self,
        numbers: np.ndarray,
        places: np.ndarray,
        at: np.ndarray,
        costs: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Distances of all rows from the landmarks; of the Gaussian kernel, squared."""
        fill_distances(numbers, places, numbers[at], places[at], costs, out)
        if self.root:
            np.sqrt(out, out=out)


def rows_together(units: Units, rows: np.ndarray) -> list[np.ndarray]:
    """Places among ``rows`` that share a unit: one array of shape (units, size) for each size."""
    if units.single:
        return []
    _, unit, sizes = np.unique(units.of[rows], return_inverse=True, return_counts=True)
    order = np.argsort(unit, kind="stable")
    size = sizes[unit[order]]
    return [order[size == m].reshape(-1, m) for m in np.unique(sizes[sizes > 1])]


def regressions(
    near: np.ndarray,
    among: np.ndarray,
    target: np.ndarray,
    base: np.ndarray,
    weight: np.ndarray,
    together: Sequence[np.ndarray] = (),
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each penalty the leave-one-out values of all rows, and the landmarks' coefficients.

    The penalty is on the norm of the kernel's RKHS, restricted to the span of the landmarks
    (Nystroem's method). ``near`` are kernels of the rows with the landmarks, and overwritten;
    ``among`` those of the landmarks.
    """
    size, turn = eigh(among)
    some = size > TELLING * size[-1]
    turn = turn[:, some] / np.sqrt(size[some])
    features = turned(near, turn)
    for held, coefficients in ridge_path(features, target, base, weight, together):
        yield held, turn @ coefficients


def ridge_path(
    features: np.ndarray,
    target: np.ndarray,
    base: np.ndarray,
    weight: np.ndarray,
    together: Sequence[np.ndarray] = (),
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each penalty the leave-one-out values of all rows, and the features' coefficients.

    With hat matrix H and fitted values f, the value of row i without its own target t is
    (f_i - H_ii t_i) / (1 - H_ii), and of rows G that are left out ``together``
    t_G - (I - H_GG)^-1 (t_G - f_G). Rows of targets are centred, and so are values. ``features``,
    which may take hundreds of megabytes, is overwritten.
    """
    target = target - target.mean(axis=1, keepdims=True)
    heavy = np.sqrt(weight)[:, None]
    features *= heavy
    features, size, turn = principal(features)
    aim = features.T @ (heavy * target)
    all_shrunk = 1.0 / (np.maximum(size, 0.0) + PENALTIES[:, None])
    leverages = np.empty((len(features), len(PENALTIES)))
    for some in in_blocks(len(features)):
        leverages[some] = features[some] ** 2 @ all_shrunk.T
    for shrunk, leverage in zip(all_shrunk, leverages.T, strict=True):
        said = features @ (shrunk[:, None] * aim) / heavy
        leverage = np.minimum(leverage, 1.0 - LEAST_LEFT)[:, None]
        held = (said - leverage * target) / (1.0 - leverage)
        residual = heavy * (target - said)
        for rows in together:
            without = residuals_without(features[rows], shrunk, residual[rows])
            held[rows] = target[rows] - without / heavy[rows]
        yield held + base, turn @ (shrunk[:, None] * aim)


def in_blocks(n: int) -> Iterator[slice]:
    """All of ``n`` rows, some at a time."""
    return (slice(first, first + BLOCK) for first in range(0, n, BLOCK))


def turned(rows: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Rows times a matrix that has no more columns than they, in the room of the rows."""
    width = turn.shape[1]
    for some in in_blocks(len(rows)):
        rows[some, :width] = rows[some] @ turn
    return rows[:, :width]


def principal(features: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features turned to their principal axes, their squared lengths, and the turn.

    From the smaller of the two matrices of products. Features are overwritten.
    """
    n, p = features.shape
    if p <= n:
        size, turn = eigh(features.T @ features)
        return turned(features, turn), size, turn
    size, axes = eigh(features @ features.T)
    some = size > TELLING * size[-1]
    length = np.sqrt(size[some])
    return axes[:, some] * length, size[some], features.T @ (axes[:, some] / length)


def residuals_without(part: np.ndarray, shrunk: np.ndarray, residual: np.ndarray) -> np.ndarray:
    """(I - H)^-1 times residuals, H = F diag(shrunk) F' the hat matrix of units of equal size.

    Of units larger than their number of features, by Woodbury's identity:
    r + F (diag(1 / shrunk) - F'F)^-1 F' r.
    """
    m, p = part.shape[1:]
    flipped = part.transpose(0, 2, 1)
    if m <= p:
        return np.linalg.solve(np.eye(m) - (part * shrunk) @ flipped, residual)
    inner = np.diag(1.0 / shrunk) - flipped @ part
    return residual + part @ np.linalg.solve(inner, flipped @ residual)
