"""The page of misprints names tests that there are."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "explain" / "misprints.md"


def test_the_tests_it_names_are_there():
    named = set(re.findall(r"`(test_\w+)`", PAGE.read_text("utf-8")))
    sources = "".join(path.read_text("utf-8") for path in TESTS.rglob("test_*.py"))
    assert len(named) > 20
    assert named - set(re.findall(r"^def (test_\w+)\(", sources, re.M)) == set()
