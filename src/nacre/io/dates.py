"""Dates, times of the day and durations as people write them."""

from __future__ import annotations

import re

import numpy as np

from nacre.io.arrow import TEXT, pa, pc
from nacre.io.numerals import DIMENSIONS, SPACES

_YEAR, _TWO = r"(?P<y>[0-9]{4})", r"(?P<y>[0-9]{2})"
_RECENT = r"(?P<y>(?:19|20)[0-9]{2})"
_MONTH, _DAY = r"(?P<m>[0-9]{1,2})", r"(?P<d>[0-9]{1,2})"
_WORD, _NTH = r"(?P<b>[^0-9\s.,:;/+-]{3,10})\.?", r"(?P<d>[0-9]{1,2})(?:st|nd|rd|th|\.)?"

PATTERNS = {
    "%Y-%m-%d": rf"{_YEAR}-{_MONTH}-{_DAY}",
    "%d.%m.%Y": rf"{_DAY}\.\s?{_MONTH}\.\s?{_YEAR}",
    "%m/%d/%Y": rf"{_MONTH}/{_DAY}/{_YEAR}",
    "%d/%m/%Y": rf"{_DAY}/{_MONTH}/{_YEAR}",
    "%Y/%m/%d": rf"{_YEAR}/{_MONTH}/{_DAY}",
    "%d %b %Y": rf"{_NTH}(?:[ /-]| de )?{_WORD},?(?:[ /-]| del? )?{_YEAR}",
    "%b %d, %Y": rf"{_WORD} {_NTH},? {_YEAR}",
    "%d-%m-%Y": rf"{_DAY}-{_MONTH}-{_YEAR}",
    "%m-%d-%Y": rf"{_MONTH}-{_DAY}-{_YEAR}",
    "%d.%m.%y": rf"{_DAY}\.\s?{_MONTH}\.\s?{_TWO}",
    "%m/%d/%y": rf"{_MONTH}/{_DAY}/{_TWO}",
    "%d/%m/%y": rf"{_DAY}/{_MONTH}/{_TWO}",
    "%d %b %y": rf"{_NTH}[ -]{_WORD}[ -]'?{_TWO}",
    "%Y.%m.%d": rf"{_YEAR}\.{_MONTH}\.{_DAY}",
    "%b %Y": rf"{_WORD},?[ -]{_YEAR}",
    "%Y%m%d": rf"{_RECENT}(?P<m>[0-9]{{2}})(?P<d>[0-9]{{2}})",
    "%d-%m-%y": rf"{_DAY}-{_MONTH}-{_TWO}",
    "%m-%d-%y": rf"{_MONTH}-{_DAY}-{_TWO}",
    "%Y-%m": rf"{_RECENT}-{_MONTH}",
    "%m/%Y": rf"{_MONTH}/{_RECENT}",
    "%Y%m%dT%H%M%S": rf"{_RECENT}(?P<m>[0-9]{{2}})(?P<d>[0-9]{{2}})T",
    "%b %d %H:%M:%S %Y": rf"{_WORD} +{_DAY} ",
}
"""Ways to write a date that are understood, and what they look like."""

WHOLE = "%Y%m%d"
"""The one that looks like a number, and is a date where that is said."""

ORDERS = {"month-first": ("%m/%d/%Y", "%m-%d-%Y", "%m/%d/%y", "%m-%d-%y"),
          "day-first": ("%d/%m/%Y", "%d-%m-%Y", "%d/%m/%y", "%d-%m-%y")}  # fmt: skip
"""Ways that only differ in what comes first."""

YEAR_FIRST = "^[0-9]{2}-(0[1-9]|1[0-2])-([0-2][0-9]|3[01])"
"""Years of two digits may also come first here."""

CLEAR = tuple(one for one in PATTERNS if one != WHOLE and one not in sum(ORDERS.values(), ()))
"""Ways that cannot be taken for another."""

