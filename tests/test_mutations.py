"""The list of the mutation run names places that are there (the run itself takes half an hour)."""

import importlib.util
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1] / "benchmarks" / "mutations.py"

pytestmark = pytest.mark.skipif(not HOME.exists(), reason="the benchmarks are not beside the tests")


@pytest.fixture(scope="module")
def mutations():
    spec = importlib.util.spec_from_file_location("mutations", HOME)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_mutant_changes_one_place_and_has_tests(mutations):
    mutants = mutations.read_mutants(mutations.LIST.read_text())
    assert len(mutants) >= 150
    assert len({*mutants}) == len(mutants)
    for mutant in mutants:
        text = (mutations.SOURCE / mutant.file).read_text(encoding="utf-8")
        compile(mutations.changed(text, mutant), mutant.file, "exec")
        assert all(Path(test).exists() for test in mutant.tests), mutant.file
    named = {(one.file, one.new) for one in mutants}
    assert {*mutations.EQUIVALENT} <= named


def test_a_list_is_read(mutations):
    text = (
        "a/b.py\n- x = 1\n+ x = 2\n- def f():\n      y\n+ def f():\n      z\n\nc/d.py\n- p\n+ q\n"
    )
    assert mutations.read_mutants(text) == [
        ("a/b.py", "x = 1", "x = 2"),
        ("a/b.py", "def f():\n    y", "def f():\n    z"),
        ("c/d.py", "p", "q"),
    ]
    with pytest.raises(ValueError, match="stands there 0 times"):
        mutations.changed("nothing", mutations.Mutant("a/b.py", "x = 1", "x = 2"))
