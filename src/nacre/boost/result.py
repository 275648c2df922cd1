"""What boosting leaves behind: the hypotheses, their votes, and what every round did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from nacre.data.check import check_form, check_whole
from nacre.data.storable import storable
from nacre.kernels.weights import cast_votes, move

ROUNDS_DONE = "rounds done"
EARLY = "no better on held-out rows"
UNFINISHED = (ROUNDS_DONE, EARLY)
"""Reasons to stop after which there may be more rounds."""


@storable
@dataclass(frozen=True, eq=False)
class Steps:
    """What every round did: F <- shrink F + vote h, z <- carry z + drive u.

    Attributes
    ----------
    shrink, vote, drive : float64 arrays, one number a round
    carry : likewise; None where it is ``shrink``
    """

    shrink: np.ndarray
    vote: np.ndarray
    drive: np.ndarray
    carry: np.ndarray | None = None

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        for name in ("shrink", "vote", "drive", "carry"):
            if name != "carry" or self.carry is not None:
                check_form(getattr(self, name), name, np.float64, np.shape(self.shrink))

    def __len__(self) -> int:
        return len(self.vote)

    def __getitem__(self, rounds: slice) -> Steps:
        return Steps(*(_cut(getattr(self, one.name), rounds) for one in fields(Steps)))

    def joined(self, other: Steps) -> Steps:
        """These steps, then others."""
        if not len(self) or not len(other):
            return self if len(self) else other
        return Steps(*(_join(getattr(self, one.name), getattr(other, one.name))
                       for one in fields(Steps)))  # fmt: skip

    @property
    def votes(self) -> np.ndarray:
        """Votes in the final ensemble: each times the shrinks of all later rounds."""
        later = np.append(np.cumprod(self.shrink[:0:-1])[::-1], 1.0)
        return self.vote * later[len(later) - len(self) :]

    @property
    def sizes(self) -> np.ndarray:
        """The sum of all votes, sizes only, after each round."""
        out, whole = np.empty(len(self)), 0.0
        for t, (shrink, vote) in enumerate(
            zip(self.shrink.tolist(), self.vote.tolist(), strict=True)
        ):
            whole = shrink * whole + abs(vote)
            out[t] = whole
        return out

    def totals(self, said_by_each: Iterable[np.ndarray], totals: np.ndarray) -> Iterator[Any]:
        """Votes for each row and class after each round, in ``totals``, which is changed."""
        for said, shrink, vote in zip(said_by_each, self.shrink, self.vote, strict=True):
            cast_votes(totals, said, shrink, vote)
            yield totals

    def margins(self, hits: Iterable[np.ndarray], z: np.ndarray) -> Iterator[np.ndarray]:
        """Margins after each round, in ``z``, which is changed; ``hits`` are +1 or -1."""
        carries = self.shrink if self.carry is None else self.carry
        for u, carry, drive in zip(hits, carries, self.drive, strict=True):
            move(z, np.ascontiguousarray(u, np.float64), carry, drive)
            yield z


@storable
@dataclass(frozen=True, eq=False)
class Run:
    """What boosting leaves behind, and what it takes to go on.

    Attributes
    ----------
    hypotheses : sequence of the weak hypotheses kept
    votes : array
        Their votes in the final ensemble.
    errors : array
        Voting boosters: the weighted error (AdaBoost.M2: pseudo-loss) of each hypothesis in its
        round. Gradient boosters: the error of the ensemble on the training rows after the round.
    stop_reason : str
        Why there are no more.
    seed : int
        Of all that is drawn; with the number of the round it says what a round draws.
    log_costs : array, of voting boosters only
        Log of the mean pull before each round, which is the cost itself where it is exponential.
    losses : array, of gradient boosters only
        Mean loss of the training rows after each round.
    steps : Steps, optional
        What every round did. Without, votes never change once they are cast, unless
    staged_votes : array of shape (rounds, rounds), optional
        has the votes after each round as a row, zeros after the diagonal: for totally corrective
        boosters, which find all votes anew in each round.
    states : array of shape (rounds, numbers)
        What the step remembers after each round; how many numbers is up to the step.
    """

    hypotheses: Any
    votes: np.ndarray
    errors: np.ndarray
    stop_reason: str = ROUNDS_DONE
    seed: int = 0
    log_costs: np.ndarray | None = None
    losses: np.ndarray | None = None
    steps: Steps | None = None
    staged_votes: np.ndarray | None = None
    states: np.ndarray | None = None

    def _check_loaded(self) -> None:
        """Raise unless what a file says can be."""
        rounds = (len(self.hypotheses),)
        for name in ("votes", "errors", "log_costs", "losses"):
            if getattr(self, name) is not None or name in ("votes", "errors"):
                check_form(getattr(self, name), name, np.float64, rounds)
        if self.steps is not None and (
            not isinstance(self.steps, Steps) or np.shape(self.steps.vote) != rounds
        ):
            raise ValueError("every round has a step.")
        if self.staged_votes is not None:
            check_form(self.staged_votes, "staged_votes", np.float64, rounds * 2)
        if self.states is not None:
            width = np.shape(self.states)[1:2]
            check_form(self.states, "states", np.float64, (*rounds, *(width or (0,))))
        check_whole(self.seed, "seed", 0)
        if self.seed >= 2**64:
            raise ValueError("seed must be below 2**64.")
        if not isinstance(self.stop_reason, str):
            raise ValueError("stop_reason must be text.")

    def __len__(self) -> int:
        return len(self.votes)

    @property
    def ended(self) -> bool:
        """Whether there can be no more rounds."""
        return self.stop_reason not in UNFINISHED

    def first(self, count: int, stop_reason: str = EARLY) -> Run:
        """The run as it was after some rounds."""
        votes = self.votes[:count]
        if self.staged_votes is not None:
            votes = self.staged_votes[count - 1, :count] if count else votes
        elif self.steps is not None:
            votes = self.steps[:count].votes
        part = {name: _cut(getattr(self, name), slice(count)) for name in (*BY_ROUND, "steps")}
        staged = None if self.staged_votes is None else self.staged_votes[:count, :count]
        return replace(
            self,
            hypotheses=self.hypotheses.first(count),
            votes=votes,
            staged_votes=staged,
            stop_reason=stop_reason,
            **part,
        )

    def joined(self, later: Run) -> Run:
        """This run and the rounds that went on from it."""
        if self.staged_votes is not None:
            raise ValueError("A run whose votes are all found anew each round cannot be joined.")
        part: dict[str, Any] = {
            name: _join(getattr(self, name), getattr(later, name)) for name in BY_ROUND
        }
        votes = _join(self.votes, later.votes)
        if self.steps is not None and later.steps is not None:
            part["steps"] = self.steps.joined(later.steps)
            votes = part["steps"].votes
        hypotheses = self.hypotheses.joined(later.hypotheses)
        return replace(later, hypotheses=hypotheses, votes=votes, **part)

    def staged_totals(self, X: Any, n_classes: int) -> Iterator[tuple[np.ndarray, float]]:
        """Votes for each row and class after each round, and the size of all votes together."""
        totals = np.zeros((X.shape[0], n_classes))
        said_by_each = self.hypotheses.said_by_each(X)
        if self.staged_votes is None:
            ones = np.ones(len(self))
            steps = self.steps or Steps(ones, self.votes, self.votes)
            yield from zip(steps.totals(said_by_each, totals), steps.sizes.tolist(), strict=True)
            return
        said: list[np.ndarray] = []
        for votes, one in zip(self.staged_votes, said_by_each, strict=True):
            said.append(one)
            totals[:] = 0.0
            for codes, vote in zip(said, votes, strict=False):
                cast_votes(totals, codes, 1.0, vote)
            yield totals, float(np.abs(votes).sum())


BY_ROUND = ("errors", "log_costs", "losses", "states")


def _cut(values: Any, rounds: slice) -> Any:
    return None if values is None else values[rounds]


def _join(one: Any, other: Any) -> Any:
    return None if one is None or other is None else np.concatenate([one, other])
