"""A table whose columns are known: what all commands on a file begin with."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from nacre.auditing.crowd import (
    answers_by,
    answers_in_columns,
    answers_in_file,
    notes_on,
    with_consensus,
)
from nacre.auditing.explain import shortened
from nacre.auditing.probabilities import read_pred_probs, with_probabilities
from nacre.data import Schema, TrainingRows, as_groups
from nacre.data.answers import Answers
from nacre.data.folds import find_units
from nacre.data.labels import JOIN, learn_classes
from nacre.data.schema import NothingToLearnFrom, find_column
from nacre.io.arrow import as_column, is_number, plain_values
from nacre.io.frames import free_name, is_missing
from nacre.io.place import INPUT, known_file, split_place
from nacre.io.read import read_source
from nacre.io.size import MOST, check_memory
from nacre.io.spelling import Spelling

ADDED = ("nacre_label", "nacre_suspect", "nacre_score")
"""Columns that an audit adds to a table, and never learns from."""

DECIDED = ("nacre_decision", "nacre_given", "nacre_who", "nacre_when", "checked")
"""Columns that a review adds to a table; where the first is there, none of them is learned from."""

TRUE = ("1", "1.0", "true", "t", "yes", "y")
FALSE = ("0", "0.0", "false", "f", "no", "n", "none", "nan", "")


FEWEST = 10
"""Rows that labels can be judged with."""


@dataclass(frozen=True, eq=False)
class Loaded:
    """A table, read.

    Attributes
    ----------
    source : what the table is called
    frame : the table as it came
    schema : which of its columns are learned from, and how
    matrix : all rows as numbers
    codes : the label of each row as a place in the schema's classes, -1 where there is none
    trusted : boolean array, which of the labelled rows are trusted, or None
    group : name of the column of groups, or None
    spelling : how the table's text file spells it, or None
    notes : lines on what was set aside or may surprise
    clean : name of the column that says whose label is trusted, or None
    former : name of the column of labels as they were before rows were checked, or None
    path : the file that the table came from, or None
    pred_probs : probabilities of the classes of all rows by somebody's own model, or None
    alone : whether labels are judged by these alone, there being nothing else to learn from
    annotator : name of the column that says who gave the label, or None
    answers : who said what of which row of the table, or None
    part : the sheet or table in that file, or None
    suffix : of files that hold such a table: .csv, .parquet or .xlsx
    numbers : of the rows in the whole table, where these are some of its rows
    renamed : other names that the table's own columns get where an audit adds columns of theirs
    """

    source: str
    frame: nw.DataFrame[Any]
    schema: Schema
    matrix: np.ndarray
    codes: np.ndarray
    trusted: np.ndarray | None
    group: str | None = None
    spelling: Spelling | None = None
    notes: Sequence[str] = ()
    clean: str | None = None
    former: str | None = None
    path: Path | None = None
    pred_probs: np.ndarray | None = None
    alone: bool = False
    annotator: str | None = None
    answers: Answers | None = None
    part: str | None = None
    suffix: str = ".csv"
    numbers: np.ndarray | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def known(self) -> np.ndarray:
        """Which rows have a label."""
        return self.codes >= 0

    @cached_property
    def rows(self) -> np.ndarray:
        """Where the labelled rows stand in the table."""
        return np.flatnonzero(self.known)

    @cached_property
    def original(self) -> np.ndarray | None:
        """Codes of the labels of trusted rows before they were checked, -1 where not known."""
        if self.former is None or self.trusted is None:
            return None
        codes = self.schema.former_codes(self.frame, self.former)[self.known]
        return np.where(self.trusted, codes, -1)

    @property
    def size(self) -> tuple[int, int, int]:
        """Labelled rows, features and classes."""
        return len(self.rows), self.matrix.shape[1], len(self.schema.classes)

    def numbered(self, rows: np.ndarray) -> np.ndarray:
        """The numbers in the table, as users know it, of labelled rows."""
        own = self.rows[rows]
        return own if self.numbers is None else self.numbers[own]

    @cached_property
    def classes(self) -> np.ndarray:
        """The labels there are, as an array."""
        return np.array(self.schema.classes)

    @cached_property
    def training(self) -> TrainingRows:
        """The labelled rows."""
        n = len(self.rows)
        groups = None
        if self.group is not None:
            values = plain_values(self.frame[self.group][self.rows])
            words = [None if is_missing(value) else str(value) for value in values]
            if None in words:
                raise ValueError(
                    f"Column {self.group!r} has gaps: give each row the group it belongs to."
                )
            groups = as_groups(np.array(words, object), n)
        matrix = self.matrix if self.known.all() else self.matrix[self.known]
        codes = self.codes[self.known]
        weight = once_each(matrix, codes)
        return TrainingRows(
            matrix,
            codes,
            len(self.classes),
            weight / weight.sum(),
            None if np.all(weight == 1.0) else weight,
            categorical=self.schema.categorical,
            n_given=n,
            groups=groups,
            words=None if self.text_words is None else self.text_words[self.known],
            components=self.schema.components,
        )

    @cached_property
    def text_words(self) -> Any:
        """The words of all rows, where there is text; a sparse array."""
        return self.schema.words(self.frame)

    def require_rows(self) -> None:
        """Raise where there are too few labels to judge any."""
        if len(self.rows) < FEWEST:
            raise ValueError(
                f"Only {len(self.rows)} rows have a label: judging labels takes {FEWEST} or more."
            )

    def words(self, codes: np.ndarray) -> list[Any]:
        """The labels that codes stand for, as plain values."""
        return [self.schema.classes[code] for code in codes.tolist()]

    def with_columns(self, values: dict[str, list[Any]]) -> nw.DataFrame[Any]:
        """The table with columns added, or replaced where they are those of an earlier audit."""
        frame = self.frame.rename(dict(self.renamed)) if self.renamed else self.frame
        return frame.with_columns(**self.series(values))

    def series(self, values: dict[str, list[Any]]) -> dict[str, nw.Series[Any]]:
        """Columns of the kind that the table's are."""
        backend = self.frame.implementation
        return {name: nw.new_series(name, one, backend=backend) for name, one in values.items()}

    def cell(self, row: int, feature: int) -> str:
        """What stands in the table at a labelled row, in the column that a feature comes from."""
        return cell(self.frame, self.schema.sources[feature], int(self.rows[row]))


