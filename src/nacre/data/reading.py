"""What the text of a column stands for: numbers, times, dates, truths; by a rule that is kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from nacre.io.arrow import TEXT, pa, pc
from nacre.io.dates import (
    CLEAR,
    GLANCE,
    MINUTES,
    ORDERS,
    PATTERNS,
    find_dates,
    find_times,
    read_dates,
    read_times,
)
from nacre.io.numerals import Numerals, find_numerals

CHOICES = {
    "number": "number", "decimal-comma": "number", "decimal-point": "number", "time": "time",
    "boolean": "boolean", "date": "date", "day-first": "date", "month-first": "date",
}  # fmt: skip
"""What text can be said to be, and the kind of column that it then is."""

_GAPS = (
    "- -- --- \u2013 \u2014 . .. ... * / x none nil unknown unkn unk missing blank empty tbd tba "
    "n.a. n.a n/d nd k.a. k.a n/k unbekannt fehlt inconnu desconocido nan -nan +nan "
    "#value! #div/0! #ref! #name? #null! #num!"
)
GAPS = frozenset(_GAPS.split()) | {
    "not available", "not applicable", "not known", "no data", "no answer", "keine angabe",
}  # fmt: skip
"""How people write that there is no number, date or truth; in categories these may be values."""

CROSS = "x", "X"
"""The one of them that is a value beside other letters, such as y."""

_TRUE = "yes y true t 1 ja j wahr oui o vrai si sí s verdadero on"
_FALSE = "no n false f 0 nein falsch non faux falso off"
TRUTHS = dict.fromkeys(_TRUE.split(), 1.0) | dict.fromkeys(_FALSE.split(), 0.0)
"""Words for true and false."""

TONGUES = (
    "yes no y n true false 1 0", "true false t f 1 0", "ja nein j n wahr falsch 1 0",
    "oui non o n vrai faux 1 0", "si sí no s n verdadero falso 1 0", "on off 1 0",
)  # fmt: skip
"""Words that are used together."""

LEAST = 0.9
"""The least share of rows that a rule must read."""

DISTINCT = 0.8
"""The least share of different texts that a rule must read."""

FEWEST = 3
"""Numbers in disguise are at least so many; fewer are categories."""

SHOWN = 3
"""Examples that are given."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Rule:
    """How text stands for numbers: found in one table, applied to others.

    Attributes
    ----------
    kind : number, time (hours), boolean (0 and 1) or date (days since 1970)
    decimal : the mark before decimals
    units : what may stand beside a number, and what it is multiplied with
    patterns : how dates are written, of several the first that fits; of times, whether two parts
        are minutes and seconds
    gaps : words that are taken for missing, beside those that always are
    """

    kind: str
    decimal: str = "."
    units: tuple[tuple[str, float], ...] = (("", 1.0),)
    patterns: tuple[str, ...] = ("%Y-%m-%d",)
    gaps: tuple[str, ...] = ()

    def values(self, words: pa.Array) -> np.ndarray:
        """The numbers that words stand for, NaN where they cannot be read."""
        if self.kind == "number":
            return Numerals(self.decimal, self.units).values(words)
        if self.kind == "time":
            return read_times(words, MINUTES in self.patterns)
        if self.kind == "date":
            others = (one for one in CLEAR if one not in self.patterns)  # which later rows may have
            return read_dates(words, (*self.patterns, *others))
        return np.array([TRUTHS.get(word, np.nan) for word in _lower(words)], float)

    def are_gaps(self, words: pa.Array) -> np.ndarray:
        """Which words say that there is no value."""
        known = [*GAPS, *(word.lower() for word in self.gaps)]
        found = pc.is_in(pc.utf8_lower(words.cast(TEXT)), value_set=pa.array(known, TEXT))
        return np.asarray(found.to_numpy(zero_copy_only=False))

    def shown(self, value: float) -> str:
        """A value as a person reads it."""
        if self.kind == "boolean":
            return "true" if value else "false"
        if self.kind == "date":
            try:
                at = EPOCH + timedelta(days=value)
            except OverflowError:
                return f"{value:.10g}"
            return at.strftime("%Y-%m-%d" if value == int(value) else "%Y-%m-%d %H:%M")
        return f"{value:.10g}" + (" h" if self.kind == "time" else "")

    @property
    def said(self) -> str:
        """What text is read as."""
        if self.kind == "date":
            return f"dates ({', '.join(self.patterns)})"
        if self.kind == "boolean":
            return "true or false"
        if self.kind == "time":
            return "times, in hours" + (f" (two parts: {MINUTES})" * (MINUTES in self.patterns))
        there = [(unit, factor) for unit, factor in self.units if unit]
        one = next((unit.rstrip(".") for unit, factor in there if factor == 1.0), "")
        units = f" of {one}" if one else ""
        if len(there) > 1:
            units += f" ({', '.join(unit for unit, _ in there)})"
        return f"numbers{units}" + (", with a decimal comma" if self.decimal == "," else "")


