"""A review: an audit, the decisions about its rows, and the queue that they are taken from."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
import zlib
from copy import copy
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from nacre.consensus.classifier import NacreClassifier
from nacre.review.estimate import (
    OPEN,
    RIGHT,
    UNSURE,
    WRONG,
    Progress,
    advise,
    measure,
    wrong_left,
)
from nacre.review.evidence import Evidence
from nacre.review.queue import Queue, draw_rows, interleave
from nacre.review.reopen import reopen
from nacre.review.store import Choice, Decision, Store

STORE = "review.sqlite"
"""The file of decisions, in an audit's folder."""

SHARE = 0.2
"""Of the queue that is drawn at random."""

GOAL = 0.02
"""Share of wrong labels left at which one may stop."""

FEW = 5
"""Random rows before which no single number is said: only where it lies."""

AHEAD = 100
"""Rows to come by which one sees how much a new order has changed."""

STATES = {"keep": RIGHT, "change": WRONG, "exclude": WRONG, "unsure": UNSURE, "open": OPEN}
"""What a decision says of the label that was given."""


def likeliest_other(posterior: np.ndarray, given: np.ndarray) -> np.ndarray:
    """The likeliest class of each row other than the given one, as codes."""
    others = posterior.copy()
    others[np.arange(len(given)), given] = -1.0
    out: np.ndarray = others.argmax(axis=1)
    return out


@dataclass(frozen=True)
class Changes:
    """What a new judgement has changed.

    Attributes
    ----------
    learned : decisions that it has learned from
    moved : rows among the next 100 of the queue that were not there before
    suggestions : open rows that another label is suggested for
    rate, before : estimates of the noise rate, after and before
    """

    learned: int
    moved: int
    suggestions: int
    rate: float
    before: float


