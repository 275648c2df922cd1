"""Early stopping: a run is followed on rows that it is not fitted to, and the best round kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from nacre.boost.cost import Pull
from nacre.boost.result import EARLY, Run
from nacre.boost.step import Step
from nacre.data import TrainingRows
from nacre.kernels.weights import mark_said
from nacre.progress import Event, Progress, silent

if TYPE_CHECKING:
    from nacre.boost.loop import Boosting

TIE = 1e-13
"""Votes closer than this share of all votes are equal but for rounding."""


class Watch(Protocol):
    """Follows a run on rows that it is not fitted to."""

    def see(self, rounds: Run) -> list[float]:
        """Take in more rounds; return the error or loss after each."""
        ...


class ErrorWatch:
    """The weighted error of the votes on other rows."""

    def __init__(self, held: TrainingRows) -> None:
        self.held = held
        self.totals, self.size = np.zeros((len(held.y), held.n_classes)), 0.0

    def see(self, rounds: Run) -> list[float]:
        """Take in more rounds; return the error after each."""
        held, steps, errors = self.held, _steps(rounds), []
        totals = steps.totals(rounds.hypotheses.said_by_each(held.X), self.totals)
        for each, shrink, vote in zip(totals, steps.shrink, steps.vote, strict=True):
            self.size = shrink * self.size + abs(vote)
            wrong = first_of_most(each, self.size) != held.y
            errors.append(float(held.weight[wrong].sum()))
        return errors


class CostWatch:
    """The mean cost of the margins of other rows, at the time after each round."""

    def __init__(self, held: TrainingRows, pull: Pull, step: Step) -> None:
        self.held, self.pull, self.step = held, pull, step
        self.z, self.t = np.zeros(len(held.y)), 0

    def see(self, rounds: Run) -> list[float]:
        """Take in more rounds; return the mean cost after each."""
        held, steps, costs = self.held, _steps(rounds), []
        assert rounds.states is not None
        margins = steps.margins(hits_by_each(rounds.hypotheses, held), self.z)
        for z, state in zip(margins, rounds.states, strict=True):
            self.t += 1
            costs.append(self.pull.mean(z, held.weight, self.step.clock(self.t, state)))
        return costs


def _steps(rounds: Run) -> Any:
    assert rounds.steps is not None
    return rounds.steps


def watch_votes(held: TrainingRows, on: str, pull: Pull, step: Step) -> Watch:
    """Follow a voting booster by the "error" of its votes, or by its "loss"."""
    return ErrorWatch(held) if on == "error" else CostWatch(held, pull, step)


def hits_by_each(hypotheses: Any, training: TrainingRows) -> Any:
    """For each hypothesis, +1 on the rows that it gets right, -1 on the others."""
    u = np.empty(len(training.y))
    for said in hypotheses.said_by_each(training.X):
        mark_said(said, training.y, u)
        yield u


def first_of_most(totals: np.ndarray, votes: float) -> np.ndarray:
    """The class of the most votes for each row, the first of those that are equal but for rounding.

    ``votes`` is their number in all.
    """
    top = totals.max(axis=1, keepdims=True)
    return np.asarray(np.argmax(totals >= top - TIE * votes, axis=1))


PARTS = 100
"""How often, at most, a run says how far it is."""


def advance(started: Boosting, rounds: int, progress: Progress = silent) -> None:
    """Boost until there are so many rounds, or none is left to take."""
    part = max(1, rounds // PARTS) if progress is not silent else rounds
    while started.end is None and started.done < rounds:
        started.advance(min(started.done + part, rounds))
        progress(Event("round", started.done, rounds))


def boost_watched(
    started: Boosting, rounds: int, watch: Watch, patience: int, progress: Progress = silent
) -> tuple[Run, np.ndarray]:
    """Boost until held-out rows have not done better for ``patience`` rounds; keep the best round.

    Returns the run and the error or loss after each round. Rounds are taken ``patience`` at a time;
    what comes after the one to stop at is dropped.
    """
    losses: list[float] = []
    if started.before is not None:
        losses += watch.see(started.before)
    while True:
        best, stop = best_round(losses, patience)
        if stop is not None or started.end is not None or started.done >= rounds:
            break
        done = started.done
        started.advance(min(done + patience, rounds))
        progress(Event("round", started.done, rounds))
        losses += watch.see(started.since(done))
    run = started.run()
    if best < len(run):
        run = run.first(best, EARLY)
    return run, np.array(losses[:stop])


def best_round(losses: list[float], patience: int) -> tuple[int, int | None]:
    """How many rounds are best, and after how many that is settled; None where it is not."""
    best = 0
    for t, loss in enumerate(losses, 1):
        if best == 0 or loss < losses[best - 1]:
            best = t
        if t - best >= patience:
            return best, t
    return best, None