@dataclass(frozen=True)
class Reading:
    """How the text of a column was understood.

    Attributes
    ----------
    column : its name
    kind : what it is
    how : what its text is read as
    examples : texts, and what they are taken for
    unread : rows whose text is taken for missing
    gaps : what stands there, the commonest first
    doubt : what could have been understood otherwise, and why it was not
    """

    column: str
    kind: str
    how: str
    examples: tuple[tuple[str, str], ...]
    unread: int = 0
    gaps: tuple[str, ...] = ()
    doubt: str = ""

    def __str__(self) -> str:
        text, value = self.examples[0]
        parts = [f"Column {self.column!r} is read as {self.how}: {text!r} is {value}"]
        parts += [self.doubt] if self.doubt else []
        if self.unread:
            rows = "1 value is" if self.unread == 1 else f"{self.unread} values are"
            parts.append(f"{rows} taken for missing ({', '.join(self.gaps)})")
        return f"{'; '.join(parts)}."

    @property
    def plain(self) -> bool:
        """Whether it goes without saying: nobody would read it otherwise."""
        certain = self.kind in ("boolean", "text", "vector") or self.how in (
            "dates (%Y-%m-%d)",
            "dates (%d.%m.%Y)",
        )
        return certain and not (self.doubt or self.unread)


def find_rule(
    name: str, distinct: pa.Array, counts: np.ndarray, choice: str | None = None
) -> tuple[Rule, Reading] | None:
    """The rule that reads a column of text, and what to say about it; None where there is none.

    Parameters
    ----------
    name : of the column
    distinct : its different texts, without spaces around them
    counts : how often each comes
    choice : a key of ``CHOICES``, where somebody has said what it is

    Raises
    ------
    ValueError
        Where nothing in the column is what it was said to be.
    """
    gone = Rule("number").are_gaps(distinct)
    words, rows = distinct.filter(pa.array(~gone)), counts[~gone]
    crosses = pc.is_in(distinct.cast(TEXT), value_set=pa.array(CROSS, TEXT))
    crossed = bool(pc.any(crosses).as_py())
    for rule, doubt in _candidates(words, rows, choice, crossed):
        values = rule.values(words)
        read = ~np.isnan(values)
        if read.any() if choice else _enough(rule.kind, values, read, rows):
            gaps = tuple(words.filter(pa.array(~read)).to_pylist())
            rule = replace(rule, gaps=gaps)
            return rule, _reading(name, rule, doubt, distinct, counts)
    if choice:
        shown = repr(str(words[0])) if len(words) else "gaps only"
        raise ValueError(f"Column {name!r} cannot be read as {choice}: it holds {shown[:60]}, say.")
    return None


def _candidates(
    words: pa.Array, rows: np.ndarray, choice: str | None, crossed: bool
) -> Iterator[tuple[Rule, str]]:
    """Rules that may read a column, the likeliest first, and what was in doubt.

    ``crossed``: whether there is an x beside the words.
    """
    kind = None if choice is None else CHOICES[choice]
    if not len(words):
        return
    if kind in (None, "boolean") and (choice or _are_truths(words, crossed)):
        yield Rule("boolean"), ""
    digits = pc.match_substring_regex(words[:GLANCE], "[0-9]")
    if choice is None and pc.mean(digits).as_py() < 0.5:  # quick, where most columns are words
        return
    if kind in (None, "number"):
        marks = {"decimal-comma": ",", "decimal-point": "."}
        found = find_numerals(words, rows, marks.get(choice or ""), codes=choice is not None)
        if found is not None:
            yield Rule("number", found[0].decimal, found[0].units), found[1]
    if kind in (None, "time"):
        patterns, doubt = find_times(words)
        yield Rule("time", patterns=patterns), doubt
    if kind in (None, "date"):
        dates = find_dates(words, rows, choice if choice in ORDERS else None, choice is not None)
        if dates is not None:
            yield Rule("date", patterns=dates[0]), dates[1]


