"""What an audit found, as plain data and as tables."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from nacre import __version__
from nacre.auditing.findings import Finding
from nacre.auditing.identity import identify, line_spans
from nacre.auditing.load import ADDED, Loaded
from nacre.auditing.shown import SHOWN, cut
from nacre.auditing.stored import VERSION
from nacre.io.arrow import plain_values
from nacre.io.frames import free_name
from nacre.noise.answer_quality import AnswerQuality
from nacre.noise.quality import LabelQuality, NoiseRate

BARS = 20
LIKELIEST = 15

QUEUE = 0.1, 0.5, 1.0
"""Shares of the suspects for which it is said how many are wrong."""

FIRST = ("row", "score", "given", "suggested", "reason")
"""Columns of a table of suspects that come before the row's own."""

Reasons = Sequence[Sequence[str]]


def summarize(
    loaded: Loaded,
    found: LabelQuality,
    reasons: Reasons,
    pictures: Sequence[dict[str, Any]],
    used: dict[str, float],
    predicted: np.ndarray,
    card: dict[str, Any],
    findings: Sequence[Finding],
    answers: AnswerQuality | None,
    settings: dict[str, Any],
    notes: list[str],
) -> dict[str, Any]:
    """All of it, fit for JSON: what ``audit.json`` holds, the page shows and commands print.

    Parameters
    ----------
    loaded : the table as it was read
    found : what was found about the labels
    reasons : for each suspect
    pictures : for each suspect that is shown, what more there is to show
    used : the permutation importance of each column, as a share
    predicted : codes of the labels of rows that came without
    card : the score card
    findings : what else was found
    answers : the quality of answers and annotators, where these are known
    settings : effort and seed
    notes : lines on what was set aside or may surprise
    """
    schema, labelled = loaded.schema, len(loaded.rows)
    trusted = 0 if loaded.trusted is None else int(loaded.trusted.sum())
    changed = card["changed"]
    return {
        "schema": VERSION,
        "nacre": __version__,
        "source": loaded.source,
        "file": None if loaded.path is None else file_mark(loaded.path, loaded.part),
        "label": schema.label,
        "rows": len(loaded.codes),
        "labelled": labelled,
        "trusted": trusted,
        "clean": loaded.clean,
        "original": loaded.former,
        "group": loaded.group,
        "columns": len(schema.names),
        "readings": [{**asdict(one), "said": str(one)} for one in schema.readings],
        "settings": settings,
        "findings": [one._asdict() for one in findings],
        "annotators": None if answers is None else _annotators(loaded, answers),
        "noise": noise_summary(found.noise, labelled - trusted),
        "classes": _classes(loaded, found, predicted),
        "suspects": _suspects(loaded, found, reasons, pictures),
        "quality": _quality(found.quality, found.suspected),
        "features": _features(used),
        "metrics": {name: value for name, value in card.items() if name != "changed"},
        "cleaning": {"changed": changed, "changed_share": changed / card["rows"]},
        "unlabelled": {"count": len(predicted)},
        "hashes": identify(loaded, found.suspects),
        "notes": notes,
    }