_NAMED = (
    "EST EDT CST CDT MST MDT PST PDT AKST AKDT HST BRT ART WET WEST BST CET CEST MEZ MESZ EET EEST "
    "MSK SAST IST JST KST AWST ACST ACDT AEST AEDT NZST NZDT"
)
ZONES = "|".join(_NAMED.split())
"""Time zones by names, which are left aside: some stand for several."""

_AHEAD = r"(?:UTC|GMT)?[+-][0-9]{2}:?(?:[0-9]{2})?|(?:UTC|GMT)[+-][0-9](?::[0-9]{2})?"
_ZONE = rf"(?P<z>Z|{_AHEAD}|UTC|GMT|{ZONES})?(?:\s?\([^()]*\))?"
_WEEKDAY = r"^(?:[^0-9\s.,:;/+-]{2,10}\.?,? )?"
_TIME = (
    r"(?:[T ,:]\s*(?P<H>[0-9]{1,2})[:.](?P<M>[0-9]{2})(?:[:.](?P<S>[0-9]{2}(?:[.,][0-9]+)?))?"
    rf"\s?(?P<p>[AaPp]\.?[Mm]\.?|Uhr)?\s?{_ZONE})?$"
)
_DIGITS = rf"(?P<H>[0-9]{{2}})(?P<M>[0-9]{{2}})(?P<S>[0-9]{{2}})?(?P<p>)\s?{_ZONE}$"
_CLOCK_YEAR = (
    rf"(?P<H>[0-9]{{2}}):(?P<M>[0-9]{{2}}):(?P<S>[0-9]{{2}})(?P<p>) ?{_ZONE} (?P<y>[0-9]{{4}})$"
)
_ENDS = {"%Y%m%dT%H%M%S": _DIGITS, "%b %d %H:%M:%S %Y": _CLOCK_YEAR}

_NAMES = (
    "january february march april may june july august september october november december",
    "januar februar marz april mai juni juli august september oktober november dezember",
    "janner feber mrz april mai juni juli august september oktober november dezember",
    "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
)
MONTHS = {
    name[:length]: month
    for names in _NAMES
    for month, name in enumerate(names.split(), 1)
    for length in range(3, len(name) + 1)
    if name[:length] != "jui"  # juin or juillet
} | {"maerz": 3, "mrt": 3, "sept": 9}
"""Months by their names, whole or cut, in some languages, without accents."""

GLANCE = 1000
"""Texts that are looked at first: where none of them is a date, no other is."""

PIVOT = 69
"""Years of two digits from here on are of the last century, as POSIX has it."""


def read_dates(text: pa.Array, patterns: tuple[str, ...]) -> np.ndarray:
    """Days since 1970, NaN where text is no date: each by the first pattern that fits."""
    text, out = _spaced(text), np.full(len(text), np.nan)
    for pattern in patterns:
        left = np.flatnonzero(np.isnan(out))
        if not len(left):
            break
        part = text if len(left) == len(out) else text.take(pa.array(left))
        out[left] = _days(part, pattern)
    return out


def find_dates(
    distinct: pa.Array, counts: np.ndarray, order: str | None = None, whole: bool = False
) -> tuple[tuple[str, ...], str] | None:
    """The patterns that dates are written in, those of most rows first, and what was in doubt.

    Parameters
    ----------
    distinct : the different texts of a column
    counts : how often each comes
    order : "day-first" or "month-first", where it is known
    whole : whether 20230117 is a date

    Returns
    -------
    tuple of patterns and str, or None
        None where nothing is a date.
    """
    distinct, barred = _spaced(distinct), {*(() if whole else (WHOLE,))}
    if order is not None:
        barred |= {one for name, ones in ORDERS.items() if name != order for one in ones}
    ways = [one for one in PATTERNS if one not in barred]
    seen = _rows(distinct[:GLANCE], counts[:GLANCE], ways)
    if not any(seen.values()):
        return None
    rows = _rows(distinct, counts, [one for one in ways if seen[one]])
    others = [one for one in ways if not seen[one]]
    out, chosen = np.full(len(distinct), np.nan), list[str]()
    for pattern in [*sorted(rows, key=lambda one: -rows[one]), *others]:  # ties in their order
        left = np.flatnonzero(np.isnan(out))
        if not len(left):
            break
        found = _days(distinct.take(pa.array(left)), pattern)
        if not np.isnan(found).all():
            out[left] = found
            chosen.append(pattern)
    doubts = ["" if order else _doubt(distinct, chosen), _doubted_zone(distinct)]
    return tuple(chosen), "; ".join(one for one in doubts if one)


