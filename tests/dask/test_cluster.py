"""On a cluster: the same bits for any number of workers, and whatever happens to them."""

import os
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Timer
from types import SimpleNamespace

import dask.array as da
import numpy as np
import pytest
from sklearn.base import clone

import dask
import nacre
from nacre import Tree
from nacre.dask import calls, fit, predict, waves
from tests.dask.wire import Wire
from tests.training import noisy_problem

distributed = pytest.importorskip("distributed")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(120),
    pytest.mark.filterwarnings("ignore"),  # Dask's own, of ports and of slow machines
]
ROUNDS = 100


@pytest.fixture(scope="module")
def data():
    training = noisy_problem(1500, 10, gaps=0.05)
    return training.X, training.y


def parted(data):
    X, y = data
    return da.from_array(X, (220, 10)), da.from_array(y, 220)


@pytest.fixture(scope="module")
def alone(data):
    """What comes out without a cluster."""
    return fit(nacre.AdaBoostClassifier(n_estimators=ROUNDS), *parted(data))


def trees():
    return nacre.GradientBoostClassifier(Tree(None, max_leaves=4), n_estimators=5)


@pytest.fixture(scope="module")
def trees_alone(data):
    return fit(trees(), *parted(data))


@pytest.fixture
def cluster():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"processes": True, "threads_per_worker": 1, "dashboard_address": None}
        with (
            distributed.LocalCluster(n_workers=2, **options) as made,
            distributed.Client(made) as client,
        ):
            yield made, client


def same_bits(one, other):
    return one.estimator_weights_.tobytes() == other.estimator_weights_.tobytes()


def same_scores(one, other, data):
    """Of gradient boosters, whose votes are all the same."""
    return one.decision_function(data[0]).tobytes() == other.decision_function(data[0]).tobytes()


class Once:
    """Does something once, at a round."""

    def __init__(self, done, action):
        self.done, self.action, self.over = done, action, False

    def __call__(self, event):
        if event.what == "round" and event.done >= self.done and not self.over:
            self.over = True
            self.action()


def test_whatever_happens_to_workers_the_bits_are_the_same(cluster, data, alone):
    made, client = cluster
    args = parted(data)
    model = nacre.AdaBoostClassifier(n_estimators=ROUNDS)
    assert same_bits(fit(model, *args), alone)
    pids = client.run(os.getpid)
    killed = Once(30, lambda: os.kill(next(iter(pids.values())), signal.SIGKILL))
    assert same_bits(fit(model, *args, progress=killed), alone)
    assert killed.over
    joined = Once(20, lambda: made.scale(3))
    assert same_bits(fit(model, *args, client=client, progress=joined), alone)
    client.wait_for_workers(3, timeout=60)
    assert same_bits(fit(model, *args), alone)

    def retire():
        first, *_ = client.scheduler_info()["workers"]
        client.retire_workers([first])

    retired = Once(30, retire)
    assert same_bits(fit(model, *args, progress=retired), alone)
    np.testing.assert_array_equal(predict(model, args[0]).compute(), alone.predict(data[0]))


def test_two_fits_at_the_same_time(cluster, data, alone):
    args = parted(data)
    slow = nacre.AdaBoostClassifier(n_estimators=ROUNDS, learning_rate=0.3)
    slow_alone = fit(clone(slow), *args)
    both = Barrier(2, timeout=30)

    def meet(event):
        if event.what == "round" and event.done <= 3:
            both.wait()

    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(lambda model: fit(model, *args, progress=meet), [clone(alone), slow])
    assert same_bits(one, alone)
    assert same_bits(other, slow_alone)


def test_trees_and_a_partition_that_raises(cluster, data, trees_alone):
    made, client = cluster
    X, y = parted(data)
    model = trees()
    fit(model, X, y, client=client)
    assert same_scores(model, trees_alone, data)

    def broken(block, block_info=None):
        if block_info and block_info[0]["chunk-location"][0] == 2:
            raise OSError("the disk is gone")
        return block

    with pytest.raises(OSError, match="the disk is gone"):
        fit(model, X.map_blocks(broken, dtype=float), y)
    made.scale(1)
    assert same_scores(fit(trees(), X, y), trees_alone, data)


