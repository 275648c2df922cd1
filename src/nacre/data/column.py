"""One column of a table: what kind it is, and which features it becomes."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from nacre.data.reading import CHOICES, LEAST, Reading, Rule, find_rule
from nacre.data.text import Terms, learn_terms
from nacre.data.vectors import as_lists, lengths, read_vectors
from nacre.io.arrow import TEXT, as_text, is_number, is_plain, is_text, pa, pc, spelled
from nacre.io.dates import CLEAR, WHOLE
from nacre.io.kinds import CODE as CODED
from nacre.io.kinds import GLANCE, NUMBER, POINTED, days, numbers, trimmed

KINDS = ("number", "boolean", "time", "date", "category", "text", "vector")

PARTS = {"day": "", "day of year": " (day of year)", "weekday": " (weekday)", "hour": " (hour)"}
"""What a date may become, and the end of the feature's name. A year is some of the days, a month
some of the days of the year: learners that split need neither."""

MOST_LEVELS = 254
"""Categories told apart in a column: with one for all others, as many as a learner takes."""

FEW = 20
"""Values so few are never taken for names, numbers of rows or free text."""

LONG = 50
"""Text of more characters on average is free text, unless there is little of it."""

ROW_NAME = r"(?i)(id|uid|uuid|guid|row_?(id|nr|num|number))"
"""Names of columns that identify rows."""

MAYBE_ROW_NAME = r"(?i:.*[ _.-](id|uid|uuid|guid)|idx|index|unnamed: 0|column 1)|.*[a-z]I[dD]"
"""Names of columns that do, if they also have too many values for a category."""

INDEX = r"__index_level_\d+__"
"""Names under which Parquet files have the index of a data frame of pandas."""

CODE = r"^\S*\d\S*$"
"""A code: one word with a digit in it."""

PARTED = r"\d[.,:/ ]\d"
"""Digits with a mark between them, as numbers, dates and times have."""

TELLING = " What tells the classes may stand there."
"""How a note ends on a column that is set aside though there may be much in it."""

MOSTLY = 0.8
"""The share of codes that makes a column one of codes, which have no words to read."""


@dataclass(frozen=True)
class Column:
    """How one column becomes features: one or several columns of numbers.

    Attributes
    ----------
    name : str
    kind : number, boolean (0 and 1), time (hours), date (days since 1970), category (codes), text
        (components) or vector (lists of numbers)
    levels : the categories that have a code of their own, in the order of the codes
    other : whether all other categories share the next code; else they are missing
    rule : how text is read, where it stands for numbers
    parts : what a date becomes, of ``PARTS``
    terms : the words and character n-grams that text is read by
    width : how many numbers a vector has
    """

    name: str
    kind: str
    levels: tuple[str, ...] = ()
    other: bool = False
    rule: Rule | None = None
    parts: tuple[str, ...] = ()
    terms: tuple[Terms, ...] = ()
    width: int = 0

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features that it becomes."""
        if self.kind == "text":
            return tuple(
                f"{self.name} ({one.kind} {k + 1})"
                for one in self.terms
                for k in range(one.components.shape[1])
            )
        if self.kind == "vector":
            return tuple(f"{self.name} ({k + 1})" for k in range(self.width))
        return tuple(f"{self.name}{PARTS[part]}" for part in self.parts) or (self.name,)

    @property
    def categorical(self) -> bool:
        """Whether they are codes of categories."""
        return self.kind == "category"

    def read(self, values: pa.ChunkedArray) -> np.ndarray:
        """The numbers that values stand for, a column a feature; NaN where there are none."""
        if self.kind == "text" and is_plain(values.type):
            return self._components(values)
        if self.kind == "vector":
            return self._vectors(values)
        found = self._read(values) if is_plain(values.type) else None
        if found is None:
            raise ValueError(self._strange(f"values of type {shortened(str(values.type))}"))
        found = np.where(np.isinf(found), np.nan, found)
        return date_parts(found, self.parts) if self.parts else found[:, None]

    def _read(self, values: pa.ChunkedArray) -> np.ndarray | None:
        if pa.types.is_null(values.type):
            return np.full(len(values), np.nan)
        if self.kind == "category":
            return self._codes(trimmed(spelled(values)))
        if self.rule and WHOLE in self.rule.patterns and pa.types.is_integer(values.type):
            values = spelled(values)  # 20230117 is a date here
        if self.rule and is_number(values.type) and "" not in dict(self.rule.units):
            values = spelled(values)  # 5 is neither 5 kg nor 5 g
        if is_text(values.type):
            return self._numbers(values)
        if pa.types.is_temporal(values.type) != (self.kind in ("date", "time")):
            return None
        if self.kind == "time":
            return 24.0 * days(values)
        return days(values) if self.kind == "date" else floats(values)

    def _codes(self, words: pa.ChunkedArray) -> np.ndarray:
        codes = floats(pc.index_in(words, value_set=pa.array(self.levels, words.type)))
        strange = np.isnan(codes) & words.is_valid().to_numpy()
        if strange.any():
            known = {_plain(word): code for code, word in reversed([*enumerate(self.levels)])}
            others = words.filter(pa.array(strange))
            distinct = others.unique()
            again = [known.get(_plain(word), np.nan) for word in distinct.to_pylist()]
            codes[strange] = np.array(again)[pc.index_in(others, value_set=distinct).to_numpy()]
        if self.other:
            codes[strange & np.isnan(codes)] = len(self.levels)
        return codes

    def _components(self, values: pa.ChunkedArray) -> np.ndarray:
        words = trimmed(spelled(values))
        present = words.is_valid().to_numpy()
        texts = words.drop_null().to_pylist()
        out = np.full((len(words), len(self.features)), np.nan)
        out[present] = np.hstack([one.read(texts) for one in self.terms])
        return out

    def _vectors(self, values: pa.ChunkedArray) -> np.ndarray:
        if pa.types.is_null(values.type):
            return np.full((len(values), self.width), np.nan)
        lists = as_lists(values)
        if lists is None:
            raise ValueError(self._strange(f"values of type {shortened(str(values.type))}"))
        if strange := [size for size in lengths(lists) if size != self.width]:
            raise ValueError(
                f"Column {self.name!r} holds a list of {strange[0]} numbers, but the table it was "
                f"learned from had {self.width} in each."
            )
        return read_vectors(lists, self.width)

    def words(self, values: pa.ChunkedArray) -> list[sparse.csr_matrix]:
        """TF-IDF of the terms of text, a row a value; none of those that are missing."""
        texts = ["" if text is None else text for text in trimmed(spelled(values)).to_pylist()]
        return [one.weigh(texts) for one in self.terms]

    def _numbers(self, text: pa.ChunkedArray) -> np.ndarray:
        """What text stands for, each different one read once."""
        rule = self.rule or Rule(self.kind, patterns=CLEAR)
        words, rows, place = distinct_words(text)
        values = rule.values(words)
        strange = np.flatnonzero(np.isnan(values) & ~rule.are_gaps(words))
        if (unread := rows[strange].sum()) > (1 - LEAST) * rows.sum():
            raise ValueError(self._strange(repr(shortened(str(words[int(strange[0])])))))
        if unread:
            shown = ", ".join(repr(shortened(str(words[int(k)]))) for k in strange[:3])
            warnings.warn(
                f"Column {self.name!r}: {unread} of {rows.sum()} values cannot be read as "
                f"{_PLURALS[self.kind]} and are taken for missing ({shown}).",
                stacklevel=2,
            )
        if self.kind == "number" and self.rule is None:  # nothing told what a comma stands for
            marked = pc.match_substring(words, ",").to_numpy(zero_copy_only=False)
            for k in np.flatnonzero(marked & np.isfinite(values))[:1].tolist():
                warnings.warn(
                    f"Column {self.name!r}: {str(words[k])!r} is taken for {values[k]:.10g}; the "
                    "table it was learned from had plain numbers there.",
                    stacklevel=2,
                )
        return np.append(values, np.nan)[place]

    def _strange(self, what: str) -> str:
        comma = " with a decimal comma" if self.rule and self.rule.decimal == "," else ""
        return (
            f"Column {self.name!r} holds {what}, but the table it was learned from had "
            f"{_PLURALS[self.kind]}{comma} there."
        )