def _spaced(text: pa.Array) -> pa.Array:
    """Text whose spaces are plain ones."""
    return pc.replace_substring_regex(text.cast(TEXT), SPACES, " ")


def _rows(distinct: pa.Array, counts: np.ndarray, patterns: list[str]) -> dict[str, float]:
    """In how many rows each pattern fits."""
    fits = {pattern: ~np.isnan(_days(distinct, pattern)) for pattern in patterns}
    return {pattern: float(counts[mask].sum()) for pattern, mask in fits.items()}


def _doubt(distinct: pa.Array, chosen: list[str]) -> str:
    """A sentence on dates whose day could be the month or the year."""
    if (short := next((one for one in chosen if one.endswith("-%y")), None)) is not None:
        fitting = distinct.filter(pa.array(~np.isnan(_days(distinct, short))))
        if pc.all(pc.match_substring_regex(fitting, YEAR_FIRST)).as_py():
            return f"in {str(fitting[0])!r} the year is taken to come last, though nothing tells"
    for pair in zip(*ORDERS.values(), strict=True):
        first = next((one for one in chosen if one in pair), None)
        if first is None:
            continue
        (other,) = set(pair) - {first}
        fits = [~np.isnan(_days(distinct, one)) for one in (first, other)]
        same = fits[0] & fits[1]
        if not same.any():
            continue
        shown, what = str(distinct[int(same.argmax())]), "month" if first[1] == "m" else "day"
        if fits[0].sum() == fits[1].sum() == same.sum():
            return f"in {shown!r} the {what} is taken to come first, though nothing tells"
        if other in chosen:
            return (
                f"some have the day first and some the month, and {shown!r} is read with the "
                f"{what} first, as most"
            )
    return ""


def _doubted_zone(distinct: pa.Array) -> str:
    """A sentence on zones that are left aside."""
    named = distinct.filter(pc.match_substring_regex(distinct, rf":[^+-]*\b({ZONES})\)?$"))
    return f"the time zone of {str(named[0])!r} is left aside" if len(named) else ""


def _days(text: pa.Array, pattern: str) -> np.ndarray:
    """Days since 1970 of text that a pattern fits, NaN of all else."""
    out = np.full(len(text), np.nan)
    regex = f"{_WEEKDAY}{PATTERNS[pattern]}{_ENDS.get(pattern, _TIME)}"
    fits = pc.match_substring_regex(text, regex).to_numpy(zero_copy_only=False)
    if not fits.any():
        return out
    here = np.flatnonzero(fits.astype(bool))
    found = pc.extract_regex(text.take(pa.array(here)).cast(TEXT), regex)
    names = {found.type.field(j).name for j in range(found.type.num_fields)}
    year = _number(found, "y")
    if pattern.endswith("%y"):
        year += np.where(year >= PIVOT, 1900, 2000)
    month = _month_numbers(found) if "b" in names else _number(found, "m")
    day = _number(found, "d") if "d" in names else np.ones(len(here))
    hour, minute, second = (_number(found, name) for name in "HMS")
    out[here] = (
        _since_1970(year, month, day)
        + (_afternoon(found, hour) + minute / 60 + second / 3600 - _zone(found)) / 24
    )
    wrong = (hour > 24) | (minute > 59) | (second >= 61)
    out[here[wrong]] = np.nan
    return out


