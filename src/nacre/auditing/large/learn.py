"""Between the passes: the columns, a model of the sample, and how much more rows would help."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from nacre.auditing.audit import judge_table
from nacre.auditing.large.survey import FEWEST, Asked, Surveyed
from nacre.auditing.load import Loaded, trusted_rows
from nacre.data import Schema
from nacre.data.column import FEW, MOST_LEVELS, Column
from nacre.io.parts import PartedTable
from nacre.io.read import read_table
from nacre.io.whole import whole_file
from nacre.noise.quality import LabelQuality
from nacre.persistence import load_model, save_model
from nacre.progress import Event, Progress, within

SHARES = 4, 2, 1
"""The sample is learned from in parts of these sizes: a fourth, a half, all of it."""

MORE = 2.0
"""Standard errors by which the error must fall from half of the sample to say: take more."""

UNLABELLED = "Rows without a label: "


@dataclass(frozen=True, eq=False)
class Learned:
    """A model of the sample, in its file.

    Attributes
    ----------
    path : of the model and the schema
    curve : rows, and the share of held-out labels missed by a model of so many
    notes : lines on what was set aside or may surprise
    effort : "full" or "fast"
    """

    path: Path
    curve: list[tuple[int, float]]
    notes: list[str]
    effort: str

    def read(self) -> tuple[Any, Schema]:
        """The model, and how rows become its input."""
        return read_learned.__wrapped__(str(self.path))


@lru_cache(maxsize=2)
def read_learned(path: str) -> tuple[Any, Schema]:
    """A model and its schema, read once by each process."""
    model, columns = load_model(path)
    return model, Schema.from_dict(columns)


def learn_schema(found: Surveyed, asked: Asked) -> Schema:
    """What the columns are: by the chosen rows, categories and whole numbers by all."""
    names = found.table.column_names
    schema = Schema.learn(
        read_table(found.table),
        label=asked.label,
        id=asked.id,
        categorical_features=asked.categorical,
        text=asked.text,
        ignore=asked.left_out(names),
        read=dict(asked.read),
        join_labels=asked.join_labels,
    )
    total, columns = int(found.rows.sum()), []
    notes = [one for one in schema.notes if not one.startswith(UNLABELLED)]
    for column in schema.columns:
        if column.kind == "number" and _counts_rows(found.range.get(column.name), total):
            notes.append(f"Column {column.name!r} is set aside: it numbers the rows.")
            continue
        counts = found.counts.get(column.name)
        if column.kind == "category" and counts:
            notes = [one for one in notes if not one.startswith(f"Column {column.name!r}: of its")]
            column, note = _counted(column, counts)
            notes += [note] if note else []
        columns.append(column)
    if not columns:
        raise ValueError(f"No column is left to learn {asked.label!r} from.")
    if unlabelled := total - sum(found.labels.values()):
        notes.append(f"{UNLABELLED}{unlabelled}.")
    if found.large:
        notes.append(
            f"Column {asked.group!r} has groups that are too large to be drawn as a whole: their "
            "labels are judged by a model that has seen other rows of the group."
        )
    return replace(schema, columns=tuple(columns), notes=tuple(notes))


def _counts_rows(span: Sequence[int] | None, total: int) -> bool:
    return span is not None and total > FEW and span[2] == 0 and span[1] - span[0] + 1 == total


def _counted(column: Column, counts: dict[str, int]) -> tuple[Column, str]:
    """A column of categories by the counts of all rows."""
    order = sorted((-count, word) for word, count in counts.items())
    kept = sorted(word for _, word in order[:MOST_LEVELS])
    more = len(order) > len(kept)
    note = (
        f"Column {column.name!r}: of its {len(order)} categories the commonest {len(kept)} are "
        "told apart."
    )
    return replace(column, levels=tuple(kept), other=more), note if more else ""


def load_rows(
    table: PartedTable, found: Surveyed, asked: Asked, schema: Schema, some: slice
) -> Loaded:
    """Some of the chosen rows as a table that was read; its rows know their numbers."""
    frame = read_table(found.table[some])
    trusted = None if asked.clean is None else trusted_rows(frame, asked.clean)
    return Loaded(
        table.source,
        frame,
        schema,
        schema.matrix(frame),
        schema.codes(frame),
        trusted,
        asked.group,
        notes=(*table.notes, *schema.notes),
        clean=asked.clean,
        suffix=table.suffix,
        numbers=found.numbers[some],
    )


def first_rows(loaded: Loaded, count: int) -> Loaded:
    """The first rows of a table."""
    return replace(
        loaded,
        frame=loaded.frame[:count],
        matrix=loaded.matrix[:count],
        codes=loaded.codes[:count],
        trusted=None if loaded.trusted is None else loaded.trusted[:count],
        numbers=None if loaded.numbers is None else loaded.numbers[:count],
    )


def learn(
    sample: Loaded,
    held: Loaded,
    effort: str,
    seed: int,
    n_jobs: int,
    progress: Progress,
    path: Path,
) -> None:
    """Fit the model to the sample and parts of it, and its noise model to rows it has not seen.

    Parameters
    ----------
    sample, held : rows to learn from, and others
    effort, seed : as of the classifier
    n_jobs : threads
    progress : is told how far it is
    path : of the model; what else was found goes beside it
    """
    n = len(sample.codes)
    sizes = sorted({max(n // share, min(n, 2 * FEWEST)) for share in SHARES})
    missed: list[np.ndarray] = []
    for k, size in enumerate(sizes):
        report = within(Event("Learning from a sample", k, len(sizes)), progress)
        judged = judge_table(first_rows(sample, size), effort, seed, n_jobs, report)
        model = judged.model.set_params(n_jobs=None)
        seen = judge_unseen(model, held)
        missed.append(seen.probabilities.argmax(axis=1) != held.codes)
    clean = np.zeros(len(held.codes), bool) if held.trusted is None else held.trusted
    seen = model.recalibrate(held.matrix, held.codes, clean, held.text_words)
    model.note_found(replace(model.found_, noise=seen.noise))
    notes = [*judged.notes, *curve_notes(sizes, missed)]
    curve = [[size, float(one.mean())] for size, one in zip(sizes, missed, strict=True)]
    save_model(model, path, sample.schema.to_dict())
    with whole_file(notes_path(path)) as half:
        half.write_text(json.dumps({"curve": curve, "notes": notes, "effort": effort}))


def notes_path(path: Path) -> Path:
    """Where the curve and the notes of a model are, beside its file."""
    return path.with_suffix(".json")


def read_back(path: Path) -> Learned:
    """What ``learn`` has written."""
    found = json.loads(notes_path(path).read_text())
    curve = [(size, error) for size, error in found["curve"]]
    return Learned(path, curve, found["notes"], found["effort"])


def judge_unseen(model: Any, loaded: Loaded) -> LabelQuality:
    """Judge the labels of rows that a model has not seen."""
    clean = np.zeros(len(loaded.rows), bool) if loaded.trusted is None else loaded.trusted
    words, known = loaded.text_words, loaded.known
    found: LabelQuality = model.judge_unseen(
        loaded.matrix[known], loaded.codes[known], clean, None if words is None else words[known]
    )
    return found


def curve_notes(sizes: Sequence[int], missed: Sequence[np.ndarray]) -> list[str]:
    """Lines on the learning curve, and whether a larger sample promises more."""
    said = ", ".join(
        f"{size} rows {one.mean():.2%}" for size, one in zip(sizes, missed, strict=True)
    )
    lines = [
        f"Labels of {len(missed[0])} held-out rows that the model misses, by the size of its "
        f"sample: {said}."
    ]
    if len(missed) > 1:
        gain = missed[-2].astype(float) - missed[-1]
        error = gain.std() / np.sqrt(len(gain))
        if gain.mean() > MORE * error:
            lines.append(
                f"The second half of the sample helped by {gain.mean():.2%} (± {error:.2%}): a "
                f"larger one may help too (--sample {2 * sizes[-1]})."
            )
    return lines
