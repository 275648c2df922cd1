import numpy as np
import pytest

from nacre.table.check import check_number, check_whole


@pytest.mark.parametrize("good", [1, 7, np.int32(3)])
def test_whole_numbers(good):
    check_whole(good, "rounds", 1)


@pytest.mark.parametrize(
    ("bad", "error", "words"),
    [
        (0, ValueError, "rounds must be at least 1, got 0"),
        (2.0, TypeError, "rounds must be a whole number, got 2.0"),
        (True, TypeError, "rounds must be a whole number"),
        ("3", TypeError, "rounds must be a whole number"),
    ],
)
def test_other_things_are_not_whole(bad, error, words):
    with pytest.raises(error, match=words):
        check_whole(bad, "rounds", 1)


@pytest.mark.parametrize("good", [1e-300, 1, np.float32(2.5), 1e6])
def test_numbers(good):
    check_number(good, "rate")


@pytest.mark.parametrize("bad", [0, -1.0, np.nan, np.inf, 2e6, True, "1", None])
def test_other_things_are_no_numbers(bad):
    with pytest.raises(ValueError, match="rate must be a number above 0 and at most 1e6, got"):
        check_number(bad, "rate")


def test_zero_may_be_allowed():
    check_number(0, "rate", zero=True)
    with pytest.raises(ValueError, match="rate must be a number of 0 or more"):
        check_number(-1, "rate", zero=True)