def load(
    table: Any,
    label: str | int | Sequence[str | int] | None,
    *,
    annotator: str | None = None,
    answers: Any = None,
    clean: str | None = None,
    original: str | None = None,
    id: str | None = None,
    group: str | None = None,
    categorical_features: Iterable[str] = (),
    text: Iterable[str] = (),
    ignore: Iterable[str] = (),
    read: Mapping[str, str] | None = None,
    join_labels: bool = False,
    pred_probs: Any = None,
    source: str | None = None,
    max_size: float = MOST,
) -> Loaded:
    """Read a table and find out what its columns are; parameters as those of an audit.

    ``source`` is what to call it; default the name of its file, or "table".
    """
    origin = read_source(table, max_size=max_size)
    frame = origin.frame
    check_memory(*frame.shape)
    cells = {} if origin.spelling is None else origin.spelling.cells
    said: list[str] = []
    id, clean, annotator, group = (
        None if one is None else find_column(one, frame.columns)
        for one in (id, clean, annotator, group)
    )
    given, several = None, _several(label, len(frame), frame.columns)
    label, several = (several[0], []) if len(several) == 1 else (None, several)
    consensus = answers is not None or label is None
    if consensus:
        given, spelt = _read_given(
            frame, label, several, annotator, answers, id, join_labels, cells
        )
        frame, label, given, said = with_consensus(frame, given)
        said = [*spelt, *said]
    label = find_column(label, frame.columns)
    if unsaved := [note for note in origin.notes if note.startswith(f"Column {label!r} holds")]:
        raise ValueError(unsaved[0])
    trusted = None if clean is None else trusted_rows(frame, clean)
    own = added_columns(frame.columns, label)
    renamed = _renamed(frame, label)
    said += [
        f"The table has a column {name!r} of its own: the cleaned table has it as {other!r}"
        f"{'' if name == label else ', and it is not learned from'}."
        for name, other in renamed.items()
    ]
    checked = trusted is not None and not consensus
    original = _former(frame, original, checked, annotator)
    asides = (clean, original, group, annotator)
    left_out = [*_names(ignore), *own, *several, *(one for one in asides if one is not None)]
    learn = partial(
        Schema.learn, label=label, id=id, join_labels=join_labels, written=cells.get(label)
    )
    chances, alone = None, False
    if pred_probs is not None:
        classes = learn_classes(label, as_column(frame[label]), join_labels, cells.get(label))[0]
        chances = read_pred_probs(pred_probs, classes, len(frame))
    try:
        schema = learn(
            frame,
            categorical_features=_names(categorical_features),
            text=_names(text),
            ignore=left_out,
            read=read,
        )
    except NothingToLearnFrom:
        if chances is None:
            raise
        alone, others = True, [name for name in frame.columns if name not in (label, id)]
        frame = with_probabilities(frame, chances, classes)
        schema = learn(frame, ignore=others)
    check_memory(len(frame), len(schema.features))
    codes = schema.codes(frame)
    if trusted is not None:
        trusted = trusted[codes >= 0]
        _refuse_all_or_none(trusted, clean)
    named = isinstance(table, (str, os.PathLike)) and os.fspath(table) != INPUT
    path = known_file(table)
    name = source or (Path(table).name if named else "table")
    if annotator is not None:
        if annotator == schema.label:
            raise ValueError(f"Column {annotator!r} has the labels: it cannot say who gave them.")
        given = answers_by(frame, annotator, codes, schema.classes)
        said += notes_on(given)
    if given is not None and list(given.classes.tolist()) != list(schema.classes):
        raise ValueError(
            "The answers are not the classes that were read: spell them alike, all as text or all "
            "as whole numbers."
        )
    # Of the answers, a note has said which of them look alike.
    learned = [note for note in schema.notes if not (consensus and note.endswith(JOIN))]
    notes = sorted([*origin.notes, *learned, *said], key=lambda note: not note.endswith(JOIN))
    loaded = Loaded(
        name,
        frame,
        schema,
        schema.matrix(frame),
        codes,
        trusted,
        group,
        origin.spelling and origin.spelling.without(ADDED),
        tuple(notes),
        clean,
        original,
        None if alone or consensus else path,  # no file has the probabilities, or the consensus
        chances,
        alone,
        annotator,
        given,
        part=split_place(table)[1] if named else None,
        suffix=origin.suffix,
        renamed=renamed,
    )
    if loaded.original is not None and np.all(loaded.original < 0):
        raise ValueError(
            f"Column {original!r} holds no label of the classes in any row that is trusted: it is "
            "to have the labels as they were before they were checked."
        )
    return loaded


