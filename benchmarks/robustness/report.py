"""From the records of all cells to tables: on right labels, means over the data sets."""

import numpy as np
import pandas as pd

from robustness.data import GROUP, GROUPS
from robustness.roster import PEERS

SETTING = ["data", "noise", "level", "contender", "version", "trial"]
QUANTITIES = ["error", "log_loss", "brier", "fit_seconds", "predict_seconds"]
QUANTITIES += ["detection_area", "detection_precision", "rate_error", "failed"]
TIE = 0.005  # errors closer than this are a tie
BASES = ("forest", "CatBoost")  # contenders whose times are the measure of time


def as_frame(results):
    """A row per cell; ``column`` is the kind of noise and its level."""
    rows = [
        {**setting, "trial": trial, **record}
        for setting, records in results
        for trial, record in enumerate(records)
    ]
    cells = pd.DataFrame(rows).reindex(columns=[*SETTING, *QUANTITIES])
    cells["group"] = cells["data"].map(GROUP)
    cells["column"] = [column(*pair) for pair in zip(cells["noise"], cells["level"], strict=True)]
    return cells


def column(noise, level):
    return f"{level:.0%}" if noise == "symmetric" else noise


def wide(cells, quantity):
    """One column per contender; rows are columns of the table and data sets, means over seeds.

    Only what every contender has measured: means over other sets would not compare.
    """
    found = cells.dropna(subset=[quantity])
    columns, names = (list(dict.fromkeys(found[axis])) for axis in ("column", "contender"))
    table = found.pivot(index=["column", "data", "trial"], columns="contender", values=quantity)
    means = table.dropna().groupby(["column", "data"])[names].mean()
    return means.loc[[one for one in columns if one in means.index]]


def by_column(table):
    """Means over the data sets, contenders down, kinds of noise across."""
    return table.groupby("column", sort=False).mean().T


def best_peer(means):
    """The peer of least mean; of all contenders where no peer is among them."""
    peers = [name for name in means.index if name in PEERS]
    return means[peers or means.index].idxmin()


def tables(cells):
    """Title, head and rows of every table, the groups of data sets apart."""
    for group in GROUPS:
        some = cells[cells["group"] == group]
        errors = wide(some, "error")
        if errors.empty:
            continue
        means = by_column(errors)
        about = f"{group} ({len(errors.index.unique('data'))} sets, {some['trial'].nunique()} seeds"
        pairs = some.groupby(["column", "data"]).ngroups
        about += ")" if len(errors) == pairs else f"; {len(errors)} of {pairs} pairs so far)"
        yield error_table(about, errors, means)
        yield ratio_table(about, means)
        yield summary_table(about, some, errors)
        yield from detection_tables(about, some)


def error_table(about, errors, means):
    """Mean error, and the standard error of the difference to the best peer of the column."""
    body = {name: [name] for name in means.index}
    for one in means.columns:
        rows, best = errors.loc[one], best_peer(means[one])
        doubt = rows.sub(rows[best], axis=0).sem()
        for name, mean in means[one].items():
            mark = "*" if name == best else f"+-{100 * doubt[name]:.1f}" if len(rows) > 1 else ""
            body[name].append(f"{100 * mean:.1f} {mark:>5}")
    title = f"Error in percent, {about}; +- of the difference to the best peer (*)"
    return title, ["contender", *means.columns], list(body.values())


def ratio_table(about, means):
    """Mean error by that of the best peer of the column."""
    ratios = means / [means[one][best_peer(means[one])] for one in means.columns]
    rows = [[name, *(f"{ratio:.2f}" for ratio in row)] for name, row in ratios.iterrows()]
    return f"Error by the best peer's, {about}", ["contender", *means.columns], rows


def summary_table(about, cells, errors):
    """A line per contender: all kinds of noise together."""
    overall = by_column(errors).mean(axis=1)
    ranks = errors.rank(axis=1).mean()
    best = best_peer(overall)
    losses = [by_column(wide(cells, name)).mean(axis=1) for name in ("log_loss", "brier")]
    times = [wide(cells, name) for name in ("fit_seconds", "predict_seconds")]
    rows = []
    for name in overall.sort_values().index:
        row = [name, f"{100 * overall[name]:.2f}", f"{ranks[name]:.1f}"]
        row += [versus(errors[name], errors[best])]
        row += [f"{loss[name]:.3f}" for loss in losses]
        row += [slower(time, name, base) for time in times for base in BASES]
        rows.append(row)
    head = ["contender", "error %", "rank", f"vs {best}", "log loss", "Brier"]
    head += [f"{what} x {base}" for what in ("fit", "predict") for base in BASES]
    return f"All noises together, {about}; best first", head, rows


def versus(ours, theirs):
    """Wins, ties and losses over sets and kinds of noise."""
    gap = ours - theirs
    wins, losses = (gap < -TIE).sum(), (gap > TIE).sum()
    return f"+{wins}={len(gap) - wins - losses}-{losses}"


def slower(times, name, base):
    """How many times as long as another contender: the geometric mean."""
    if base not in times:
        return "-"
    return f"{np.exp(np.log(times[name] / times[base]).mean()):.3g}"


def detection_tables(about, cells):
    """Contenders that look for wrong labels: how well they find and count them."""
    area, precision = (by_column(wide(cells, f"detection_{one}")) for one in ("area", "precision"))
    if not area.empty:
        rows = [
            [name, *(f"{area[c][name]:.3f} / {precision[c][name]:.3f}" for c in area.columns)]
            for name in area.index
        ]
        title = f"Wrong labels found, {about}: AUROC / average precision"
        yield title, ["contender", *area.columns], rows
    signed = wide(cells, "rate_error")
    if not signed.empty:
        absolute = by_column(wide(cells.assign(off=cells["rate_error"].abs()), "off"))
        bias = by_column(signed)
        rows = [
            [name, *(f"{absolute[c][name]:.3f} ({bias[c][name]:+.3f})" for c in bias.columns)]
            for name in bias.index
        ]
        title = f"Wrong labels counted, {about}: absolute error of the rate (and signed)"
        yield title, ["contender", *bias.columns], rows


def failures(cells):
    """A line for every contender that gave up somewhere."""
    failed = cells.dropna(subset=["failed"])
    return [
        f"{name} failed on {len(some)} cells ({', '.join(some['data'].unique())}): "
        f"{some['failed'].iloc[0]}"
        for name, some in failed.groupby("contender")
    ]