_PLURALS = {
    "number": "numbers",
    "boolean": "only true and false",
    "time": "times",
    "date": "dates",
    "category": "categories",
    "text": "text",
    "vector": "lists of numbers",
}


def distinct_words(text: pa.ChunkedArray) -> tuple[pa.Array, np.ndarray, np.ndarray]:
    """The different texts of a column without spaces, how often each comes, and which is where.

    What says that there is no value is left out; its place is -1, as that of gaps.
    """
    coded = text.cast(TEXT).combine_chunks()
    if isinstance(coded, pa.ChunkedArray):  # too long for one array
        coded = pa.concat_arrays(coded.chunks)
    coded = coded.dictionary_encode()
    words = trimmed(pa.chunked_array([coded.dictionary])).combine_chunks()
    there = np.asarray(words.is_valid().to_numpy(zero_copy_only=False))
    new = np.append(np.where(there, np.cumsum(there) - 1, -1), -1)
    place = new[coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)]
    return words.drop_null(), np.bincount(place + 1, minlength=there.sum() + 1)[1:], place


def date_parts(days: np.ndarray, parts: tuple[str, ...]) -> np.ndarray:
    """What becomes of days since 1970, a column a part."""
    whole = np.floor(days)
    gone = ~(np.abs(whole) < 1e7)  # years that calendars do not reach
    at = np.where(gone, 0, whole).astype("int64").astype("M8[D]")
    first = at.astype("M8[Y]").astype("M8[D]")
    found = {
        "day": days,
        "day of year": (at - first).astype(float) + 1,
        "weekday": (at.astype("int64") + 3) % 7.0,  # 1970 began on a Thursday; Monday is 0
        "hour": 24 * (days - whole),
    }
    out = np.column_stack([found[part] for part in parts])
    out[gone, 1:] = np.nan
    return out


