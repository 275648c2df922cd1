r"""Gradient boosting: the weak learner is a regressor, and its values add up.

In every round an *aim* says what the regressor is to fit, with which weights:
:math:`F \leftarrow F + \nu h`. With K > 2 classes there is one regressor a class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from nacre.boost.draw import AllRows, Draw, drawn_weights
from nacre.boost.loop import Boosting
from nacre.boost.loss import LogLoss, Loss, chances
from nacre.boost.result import ROUNDS_DONE, Run
from nacre.boost.step import STOP_REASONS
from nacre.boost.stopping import Watch
from nacre.data import TrainingRows
from nacre.data.check import check_whole
from nacre.data.seeds import derive_seed
from nacre.data.storable import storable
from nacre.kernels import formulas as fm
from nacre.learners.base import Regressor, Regressors
from nacre.learners.branches import Trees

CLIP = 4.0
"""LogitBoost's largest response."""


LONGEST = 40.0
"""The longest step, in log-odds, that Newton's method takes for a single row: ordinary tables meet
none so long, and boosting stays what it is elsewhere."""


class Target(NamedTuple):
    """What one round's regressors fit: arrays of shape (n, columns of scores).

    Where ``curvature`` is given, a leaf says the sum of its responses over the sum of its
    curvatures, one step of Newton's method, instead of the mean response.
    """

    response: np.ndarray
    weight: np.ndarray
    curvature: np.ndarray | None = None


class Aim(Protocol):
    """What makes a gradient booster."""

    logistic: bool

    def view(self, scores: np.ndarray) -> np.ndarray:
        """The scores as the aim sees them: themselves, or probabilities."""
        ...

    def target(self, view: np.ndarray, hit: np.ndarray) -> Target:
        """What to fit, given which class is each row's (1, else 0)."""
        ...

    def factor(self, n_classes: int) -> float:
        """By how much a regressor's values count."""
        ...

    def loss(self, view: np.ndarray, hit: np.ndarray, weight: np.ndarray) -> float:
        """The mean loss of rows of given weights."""
        ...


def _signs(hit: np.ndarray) -> np.ndarray:
    return 2.0 * hit - 1.0


def _average(values: np.ndarray, weight: np.ndarray) -> float:
    return float((values * weight).sum())


@dataclass(frozen=True)
class Residual:
    """L2Boost: h fits y - F, y = +1 or -1."""

    logistic = False

    def view(self, scores: np.ndarray) -> np.ndarray:
        return scores

    def target(self, scores: np.ndarray, hit: np.ndarray) -> Target:
        return Target(_signs(hit) - scores, np.ones_like(scores))

    def factor(self, n_classes: int) -> float:
        return 1.0

    def loss(self, scores: np.ndarray, hit: np.ndarray, weight: np.ndarray) -> float:
        return _average(((_signs(hit) - scores) ** 2).mean(axis=1), weight)


@dataclass(frozen=True)
class WorkingResponse:
    """LogitBoost: h fits (y - p) / (p (1 - p)), clipped, with weights p (1 - p); y = 1 or 0."""

    logistic = True

    def view(self, scores: np.ndarray) -> np.ndarray:
        return chances(scores)

    def target(self, p: np.ndarray, hit: np.ndarray) -> Target:
        spread = p * (1.0 - p)
        response = np.clip((hit - p) / np.maximum(spread, np.finfo(float).tiny), -CLIP, CLIP)
        return Target(response, spread)

    def factor(self, n_classes: int) -> float:
        return 0.5 * _share(n_classes)

    def loss(self, p: np.ndarray, hit: np.ndarray, weight: np.ndarray) -> float:
        return _average(LogLoss().value(p, hit), weight)


@dataclass(frozen=True)
class Label:
    """GentleBoost: h fits y = +1 or -1 with weights exp(-y F)."""

    logistic = True

    def view(self, scores: np.ndarray) -> np.ndarray:
        return scores

    def target(self, scores: np.ndarray, hit: np.ndarray) -> Target:
        signs = _signs(hit)
        z = signs * scores
        return Target(signs, np.exp(z.min() - z))

    def factor(self, n_classes: int) -> float:
        return 1.0

    def loss(self, scores: np.ndarray, hit: np.ndarray, weight: np.ndarray) -> float:
        return _average(np.exp(np.minimum(-_signs(hit) * scores, 700.0)).mean(axis=1), weight)


