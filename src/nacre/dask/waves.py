"""Waves: a question to all partitions, their sums added up in one fixed order, one answer back.

Sums of floats depend on their order. Here it is that of a binary tree over the partitions' numbers,
whatever computes them: so the same bits come out for any number of workers and any order of
completion. Partitions that live on one worker answer in one task, which adds up what it can and
stays for the next question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import partial
from itertools import count
from time import monotonic, sleep
from typing import Any, Protocol
from uuid import uuid4

from nacre.boost.result import Run
from nacre.dask.calls import WAIT, Session, collect, serve
from nacre.dask.partition import Behind, Entry, Partition, See

FAN_IN = 8
"""Answers that one task adds up; more are added up in several levels."""

CALLED = 64
"""Groups whose answers the client adds up itself, at most."""

TRIES = 3
"""How often a fit begins anew where the scheduler has lost its partitions."""

PATIENCE = 60
"""Seconds to wait for a connection that was lost."""

Add = Callable[[Any, Any], Any]
Parts = dict[tuple[int, int], Any]
"""Sums of subtrees: (level, number) stands for partitions number * 2**level and on."""


class Waves(Protocol):
    """Partitions that can be asked."""

    def ask(self, entry: Entry) -> Any:
        """Put an entry into the journal, and return the sum that it asks for."""
        ...

    def close(self) -> None:
        """Let go of the partitions: the fit is over."""
        ...


class HeldOut:
    """Follows a run on rows that all partitions hold out."""

    def __init__(self, waves: Waves, begin: Any) -> None:
        self.waves, self.begin = waves, begin

    def see(self, rounds: Run) -> list[float]:
        """Take in more rounds; return the error or loss after each."""
        if not len(rounds):
            return []
        found: list[float] = self.waves.ask(See(rounds, self.begin)).tolist()
        return found


def plus(one: Any, other: Any) -> Any:
    """The sum of two answers; None stands for no rows."""
    if one is None or other is None:
        return other if one is None else one
    return one + other


def climb(parts: Parts, total: int, add: Add = plus) -> Parts:
    """Add up subtrees of ``total`` partitions as far as both halves are there."""
    sums: Parts = {}
    for place, one in parts.items():
        put(sums, place, one, total, add)
    return sums


def put(sums: Parts, place: tuple[int, int], one: Any, total: int, add: Add = plus) -> None:
    """Take a further subtree in, and add up from there as far as other halves are there."""
    level, number = place
    while number or 1 << level < total:
        other = level, number ^ 1
        if other in sums:
            half = sums.pop(other)
            one = add(half, one) if number & 1 else add(one, half)
        elif number + 1 << level < total or number & 1:  # there is another half, to come
            break
        level, number = level + 1, number >> 1
    sums[level, number] = one


def answer(
    partitions: Sequence[Partition],
    numbers: Sequence[int],
    total: int,
    start: int,
    entries: list[Entry],
) -> Parts | Behind:
    """The answers of some partitions, added up; or how far one is behind."""
    sums: Parts = {}
    behind = []
    for number, partition in zip(numbers, partitions, strict=True):
        with naming(number):
            one = partition.answer(start, entries)
        if isinstance(one, Behind):
            behind.append(one)
        else:
            put(sums, (0, number), one, total)
    return min(behind) if behind else sums


@contextmanager
def naming(number: int) -> Iterator[None]:
    """Say of which partition an error is."""
    try:
        yield
    except Exception as error:
        raise RuntimeError(f"Partition {number}: {error}") from error


def add_answers(total: int, answers: Sequence[Parts | Behind]) -> Parts | Behind:
    """Several answers as one."""
    behind = [one for one in answers if isinstance(one, Behind)]
    if behind:
        return min(behind)
    parts: Parts = {}
    for each in answers:
        assert not isinstance(each, Behind)
        parts.update(each)
    return climb(parts, total)


class LocalWaves:
    """Partitions in this process, one after the other: none is lost, and nobody asks twice."""

    def __init__(self, partitions: Sequence[Partition]) -> None:
        self.partitions = partitions
        self.states: list[dict[str, Any]] = [{} for _ in partitions]

    def ask(self, entry: Entry) -> Any:
        """What all partitions answer."""
        sums: Parts = {}
        for number, (rows, state) in enumerate(zip(self.partitions, self.states, strict=True)):
            with naming(number):
                one = rows.run(entry, state)
            put(sums, (0, number), one, len(self.partitions))
        return root(sums)

    def close(self) -> None:
        """Let go of the partitions."""
        self.partitions, self.states = [], []


def root(parts: Parts) -> Any:
    """The sum over all partitions."""
    (found,) = parts.values()
    return found


def insist(client: Any, work: Callable[[], Any]) -> Any:
    """What ``work`` returns; it is done anew where the connection to the scheduler is cut."""
    from distributed.comm import CommClosedError

    tries = 0
    while True:
        try:
            return work()
        except (CancelledError, CommClosedError, TimeoutError) as error:
            tries += 1
            connected = is_connected(client)
            if tries > TRIES and connected and isinstance(error, TimeoutError):
                raise  # of a task, such as one that reads from a slow store
            if tries > TRIES or not connected:
                raise ConnectionError(
                    "The connection to the scheduler was lost, and with it what the cluster "
                    "held: fit again. Rows that are read anew from files would have been, "
                    f"persisted ones cannot ({error})."
                ) from None


def is_connected(client: Any) -> bool:
    """Whether a client has a connection, or gets one again within a while."""
    for _ in range(10 * PATIENCE):
        if client.status != "connecting":
            break
        sleep(0.1)
    return bool(client.status == "running")


class ClusterWaves:
    """Partitions on the workers of a Dask cluster.

    Tasks of a :class:`~nacre.dask.calls.Session` answer. Where they do not, the question is put to
    tasks of its own. A lost worker costs a replay: Dask makes its partitions again elsewhere, they
    answer that they are behind, and are sent the journal. The first question has them made, and so
    has one that was cut off from the scheduler.

    Parameters
    ----------
    client : distributed.Client
    make : function without arguments
        Begins to make the partitions and returns their futures.
    """

    def __init__(self, client: Any, make: Callable[[], list[Any]]) -> None:
        self.client, self.make = client, make
        self.journal: list[Entry] = []
        self.name = uuid4().hex[:8]
        self.tasks = count()
        self.futures: list[Any] = []
        self.placed = False
        self.asked: list[Any] = []
        self.session: Session | None = None
        self.calling, self.usual = True, 0.0

    def _place(self) -> None:
        """Make the partitions, and see where they are."""
        from distributed import wait

        self.futures = self.make()
        with self.client.as_current():
            wait(self.futures)
        self._look()

    def _look(self) -> None:
        """Group partitions that live on one worker, a group for each of its threads."""
        self._dismiss()
        total = len(self.futures)
        homes = self.client.who_has(self.futures)
        threads = self.client.nthreads()
        where = [next(iter(homes.get(one.key, ())), None) for one in self.futures]
        self.groups: list[tuple[str | None, list[int]]] = []
        for home in dict.fromkeys(where):
            own = [i for i in range(total) if where[i] == home]
            share = -(-len(own) // max(1, threads.get(home, 1)))
            self.groups += [(home, own[k : k + share]) for k in range(0, len(own), share)]
        self.groups.sort(key=lambda group: group[1])

    def ask(self, entry: Entry) -> Any:
        """Put an entry into the journal, and return what all partitions answer."""
        self.journal.append(entry)
        return insist(self.client, self._answer)

    def _answer(self) -> Any:
        """What all partitions answer to the last entry; where they may be lost, they are made."""
        placed, self.placed = self.placed, False
        if not placed:
            self._place()
        found = self._gather(len(self.journal) - 1 if placed else 0)
        while isinstance(found, Behind):
            self._look()
            found = self._gather(0)
        self.placed = True
        return root(found)

    def _gather(self, start: int) -> Parts | Behind:
        """Ask every group for the answer to the last entry, and add up on the way."""
        total, last, begun = len(self.futures), len(self.journal) - 1, monotonic()
        if self.session is not None and not self.session.waits:  # its shift is over
            self._dismiss()
            self.session = self._begin_session()
        session, entries = self.session, self.journal[start:]
        if session is not None and start == last:
            answers = session.ask((start, entries))
            if answers is None:
                return Behind(0)
            if monotonic() > begun + self.usual + WAIT / 2:  # threads are taken, and tasks wait
                self.calling = False
                self._dismiss()
            return add_answers(total, answers)
        self._dismiss()
        work = partial(answer, start=start, entries=entries)
        level = self._map(work, "sums", *self._parts())
        while len(level) > FAN_IN:
            some = [level[k : k + FAN_IN] for k in range(0, len(level), FAN_IN)]
            level = self._map(partial(add_answers, total), "add", some)
        found = add_answers(total, collect(self.client, level))
        self.asked, self.usual = level, monotonic() - begun
        if not isinstance(found, Behind):
            self.session = self._begin_session()
        return found

    def _parts(self) -> tuple[list[Any], list[Any], list[int]]:
        """Of every group the partitions and their numbers, and how many there are in all."""
        numbers = [some for _, some in self.groups]
        parts = [[self.futures[i] for i in some] for some in numbers]
        return parts, numbers, [len(self.futures)] * len(numbers)

    def _begin_session(self) -> Session | None:
        """Have tasks ready that answer further questions, where there are not too many."""
        homes = [home for home, _ in self.groups if home is not None]
        if not self.calling or not len(self.groups) == len(homes) <= CALLED:
            return None
        work = partial(serve, answer)
        return Session(self.client, self._map(work, "serve", *self._parts()), homes)

    def _dismiss(self) -> None:
        """Have nothing wait on the workers."""
        session, self.session = self.session, None
        if session is not None:
            session.dismiss()

    def close(self) -> None:
        """Have the workers forget the partitions; a traceback may keep this object."""
        self._dismiss()
        self.futures, self.asked = [], []

    def _map(self, function: Callable[..., Any], what: str, *args: list[Any]) -> Any:
        """A task for each group, where its partitions are.

        All tasks of a question go to the scheduler in one message, and those of the question before
        are released after it: a client sends no more than one message in ten milliseconds.
        """
        name = f"nacre-{what}-{self.name}-{len(self.journal)}"
        keys = [f"{name}-{next(self.tasks)}" for _ in args[0]]
        homes = {home for home, _ in self.groups if home is not None}
        where = {"workers": homes, "allow_other_workers": True} if homes else {}
        return self.client.map(function, *args, key=keys, pure=False, **where)
