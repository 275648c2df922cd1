"""Suspects as tasks for labelling tools."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from nacre.auditing.stored import require_whole
from nacre.auditing.summary import FIRST, free_names
from nacre.io.argilla import argilla_record
from nacre.io.arrow import plain_values
from nacre.io.label_studio import label_studio_task
from nacre.io.read import read_source


@dataclass(frozen=True)
class SuspectTask:
    """A suspect: its cells but for the label, its number, labels, and probabilities."""

    values: dict[str, str | None]
    number: int
    given: str
    suggested: str
    wrong: float
    chance: float

    def label_studio(self) -> dict[str, Any]:
        """As a task for Label Studio."""
        return label_studio_task(self.values, self.number, self.given, self.suggested, self.wrong)

    def argilla(self) -> dict[str, Any]:
        """As a record for Argilla."""
        return argilla_record(self.values, self.number, self.given, self.suggested, self.chance)


def suspect_tasks(found: Any) -> Iterator[SuspectTask]:
    """The suspects of an audit, most suspect first."""
    require_whole(found.summary)
    frame, quality = read_source(found.suspects).frame, found.model.found_
    own = read_source(found.cleaned).frame.columns
    renamed = free_names(own)
    label = found.schema.label
    names = [name for name in own if renamed.get(name, name) in frame.columns and name != label]
    first = zip(*(plain_values(frame[name]) for name in FIRST[:4]), strict=True)
    cells = zip(*(plain_values(frame[renamed.get(name, name)]) for name in names), strict=True)
    places = quality.suspects
    chances = quality.posterior[places, quality.suggested_codes[places]].tolist()
    for (row, wrong, given, suggested), own_cells, chance in zip(
        first, cells, chances, strict=True
    ):
        values = dict(zip(names, map(written, own_cells), strict=True))
        yield SuspectTask(values, row, str(given), str(suggested), wrong, chance)


def written(value: Any) -> str | None:
    """A plain value as a person reads it; None where there is none."""
    if value is None:
        return None
    return f"{value:.10g}" if isinstance(value, float) else str(value)