def test_a_client_that_is_not_the_one_in_use(data, alone):
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as made,
        distributed.Client(made, set_as_default=False) as client,
    ):
        model = fit(nacre.AdaBoostClassifier(n_estimators=ROUNDS), *parted(data), client=client)
    assert same_bits(model, alone)


def test_a_connection_that_is_cut_for_a_second(cluster, data, alone):
    made, _ = cluster
    wire = Wire(made.scheduler_address)
    with distributed.Client(wire.address) as client:
        cut = Once(30, lambda: wire.cut(1.0))
        model = nacre.AdaBoostClassifier(n_estimators=ROUNDS)
        assert same_bits(fit(model, *parted(data), client=client, progress=cut), alone)
        assert cut.over
        kept = [one.persist() for one in parted(data)]  # which may be lost with the connection
        again = Once(30, lambda: wire.cut(1.0))
        error = None
        try:
            fit(model, *kept, client=client, progress=again)
        except ConnectionError as raised:
            error = str(raised)
        assert again.over
        lost = "The connection to the scheduler was lost"
        assert same_bits(model, alone) if error is None else lost in error
    wire.close()


def read_slowly(block):
    time.sleep(0.1)
    return block


@pytest.mark.parametrize("stage", ["Reading the columns", "Binning the rows"])
def test_a_connection_that_is_cut_before_the_first_round(data, alone, stage):
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "protocol": "tcp"}
    with distributed.LocalCluster(**options, dashboard_address=None) as made:
        wire = Wire(made.scheduler_address)
        timer = Timer(0.3, lambda: wire.cut(0.5))
        X, y = parted(data)
        X = X.map_blocks(read_slowly, dtype=float)
        model = nacre.AdaBoostClassifier(n_estimators=ROUNDS)
        with distributed.Client(wire.address) as client:
            fit(model, X, y, client=client, progress=lambda e: e.what == stage and timer.start())
        wire.close()
    assert timer.finished.is_set()
    assert same_bits(model, alone)


@pytest.fixture
def workers_without_nannies():
    """A cluster whose workers nobody starts anew."""
    started = []
    with (
        dask.config.set({"distributed.scheduler.worker-ttl": "1s"}),  # Dask makes 5 s of it
        distributed.LocalCluster(n_workers=0, dashboard_address=None) as made,
        distributed.Client(made) as client,
    ):
        program = [sys.executable, "-m", "distributed.cli.dask_worker", made.scheduler_address]
        options = ["--no-nanny", "--nthreads", "1", "--no-dashboard"]
        try:
            for _ in range(2):
                started.append(subprocess.Popen([*program, *options], stderr=subprocess.DEVNULL))
            client.wait_for_workers(2, timeout=60)
            yield started, client
        finally:
            for one in started:
                one.kill()
                one.wait()


@pytest.mark.parametrize("asked", ["in a session", "in tasks", "when a task is done"])
def test_a_worker_that_is_frozen_is_given_up(
    workers_without_nannies, data, alone, monkeypatch, asked
):
    (worker, _), client = workers_without_nannies
    frozen = Once(30, lambda: os.kill(worker.pid, signal.SIGSTOP))
    monkeypatch.setattr(calls, "SILENCE", 1.0)
    if asked != "in a session":
        monkeypatch.setattr(waves, "CALLED", 0)
    progress = frozen
    if asked == "when a task is done":
        gather, progress = client.gather, Once(30, lambda: None)

        def freeze_and_gather(futures, **options):
            if progress.over:
                frozen(SimpleNamespace(what="round", done=30))
            return gather(futures, **options)

        monkeypatch.setattr(client, "gather", freeze_and_gather)
    model = nacre.AdaBoostClassifier(n_estimators=ROUNDS)
    assert same_bits(fit(model, *parted(data), client=client, progress=progress), alone)
    assert frozen.over


def test_a_fit_in_a_task_leaves_its_thread_to_others(data, alone):
    def fit_in_a_task():
        return fit(nacre.AdaBoostClassifier(n_estimators=ROUNDS), *parted(data))

    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as made, distributed.Client(made) as client:
        assert same_bits(client.submit(fit_in_a_task).result(timeout=60), alone)
