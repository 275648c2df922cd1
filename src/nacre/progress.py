"""Progress of long work: one callback protocol, from the rounds of a fit to the cells of a paper.

What takes long (fits, audits, experiments) takes an argument ``progress``: any function of an
:class:`Event`. It is called when something begins and when a part of it is finished. The default,
:func:`silent`, does nothing; :class:`PrintProgress` prints a line now and then; the command line
shows a bar.

For those who report:

- one line of text: ``progress(Event("Reading the table"))``
- a loop, such as over folds: ``for fold in each(folds, "fold", progress)``
- parts that threads finish in any order, such as members: a :class:`Tally`
- work within work: ``within(Event("Learning"), progress)``, or ``tally.part``, is a callback for
  the inner function, whose events then say what they are part of
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from threading import Lock
from typing import Protocol, TextIO, TypeVar

__all__ = [
    "Event",
    "PrintProgress",
    "Progress",
    "Stage",
    "Tally",
    "duration",
    "each",
    "silent",
    "within",
]

Item = TypeVar("Item")


@dataclass(frozen=True)
class Event:
    """How far something is.

    Attributes
    ----------
    what : str
        What is being done ("Reading the table"); where parts are counted, the name of one
        ("member").
    done : int
        Parts that are finished.
    total : int or None
        Parts in all; None where nothing is counted.
    outer : Event or None
        The work that this is a part of.

    Examples
    --------
    >>> from nacre.progress import Event
    >>> event = Event("round", 40, 100, outer=Event("member", 2, 8, outer=Event("Learning")))
    >>> print(event)
    Learning: member 3 of 8, round 41 of 100
    >>> event.fraction
    0.3
    """

    what: str
    done: int = 0
    total: int | None = None
    outer: Event | None = None

    @property
    def path(self) -> tuple[Event, ...]:
        """The event after all that it is a part of, outermost first."""
        return (*self.outer.path, self) if self.outer else (self,)

    @property
    def fraction(self) -> float | None:
        """The share of the outermost counted work that is finished; None where none is counted.

        The share of a part that is under way counts towards the work around it.
        """
        share = None
        for event in reversed(self.path):
            if event.total is not None:
                under_way = share or 0.0
                share = min((event.done + under_way) / event.total, 1.0) if event.total else 1.0
        return share

    @property
    def ended(self) -> bool:
        """Whether the outermost counted work is finished."""
        counted = (event for event in self.path if event.total is not None)
        return any(event.done == event.total for event in islice(counted, 1))

    def __str__(self) -> str:
        first, *rest = (event._words() for event in self.path)
        return f"{first}: {', '.join(rest)}" if rest else first

    def _words(self) -> str:
        if self.total is None:
            return self.what
        return f"{self.what} {min(self.done + 1, self.total)} of {self.total}"


class Progress(Protocol):
    """A callback that is told how far long work is.

    It may be called from several threads at once, and often: it should return quickly. Events of
    one loop or :class:`Tally` come in order. What it raises ends the work.
    """

    def __call__(self, event: Event) -> None:
        """Hear of an event."""


def silent(event: Event) -> None:
    """Do nothing: the default of every ``progress``."""


def within(outer: Event, progress: Progress) -> Progress:
    """Return a callback for a part of some work: its events get that work as their outermost.

    Examples
    --------
    >>> from nacre.progress import Event, within
    >>> learning = within(Event("Learning"), print)
    >>> learning(Event("member", 0, 9))
    Learning: member 1 of 9
    """

    def report(event: Event) -> None:
        progress(_put_within(event, outer))

    return report


def _put_within(event: Event, outer: Event) -> Event:
    inner = outer if event.outer is None else _put_within(event.outer, outer)
    return replace(event, outer=inner)


def each(items: Collection[Item], what: str, progress: Progress) -> Iterator[Item]:
    """Go through items, reporting each before it is worked on, and the end.

    Examples
    --------
    >>> from nacre.progress import each
    >>> for fold in each(["a", "b"], "fold", print):
    ...     pass
    fold 1 of 2
    fold 2 of 2
    fold 2 of 2
    """
    for done, item in enumerate(items):
        progress(Event(what, done, len(items)))
        yield item
    progress(Event(what, len(items), len(items)))


class Tally:
    """Counts finished parts of some work, and reports each; threads may share it.

    Parameters
    ----------
    what : str
        The name of one part, such as "member".
    total : int
        How many there are.
    progress : Progress
    done : int
        Parts that were finished before.

    Examples
    --------
    >>> from nacre.progress import Event, Tally
    >>> members = Tally("member", 9, print)
    member 1 of 9
    >>> members.part(Event("round", 40, 100))
    member 1 of 9: round 41 of 100
    >>> members.step()
    member 2 of 9
    """

    def __init__(self, what: str, total: int, progress: Progress, done: int = 0) -> None:
        self._state = Event(what, done, total)
        self._progress = progress
        self._lock = Lock()
        progress(self._state)

    @property
    def done(self) -> int:
        """Parts that are finished."""
        return self._state.done

    def step(self) -> None:
        """Count one more part as finished."""
        with self._lock:  # while it is told, too: events come in order
            self._state = replace(self._state, done=self._state.done + 1)
            self._progress(self._state)

    def part(self, event: Event) -> None:
        """Report from inside a part; a callback for the function that works on it."""
        self._progress(_put_within(event, self._state))


class Stage:
    """What a display keeps of events: the work they belong to, how far it is, the time left.

    Work that several threads share reports from parts that are differently far: the fraction never
    goes back. Parts that were finished before the first event have no say in the pace.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ended = False
        self.what = ""
        self.fraction: float | None = None

    def hear(self, event: Event) -> bool:
        """Take note of an event; whether it begins other work than the one before."""
        what, fraction = event.path[0].what, event.fraction
        new = what != self.what or (self._ended and not event.ended)
        if new:
            self.what, self.fraction = what, None
        if fraction is not None and self.fraction is None:
            self.fraction, self._first, self._begun = fraction, fraction, self._clock()
        elif fraction is not None and self.fraction is not None:
            self.fraction = max(self.fraction, fraction)
        self._ended = event.ended
        return new

    @property
    def seconds_left(self) -> float | None:
        """Seconds to the end at the pace so far; None where nothing is counted or finished yet."""
        if self.fraction is None or self.fraction <= self._first:
            return None
        taken = self._clock() - self._begun
        return taken * (1.0 - self.fraction) / (self.fraction - self._first)


