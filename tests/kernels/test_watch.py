"""How far compiling is."""

from nacre.kernels.compile import PLAIN, Kernel, compiled
from nacre.kernels.formulas import judge, log_add, search_vote
from nacre.kernels.rounds import run_rounds
from nacre.kernels.stump_search import scan_blocks
from nacre.kernels.watch import called, watch_compiling


@compiled
def third(x):
    return x / 3.0


@compiled
def unused(x):
    return x


@compiled
def ninth(x, y):
    return unused(x) if y is not None else third(third(x))


def test_functions_are_counted_as_they_are_compiled(monkeypatch):
    monkeypatch.setitem(PLAIN, "cache", False)
    fresh, heard = Kernel(ninth.__wrapped__), []
    with watch_compiling(lambda *numbers: heard.append(numbers)):
        assert fresh(9.0, None) == 1.0
        assert fresh(9.0, None) == 1.0  # compiled already
    assert fresh(9, None) == 1.0  # nobody listens any more
    assert heard == [(0, 3), (1, 3), (3, 3)]


def test_what_a_kernel_can_call():
    found = called(run_rounds.__wrapped__)
    for kernel in (run_rounds, scan_blocks, judge, search_vote, log_add):
        assert kernel.__wrapped__ in found
    assert called(third.__wrapped__) == {third.__wrapped__}
