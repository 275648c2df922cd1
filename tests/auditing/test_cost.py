"""What an audit is said to cost."""

import pytest

from nacre.auditing.cost import COSTS, cost_line, expected_seconds


def test_short_audits_get_no_word():
    assert cost_line(3_000, 20, 2, "full") is None


def test_long_ones_say_how_long_and_what_would_be_shorter():
    said = cost_line(10_000, 5, 1_000, "full")
    assert "10000 rows, 5 columns, 1000 classes" in said
    assert "--effort fast about" in said
    assert "fast" not in cost_line(10_000, 5, 1_000, "fast")


def test_many_columns_are_long_however_few_their_rows():
    """200 rows of 100 000 columns were said to take a minute, and took four."""
    assert "this takes about 3.1 min of processor time" in cost_line(200, 100_000, 2, "fast")


@pytest.mark.parametrize("effort", COSTS)
def test_more_of_anything_costs_more(effort):
    least = expected_seconds(1_000, 10, 3, effort)
    for more in ((2_000, 10, 3), (1_000, 20, 3), (1_000, 10, 6)):
        assert expected_seconds(*more, effort) > least
    assert expected_seconds(1_000, 10, 3, "full") > expected_seconds(1_000, 10, 3, "fast")