def _names(names: Any) -> list[Any]:
    """Names of columns; one alone need not stand in a list."""
    return [names] if isinstance(names, (str, int, np.integer)) else list(names)


def _several(label: Any, rows: int, columns: Sequence[str]) -> list[str]:
    """Names of columns of labels; labels themselves, as ``fit`` takes them, are refused."""
    if label is None:
        return []
    names = _names(label)
    found = [str(one) for one in names]
    plain = all(isinstance(one, (str, int, np.integer)) for one in names)
    numbers = len(names) > 1 and not all(isinstance(one, str) for one in names)
    strange = numbers and (len({*found}) < len(found) or not {*found} <= {*columns})
    if not plain or strange or (len(names) == rows > len(columns)):
        raise ValueError(
            "label is the name of a column: audit(pandas.DataFrame(X).assign(label=y), 'label'), "
            "or find_mislabeled(X, y), which takes arrays."
        )
    return found


def added_columns(names: Sequence[str], label: str) -> list[str]:
    """Columns that an earlier audit or a review has added, but for the labels."""
    added = (*ADDED, *(DECIDED if DECIDED[0] in names else ()))
    return [name for name in added if name in names and name != label]


def _former(
    frame: nw.DataFrame[Any], original: str | None, checked: bool, annotator: str | None
) -> str | None:
    """The column of labels as they were before rows were checked: the one named, or a review's."""
    if original is None:
        return DECIDED[1] if checked and DECIDED[0] in frame.columns else None
    original = find_column(original, frame.columns)
    if not checked or annotator is not None:
        raise ValueError(
            f"Column {original!r} has labels as they were before they were checked: name the "
            "column that says which rows were (clean), and one column of labels."
        )
    return original


