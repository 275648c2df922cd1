"""What a suspect's picture shows: which columns speak against its label, and a row like it."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import numpy as np

from nacre.auditing.explain import nearest_agreeing
from nacre.auditing.influence import label_evidence
from nacre.auditing.load import Loaded
from nacre.auditing.shown import SHOWN, cut
from nacre.consensus.crossfit import CrossFit
from nacre.io.arrow import plain_values
from nacre.noise.quality import LabelQuality

BARS = 5
"""Columns, at most, that are shown by themselves."""


def picture_suspects(
    loaded: Loaded, found: LabelQuality, runs: CrossFit, seed: int
) -> list[dict[str, Any]]:
    """Plain data for the first suspects.

    ``evidence`` has the log-odds of the suggested label over the given one by ordinary boosting
    without the suspects: those of up to five columns (``columns``, pairs of a name and a number),
    of all else (``rest``) and their sum (``total``); of many rows and classes, None for the later
    ones. ``nearest`` is the nearest row that is no
    suspect and has the suggested label: its ``row`` and ``values``, or None.
    """
    rows = found.suspects[:SHOWN]
    given, suggested = found.given[rows], found.suggested_codes[rows]
    training = loaded.training
    near = nearest_agreeing(training, found.suspected, rows, suggested, seed)
    spoken = label_evidence(runs, training.X[rows], given, suggested)
    sources = list(dict.fromkeys(loaded.schema.sources))
    places = {name: j for j, name in enumerate(sources)}
    place = np.array([places[name] for name in loaded.schema.sources])
    return [
        {
            "evidence": None
            if said is None
            else _evidence(np.bincount(place, said[0]), said[1], sources),
            "nearest": None if other is None else _row(loaded, other),
        }
        for said, other in zip_longest(spoken, near)
    ]


def _evidence(parts: np.ndarray, intercept: float, names: list[str]) -> dict[str, Any]:
    first = [int(j) for j in np.argsort(-np.abs(parts), kind="stable")[:BARS] if parts[j]]
    total = float(parts.sum() + intercept)
    return {
        "columns": [[names[j], float(parts[j])] for j in first],
        "rest": total - float(parts[first].sum()),
        "total": total,
    }


def _row(loaded: Loaded, row: int) -> dict[str, Any]:
    own = loaded.frame[int(loaded.rows[row]) : int(loaded.rows[row]) + 1]
    values = [plain_values(own[name])[0] for name in own.columns]
    return {"row": int(loaded.numbered(np.array(row))), "values": [cut(value) for value in values]}
