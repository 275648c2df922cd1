"""Which columns of a table a model learns from, and what its labels are."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse

from nacre.data.column import (
    KINDS,
    MOST_LEVELS,
    PARTS,
    TELLING,
    Column,
    learn_column,
    shortened,
)
from nacre.data.labels import JOIN, MOST_CLASSES, Label, joined, label_words, learn_classes
from nacre.data.reading import CHOICES, Reading, Rule, reading_from_dict, rule_from_dict
from nacre.data.text import ANALYZERS, Terms
from nacre.io.arrow import TEXT, as_column, pa, pc
from nacre.io.read import Source, read_source, read_table

MOST_FEATURES = 1_000_000


class NothingToLearnFrom(ValueError):
    """A table has labels, but no column that they could be learned from."""


@dataclass(frozen=True)
class Schema:
    """How a table becomes a matrix and labels: learned from one table, applied to others.

    It helps wherever a table comes from a file and a model wants numbers. It is no feature
    engineering: text becomes the first components of its words and character n-grams (latent
    semantic analysis), dates become days, weekdays and the like, and nothing is scaled or filled
    in, which the learners of nacre do not need.

    Attributes
    ----------
    label : name of the column of labels
    classes : the labels there are, ascending: text, whole numbers or booleans
    columns : tuple of Column
        How each column that is learned from becomes numbers: name, kind, levels.
    id : name of the column that identifies rows, or None
    notes : lines on what was set aside or may surprise
    readings : tuple of Reading
        How text was understood that stands for numbers, with examples: each prints as a line.
    join_labels : whether labels that differ in case, spaces or the form of letters are one

    Examples
    --------
    >>> import numpy as np
    >>> from nacre.data import Schema
    >>> from nacre.io import read_table
    >>> rows = [(34, "no", "well"), (51, "yes", "ill"), (47, "no", "well")]
    >>> kinds = [("age", int), ("smokes", "U3"), ("state", "U4")]
    >>> frame = read_table(np.array(rows, kinds))
    >>> schema = Schema.learn(frame, label="state")
    >>> schema.matrix(frame)
    array([[34.,  0.],
           [51.,  1.],
           [47.,  0.]])
    >>> schema.features, schema.categorical
    (('age', 'smokes'), ())
    >>> labels, known = schema.labels(frame)
    >>> labels
    array(['well', 'ill', 'well'], dtype='<U4')
    """

    label: str
    classes: tuple[Label, ...]
    columns: tuple[Column, ...]
    id: str | None = None
    notes: tuple[str, ...] = ()
    readings: tuple[Reading, ...] = ()
    join_labels: bool = False

    @classmethod
    def learn(
        cls,
        frame: Any,
        label: str,
        *,
        categorical_features: Iterable[str] = (),
        text: Iterable[str] = (),
        ignore: Iterable[str] = (),
        id: str | None = None,
        read: Mapping[str, str] | None = None,
        join_labels: bool = False,
        written: Any = None,
    ) -> Schema:
        """Find out what the columns of a table are.

        A column is a number, a boolean, a time, a date, a category, text or a vector (lists of
        numbers, all of one length: an embedding). What is text in the
        table is read as one of the first where one rule reads nearly all of it: marks between
        thousands, decimal commas, units, dates in many forms, yes and no; ``readings`` says how.
        Text to read as such is long, differs in nearly every row, or has more values than
        categories are told apart. Set aside, with a note, are columns that are empty or have one
        value, and that number or name the rows (such as ``id``).

        Parameters
        ----------
        frame : whatever ``read_table`` takes
        label : name of the column of labels
        categorical_features : names of columns that are categories, whatever they look like
        text : names of columns that are text to read, whatever they look like
        ignore : names of columns to leave out
        id : name of the column that identifies rows, which is left out too
        read : by the names of columns, what they are: "number", "decimal-comma", "decimal-point",
            "time", "boolean", "date", "day-first", "month-first", "category", "text" or "ignore"
        join_labels : take labels for one that differ in case, spaces or the form of letters only
        written : the column of labels as its file spells it (Arrow), where words such as NA are
            missing from ``frame`` that a note is to name

        Raises
        ------
        ValueError
            Where there is no such column, or no label to learn from, or nothing to learn it by.
        """
        frame = read_table(frame)
        names = frame.columns
        label = find_column(label, names)
        left_out = {*ignore} if id is None else {*ignore, id := find_column(id, names)}
        groups = {"category": categorical_features, "text": text, "ignore": left_out}
        chosen = _chosen(names, read, groups)
        if label in chosen:
            raise ValueError(f"Column {label!r} has the labels: it cannot be anything else.")
        if not len(frame):
            raise ValueError("The table has no rows.")
        classes, said = learn_classes(label, as_column(frame[label]), join_labels, written)
        columns, readings, notes = [], [], []
        for name in names:
            if name == label or chosen.get(name) == "ignore":
                continue
            column, note = learn_column(name, as_column(frame[name]), chosen.get(name))
            columns += [column] if column else []
            if isinstance(note, Reading):
                readings.append(note)
            notes += [str(note)] if note and not getattr(note, "plain", False) else []
        if not columns:
            others = _listed(name for name in names if name != label)
            why = f"All others are ignored or set aside: {others}." if others else "There is none."
            why = " ".join([why, *notes[:3]])
            raise NothingToLearnFrom(f"No column is left to learn {label!r} from. {why}")
        notes = [*said, *notes]
        notes.sort(key=lambda note: (not note.endswith(JOIN), not note.endswith(TELLING)))
        return cls(label, classes, tuple(columns), id, tuple(notes), tuple(readings), join_labels)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns of the table that are learned from."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def features(self) -> tuple[str, ...]:
        """The columns of the matrix: one or several for each column of the table."""
        return tuple(name for column in self.columns for name in column.features)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """The column of the table that each column of the matrix comes from."""
        return tuple(column.name for column in self.columns for _ in column.features)

    @cached_property
    def categorical(self) -> tuple[int, ...]:
        """The columns of the matrix that hold categories, by number."""
        held = [column.categorical for column in self.columns for _ in column.features]
        return tuple(j for j, one in enumerate(held) if one)

    @cached_property
    def components(self) -> tuple[int, ...]:
        """The columns of the matrix that are components of texts, by number."""
        kinds = [column.kind for column in self.columns for _ in column.features]
        return tuple(j for j, kind in enumerate(kinds) if kind == "text")

    @cached_property
    def shown(self) -> tuple[int, ...]:
        """The columns of the matrix whose values a person can read: no components of text, say."""
        held = [
            column.kind not in ("text", "vector")
            for column in self.columns
            for _ in column.features
        ]
        return tuple(j for j, one in enumerate(held) if one)

    def matrix(self, frame: Any) -> np.ndarray:
        """A table as numbers.

        Parameters
        ----------
        frame : whatever ``read_table`` takes
            The columns may stand in any order; others are ignored.

        Returns
        -------
        array of shape (n, d) of floats
            NaN where a value is missing or infinite, or a category that was not seen in learning
            (which counts as other where there were too many to tell all of them apart).

        Raises
        ------
        ValueError
            Where columns are missing, or hold what cannot be read as what they were.
        """
        source = read_source(frame)
        for note in source.notes:
            warnings.warn(note, stacklevel=2)
        frame = self.by_rule(source)
        there = set(frame.columns)
        if missing := [repr(name) for name in self.names if name not in there]:
            s = "s" * (len(missing) > 1)
            raise ValueError(
                f"The table lacks the column{s} {_listed(missing)}: all that the model has learned "
                "from must be there."
            )
        out, start = np.empty((len(frame), len(self.features))), 0
        for column in self.columns:
            stop = start + len(column.features)
            out[:, start:stop] = column.read(as_column(frame[column.name]))
            start = stop
        return out

    def by_rule(self, source: Source) -> nw.DataFrame[Any]:
        """A table whose numbers are as its text file spells them, where a rule is to read them.

        65.000 is a plain number to whoever sees that file alone, and 65000 where the rule has a
        decimal comma. Categories are found as they are spelled, too: 1.10 may not be 1.1.
        """
        frame, spelling = source.frame, source.spelling
        if spelling is None:
            return frame
        for column in self.columns:
            comma = column.rule is not None and column.rule.decimal == ","
            if not (comma or column.categorical) or column.name not in frame.columns:
                continue
            values = as_column(frame[column.name])
            if pa.types.is_floating(values.type):
                text = spelling.cells.get(column.name, values.cast(TEXT))
                series = nw.from_native(text, series_only=True).alias(column.name)
                frame = frame.with_columns(series)
        return frame

    def words(self, frame: Any) -> sparse.csr_matrix | None:
        """TF-IDF of the words and character n-grams of all texts, a row a row; None without text.

        The columns may stand in any order, as for ``matrix``.
        """
        texts = [column for column in self.columns if column.kind == "text"]
        if not texts:
            return None
        frame = read_table(frame)
        each = [one for text in texts for one in text.words(as_column(frame[text.name]))]
        return sparse.hstack(each, "csr")

    def codes(self, frame: Any) -> np.ndarray:
        """The labels of a table as places in ``classes``, -1 for rows without one.

        Raises
        ------
        ValueError
            Where there is no such column, or it holds labels that were not seen in learning.
        """
        words, codes = self._places(read_table(frame), self.label)
        strange = words.filter(pc.and_(words.is_valid(), codes.is_null()))
        if len(strange):
            raise ValueError(
                f"Column {self.label!r} holds {shortened(str(strange[0]))!r}, which is none of the "
                f"classes that were learned: {_listed(self.classes)}."
            )
        return np.asarray(codes.fill_null(-1).to_numpy(), np.int64)

    def former_codes(self, frame: Any, name: str) -> np.ndarray:
        """Labels of another column as places in ``classes``, -1 where they are none of them."""
        return np.asarray(self._places(frame, name)[1].fill_null(-1).to_numpy(), np.int64)

    def _places(self, frame: Any, name: str) -> tuple[Any, Any]:
        """What a column of labels says, and the places of that in ``classes``."""
        words = label_words(name, as_column(frame[find_column(name, frame.columns)]))
        classes = pa.array([str(one) for one in self.classes], words.type)
        if self.join_labels:
            words, classes = joined(words), joined(pa.chunked_array([classes])).combine_chunks()
        return words, pc.index_in(words, value_set=classes)

    def labels(self, frame: Any) -> tuple[np.ndarray, np.ndarray]:
        """The labels of a table.

        Returns
        -------
        labels : array
            Of the rows that have one.
        known : boolean array of shape (n,)
            Which rows those are.
        """
        codes = self.codes(frame)
        known = codes >= 0
        return np.array(self.classes)[codes[known]], known

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data, fit for a model file and, but for the arrays of text, JSON."""
        found: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(self)}
        found["columns"] = [
            {
                **vars(column),
                "rule": column.rule and asdict(column.rule),
                "terms": [one.to_dict() for one in column.terms],
            }
            for column in self.columns
        ]
        found["readings"] = [asdict(one) for one in self.readings]
        return _plain(found)

    @classmethod
    def from_dict(cls, plain: Any) -> Schema:
        """From what ``to_dict`` gave; ValueError for anything else."""
        _expect(isinstance(plain, dict))
        plain = {"readings": [], "join_labels": False, **plain}  # which earlier files do not have
        _expect(set(plain) == {one.name for one in fields(cls)})
        _expect(isinstance(plain["label"], str))
        _expect(plain["id"] is None or isinstance(plain["id"], str))
        _expect(_is_list_of(plain["notes"], str))
        classes = plain["classes"]
        _expect(any(_is_list_of(classes, kind) for kind in (str, int, bool)))
        _expect(2 <= len(set(classes)) == len(classes) <= MOST_CLASSES)
        _expect(_is_list_of(plain["columns"], dict))
        columns = tuple(map(_column_from_dict, plain["columns"]))
        names = [column.name for column in columns]
        _expect(0 < len(set(names)) == len(names))
        _expect(plain["label"] not in names and plain["id"] not in names)
        _expect(isinstance(plain["join_labels"], bool) and isinstance(plain["readings"], list))
        readings = tuple(map(reading_from_dict, plain["readings"]))
        return cls(
            plain["label"], tuple(classes), columns, plain["id"], tuple(plain["notes"]), readings,
            plain["join_labels"],
        )  # fmt: skip