@dataclass(frozen=True)
class NegativeGradient:
    """Gradient boosting: h fits minus the gradient of a loss, leaves by one step of Newton's.

    Where a row's own step would be longer than ``LONGEST`` (with many classes, a wrong label has a
    probability next to nothing, and no curvature either), its curvature is raised. So no leaf steps
    further, and boosting does not diverge.
    """

    of: Loss = field(default_factory=LogLoss)
    logistic = True

    def view(self, scores: np.ndarray) -> np.ndarray:
        return chances(scores)

    def target(self, p: np.ndarray, hit: np.ndarray) -> Target:
        pull, curvature = self.of.pull(p, hit)
        return Target(pull, np.ones_like(pull), np.maximum(curvature, np.abs(pull) / LONGEST))

    def factor(self, n_classes: int) -> float:
        return 0.5 * _share(n_classes)

    def loss(self, p: np.ndarray, hit: np.ndarray, weight: np.ndarray) -> float:
        return _average(self.of.value(p, hit), weight)


def _share(n_classes: int) -> float:
    """(K - 1) / K: with one column of scores a class, each step is taken by all of them."""
    return 1.0 if n_classes == 2 else (n_classes - 1) / n_classes


class GradientBoosting(Boosting):
    """The loop of the gradient boosters."""

    def __init__(
        self,
        fitter: Regressor,
        training: TrainingRows,
        aim: Aim,
        start: np.ndarray,
        learning_rate: float = 1.0,
        draw: Draw | None = None,
        seed: int = 0,
        before: Run | None = None,
    ) -> None:
        super().__init__(fitter, training, seed, before)
        n = len(training.y)
        self.aim, self.start, self.draw = aim, start, draw or AllRows()
        self.vote = learning_rate * aim.factor(training.n_classes)
        self.hit = hits(training.y, training.n_classes)
        self.scores = np.tile(start, (n, 1))
        self.notes: list[tuple[float, float]] = []
        if before is not None:
            self.scores += before.hypotheses.scores(training.X, before.votes)
        self.view = aim.view(self.scores)

    def _round(self, t: int) -> str | None:
        """Draw, fit a regressor for each column of scores, step."""
        target = self.aim.target(self.view, self.hit)
        for weight in drawn_weights(self.draw, self.training, self.training.weight, self.seed, t):
            there = bool(np.all(weight @ target.weight > 0.0))
            fitted = self._fit(t, target, weight) if there else []
            if not all(np.ptp(values) == 0.0 for _, values in fitted):
                break
        else:
            return STOP_REASONS[fm.NO_SPLIT if there else fm.VANISHED]
        for k, (_, values) in enumerate(fitted):
            self.scores[:, k] += self.vote * values
        self.hypotheses.append([regressor for regressor, _ in fitted])
        self.view = self.aim.view(self.scores)
        error = weighted_error(self.scores, self.training)
        loss = self.aim.loss(self.view, self.hit, self.training.weight)
        self.notes.append((error, loss))
        return None

    def _fit(self, t: int, target: Target, weight: np.ndarray) -> list[tuple[Any, np.ndarray]]:
        """A regressor for each column of scores, and its values for the rows."""
        fitted = []
        for k in range(self.scores.shape[1]):
            curvature = None if target.curvature is None else target.curvature[:, k] * weight
            seed = derive_seed(self.seed, t, k)
            weights = weight * target.weight[:, k]
            fitted.append(self.fitter.fit_response(target.response[:, k], weights, seed, curvature))
        return fitted

    def since(self, start: int) -> Run:
        """The rounds from some round on, none of them from ``before``."""
        first = start - self.known
        flat = [one for found in self.hypotheses[first:] for one in found]
        errors, losses = np.array(self.notes[first:], float).reshape(-1, 2).T.copy()
        return Run(
            Additive(self.fitter.collect(flat), self.scores.shape[1]),
            np.full(len(errors), self.vote),
            errors,
            self.end or ROUNDS_DONE,
            self.seed,
            losses=losses,
        )

    def watch(self, held: TrainingRows, on: str) -> Watch:
        """Follow the scores."""
        return ScoreWatch(held, on, self.aim, self.start)


