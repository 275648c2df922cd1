"""Results come straight from the workers, and as ever where they do not."""

import asyncio
import gc
import time

import numpy as np
import pytest

from nacre.dask import collect as collecting
from nacre.dask.collect import collect, ringing

distributed = pytest.importorskip("distributed")

pytestmark = [pytest.mark.timeout(60), pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 2, "dashboard_address": None}
    with (
        distributed.LocalCluster(processes=False, **options) as made,
        distributed.Client(made) as client,
    ):
        yield client


def slowly(seconds, result):
    time.sleep(seconds)
    if result is None:
        raise OSError("the disk is gone")
    return result


def asked(client, pauses, results, swapped=False):
    """Three tasks on two workers, and where they are said to be."""
    first, second = client.scheduler_info()["workers"]
    places = [first, second, first]
    futures = [
        client.submit(ringing, slowly, pause, result, pure=False, workers=[place])
        for place, pause, result in zip(places, pauses, results, strict=True)
    ]
    said = {second: first, first: second} if swapped else {first: first, second: second}
    homes = {}
    for place, future in zip(places, futures, strict=True):
        homes.setdefault(said[place], []).append(future.key)
    return futures, homes


@pytest.fixture
def no_gather(client, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("gathered")

    monkeypatch.setattr(client, "gather", refuse)


@pytest.mark.parametrize("pauses", [[0.0, 0.0, 0.0], [0.3, 0.2, 0.1], [0.0, 0.3, 0.0]])
def test_answers_come_without_being_gathered(client, no_gather, monkeypatch, caplog, pauses):
    monkeypatch.setattr(distributed.Future, "exception", lambda future: asyncio.sleep(60))
    futures, homes = asked(client, pauses, ["a", "b", "c"])
    assert collect(client, futures, homes) == ["a", "b", "c"]
    assert not collecting.bells
    gc.collect()
    assert not [one for one in caplog.records if one.name == "asyncio"]


def test_tasks_that_are_elsewhere_are_gathered(client):
    futures, homes = asked(client, [0.0, 0.1, 0.0], ["a", "b", "c"], swapped=True)
    begun = time.perf_counter()
    assert collect(client, futures, homes) == ["a", "b", "c"]
    assert time.perf_counter() - begun < collecting.PATIENCE


def test_large_results_are_gathered(client):
    large = np.zeros(collecting.SMALL)
    futures, homes = asked(client, [0.0, 0.1, 0.0], [large, "b", "c"])
    found = collect(client, futures, homes)
    np.testing.assert_array_equal(found[0], large)
    assert found[1:] == ["b", "c"]


def test_a_worker_that_is_gone_is_not_waited_for(client):
    futures, homes = asked(client, [0.0, 0.1, 0.0], ["a", "b", "c"])
    homes["tcp://127.0.0.1:9"] = homes.pop(next(iter(homes)))
    assert collect(client, futures, homes) == ["a", "b", "c"]


def test_what_a_task_raises_is_raised(client):
    futures, homes = asked(client, [0.0, 0.1, 0.0], ["a", None, "c"])
    with pytest.raises(OSError, match="the disk is gone"):
        collect(client, futures, homes)
