"""What changed between two audits of a table."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import Any

from nacre.auditing.identity import unpack
from nacre.auditing.stored import Summary


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
        those whose rows are gone or were changed, ``kept`` the number of the others.

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
    was, now = (unpack(one["hashes"]["rows"]) for one in (old, new))
    old_rows, new_rows = Counter(was), Counter(now)
    before, after = (_suspects(one) for one in (old, new))
    return {
        "old": _origin(old),
        "new": _origin(new),
        "noise": rate_difference(old["noise"], new["noise"]),
        "rows": {
            "old": len(was),
            "new": len(now),
            "added": (new_rows - old_rows).total(),
            "removed": (old_rows - new_rows).total(),
        },
        "suspects": {
            "old": old["suspects"]["count"],
            "new": new["suspects"]["count"],
            "kept": sum(mark in before for mark in after),
            "added": [one for mark, one in after.items() if mark not in old_rows],
            "raised": [
                one for mark, one in after.items() if mark in old_rows and mark not in before
            ],
            "cleared": [
                one for mark, one in before.items() if mark in new_rows and mark not in after
            ],
            "removed": [one for mark, one in before.items() if mark not in new_rows],
        },
        "notes": _notes(old, new),
    }


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


def _suspects(summary: Summary) -> dict[bytes, dict[str, Any]]:
    """What is said of each suspect, by its hash; of one that is not listed, nothing."""
    shown = summary["suspects"]["rows"]
    names = ("row", "lines", "id", "score", "given", "suggested")
    found: dict[bytes, dict[str, Any]] = {}
    for place, mark in enumerate(unpack(summary["hashes"]["suspects"])):
        listed = shown[place] if place < len(shown) else {}
        found.setdefault(mark, {name: listed.get(name) for name in names})
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


def _notes(old: Summary, new: Summary) -> list[str]:
    notes = []
    if old["nacre"] != new["nacre"]:
        notes.append(
            f"The audits are by nacre {old['nacre']} and {new['nacre']}, which may judge "
            "differently."
        )
    if old["settings"] != new["settings"]:
        notes.append("The audits differ in their effort or seed.")
    return notes
