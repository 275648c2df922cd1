"""From the records of all cells to tables: on right labels, means over the data sets."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from robustness.data import GROUP, GROUPS
from robustness.metrics import PARTS
from robustness.noise import NOISES
from robustness.roster import LIMIT, PEERS

SETTING = ["data", "noise", "level", "contender", "version", "trial"]
LOSSES = {
    "error": ("Error in percent", 100.0, 1),
    "balanced_error": ("Balanced error in percent: the mean of the classes' own", 100.0, 1),
    "auc": ("AUC: the mean of each class against the others", 1.0, 3),
    "log_loss": ("Log loss", 1.0, 3),
    "brier": ("Brier score", 1.0, 3),
}
FOUND = ["detection_area", "detection_precision", "true_rate", "rate", "rate_error"]
FOUND += ["low", "high", "rows", "suspects"]
QUEUE = [f"{part}{what}" for part in PARTS.values() for what in ("", "_expected", "_wrong")]
QUANTITIES = [*LOSSES, "fit_seconds", "predict_seconds", *FOUND, *QUEUE, "failed"]
OURS = "nacre"
CLEANLAB = "cleanlab forest"  # beside which wrong labels are found and counted
TIE = 0.005  # errors closer than this are a tie
NEAR = (TIE, 0.002)
ZERO = 0.005  # an interval that begins below this reaches down to 0
BASES = ("forest", "CatBoost")  # contenders whose times are the measure of time
AREAS = {  # groups of data sets that are looked at together
    "reporting": [one for one in GROUPS if one.startswith("reporting")],
    **{one: [one] for one in GROUPS},
}


def as_frame(results):
    """A row per cell, from settings with their records by trial; ``column`` is kind and level."""
    rows = [
        {**setting, "trial": trial, **record}
        for setting, records in results
        for trial, record in records
    ]
    cells = pd.DataFrame(rows).reindex(columns=[*SETTING, *QUANTITIES])
    cells["group"] = cells["data"].map(GROUP)
    cells["column"] = [column(*pair) for pair in zip(cells["noise"], cells["level"], strict=True)]
    low, high, true = (cells[one].astype(float) for one in ("low", "high", "true_rate"))
    held = (low <= true) & (true <= high) | (true == 0) & (low <= ZERO)
    cells["covered"] = held.astype(float).where(low.notna())
    return cells


def column(noise, level):
    if noise == "symmetric":
        return f"{level:.0%}"
    return f"{noise}, clean" if noise == "imbalanced" and level == 0 else noise


COLUMNS = [column(*one) for one in NOISES]
CLEAN = [column("symmetric", 0.0), column("imbalanced", 0.0)]


def wide(cells, quantity):
    """One column per contender; rows are kinds of noise and data sets, means over the seeds.

    The rows are those of nacre, or of whoever has most. A contender has a value where it has all
    seeds of such a row: other seeds would not compare.
    """
    table, base = by_seed(cells, quantity)
    if table.empty:
        return pd.DataFrame(index=pd.MultiIndex.from_arrays([[], []], names=["column", "data"]))
    groups = table[table[base].notna()].groupby(["column", "data"])
    means = groups.mean().where(groups.count().eq(groups.size(), axis=0))
    order = [one for one in COLUMNS if one in means.index]
    return pd.concat([means.loc[[one]] for one in order])


def by_seed(cells, quantity):
    """One column per contender, a row per seed; and nacre's name, or of whoever has most."""
    found = cells.dropna(subset=[quantity])
    names = list(dict.fromkeys(found["contender"]))
    table = found.assign(**{quantity: found[quantity].astype(float)}).pivot(
        index=["column", "data", "trial"], columns="contender", values=quantity
    )[names]
    return table, OURS if OURS in names or not names else table.count().idxmax()


def by_column(table):
    """Means over the data sets, contenders down, kinds of noise across; NaN where sets lack."""
    groups = table.groupby("column", sort=False)
    return groups.mean().where(groups.count().eq(groups.size(), axis=0)).T


def best_peer(means):
    """The peer of least mean; of all contenders where no peer is among them."""
    there = means.dropna()
    peers = [name for name in there.index if name in PEERS]
    rest = [name for name in there.index if name != LIMIT]
    return there[peers or rest].idxmin()


@dataclass(frozen=True, eq=False)
class Kind:
    """The errors under one kind of noise: data sets down, contenders across."""

    errors: pd.DataFrame
    name: str = OURS

    @property
    def ours(self):
        return self.errors[self.name]

    @property
    def best(self):
        """The peer of least mean error, of those that have all data sets."""
        return best_peer(self.errors.mean(skipna=False))

    @property
    def gaps(self):
        """To that peer, by data set: above 0 where it is better."""
        return self.ours - self.errors[self.best]

    @property
    def gaps_to_any(self):
        """To the peer that does best on the very data set, which nobody could know beforehand."""
        peers = [name for name in self.errors if name in PEERS]
        return self.ours - self.errors[peers].min(axis=1)

    @property
    def ratio(self):
        return self.ours.mean() / self.errors[self.best].mean()

    @property
    def ratios_on_parts(self):
        """By peers that lack some sets, but not most: number of sets and the ratio on these."""
        there = {name: self.errors[name].dropna() for name in self.errors if name in PEERS}
        return {
            name: (len(some), self.ours[some.index].mean() / some.mean())
            for name, some in there.items()
            if len(self.ours) / 2 <= len(some) < len(self.ours)
        }


