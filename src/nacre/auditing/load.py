"""A table whose columns are known: what all commands on a file begin with."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from nacre.auditing.explain import shortened
from nacre.data import Schema, TrainingRows, as_groups
from nacre.data.schema import find_column
from nacre.io.arrow import plain_values
from nacre.io.frames import is_missing
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
    path : the file that the table came from, or None
    part : the sheet or table in that file, or None
    suffix : of files that hold such a table: .csv, .parquet or .xlsx
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
    path: Path | None = None
    part: str | None = None
    suffix: str = ".csv"

    @cached_property
    def known(self) -> np.ndarray:
        """Which rows have a label."""
        return self.codes >= 0

    @cached_property
    def rows(self) -> np.ndarray:
        """Where the labelled rows stand in the table."""
        return np.flatnonzero(self.known)

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
            try:
                groups = as_groups(np.array(words, object), n)
            except ValueError:
                raise ValueError(
                    f"Column {self.group!r} has gaps: give each row the group it belongs to."
                ) from None
        return TrainingRows(
            self.matrix if self.known.all() else self.matrix[self.known],
            self.codes[self.known],
            len(self.classes),
            np.full(n, 1.0 / n),
            categorical=self.schema.categorical,
            n_given=n,
            groups=groups,
        )

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
        """The table with columns added, or replaced."""
        return self.frame.with_columns(**self.series(values))

    def series(self, values: dict[str, list[Any]]) -> dict[str, nw.Series[Any]]:
        """Columns of the kind that the table's are."""
        backend = self.frame.implementation
        return {name: nw.new_series(name, one, backend=backend) for name, one in values.items()}

    def cell(self, row: int, feature: int) -> str:
        """What stands in the table at a labelled row, in the column that a feature comes from."""
        return cell(self.frame, self.schema.sources[feature], int(self.rows[row]))


def load(
    table: Any,
    label: str,
    *,
    clean: str | None = None,
    id: str | None = None,
    group: str | None = None,
    categorical_features: Iterable[str] = (),
    text: Iterable[str] = (),
    ignore: Iterable[str] = (),
    read: Mapping[str, str] | None = None,
    join_labels: bool = False,
    source: str | None = None,
    max_size: float = MOST,
) -> Loaded:
    """Read a table and find out what its columns are; parameters as those of an audit.

    ``source`` is what to call it; default the name of its file, or "table".
    """
    origin = read_source(table, max_size=max_size)
    frame = origin.frame
    check_memory(*frame.shape)
    trusted = None if clean is None else trusted_rows(frame, clean)
    group = None if group is None else find_column(group, frame.columns)
    added = (*ADDED, *(DECIDED if DECIDED[0] in frame.columns else ()))
    own = [name for name in added if name in frame.columns and name != label]
    left_out = [*ignore, *own, *(one for one in (clean, group) if one is not None)]
    schema = Schema.learn(
        frame,
        label,
        categorical_features=categorical_features,
        text=text,
        ignore=left_out,
        id=id,
        read=read,
        join_labels=join_labels,
    )
    codes = schema.codes(frame)
    if trusted is not None:
        trusted = trusted[codes >= 0]
        if not trusted.any() or trusted.all():
            raise ValueError(
                f"Column {clean!r} trusts {'every' if trusted.any() else 'no'} label: leave it "
                "out, or have it trust some."
            )
    named = isinstance(table, (str, os.PathLike)) and os.fspath(table) != INPUT
    return Loaded(
        source or (Path(table).name if named else "table"),
        frame,
        schema,
        schema.matrix(frame),
        codes,
        trusted,
        group,
        origin.spelling and origin.spelling.without(ADDED),
        (*origin.notes, *schema.notes),
        clean,
        known_file(table),
        split_place(table)[1] if named else None,
        origin.suffix,
    )


def cell(frame: nw.DataFrame[Any], name: str, row: int) -> str:
    """What stands in a table, as a person reads it."""
    (value,) = plain_values(frame[name][row : row + 1])
    return f"{value:.4g}" if isinstance(value, float) else shortened(value)


def trusted_rows(frame: nw.DataFrame[Any], name: str) -> np.ndarray:
    """Read a column that says whose label is trusted."""
    values = plain_values(frame[find_column(name, frame.columns)])
    words = {value: str(value).strip().casefold() for value in set(values)}
    for value, word in words.items():
        if word not in TRUE + FALSE:
            raise ValueError(
                f"Column {name!r} holds {value!r}: to say whose label is trusted, it must hold "
                "true or false, yes or no, or 1 or 0."
            )
    return np.array([words[value] in TRUE for value in values])
