import datetime
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from nacre.io.dates import MINUTES, PATTERNS, find_dates, find_times, read_dates, read_times

nan = np.nan


def words(*texts):
    return pa.array(texts, pa.large_string())


def found(*texts, **options):
    """Days since 1970, the patterns and what was in doubt."""
    patterns, doubt = find_dates(words(*texts), np.ones(len(texts)), **options)
    return read_dates(words(*texts), patterns), patterns, doubt


def day(*date):
    return (datetime.date(*date) - datetime.date(1970, 1, 1)).days


@pytest.mark.parametrize("pattern", PATTERNS)
@given(st.lists(st.dates(datetime.date(1970, 1, 1), datetime.date(2068, 12, 31)), min_size=1))
def test_dates_come_back(pattern, values):
    values = [one.replace(day=1) if "%d" not in pattern else one for one in values]
    texts = words(*(one.strftime(pattern) for one in values))
    expected = [day(one.year, one.month, one.day) for one in values]
    assert_allclose(read_dates(texts, (pattern,)), expected, rtol=0)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize(
    "text", ["soon", "31.02.2020", "13/13/2020", "2020", "2020-13-01", "1 Foo 2020", "May be", ""]
)
def test_what_is_no_date(pattern, text):
    assert np.isnan(read_dates(words(text), (pattern,)))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("17 Jan 2023", day(2023, 1, 17)),
        ("17. März 2023", day(2023, 3, 17)),
        ("3 févr. 2023", day(2023, 2, 3)),
        ("1st May 2020", day(2020, 5, 1)),
        ("Jan 17, 2023", day(2023, 1, 17)),
        ("January 17 2023 3:08 PM", day(2023, 1, 17) + (15 + 8 / 60) / 24),
        ("Tue, 17 Jan 2023 15:08:30", day(2023, 1, 17) + (15 + 8 / 60 + 30 / 3600) / 24),
        ("17-Jan-2023", day(2023, 1, 17)),
        ("17-Dec-69", day(1969, 12, 17)),
        ("17.01.68", day(2068, 1, 17)),
        ("17. 1. 2023", day(2023, 1, 17)),
        ("2023-01-17T12:00:00Z", day(2023, 1, 17) + 0.5),
        ("2023-01-17 12:00:00.5+02:00", day(2023, 1, 17) + (10 + 0.5 / 3600) / 24),
        ("2023-01-17T23:00-0500", day(2023, 1, 18) + 4 / 24),
        ("2023.01.17", day(2023, 1, 17)),
        ("Oct 2023", day(2023, 10, 1)),
        ("29.02.2024", day(2024, 2, 29)),
        ("1/13/2023, 1:00:00\u202fPM", day(2023, 1, 13) + 13 / 24),
        ("2023-01-01 06:00:00 EST", day(2023, 1, 1) + 0.25),
        ("1/13/2023 6:00 PM CEST", day(2023, 1, 13) + 0.75),
        ("2010-02", day(2010, 2, 1)),
        ("02/2010", day(2010, 2, 1)),
        ("20230102T001500Z", day(2023, 1, 2) + 0.25 / 24),
        ("20230102T0015+0100", day(2023, 1, 2) - 0.75 / 24),
        ("17/Jan/2023:15:08:30 +0100", day(2023, 1, 17) + (14 + 8 / 60 + 30 / 3600) / 24),
        ("17JAN2023:06:00:00", day(2023, 1, 17) + 0.25),
        ("2023/01/17 3:00:00 PM GMT+1", day(2023, 1, 17) + 14 / 24),
        ("2023/01/17 3:00:00 AM GMT-3:30", day(2023, 1, 17) + 6.5 / 24),
        ("Tue Jan 17 2023 12:00:00 GMT+0100 (CET)", day(2023, 1, 17) + 11 / 24),
        ("Tue Jan 17 12:00:00 2023", day(2023, 1, 17) + 0.5),
        ("Tue Jan  7 12:00:00 +0000 2023", day(2023, 1, 7) + 0.5),
        ("17 de enero de 2023", day(2023, 1, 17)),
        ("17.01.2023 06:00 Uhr", day(2023, 1, 17) + 0.25),
        ("17/01/2023 18.00.00", day(2023, 1, 17) + 0.75),
        ("17-JAN-23 06.00.00.000000000 PM", day(2023, 1, 17) + 0.75),
        ("31-01-51", day(2051, 1, 31)),
        ("01-31-51", day(2051, 1, 31)),
    ],
)
def test_forms(text, days):
    assert_allclose(found(text)[0], [days], rtol=1e-12)