def _part(found: pa.StructArray, name: str) -> pa.Array:
    return pc.fill_null(pc.struct_field(found, name), "")


def _number(found: pa.StructArray, name: str) -> np.ndarray:
    """A part as numbers, 0 where it is not there."""
    text = pc.replace_substring(_part(found, name), ",", ".")
    text = pc.if_else(pc.equal(text, ""), pa.scalar("0", text.type), text)
    return np.array(text.cast(pa.float64()).to_numpy(zero_copy_only=False))


def _month_numbers(found: pa.StructArray) -> np.ndarray:
    """Months by their names, 0 for other words."""
    words = pc.utf8_normalize(_part(found, "b"), form="NFD")
    words = pc.utf8_lower(pc.replace_substring_regex(words, r"\pM", "")).dictionary_encode()
    months = np.array([MONTHS.get(word, 0) for word in words.dictionary.to_pylist()], float)
    out: np.ndarray = months[words.indices.to_numpy(zero_copy_only=False)]
    return out


def _afternoon(found: pa.StructArray, hour: np.ndarray) -> np.ndarray:
    """Hours on a clock of 24."""
    half = pc.utf8_lower(pc.utf8_slice_codeunits(_part(found, "p"), 0, 1))
    is_am, is_pm = (pc.equal(half, one).to_numpy(zero_copy_only=False) for one in "ap")
    out: np.ndarray = np.where(is_am | is_pm, hour % 12, hour) + np.where(is_pm, 12, 0)
    return out


def _zone(found: pa.StructArray) -> np.ndarray:
    """Hours that a place is ahead of Greenwich."""
    zones = _part(found, "z").dictionary_encode()
    hours = []
    for zone in zones.dictionary.to_pylist():
        found = re.fullmatch(r"[A-Z]*([+-])([0-9]{1,2}):?([0-9]{2})?", zone)
        ahead = int(found[2]) + int(found[3] or 0) / 60 if found else 0.0
        hours.append(-ahead if found and found[1] == "-" else ahead)
    out: np.ndarray = np.array(hours, float)[zones.indices.to_numpy(zero_copy_only=False)]
    return out


def _since_1970(year: np.ndarray, month: np.ndarray, day: np.ndarray) -> np.ndarray:
    """Days of the calendar, NaN for those that there are not."""
    fine = (month >= 1) & (month <= 12) & (day >= 1) & (year >= 1)
    months = ((year - 1970) * 12 + month - 1)[fine].astype("int64").astype("M8[M]")
    days = months.astype("M8[D]") + (day[fine].astype("int64") - 1)
    out = np.full(len(year), np.nan)
    there = days.astype("M8[M]") == months
    out[np.flatnonzero(fine)[there]] = days[there].astype("int64")
    return out


# Times of the day and durations

_CLOCK = (
    r"^(?:(?P<d>-?[0-9]+) days?,? )?(?P<sign>[+-]?)"
    r"(?P<H>[0-9]{1,3}):(?P<M>[0-5][0-9])(?::(?P<S>[0-5][0-9](?:[.,][0-9]+)?))?"
    r"\s?(?P<p>[AaPp]\.?[Mm]\.?)?$"
)
_HOURS = DIMENSIONS["time"] | {"m": 1 / 60}  # beside hours, m is no metre
_UNITS = "|".join(sorted(_HOURS, key=lambda one: (-len(one), one)))
_SPAN = rf"^(?:[0-9]+(?:\.[0-9]+)?\s?(?:{_UNITS})\.?,?\s?){{2,4}}$"
_STEP = rf"^(?P<n>[0-9]+(?:\.[0-9]+)?)\s?(?P<u>{_UNITS})\.?,?\s?"
_ISO = r"^P(?:(?P<d>[0-9.]+)D)?(?:T(?:(?P<h>[0-9.]+)H)?(?:(?P<m>[0-9.]+)M)?(?:(?P<s>[0-9.]+)S)?)?$"


