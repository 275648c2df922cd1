"""One column of a table: what kind it is, and which features it becomes."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from nacre.data.text import Terms, learn_terms
from nacre.io.arrow import is_number, is_plain, is_text, pa, pc, spelled
from nacre.io.kinds import NUMBER, PATTERNS, dates, days, numbers, trimmed, truths

KINDS = ("number", "boolean", "date", "category", "text")

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

CODE = r"^\S*\d\S*$"
"""A code: one word with a digit in it."""

MOSTLY = 0.8
"""The share of codes that makes a column one of codes, which have no words to read."""


@dataclass(frozen=True)
class Column:
    """How one column becomes features: one or several columns of numbers.

    Attributes
    ----------
    name : str
    kind : number, boolean (0 and 1), date (days since 1970), category (codes) or text (components)
    levels : the categories that have a code of their own, in the order of the codes
    other : whether all other categories share the next code; else they are missing
    pattern : how dates are written, if they are text; ISO 8601 if empty
    terms : the words and character n-grams that text is read by
    """

    name: str
    kind: str
    levels: tuple[str, ...] = ()
    other: bool = False
    pattern: str = ""
    terms: tuple[Terms, ...] = ()

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features that it becomes."""
        if self.kind != "text":
            return (self.name,)
        return tuple(
            f"{self.name} ({one.kind} {k + 1})"
            for one in self.terms
            for k in range(one.components.shape[1])
        )

    @property
    def categorical(self) -> bool:
        """Whether they are codes of categories."""
        return self.kind == "category"

    def read(self, values: pa.ChunkedArray) -> np.ndarray:
        """The numbers that values stand for, a column a feature; NaN where there are none."""
        if self.kind == "text" and is_plain(values.type):
            return self._components(values)
        found = self._read(values)
        if found is None:
            raise ValueError(
                f"Column {self.name!r} holds {self._stranger(values)}, but the table it was "
                f"learned from had {_PLURALS[self.kind]} there."
            )
        return np.where(np.isinf(found), np.nan, found)[:, None]

    def _read(self, values: pa.ChunkedArray) -> np.ndarray | None:
        if not is_plain(values.type):
            return None
        if pa.types.is_null(values.type):
            return np.full(len(values), np.nan)
        if self.kind == "category":
            return self._codes(trimmed(spelled(values)))
        found: pa.ChunkedArray | None = values
        if is_text(values.type):
            values = trimmed(values)
            if self.kind == "date":
                found = dates(values, self.pattern)
            else:
                found = numbers(values)
                found = truths(values) if found is None else found
        if found is None or (self.kind == "date") != pa.types.is_temporal(found.type):
            return None
        return days(found) if self.kind == "date" else floats(found)

    def _codes(self, words: pa.ChunkedArray) -> np.ndarray:
        codes = floats(pc.index_in(words, value_set=pa.array(self.levels, words.type)))
        if self.other:
            codes[np.isnan(codes) & words.is_valid().to_numpy()] = len(self.levels)
        return codes

    def _components(self, values: pa.ChunkedArray) -> np.ndarray:
        words = trimmed(spelled(values))
        present = words.is_valid().to_numpy()
        texts = words.drop_null().to_pylist()
        out = np.full((len(words), len(self.features)), np.nan)
        out[present] = np.hstack([one.read(texts) for one in self.terms])
        return out

    def _stranger(self, values: pa.ChunkedArray) -> str:
        """A value that cannot be read, or what they all are."""
        if is_text(values.type):
            for value in values.unique().to_pylist():
                if self._read(pa.chunked_array([[value]], values.type)) is None:
                    return repr(shortened(value))
        return f"values of type {values.type}"


_PLURALS = {
    "number": "numbers",
    "boolean": "only true and false",
    "date": "dates",
    "category": "categories",
    "text": "text",
}


