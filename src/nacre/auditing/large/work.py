"""What an audit in parts has done so far: files named by what they are made of.

A run that is killed leaves them; the next one over the same table takes those that are there. Each
comes to its place whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from hashlib import blake2b
from itertools import compress
from pathlib import Path
from shutil import rmtree
from typing import Any, Protocol

from nacre.progress import Event, Progress, Tally, within

TRIES = 5
"""Times that what is not done is given to a cluster again whose connection was lost."""


@dataclass(frozen=True)
class Work:
    """A folder of results."""

    folder: Path

    def path(self, what: str, suffix: str, *made_of: Any) -> Path:
        """Where the result is, or is to be, of what it is made of: plain data and data classes."""
        text = json.dumps(made_of, sort_keys=True, default=asdict)
        name = blake2b(text.encode(), digest_size=10).hexdigest()
        return self.folder / f"{what}-{name}{suffix}"

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Have the folder, and keep it only if there is something in it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            yield
        finally:
            with suppress(OSError):  # which is how a folder says that it is not empty
                self.folder.rmdir()

    def remove(self) -> None:
        """Remove all of it."""
        rmtree(self.folder, ignore_errors=True)


@dataclass(frozen=True, eq=False)
class Task:
    """A call that writes a file: ``function(*args, path)``."""

    path: Path
    name: str
    function: Callable[..., None]
    args: tuple[Any, ...]

    @property
    def key(self) -> str:
        """What it is called on a cluster."""
        return f"nacre-{self.path.stem}"

    def run(self) -> None:
        """Make the call; errors say what it was about."""
        try:
            self.function(*self.args, self.path)
        except (ValueError, OSError) as error:
            raise ValueError(f"{self.name}: {error}") from error


class Pool(Protocol):
    """Whoever does tasks."""

    def each(self, tasks: Sequence[Task]) -> Iterator[Any]:
        """Do all of them, and yield as each is done."""
        ...


def do_all(tasks: Sequence[Task], what: str, pool: Pool, progress: Progress) -> None:
    """Do all tasks whose files are not there."""
    missing = [not task.path.exists() for task in tasks]
    done = len(tasks) - sum(missing)
    tally = Tally("part", len(tasks), within(Event(what), progress), done)
    for _ in pool.each(list(compress(tasks, missing))):
        tally.step()


@dataclass(frozen=True)
class Threads:
    """So many threads of this process."""

    count: int

    def each(self, tasks: Sequence[Task]) -> Iterator[Any]:
        """Do all tasks; the first error ends it, once those that have begun are done."""
        with ThreadPoolExecutor(self.count) as pool:
            futures = [pool.submit(task.run) for task in tasks]
            try:
                for future in as_completed(futures):
                    yield future.result()
            finally:
                pool.shutdown(cancel_futures=True)


@dataclass(frozen=True)
class Cluster:
    """The workers of a Dask cluster, which share a file system with this process."""

    client: Any

    def each(self, tasks: Sequence[Task]) -> Iterator[Any]:
        """Do all tasks; the workers that are lost, or a connection, cost what was under way."""
        from distributed import KilledWorker

        left = list(tasks)
        for tries in range(TRIES + 1):
            try:
                for task in self._done(left):
                    left.remove(task)
                    yield task
                return
            except KilledWorker as error:
                name = next((one.name for one in left if one.key == error.task), left[0].name)
                raise ValueError(
                    f"{name}: workers were lost again and again while they worked on it. "
                    "Do they have enough memory?"
                ) from None
            except (CancelledError, TimeoutError, OSError):  # the connection is lost
                if tries == TRIES:
                    raise ValueError("The connection to the cluster is lost.") from None
                for task in [one for one in left if one.path.exists()]:
                    left.remove(task)
                    yield task

    def _done(self, tasks: Sequence[Task]) -> Iterator[Task]:
        from distributed import as_completed as in_order_of_completion

        futures = {self.client.submit(task.run, key=task.key, pure=False): task for task in tasks}
        try:
            for future in in_order_of_completion(list(futures)):
                future.result()
                yield futures[future]
        finally:
            for future in futures:
                future.release()


@contextmanager
def open_pool(cluster: Any, count: int) -> Iterator[Pool]:
    """Threads, workers of this machine ("local"), or those of a cluster at an address."""
    if cluster is None:
        yield Threads(count)
        return
    try:
        from distributed import Client, LocalCluster
    except ModuleNotFoundError:
        raise ValueError(
            "A cluster needs one more package: pip install 'nacre-boost[dask]'"
        ) from None
    if not isinstance(cluster, str):  # a client
        if not isinstance(cluster, Client) or cluster.asynchronous or cluster.status == "closed":
            raise ValueError(
                "cluster must be an address, 'local', or a distributed.Client that is open and not "
                "asynchronous."
            )
        yield Cluster(cluster)
    elif cluster == "local":
        options: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": None}
        # Its metrics would be at port 8787, which another cluster may have.
        options["scheduler_kwargs"] = {"dashboard_address": "127.0.0.1:0"}
        with LocalCluster(n_workers=count, **options) as made, Client(made) as client:
            yield Cluster(client)
    else:
        try:
            client = Client(cluster, timeout=10)
        except (OSError, TimeoutError, ValueError) as error:
            raise ValueError(f"There is no scheduler at {cluster!r}: {error}") from None
        with client:
            yield Cluster(client)
