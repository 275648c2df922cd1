"""Tasks that answer questions for a while, so that not every question needs tasks of its own.

From a client to a worker and back, a task takes some milliseconds of waiting and of computing: Dask
schedules it, holds messages back to send several at once, and tells the client where the result is
before that asks for it. A round of a fit takes no longer. So a task serves for about a second: the
client calls it, on the connections over which it gathers results, says what is asked and is told
what is found. What becomes of tasks when a worker is lost is up to Dask, as ever. A task that is
not called ends, and who gets no answer asks again in a task.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

SHIFT = 1.0
"""Seconds that tasks serve; then others of the cluster have their turn."""

WAIT = 1.0
"""Seconds that a task waits to be called."""

PATIENCE = 600.0
"""Seconds to wait for an answer to a call."""

SILENCE = 30.0
"""Seconds to wait for what a task has returned; then the scheduler is asked for it."""

GRACE = 0.1
"""Seconds to wait for an answer of tasks that are known to have ended."""

boxes: dict[str, SimpleQueue[tuple[Any, bool, Future[Any]]]] = {}
"""Of this process, calls by the keys of the tasks: question, whether it is the last, and answer."""


def serve(function: Callable[..., Any], *args: Any) -> None:
    """A task: call a function with ``args`` and with every question that comes."""
    from distributed import get_worker

    key = get_worker().get_current_task()
    box = boxes.setdefault(key, SimpleQueue())
    last, answer = False, None
    try:
        while not last:
            question, last, answer = box.get(timeout=WAIT)
            if question is not None:
                answer.set_result(function(*args, *question))
    except Empty:
        pass
    finally:
        boxes.pop(key, None)
        if answer is not None:
            answer.cancel()  # where there is none


async def hear_call(keys: list[str], question: Any, last: bool) -> dict[str, Any]:
    """On a worker: what tasks answer to a question. None dismisses those that wait."""
    if question is None:
        for key in boxes.keys() & set(keys):
            dismiss(boxes[key])
        return {}
    answers: dict[str, Future[Any]] = {key: Future() for key in keys}
    for key, answer in answers.items():
        boxes.setdefault(key, SimpleQueue()).put((question, last, answer))
    await asyncio.wait([asyncio.wrap_future(one) for one in answers.values()], timeout=PATIENCE)
    found = {}
    for key, answer in answers.items():
        if answer.done() and not answer.cancelled():
            found[key] = answer.result()
        else:
            boxes.pop(key, None)
    return found


def dismiss(box: SimpleQueue[tuple[Any, bool, Future[Any]]]) -> None:
    """Take back what is asked, and have the task end that waits."""
    try:
        while True:
            box.get_nowait()[2].cancel()
    except Empty:
        box.put((None, True, Future()))


class Session:
    """Tasks that :func:`serve` runs.

    Parameters
    ----------
    client : distributed.Client
    futures : list of Future
    homes : the address of the worker where each is expected to run
    """

    def __init__(self, client: Any, futures: list[Any], homes: list[str]) -> None:
        self.client, self.futures = client, futures
        self.begun = self.heard = monotonic()
        self.keys: dict[str, list[str]] = {}
        for home, future in zip(homes, futures, strict=True):
            self.keys.setdefault(home, []).append(future.key)

    def ask(self, question: Any) -> list[Any] | None:
        """What the tasks answer, or None where not all of them do."""
        last = monotonic() > self.begun + SHIFT
        found: list[Any] | None = self.client.sync(self._ask, question, last)
        self.heard = -math.inf if last or found is None else monotonic()
        return found

    @property
    def waits(self) -> bool:
        """Whether the tasks should be waiting for a question."""
        return monotonic() < self.heard + WAIT / 2

    def dismiss(self) -> None:
        """Have the tasks end that wait."""
        self.client.sync(self._dismiss)

    async def _ask(self, question: Any, last: bool) -> list[Any] | None:
        called = asyncio.ensure_future(self._call(question, last))
        ended = asyncio.ensure_future(end_of(self.futures))
        await asyncio.wait({called, ended}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({called}, timeout=GRACE)
        found = called.result() if called.done() else {}
        if all(one.key in found for one in self.futures):
            ended.cancel()
            return [found[one.key] for one in self.futures]
        await self._dismiss()
        await ended
        await self.client.gather(self.futures)  # raises what a task has raised
        return None

    async def _dismiss(self) -> None:
        await asyncio.wait({asyncio.ensure_future(self._call(None, True))}, timeout=WAIT)

    async def _call(self, question: Any, last: bool) -> dict[str, Any]:
        """What the tasks say; workers that cannot be reached say nothing."""
        said = await asyncio.gather(
            *(
                call_worker(self.client, home, keys, question, last)
                for home, keys in self.keys.items()
            ),
            return_exceptions=True,
        )
        known = [one for one in said if not isinstance(one, BaseException)]
        return {key: found for one in known for key, found in one.items()}


async def call_worker(
    client: Any, address: str, keys: list[str], question: Any, last: bool
) -> dict[str, Any]:
    """Call tasks of a worker, on the connection that gathers use too."""
    from distributed.protocol.pickle import dumps

    asked = dumps((keys, question, last))
    said = await client.rpc(address).run(function=dumps(hear_call), args=asked)
    found: dict[str, Any] = said.get("result", {})
    return found


def collect(client: Any, futures: list[Any]) -> list[Any]:
    """What tasks return, straight from the workers."""
    found: list[Any] = client.sync(_collect, client, futures)
    return found


async def _collect(client: Any, futures: list[Any]) -> list[Any]:
    """A worker that is frozen keeps its connection: the scheduler knows when to give it up."""
    await end_of(futures)
    with suppress(TimeoutError):
        straight: list[Any] = await asyncio.wait_for(client.gather(futures, direct=True), SILENCE)
        return straight
    found: list[Any] = await client.gather(futures, direct=False)
    return found


async def end_of(futures: list[Any]) -> None:
    """Wait until tasks have finished or failed."""
    for one in futures:
        await one.exception()
