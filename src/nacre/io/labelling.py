"""Answers of people to the tasks of a labelling tool, as tables."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw

from nacre.io.arrow import as_array, pa
from nacre.io.frames import free_name

LABEL = "label"
"""What the column of labels is called."""


class Labelled(NamedTuple):
    """What comes back from a labelling tool.

    Attributes
    ----------
    table : narwhals.DataFrame
        A row for each task: its data, and ``label``: what most answers say; nothing where there is
        none, or no answer has a majority over each other one.
    answers : narwhals.DataFrame
        A row for each answer: ``row`` (of the table, from 0), ``annotator`` and ``answer``, as
        :func:`nacre.judge_answers` takes them.
    """

    table: nw.DataFrame[Any]
    answers: nw.DataFrame[Any]


@dataclass
class Task:
    """A task: what it shows, and who answered what; trusted answers outweigh all others."""

    data: dict[str, Any]
    answers: list[tuple[str | None, str]] = field(default_factory=list)
    trusted: list[str] = field(default_factory=list)

    @property
    def label(self) -> str | None:
        """What most say, if that is one label."""
        counts = Counter(self.trusted or [label for _, label in self.answers]).most_common(2)
        tie = len(counts) == 2 and counts[0][1] == counts[1][1]
        return None if not counts or tie else counts[0][0]


def as_labelled(tasks: Sequence[Task]) -> Labelled:
    """Tasks as two tables."""
    if not tasks:
        raise ValueError("There are no tasks.")
    names = dict.fromkeys(name for task in tasks for name in task.data)
    columns = {name: as_array([task.data.get(name) for task in tasks]) for name in names}
    columns[free_name(LABEL, columns)] = pa.array([task.label for task in tasks], pa.string())
    given = [(row, *answer) for row, task in enumerate(tasks) for answer in task.answers]
    answers = {
        "row": pa.array([row for row, *_ in given], pa.int64()),
        "annotator": pa.array([who for _, who, _ in given], pa.string()),
        "answer": pa.array([said for *_, said in given], pa.string()),
    }
    return Labelled(*(nw.from_native(pa.table(one), eager_only=True) for one in (columns, answers)))


def read_json(source: Any, what: str) -> list[dict[str, Any]]:
    """A list of objects from a file or from memory; ValueError where it is none."""
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        try:
            source = json.loads(path.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            raise FileNotFoundError(f"There is no file {str(path)!r}.") from None
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path.name!r} holds no JSON: {error}.") from None
    if isinstance(source, dict):
        source = [source]
    if not isinstance(source, Iterable) or isinstance(source, (str, bytes)):
        raise ValueError(f"{what} must be a list of objects.")
    found = list(source)
    if not found or not all(isinstance(one, dict) for one in found):
        raise ValueError(f"{what} must be a list of objects, one at least.")
    return found


def one_question(names: Iterable[str], wanted: str | None, what: str) -> str | None:
    """The question whose answers are labels: the one that is named, or the only one."""
    found = sorted(set(names))
    if wanted is not None:
        if found and wanted not in found:
            raise ValueError(f"There is no {what} {wanted!r}: there is {', '.join(found)}.")
        return wanted
    if len(found) > 1:
        raise ValueError(f"There are several {what}s, name one: {', '.join(found)}.")
    return found[0] if found else None


def flat(data: dict[str, Any]) -> dict[str, Any]:
    """What a task shows, as cells: objects within it are taken apart."""
    cells: dict[str, Any] = {}
    for name, value in data.items():
        if not isinstance(value, dict):
            cells[str(name)] = _cell(value)
    for name, value in data.items():
        if isinstance(value, dict):
            for part, one in value.items():
                cells[f"{name}.{part}" if part in cells else str(part)] = _cell(one)
    return cells


def _cell(value: Any) -> Any:
    plain = value is None or isinstance(value, (str, bool, int, float))
    return value if plain else json.dumps(value)


def write_json(found: Any, path: Path) -> None:
    """Write plain data, in letters that people can read."""
    text = json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)
    path.write_bytes(text.encode("utf-8", "replace"))
