"""Results of short tasks, straight from the workers that find them.

That a task has finished Dask tells a client in messages that it holds back for some milliseconds,
to send more than one at a time; then the client asks where the result is, and asks for it. That is
as long as a round takes. So the client leaves word on the workers beside the tasks, and a task that
is done rings there. Tasks, results, and what becomes of them when a worker is lost, are Dask's own:
who gets no answer in this way gathers the results as ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

SMALL = 1_000_000
"""Bytes of a result that is sent by way of the scheduler, at most."""

PATIENCE = 5.0
"""Seconds to wait at a worker: with longer tasks, milliseconds do not matter."""

HEAD_START = 0.002
"""Seconds for the tasks to be on their way before the workers are asked about them."""

GRACE = 0.005
"""Seconds to wait for a worker whose tasks are known to be done."""

bells: dict[str, Callable[[Any], Any]] = {}
"""Of this process, whom to call with the result of a task, by its key."""


def ringing(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function as a task, and ring with its result where someone waits for it."""
    from distributed import get_worker

    found = function(*args, **kwargs)
    ring = bells.get(get_worker().get_current_task())
    if ring is not None:
        ring(found)
    return found


async def overhear(own: list[str], dask_worker: Any) -> dict[str, Any]:
    """The results of tasks of this worker; without those that are large, late or not here."""
    from dask.sizeof import sizeof

    loop = asyncio.get_running_loop()
    waiting = {key: loop.create_future() for key in own}

    def settle(key: str, found: Any) -> None:
        if not waiting[key].done():
            waiting[key].set_result(found)

    def ring(key: str, found: Any) -> None:
        loop.call_soon_threadsafe(settle, key, found)

    bells.update({key: partial(ring, key) for key in own})
    try:
        pause, last = 0.001, loop.time() + PATIENCE
        while loop.time() < last:
            for key in own:
                if key in dask_worker.data:  # it was done before anyone could wait for it
                    settle(key, dask_worker.data[key])
            _, missing = await asyncio.wait(waiting.values(), timeout=pause)
            if not missing:
                break
            pause = min(2 * pause, 0.1)
    finally:
        for key in own:
            bells.pop(key, None)
    results = {key: one.result() for key, one in waiting.items() if one.done()}
    return {key: found for key, found in results.items() if sizeof(found) <= SMALL}


def collect(client: Any, futures: list[Any], homes: dict[str, list[str]]) -> list[Any]:
    """Results of tasks that :func:`ringing` runs, as ``client.gather`` returns them.

    Parameters
    ----------
    client : distributed.Client
    futures : list of Future
    homes : the keys of the tasks, by the address of the worker where they are expected to run
    """
    found: list[Any] = client.sync(_collect, client, futures, homes)
    return found


async def _collect(client: Any, futures: list[Any], homes: dict[str, list[str]]) -> list[Any]:
    quick: Any = asyncio.gather(*(ask_worker(client, home, keys) for home, keys in homes.items()))
    quick.add_done_callback(lambda task: task.cancelled() or task.exception())
    done = asyncio.ensure_future(end_of(futures))
    await asyncio.wait({quick, done}, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.wait({quick}, timeout=GRACE)  # where tasks are done, it is on its way
    if quick.done() and not quick.exception():
        found = {key: one for each in quick.result() for key, one in each.items()}
        if all(one.key in found for one in futures):
            done.cancel()
            return [found[one.key] for one in futures]
    await done
    results: list[Any] = await client.gather(futures, direct=True)
    return results


async def end_of(futures: list[Any]) -> None:
    """Wait until tasks have finished or failed, without their results."""
    for one in futures:
        await one.exception()


async def ask_worker(client: Any, address: str, keys: list[str]) -> dict[str, Any]:
    """Have a worker say what tasks have found, on the connection that gathers use too."""
    from distributed.protocol.pickle import dumps

    await asyncio.sleep(HEAD_START)
    said = await client.rpc(address).run(function=dumps(overhear), args=dumps((keys,)))
    found: dict[str, Any] = said.get("result", {})
    return found
