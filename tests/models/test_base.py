"""What all boosters share."""

import os

from nacre.models.base import workers


def test_threads_are_counted_down_from_all_cores(monkeypatch):
    """As joblib counts them: -1 is all, -2 all but one."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert [workers(n) for n in (None, 1, 3, -1, -2, -8, -20)] == [1, 1, 3, 8, 7, 1, 1]