def _enough(kind: str, values: np.ndarray, read: np.ndarray, rows: np.ndarray) -> bool:
    """Whether a rule reads so much of a column that the rest is an exception.

    The rest may be as often as it likes where it is but a few words beside many numbers.
    """
    if kind == "boolean":
        return bool(read.all())
    if kind == "number" and len(np.unique(values[np.isfinite(values)])) < FEWEST:
        return False
    share = rows[read].sum() / rows.sum()
    return bool(read.mean() >= (DISTINCT if share >= LEAST else LEAST)) and share >= 0.5


def _are_truths(words: pa.Array, crossed: bool) -> bool:
    if len(words) > 2 * len(TRUTHS):
        return False
    there = set(_lower(words))
    if crossed and not there <= {"0", "1"}:
        return False
    both = len({TRUTHS.get(word) for word in there}) == 2 or len(there) == 1
    return both and any(there <= set(tongue.split()) for tongue in TONGUES)


def _reading(name: str, rule: Rule, doubt: str, distinct: pa.Array, counts: np.ndarray) -> Reading:
    values = rule.values(distinct)
    unread = np.flatnonzero(~np.isfinite(values))
    unread = unread[np.argsort(-counts[unread], kind="stable")]
    read = np.flatnonzero(np.isfinite(values))
    bounds = read[_are_bounds(distinct)[read]][:1] if rule.kind == "number" else read[:0]
    told = [
        (str(distinct[int(i)])[:60], rule.shown(float(values[i])))
        for i in dict.fromkeys([*bounds.tolist(), *read[: 20 * SHOWN].tolist()])
    ]
    told.sort(key=lambda pair: pair[0] == pair[1])  # those that are not what they look like first
    gaps = [f"{str(distinct[int(i)])[:60]!r} {int(counts[i])}" for i in unread[:SHOWN].tolist()]
    if len(unread) > SHOWN:
        gaps.append(f"and {len(unread) - SHOWN} more")
    return Reading(
        name, rule.kind, rule.said, tuple(told[:SHOWN]), int(counts[unread].sum()), tuple(gaps),
        doubt,
    )  # fmt: skip


def _are_bounds(words: pa.Array) -> np.ndarray:
    """Which words say that a number is at most or at least so much, or about; or below 0, last."""
    found = pc.match_substring_regex(words, "^[<>≤≥~≈]|[0-9.,][+-]")
    return np.asarray(found.to_numpy(zero_copy_only=False))


def _lower(words: pa.Array) -> list[str]:
    return [word.lower() for word in words.to_pylist()]


# From files that anyone may have written


def rule_from_dict(plain: Any) -> Rule:
    """From plain data; ValueError for anything that is no rule."""
    fine = isinstance(plain, dict) and set(plain) == {
        "kind", "decimal", "units", "patterns", "gaps",
    }  # fmt: skip
    fine = fine and plain["kind"] in set(CHOICES.values()) and plain["decimal"] in (".", ",")
    fine = fine and all(isinstance(plain[key], list) for key in ("units", "patterns", "gaps"))
    fine = fine and all(_is_unit(one) for one in plain["units"])
    known = {*PATTERNS, MINUTES} if fine and plain["kind"] == "time" else {*PATTERNS}
    fine = fine and all(isinstance(one, str) and one in known for one in plain["patterns"])
    fine = fine and all(isinstance(one, str) for one in plain["gaps"])
    if not fine:
        raise ValueError("The description of the columns is damaged.")
    units = tuple((str(unit), float(factor)) for unit, factor in plain["units"])
    return Rule(
        plain["kind"], plain["decimal"], units, tuple(plain["patterns"]), tuple(plain["gaps"])
    )


def _is_unit(pair: Any) -> bool:
    if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str):
        return False
    return type(pair[1]) in (int, float) and 0.0 < pair[1] < float("inf")


def reading_from_dict(plain: Any) -> Reading:
    """From plain data; ValueError for anything that is no reading."""
    texts = ("column", "kind", "how", "doubt")
    fine = isinstance(plain, dict) and set(plain) == {*texts, "examples", "unread", "gaps"}
    fine = fine and all(isinstance(plain[key], str) for key in texts)
    fine = fine and type(plain["unread"]) is int
    fine = fine and isinstance(plain["gaps"], list) and isinstance(plain["examples"], list)
    fine = fine and all(isinstance(one, str) for one in plain["gaps"]) and bool(plain["examples"])
    fine = fine and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(one, str) for one in pair)
        for pair in plain["examples"]
    )
    if not fine:
        raise ValueError("The description of the columns is damaged.")
    return Reading(
        plain["column"], plain["kind"], plain["how"],
        tuple((text, value) for text, value in plain["examples"]), plain["unread"],
        tuple(plain["gaps"]), plain["doubt"],
    )  # fmt: skip