class ScoreWatch:
    """The weighted error of the scores on other rows, or their mean loss."""

    def __init__(self, held: TrainingRows, on: str, aim: Aim, start: np.ndarray) -> None:
        self.held, self.on, self.aim = held, on, aim
        self.hit = hits(held.y, held.n_classes)
        self.scores = np.tile(start, (len(held.y), 1))

    def see(self, rounds: Run) -> list[float]:
        """Take in more rounds; return the error or loss after each."""
        losses = []
        for moved in rounds.hypotheses.staged(self.held.X, rounds.votes):
            scores = self.scores + moved
            losses.append(
                weighted_error(scores, self.held)
                if self.on == "error"
                else self.aim.loss(self.aim.view(scores), self.hit, self.held.weight)
            )
        if len(rounds):
            self.scores = scores
        return losses


def hits(y: np.ndarray, n_classes: int) -> np.ndarray:
    """1 for each row's own class, else 0; one column (class 1) for two classes."""
    classes = [1] if n_classes == 2 else range(n_classes)
    return np.column_stack([y == k for k in classes]).astype(float)


def weighted_error(scores: np.ndarray, training: TrainingRows) -> float:
    """The weight of the rows that scores get wrong."""
    said = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
    return float(training.weight[said != training.y].sum())


@storable
class Additive(Sequence[Any]):
    """The regressors of an ensemble: one a round or, for K > 2 classes, K a round."""

    def __init__(self, regressors: Regressors, columns: int) -> None:
        self.regressors = regressors
        self.columns = columns

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        check_whole(self.columns, "columns", 1)
        if not isinstance(self.regressors, Trees) or len(self.regressors) % self.columns:
            raise ValueError("every column of scores needs a tree a round.")

    @property
    def width(self) -> int:
        """How many columns a table must have."""
        return self.regressors.width

    def __len__(self) -> int:
        return len(self.regressors) // self.columns

    def __getitem__(self, index: Any) -> Any:
        rounds = range(len(self))[index]
        if isinstance(rounds, range):
            return [self[t] for t in rounds]
        if self.columns == 1:
            return self.regressors[rounds]
        return [self.regressors[self.columns * rounds + k] for k in range(self.columns)]

    def first(self, count: int) -> Additive:
        """The regressors of the first so many rounds."""
        return Additive(self.regressors.first(count * self.columns), self.columns)

    def joined(self, other: Additive) -> Additive:
        """These and others."""
        return Additive(self.regressors.joined(other.regressors), self.columns)

    def importances(self, votes: np.ndarray, d: int) -> np.ndarray:
        """As the regressors have them."""
        return self.regressors.importances(np.repeat(votes, self.columns), d)

    def scores(self, X: Any, votes: np.ndarray) -> np.ndarray:
        """What the regressors say for the rows of ``X``, times votes: a column a class."""
        out = np.zeros((X.shape[0], self.columns))
        column = np.tile(np.arange(self.columns), len(self))
        self.regressors.add_values(X, np.repeat(votes, self.columns), column, out)
        return out

    def contributions(
        self, X: np.ndarray, votes: np.ndarray, background: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """What each column of ``X`` contributes to ``scores``, and what is said without any.

        Raises
        ------
        TypeError
            Where the regressors are no trees of nacre.
        """
        if not isinstance(self.regressors, Trees):
            raise TypeError("only trees of nacre can be taken apart.")
        column = np.tile(np.arange(self.columns), len(self))
        return self.regressors.value_contributions(
            X, np.repeat(votes, self.columns), column, self.columns, background
        )

    def staged(self, X: Any, votes: np.ndarray) -> Iterator[np.ndarray]:
        """``scores`` after each round."""
        out = np.zeros((X.shape[0], self.columns))
        for i, values in enumerate(self.regressors.values_by_each(X)):
            t, k = divmod(i, self.columns)
            out[:, k] += votes[t] * values
            if k == self.columns - 1:
                yield out.copy()