def kinds(cells, name=OURS):
    """The kinds of noise by name, as far as peers and the contender of this name have them."""
    errors = wide(cells, "error")
    if name not in errors or not any(one in PEERS for one in errors):
        return {}
    found = {one: errors.loc[one] for one in errors.index.unique("column")}
    return {
        one: Kind(some, name)
        for one, some in found.items()
        if some[name].notna().all()
        and any(some[peer].notna().all() for peer in some if peer in PEERS)
    }


def tables(cells):
    """Title, head and rows of every table, the groups of data sets apart."""
    for area, groups in AREAS.items():
        some = cells[cells["group"].isin(groups)]
        errors = wide(some, "error")
        if errors.empty or (len(groups) > 1 and some["group"].nunique() < 2):
            continue
        seeds = some["trial"].nunique()
        about = f"{area} ({len(errors.index.unique('data'))} sets, {seeds} seeds)"
        yield error_table(about, errors)
        yield from part_table(about, some)
        yield ratio_table(about, by_column(errors))
        if len(groups) == 1 and area.startswith("reporting"):
            continue  # the rest is shown for both groups together
        for name in OURS, f"{OURS} fast":
            yield from kind_tables(about, kinds(some, name), name)
        for quantity in list(LOSSES)[1:]:
            yield from mean_table(about, some, quantity)
        yield summary_table(about, some, errors)
        yield from detection_tables(about, some)
        yield from clean_tables(about, some)
        yield from coverage_tables(about, some)
        yield from queue_tables(about, some)


def error_table(about, errors):
    """Mean error, and the standard error of the difference to the best peer of the column."""
    means = by_column(errors)
    body = {name: [name] for name in means.index}
    for one in means.columns:
        rows, best = errors.loc[one], best_peer(means[one])
        doubt = rows.sub(rows[best], axis=0).sem()
        for name, mean in means[one].items():
            mark = "*" if name == best else f"+-{100 * doubt[name]:.1f}" if len(rows) > 1 else ""
            body[name].append("-" if np.isnan(mean) else f"{100 * mean:.1f} {mark:>5}")
    body["sets"] = ["sets", *(f"{len(errors.loc[one])}      " for one in means.columns)]
    title = f"Error in percent, {about}; +- of the difference to the best peer (*)"
    return title, ["contender", *means.columns], list(body.values())


def part_table(about, cells):
    """Contenders that lack some cells, beside nacre on those that they have."""
    table, base = by_seed(cells, "error")
    table = table[table[base].notna()]
    columns = [one for one in COLUMNS if one in table.index.unique("column")]
    rows = []
    for name in table.columns[table.isna().any()]:
        line = [name]
        for one in columns:
            there = table.loc[one][[name, base]].dropna().groupby("data").mean()
            pair = 100 * there.mean()
            text = f"{pair[name]:.1f} / {pair[base]:.1f} ({len(there)})"
            line.append(text if len(there) else "-")
        rows.append(line)
    if rows:
        title = f"Error in percent of those that lack cells / {base} on theirs (sets), {about}"
        yield title, ["contender", *columns], rows


def ratio_table(about, means):
    """Mean error by that of the best peer of the column."""
    ratios = means / [means[one][best_peer(means[one])] for one in means.columns]
    rows = [[name, *(shown(one, 2) for one in row)] for name, row in ratios.iterrows()]
    return f"Error by the best peer's, {about}", ["contender", *means.columns], rows


def shown(value, digits):
    return "-" if np.isnan(value) else f"{value:.{digits}f}"


def kind_tables(about, found, name):
    """One contender of nacre's beside the best peer, a line per kind of noise."""
    rows = []
    for one, kind in found.items():
        gaps, any_gaps = kind.gaps, kind.gaps_to_any
        limit = kind.errors[LIMIT].mean() if LIMIT in kind.errors else np.nan
        row = [one, str(len(gaps)), f"{kind.ours.mean():.3f}"]
        row += [f"{kind.errors[kind.best].mean():.3f} {kind.best}", f"{kind.ratio:.2f}"]
        row += [f"{np.mean(some <= near):.0%}" for some in (gaps, any_gaps) for near in NEAR]
        row += [f"{some.max():+.3f} {some.idxmax()}" for some in (gaps, any_gaps)]
        rows.append([*row, shown(limit, 3)])
    if rows:
        head = ["noise", "sets", name, "best peer", "ratio"]
        head += [f"{who} {near:g}" for who in ("within", "of any") for near in NEAR]
        head += ["worst set", "worst to any peer", "limit"]
        yield f"{name} by kind of noise, {about}", head, rows


