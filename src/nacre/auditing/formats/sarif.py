"""SARIF 2.1.0, the format in which code hosts take findings: suspects at their lines.

OASIS, *Static Analysis Results Interchange Format (SARIF) Version 2.1.0*, 2020.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nacre.auditing.formats.plain import dumped, one_line, question
from nacre.auditing.gate import FAILED, Check
from nacre.auditing.identity import unpack
from nacre.auditing.stored import Summary

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
SUSPECT = "suspect-label"
RULES = {
    SUSPECT: "A label that held-out models hold to be wrong.",
    "noise-rate": "More labels are wrong than the limit allows.",
    "suspects": "More labels are suspect than the limit allows.",
    "new-suspects": "Rows that are new or changed since the baseline are suspect.",
    "noise-rise": "The noise rate has risen since the baseline.",
}


def as_sarif(summary: Summary, checks: Sequence[Check] = ()) -> str:
    """Suspects as warnings at the lines of their file, limits that do not hold as errors."""
    place = {"artifactLocation": artifact(summary)}
    marks = unpack(summary["hashes"]["suspects"])
    results = [
        {
            "ruleId": check.name,
            "level": "error",
            "message": {"text": one_line(check.said)},
            "locations": [{"physicalLocation": place}],
        }
        for check in checks
        if not check.passed
    ]
    results += [
        {
            "ruleId": SUSPECT,
            "level": "warning",
            "message": {"text": " ".join([question(one), *map(one_line, one["reasons"])])},
            "locations": [{"physicalLocation": {**place, **region(one)}}],
            "partialFingerprints": {"nacreRow/v1": mark.hex()},
            "rank": round(100.0 * one["score"], 3),
        }
        for one, mark in zip(summary["suspects"]["rows"], marks, strict=False)
    ]
    driver = {
        "name": "nacre",
        "version": summary["nacre"],
        "rules": [{"id": id, "shortDescription": {"text": said}} for id, said in RULES.items()],
    }
    passed = all(check.passed for check in checks)
    return dumped(
        {
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {"driver": driver},
                    "invocations": [
                        {"executionSuccessful": True, "exitCode": 0 if passed else FAILED}
                    ],
                    "results": results,
                }
            ],
        }
    )


def region(one: dict[str, Any]) -> dict[str, Any]:
    """The lines of a suspect, if it has any."""
    if one["lines"] is None:
        return {}
    first, last = one["lines"]
    return {"region": {"startLine": first, "endLine": last}}


def artifact(summary: Summary) -> dict[str, Any]:
    """The file, from the root of its repository or the working folder, as code hosts want it."""
    if summary["file"] is None:
        return {"uri": quote(one_line(summary["source"]))}
    path = Path(summary["file"]["path"])
    above = [one for one in path.parents if (one / ".git").exists()]
    for root in (*above[:1], Path.cwd()):
        if path.is_relative_to(root):
            return {
                "uri": quote(path.relative_to(root).as_posix(), errors="replace"),
                "uriBaseId": "%SRCROOT%",
            }
    return {"uri": f"file://{quote(path.as_posix(), errors='replace')}"}
