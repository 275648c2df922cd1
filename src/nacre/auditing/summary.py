"""What an audit found, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nacre import __version__
from nacre.auditing.load import plain

if TYPE_CHECKING:
    from nacre.auditing.result import Audit

BARS = 20
LIKELIEST = 15


def summarize(audit: Audit, shown: int) -> dict[str, Any]:
    """All of it, fit for JSON; of the suspects so many at most."""
    loaded, found = audit.loaded, audit.model.found_
    columns, labelled = loaded.columns, len(loaded.labels)
    trusted = 0 if loaded.trusted is None else int(loaded.trusted.sum())
    scores = {name: value for name, value in audit.scores.items() if name != "changed"}
    changed = audit.scores["changed"]
    return {
        "nacre": __version__,
        "source": loaded.source,
        "label": columns.label,
        "rows": len(loaded.known),
        "labelled": labelled,
        "trusted": trusted,
        "columns": len(columns.names),
        "settings": audit.settings,
        "noise": _noise(audit, labelled - trusted),
        "classes": _classes(audit),
        "suspects": _suspects(audit, shown),
        "quality": _quality(found.quality, found.mislabeled),
        "features": _features(columns.names, audit.model.feature_importances_),
        "scores": scores,
        "cleaning": {"changed": changed, "changed_share": changed / scores["rows"]},
        "unlabelled": {"count": len(audit.predicted)},
        "notes": audit.notes,
    }


def _noise(audit: Audit, untrusted: int) -> dict[str, Any]:
    noise, classes = audit.noise, list(audit.loaded.columns.classes)
    off = np.where(np.eye(len(classes), dtype=bool), -1.0, noise.matrix)
    first = np.argsort(-off, axis=None, kind="stable")[: min(LIKELIEST, off.size - len(classes))]
    return {
        "rate": float(noise.rate),
        "interval": [float(end) for end in noise.interval],
        "wrong": round(noise.rate * untrusted),
        "of": untrusted,
        "classes": classes,
        "matrix": noise.matrix.tolist(),
        "likeliest": [
            {"true": classes[i], "given": classes[j], "chance": float(off[i, j])}
            for i, j in (divmod(int(place), len(classes)) for place in first)
        ],
    }


def _classes(audit: Audit) -> list[dict[str, Any]]:
    loaded, flagged = audit.loaded, audit.model.found_.mislabeled
    classes, y = loaded.columns.classes, loaded.training.y
    of = {
        "given": y,
        "suspect": y[flagged],
        "suggested": audit.suggested[flagged],
        "predicted": loaded.codes(audit.predicted),
    }
    counts = {name: np.bincount(codes, minlength=len(classes)) for name, codes in of.items()}
    return [
        {"name": label, **{name: int(one[k]) for name, one in counts.items()}}
        for k, label in enumerate(classes)
    ]


def _suspects(audit: Audit, shown: int) -> dict[str, Any]:
    loaded, rows = audit.loaded, audit.suspect_rows[:shown]
    own, id = loaded.frame[loaded.rows[rows]], loaded.columns.id
    parts = zip(
        loaded.rows[rows].tolist(),
        own[id].to_list() if id is not None else [None] * len(rows),
        audit.model.found_.scores[rows].tolist(),
        loaded.words(loaded.training.y[rows]),
        loaded.words(audit.suggested[rows]),
        audit.suspect_reasons[:shown],
        own.rows(),
        strict=True,
    )
    return {
        "count": len(audit.suspect_rows),
        "id": id,
        "columns": own.columns,
        "rows": [
            {
                "row": row,
                "id": plain(name),
                "score": score,
                "given": given,
                "suggested": suggested,
                "reasons": why,
                "values": [plain(value) for value in values],
            }
            for row, name, score, given, suggested, why, values in parts
        ],
    }


def _quality(quality: np.ndarray, flagged: np.ndarray) -> dict[str, Any]:
    edges = np.linspace(0.0, 1.0, BARS + 1)
    return {
        "edges": edges.tolist(),
        "flagged": np.histogram(quality[flagged], edges)[0].tolist(),
        "other": np.histogram(quality[~flagged], edges)[0].tolist(),
    }


def _features(names: tuple[str, ...], importances: np.ndarray) -> list[dict[str, Any]]:
    order = np.argsort(-importances, kind="stable")
    return [{"name": names[j], "importance": float(importances[j])} for j in order]
