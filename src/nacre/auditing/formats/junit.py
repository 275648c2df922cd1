"""JUnit XML, which every CI server shows: a test case for each limit."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from nacre.auditing.formats.plain import one_line, question
from nacre.auditing.gate import Check, place
from nacre.auditing.stored import Summary

LISTED = 50
"""Suspects that a failure lists."""


def as_junit(summary: Summary, checks: Sequence[Check] = ()) -> str:
    """Limits as test cases; without any, one that passes."""
    cases = checks or [Check("audit", True, summary["noise"]["said"])]
    failed = sum(not one.passed for one in cases)
    count = {"tests": str(len(cases)), "failures": str(failed), "errors": "0", "skipped": "0"}
    root = ElementTree.Element("testsuites", {"name": "nacre", **count})
    name = f"nacre audit {one_line(summary['source'])}"
    suite = ElementTree.SubElement(root, "testsuite", {"name": name, **count})
    for one in cases:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": name, "name": one.name, "time": "0"}
        )
        said = one_line(one.said)
        if one.passed:
            ElementTree.SubElement(case, "system-out").text = said
        else:
            failure = ElementTree.SubElement(case, "failure", {"message": said, "type": one.name})
            failure.text = "\n".join([said, *suspect_lines(summary)])
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}'


def suspect_lines(summary: Summary) -> list[str]:
    """The most suspect rows, a line each."""
    rows, count = summary["suspects"]["rows"][:LISTED], summary["suspects"]["count"]
    source = one_line(summary["source"])
    lines = [f"{source}, {place(one)}: {question(one)}" for one in rows]
    return lines + ([f"... of {count} suspects."] if count > len(rows) else [])