def file_mark(path: Path, part: str | None = None) -> dict[str, str]:
    """Where a file is, the hash by which it is known again, and the sheet or table in it."""
    with path.open("rb") as file:
        mark = {"path": str(path), "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
    return mark if part is None else mark | {"part": part}


def ranked_table(
    loaded: Loaded, found: LabelQuality, rows: np.ndarray, reasons: Reasons
) -> nw.DataFrame[Any]:
    """Labelled rows with their scores, labels and reasons before their own columns."""
    own = loaded.frame[loaded.rows[rows]]
    first = {
        "row": loaded.numbered(rows).tolist(),
        "score": found.scores[rows].tolist(),
        "given": loaded.words(found.given[rows]),
        "suggested": loaded.words(found.suggested_codes[rows]),
        "reason": [" ".join(one) for one in reasons],
    }
    own = own.rename(free_names(own.columns))
    return own.with_columns(**loaded.series(first)).select(*first, *own.columns)


def free_names(columns: Iterable[str]) -> dict[str, str]:
    """Other names for a row's own columns whose names a table of suspects needs: with ``_``."""
    taken, renamed = {*columns, *FIRST}, {}
    for name in columns:
        if name in FIRST:
            renamed[name] = free_name(name, taken)
            taken.add(renamed[name])
    return renamed


def cleaned_table(loaded: Loaded, found: LabelQuality, predicted: np.ndarray) -> nw.DataFrame[Any]:
    """The table as it came, and what came of it: label to use, suspect or not, score."""
    known = loaded.known
    codes = np.empty(len(known), np.int64)
    codes[known], codes[~known] = found.corrected_codes, predicted
    flagged = np.zeros(len(known), bool)
    flagged[known] = found.suspected
    scores = np.full(len(known), None)
    scores[known] = found.scores
    values = loaded.words(codes), flagged.tolist(), scores.tolist()
    return loaded.with_columns(dict(zip(ADDED, values, strict=True)))


def _annotators(loaded: Loaded, answers: AnswerQuality) -> dict[str, Any]:
    """Who is wrong how often, and which rows deserve another opinion."""
    several = bool(answers.n_answers.max() > 1)
    return {
        "column": loaded.annotator,
        "answers": len(answers.answers.row),
        "count": len(answers.annotators.names),
        "several": several,
        "agreement": float(np.nanmean(answers.agreement)),
        "listed": answers.annotators.to_dicts()[:SHOWN],
        "to_ask": {
            "count": len(answers.to_ask) if several else 0,
            "rows": loaded.rows[answers.to_ask[:SHOWN]].tolist() if several else [],
        },
    }


def noise_summary(noise: NoiseRate, untrusted: int) -> dict[str, Any]:
    """A noise rate as plain data, of so many rows whose labels are not trusted."""
    classes = noise.classes.tolist()
    off = np.where(np.eye(len(classes), dtype=bool), -1.0, noise.matrix)
    first = np.argsort(-off, axis=None, kind="stable")[: min(LIKELIEST, off.size - len(classes))]
    return {
        "rate": float(noise.rate),
        "interval": [float(end) for end in noise.interval],
        "said": str(noise),
        "settled": noise.settled,
        "told": noise.told,
        "rows_to_check": noise.rows_to_check,
        "wrong": round(noise.rate * untrusted),
        "of": untrusted,
        "classes": classes,
        "matrix": noise.matrix.tolist(),
        "likeliest": [
            {"true": classes[i], "given": classes[j], "chance": float(off[i, j])}
            for i, j in (divmod(int(place), len(classes)) for place in first)
        ],
    }


def _classes(loaded: Loaded, found: LabelQuality, predicted: np.ndarray) -> list[dict[str, Any]]:
    flagged = found.suspected
    of = {
        "given": found.given,
        "suspect": found.given[flagged],
        "suggested": found.suggested_codes[flagged],
        "predicted": predicted,
    }
    K = len(loaded.classes)
    counts = {name: np.bincount(codes, minlength=K) for name, codes in of.items()}
    return [
        {"name": label, **{name: int(one[k]) for name, one in counts.items()}}
        for k, label in enumerate(loaded.schema.classes)
    ]


def _suspects(
    loaded: Loaded, found: LabelQuality, reasons: Reasons, pictures: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    rows = found.suspects[:SHOWN]
    own, id = loaded.frame[loaded.rows[rows]], loaded.schema.id
    numbers = loaded.numbered(rows).tolist()
    parts = zip(
        numbers,
        line_spans(loaded, numbers),
        plain_values(own[id]) if id is not None else [None] * len(rows),
        found.scores[rows].tolist(),
        loaded.words(found.given[rows]),
        loaded.words(found.suggested_codes[rows]),
        reasons[:SHOWN],
        zip(*(plain_values(own[name]) for name in own.columns), strict=True),
        pictures,
        strict=True,
    )
    return {
        "count": len(found.suspects),
        "listed": len(found.suspects),
        "changed": int(found.mislabeled.sum()),
        "queue": _queue(found),
        "id": id,
        "columns": own.columns,
        "rows": [
            {
                "row": row,
                "lines": lines,
                "id": cut(name),
                "score": score,
                "given": given,
                "suggested": suggested,
                "reasons": list(why),
                "values": [cut(value) for value in values],
                **picture,
            }
            for row, lines, name, score, given, suggested, why, values, picture in parts
        ],
    }


def _queue(found: LabelQuality) -> list[dict[str, Any]]:
    """How many of the first suspects are expected to be wrong: of a tenth, a half, all of them.

    Nothing where it cannot be told how many labels are wrong at all.
    """
    count = len(found.suspects) if found.noise.told else 0
    firsts = sorted({max(1, round(share * count)) for share in QUEUE}) if count else []
    return [{"first": first, "wrong": found.expected_wrong(first)} for first in firsts]


def _quality(quality: np.ndarray, flagged: np.ndarray) -> dict[str, Any]:
    edges = np.linspace(0.0, 1.0, BARS + 1)
    return {
        "edges": edges.tolist(),
        "flagged": np.histogram(quality[flagged], edges)[0].tolist(),
        "other": np.histogram(quality[~flagged], edges)[0].tolist(),
    }


def _features(used: dict[str, float]) -> list[dict[str, Any]]:
    order = sorted(used, key=lambda name: -used[name])
    return [{"name": name, "importance": used[name]} for name in order]