class PrintProgress:
    """Prints a line when work begins or ends, and now and then between, with the time left.

    For notebooks and logs, or to see what events there are.

    Parameters
    ----------
    every : float
        Seconds between two lines of the same work.
    file : writable text file, optional
        Default standard error, as it is when a line is printed.

    Examples
    --------
    >>> import sys
    >>> from nacre.progress import PrintProgress, each
    >>> for fold in each(range(5), "fold", PrintProgress(file=sys.stdout)):
    ...     pass
    fold 1 of 5
    fold 5 of 5
    """

    def __init__(self, every: float = 10.0, file: TextIO | None = None) -> None:
        self.every = every
        self.file = file
        self._stage, self._lock, self._last = Stage(), Lock(), 0.0

    def __call__(self, event: Event) -> None:
        """Print a line, where it is time to."""
        with self._lock:
            new = self._stage.hear(event)
            now = time.monotonic()
            if not new and not event.ended and now - self._last < self.every:
                return
            self._last = now
            left = self._stage.seconds_left
            more = "" if left is None or event.ended else f", {duration(left)} left"
            print(f"{event}{more}", file=self.file or sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Seconds, minutes or hours, in words.

    Examples
    --------
    >>> from nacre.progress import duration
    >>> duration(150)
    '2.5 min'
    """
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"
