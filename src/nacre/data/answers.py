"""Answers of several annotators, read: a column for each, or one below the other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nacre.data.features import spelled
from nacre.data.target import as_labels, encode, encode_known
from nacre.io.frames import as_frame, is_missing, unmasked

LONG = "row", "annotator", "answer"
"""Columns of answers one below the other."""

MOST_ENTRIES = 20_000_000
"""Of all annotators' matrices together."""


@dataclass(frozen=True, eq=False, repr=False)
class Answers:
    """Who said what of which row.

    Attributes
    ----------
    row, by, said : int64 arrays, one entry an answer
        The row, the place of the annotator in ``annotators`` and of the answer in ``classes``.
    n_rows : int
    annotators : ndarray
    classes : ndarray
        Ascending.
    """

    row: np.ndarray
    by: np.ndarray
    said: np.ndarray
    n_rows: int
    annotators: np.ndarray
    classes: np.ndarray

    @cached_property
    def votes(self) -> np.ndarray:
        """How many have said each class of each row: (n, K)."""
        K = len(self.classes)
        count = np.bincount(self.row * K + self.said, minlength=self.n_rows * K)
        return count.reshape(self.n_rows, K)

    @property
    def by_annotator(self) -> np.ndarray:
        """How many answers each annotator gave."""
        return np.bincount(self.by, minlength=len(self.annotators))


def read_answers(answers: Any, n: int | None = None, classes: Any = None) -> Answers:
    """Read a table of answers, one column an annotator, or one below the other.

    Where there are columns row, annotator and answer, the others are ignored.

    Parameters
    ----------
    answers : as of :func:`judge_answers`
    n : how many rows there are, if that is known
    classes : the labels there are, if that is known, ascending
    """
    frame = as_frame(answers)
    columns: list[tuple[Any, list[Any]]]
    if frame is not None and set(LONG) <= set(frame.columns):
        rows, names, values = (frame[name].to_list() for name in LONG)
        return code_answers(rows, names, values, n, classes)
    if frame is not None:
        columns = [
            (name, frame[:, j].to_list())  # by place: a name that is a number would be a row
            for j, name in enumerate(frame.columns)
        ]
    else:
        table = unmasked(
            answers if isinstance(answers, np.ndarray) else np.asarray(answers, object)
        )
        if table.ndim != 2:
            raise ValueError(
                f"answers has {table.ndim} dimensions: give a column for each annotator, or a data "
                "frame with the columns row, annotator and answer."
            )
        columns = [(j, table[:, j].tolist()) for j in range(table.shape[1])]
    if n is not None and columns and len(columns[0][1]) != n:
        raise ValueError(f"answers has {len(columns[0][1])} rows, pred_probs has {n}.")
    n = len(columns[0][1]) if columns else 0
    there = [
        (i, name, value)
        for name, values in columns
        for i, value in enumerate(values)
        if not is_gap(value)
    ]
    rows, names, values = ([one[part] for one in there] for part in range(3))
    return code_answers(rows, names, values, n, classes)


def code_answers(rows: Any, names: Any, values: Any, n: int | None, classes: Any) -> Answers:
    """Answers one below the other, as codes; such as are missing are left out."""
    there = [k for k, value in enumerate(values) if not is_gap(value)]
    if not there:
        raise ValueError("There is no answer.")
    rows, names, values = ([one[k] for k in there] for one in (rows, names, values))
    row = _read_rows(rows, n)
    n = int(row.max()) + 1 if n is None else n
    if any(is_gap(name) for name in names):
        raise ValueError("An answer has no annotator: say who gave it.")
    labels = as_labels(np.array(values, object), len(values))
    if labels.dtype.kind == "f" and np.all(labels == np.round(labels)):
        labels = labels.astype(np.int64)
    known, said = encode(labels)
    if classes is not None:
        known = np.asarray(classes)
        if not np.all(known[:-1] < known[1:]):
            raise ValueError("classes must ascend, each of them once, and so must the columns.")
        if strange := np.setdiff1d(labels, known).tolist():
            raise ValueError(f"An answer is {strange[0]!r}, none of the classes {known.tolist()}.")
        said = encode_known(labels, known)
    if len(known) < 2:
        raise ValueError(f"All answers are {known.tolist()[0]!r}: there must be two classes.")
    who, by = np.unique(_named(names), return_inverse=True)
    if len(who) * len(known) ** 2 > MOST_ENTRIES:
        raise ValueError(
            f"{len(who)} annotators and {len(known)} classes are too many for a noise matrix each: "
            "put annotators of few answers together, or classes."
        )
    pair = row * len(who) + by
    first = np.unique(pair, return_index=True)[1]
    if len(first) < len(pair):
        twice = np.setdiff1d(np.arange(len(pair)), first)[0]
        raise ValueError(
            f"{who[by[twice]].item()!r} has answered row {row[twice]} twice: keep one answer."
        )
    return Answers(row, by.astype(np.int64), said.astype(np.int64), n, who, known)


def is_gap(value: Any) -> bool:
    """Whether there is no answer: a missing value, or empty text."""
    return is_missing(value) or (isinstance(value, str) and not value.strip())


def _named(names: list[Any]) -> np.ndarray:
    """Annotators as they are where they are whole numbers, beside gaps floats; else as text."""
    if all(isinstance(name, (int, np.integer)) for name in names):
        return np.array(names, np.int64)
    if all(isinstance(name, float) and name.is_integer() and abs(name) < 2**53 for name in names):
        return np.array(names).astype(np.int64)
    return np.array([spelled(name).strip() for name in names])


def _read_rows(rows: list[Any], n: int | None) -> np.ndarray:
    """Numbers of rows."""
    try:
        row = np.array(rows, np.float64)
    except (TypeError, ValueError):
        row = np.array([-1.0])
    whole = row.astype(np.int64)
    if row.min() < 0 or not np.array_equal(whole, row):
        raise ValueError("Rows of answers must be whole numbers, counted from 0.")
    if n is not None and whole.max() >= n:
        raise ValueError(f"An answer is of row {whole.max()}, but rows end at {n - 1}.")
    return whole
