"""What ``audit.json`` holds, read back: its form has a version and a schema."""

from __future__ import annotations

import json
import os
from importlib.resources import files
from pathlib import Path
from typing import Any

from nacre.auditing.identity import unpack

VERSION = 1
"""Of the form of ``audit.json``; a new one where a reader of the old one would fail."""

SUMMARY = "audit.json"

Summary = dict[str, Any]


def read_summary(path: str | os.PathLike[str]) -> Summary:
    """Read an ``audit.json``, or that of an audit's folder; ValueError where it is none."""
    path = Path(path)
    path = path / SUMMARY if path.is_dir() else path
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {str(path)!r}.") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{str(path)!r} is no audit.json: it holds no JSON ({error}).") from None
    if not isinstance(found, dict) or not {"noise", "suspects", "label"} <= set(found):
        raise ValueError(f"{str(path)!r} is no audit.json: other keys stand there.")
    if "schema" not in found:
        raise ValueError(f"{str(path)!r} is by an older nacre: audit the table again.")
    if found["schema"] != VERSION:
        raise ValueError(
            f"{str(path)!r} has the form {found['schema']!r}, this nacre knows {VERSION}: audit "
            "the table again, or update nacre."
        )
    require_whole(found)
    try:
        _check(found)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{str(path)!r} is damaged: {error}.") from None
    return found


def in_parts(summary: Summary) -> bool:
    """Whether an audit is of a table that was read in parts."""
    return "sample" in summary.get("settings", {})


def require_whole(summary: Summary) -> None:
    """Raise where an audit is of a table that was read in parts, whose rows are not all listed."""
    if in_parts(summary):
        raise ValueError(
            f"{summary['source']!r} was audited in parts, and its rows are not all listed: this "
            "needs an audit of a table that fits into memory."
        )


def _check(found: Summary) -> None:
    """Raise unless all that is compared is there."""
    low, high = map(float, found["noise"]["interval"])
    if not 0.0 <= low <= high <= 1.0 or not 0.0 <= float(found["noise"]["rate"]) <= 1.0:
        raise ValueError("its noise rate is no share")
    hashes = found["hashes"]
    if not all(isinstance(name, str) for name in hashes["by"]):
        raise ValueError("its columns have no names")
    rows, suspects = unpack(hashes["rows"]), unpack(hashes["suspects"])
    if len(rows) != found["labelled"] or len(suspects) != found["suspects"]["count"]:
        raise ValueError("its hashes are not those of its rows")
    for one in found["suspects"]["rows"]:
        _ = one["row"], one["given"], one["suggested"], one["score"], one["lines"], one["id"]
    _ = found["source"], found["nacre"], found["settings"]


def audit_schema() -> dict[str, Any]:
    """The JSON schema of ``audit.json`` (draft 2020-12).

    Returns
    -------
    dict
        Any validator of JSON schemas takes it.

    Examples
    --------
    >>> from nacre.auditing import audit_schema
    >>> audit_schema()["properties"]["schema"]
    {'const': 1}
    """
    text = files("nacre").joinpath("auditing", "audit.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