def find_column(name: Any, names: list[str]) -> str:
    """A column by its name, or an error that says which are there."""
    if np.ndim(name):
        raise ValueError(
            f"A column is asked for by its name, and {type(name).__name__} is none: put the values "
            "into the table as a column."
        )
    name = str(name)
    if name in names:
        return name
    folded = {one.casefold(): one for one in names}
    near = [folded[one] for one in get_close_matches(name.casefold(), folded, 3, 0.6)]
    hint = (
        f"did you mean {' or '.join(map(repr, near))}?"
        if near
        else f"the columns are {_listed(names)}."
    )
    raise ValueError(f"There is no column {name!r}: {hint}")


def _chosen(
    names: list[str], read: Mapping[str, str] | None, groups: Mapping[str, Iterable[str]]
) -> dict[str, str]:
    """What somebody has said that columns are; ValueError where two say different things."""
    said = [(name, kind) for kind, some in groups.items() for name in some]
    for name, kind in (read or {}).items():
        if kind not in CHOICES and kind not in groups:
            known = ", ".join([*CHOICES, *groups])
            raise ValueError(f"Column {name!r} cannot be read as {kind!r}: choose of {known}.")
        said.append((name, kind))
    chosen: dict[str, str] = {}
    for name, kind in said:
        found = find_column(name, names)
        if chosen.setdefault(found, kind) != kind:
            both = " and be ".join(_SAID.get(one, f"a {one}") for one in (chosen[found], kind))
            raise ValueError(f"Column {found!r} cannot be {both}: choose one.")
    return chosen


