"""What changed between two audits of a table."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from nacre.auditing.identity import as_numbers
from nacre.auditing.stored import Summary, rows_known


def difference(old: Summary, new: Summary) -> dict[str, Any]:
    """What changed, as plain data.

    Parameters
    ----------
    old, new : what ``audit.json`` holds

    Returns
    -------
    dict
        ``noise`` (rates and intervals, their ``difference`` with its interval, and whether they
        ``rose`` or ``fell`` by more than chance), ``rows`` (how many were ``added`` and
        ``removed``; one that was changed is both), ``suspects``: ``added`` are those among added
        rows, ``raised`` those that were there and not suspect, ``cleared`` the reverse, ``removed``
        those whose rows are gone or were changed, ``kept`` the number of the others. Of a table
        that was audited in parts without an ``id``, rows are not known again: ``added`` and
        ``removed`` rows are None, and suspects are ``raised`` or ``cleared`` as far as listed.

    Raises
    ------
    ValueError
        Where the audits are of other tables.

    Notes
    -----
    The interval of the difference is made of those of the two rates (MOVER, Zou and Donner 2008).
    Most rows are in both tables as a rule, which it does not know of: it is rather too wide.
    """
    check_same(old, new["label"], new["hashes"]["by"])
    known = rows_known(old) and rows_known(new)
    before, after = (_suspects(one) for one in (old, new))
    gained = lost = None
    stayed = old_marks, new_marks = set(before), set(after)  # rows that are in both tables
    if known:
        was, now = (as_numbers(one["hashes"]["rows"]) for one in (old, new))
        gained, lost = _changes(was, now)
        stayed = _among(before, now), _among(after, was)
    return {
        "old": _origin(old),
        "new": _origin(new),
        "noise": rate_difference(old["noise"], new["noise"]),
        "rows": {
            "old": old["labelled"],
            "new": new["labelled"],
            "added": gained,
            "removed": lost,
        },
        "suspects": {
            "old": old["suspects"]["count"],
            "new": new["suspects"]["count"],
            "kept": len(old_marks & new_marks),
            "added": [one for mark, one in after.items() if mark not in stayed[1]],
            "raised": [
                one for mark, one in after.items() if mark in stayed[1] and mark not in before
            ],
            "cleared": [
                one for mark, one in before.items() if mark in stayed[0] and mark not in after
            ],
            "removed": [one for mark, one in before.items() if mark not in stayed[0]],
        },
        "notes": _notes(old, new, known),
    }


def _changes(was: np.ndarray, now: np.ndarray) -> tuple[int, int]:
    """How many rows were added and removed; of equal ones each counts."""
    _, place = np.unique(np.concatenate([was, now]), return_inverse=True)
    count = len(was) + len(now)
    more = np.bincount(place[len(was) :], minlength=count)
    more -= np.bincount(place[: len(was)], minlength=count)
    return int(more[more > 0].sum()), int(-more[more < 0].sum())


def _among(marks: dict[int, Any], rows: np.ndarray) -> set[int]:
    """Those of some hashes that are among the rows'."""
    some = np.array(list(marks), np.uint64)
    return set(some[np.isin(some, rows)].tolist())


def _origin(one: Summary) -> dict[str, Any]:
    return {name: one[name] for name in ("source", "label", "nacre", "settings")}


def check_same(old: Summary, label: str, by: list[str]) -> None:
    """Raise unless an audit is of the same column of labels, and knows rows by the same columns."""
    if old["label"] != label:
        raise ValueError(
            f"The earlier audit is of other labels: those of {old['label']!r}, not {label!r}."
        )
    if old["hashes"]["by"] != by:
        others = sorted({*old["hashes"]["by"]} ^ {*by})
        raise ValueError(
            "The earlier audit knows its rows by other columns: "
            f"{', '.join(map(repr, others))} {'stands' if len(others) == 1 else 'stand'} in one of "
            "the two only. Name a column of distinct values by --id in both, or audit the old "
            "table again."
        )


def _suspects(summary: Summary) -> dict[int, dict[str, Any]]:
    """What is said of each suspect, by its hash; of one that is not listed, nothing."""
    shown = summary["suspects"]["rows"]
    names = ("row", "lines", "id", "score", "given", "suggested")
    found: dict[int, dict[str, Any]] = {}
    nothing = dict.fromkeys(names)
    for place, mark in enumerate(as_numbers(summary["hashes"]["suspects"]).tolist()):
        listed = {name: shown[place][name] for name in names} if place < len(shown) else nothing
        found.setdefault(mark, listed)
    return found


def rate_difference(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Two noise rates with their intervals, and the difference with its own."""
    (low0, high0), (low1, high1) = old["interval"], new["interval"]
    was, now = old["rate"], new["rate"]
    change = now - was
    low = change - sqrt((now - low1) ** 2 + (high0 - was) ** 2)
    high = change + sqrt((high1 - now) ** 2 + (was - low0) ** 2)
    return {
        "old": {"rate": was, "interval": [low0, high0]},
        "new": {"rate": now, "interval": [low1, high1]},
        "difference": change,
        "interval": [low, high],
        "rose": low > 0.0,
        "fell": high < 0.0,
    }


def _notes(old: Summary, new: Summary, known: bool) -> list[str]:
    notes = []
    if not known:
        notes.append(
            "Rows of a table that was audited in parts are known again by --id only: what was "
            "added and removed is not known, and suspects are compared as far as both audits list "
            "them."
        )
    if old["nacre"] != new["nacre"]:
        notes.append(
            f"The audits are by nacre {old['nacre']} and {new['nacre']}, which may judge "
            "differently."
        )
    if old["trusted"] or new["trusted"]:
        notes.append(
            "Noise rates are of the rows that are not trusted, "
            f"{old['noise']['of']} of {old['labelled']} before and "
            f"{new['noise']['of']} of {new['labelled']} now"
            + (": they are not of the same rows." if old["trusted"] != new["trusted"] else ".")
        )
    if old["settings"] != new["settings"]:
        notes.append("The audits differ in their effort or seed.")
    return notes