def _refuse_all_or_none(trusted: np.ndarray, clean: str | None) -> None:
    """Raise where a column trusts every label, or none."""
    if not trusted.any() or trusted.all():
        raise ValueError(
            f"Column {clean!r} trusts {'every' if trusted.any() else 'no'} label: leave it "
            "out, or have it trust some."
        )


def _renamed(frame: nw.DataFrame[Any], label: str) -> dict[str, str]:
    """Names for columns that an audit would replace though they are not an earlier audit's."""
    own = [label] if label in ADDED else []
    if not _audited(frame):
        own = [name for name in ADDED if name in frame.columns]
    return {name: free_name(name, frame.columns) for name in own}


def _audited(frame: nw.DataFrame[Any]) -> bool:
    """Whether the columns that an audit adds look like those of one."""
    if not {*ADDED} <= {*frame.columns}:
        return False
    suspect, score = (as_column(frame[name]) for name in ADDED[1:])
    words = {str(one).strip().casefold() for one in suspect.unique().to_pylist()}
    if not words <= {*TRUE, *FALSE} or not is_number(score.type):
        return False
    return all(0 <= one <= 1 for one in score.unique().to_pylist() if one is not None)


def _read_given(
    frame: nw.DataFrame[Any],
    label: str | None,
    several: list[str],
    annotator: str | None,
    answers: Any,
    id: str | None,
    join: bool,
    written: Mapping[str, Any],
) -> tuple[Answers, list[str]]:
    """The answers that several label columns or a file of answers hold, and notes on them."""
    if answers is not None and (several or label is not None):
        raise ValueError("Labels come from a column or from answers, not from both: choose one.")
    if answers is None and not several:
        raise ValueError("Name the column of labels, or give answers.")
    if annotator is not None:
        raise ValueError(
            f"Column {annotator!r} cannot say who gave the labels: there are several a row."
        )
    if several:
        return answers_in_columns(frame, several, join, written)
    return answers_in_file(frame, answers, id, join)


def once_each(matrix: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Weights by which equal rows of the same label count as one."""
    units = find_units(matrix)
    if units.single:
        return np.ones(len(codes))
    _, place, sizes = np.unique(
        np.stack([units.of, codes]), axis=1, return_inverse=True, return_counts=True
    )
    out: np.ndarray = 1.0 / sizes[place.ravel()]
    return out


def cell(frame: nw.DataFrame[Any], name: str, row: int) -> str:
    """What stands in a table, as a person reads it."""
    (value,) = plain_values(frame[name][row : row + 1])
    return f"{value:.4g}" if isinstance(value, float) else shortened(value)


def trusted_rows(frame: nw.DataFrame[Any], name: str) -> np.ndarray:
    """Read a column that says whose label is trusted."""
    values = plain_values(frame[find_column(name, frame.columns)])
    words = {value: str(value).strip().casefold() for value in dict.fromkeys(values)}
    for value, word in words.items():
        if word not in TRUE + FALSE:
            raise ValueError(
                f"Column {name!r} holds {value!r}: to say whose label is trusted, it must hold "
                "true or false, yes or no, or 1 or 0."
            )
    return np.array([words[value] in TRUE for value in values])
