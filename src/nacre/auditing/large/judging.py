"""The second pass: every label is judged by a model that has not seen it; and the third.

Rows of the sample have been judged out of fold, as in any audit. All others are judged by the model
itself, whose noise model was fitted to its scores of held-out rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nacre.auditing.identity import mark_rows
from nacre.auditing.large.learn import read_learned
from nacre.auditing.load import ADDED, trusted_rows
from nacre.io.arrow import pa
from nacre.io.parts import Part, PartedTable
from nacre.io.read import read_table
from nacre.io.spelling import Spelling
from nacre.io.whole import whole_file
from nacre.io.write import write_table
from nacre.noise.quality import LabelQuality

NONE = -1
"""The code of a row without a label."""


class Verdict(NamedTuple):
    """What was found about the rows of a part.

    Attributes
    ----------
    quality : float64 array, the probability that each label is right; 1 where there is none
    given, other, label : int16 arrays
        The labels as codes (-1 where there is none), the likeliest other ones, and those to use.
    joint : float64 array of shape (K, K)
        The posterior of true classes (rows) by label (columns), added up over labelled rows that
        are not trusted.
    trusted : how many labels are trusted
    """

    quality: np.ndarray
    given: np.ndarray
    other: np.ndarray
    label: np.ndarray
    joint: np.ndarray
    trusted: np.ndarray

    @classmethod
    def read(cls, path: Path) -> Verdict:
        """From its file."""
        with np.load(path) as file:
            return cls(*(file[name] for name in cls._fields))

    @staticmethod
    def qualities(path: Path) -> np.ndarray:
        """The quality of the labels there are, from a verdict's file."""
        with np.load(path) as file:
            return np.asarray(file["quality"][file["given"] >= 0])

    def write(self, path: Path) -> None:
        """To a file, whole."""
        with whole_file(path) as half, half.open("wb") as file:
            np.savez(file, **self._asdict())


def judge_part(
    table: PartedTable,
    types: dict[str, Any] | None,
    clean: str | None,
    learned: Path,
    part: Part,
    own: tuple[np.ndarray, np.ndarray],
    path: Path,
) -> None:
    """Judge the labels of a part.

    Parameters
    ----------
    table, types : as ``PartedTable.read`` takes them
    clean : name of the column that says whose label is trusted
    learned : the model's file
    part : Part
    own : rows of the part that the model has learned from, and their places among those
    path : of the verdict
    """
    model, schema = read_learned(str(learned))
    frame = read_table(table.read(part, types))
    given = schema.codes(frame)
    matrix, words = schema.matrix(frame), schema.words(frame)
    known, n, K = given >= 0, len(given), len(schema.classes)
    trusted = np.zeros(n, bool) if clean is None else trusted_rows(frame, clean) & known
    quality, other, label = np.ones(n), np.full(n, NONE, np.int16), np.full(n, NONE, np.int16)
    codes, joint = given[known], np.zeros((K, K))
    if known.any():
        posterior = model.label_posterior(
            matrix[known], codes, trusted[known], None if words is None else words[known]
        )
        rows, places = own
        posterior[(np.cumsum(known) - 1)[rows]] = model.found_.posterior[places]
        found = LabelQuality(posterior, posterior, codes, model.classes_, model.noise_)
        quality[known], other[known] = found.quality, found.other_codes
        label[known] = found.corrected_codes
        doubted = ~trusted[known]
        for k in range(K):
            joint[k] = np.bincount(codes[doubted], posterior[doubted, k], K)
    if not known.all():
        said = model.predict_proba(matrix[~known], None if words is None else words[~known])
        label[~known] = said.argmax(axis=1)
    Verdict(quality, given.astype(np.int16), other, label, joint, np.array(trusted.sum())).write(
        path
    )


class Cut(NamedTuple):
    """Which rows of a part are suspects, and which are listed.

    Attributes
    ----------
    below : rows of a lower quality are suspects
    ties : so many rows of just that quality too, the first
    listed : rows of the part whose own columns are wanted, ascending
    """

    below: float
    ties: int
    listed: np.ndarray

    def suspected(self, verdict: Verdict) -> np.ndarray:
        """Which rows are suspects: a mask."""
        out = (verdict.quality < self.below) & (verdict.given >= 0)
        equal = np.flatnonzero((verdict.quality == self.below) & (verdict.given >= 0))
        out[equal[: self.ties]] = True
        return out


def clean_part(
    table: PartedTable,
    types: dict[str, Any] | None,
    classes: Sequence[Any],
    part: Part,
    judged: Path,
    cut: Cut,
    listed: Path,
    key: tuple[str, ...],
    path: Path,
) -> None:
    """Write a part of the cleaned table and, before it, the listed rows and hashes of all.

    Parameters
    ----------
    table, types : as ``PartedTable.read`` takes them
    classes : what codes stand for
    part : Part
    judged : the verdict's file
    cut : Cut
    listed : of an Arrow file of the listed rows; beside it are the hashes (``marks_path``)
    key : columns that rows are known again by, if any
    path : of the part of the cleaned table
    """
    verdict = Verdict.read(judged)
    rows = table.read(part, types)
    some = rows.take(pa.array(cut.listed)).replace_schema_metadata(None)
    with whole_file(listed) as half, pa.ipc.new_file(str(half), some.schema) as file:
        file.write_table(some)
    known, suspected = verdict.given >= 0, cut.suspected(verdict)
    if key:
        labelled = read_table(rows.filter(pa.array(known)))
        with whole_file(marks_path(listed)) as half:
            half.write_bytes(mark_rows(labelled, list(key), suspected[known]).tobytes())
    values = (
        pa.array(list(classes)).take(pa.array(verdict.label)),
        pa.array(suspected),
        pa.array(1.0 - verdict.quality, mask=~known),
    )
    if table.form is None:
        write_table(_with(rows, values), path)
        return
    header = dict(zip(table.form.names, table.form.header, strict=True))
    names = {name: one for name, one in header.items() if name != one and name not in ADDED}
    spelling = Spelling(table.form.delimiter, names, marked=table.form.marked)
    write_table(_with(table.text(part), values), path, safe=True, spelling=spelling)


def marks_path(listed: Path) -> Path:
    """Where the hashes of a part's rows are, beside the listed ones."""
    return listed.with_suffix(".hashes")


def _with(rows: pa.Table, values: Sequence[pa.Array]) -> pa.Table:
    """A table with the columns that an audit adds."""
    for name, column in zip(ADDED, values, strict=True):
        place = rows.schema.get_field_index(name)
        if place >= 0:
            rows = rows.remove_column(place)
        rows = rows.add_column(rows.num_columns if place < 0 else place, name, column)
    return rows
