"""Boosting on a Dask cluster of two local processes, beside LightGBM and XGBoost.

Rows are generated on the workers. For each size: seconds of 100 rounds by the clock with one and
with two workers, processor seconds of all processes, milliseconds a round that are not computing (a
fit to hardly any rows), and the memory of the largest worker at its peak, its rows included.
Everyone has bins made anew, one thread a worker. Both clusters are up at the same time and take
turns, as contenders do: what else the machine does meets all of them. Of repeats the least counts.

One worker computes on one core, while scheduler and client have the other to themselves; two
workers share theirs with them. So one worker is also measured with everything on one core ("one
core"), and "ratio of cores" is what a second worker and its core bring.

The bound is what two workers could gain: two clusters of one worker each, which know nothing of
each other, fit half of the rows at the same time.

Run: python benchmarks/cluster.py [--rows 5000000 20000000] [--columns 30] [--rounds 100]
     [--what stumps trees] [--who nacre LightGBM XGBoost] [--repeats 3]
"""

import argparse
import os
import threading
import time
import warnings
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from operator import itemgetter
from typing import NamedTuple

import dask.array as da
import numpy as np
import psutil
from contenders import print_table
from distributed import Client, LocalCluster, wait
from sklearn.base import clone

from nacre import AdaBoostClassifier, GradientBoostClassifier, Tree
from nacre.dask import fit

CHUNK = 500_000

WHAT = {"stumps": True, "trees": False}

HOW = {"one core": (1, 1), "1 worker": (1, 2), "2 workers": (2, 2)}
"""Workers, and the cores that everything has."""


def generate(seed, rows, columns):
    """Two classes, told apart by a noisy sum of some columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)).astype(np.float32)
    y = (X[:, :5].sum(axis=1) + X[:, 5] * X[:, 6] + 2 * rng.normal(size=rows)) > 0
    return X, y.astype(np.int64)


def make(client, rows, columns):
    """Rows on the workers, as many on each."""
    workers = sorted(client.scheduler_info()["workers"])
    chunk = min(CHUNK, rows // len(workers))
    count = rows // chunk
    places = [[workers[i * len(workers) // count]] for i in range(count)]
    made = [
        client.submit(generate, i, chunk, columns, workers=place, pure=False)
        for i, place in enumerate(places)
    ]
    parts = [[client.submit(itemgetter(k), one) for one in made] for k in range(2)]
    with client.as_current():
        wait(parts)
    X, y = (
        [da.from_delayed(one, (chunk, *rest), kind) for one in some]
        for some, rest, kind in zip(parts, [[columns], []], [np.float32, np.int64], strict=True)
    )
    return da.concatenate(X), da.concatenate(y)


def contenders(rounds, stumps):
    """Everyone's way to fit so many rounds of stumps, or of trees with eight leaves."""
    ways = {}
    if stumps:
        ways["nacre"] = lambda X, y, client=None: fit(
            AdaBoostClassifier(n_estimators=rounds), X, y, client=client
        )
    else:
        tree = Tree(None, max_leaves=8)
        model = GradientBoostClassifier(tree, n_estimators=rounds, learning_rate=0.1)
        ways["nacre"] = lambda X, y, client=None: fit(clone(model), X, y, client=client)
    try:
        from lightgbm.dask import DaskLGBMClassifier

        leaves = 2 if stumps else 8
        ways["LightGBM"] = lambda X, y: DaskLGBMClassifier(
            n_estimators=rounds, num_leaves=leaves, n_jobs=1, verbose=-1
        ).fit(X, y)
    except ImportError:
        pass
    try:
        from xgboost.dask import DaskXGBClassifier

        limits = {"max_depth": 1} if stumps else {"max_leaves": 8, "grow_policy": "lossguide"}
        ways["XGBoost"] = lambda X, y: DaskXGBClassifier(
            n_estimators=rounds, tree_method="hist", n_jobs=1, **limits
        ).fit(X, y)
    except ImportError:
        pass
    return ways


class Largest:
    """Follows how many bytes the worker takes that takes most."""

    def __init__(self, client):
        pids = client.run(os.getpid).values()
        self.workers = [psutil.Process(pid) for pid in pids]
        self.most, self.over = self._now(), False
        self.thread = threading.Thread(target=self._follow, daemon=True)
        self.thread.start()

    def _now(self):
        return max(worker.memory_info().rss for worker in self.workers)

    def _follow(self):
        while not self.over:
            self.most = max(self.most, self._now())
            time.sleep(0.1)

    def end(self):
        """The most so far, in GiB."""
        self.over = True
        self.thread.join()
        return self.most / 2**30


def processor(client):
    """Processor seconds of all workers and of this process."""
    used = client.run(lambda: sum(psutil.Process().cpu_times()[:2]))
    return sum(used.values()) + sum(psutil.Process().cpu_times()[:2])


