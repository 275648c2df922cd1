"""A limit on wrong labels: what an audit is held to before a change of a table is let in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nacre.auditing.difference import check_same, difference
from nacre.auditing.identity import key_columns
from nacre.auditing.load import Loaded
from nacre.auditing.stored import Summary, rows_known
from nacre.noise.quality import over_limit

FAILED = 3
"""What a command ends with where a limit does not hold; 1 and 2 are for what went wrong."""

LISTED = 10
"""New suspects that a line names."""


@dataclass(frozen=True)
class Check:
    """A limit, and whether it holds.

    Attributes
    ----------
    name : "noise-rate", "suspects", "new-suspects" or "noise-rise"
    passed : whether it does
    said : a line on what was found
    """

    name: str
    passed: bool
    said: str


@dataclass(frozen=True)
class Gate:
    """What is asked of an audit; nothing where all is None.

    Attributes
    ----------
    fail_above : share of wrong labels that is allowed
        Fails where the whole interval of the noise rate lies above it: a rate that could be lower
        is no reason to refuse a table.
    max_suspects : number of suspects that is allowed
        With a baseline, of those that are new.
    baseline : what an earlier audit found
        Fails where rows that were added or changed since are suspect, or the rate has risen by
        more than chance.
    """

    fail_above: float | None = None
    max_suspects: int | None = None
    baseline: Summary | None = None

    def require(self, loaded: Loaded) -> None:
        """Raise where the baseline is of another table, before any work is done."""
        if self.baseline is not None:
            check_same(self.baseline, loaded.schema.label, key_columns(loaded))
            self._require_rows(self.baseline)

    def require_parts(self, label: str, id: str | None) -> None:
        """``require`` of a table that is to be audited in parts."""
        if self.baseline is None:
            return
        if id is None:
            raise ValueError(
                "A baseline of a table that is audited in parts needs --id, in both audits: by it "
                "and their labels rows are known again."
            )
        check_same(self.baseline, label, [id, label])
        self._require_rows(self.baseline)

    def _require_rows(self, baseline: Summary) -> None:
        if not rows_known(baseline):
            raise ValueError(
                "The baseline is of a table that was audited in parts without --id: its rows are "
                "not known again. Audit it again with one."
            )

    def checks(self, summary: Summary) -> list[Check]:
        """Hold an audit to the limits."""
        found = []
        if self.fail_above is not None:
            over = over_limit(summary["noise"]["interval"], self.fail_above)
            found.append(Check("noise-rate", not over[0], over[1]))
        if self.baseline is not None:
            found += self._against(self.baseline, summary)
        elif self.max_suspects is not None:
            count = summary["suspects"]["count"]
            said = f"{count} labels are suspect, {self.max_suspects} are allowed."
            found.append(Check("suspects", count <= self.max_suspects, said))
        return found

    def _against(self, baseline: Summary, summary: Summary) -> list[Check]:
        change = difference(baseline, summary)
        rows, added, noise = change["rows"], change["suspects"]["added"], change["noise"]
        allowed = self.max_suspects or 0
        count = (
            f"Of {rows['added']} rows that are new or changed since the baseline {len(added)} are "
            f"suspect, {allowed} are allowed"
        )
        listed = [one for one in added[:LISTED] if one["row"] is not None]
        where = [f"{place(one)} ({one['given']!r})" for one in listed]
        where += ["..."] * (len(added) > len(where) > 0)
        said = [count, *([", ".join(where)] if where else [])]
        low, high = noise["interval"]
        rise = (
            f"The noise rate was {noise['old']['rate']:.1%} and is {noise['new']['rate']:.1%}: a "
            f"difference of {noise['difference']:+.1%} (95% interval {low:+.1%} to {high:+.1%})."
        )
        return [
            Check("new-suspects", len(added) <= allowed, f"{': '.join(said)}."),
            Check("noise-rise", not noise["rose"], rise),
        ]


def place(one: dict[str, Any]) -> str:
    """Where a suspect stands: a line of its file, from 1, or a row of its table, from 0."""
    return f"row {one['row']}" if one["lines"] is None else f"line {one['lines'][0]}"


def gate_dict(checks: Sequence[Check]) -> dict[str, Any]:
    """The outcome as plain data."""
    return {
        "passed": all(one.passed for one in checks),
        "checks": [
            {"name": one.name, "passed": one.passed, "said": one.said} for one in checks
        ],
    }  # fmt: skip
