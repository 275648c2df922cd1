"""The fast lane: every room has tests there."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ROOMS = sorted(path for path in TESTS.iterdir() if list(path.glob("**/test_*.py")))


def is_slow(node):
    return ast.unparse(node).startswith("pytest.mark.slow")


def quick_tests(source):
    """The names of tests that no mark makes slow, its own or that of the module."""
    body = ast.parse(source).body
    for node in body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            marks = node.value.elts if isinstance(node.value, ast.List) else [node.value]
            if any(map(is_slow, marks)):
                return []
    return [
        node.name
        for node in body
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and not any(map(is_slow, node.decorator_list))
    ]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_every_room_has_quick_tests(room):
    assert any(quick_tests(path.read_text("utf-8")) for path in room.glob("**/test_*.py"))


def test_marks_are_found():
    source = "@pytest.mark.slow\ndef test_a(): pass\ndef test_b(): pass\ndef other(): pass\n"
    assert quick_tests(source) == ["test_b"]
    assert quick_tests("pytestmark = pytest.mark.slow\n" + source) == []
    assert quick_tests("pytestmark = [pytest.mark.skip, pytest.mark.slow]\n" + source) == []