_SAID = {"ignore": "left out", "text": "text"}


def _listed(values: Iterable[Any]) -> str:
    shown = [shortened(str(value)) for value in values]
    return ", ".join(shown[:10]) + (f" and {len(shown) - 10} more" if len(shown) > 10 else "")


# From files that anyone may have written


def _expect(fine: bool) -> None:
    if not fine:
        raise ValueError("The description of the columns is damaged.")


def _is_list_of(values: Any, kind: type) -> bool:
    return isinstance(values, list) and all(type(value) is kind for value in values)


def _column_from_dict(plain: dict[str, Any]) -> Column:
    plain = _of_today(plain)
    _expect(set(plain) == {one.name for one in fields(Column)})
    name, kind, levels, other, rule, parts, terms, width = (
        plain[one.name] for one in fields(Column)
    )
    _expect(isinstance(name, str) and isinstance(other, bool))
    _expect(isinstance(kind, str) and kind in KINDS)
    _expect(_is_list_of(levels, str) and len(set(levels)) == len(levels) <= MOST_LEVELS)
    _expect(bool(levels) == (kind == "category") and (levels or not other))
    found = None if rule is None else rule_from_dict(rule)
    _expect(found is None or found.kind == kind)
    _expect(_is_list_of(parts, str) and parts == [one for one in PARTS if one in parts])
    _expect(parts[:1] == (["day"] if kind == "date" else []))
    _expect(isinstance(terms, list) and len(terms) <= len(ANALYZERS))
    _expect(bool(terms) == (kind == "text"))
    _expect(type(width) is int and 0 <= width <= MOST_FEATURES)
    _expect(bool(width) == (kind == "vector"))
    read = tuple(map(Terms.from_dict, terms))
    return Column(name, kind, tuple(levels), other, found, tuple(parts), read, width)


def _of_today(plain: dict[str, Any]) -> dict[str, Any]:
    """A column of an earlier version, which had one ``pattern`` for dates, and the day only."""
    plain = {"terms": [], "width": 0, **plain}
    if "rule" not in plain and "parts" not in plain and isinstance(plain.get("pattern"), str):
        pattern, date = plain.pop("pattern"), plain.get("kind") == "date"
        _expect(date or not pattern)
        rule = Rule("date", patterns=(pattern or "%Y-%m-%d",))
        plain |= {"rule": _plain(asdict(rule)) if date else None, "parts": ["day"] * date}
    return plain


def _plain(values: Any) -> Any:
    """Plain data with lists for tuples, as JSON has them."""
    if isinstance(values, dict):
        return {key: _plain(one) for key, one in values.items()}
    return [_plain(one) for one in values] if isinstance(values, (list, tuple)) else values
