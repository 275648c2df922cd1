"""Numbers as people write them: with marks between thousands, a decimal comma, units and bounds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from nacre.io.arrow import TEXT, pa, pc, without

_CODES = (
    "EUR USD GBP JPY CHF CAD AUD NZD CNY HKD SGD SEK NOK DKK ISK PLN CZK HUF RON BGN UAH RUB TRY "
    "ILS INR KRW THB VND IDR MYR PHP BRL MXN ARS CLP COP ZAR NGN KES EGP AED SAR"
)
MONEY = {
    "$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₩": "KRW",
    "₽": "RUB", "₺": "TRY", "₴": "UAH", "฿": "THB", "₫": "VND", "₪": "ILS", "R$": "BRL",
    "zł": "PLN", "kr": "kr", "kr.": "kr", "Fr.": "CHF", "Kč": "CZK", "Ft": "HUF", "Rs": "INR",
    "Rs.": "INR", "Euro": "EUR", "euro": "EUR", "Euros": "EUR", "euros": "EUR",
    **{code: code for code in _CODES.split()},
}  # fmt: skip
"""Currencies: how they are written, and what is meant."""

DIMENSIONS: dict[str, dict[str, float]] = {
    "mass": {"mg": 1e-6, "g": 1e-3, "kg": 1.0, "t": 1e3, "lb": 0.45359237, "lbs": 0.45359237,
             "oz": 0.028349523125},
    "length": {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3, "in": 0.0254, "ft": 0.3048,
               "yd": 0.9144, "mi": 1609.344},
    "volume": {"ml": 1e-3, "mL": 1e-3, "cl": 1e-2, "dl": 0.1, "dL": 0.1, "l": 1.0, "L": 1.0},
    "time": {"ms": 1 / 3.6e6, "s": 1 / 3600, "sec": 1 / 3600, "secs": 1 / 3600,
             "second": 1 / 3600, "seconds": 1 / 3600, "min": 1 / 60, "mins": 1 / 60,
             "minute": 1 / 60, "minutes": 1 / 60, "h": 1.0, "hr": 1.0, "hrs": 1.0, "hour": 1.0,
             "hours": 1.0, "Std": 1.0, "d": 24.0, "day": 24.0, "days": 24.0, "Tage": 24.0,
             "week": 168.0, "weeks": 168.0},
    "data": {"B": 1.0, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12},
    "multiples": {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "Mio": 1e6, "Mio.": 1e6, "bn": 1e9},
}  # fmt: skip
"""Units that can be turned into each other, and how much each is of the first that has 1."""

MULTIPLES = {
    **{unit: factor for unit, factor in DIMENSIONS["multiples"].items() if unit},
    "m": 1e6, "mn": 1e6, "b": 1e9, "B": 1e9, "Mrd": 1e9, "Mrd.": 1e9,
}  # fmt: skip
"""What money may be counted in: beside it, m is no metre and B no byte."""


def _any_of(words: Iterable[str]) -> str:
    """A pattern of any of some words."""
    return "|".join(re.escape(one) for one in sorted(words, key=lambda one: (-len(one), one)))


CURRENCY = _any_of(MONEY)

DASHES = "[\u2011-\u2014\u2212]"
"""Signs that stand for a minus, or for no cents."""

MUCH = re.compile(
    rf"(?P<before>{CURRENCY})?\s*(?P<multiple>{_any_of(MULTIPLES)})\s*(?P<after>{CURRENCY})?"
)
"""Money in thousands, millions and so on: "€M" is what stands beside the number in €1.5M."""

SPACES = "[\u00a0\u2007\u2009\u202f]"

PARTS = (
    r"^(?P<bound><=|>=|[<>≤≥~≈]|(?i:ca\.|circa |approx\. ?))?\s*(?P<open>\()?(?P<sign>[+-]?)\s*"
    rf"(?P<before>{CURRENCY}|%)?\s*(?P<inner>[(+-]?)\s*"
    r"(?P<body>[0-9](?:[0-9.,' ]*[0-9])?[.,]?|[.,][0-9]+)(?P<exponent>[eE][+-]?[0-9]+)?"
    r"(?P<tail>-{0,2}|\+)\s*"
    r"(?P<after>[^0-9¹²³⁰⁴-⁹¼½¾⅓⅔⅛⅜⅝⅞\s!#&'()*+,./:;<=>?@\\\[\]^_|{}~-][^0-9:;=<>+\\]{0,15})?\)?$"
)
"""What a number may consist of."""

BODIES = {
    ".": r"^(?:[0-9]+|[1-9][0-9]{0,2}(?:[,' ][0-9]{3})+|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3})"
    r"(?:\.[0-9]*)?$|^\.[0-9]+$",
    ",": r"^(?:[0-9]+|[1-9][0-9]{0,2}(?:[.' ][0-9]{3})+)(?:,[0-9]*)?$|^,[0-9]+$",
}
"""Digits and marks, by the mark before decimals."""

THOUSANDS = {".": "[,' ]", ",": "[.' ]"}
"""Marks between thousands, by the mark before decimals."""

CODE = r"^0[0-9]+$|^[0-9]{16,}$"
"""Digits that are a code, such as that of a post office, and no number that floats can hold."""

INFINITE = r"(?i)^[+-]?inf(inity)?$"
"""Words for infinite numbers, which are read as such: what they are taken for is said elsewhere."""

GLANCE = 1000
"""Texts that are looked at first: where most of them are no numbers, they all are none."""

BESIDE = 1e-6
"""How far from a bound a value lies that is below or above it: only the order counts."""


@dataclass(frozen=True)
class Numerals:
    """How the numbers of a column are written.

    Attributes
    ----------
    decimal : the mark before decimals, a point or a comma; the other parts thousands
    units : what may stand beside a number, and what it is multiplied with
    """

    decimal: str = "."
    units: tuple[tuple[str, float], ...] = (("", 1.0),)

    def values(self, text: pa.Array) -> np.ndarray:
        """The numbers that text stands for, NaN where it is none; each once is best."""
        text = text.cast(TEXT)
        out = self._values(_split(text))
        endless = pc.fill_null(pc.match_substring_regex(text, INFINITE), False)
        out[endless.to_numpy(zero_copy_only=False)] = [
            float(word) for word in text.filter(endless).to_pylist()
        ]
        return out

    def _values(self, parts: _Parts) -> np.ndarray:
        known = {unit_name(unit): factor for unit, factor in self.units}
        known |= dict(self.units)  # files of earlier versions have names, not how they are spelled
        factors = np.array([known.get(unit, np.nan) for unit in parts.names])[parts.unit]
        fine = pc.match_substring_regex(parts.body, BODIES[self.decimal])
        body = pc.replace_substring_regex(parts.body, THOUSANDS[self.decimal], "")
        body = pc.replace_substring(body, self.decimal, ".")
        digits = pc.binary_join_element_wise(body, parts.exponent, pa.scalar("", TEXT))
        digits = without(digits, pc.invert(fine))
        found = np.array(digits.cast(pa.float64()).to_numpy(zero_copy_only=False)) * factors
        found = np.where(parts.negative, -found, found)
        beside = np.where(np.isinf(found), 0.0, BESIDE * np.maximum(np.abs(found), 1.0))
        out: np.ndarray = found + parts.side * beside
        return out


@dataclass(frozen=True)
class _Parts:
    """Text taken apart: digits and marks, exponent, unit (a place in names), sign, side of it.

    ``written`` has the units as they are spelled.
    """

    body: pa.Array
    exponent: pa.Array
    unit: np.ndarray
    names: list[str]
    written: list[str]
    negative: np.ndarray
    side: np.ndarray

    @property
    def there(self) -> np.ndarray:
        """Which have digits."""
        return np.asarray(pc.not_equal(self.body, "").to_numpy(zero_copy_only=False))


def _split(text: pa.Array) -> _Parts:
    text = pc.replace_substring_regex(text.cast(TEXT), SPACES, " ")
    text = pc.replace_substring_regex(text, DASHES, "-")
    text = pc.replace_substring(text, "\u2019", "'")
    found = pc.extract_regex(text, PARTS)

    def part(name: str) -> pa.Array:
        return pc.fill_null(pc.struct_field(found, name), "")

    def is_one_of(name: str, words: list[str]) -> np.ndarray:
        inside = pc.is_in(part(name), value_set=pa.array(words, TEXT))
        return np.asarray(inside.to_numpy(zero_copy_only=False))

    bracketed = pc.not_equal(part("open"), "")
    after = pc.if_else(bracketed, pc.utf8_rtrim(part("after"), ")"), part("after"))
    beside = pc.utf8_trim_whitespace(
        pc.binary_join_element_wise(part("before"), after, pa.scalar("", TEXT))
    ).dictionary_encode()
    written = beside.dictionary.to_pylist()
    names = [unit_name(one) for one in written]
    minus = is_one_of("sign", ["-"]) ^ is_one_of("inner", ["-", "("])
    # Behind an amount it is its sign (1.234,50-), behind a mark no cents (12,-); else a grade (2-).
    tail = is_one_of("tail", ["-", "--"])
    cents = pc.match_substring_regex(part("body"), "[.,]$").to_numpy(zero_copy_only=False)
    amount = pc.match_substring_regex(part("body"), "[.,][0-9]+$").to_numpy(zero_copy_only=False)
    signed = amount & is_one_of("tail", ["-"])
    body = without(part("body"), pa.array(tail & ~cents & ~signed))
    return _Parts(
        pc.fill_null(body, ""),
        part("exponent"),
        beside.indices.to_numpy(zero_copy_only=False),
        names,
        written,
        minus ^ is_one_of("open", ["("]) ^ signed,
        is_one_of("bound", [">"]).astype(float) - is_one_of("bound", ["<"]),
    )


def unit_name(written: str) -> str:
    """What is meant by a unit: currencies by their codes, others without the plural of a word."""
    if written in MONEY:
        return MONEY[written]
    if _is_measure(written):
        return written
    if much := _much_money(written):
        return " ".join(much)
    plain = written.casefold().rstrip(".")
    if len(written) == 1 and _is_measure(plain):  # S and H are also debit and credit
        return written
    return plain.removesuffix("s") if len(plain) > 2 else plain


def _is_measure(unit: str) -> bool:
    return any(unit in units for units in DIMENSIONS.values())


def _much_money(unit: str) -> tuple[str, str] | None:
    """The currency and the multiple of a unit, if it has both."""
    found = MUCH.fullmatch(unit)
    if found is None or bool(found["before"]) == bool(found["after"]):
        return None
    return MONEY[found["before"] or found["after"]], found["multiple"]


def find_numerals(
    distinct: pa.Array, counts: np.ndarray, decimal: str | None = None, codes: bool = False
) -> tuple[Numerals, str] | None:
    """How numbers are written, going by all of a column, and a sentence on what was in doubt.

    Parameters
    ----------
    distinct : the different texts of a column
    counts : how often each comes
    decimal : the mark before decimals, where it is known
    codes : whether it is known that they are numbers: also those with a needless leading 0

    Returns
    -------
    Numerals and str, or None
        None where hardly anything is a number, or some are codes.
    """
    if not codes and _split(distinct[:GLANCE]).there.mean() < 0.5:
        return None
    parts = _split(distinct)
    if not parts.there.any():
        return None
    if not codes and pc.any(pc.match_substring_regex(parts.body, CODE)).as_py():
        return None
    units = _find_units(parts, counts)
    doubts = [_find_bare(parts, units)]
    if decimal is None:
        money = any(unit in MONEY.values() for unit, _ in units)
        money &= all(factor == 1.0 for _, factor in units)  # 1.125M has three decimals
        decimal, doubt = _find_decimal(parts, counts, money)
        doubts.append(doubt)
    return Numerals(decimal, units), "; ".join(one for one in doubts if one)


def _find_units(parts: _Parts, counts: np.ndarray) -> tuple[tuple[str, float], ...]:
    """The units to take: all if they are of one dimension, else the commonest.

    A word that nobody knows is one where it stands beside most numbers: "5more" has none.
    """
    rows: dict[str, int] = {}
    spelled: dict[str, tuple[int, str]] = {}
    for place, many in enumerate(np.bincount(parts.unit, counts * parts.there).astype(int)):
        name, written = parts.names[place], parts.written[place]
        rows[name] = rows.get(name, 0) + int(many)
        spelled[name] = max(spelled.get(name, (0, "")), (int(many), written))
    least = sum(rows.values()) / 2
    there = sorted(
        (unit for unit in rows if rows[unit] and unit and (_is_known(unit) or rows[unit] > least)),
        key=lambda unit: -rows[unit],
    )
    if not there:
        return (("", 1.0),)
    currency = (_much_money(there[0]) or there)[0]
    much = [one for unit in there if (one := _much_money(unit)) and one[0] == currency]
    if much:
        large = {" ".join(one): MULTIPLES[one[1]] for one in much}
        return tuple(sorted({"": 1.0, currency: 1.0, **large}.items()))
    if len(there) == 1 and there[0] not in DIMENSIONS["multiples"]:
        return (("", 1.0), (_shown_unit(there[0], spelled), 1.0))
    for units in DIMENSIONS.values():
        if set(there) <= set(units):
            kept = [*there, ""] if "" in units else there
            return tuple((unit, units[unit]) for unit in sorted(kept))
    return ((_shown_unit(there[0], spelled), 1.0),)


def _is_known(unit: str) -> bool:
    """Whether a unit is money, a measure or a sign such as %."""
    known = unit in MONEY.values() or _is_measure(unit) or _much_money(unit) is not None
    return known or not unit[0].isalpha()


def _shown_unit(unit: str, spelled: dict[str, tuple[int, str]]) -> str:
    """A unit as most spell it: °C, not °c."""
    return unit if unit in MONEY.values() or _is_measure(unit) else spelled[unit][1]


def _find_bare(parts: _Parts, units: tuple[tuple[str, float], ...]) -> str:
    """What is in doubt where a unit does not stand beside all numbers; 0 is 0 of anything."""
    named = [unit for unit, factor in units if unit and factor == 1.0]
    if ("", 1.0) not in units or len(named) != 1:
        return ""
    bare = parts.there & np.array([name == "" for name in parts.names])[parts.unit]
    if not (shown := _first(parts.body, _holding(parts.body, bare, "[1-9]"))):
        return ""
    (unit,) = named
    return f"{shown!r} is taken for {shown} {unit}, though there is no {unit} beside it"


def _find_decimal(parts: _Parts, counts: np.ndarray, money: bool) -> tuple[str, str]:
    """The mark before decimals, and what was in doubt about it.

    "1,5" and "0,125" tell, and so do "1.960,50" and "1,234E+05". Where all that is marked looks
    like "27,079", with three digits behind the mark, these are thousands if it is money; or if
    whole numbers below 1000 have no mark, those above all have, and some end in 0, which no short
    decimal does.
    """
    bodies = parts.body
    powers = np.asarray(pc.not_equal(parts.exponent, "").to_numpy(zero_copy_only=False))
    fits = {
        mark: pc.match_substring_regex(bodies, BODIES[mark]).to_numpy(zero_copy_only=False)
        & ~_holding(bodies, powers, re.escape(other))  # nobody parts thousands there
        for mark, other in zip(BODIES, reversed(BODIES), strict=True)
    }
    only = {".": fits["."] & ~fits[","], ",": fits[","] & ~fits["."]}
    marked = pc.match_substring_regex(bodies, "[.,]").to_numpy(zero_copy_only=False)
    both = fits["."] & fits[","] & marked
    sums = {mark: float(counts[mask].sum()) for mark, mask in only.items()}
    shown = _first(bodies, both)
    if any(sums.values()):
        mark = max(sums, key=lambda one: sums[one])
        told = _first(bodies, only[mark])
        return mark, f"{shown!r} is read as {told!r} is" if shown else ""
    if not shown:
        return ".", ""
    mark = "," if "," in shown else "."
    other = "." if mark == "," else ","
    thousands = f"{shown!r} has a mark between thousands"
    if money:
        return other, f"{thousands}, as money has no three decimals"
    if not _holding(bodies, both, re.escape(other)).any():
        bare = fits["."] & ~marked
        if large := _first(bodies, _holding(bodies, bare, "^[1-9][0-9]{3}")):
            return mark, f"{shown!r} has decimals, as {large!r} has no mark between thousands"
        if (small := _first(bodies, bare)) and _holding(bodies, both, "0$").any():
            return other, f"{thousands}, as {small!r} and others below 1000 have none"
    whole, part = shown.replace(mark, ""), shown.replace(mark, ".", 1)
    taken, untaken = (whole, part) if mark == "," else (part, whole)
    return ".", f"{shown!r} is taken for {taken}, though nothing tells that it is not {untaken}"


def _holding(texts: pa.Array, mask: np.ndarray, pattern: str) -> np.ndarray:
    """Those of some texts that hold a pattern."""
    found = pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False)
    out: np.ndarray = found & mask
    return out


def _first(texts: pa.Array, mask: np.ndarray) -> str:
    """The first of some texts, or nothing."""
    return str(texts[int(mask.argmax())]) if mask.any() else ""
