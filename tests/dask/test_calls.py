"""Tasks that are called: their answers, and what happens where there are none."""

import asyncio
import gc
import threading
import time

import dask.array as da
import pytest

import nacre
from nacre.auditing.large.work import open_pool
from nacre.dask import calls, fit
from nacre.dask.calls import Session, serve
from nacre.dask.waves import ClusterWaves, LocalWaves
from tests.dask.test_waves import Add, Stub

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


def tell(name, question):
    if question == name:
        raise OSError("the disk is gone")
    return f"{name} {question}"


def begin(client):
    """Three tasks on two workers."""
    first, second = client.scheduler_info()["workers"]
    places = [first, second, first]
    futures = [
        client.submit(serve, tell, name, pure=False, workers=[place])
        for name, place in zip("abc", places, strict=True)
    ]
    return Session(client, futures, places)


def ended(session):
    """Whether all tasks have ended; they soon have, or not at all."""
    done, waiting = distributed.wait(session.futures, timeout=30)
    left = calls.boxes.keys() & {one.key for one in session.futures}
    return len(done) == 3 and not waiting and not left


def test_a_session_answers_every_question(client, caplog):
    session = begin(client)
    for question in range(5):
        assert session.ask((question,)) == [f"{name} {question}" for name in "abc"]
        assert session.waits
    begun = time.perf_counter()
    session.dismiss()
    assert ended(session)
    assert time.perf_counter() - begun < calls.WAIT
    gc.collect()
    assert not [one for one in caplog.records if one.name == "asyncio"]


def test_after_a_shift_the_tasks_end(client, monkeypatch):
    monkeypatch.setattr(calls, "SHIFT", 0.0)
    session = begin(client)
    assert session.ask((1,)) == ["a 1", "b 1", "c 1"]
    assert not session.waits
    assert ended(session)


def test_tasks_that_nobody_calls_end(client):
    session = begin(client)
    assert session.waits
    assert ended(session)
    assert not session.waits
    assert session.ask((1,)) is None
    assert ended(session)


def test_tasks_that_are_elsewhere_do_not_answer(client):
    session = begin(client)
    session.keys = {home: [f"not {key}" for key in keys] for home, keys in session.keys.items()}
    assert session.ask((1,)) is None


def test_a_worker_that_is_gone_does_not_answer(client):
    session = begin(client)
    session.keys["tcp://127.0.0.1:9"] = session.keys.pop(next(iter(session.keys)))
    assert session.ask((1,)) is None


def test_what_a_task_raises_is_raised(client):
    session = begin(client)
    with pytest.raises(OSError, match="the disk is gone"):
        session.ask(("b",))
    assert ended(session)


def test_calls_that_nobody_hears_leave_nothing(monkeypatch):
    async def call_and_dismiss():
        called = asyncio.ensure_future(calls.hear_call(["nobody"], (1,), False))
        await asyncio.sleep(0.01)
        assert "nobody" in calls.boxes
        await calls.hear_call(["nobody"], None, True)
        return await called

    assert asyncio.run(call_and_dismiss()) == {}
    assert asyncio.run(calls.hear_call(["nobody"], None, True)) == {}
    monkeypatch.setattr(calls, "PATIENCE", 0.01)
    assert asyncio.run(calls.hear_call(["nobody"], (1,), False)) == {}
    assert not calls.boxes


ROWS = [2, 0, 3, 1]


@pytest.fixture
def waves(client):
    made = ClusterWaves(client, lambda: [client.submit(Stub, n, pure=False) for n in ROWS])
    yield made
    made.close()


@pytest.fixture
def local():
    return LocalWaves([Stub(n) for n in ROWS])


def test_a_session_takes_over_from_tasks_of_one_question(waves, local):
    for amount in range(10):
        assert waves.ask(Add(amount)) == local.ask(Add(amount))
        assert waves.session is not None
    session = waves.session
    time.sleep(1.5 * calls.WAIT)  # as a slow callback does
    assert waves.ask(Add(3.0)) == local.ask(Add(3.0))
    assert waves.session is not session


def test_after_a_fit_the_workers_forget_the_partitions(client, waves):
    """Though a traceback may keep the waves."""
    waves.ask(Add(1.0))
    keys = {one.key for one in [*waves.futures, *waves.asked]}
    assert keys <= client.futures.keys()
    waves.close()
    for _ in range(100):
        if not keys & client.futures.keys():
            break
        time.sleep(0.01)
    assert not keys & client.futures.keys()


free = threading.Event()


def take_a_thread():
    free.wait(20.0)


def test_where_threads_are_taken_every_question_has_its_own_tasks(client, waves, local):
    workers = client.scheduler_info()["workers"]
    taken = [client.submit(take_a_thread, workers=[one], pure=False) for one in workers]
    for amount in range(10):
        assert waves.ask(Add(amount)) == local.ask(Add(amount))
    assert not waves.calling
    assert waves.session is None
    assert [one.status for one in taken] == ["pending", "pending"]
    free.set()


def test_clients_that_cannot_be_waited_for_are_refused(client):
    rows, labels = da.ones((4, 2)), da.from_array([0, 1, 0, 1])

    async def fit_asynchronously():
        address = client.scheduler.address
        async with distributed.Client(address, asynchronous=True, set_as_default=False) as own:
            with pytest.raises(ValueError, match="client is asynchronous"):
                fit(nacre.AdaBoostClassifier(), rows, labels, client=own)
            with pytest.raises(ValueError, match="open and not asynchronous"), open_pool(own, 1):
                pass

    asyncio.run(fit_asynchronously())
    closed = distributed.Client(client.scheduler.address, set_as_default=False)
    closed.close()
    with pytest.raises(ValueError, match="client is closed"):
        fit(nacre.AdaBoostClassifier(), rows, labels, client=closed)
    with pytest.raises(TypeError, match=r"must be a distributed\.Client, got str"):
        fit(nacre.AdaBoostClassifier(), rows, labels, client="tcp://there:8786")
