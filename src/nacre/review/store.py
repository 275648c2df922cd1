"""Decisions, kept in SQLite: appended, never changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import Any

VERDICTS = ("keep", "change", "unsure", "exclude", "open")
"""What may be decided of a row; "open" is a decision taken back."""

KINDS = ("suspect", "random", "chosen")
"""How a row came before the reviewer: by the queue's order, by its draw, or by the list."""

LOCKED = 10_000
"""Milliseconds to wait for another process that is writing."""

TABLES = f"""
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS decisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    row INTEGER NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN {VERDICTS}),
    label TEXT,
    given TEXT NOT NULL,
    suggested TEXT NOT NULL,
    probability REAL NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN {KINDS}),
    who TEXT NOT NULL,
    at TEXT NOT NULL,
    batch INTEGER,
    undoes INTEGER REFERENCES decisions (id),
    CHECK ((verdict IN ('keep', 'change')) = (label IS NOT NULL))
);
CREATE INDEX IF NOT EXISTS decisions_of_a_row ON decisions (row, id);
CREATE INDEX IF NOT EXISTS decisions_of_a_batch ON decisions (batch) WHERE batch IS NOT NULL;
CREATE INDEX IF NOT EXISTS decisions_undone ON decisions (undoes) WHERE undoes IS NOT NULL;
CREATE TABLE IF NOT EXISTS judgements (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    upto INTEGER NOT NULL,
    said TEXT NOT NULL,
    ranking BLOB NOT NULL,
    posterior BLOB NOT NULL
);
"""

APPENDED_ONLY = "".join(
    f"CREATE TRIGGER IF NOT EXISTS no_{verb}_of_{table} BEFORE {verb} ON {table} "
    f"BEGIN SELECT RAISE(ABORT, '{table} are appended, never changed'); END;\n"
    for table in ("decisions", "judgements")
    for verb in ("UPDATE", "DELETE")
)


@dataclass(frozen=True)
class Choice:
    """What a reviewer wants to do with a row.

    Attributes
    ----------
    row : number of the row in the table, from 0
    verdict : one of ``VERDICTS``
    label : the label that is right, where the verdict is to keep or to change
    given : the label as it came
    suggested : the label that was suggested
    probability : that the given label is wrong, as it was shown
    kind : one of ``KINDS``
    """

    row: int
    verdict: str
    label: str | None
    given: str
    suggested: str
    probability: float
    kind: str


@dataclass(frozen=True)
class Decision(Choice):
    """A choice that is written down.

    Attributes
    ----------
    id : int
        Counts up; the revision of its row.
    who : str
    at : str
        Time in UTC, ISO 8601.
    batch : int or None
        The first decision of those that were made together.
    undoes : int or None
        The decision that this one takes back.
    """

    id: int
    who: str
    at: str
    batch: int | None = None
    undoes: int | None = None


COLUMNS = ", ".join(one.name for one in fields(Decision))