def learn_column(
    name: str, values: pa.ChunkedArray, choice: str | None = None
) -> tuple[Column | None, str | Reading]:
    """How to read a column, or None to set it aside; and a line on that, if there is a need.

    ``choice`` is what somebody has said that it is: "category", "text" or a key of ``CHOICES``.
    """
    if choice is None and re.fullmatch(INDEX, name):
        return _aside(name, "it is the index of a data frame")
    if choice is None and (lists := as_lists(values)) is not None:
        return _vector(name, lists)
    if not is_plain(values.type):
        return _aside(name, f"it holds values of type {shortened(str(values.type))}", TELLING)
    if is_text(values.type):
        values = trimmed(values)
    if values.null_count == len(values):
        return _aside(name, "it is empty")
    if values.null_count == 0 and _all_equal(values):
        (value,) = as_text(values.slice(0, 1)).to_pylist()
        return _aside(name, f"every row has the same value, {shortened(value)!r}")
    if choice == "category":
        return _category(name, spelled(values))
    if choice == "text":
        return _free_text(name, trimmed(spelled(values)))
    if choice is not None:
        return _chosen(name, values, choice)
    if pa.types.is_boolean(values.type):
        return Column(name, "boolean"), ""
    if pa.types.is_temporal(values.type):
        return _temporal(name, values), ""
    if is_number(values.type):
        return _number(name, values)
    return _text(name, values)


def _chosen(name: str, values: pa.ChunkedArray, choice: str) -> tuple[Column | None, str | Reading]:
    """A column that is what somebody has said."""
    kind = CHOICES[choice]
    if pa.types.is_temporal(values.type) and kind in ("date", "time"):
        return _temporal(name, values), ""
    if kind in ("number", "boolean") and (
        is_number(values.type) or pa.types.is_boolean(values.type)
    ):
        if choice == "decimal-comma":
            raise ValueError(f"Column {name!r} holds plain numbers: there is no comma in them.")
        return Column(name, kind), ""
    return _by_rule(name, spelled(values), choice) or _aside(name, "it is empty")


def _temporal(name: str, values: pa.ChunkedArray) -> Column:
    clock = pa.types.is_time(values.type) or pa.types.is_duration(values.type)
    return Column(name, "time") if clock else _date(Column(name, "date"), days(values))