def mean_table(about, cells, quantity):
    """Means of another loss."""
    table = wide(cells, quantity)
    title, unit, digits = LOSSES[quantity]
    means = unit * by_column(table)
    rows = [[name, *(shown(one, digits) for one in row)] for name, row in means.iterrows()]
    if rows:
        yield f"{title}, {about}", ["contender", *means.columns], rows


def summary_table(about, cells, errors):
    """A line per contender that has all sets: all kinds of noise together."""
    errors = errors.dropna(axis=1)
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
    """How many times as long as another contender, on its sets: the geometric mean."""
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
    rows = []
    for one, gaps in precision_gaps(cells).items():
        lowest = f"{gaps.min():+.3f} {gaps.idxmin()}"
        rows.append(
            [one, str(len(gaps)), f"{gaps.mean():+.3f}", f"{np.mean(gaps > 0):.0%}", lowest]
        )
    if rows:
        title = f"Average precision of {OURS} less that of {CLEANLAB}, {about}"
        yield title, ["noise", "sets", "mean", "above 0", "worst set"], rows
    signed = wide(cells, "rate_error")
    if not signed.empty:
        absolute, bias = by_column(rate_errors(cells)), by_column(signed)
        rows = [
            [name, *(f"{absolute[c][name]:.3f} ({bias[c][name]:+.3f})" for c in bias.columns)]
            for name in bias.index
        ]
        title = f"Wrong labels counted, {about}: absolute error of the rate (and signed)"
        yield title, ["contender", *bias.columns], rows


def precision_gaps(cells):
    """By kind of noise and data set: average precision of nacre less that of cleanlab."""
    found = wide(cells, "detection_precision")
    if OURS not in found or CLEANLAB not in found:
        return {}
    gaps = (found[OURS] - found[CLEANLAB]).dropna()
    return {one: gaps.loc[one] for one in gaps.index.unique("column")}


def rate_errors(cells):
    return wide(cells.assign(off=cells["rate_error"].abs()), "off")


def clean_tables(about, cells):
    """What is said of tables without a wrong label."""
    rows = []
    for one in CLEAN:
        some = cells[(cells["column"] == one) & cells["rate"].notna()]
        for name, own in some.groupby("contender", sort=False):
            row = [one, name, f"{own['rate'].mean():.3f}"]
            row += [shown(reaching_zero(own), 2), f"{share_suspect(own):.3f}"]
            row += [f"{own['rate'].max():.3f} {own.loc[own['rate'].idxmax(), 'data']}"]
            rows.append(row)
    if rows:
        title = f"Right labels only, {about}: what is said; an interval from {ZERO} down reaches 0"
        head = ["noise", "contender", "rate", "interval reaches 0", "suspects", "highest rate"]
        yield title, head, rows


def reaching_zero(cells):
    """The share of intervals that reach down to 0."""
    return (cells["low"].dropna() <= ZERO).mean()


def share_suspect(cells):
    """The share of rows that are suspects, a mean over the cells."""
    return (cells["suspects"] / cells["rows"]).mean()


def coverage_tables(about, cells):
    """How often the interval of the noise rate holds the true one, and how wide it is."""
    some = cells.dropna(subset=["covered"])
    if some.empty:
        return
    some = some.assign(width=some["high"] - some["low"])
    means = some.groupby(["contender", "column"])[["covered", "width"]].mean()
    columns = [one for one in COLUMNS if one in set(some["column"])]
    rows = []
    for name, own in some.groupby("contender", sort=False):
        pairs = [means.loc[name, one] for one in columns if (name, one) in means.index]
        parts = [f"{pair['covered']:.2f} ({pair['width']:.2f})" for pair in pairs]
        rows.append([name, *parts, f"{own['covered'].mean():.3f} ({own['width'].mean():.2f})"])
    title = f"95 % intervals of the noise rate, {about}: share that holds it, or reaches 0 (width)"
    yield title, ["contender", *columns, "all"], rows


def queue_tables(about, cells):
    """What is said and what is true of the first suspects, added up over the cells."""
    rows = []
    for name, own in cells.dropna(subset=["suspects"]).groupby("contender", sort=False):
        for one in [*COLUMNS, "all"]:
            some = own if one == "all" else own[own["column"] == one]
            if some["suspects"].sum() > 0:
                row = [name, one, f"{some['suspects'].sum() / some['rows'].sum():.3f}"]
                for part in PARTS.values():
                    said, true = precision_of(some, part)
                    row.append(f"{said:.2f} / {true:.2f}")
                rows.append(row)
    if rows:
        parts = [f"first {part:.0%}" for part in PARTS]
        title = f"Precision of the queue of suspects, {about}: expected / true"
        yield title, ["contender", "noise", "share of rows", *parts], rows


def precision_of(cells, part):
    """Expected and true precision of a part of the queue."""
    count = cells[part].sum()
    return [cells[f"{part}_{what}"].sum() / count for what in ("expected", "wrong")]


def failures(cells):
    """A line for every contender that gave up somewhere."""
    failed = cells.dropna(subset=["failed"])
    return [
        f"{name} failed on {len(some)} cells ({', '.join(some['data'].unique())}): "
        f"{some['failed'].iloc[0]}"
        for name, some in failed.groupby("contender")
    ]