class Conflict(Exception):
    """Somebody else has decided since: ``decision`` is what stands now."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(f"Row {decision.row} was decided by {decision.who} at {decision.at}.")
        self.decision = decision


class Store:
    """The decisions of a review, in a file that several processes may share.

    Each decision is on the disk before ``add`` returns (write-ahead log, synchronised at every
    commit). Nothing is ever changed or removed: what stands of a row is its last decision.

    Parameters
    ----------
    path : of the file, which is made if it is not there
    facts : what the review is of: of a file that is there they must be the same

    Raises
    ------
    ValueError
        Where the file is of another table or audit, or no such file.
    """

    def __init__(self, path: Path, facts: Mapping[str, str]) -> None:
        self.path = path
        self._lock = RLock()
        self._base = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            self._base.execute(f"PRAGMA busy_timeout = {LOCKED}")
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = FULL")
            with self._written():
                for statement in _statements(TABLES + APPENDED_ONLY):
                    self._base.execute(statement)
                self._base.executemany(
                    "INSERT OR IGNORE INTO facts VALUES (?, ?)", list(facts.items())
                )
            self.facts: dict[str, str] = dict(self._base.execute("SELECT name, value FROM facts"))
        except sqlite3.DatabaseError as error:
            self._base.close()
            raise ValueError(f"{str(path)!r} cannot be used: {error}.") from None

    def close(self) -> None:
        """Let the file go."""
        with self._lock:
            self._base.close()

    def add(self, choices: Sequence[Choice], who: str, seen: int) -> list[Decision]:
        """Write decisions down together, all or none.

        Parameters
        ----------
        choices : what to decide
        who : the reviewer
        seen : the last decision that the reviewer knew of

        Raises
        ------
        Conflict
            Where a row has a later decision than that.
        """
        with self._written():
            if len(choices) == 1:
                newer = self._last(choices[0].row, seen)
            else:
                rows = {choice.row for choice in choices}
                newer = next((one for one in self.after(seen) if one.row in rows), None)
            if newer is not None:
                raise Conflict(newer)
            return self._append(choices, who, [None] * len(choices))

    def undo(self, who: str) -> list[Decision]:
        """Take back the reviewer's last decision, or all that were made together with it.

        What stood before stands again. Rows that somebody else has decided since are left alone.

        Returns
        -------
        list of Decision
            What was written: none where there is nothing to take back.
        """
        with self._written():
            last = self._base.execute(
                f"SELECT {COLUMNS} FROM decisions AS d WHERE who = ? AND undoes IS NULL AND NOT "
                "EXISTS (SELECT 1 FROM decisions WHERE undoes = d.id) ORDER BY id DESC LIMIT 1",
                (who,),
            ).fetchone()
            if last is None:
                return []
            together = [Decision(*last)]
            if together[0].batch is not None:
                together = self._select("WHERE batch = ? ORDER BY id", together[0].batch)
            back, undone = [], []
            for one in together:
                stack = self._standing(one.row)
                if stack and stack[-1].id == one.id:
                    back.append(_before(stack))
                    undone.append(one.id)
            if not back:  # others have decided all of them anew: nothing of ours stands
                raise Conflict(self._standing(together[0].row)[-1])
            return self._append(back, who, undone)

    def after(self, id: int) -> list[Decision]:
        """All decisions later than one of them."""
        with self._lock:
            return self._select("WHERE id > ? ORDER BY id", id)

    def add_judgement(self, upto: int, said: str, ranking: bytes, posterior: bytes) -> int:
        """Write down a new order of the rows, learned from the decisions up to one of them."""
        with self._written():
            made = self._base.execute(
                "INSERT INTO judgements (at, upto, said, ranking, posterior) "
                "VALUES (?, ?, ?, ?, ?)",
                (_now(), upto, said, ranking, posterior),
            )
            return int(made.lastrowid or 0)

    def judgement(self, after: int) -> tuple[int, str, bytes, bytes] | None:
        """The last order, what was said of it and its probabilities, if later than ``after``."""
        with self._lock:
            return self._base.execute(
                "SELECT id, said, ranking, posterior FROM judgements WHERE id > ? "
                "ORDER BY id DESC LIMIT 1",
                (after,),
            ).fetchone()

    @contextmanager
    def _written(self) -> Iterator[None]:
        """One transaction, which begins with the right to write."""
        with self._lock:
            self._base.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._base.execute("ROLLBACK")
                raise
            self._base.execute("COMMIT")

    def _append(
        self, choices: Sequence[Choice], who: str, undoes: Sequence[int | None]
    ) -> list[Decision]:
        last = self._base.execute("SELECT seq FROM sqlite_sequence WHERE name = 'decisions'")
        first, at = (last.fetchone() or (0,))[0] + 1, _now()
        batch = first if len(choices) > 1 else None
        new = [
            Decision(**vars(choice), id=first + k, who=who, at=at, batch=batch, undoes=undone)
            for k, (choice, undone) in enumerate(zip(choices, undoes, strict=True))
        ]
        marks = ", ".join("?" * len(fields(Decision)))
        self._base.executemany(
            f"INSERT INTO decisions ({COLUMNS}) VALUES ({marks})", map(astuple, new)
        )
        return new

    def _last(self, row: int, after: int) -> Decision | None:
        found = self._select("WHERE row = ? AND id > ? ORDER BY id DESC LIMIT 1", row, after)
        return found[0] if found else None

    def _standing(self, row: int) -> list[Decision]:
        """Decisions about a row that were not taken back; the last is what stands."""
        stack: list[Decision] = []
        for one in self._select("WHERE row = ? ORDER BY id", row):
            if one.undoes is None:
                stack.append(one)
            else:
                stack.pop()
        return stack

    def _select(self, where: str, *values: Any) -> list[Decision]:
        rows = self._base.execute(f"SELECT {COLUMNS} FROM decisions {where}", values)
        return [Decision(*one) for one in rows]


def _before(stack: Sequence[Decision]) -> Choice:
    """What stood of a row before the last decision about it."""
    last = stack[-2] if len(stack) > 1 else replace(stack[-1], verdict="open", label=None)
    return Choice(*(getattr(last, one.name) for one in fields(Choice)))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _statements(script: str) -> Iterator[str]:
    """The statements of a script: ``executescript`` would end the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