def learn_column(
    name: str, values: pa.ChunkedArray, choice: str | None = None
) -> tuple[Column | None, str]:
    """How to read a column, or None to set it aside; and a line on that, if there is a need.

    ``choice`` is what somebody has said that it is: "category" or "text".
    """
    if not is_plain(values.type):
        return _aside(name, f"it holds values of type {values.type}")
    if is_text(values.type):
        values = trimmed(values)
    if values.null_count == len(values):
        return _aside(name, "it is empty")
    if values.null_count == 0 and _all_equal(values):
        return _aside(name, f"every row has the same value, {shortened(str(values[0]))!r}")
    if choice == "category":
        return _category(name, spelled(values))
    if choice == "text":
        return _free_text(name, trimmed(spelled(values)))
    if pa.types.is_boolean(values.type):
        return Column(name, "boolean"), ""
    if pa.types.is_temporal(values.type):
        return Column(name, "date"), ""
    if is_number(values.type):
        return _number(name, values)
    return _text(name, values)


def floats(values: pa.ChunkedArray) -> np.ndarray:
    """Numbers or booleans as floats, NaN where there are none."""
    return np.array(values.cast(pa.float64(), safe=False).to_numpy())


def shortened(text: str) -> str:
    """Text to show in a line."""
    return text if len(text) <= 30 else text[:27] + "..."


def many(distinct: int, present: int) -> bool:
    """Whether values are so many that hardly any comes twice."""
    return distinct > max(FEW, present / 2)


def _aside(name: str, why: str) -> tuple[None, str]:
    return None, f"Column {name!r} is set aside: {why}."


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
        return _aside(name, "by its name it identifies rows")
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


def _counts_rows(values: pa.ChunkedArray) -> bool:
    """Whether whole numbers follow each other without a gap, in any order."""
    n = len(values)
    least, most = pc.min_max(values).as_py().values()
    if n <= FEW or values.null_count or most - least + 1 != n:
        return False
    return bool(pc.count_distinct(values).as_py() == n)


def _text(name: str, text: pa.ChunkedArray) -> tuple[Column | None, str]:
    distinct = text.unique().drop_null()
    if numbers(distinct, codes=False) is not None:
        return _number(name, numbers(text))
    if truths(distinct) is not None:
        return Column(name, "boolean"), ""
    for pattern in PATTERNS:
        if dates(distinct, pattern) is not None:
            read_as = f"Column {name!r}: dates are read as {pattern}."
            return Column(name, "date", pattern=pattern), read_as if "/" in pattern else ""
    numeric = pc.sum(pc.match_substring_regex(distinct, NUMBER)).as_py()
    mixed = "it mixes numbers and text" if 0 < numeric < len(distinct) else ""
    if _names_rows(name, text):
        return _aside(name, "by its name it identifies rows")
    differ = many(len(distinct), len(text) - text.null_count)
    long = len(distinct) > LONG and pc.mean(pc.utf8_length(distinct)).as_py() > LONG
    if long or differ or len(distinct) > MOST_LEVELS:
        if long or not _are_codes(distinct):
            return _free_text(name, text)
        if differ:
            what = f"{mixed}, and" if mixed else "it holds codes, and"
            return _aside(name, f"{what} differs in nearly every row")
    return _category(name, text, mixed)


def _are_codes(distinct: pa.Array) -> bool:
    """Whether values are single words with digits, or differ in little but their digits."""
    coded = pc.sum(pc.match_substring_regex(distinct, CODE)).as_py()
    frames = pc.count_distinct(pc.replace_substring_regex(distinct, r"\d+", "0")).as_py()
    return bool(coded > MOSTLY * len(distinct) or frames < (1.0 - MOSTLY) * len(distinct))


def _free_text(name: str, text: pa.ChunkedArray) -> tuple[Column | None, str]:
    terms = learn_terms(text.drop_null().to_pylist())
    if not terms:
        return _aside(name, "it is text without a word that comes twice")
    return Column(name, "text", terms=terms), ""


def _category(name: str, words: pa.ChunkedArray, mixed: str = "") -> tuple[Column | None, str]:
    levels, counts = words.drop_null().value_counts().flatten()
    counted = sorted(zip((-counts.to_numpy()).tolist(), levels.to_pylist(), strict=True))
    kept = sorted(word for _, word in counted[:MOST_LEVELS])
    notes = [f"{mixed}, and is taken for categories"] if mixed else []
    if len(counted) > len(kept):
        notes.append(f"of its {len(counted)} categories the commonest {len(kept)} are told apart")
    column = Column(name, "category", tuple(kept), other=len(counted) > len(kept))
    return column, f"Column {name!r}: {'; '.join(notes)}." if notes else ""