MINUTES = "%M:%S"
"""The way to write a time that is minutes and seconds beside others that have hours, too."""


def find_times(distinct: pa.Array) -> tuple[tuple[str, ...], str]:
    """``MINUTES`` where 59:07 stands beside 1:15:42, else nothing; and what was in doubt."""
    distinct = _spaced(distinct)
    two = distinct.filter(pc.match_substring_regex(distinct, "^[0-9]{1,3}:[0-5][0-9]$"))
    three = pc.match_substring_regex(distinct, "^[0-9]{1,3}:[0-5][0-9]:[0-5][0-9]([.,]|$)")
    if not len(two) or not pc.any(three).as_py():
        return (), ""
    no_clock, no_minutes = (
        pc.any(pc.match_substring_regex(two, regex)).as_py()
        for regex in ("^(24:0*[1-9]|2[5-9]|[3-9][0-9]:)", "^([6-9][0-9]|[0-9]{3}):")
    )
    if no_clock and not no_minutes:
        return (MINUTES,), ""
    return (), (
        f"{str(two[0])!r} is taken for hours and minutes, though nothing tells that it is not "
        "minutes and seconds"
    )


def read_times(text: pa.Array, minutes: bool = False) -> np.ndarray:
    """Hours, of times of the day (15:08, 3:08 pm) and durations (2h 30min, PT2H30M, those of
    pandas: 1 days 02:30:00, and -1 days +23:30:00 for half an hour before); else NaN.

    ``minutes``: whether 15:08 is minutes and seconds.
    """
    text, out = _spaced(text), np.full(len(text), np.nan)
    clock = _minute_hours if minutes else _clock_hours
    for regex, hours in ((_CLOCK, clock), (_SPAN, _span_hours), (_ISO, _iso_hours)):
        here = np.flatnonzero(
            pc.match_substring_regex(text, regex).to_numpy(zero_copy_only=False).astype(bool)
        )
        if len(here):
            out[here] = hours(text.take(pa.array(here)))
    return out


def _clock_hours(text: pa.Array) -> np.ndarray:
    found = pc.extract_regex(text, _CLOCK)
    day, hour, minute, second = (_number(found, name) for name in "dHMS")
    clock = _afternoon(found, hour) + minute / 60 + second / 3600
    negative = pc.equal(_part(found, "sign"), "-").to_numpy(zero_copy_only=False)
    return 24 * day + np.where(negative, -clock, clock)


def _minute_hours(text: pa.Array) -> np.ndarray:
    """Hours, where two parts are minutes and seconds."""
    two = pc.match_substring_regex(text, "^[0-9]+:[0-9]+$").to_numpy(zero_copy_only=False)
    hours = _clock_hours(text)
    return np.where(two, hours / 60, hours)


def _span_hours(text: pa.Array) -> np.ndarray:
    out = np.zeros(len(text))
    while pc.any(pc.not_equal(text, "")).as_py():
        found = pc.extract_regex(text, _STEP)
        units = _part(found, "u").dictionary_encode()
        per = np.array([_HOURS.get(one, 0.0) for one in units.dictionary.to_pylist()])
        out += _number(found, "n") * per[units.indices.to_numpy(zero_copy_only=False)]
        text = pc.replace_substring_regex(text, _STEP, "", max_replacements=1)
    return out


def _iso_hours(text: pa.Array) -> np.ndarray:
    found = pc.extract_regex(text, _ISO)
    per = {"d": 24.0, "h": 1.0, "m": 1 / 60, "s": 1 / 3600}
    out = sum((_number(found, name) * each for name, each in per.items()), np.zeros(len(text)))
    empty = pc.match_substring_regex(text, "^PT?$").to_numpy(zero_copy_only=False)
    return np.where(empty, np.nan, out)
