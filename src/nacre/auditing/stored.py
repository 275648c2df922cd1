"""What ``audit.json`` holds, read back: its form has a version and a schema."""

from __future__ import annotations

import json
import os
from importlib.resources import files
from pathlib import Path
from typing import Any

from nacre.auditing.identity import as_numbers, pack, unmark_rows, unpack

VERSION = 1
"""Of the form of ``audit.json``; a new one where a reader of the old one would fail."""

SUMMARY = "audit.json"

ROWS = "rows.hashes"
"""Of a table that was audited in parts with an ``id``: the hash of each labelled row and, a byte
more, whether it is a suspect."""

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
    try:
        if in_parts(found):
            _add_rows(found, path.with_name(ROWS))
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
            f"{summary['source']!r} was audited in parts, and this needs all rows in memory: save "
            "some of them as a table of their own (those of suspects.csv and as "
            "many others, say), and audit that."
        )


def rows_known(summary: Summary) -> bool:
    """Whether there is a hash of each row."""
    return bool(summary["hashes"]["rows"]) or not summary["labelled"]


def _add_rows(summary: Summary, path: Path) -> None:
    """Add the hashes of all rows and of suspects that are not listed, if a file has them."""
    if not path.exists():
        return
    hashes = summary["hashes"]
    hashes["rows"], suspects = unmark_rows(path.read_bytes())
    listed = unpack(hashes["suspects"])
    known = set(listed)
    hashes["suspects"] = pack([*listed, *(one for one in suspects if one not in known)])


def _check(found: Summary) -> None:
    """Raise unless all that is compared is there."""
    low, high = map(float, found["noise"]["interval"])
    if not 0.0 <= low <= high <= 1.0 or not 0.0 <= float(found["noise"]["rate"]) <= 1.0:
        raise ValueError("its noise rate is no share")
    hashes = found["hashes"]
    if not all(isinstance(name, str) for name in hashes["by"]):
        raise ValueError("its columns have no names")
    rows, suspects = as_numbers(hashes["rows"]), as_numbers(hashes["suspects"])
    known = rows_known(found) or not in_parts(found)
    if known and (len(rows), len(suspects)) != (found["labelled"], found["suspects"]["count"]):
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