def _date(column: Column, days: np.ndarray) -> Column:
    """A column of dates, with those parts that differ and say more than the days do."""
    days = days[np.isfinite(days)]
    _, of_year, weekday, hour = date_parts(days, tuple(PARTS)).T
    years = len(np.unique(np.round(days - of_year)))
    told = {
        "day": True,
        "day of year": years > 1 and len(np.unique(of_year)) > 1,
        "weekday": len(np.unique(weekday)) > 1,
        "hour": len(np.unique(hour)) > 1,
    }
    return replace(column, parts=tuple(part for part in PARTS if told[part]))


def _by_rule(
    name: str, text: pa.ChunkedArray, choice: str | None = None
) -> tuple[Column | None, str | Reading] | None:
    """A column whose text stands for numbers, if there is a rule that reads it."""
    words, rows, place = distinct_words(text)
    found = find_rule(name, words, rows, choice)
    if found is None:
        return None
    rule, reading = found
    values = rule.values(words)
    if rule.kind == "number" and choice is None:
        all_of = pa.array(np.append(values, np.nan)[place], from_pandas=True)
        column, note = _number(name, pa.chunked_array([all_of]))
        if column is None:
            return None, note
    column = Column(name, rule.kind, rule=rule)
    return (_date(column, values) if rule.kind == "date" else column), reading


def floats(values: pa.ChunkedArray) -> np.ndarray:
    """Numbers or booleans as floats, NaN where there are none."""
    return np.array(values.cast(pa.float64(), safe=False).to_numpy())


def shortened(text: str) -> str:
    """Text to show in a line."""
    return text if len(text) <= 30 else text[:27] + "..."


def many(distinct: int, present: int) -> bool:
    """Whether values are so many that hardly any comes twice."""
    return distinct > max(FEW, present / 2)


def _aside(name: str, why: str, more: str = "") -> tuple[None, str]:
    return None, f"Column {name!r} is set aside: {why}.{more}"


def _all_equal(values: pa.ChunkedArray) -> bool:
    return bool(pc.all(pc.equal(values, values[0])).as_py())


def _number(name: str, values: pa.ChunkedArray) -> tuple[Column | None, str]:
    if not pc.any(pc.is_finite(values)).as_py():
        return _aside(name, "its numbers are infinite")
    try:
        whole = values.cast(pa.int64())
    except pa.ArrowInvalid:
        infinite = pc.sum(pc.is_inf(values)).as_py()
        note = f"Column {name!r}: infinite numbers ({infinite}) are taken for missing."
        return Column(name, "number"), note if infinite else ""
    if _names_rows(name, whole):
        return _aside(name, _identifies(whole))
    if _counts_rows(whole):
        return _aside(name, "it numbers the rows")
    return Column(name, "number"), ""


def _names_rows(name: str, values: pa.ChunkedArray) -> bool:
    if re.fullmatch(ROW_NAME, name):
        return True
    if not re.fullmatch(MAYBE_ROW_NAME, name):
        return False
    distinct = pc.count_distinct(values).as_py()
    return distinct > MOST_LEVELS or many(distinct, len(values) - values.null_count)


def _identifies(values: pa.ChunkedArray) -> str:
    """Why a column that names rows is set aside; where each of its values comes twice, a hint."""
    said = "by its name it identifies rows"
    if 2 * pc.count_distinct(values).as_py() > len(values) - values.null_count:
        return said
    return f"{said}, but its values repeat: if they say what belongs together, name it (--group)"


def _counts_rows(values: pa.ChunkedArray) -> bool:
    """Whether whole numbers follow each other without a gap, in any order."""
    n = len(values)
    least, most = pc.min_max(values).as_py().values()
    if n <= FEW or values.null_count or most - least + 1 != n:
        return False
    return bool(pc.count_distinct(values).as_py() == n)