class Review:
    """The state of a review, which several threads and processes may work on.

    Rows are counted here among the labelled rows of the table (``places``); outside, and in the
    store, by their number in the table.

    Parameters
    ----------
    folder : of an audit
    table : the file that was audited, if it is not where it was
    share : of random rows in the queue; default as the review has begun, or 0.2
    seed : of the random rows; likewise, or 0
    goal : share of wrong labels left at which to stop

    Attributes
    ----------
    population : places of the rows under review: all labelled ones that are not trusted
    posterior : the posterior of the true classes, from the audit or learned since
    wrong : the probability of each row that its label is wrong
    suggested : the likeliest class of each row other than the given one, as codes
    ranking : places of the rows under review, in the order of suspicion
    draws : the same in random order
    queue : both, mixed
    state, label : what is known of each label, and the code of the right one, or -1
    last : the last decision about each row, by place
    revision : the last decision that was taken in
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        table: str | os.PathLike[str] | None = None,
        *,
        share: float | None = None,
        seed: int | None = None,
        goal: float = GOAL,
    ) -> None:
        self.folder = Path(folder)
        self.audit, self.loaded = reopen(self.folder, table)
        self.goal = goal
        self._lock = RLock()
        found = self.audit.model.found_
        n = len(found.given)
        self.given: np.ndarray = found.given
        self._judge(found.posterior)
        self.classes = [str(one) for one in self.loaded.schema.classes]
        self.store = Store(self.folder / STORE, self._facts(share, seed))
        self._check_facts(seed)
        self.share = float(self.store.facts["share"]) if share is None else share
        self.seed = int(self.store.facts["seed"])
        trusted = self.loaded.trusted
        under = np.ones(n, bool) if trusted is None else ~trusted
        self.population = np.flatnonzero(under)
        self.state = np.full(n, OPEN, np.int8)
        self.label = np.full(n, -1, np.int64)
        self.last: dict[int, Decision] = {}
        self.revision = self.judgement = 0
        self.changes: dict[str, Any] | None = None
        self._served = np.zeros(n, bool)
        self.draws = draw_rows(self.population, self.seed)
        self._answered = np.zeros(n, bool)
        first = self.population[np.argsort(-self.wrong[self.population], kind="stable")]
        self._order(first)
        self.catch_up()

    # Where rows stand

    @cached_property
    def places(self) -> dict[int, int]:
        """Where the rows of the table stand among the labelled ones."""
        return {row: place for place, row in enumerate(self.loaded.rows.tolist())}

    @cached_property
    def evidence(self) -> Evidence:
        """To look rows up in."""
        return Evidence(self.loaded, self.audit.model.found_.suspected, self.seed)

    @property
    def reached(self) -> np.ndarray:
        """The rows that the order has reached: a mask.

        Up to the last one that was decided as it came in the queue, and as far as all are decided.
        """
        out = np.zeros(len(self.given), bool)
        out[self.ranking[: self.frontier]] = True
        return out

    @property
    def frontier(self) -> int:
        """How many rows of the order are reached."""
        done = self.state[self.ranking] != OPEN
        prefix = len(done) if done.all() else int(done.argmin())
        served = np.flatnonzero(self._served[self.ranking])
        return max(prefix, int(served[-1]) + 1 if len(served) else 0)

    @property
    def drawn(self) -> np.ndarray:
        """The random sample: a mask of the rows drawn up to the last one that was answered."""
        answered = np.flatnonzero(self._answered[self.draws])
        out = np.zeros(len(self.given), bool)
        out[self.draws[: answered[-1] + 1 if len(answered) else 0]] = True
        return out

    def snapshot(self) -> Review:
        """The review as it stands now, to read from: no later decision reaches it."""
        with self._lock:
            out = copy(self)
            out.state, out.label, out.last = self.state.copy(), self.label.copy(), dict(self.last)
            out._served, out._answered = self._served.copy(), self._answered.copy()
        return out

    def progress(self) -> Progress:
        """How many labels are wrong, and left."""
        some = self.population
        return measure(self.state[some], self.reached[some], self.drawn[some])

    def outlook(self) -> dict[str, Any]:
        """The estimate, the curve and the advice, as plain data."""
        some, place = self.population, np.zeros(len(self.given), np.int64)
        place[some] = np.arange(len(some))
        with self._lock:  # only to look: decisions must not wait for the sums
            state, chances = self.state[some], self.wrong[some]
            reached, drawn = self.frontier, self.drawn[some]
            ranking = place[self.ranking]
        known = np.zeros(len(some), bool)
        known[ranking[:reached]] = True
        now = measure(state, known, drawn)
        curve = wrong_left(state, ranking, drawn, chances, reached)
        advice = advise(now, curve, reached, self.goal)
        untold = 0 < now.drawn < FEW and now.left.low < now.left.high
        if untold and advice["say"] != "stop":
            advice = {"say": "begin", "rows": 0}
        plain = asdict(now)
        for name in ("wrong", "left"):
            if untold or np.isnan(plain[name]["count"]):
                plain[name]["count"] = None
        lines = {name: one.tolist() for name, one in vars(curve).items()}
        lines["count"] = [None if untold or np.isnan(one) else one for one in curve.count.tolist()]
        here = int(np.searchsorted(curve.reached, reached))
        return {
            **plain,
            "expected": float(curve.expected[here]),
            "reached": reached,
            "goal": self.goal,
            "advice": advice,
            "curve": lines,
        }

    # Decisions

    def catch_up(self) -> list[Decision]:
        """Take in what this or another process has written since; those decisions."""
        with self._lock:
            new = self.store.after(self.revision)
            for one in new:
                self._take(one)
            later = self.store.judgement(self.judgement)
            if later is not None:
                self.judgement, said, ranking, posterior = later
                self.changes = json.loads(said)
                shape = self.posterior.shape
                read = np.frombuffer(zlib.decompress(posterior), np.float32).reshape(shape)
                self._judge(read.astype(float))
                self._order(np.frombuffer(zlib.decompress(ranking), np.int32).astype(np.int64))
            return new

    def decide(
        self,
        row: int,
        verdict: str,
        label: str | None,
        *,
        who: str,
        seen: int,
        listed: bool = False,
        slot: int | None = None,
    ) -> Decision:
        """Write a decision down.

        Parameters
        ----------
        row : number in the table
        verdict : "keep", "change", "unsure", "exclude" or "open"
        label : the right one, where the verdict is "change"
        who : the reviewer
        seen : the last decision about the row that the reviewer knew of
        listed : whether the row was chosen from the list, and did not come in the queue
        slot : where in the queue it came; one that is elsewhere since counts as chosen, for the
            order has not reached its new place

        Raises
        ------
        Conflict
            Where the row was decided since.
        ValueError
            Where there is no such row or label.
        """
        with self._lock:
            choice = self.choice(row, verdict, label, listed, slot)
            (made,) = self.store.add([choice], who, seen)
            self.catch_up()
        return made

    def choice(
        self, row: int, verdict: str, label: str | None, listed: bool, slot: int | None = None
    ) -> Choice:
        """A decision to be, checked."""
        place = self.places.get(row)
        if place is None or verdict not in STATES:
            raise ValueError(f"There is no row {row} to decide, or no verdict {verdict!r}.")
        given = self.classes[self.given[place]]
        if verdict == "change" and label == given:
            verdict = "keep"
        if verdict == "keep":
            label = given
        if verdict in ("keep", "change") and label not in self.codes:
            raise ValueError(f"There is no label {label!r}.")
        kind = "chosen"
        if not listed and slot in (None, self.slots[place]):
            kind = "random" if self.queue.random[self.slots[place]] else "suspect"
        return Choice(
            row,
            verdict,
            label if verdict in ("keep", "change") else None,
            given,
            self.classes[self.suggested[place]],
            float(self.wrong[place]),
            kind,
        )

    @cached_property
    def codes(self) -> dict[str, int]:
        """Of the labels."""
        return {name: code for code, name in enumerate(self.classes)}

    def undo(self, who: str) -> list[Decision]:
        """Take the reviewer's last decision back."""
        with self._lock:
            made = self.store.undo(who)
            self.catch_up()
        return made

    def next_open(self, after: int, count: int = 1) -> list[int]:
        """Slots of the queue whose rows are open, from ``after`` on; then from the start."""
        with self._lock:
            free = np.flatnonzero(self.state[self.queue.rows] == OPEN)
        at = np.searchsorted(free, after)
        return np.concatenate([free[at:], free[:at]])[:count].tolist()

    def mix(self, share: float) -> None:
        """Have another share of random rows in the queue; the same rows, in the same orders."""
        with self._lock:
            self.share = share
            self._order(self.ranking)

    # Learning

    def rejudge(self) -> Changes | None:
        """Learn from the decisions, and put the queue in a new order; None if there are none.

        Only rows that the order has reached count as trusted. Those of the random sample that it
        has not reached stay aside, as test rows do: they could not measure what is left if the
        order knew them.
        """
        with self._lock:
            upto, reached = self.revision, self.reached
            state, label = self.state.copy(), self.label.copy()
        sure = reached & (label >= 0)
        if not sure.any():
            return None
        left_out = reached & (state == WRONG) & (label < 0)
        model = self._learn(np.where(sure, label, self.given), sure, ~left_out)
        with self._lock:
            self.catch_up()  # what was reached while the model was fitted keeps its place
            posterior = self.posterior.copy()
            posterior[~left_out] = model.found_.posterior
            chance = 1.0 - posterior[np.arange(len(self.given)), self.given]
            old, rest = np.split(self.ranking, [self.frontier])
            ranking = np.concatenate([old, rest[np.argsort(-chance[rest], kind="stable")]])
            changes = self._changes(ranking, posterior, int(sure.sum()), float(model.noise_.rate))
            self.store.add_judgement(
                upto,
                json.dumps(asdict(changes)),
                zlib.compress(ranking.astype(np.int32).tobytes(), 1),
                zlib.compress(posterior.astype(np.float32).tobytes(), 1),
            )
            self.catch_up()
        return changes

    def _learn(self, codes: np.ndarray, clean: np.ndarray, rows: np.ndarray) -> NacreClassifier:
        training = replace(self.loaded.training, y=codes)
        if not rows.all():
            training = training.take(np.flatnonzero(rows))
            training = replace(training, kept=None, n_given=len(training.y))
        trusted = clean if self.loaded.trusted is None else clean | self.loaded.trusted
        before = -1 if self.loaded.original is None else self.loaded.original
        original = np.where(clean, self.given, before)
        model = NacreClassifier("fast", random_state=self.seed, n_jobs=1)
        if self.loaded.schema.categorical:
            model.set_params(categorical_features=list(self.loaded.schema.categorical))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit_training(
                training, self.loaded.classes, clean=trusted[rows], original=original[rows]
            )

    def _changes(
        self, ranking: np.ndarray, posterior: np.ndarray, learned: int, rate: float
    ) -> Changes:
        free = self.state == OPEN
        before, after = (order[free[order]][:AHEAD] for order in (self.ranking, ranking))
        other = likeliest_other(posterior, self.given) != self.suggested
        said = self.changes["rate"] if self.changes else float(self.audit.noise.rate)
        moved = int(np.sum(~np.isin(after, before)))
        return Changes(learned, moved, int(np.sum(other & free)), rate, said)

    # Inside

    def _facts(self, share: float | None, seed: int | None) -> dict[str, str]:
        table = hashlib.sha256(self.given.tobytes() + "\0".join(self.classes).encode())
        judged = hashlib.sha256(np.ascontiguousarray(self.posterior).tobytes())
        return {
            "version": "1",
            "table": table.hexdigest(),
            "audit": judged.hexdigest(),
            "share": repr(SHARE if share is None else share),
            "seed": str(seed or 0),
        }

    def _check_facts(self, seed: int | None) -> None:
        known, own = self.store.facts, self._facts(None, seed)
        if known["version"] != own["version"]:
            raise ValueError(f"{str(self.store.path)!r} is of another version of nacre.")
        if (known["table"], known["audit"]) != (own["table"], own["audit"]):
            raise ValueError(
                f"{str(self.store.path)!r} is about another audit than the one beside it: move it "
                "away to begin anew, or audit into another folder."
            )
        if seed is not None and int(known["seed"]) != seed:
            raise ValueError(
                f"This review was begun with seed {known['seed']}, by which its random rows are "
                "drawn: go on with that, or begin anew."
            )

    def _judge(self, posterior: np.ndarray) -> None:
        self.posterior = posterior
        self.wrong: np.ndarray = 1.0 - posterior[np.arange(len(self.given)), self.given]
        self.suggested = likeliest_other(posterior, self.given)

    def _order(self, ranking: np.ndarray) -> None:
        self.ranking = ranking
        self.queue: Queue = interleave(ranking, self.draws, self.share)
        self.slots = np.zeros(len(self.given), np.int64)
        self.slots[self.queue.rows] = np.arange(len(ranking))

    def _take(self, one: Decision) -> None:
        place = self.places[one.row]
        self.revision = one.id
        self.last[place] = one
        self.state[place] = STATES[one.verdict]
        self.label[place] = -1 if one.label is None else self.codes[one.label]
        self._served[place] = one.kind == "suspect" and one.verdict != "open"
        self._answered[place] = one.kind == "random" and one.verdict != "open"
