import numpy as np
import pytest

from nacre.data.check import (
    check_choice,
    check_flag,
    check_form,
    check_number,
    check_share,
    check_whole,
)
from nacre.data.seeds import seed_of


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


@pytest.mark.parametrize("bad", [0, -1.0, np.nan, np.inf, 2e6])
def test_numbers_that_are_out_of_range(bad):
    with pytest.raises(ValueError, match="rate must be a number above 0 and at most 1e6, got"):
        check_number(bad, "rate")


@pytest.mark.parametrize("bad", [True, "1", None])
def test_other_things_are_no_numbers(bad):
    with pytest.raises(TypeError, match="rate must be a number above 0 and at most 1e6, got"):
        check_number(bad, "rate")
    with pytest.raises(TypeError, match="rate must be a number from 0 to 1, got"):
        check_share(bad, "rate")


def test_shares():
    for good in (0, 0.5, np.float32(1.0)):
        check_share(good, "rate")
    for bad in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="rate must be a number from 0 to 1, got"):
            check_share(bad, "rate")


def test_flags_and_choices():
    for good in (True, False, np.bool_(True)):
        check_flag(good, "signed")
    for bad in (0, 1, None, "no"):
        with pytest.raises(TypeError, match=f"signed must be True or False, got {bad!r}"):
            check_flag(bad, "signed")
    check_choice(np.int64(2), "version", (1, 2))
    with pytest.raises(ValueError, match="version must be one of 1, 2; got '2'"):
        check_choice("2", "version", (1, 2))


def test_seeds():
    assert seed_of(3) == seed_of(np.random.RandomState(3)) != seed_of(4)
    with pytest.raises(ValueError, match="seed"):
        seed_of("three")


def test_zero_may_be_allowed():
    check_number(0, "rate", zero=True)
    with pytest.raises(ValueError, match="rate must be a number of 0 or more"):
        check_number(-1, "rate", zero=True)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1, 2], "parts must be 1-dimensional, of type int64"),
        (np.array([1.0, 2.0]), "of type int64"),
        (np.array([[1, 2]]), "must be 1-dimensional"),
        (np.array([1, 2, 0]), r"parts has shape \(3,\), which does not fit"),
        (np.array([1, 3]), "parts must be from 0 to below 3"),
        (np.array([-1, 2]), "parts must be from 0 to below 3"),
    ],
)
def test_arrays_must_have_a_form(value, message):
    check_form(np.array([0, 2]), "parts", np.int64, (2,), 0, 3)
    check_form(np.zeros((0, 5)), "parts", np.float64, (None, 5), 0, 1)
    with pytest.raises(ValueError, match=message):
        check_form(value, "parts", np.int64, (2,), 0, 3)


def test_bounds_refuse_what_is_no_number():
    with pytest.raises(ValueError, match="parts must be from 0"):
        check_form(np.array([0.0, np.nan]), "parts", np.float64, (2,), 0)