def _text(name: str, text: pa.ChunkedArray) -> tuple[Column | None, str | Reading]:
    distinct = text.unique().drop_null()
    if (plain := numbers(distinct, codes=False)) is not None:
        doubtful = pa.types.is_floating(plain.type) and _maybe_thousands(distinct)
        return (_by_rule(name, text) if doubtful else None) or _number(name, numbers(text))
    if (found := _by_rule(name, text)) is not None:
        return found
    numeric = pc.sum(pc.match_substring_regex(distinct, NUMBER)).as_py()
    mixed = "it mixes numbers and text" if 0 < numeric < len(distinct) else ""
    if _names_rows(name, text):
        return _aside(name, _identifies(text))
    differ = many(len(distinct), len(text) - text.null_count)
    long = len(distinct) > LONG and pc.mean(pc.utf8_length(distinct)).as_py() > LONG
    if long or differ or len(distinct) > MOST_LEVELS:
        if long or not _are_codes(distinct):
            return _free_text(name, text)
        if differ:
            what = f"{mixed}, and" if mixed else "it holds codes, and"
            telling = mixed or _share(distinct, PARTED) > MOSTLY
            return _aside(name, f"{what} differs in nearly every row", TELLING if telling else "")
    return _category(name, text, mixed)


def _maybe_thousands(distinct: pa.Array) -> bool:
    """Whether points may stand between thousands: three digits behind each, some below 1000 bare.

    Where every value has a point nothing is at stake: the order is the same either way.
    """
    for part in (distinct[:GLANCE], distinct):  # most columns show in a few rows that they cannot
        if not pc.all(pc.match_substring_regex(part, POINTED)).as_py():
            return False
    return not pc.all(pc.match_substring(distinct, ".")).as_py()


def _are_codes(distinct: pa.Array) -> bool:
    """Whether values are single words with digits, or differ in little but their digits."""
    frames = pc.count_distinct(pc.replace_substring_regex(distinct, r"\d+", "0")).as_py()
    return _share(distinct, CODE) > MOSTLY or bool(frames < (1.0 - MOSTLY) * len(distinct))


def _plain(word: str) -> str:
    """A category as any file would spell it: numbers by their value, but not codes such as 007."""
    return f"{float(word):.17g}" if re.match(NUMBER, word) and not re.match(CODED, word) else word


def _share(distinct: pa.Array, pattern: str) -> float:
    """Of values that a pattern fits."""
    return float(pc.mean(pc.match_substring_regex(distinct, pattern)).as_py())


def _free_text(name: str, text: pa.ChunkedArray) -> tuple[Column | None, str | Reading]:
    terms = learn_terms(text.drop_null().to_pylist())
    if not terms:
        return _aside(name, "it is text without a word that comes twice", TELLING)
    how = f"text, by {' and '.join(_TERMS[one.kind] for one in terms)}"
    texts = text.drop_null().slice(0, 3).to_pylist()
    said = zip(texts, terms[0].heaviest(texts), strict=True)
    examples = tuple((shortened(one), ", ".join(words) or "nothing known") for one, words in said)
    return Column(name, "text", terms=terms), Reading(name, "text", how, examples)


_TERMS = {"words": "its words", "characters": "parts of its words"}


def _vector(name: str, lists: pa.ChunkedArray) -> tuple[Column | None, str | Reading]:
    sizes = lengths(lists)
    if not sizes or sizes == [0]:
        return _aside(name, "its lists are empty")
    if len(sizes) > 1:
        return _aside(
            name, f"its lists have {sizes[0]} to {sizes[-1]} numbers, not all as many", TELLING
        )
    width = sizes[0]
    example = str(lists.drop_null()[0].as_py()[:4])
    told = ((shortened(example), f"{width} numbers"),)
    reading = Reading(name, "vector", f"lists of {width} numbers", told)
    return Column(name, "vector", width=width), reading


def _category(name: str, words: pa.ChunkedArray, mixed: str = "") -> tuple[Column | None, str]:
    levels, counts = words.drop_null().value_counts().flatten()
    counted = sorted(zip((-counts.to_numpy()).tolist(), levels.to_pylist(), strict=True))
    kept = sorted(word for _, word in counted[:MOST_LEVELS])
    notes = [f"{mixed}, and is taken for categories"] if mixed else []
    if len(counted) > len(kept):
        notes.append(f"of its {len(counted)} categories the commonest {len(kept)} are told apart")
    column = Column(name, "category", tuple(kept), other=len(counted) > len(kept))
    return column, f"Column {name!r}: {'; '.join(notes)}." if notes else ""