def timed(way, X, y):
    begun = time.perf_counter()
    way(X, y)
    return time.perf_counter() - begun


@contextmanager
def clients(sizes):
    """A client of a local cluster for each number of workers, one thread a worker."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                Client(
                    stack.enter_context(
                        LocalCluster(
                            n_workers=size, threads_per_worker=1, dashboard_address=None,
                            memory_limit=0,
                        )
                    ),
                    set_as_default=False,
                )
            )
            for size in sizes
        ]  # fmt: skip


@contextmanager
def cores(count):
    """Have this process, with client and schedulers, and all workers run on so many cores."""
    all_cores = os.sched_getaffinity(0)
    hold(sorted(all_cores)[:count])
    try:
        yield
    finally:
        hold(all_cores)


def hold(some):
    """Have all threads of this process and of its children run on some cores."""
    own = psutil.Process()
    for process in (own, *own.children(recursive=True)):
        for thread in process.threads():
            with suppress(ProcessLookupError):
                os.sched_setaffinity(thread.id, some)


class Figures(NamedTuple):
    """Of one fit: seconds by the clock and of processors, GiB of the largest worker."""

    seconds: float
    processor: float
    memory: float


def measure(way, client, X, y):
    """Figures of a fit; one that fails is named, and has no seconds."""
    before, memory = processor(client), Largest(client)
    try:
        with client.as_current():
            seconds = timed(way, X, y)
    except Exception as error:
        print(repr(error)[:200])
        seconds = float("nan")
    return Figures(seconds, processor(client) - before, memory.end())


def compare(rows, columns, rounds, stumps, who, repeats):
    """A line for each contender."""
    ways = contenders(rounds, stumps)
    ways = {name: ways[name] for name in who if name in ways}
    runs = defaultdict(list)
    with clients((1, 2)) as both:
        idle = {}
        for workers, client in enumerate(both, 1):
            tiny = make(client, 20_000 * workers, columns)
            for name, way in ways.items():
                with client.as_current():
                    way(*tiny)  # compile, and load what is loaded late
                    idle[name] = timed(way, *tiny)  # with two workers, in the end
        tables = [make(client, rows, columns) for client in both]
        for _ in range(repeats):
            for name, way in ways.items():
                for how, (workers, count) in HOW.items():
                    with cores(count):
                        found = measure(way, both[workers - 1], *tables[workers - 1])
                    runs[name, how].append(found)
                    print(rows, how, name, found, flush=True)
    lines = []
    for name in ways:
        core, one, two = (min(runs[name, how]) for how in HOW)
        memory = max(each.memory for each in runs[name, "2 workers"])
        lines.append([
            f"{rows:,}", name, *(f"{each.seconds:.1f} s" for each in (core, one, two)),
            f"{one.seconds / two.seconds:.2f}", f"{core.seconds / two.seconds:.2f}",
            f"{one.processor:.0f}, {two.processor:.0f}", f"{1000 * idle[name] / rounds:.0f}",
            f"{memory:.2f}",
        ])  # fmt: skip
    return lines


def bound(rows, columns, rounds, stumps, repeats):
    """How much sooner two workers would be done if they had nothing to tell each other."""
    way = contenders(rounds, stumps)["nacre"]
    alone, beside = [], []
    with clients((1, 1, 1)) as (whole, *halves), ThreadPoolExecutor(2) as pool:
        table = make(whole, rows, columns)
        parts = [make(client, rows // 2, columns) for client in halves]

        def fit_half(client, part):
            return timed(lambda X, y: way(X, y, client), *part)

        for _ in range(repeats + 1):  # the first compiles
            alone.append(timed(lambda X, y: way(X, y, whole), *table))
            beside.append(max(pool.map(fit_half, halves, parts)))
    return min(alone[1:]) / min(beside[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[5_000_000, 20_000_000])
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--what", nargs="+", choices=WHAT, default=list(WHAT))
    parser.add_argument("--who", nargs="+", default=["nacre", "LightGBM", "XGBoost"])
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    head = [
        "rows", "", *HOW, "ratio", "ratio of cores", "processor s, 1 and 2",
        "ms a round at rest", "GiB a worker",
    ]  # fmt: skip
    for what in args.what:
        told = args.columns, args.rounds, WHAT[what]
        lines = [
            line for rows in args.rows for line in compare(rows, *told, args.who, args.repeats)
        ]
        print_table(f"{args.rounds} rounds of {what}, {args.columns} columns", head, lines)
        for rows in args.rows:
            print(f"bound, {rows:,} rows of {what}: {bound(rows, *told, args.repeats):.2f}")


if __name__ == "__main__":
    main()
