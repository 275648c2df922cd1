from concurrent.futures import CancelledError
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.dask.partition import Behind, Partition
from nacre.dask.waves import TRIES, LocalWaves, add_answers, answer, climb, insist, put, root


def bracket(one, other):
    return f"({one} {other})"


@given(st.data())
def test_sums_are_taken_in_one_order_however_partitions_are_grouped(data):
    total = data.draw(st.integers(1, 40))
    groups = data.draw(st.lists(st.integers(0, 5), min_size=total, max_size=total))
    whole = climb({(0, i): str(i) for i in range(total)}, total, bracket)
    parts = {}
    for group in set(groups):
        own = {(0, i): str(i) for i in range(total) if groups[i] == group}
        parts |= climb(own, total, bracket)
    assert root(climb(parts, total, bracket)) == root(whole)


def test_the_order_is_that_of_a_binary_tree():
    found = root(climb({(0, i): str(i) for i in range(5)}, 5, bracket))
    assert found == "(((0 1) (2 3)) 4)"


@pytest.mark.parametrize("total", [1, 2, 37, 64])
def test_few_sums_wait_where_partitions_come_in_their_order(total):
    sums, most = {}, 0
    for i in range(total):
        put(sums, (0, i), str(i), total, bracket)
        most = max(most, len(sums))
    assert most <= total.bit_length()
    assert root(sums) == root(
        climb({(0, i): str(i) for i in reversed(range(total))}, total, bracket)
    )


@dataclass(frozen=True)
class Add:
    """Adds to a running sum."""

    amount: float

    def run(self, rows, state):
        state["sum"] = state.get("sum", 0.0) + self.amount * len(rows)
        state["calls"] = state.get("calls", 0) + 1
        return state["sum"]


class Stub(Partition):
    """A partition of so many rows that nobody looks at."""

    def __init__(self, rows):
        super().__init__(None, np.zeros(rows), *[None] * 5)


def test_partitions_add_up_and_empty_ones_add_nothing():
    waves = LocalWaves([Stub(2), Stub(0), Stub(3)])
    assert waves.ask(Add(1.0)) == 5.0
    assert waves.ask(Add(2.0)) == 15.0


class Held:
    """A sum that counts how many of its kind there are."""

    alive = most = 0

    def __init__(self):
        Held.alive += 1
        Held.most = max(Held.most, Held.alive)

    def __del__(self):
        Held.alive -= 1

    def __add__(self, other):
        return Held()


def test_in_one_process_few_sums_are_held_at_once():
    class Count:
        def run(self, rows, state):
            return Held()

    waves = LocalWaves([Stub(1) for _ in range(64)])
    for _ in range(2):
        waves.ask(Count())
    assert Held.most <= 10
    assert Held.alive == 0


class Unsteady:
    """Raises so many times."""

    def __init__(self, times):
        self.left = times

    def __call__(self):
        self.left -= 1
        if self.left >= 0:
            raise CancelledError("lost")
        return "done"


def test_work_is_done_anew_where_the_connection_was_cut():
    client = SimpleNamespace(status="running")
    assert insist(client, Unsteady(TRIES)) == "done"
    with pytest.raises(ConnectionError, match=r"fit again\. .* \(lost\)"):
        insist(client, Unsteady(TRIES + 1))
    work = Unsteady(1)
    with pytest.raises(ConnectionError, match="The connection to the scheduler was lost"):
        insist(SimpleNamespace(status="closed"), work)
    assert work.left == 0


def test_a_task_that_runs_out_of_time_is_no_lost_connection():
    def read():
        raise TimeoutError("the store is slow")

    with pytest.raises(TimeoutError, match="the store is slow"):
        insist(SimpleNamespace(status="running"), read)


def test_a_partition_answers_again_without_doing_it_twice():
    one = Stub(2)
    assert one.answer(0, [Add(1.0)]) == 2.0
    assert one.answer(0, [Add(1.0)]) == 2.0
    assert one._state["calls"] == 1


def test_a_partition_that_has_forgotten_says_so_and_replays():
    journal = [Add(1.0), Add(2.0), Add(3.0)]
    one = Stub(2)
    assert one.answer(1, journal[1:]) == Behind(0)
    assert one.answer(0, journal) == 12.0
    assert one.answer(3, [Add(1.0)]) == 14.0
    assert one.answer(1, journal[1:]) == Behind(0)  # older than what it knows
    assert one.answer(0, journal) == 12.0


def test_one_that_is_behind_speaks_for_all():
    ahead, behind = Stub(1), Stub(1)
    ahead.answer(0, [Add(1.0)])
    found = answer([ahead, behind], [0, 1], 2, 1, [Add(1.0)])
    assert found == Behind(0)
    assert add_answers(2, [{(0, 0): 1.0}, found]) == Behind(0)


def test_the_number_of_a_partition_that_raises_is_said():
    class Bad:
        def run(self, rows, state):
            raise ValueError("no such thing.")

    with pytest.raises(RuntimeError, match=r"Partition 3: no such thing\."):
        answer([Stub(1)], [3], 4, 0, [Bad()])
