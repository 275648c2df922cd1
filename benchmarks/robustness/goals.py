"""What is asked of nacre on the reporting sets, beside what was measured."""

from dataclasses import dataclass

import numpy as np

from robustness.data import GROUPS
from robustness.metrics import PARTS
from robustness.report import (
    CLEAN,
    CLEANLAB,
    OURS,
    TIE,
    ZERO,
    kinds,
    precision_gaps,
    precision_of,
    rate_errors,
    reaching_zero,
    share_suspect,
)

FLIPPED = ("20%", "40%")  # by a coin
OTHER = ("by class", "boundary", "along the columns", "imbalanced", "real")
ROUNDING = 1e-9
FIRST = GROUPS["reporting, two classes"][:12]  # the sets that were there first


@dataclass(frozen=True)
class Goal:
    """A figure, and what it should be: at most or at least a number."""

    noise: str
    what: str
    asked: float
    got: float
    at_most: bool = True
    remark: str = ""

    @property
    def met(self):
        over = self.got - self.asked
        return (over if self.at_most else -over) <= ROUNDING

    def row(self):
        sign = "<=" if self.at_most else ">="
        got = f"{self.got:.3f} {self.remark}".strip()
        return [self.noise, self.what, f"{sign} {self.asked:.3f}", got, "yes" if self.met else "no"]


def goals(cells):
    """All goals whose cells are there."""
    cells = cells[cells["group"].str.startswith("reporting")]
    found = kinds(cells)
    for one in CLEAN:
        if one in found:
            yield from clean_goals(one, found[one], cells)
    for one in FLIPPED:
        if one in found:
            yield from ratios(one, found[one], 0.8)
            yield from near(one, found[one])
    precision = precision_gaps(cells)
    for one in OTHER:
        if one in found:
            yield from ratios(one, found[one], 0.9)
            yield from worst(one, found[one], 0.02)
        if one in precision:
            gaps, lead = precision[one], f"average precision less that of {CLEANLAB}"
            yield Goal(one, lead, 0.08, gaps.mean(), False)
            yield Goal(one, "the same on the worst set", -0.03, gaps.min(), False, gaps.idxmin())
    yield from rate_goals(cells)
    yield from trust_goals(cells[cells["contender"] == OURS])


def clean_goals(one, kind, cells):
    """Of tables without a wrong label."""
    yield from ratios(one, kind, 1.0)
    yield from worst(one, kind, 0.01)
    own = cells[(cells["contender"] == OURS) & (cells["column"] == one)]
    yield Goal(one, "noise rate said", 0.015, own["rate"].mean())
    reaching = f"intervals that reach 0 (begin at {ZERO} or below)"
    yield Goal(one, reaching, 0.95, reaching_zero(own), False)
    yield Goal(one, "share of suspects", 0.01, share_suspect(own))


def ratios(one, kind, asked):
    """Mean errors beside those of the best peer, and of peers that lack some sets on theirs."""
    means = f"({kind.ours.mean():.3f}, {kind.best} {kind.errors[kind.best].mean():.3f})"
    yield Goal(one, "error by that of the best peer", asked, kind.ratio, remark=means)
    for name, (n_sets, ratio) in kind.ratios_on_parts.items():
        yield Goal(one, f"error by that of {name} on its {n_sets} sets", asked, ratio)


def worst(one, kind, asked):
    """On no set much worse than the best peer: of all sets, or of the very set."""
    for gaps, what in (
        (kind.gaps, f"worst set, to {kind.best}"),
        (kind.gaps_to_any, "worst set, to the set's best peer"),
    ):
        yield Goal(one, what, asked, gaps.max(), remark=gaps.idxmax())


def near(one, kind):
    for gaps, what in ((kind.gaps, kind.best), (kind.gaps_to_any, "the set's best peer")):
        share = np.mean(gaps <= TIE)
        yield Goal(one, f"sets better than {what} or within {TIE}", 0.9, share, False)


def rate_goals(cells):
    """The noise rate, not farther off than cleanlab's under any kind of noise."""
    off = rate_errors(cells)
    if OURS in off and CLEANLAB in off:
        both = off[[OURS, CLEANLAB]].dropna()
        for one in both.index.unique("column"):
            mine, theirs = both.loc[one].mean()
            yield Goal(one, f"noise rate off by ({CLEANLAB} asked)", theirs, mine)


def trust_goals(own):
    """Intervals that hold the truth, and a queue that keeps what it promises."""
    covered = own["covered"].dropna()
    if len(covered):
        yield Goal("all", "intervals that hold the true rate", 0.9, covered.mean(), False)
    if own["suspects"].sum() > 0:
        for part, name in PARTS.items():
            said, true = precision_of(own, name)
            what = f"first {part:.0%} of suspects: expected precision off by"
            remark = f"(said {said:.2f}, true {true:.2f})"
            yield Goal("all", what, 0.05, abs(said - true), remark=remark)


def goal_table(cells):
    """Title, head and rows."""
    rows = [goal.row() for goal in goals(cells)]
    if rows:
        met = sum(row[-1] == "yes" for row in rows)
        head = ["noise", "what", "asked", "got", "met"]
        yield f"Goals on the reporting sets: {met} of {len(rows)} met", head, rows


def free_table(cells):
    """20 % wrong labels for free: the error beside that of peers without a wrong label."""
    cells = cells[cells["group"].str.startswith("reporting")]
    rows = []
    for about, sets in (("all", set(cells["data"])), ("those that were first", set(FIRST))):
        found = kinds(cells[cells["data"].isin(sets)])
        if {"0%", "20%"} <= set(found):
            clean, flipped = found["0%"], found["20%"]
            names = [clean.ours.mean(), clean.errors[clean.best].mean()]
            names += [flipped.ours.mean(), flipped.errors[flipped.best].mean()]
            rows.append([about, str(len(clean.ours)), *(f"{100 * one:.1f}" for one in names)])
    if rows:
        head = ["sets", "number", f"{OURS}, 0%", "best peer, 0%"]
        head += [f"{OURS}, 20%", "best peer, 20%"]
        yield "Error in percent: what 20 % wrong labels cost", head, rows
