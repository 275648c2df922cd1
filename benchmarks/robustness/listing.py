"""Every data set by itself under every kind of noise, also those where nacre loses."""

import numpy as np

from robustness.report import CLEANLAB, COLUMNS, OURS, TIE, kinds, rate_errors, wide
from robustness.roster import LIMIT


def listing(cells):
    """A record per kind of noise and data set, the sets where nacre is farthest behind first."""
    precision, off = wide(cells, "detection_precision"), rate_errors(cells)
    out = []
    for noise, kind in kinds(cells).items():
        any_gaps = kind.gaps_to_any
        for data in any_gaps.sort_values(ascending=False).index:
            errors = kind.errors.loc[data]
            peers = errors.drop([one for one in errors.index if one.startswith(OURS)])
            peers = peers.drop(LIMIT, errors="ignore")
            row = {"noise": noise, "data": data, OURS: errors[OURS]}
            row |= {"best peer": peers.min(), "which": peers.idxmin(), "gap": any_gaps[data]}
            row |= {"best peer by mean": kind.best, "gap to it": kind.gaps[data]}
            row |= {
                f"{what} of {name}": table[name].get((noise, data), np.nan)
                for what, table in (("average precision", precision), ("rate error", off))
                for name in (OURS, CLEANLAB)
                if name in table
            }
            out.append(row | {name: errors[name] for name in errors.index if name != OURS})
    return out


def changes(before, after):
    """What a version of nacre changed: a record per kind of noise and data set, losses first."""
    old, new = (wide(cells, "error") for cells in (before, after))
    gap = (new[OURS] - old[OURS]).dropna().sort_values(ascending=False)
    return [
        {"noise": noise, "data": data, "before": old.at[(noise, data), OURS]}
        | {"after": new.at[(noise, data), OURS], "change": change}
        for (noise, data), change in gap.items()
    ]


def change_tables(before, after):
    """By kind of noise: the means, and how many sets got better and worse."""
    found = changes(before, after)
    rows = []
    for noise in COLUMNS:
        some = [one for one in found if one["noise"] == noise]
        if not some:
            continue
        change = np.array([one["change"] for one in some])
        means = [np.mean([one[when] for one in some]) for when in ("before", "after")]
        row = [noise, str(len(some)), *(f"{100 * mean:.2f}" for mean in means)]
        row += [str((change < -TIE).sum()), str((change > TIE).sum())]
        rows.append([*row, f"{100 * change.max():+.1f} {some[0]['data']}"])
    if rows:
        head = ["noise", "sets", "before", "after", "better", "worse", "worst set"]
        yield f"Error in percent of {OURS}, before and after (changes above {TIE})", head, rows
