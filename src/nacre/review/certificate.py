"""A page that says what was checked, by whom, and what follows from it."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from nacre.auditing.page import template

WIDTH, HEIGHT = 560, 180
"""Of the figure."""


def render_certificate(outlook: dict[str, Any], facts: dict[str, Any]) -> tuple[str, str]:
    """The certificate, and the hash of its style by which a policy lets it in.

    Parameters
    ----------
    outlook : what ``Review.outlook`` gives
    facts : what was reviewed, by whom and when
    """
    style = files("nacre.auditing").joinpath("page.css").read_text(encoding="utf-8")
    style += files("nacre.review").joinpath("certificate.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    text = template("nacre.review", "certificate.html").render(
        **facts, now=outlook, style=Markup(style), style_hash=digest, curve=draw_curve(outlook)
    )
    return text, f"sha256-{digest}"


def draw_curve(outlook: dict[str, Any]) -> dict[str, Any]:
    """The curve of wrong labels left as points of a figure."""
    curve, rows = outlook["curve"], max(outlook["rows"], 1)
    top = max(*(one / rows for one in curve["high"]), 0.01)
    last = max(curve["reached"][-1], 1)

    def at(reached: float, count: float) -> str:
        x = WIDTH * (reached / last) ** 0.5
        return f"{x:.1f},{HEIGHT * (1 - min(count / rows / top, 1)):.1f}"

    pairs = {
        name: [(x, y) for x, y in zip(curve["reached"], curve[name], strict=True) if y is not None]
        for name in ("count", "low", "high")
    }
    band = [at(*one) for one in pairs["low"]] + [at(*one) for one in pairs["high"][::-1]]
    return {
        "top": top,
        "last": last,
        "line": " ".join(at(*one) for one in pairs["count"]),
        "band": " ".join(band),
        "here": round(WIDTH * (outlook["reached"] / last) ** 0.5, 1),
        "width": WIDTH,
        "height": HEIGHT,
    }
