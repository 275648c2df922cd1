"""Boosting on a Dask cluster of two local processes, beside LightGBM and XGBoost.

Rows are generated on the workers. For each size: seconds of 100 rounds by the clock with one and
with two workers, processor seconds of all processes, milliseconds a round that are not computing (a
fit to hardly any rows), and the memory of the largest worker at its peak, its rows included.
Everyone has bins made anew, one thread a worker, interleaved.

Run: python benchmarks/cluster.py [--rows 5000000 20000000] [--columns 30] [--rounds 100]
     [--what stumps trees] [--workers 1 2] [--who nacre LightGBM XGBoost]
"""

import argparse
import os
import threading
import time
import warnings
from operator import itemgetter

import dask.array as da
import numpy as np
import psutil
from contenders import print_table
from distributed import Client, LocalCluster, wait

from nacre import AdaBoostClassifier, GradientBoostClassifier, Tree
from nacre.dask import fit

CHUNK = 500_000

WHAT = {"stumps": True, "trees": False}


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
        ways["nacre"] = lambda X, y: fit(AdaBoostClassifier(n_estimators=rounds), X, y)
    else:
        tree = Tree(None, max_leaves=8)
        ways["nacre"] = lambda X, y: fit(
            GradientBoostClassifier(tree, n_estimators=rounds, learning_rate=0.1), X, y
        )
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[5_000_000, 20_000_000])
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--what", nargs="+", choices=WHAT, default=list(WHAT))
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--who", nargs="+", default=["nacre", "LightGBM", "XGBoost"])
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    for stumps in (WHAT[one] for one in args.what):
        lines = {}
        for rows in args.rows:
            for workers in args.workers:
                with (
                    LocalCluster(
                        n_workers=workers, threads_per_worker=1, dashboard_address=None,
                        memory_limit=0,
                    ) as cluster,
                    Client(cluster) as client,
                ):  # fmt: skip
                    ways = contenders(args.rounds, stumps)
                    ways = {name: ways[name] for name in args.who if name in ways}
                    tiny = make(client, 20_000 * workers, args.columns)
                    for way in ways.values():  # compile, and load what is loaded late
                        way(*tiny)
                    idle = {name: timed(way, *tiny) for name, way in ways.items()}
                    X, y = make(client, rows, args.columns)
                    for name, way in ways.items():
                        before, memory = processor(client), Largest(client)
                        try:
                            seconds = timed(way, X, y)
                        except Exception as error:
                            print(f"{name}, {rows} rows, {workers} workers: {error!r}"[:200])
                            seconds = float("nan")
                        lines.setdefault((rows, name), []).append(
                            (
                                seconds, processor(client) - before, idle[name], memory.end(),
                            )
                        )  # fmt: skip
                        print(
                            rows,
                            workers,
                            name,
                            [f"{x:.2f}" for x in lines[rows, name][-1]],
                            flush=True,
                        )
        if len(args.workers) < 2:
            continue
        what = "stumps" if stumps else "trees of eight leaves"
        head = [
            "rows", "", "1 worker", "2 workers", "ratio", "processor s, 1 and 2",
            "ms a round at rest", "GiB a worker",
        ]  # fmt: skip
        body = [
            [
                f"{rows:,}", name, f"{one:.1f} s", f"{two:.1f} s", f"{one / two:.2f}",
                f"{used:.0f}, {both:.0f}", f"{1000 * rest / args.rounds:.0f}", f"{memory:.2f}",
            ]
            for (rows, name), ((one, used, *_), (two, both, rest, memory)) in lines.items()
        ]  # fmt: skip
        print_table(f"{args.rounds} rounds of {what}, {args.columns} columns", head, body)


if __name__ == "__main__":
    main()
