"""What the page is told: rows, lists and progress, as plain data."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nacre.auditing.tasks import written
from nacre.io.arrow import plain_values
from nacre.review.estimate import OPEN
from nacre.review.evidence import most_telling
from nacre.review.session import Review
from nacre.review.store import Choice

NEIGHBOURS = 3
"""Of each class."""

COMPARED = 12
"""Columns, at most, that are shown beside those of the neighbours."""

SHOWN = 100
"""Other columns, at most, that come with a row; the rest when it is asked for."""

LONG = 40
"""Characters beyond which text gets a place of its own."""

IMAGES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".bmp": "image/bmp",
}
"""Endings of files that are shown, and their types."""

LARGEST = 20_000_000
"""Bytes of an image, at most."""

SAMPLE = 8
"""Rows that a preview shows."""

VALUES = 50
"""Values of a column, at most, that a filter offers."""


def describe(review: Review) -> dict[str, Any]:
    """What the review is of."""
    schema, summary = review.loaded.schema, review.audit.summary
    return {
        "source": summary["source"],
        "label": schema.label,
        "id": schema.id,
        "rows": len(review.population),
        "suspects": len(review.audit.model.found_.suspects),
        "classes": review.classes,
        "columns": review.loaded.frame.columns,
        "seed": review.seed,
        "goal": review.goal,
        "folder": str(review.folder),
    }


def row_view(review: Review, place: int, every: bool = False) -> dict[str, Any]:
    """All that a reviewer should see of a row.

    Parameters
    ----------
    place : of the row among the labelled ones
    every : all columns, however many there are
    """
    loaded, evidence = review.loaded, review.evidence
    given, other = int(review.given[place]), int(review.suggested[place])
    alike = evidence.alike(place)
    near = {code: evidence.near(place, code, NEIGHBOURS) for code in (given, other)}
    rows = [place, *near[given], *near[other]]
    frame = loaded.frame[loaded.rows[rows]]
    cells = {name: plain_values(frame[name]) for name in frame.columns}
    label, id = loaded.schema.label, loaded.schema.id
    own = [name for name in frame.columns if name not in (label, id)]
    tells = most_telling(alike, given, other, loaded.schema.sources)
    read = {column.name for column in loaded.schema.columns if column.kind == "text"}
    texts = [name for name in own if _long(cells[name][0]) or name in read]
    images = [name for name in own if _image(review, cells[name][0]) is not None]
    wide = {name for name in own if any(map(_long, cells[name]))} | {*texts, *images}
    compared = [name for name in tells if name not in wide][: COMPARED // 2]
    compared += [name for name in _important(review) if name not in (*compared, *wide)]
    compared = compared[:COMPARED]
    others = [name for name in own if name not in {*compared, *texts, *images}]
    shares = {
        name: [float(max(alike[j, code] for j, one in enumerate(loaded.schema.sources)
                         if one == name)) for code in (other, given)]
        for name in compared
        if name in tells
    }  # fmt: skip
    chances = review.posterior[place]
    order = np.argsort(-chances, kind="stable")
    decision = review.last.get(place)
    return {
        "row": int(loaded.rows[place]),
        "id": None if id is None else written(cells[id][0]),
        "slot": int(review.slots[place]),
        "random": bool(review.queue.random[review.slots[place]]),
        "given": review.classes[given],
        "suggested": review.classes[other],
        "wrong": float(review.wrong[place]),
        "chances": [[review.classes[code], float(chances[code])] for code in order.tolist()],
        "reasons": evidence.reasons(place, other, review.audit.model.found_.probabilities[place],
                                    alike),
        "near": {
            "given": _named(review, near[given], cells, 1),
            "suggested": _named(review, near[other], cells, 1 + len(near[given])),
        },
        "compared": [
            {
                "name": name,
                "values": [written(value) for value in cells[name]],
                "telling": shares.get(name),
            }
            for name in compared
        ],
        "texts": [[name, written(cells[name][0])] for name in texts],
        "images": images,
        "others": [[name, written(cells[name][0])] for name in others[: None if every else SHOWN]],
        "more": 0 if every else max(len(others) - SHOWN, 0),
        "decision": None if decision is None else asdict(decision),
    }  # fmt: skip


def plain_cell(review: Review, name: str, row: int) -> Any:
    """What stands in the table."""
    return plain_values(review.loaded.frame[name][row : row + 1])[0]


def _named(
    review: Review, near: np.ndarray, cells: dict[str, Any], first: int
) -> list[dict[str, Any]]:
    id = review.loaded.schema.id
    return [
        {
            "row": int(review.loaded.rows[place]),
            "id": None if id is None else written(cells[id][first + k]),
        }
        for k, place in enumerate(near.tolist())
    ]


def _important(review: Review) -> list[str]:
    """Columns of the table, those first that the model looks at most."""
    schema = review.loaded.schema
    source = dict(zip(schema.features, schema.sources, strict=True))
    ranked = (source.get(one["name"], one["name"]) for one in review.audit.summary["features"])
    return list(dict.fromkeys(ranked))


def _long(value: Any) -> bool:
    return isinstance(value, str) and len(value) > LONG


def _image(review: Review, value: Any) -> Path | None:
    """The image that a cell names: a file below the folder of the table, or None."""
    if not isinstance(value, str) or Path(value).suffix.lower() not in IMAGES or "\0" in value:
        return None
    table = review.loaded.path
    base = (review.folder.absolute() if table is None else table).parent.resolve()
    try:
        path = (base / value).resolve()
        fine = path.is_relative_to(base) and path.is_file() and path.stat().st_size <= LARGEST
    except (OSError, ValueError):
        return None
    return path if fine else None


def image(review: Review, row: int, column: str) -> tuple[bytes, str] | None:
    """The image that a cell names, and its type; None if there is none that may be shown."""
    if row not in review.places or column not in review.loaded.frame.columns:
        return None
    path = _image(review, plain_cell(review, column, row))
    return None if path is None else (path.read_bytes(), IMAGES[path.suffix.lower()])


# Lists


@dataclass(frozen=True)
class Filter:
    """Which rows of a list are wanted.

    Attributes
    ----------
    given, suggested : label, or "" for any
    decision : "open", "decided", a verdict, or "" for any
    least : the least probability of being wrong
    column, value : a column of the table and what it must hold, or "" for any
    first : so many of them, at most; 0 for all
    """

    given: str = ""
    suggested: str = ""
    decision: str = ""
    least: float = 0.0
    column: str = ""
    value: str = ""
    first: int = 0

    def rows(self, review: Review) -> np.ndarray:
        """Places of the rows, most suspect first."""
        ranking = review.population[np.argsort(-review.wrong[review.population], kind="stable")]
        fine = review.wrong[ranking] >= self.least
        for wanted, codes in ((self.given, review.given), (self.suggested, review.suggested)):
            if wanted:
                fine &= codes[ranking] == review.codes.get(wanted, -1)
        if self.decision in ("open", "decided"):
            fine &= (review.state[ranking] == OPEN) == (self.decision == "open")
        elif self.decision:
            verdicts = {place: one.verdict for place, one in review.last.items()}
            fine &= np.array([verdicts.get(place) == self.decision for place in ranking.tolist()])
        if self.column and self.column in review.loaded.frame.columns:
            words = column_words(review, self.column)
            fine &= (words[ranking] == self.value) if self.value else (words[ranking] != "")
        found = ranking[fine]
        return found[: self.first] if self.first else found


def column_words(review: Review, name: str) -> np.ndarray:
    """What a column holds in the labelled rows, as text; "" where there is nothing."""
    values = plain_values(review.loaded.frame[name])
    return np.array([written(values[row]) or "" for row in review.loaded.rows], object)


def column_values(review: Review, name: str) -> list[str]:
    """The commonest values of a column."""
    if name not in review.loaded.frame.columns:
        return []
    found = Counter(column_words(review, name).tolist())
    return [word for word, _ in found.most_common(VALUES) if word]


def list_view(review: Review, wanted: Filter, start: int, count: int) -> dict[str, Any]:
    """A page of a list."""
    found = wanted.rows(review)
    return {
        "total": len(found),
        "rows": [_line(review, one) for one in found[start : start + count]],
    }


def _line(review: Review, place: int) -> dict[str, Any]:
    id, decision = review.loaded.schema.id, review.last.get(int(place))
    row = int(review.loaded.rows[place])
    return {
        "row": row,
        "slot": int(review.slots[place]),
        "id": None if id is None else written(plain_cell(review, id, row)),
        "given": review.classes[review.given[place]],
        "suggested": review.classes[review.suggested[place]],
        "wrong": float(review.wrong[place]),
        "verdict": None if decision is None else decision.verdict,
        "label": None if decision is None else decision.label,
        "who": None if decision is None else decision.who,
    }


def bulk(review: Review, wanted: Filter, verdict: str) -> tuple[list[Choice], dict[str, Any]]:
    """Decisions about all rows of a list, and what to show before they are applied.

    The preview has a ``ticket``: the same rows and decisions have the same.
    """
    places = wanted.rows(review)
    suggested = review.suggested
    choices = [
        review.choice(
            int(review.loaded.rows[place]),
            "change" if verdict == "suggested" else verdict,
            review.classes[suggested[place]] if verdict == "suggested" else None,
            listed=True,
        )
        for place in places.tolist()
    ]
    made = Counter((one.given, one.verdict, one.label) for one in choices)
    told = repr([(one.row, one.verdict, one.label) for one in choices])
    decided = int(np.sum(review.state[places] != OPEN))
    return choices, {
        "count": len(choices),
        "decided": decided,
        "kinds": [
            {"given": given, "verdict": what, "label": label, "count": count}
            for (given, what, label), count in made.most_common(20)
        ],
        "least": float(review.wrong[places].min()) if len(places) else None,
        "rows": [_line(review, one) for one in places[:SAMPLE]],
        "ticket": hashlib.sha256(told.encode()).hexdigest(),
    }