@pytest.mark.parametrize(
    ("texts", "patterns", "says"),
    [
        (["1/31/2020", "2/1/2020"], ("%m/%d/%Y",), "^$"),
        (["31/1/2020", "2/1/2020"], ("%d/%m/%Y",), "^$"),
        (["1/2/2020", "2/1/2020"], ("%m/%d/%Y",), "in '1/2/2020' the month .* nothing tells"),
        (["31/1/2020", "30/1/2020", "1/31/2020", "2/1/2020"], ("%d/%m/%Y", "%m/%d/%Y"),
         "some have the day first and some the month, and '2/1/2020' is read with the day first"),
        (["1-2-51", "2-1-52"], ("%d-%m-%y",), "in '1-2-51' the day .* nothing tells"),
        (["17-01-52", "18-02-11"], ("%d-%m-%y",), "^$"),
        (["17-01-12", "18-02-11"], ("%d-%m-%y",), "in '17-01-12' the year is taken to come last"),
        (["2023-01-01 06:00 EST"], ("%Y-%m-%d",), "zone of '2023-01-01 06:00 EST' is left aside"),
        (["17 Jan 2023 06:00 (EST)"], ("%d %b %Y",), "zone of .* is left aside"),
        (["17 Jan 2023 06:00 -0500 (EST)"], ("%d %b %Y",), "^$"),
        (["17.01.2023", "2023-01-18", "19 Jan 2023", "20.01.23"],
         ("%Y-%m-%d", "%d.%m.%Y", "%d %b %Y", "%d.%m.%y"), "^$"),
    ],
    ids=str,
)  # fmt: skip
def test_what_comes_first_is_told_by_all_of_the_column(texts, patterns, says):
    days, chosen, doubt = found(*texts)
    assert chosen == patterns
    assert re.search(says, doubt)
    assert not np.isnan(days).any()


def test_somebody_may_say_what_comes_first():
    assert found("3/4/2023", order="day-first")[0] == [day(2023, 4, 3)]
    assert found("3/4/2023", order="month-first")[0] == [day(2023, 3, 4)]
    assert found("20230117", whole=True)[0] == [day(2023, 1, 17)]
    assert find_dates(words("20230117"), np.ones(1)) is None


def test_later_forms_are_found_too():
    """Only the first texts are looked at to see whether these are dates at all."""
    texts = [f"{1 + k % 28}.{1 + k // 28 % 12}.{1950 + k // 336}" for k in range(1500)]
    days, patterns, _ = found(*texts, "17 Jan 2023")
    assert patterns == ("%d.%m.%Y", "%d %b %Y")
    assert days[-1] == day(2023, 1, 17)


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("15:08", 15 + 8 / 60),
        ("3:08 pm", 15 + 8 / 60),
        ("3:08\u202fpm", 15 + 8 / 60),
        ("12:30 a.m.", 0.5),
        ("7:05:09", 7 + 5 / 60 + 9 / 3600),
        ("100:30:00", 100.5),
        ("-12:30", -12.5),
        ("2 days 05:30:00", 53.5),
        ("1 day, 0:30:00.000", 24.5),
        ("-1 days +23:30:00", -0.5),
        ("1 days ago", nan),
        ("2h 30min", 2.5),
        ("1 day, 2 hours", 26),
        ("1h30m", 1.5),
        ("PT1H30M", 1.5),
        ("P1DT6H", 30),
        ("PT", nan),
        ("15:60", nan),
        ("noon", nan),
    ],
)
def test_times(text, hours):
    assert_allclose(read_times(words(text)), [hours])


@pytest.mark.parametrize(
    ("texts", "hours", "says"),
    [
        (["59:07", "1:15:42", "9:30"], [3547 / 3600, 4542 / 3600, 570 / 3600], "^$"),
        (["1:15:42.5", "24:30"], [4542.5 / 3600, 24.5 / 60], "^$"),
        (["24:00", "17:05:00"], [24, 17 + 5 / 60], "'24:00' is taken for hours and minutes"),
        (["100:30", "30:00", "20:00:00"], [100.5, 30, 20], "'100:30' is taken for hours and"),
        (["9:30", "17:05:00"], [9.5, 17 + 5 / 60], "'9:30' is taken for hours and minutes, though"),
        (["59:07", "9:30"], [59 + 7 / 60, 9.5], "^$"),
        (["9:30 pm", "17:05:00"], [21.5, 17 + 5 / 60], "^$"),
    ],
    ids=str,
)
def test_minutes_beside_hours(texts, hours, says):
    patterns, doubt = find_times(words(*texts))
    assert_allclose(read_times(words(*texts), MINUTES in patterns), hours)
    assert re.search(says, doubt)
