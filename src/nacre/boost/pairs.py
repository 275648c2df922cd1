"""AdaBoost.M2: boosting on pairs of a row and a wrong label.

Weights are per row and wrong label, so this is not one of the family of :mod:`nacre.boost.loop`;
with two classes it is plain AdaBoost.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nacre.boost.algorithm import Algorithm
from nacre.boost.loop import Note, VotingBoosting
from nacre.boost.result import Run
from nacre.boost.step import STOP_REASONS
from nacre.boost.stopping import Watch, watch_votes
from nacre.data import TrainingRows
from nacre.data.seeds import derive_seed
from nacre.kernels import formulas as fm
from nacre.learners.base import Fitter


class PairBoosting(VotingBoosting):
    """Boosting on the pseudo-loss.

    Learners with ``fit_gains`` minimise it; others are fitted to each row's total weight.
    """

    def __init__(
        self,
        fitter: Fitter,
        training: TrainingRows,
        learning_rate: float = 1.0,
        seed: int = 0,
        before: Run | None = None,
    ) -> None:
        super().__init__(fitter, training, seed, before)
        self.learning_rate = learning_rate
        self.rows = np.arange(len(training.y))
        self.totals = np.zeros((len(training.y), training.n_classes))
        if before is not None and len(before):
            *_, (self.totals, _) = before.staged_totals(training.X, training.n_classes)

    def _round(self, t: int) -> str | None:
        """Weigh the pairs, fit, step."""
        y, K, rows = self.training.y, self.training.n_classes, self.rows
        log_w = self.totals - self.totals[rows, y][:, None]
        log_w[rows, y] = -np.inf
        top = log_w.max()
        pairs = self.training.weight[:, None] / (K - 1) * np.exp(log_w - top)
        log_cost = top + np.log(pairs.sum())
        pairs /= pairs.sum()
        fitted = self._fit(pairs, derive_seed(self.seed, t))
        if fitted is None:
            return STOP_REASONS[fm.NO_SPLIT]
        hypothesis, said = fitted
        wrong = said != y
        loss = 0.5 * (pairs[wrong].sum() + pairs[rows[wrong], said[wrong]].sum())
        if loss >= 0.5 - fm.TIE:
            return STOP_REASONS[fm.CHANCE]
        vote = self.learning_rate * fm.half_log_odds(loss)
        self.totals[rows, said] += vote
        self.hypotheses.append(hypothesis)
        self.notes.append(Note(loss, log_cost, 1.0, vote, vote, self.state))
        return STOP_REASONS[fm.PERFECT] if loss <= 0.0 else None

    def _fit(self, pairs: np.ndarray, seed: int) -> tuple[Any, np.ndarray] | None:
        weights = pairs.sum(axis=1)
        if not hasattr(self.fitter, "fit_gains"):
            return self.fitter.fit(weights, seed)
        gains = -pairs
        gains[self.rows, self.training.y] = weights
        found: tuple[Any, np.ndarray] | None = self.fitter.fit_gains(gains)
        return found

    def watch(self, held: TrainingRows, on: str) -> Watch:
        """Follow the votes, or the exponential cost of the margins."""
        exponential = Algorithm()
        return watch_votes(held, on, exponential.cost.ready(0, None), exponential.step)
