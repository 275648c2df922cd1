"""What every member learns from, and what it is judged by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from nacre.bins import Bins, bin_training
from nacre.bins.cuts import Cuts, Rows, cuts_of
from nacre.data import TrainingRows
from nacre.data.folds import sample_rows
from nacre.noise.judge import JUDGES
from nacre.noise.noise_model import calibrated_loss

REGRESSED = 20_000
"""Rows that kernel ridge and logistic regressions are fitted to; of more, a random sample."""


@dataclass(frozen=True, eq=False)
class Task:
    """Training rows, binned once for all members, and the labels that held-out scores must meet.

    Attributes
    ----------
    training : TrainingRows
    bins : Bins
        Of all rows.
    cuts : Cuts
        Their cut points, one object for all members: rows to predict are binned once.
    clean : boolean array of shape (n,)
        Which labels are trusted.
    judged : int64 array
        The rows that scores are judged on: all, or a sample.
    weight : float64 array
        How many rows each of those stands for.
    regressed : int64 array
        The rows that kernel ridge and logistic regressions are fitted to: all, or a larger sample.
    threads : int
        That a member may use.
    """

    training: TrainingRows
    bins: Bins
    cuts: Cuts
    clean: np.ndarray
    judged: np.ndarray
    weight: np.ndarray
    regressed: np.ndarray
    threads: int = 1

    @property
    def labels(self) -> np.ndarray:
        """The labels of the rows that scores are judged on."""
        return self.training.y[self.judged]

    def loss(self, scores: np.ndarray) -> float:
        """The forward-corrected log loss of held-out scores of all rows."""
        return self.loss_of_judged(scores[self.judged])

    def loss_of_judged(self, scores: np.ndarray) -> float:
        """The forward-corrected log loss of held-out scores of the judged rows."""
        return self.loss_of(scores, self.judged)

    def loss_of(self, scores: np.ndarray, rows: np.ndarray) -> float:
        """The forward-corrected log loss of held-out scores of some rows."""
        weight = relative_weight(self.training, rows)
        return calibrated_loss(scores, self.training.y[rows], self.clean[rows], weight)

    def with_held(
        self, model: Fitted, held: np.ndarray, base: np.ndarray, rows: np.ndarray
    ) -> np.ndarray:
        """Scores of all rows by a model of some of them, whose ``held`` scores are known."""
        training = self.training
        if len(held) == len(training.X):
            return held
        scores = model.scores(training.words if model.width == 0 else Rows(training.X))
        # Of a row whose unit is fitted to in part, nothing is said.
        scores[np.isin(training.units.of, training.units.of[rows])] = base
        scores[rows] = held
        return scores


def set_task(
    training: TrainingRows,
    clean: np.ndarray,
    seed: int,
    bins: Bins | None = None,
    threads: int = 1,
) -> Task:
    """Bin the rows, unless they are, and draw those to judge by, half of them clean if many are."""
    judged = sample_rows(clean, JUDGES, seed, training.units)
    regressed = sample_rows(clean, REGRESSED, seed, training.units)
    weight = relative_weight(training, judged)
    bins = bin_training(training, workers=threads) if bins is None else bins
    return Task(training, bins, cuts_of(bins), clean, judged, weight, regressed, threads)


def relative_weight(training: TrainingRows, rows: np.ndarray) -> np.ndarray:
    """The weights of some rows, brought to a mean of 1."""
    weight = training.weight[rows]
    out: np.ndarray = weight / weight.mean()
    return out


class Fitted(Protocol):
    """A fitted member."""

    @property
    def width(self) -> int:
        """How many columns a table must have; 0 where it learns from words."""
        ...

    def scores(self, rows: Any) -> np.ndarray:
        """Centred log-probabilities, a column a class."""
        ...

    def importances(self, d: int) -> np.ndarray:
        """How much each of ``d`` columns is used."""
        ...


class Member(Protocol):
    """A model that scores its training rows without having seen their labels."""

    def fit(self, task: Task, seed: int) -> tuple[Fitted, np.ndarray]:
        """The fitted model, and its held-out scores of the training rows."""
        ...
