"""LPBoost: the votes of largest soft margin, all found anew in each round by a linear program."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import linprog

from nacre.boost.loop import Boosting
from nacre.boost.result import ROUNDS_DONE, Run
from nacre.boost.step import STOP_REASONS
from nacre.boost.stopping import Watch, first_of_most, hits_by_each
from nacre.data import TrainingRows
from nacre.data.check import check_number
from nacre.data.seeds import derive_seed
from nacre.data.storable import storable
from nacre.kernels import formulas as fm
from nacre.kernels.weights import mark_said
from nacre.learners.base import Fitter
from nacre.models.voting_base import EnsembleVoter

OPTIMAL = "optimal"
TOLERANCE = 1e-6
"""By how much an edge must exceed that of the program: its solution is good to 1e-7."""


class ProgramBoosting(Boosting):
    """Column generation: a hypothesis a round, then the weights that are hardest for all so far."""

    def __init__(
        self,
        fitter: Fitter,
        training: TrainingRows,
        nu: float,
        seed: int = 0,
        before: Run | None = None,
    ) -> None:
        super().__init__(fitter, training, seed, before)
        self.most = training.weight / nu
        self.weights, self.edge = training.weight, -np.inf
        self.hits: list[np.ndarray] = []
        self.errors: list[float] = []
        self.staged: list[np.ndarray] = []
        if before is not None and len(before):
            assert before.staged_votes is not None
            self.hits = [u.copy() for u in hits_by_each(before.hypotheses, training)]
            self.staged = [row[: t + 1] for t, row in enumerate(before.staged_votes)]
            self.errors = before.errors.tolist()
            self.weights, self.edge, _ = hardest(np.array(self.hits), self.most)

    def _round(self, t: int) -> str | None:
        """Fit to the weights; stop where no hypothesis would help, else find weights and votes."""
        fitted = self.fitter.fit(self.weights, derive_seed(self.seed, t))
        if fitted is None:
            return STOP_REASONS[fm.NO_SPLIT]
        hypothesis, said = fitted
        u = np.empty(len(said))
        mark_said(said, self.training.y, u)
        edge = float(self.weights @ u)
        if edge <= self.edge + TOLERANCE:
            return OPTIMAL
        if not self.hits and edge <= fm.TIE:
            return STOP_REASONS[fm.CHANCE]
        self.hits.append(u)
        self.hypotheses.append(hypothesis)
        self.errors.append(0.5 - 0.5 * edge)
        self.weights, self.edge, votes = hardest(np.array(self.hits), self.most)
        self.staged.append(votes)
        return STOP_REASONS[fm.PERFECT] if u.min() > 0.0 else None

    def since(self, start: int) -> Run:
        """The rounds from some round on, each with the votes of all rounds up to it."""
        staged = self._staged(start)
        votes = staged[-1, start:] if len(staged) else np.empty(0)
        errors = np.array(self.errors[start:], float)
        reason = self.end or ROUNDS_DONE
        return Run(self._collect(start), votes, errors, reason, self.seed, staged_votes=staged)

    def run(self) -> Run:
        """All that there is so far."""
        new = self.since(self.known)
        if self.before is None:
            return new
        staged = self._staged(0)
        return replace(
            new,
            hypotheses=self.before.hypotheses.joined(new.hypotheses),
            votes=staged[-1] if len(staged) else np.empty(0),
            errors=np.array(self.errors, float),
            staged_votes=staged,
        )

    def _staged(self, start: int) -> np.ndarray:
        table = np.zeros((self.done - start, self.done))
        for row, votes in zip(table, self.staged[start:], strict=True):
            row[: len(votes)] = votes
        return table

    def watch(self, held: TrainingRows, on: str) -> Watch:
        """Follow the votes, or the shortfall of the margins from the edge."""
        return ProgramWatch(held, on)


class ProgramWatch:
    """The weighted error of the votes on other rows, or the mean of 1 less their margin."""

    def __init__(self, held: TrainingRows, on: str) -> None:
        self.held, self.on = held, on
        self.said: list[np.ndarray] = []

    def see(self, rounds: Run) -> list[float]:
        """Take in more rounds; return the error or loss after each."""
        assert rounds.staged_votes is not None
        losses, held = [], self.held
        for said, votes in zip(
            rounds.hypotheses.said_by_each(held.X), rounds.staged_votes, strict=True
        ):
            self.said.append(said.copy())
            totals = np.zeros((len(held.y), held.n_classes))
            for codes, vote in zip(self.said, votes, strict=False):
                totals[np.arange(len(codes)), codes] += vote
            if self.on == "error":
                wrong = first_of_most(totals, 1.0) != held.y
                losses.append(float(held.weight[wrong].sum()))
            else:
                margins = 2.0 * totals[np.arange(len(held.y)), held.y] - 1.0
                losses.append(float(held.weight @ np.maximum(0.0, 1.0 - margins)))
        return losses


def hardest(hits: np.ndarray, most: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
    """The weights, each up to its ``most``, under which the best hypothesis has the least edge.

    Returns the weights, that edge, and the votes of largest soft margin: the dual solution.
    """
    rounds, n = hits.shape
    found = linprog(
        np.append(np.zeros(n), 1.0),
        A_ub=np.column_stack([hits, -np.ones(rounds)]),
        b_ub=np.zeros(rounds),
        A_eq=np.append(np.ones(n), 0.0)[None],
        b_eq=[1.0],
        bounds=[*((0.0, each) for each in most), (None, None)],
        method="highs",
    )
    if found.x is None:
        raise RuntimeError(f"the linear program was not solved: {found.message}")
    weights = np.clip(found.x[:n], 0.0, None)
    votes = np.clip(-found.ineqlin.marginals, 0.0, None)
    return weights / weights.sum(), float(found.x[n]), votes / votes.sum()


@storable
@dataclass(eq=False, repr=False, kw_only=True)
class LPBoostClassifier(EnsembleVoter):
    r"""LPBoost: the votes of largest soft margin, by column generation.

    Votes :math:`b \ge 0` of sum 1, a margin :math:`\rho` and slacks :math:`\xi_i \ge 0` solve

    .. math::

        \max_{b, \rho, \xi} \; \rho - \frac{1}{\nu} \sum_i s_i \xi_i
        \quad\text{with}\quad \sum_t b_t u_{ti} + \xi_i \ge \rho,

    where :math:`u_{ti} = +1` on the rows that hypothesis t gets right, else -1 (with several
    classes too, as in AdaBoost.M1), and :math:`s_i` are sample weights of sum 1. The dual solution
    is weights :math:`w_i \le s_i / \nu` of sum 1 under which the best hypothesis so far has the
    least edge. Each round fits a hypothesis to them and solves again: *all* votes are found anew.
    Where no hypothesis has a larger edge, the votes are the best that there are for the learner.

    Parameters
    ----------
    n_estimators : int, default=100
        Rounds at most: there are fewer where the votes are optimal.
    nu : float above 0 and up to 1, default=0.3
        The share of the rows that may fall short of the margin: about twice the share of wrong
        labels, or more. Small values are a hard margin, 1 one vote for the best hypothesis.
    stop_on : {"error", "loss"}, default="error"
        What held-out rows are judged by: wrong votes, or the mean of 1 less the margin.

    Attributes
    ----------
    estimator_weights_ : ndarray
        Votes of sum 1; many may be 0.
    link_scale_ : float
        Factor of the votes in ``predict_proba``, fitted to the training rows.
    stop_reason_ : str
        "optimal", "rounds done", "no better than chance", "perfect", "no better on held-out rows"
        or "nothing to learn".

    Notes
    -----
    *When it helps.* Wrong labels whose share is known, so that ``nu`` can be well above it; few
    votes that are not 0; an answer that says when it is done.

    *When it does not.* Many rows: each round solves a program with a variable a row. Weights have
    many solutions, of which the program takes one at a corner: first rounds can be erratic, and
    with few of them the ensemble is worse than AdaBoost's. With ``nu`` near the share of wrong
    labels it fits them harder than AdaBoost does.

    *Where others differ.* The paper's :math:`D` is :math:`1 / (\nu n)`. Where the program has
    several solutions, which one is found depends on the solver; here it is HiGHS's. So a row of
    weight two and two equal rows have programs of one value, but may get different votes.

    References
    ----------
    .. [1] A. Demiriz, K. Bennett, J. Shawe-Taylor, "Linear programming boosting via column
       generation", Machine Learning 46, 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from nacre import AdaBoostClassifier, LPBoostClassifier
    >>> from nacre.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, _ = flip_labels(y[::2], 0.2, random_state=0)
    >>> models = AdaBoostClassifier(), LPBoostClassifier(nu=0.5)
    >>> ada, soft = (one.fit(X[::2], labels).score(X[1::2], y[1::2]) for one in models)
    >>> soft > ada  # at a smaller nu it is not
    True
    """

    nu: float = 0.3

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number(self.nu, "nu")
        if self.nu > 1:
            raise ValueError(f"nu must be at most 1, got {self.nu!r}.")

    def _boosting(
        self, fitter: Any, training: TrainingRows, seed: int, clean: Any, before: Run | None
    ) -> Boosting:
        return ProgramBoosting(fitter, training, float(self.nu), seed, before)
