"""From plain data to one page that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from nacre.auditing.shown import UNDOING
from nacre.data.column import TELLING
from nacre.noise.quality import GUESSES

try:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, Template
    from markupsafe import Markup
except ModuleNotFoundError as error:
    if error.name not in ("jinja2", "markupsafe"):
        raise
    raise ModuleNotFoundError(
        "The report of an audit needs one more package: pip install 'nacre-boost[report]'",
        name=error.name,
    ) from None

METRICS = {
    "accuracy": "accuracy",
    "balanced": "balanced_accuracy",
    "AUC": "auc",
    "log loss": "log_loss",
}
"""Titles of the metrics, where there are such."""

LARGEST = 15
"""Classes, at most, whose noise matrix is shown with its numbers."""

NARROW = 6
"""Classes, at most, whose numbers have room on a telephone; of more, squares are shown there."""

SQUARES = 60
"""Classes, at most, whose noise matrix is shown as a grid of squares."""

THIN = "\u202f"
"""A narrow space that does not break."""


def render(summary: dict[str, Any]) -> str:
    """The report on an audit.

    Parameters
    ----------
    summary : dict
        What ``audit.json`` holds.

    Returns
    -------
    str
        One HTML page with its styles, its script and its figures inside.
    """
    script = _text("page.js")
    readings = summary.get("readings", [])  # audits of earlier versions have none
    listed = {one["said"] for one in readings}
    classes = len(summary["noise"]["classes"])
    heat = _heat(summary["noise"]) if classes <= SQUARES else []
    models = summary["metrics"]["models"]
    kinds = [("given", "Against the labels as given")]
    if models[0]["trusted"] is not None:
        kinds.append(("trusted", "Against the trusted labels"))
    return template("nacre.auditing", "page.html").render(
        summary,
        style=Markup(_text("page.css")),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        undoing=UNDOING,
        robust=models[0],
        kinds=kinds,
        shown={title: key for title, key in METRICS.items() if key in models[0]["given"]},
        best={kind: _best([model[kind] for model in models]) for kind, _ in kinds},
        gauge=_gauge(summary["noise"]),
        heat=heat if classes <= LARGEST else None,
        grid=heat if NARROW < classes <= SQUARES else None,
        brief={most: _told_apart(summary["noise"]["classes"], most) for most in (12, 16, 24, 40)},
        places={str(name): k for k, name in enumerate(summary["noise"]["classes"])},
        panels=_panels(summary["quality"]),
        ticks=_ticks(),
        readings=readings,
        loud=[line for line in summary["notes"] if line.endswith((TELLING, GUESSES))],
        others=[line for line in summary["notes"] if line not in listed],
        values=_values(summary["suspects"], summary["noise"]["classes"]),
    )


def _told_apart(classes: list[Any], most: int) -> dict[str, str]:
    """Names of classes, long ones cut where it leaves them different: at the end, or before it."""
    names = [str(name) for name in classes]

    def cut(head: int) -> list[str]:
        tail = most - 1 - head
        return [
            name if len(name) <= most else f"{name[:head]}…{name[len(name) - tail :]}"
            for name in names
        ]

    best = max((cut(head) for head in range(most - 1, -1, -1)), key=lambda one: len(set(one)))
    return dict(zip(names, best, strict=True))


def _values(suspects: dict[str, Any], classes: list[Any]) -> dict[str, Any]:
    """What the page's script shows of each suspect when it is asked to."""
    rows = suspects["rows"]
    return {
        "classes": list(_told_apart(classes, 16).values()),
        "columns": suspects["columns"],
        "rows": [_texts(one["values"]) for one in rows],
        "near": [_near(one.get("nearest")) for one in rows],
        "evidence": [one.get("evidence") for one in rows],
    }


def _texts(values: list[Any]) -> list[str | None]:
    return [None if value is None else str(value) for value in values]


def _near(nearest: dict[str, Any] | None) -> dict[str, Any] | None:
    return nearest and {"row": nearest["row"], "values": _texts(nearest["values"])}


def _best(models: list[dict[str, dict[str, float]]]) -> dict[str, float]:
    """The best of each metric: the highest, but the lowest log loss."""
    chosen = {key: min if key == "log_loss" else max for key in models[0]}
    return {key: of(one[key]["mean"] for one in models) for key, of in chosen.items()}


def _text(name: str) -> str:
    return files("nacre.auditing").joinpath(name).read_text(encoding="utf-8")


@cache
def template(package: str, name: str) -> Template:
    """A template of a page: everything in it is escaped, and nothing may be missing.

    ``base.html``, which all pages extend, is of this package.
    """
    places = [PackageLoader(one, "") for one in (package, "nacre.auditing")]
    made = Environment(loader=ChoiceLoader(places), autoescape=True, undefined=StrictUndefined)
    made.filters.update(percent=percent, whole=whole)
    return made.get_template(name)


def percent(share: float, places: int = 1) -> str:
    """A share as a person reads it."""
    return f"{100 * share:.{places}f}{THIN}%"


def whole(number: int) -> str:
    """A whole number with its thousands apart."""
    return f"{number:,}".replace(",", THIN)


def _gauge(noise: dict[str, Any]) -> dict[str, float]:
    """Where the rate and its interval lie on an axis of 200 points."""
    low, high = noise["interval"]
    top = next(one for one in (0.1, 0.25, 0.5, 1.0) if high <= one)
    scale = 198 / top
    return {
        "low": round(1 + scale * low, 1),
        "width": round(max(scale * (high - low), 1), 1),
        "at": round(1 + scale * noise["rate"], 1),
        "top": top,
    }


def _heat(noise: dict[str, Any]) -> list[tuple[Any, list[dict[str, Any]]]]:
    """The noise matrix with shades: those off the diagonal are relative to the largest of them."""
    matrix = noise["matrix"]
    most = max(x for i, line in enumerate(matrix) for j, x in enumerate(line) if i != j)
    shaded = [
        [
            {
                "chance": x,
                "kind": "kept" if i == j else "moved",
                "heat": round(30 * x if i == j else 60 * x / (most or 1)),
            }
            for j, x in enumerate(line)
        ]
        for i, line in enumerate(matrix)
    ]
    return list(zip(noise["classes"], shaded, strict=True))


def _panels(quality: dict[str, Any]) -> list[dict[str, Any]]:
    """Bars of the two histograms, each as high as its own panel."""
    edges, panels = quality["edges"], []
    for kind, name in (("flagged", "Suspects"), ("other", "Other rows")):
        counts = quality[kind]
        most = max(counts)
        bars = []
        for low, high, rows in zip(edges[:-1], edges[1:], counts, strict=True):
            if rows:
                height = max(72 * rows / most, 1.5)
                many = "1 row" if rows == 1 else f"{whole(rows)} rows"
                bars.append(
                    {
                        "x": round(400 * low + 1, 1),
                        "width": round(400 * (high - low) - 2, 1),
                        "y": round(76 - height, 1),
                        "height": round(height, 1),
                        "title": f"{many} from {percent(low, 0)} to {percent(high, 0)}",
                    }
                )
        panels.append(
            {"kind": kind, "name": name, "total": sum(counts), "most": most, "bars": bars}
        )
    return panels


def _ticks() -> list[dict[str, Any]]:
    anchors = {0.0: "start", 1.0: "end"}
    return [
        {"x": 400 * at, "name": percent(at, 0), "anchor": anchors.get(at, "middle")}
        for at in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
