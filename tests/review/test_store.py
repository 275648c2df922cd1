"""Decisions on disk."""

import sqlite3
import subprocess
import sys

import pytest

from nacre.review.store import Choice, Conflict, Store

FACTS = {"version": "1"}


def choice(row, verdict="change", label="b", kind="suspect"):
    label = label if verdict in ("keep", "change") else None
    return Choice(row, verdict, label, "a", "b", 0.9, kind)


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "review.sqlite", FACTS)
    yield made
    made.close()


def verdicts(store):
    found = {}
    for one in store.after(0):
        found[one.row] = one.verdict
    return found


def test_decisions_are_numbered_and_come_back(store):
    (first,) = store.add([choice(5)], "Ann", 0)
    (second,) = store.add([choice(6, "keep", "a")], "Ben", 0)
    assert (first.id, second.id) == (1, 2)
    again = Store(store.path, FACTS)
    assert again.after(0) == [first, second]
    assert again.after(1) == [second]
    assert first.at.endswith("+00:00")
    again.close()


def test_a_later_decision_is_a_conflict_unless_it_was_seen(store):
    (first,) = store.add([choice(5)], "Ann", 0)
    with pytest.raises(Conflict) as conflict:
        store.add([choice(5, "keep", "a")], "Ben", 0)
    assert conflict.value.decision == first
    (second,) = store.add([choice(5, "keep", "a")], "Ben", first.id)
    assert store.after(0) == [first, second]
    store.add([choice(6)], "Ben", 0)


def test_of_decisions_made_together_all_or_none_are_written(store):
    store.add([choice(7)], "Ann", 0)
    with pytest.raises(Conflict):
        store.add([choice(row) for row in (6, 7, 8)], "Ben", 0)
    assert verdicts(store) == {7: "change"}
    made = store.add([choice(row) for row in (6, 8)], "Ben", 1)
    assert [one.batch for one in made] == [2, 2]


def test_undo_goes_back_step_by_step(store):
    store.add([choice(5)], "Ann", 0)
    store.add([choice(5, "keep", "a")], "Ann", 1)
    store.add([choice(6, "unsure")], "Ann", 0)
    (undone,) = store.undo("Ann")
    assert (undone.row, undone.verdict, undone.undoes) == (6, "open", 3)
    (undone,) = store.undo("Ann")
    assert (undone.row, undone.verdict, undone.label) == (5, "change", "b")
    assert store.undo("Ann")[0].verdict == "open"
    assert store.undo("Ann") == []
    assert verdicts(store) == {5: "open", 6: "open"}
    store.add([choice(5)], "Ann", 99)
    assert store.undo("Ann")[0].verdict == "open"


def test_undo_is_of_ones_own_decisions_and_of_all_made_together(store):
    store.add([choice(row) for row in range(4)], "Ann", 0)
    store.add([choice(9)], "Ben", 0)
    assert len(store.undo("Ann")) == 4
    assert verdicts(store) == {0: "open", 1: "open", 2: "open", 3: "open", 9: "change"}
    assert store.undo("Cho") == []


def test_undo_leaves_alone_what_others_decided_since(store):
    store.add([choice(1), choice(2)], "Ann", 0)
    store.add([choice(2, "keep", "a")], "Ben", 99)
    assert [one.row for one in store.undo("Ann")] == [1]
    store.add([choice(3)], "Ann", 0)
    store.add([choice(3, "keep", "a")], "Ben", 99)
    with pytest.raises(Conflict, match="Ben"):
        store.undo("Ann")


def test_what_another_has_taken_back_does_not_stand_in_the_way(store):
    store.add([choice(1)], "Ann", 0)
    store.add([choice(1, "keep", "a")], "Ben", 1)
    assert store.undo("Ben")[0].label == "b"
    assert store.undo("Ann")[0].verdict == "open"
    assert store.undo("Ann") == store.undo("Ben") == []


@pytest.mark.parametrize("statement", ["UPDATE decisions SET who = 'x'", "DELETE FROM decisions"])
def test_nothing_can_be_changed(store, statement):
    store.add([choice(5)], "Ann", 0)
    base = sqlite3.connect(store.path)
    with pytest.raises(sqlite3.IntegrityError, match="appended, never changed"):
        base.execute(statement)
    base.close()


def test_a_commit_is_on_the_disk(store):
    assert store._base.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store._base.execute("PRAGMA synchronous").fetchone() == (2,)


def test_another_file_is_refused(tmp_path):
    (tmp_path / "review.sqlite").write_text("no data base " * 100)
    with pytest.raises(ValueError, match="cannot be used"):
        Store(tmp_path / "review.sqlite", FACTS)


BURST = """
import sys
from pathlib import Path
from nacre.review.store import Choice, Store
store = Store(Path(sys.argv[1]), {})
for row in range(100_000):
    store.add([Choice(row, "change", "b", "a", "b", 0.9, "suspect")], "Ann", 0)
    print(row, flush=True)
"""


def test_what_was_acknowledged_survives_a_kill(tmp_path):
    path = tmp_path / "review.sqlite"
    run = subprocess.Popen(
        [sys.executable, "-c", BURST, str(path)], stdout=subprocess.PIPE, text=True
    )
    for _ in range(50):
        run.stdout.readline()
    run.kill()
    told = run.stdout.read().split()
    run.wait()
    run.stdout.close()
    store = Store(path, {})
    kept = {one.row for one in store.after(0)}
    store.close()
    assert kept >= {*range(50), *map(int, told)}
    assert len(kept) <= 51 + len(told)
