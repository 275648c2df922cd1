"""The results as a page of the documentation: tables in Markdown, and one picture."""

import numpy as np

from nacre.experiments.plot import save
from nacre.papers.page import markdown
from robustness.data import GROUPS
from robustness.figures import headline
from robustness.goals import free_table, goal_table
from robustness.report import (
    AREAS,
    LOSSES,
    OURS,
    TIE,
    by_column,
    clean_tables,
    coverage_tables,
    detection_tables,
    kind_tables,
    kinds,
    part_table,
    queue_tables,
    wide,
)
from robustness.roster import LIMIT

HEAD = """\
Means over data sets that played no part in the design of the defaults: at most 700 training rows
whose labels are partly wrong, up to 2000 test rows with right labels, {seeds}, everyone at
their defaults and on one thread. `make bench-robust` measures all this;
`PYTHONPATH=benchmarks python -m robustness --report-only --page docs/explain` writes this page.

{noises}

CatBoost was measured where a fit takes seconds (on
tables of two or three classes without many columns of categories or text) and under real noise; it
is compared on its own sets. The picture is of the sets that all have. The detectors of `mislabeled`
(Orange) are not here: there was no package of it to install.
"""
BEST = """\
*limit* is no peer: the mean of a forest, LightGBM and logistic regression, fitted to the **true**
labels: what could be had by knowing the truth.
"""
NOISES = {
    "0%, 20%, 40%": "so many flipped to any other class",
    "by class": "of two classes 30 % of one and 5 % of the other; of more, 5 to 35 % of each, to "
    "one other class",
    "boundary": "20 %, the more the nearer to the boundary of a support vector machine",
    "along the columns": "25 %: the chance grows from 0 to 1/2 with the row's rank along a random "
    "direction of the columns",
    "imbalanced": "the rarer of two classes thinned out to a tenth of training and test rows, then "
    "10 % of each class flipped; *clean*: none",
    "real": "as they were really given, by people or by programs; the truth is known from "
    "elsewhere",
}
MEANS = {"error": min, "balanced_error": min, "auc": max, "log_loss": min}


def write_page(cells, folder):
    """Write robustness.md and robustness.png."""
    some = cells[cells["group"].isin(AREAS["reporting"])]
    save(headline, some, folder / "robustness.png", 110)
    noises = markdown([{"column": one, "labels of training rows": NOISES[one]} for one in NOISES])
    seeds = some["trial"].nunique()
    parts = [HEAD.format(seeds=f"{seeds} seed{'s' * (seeds > 1)}", noises=noises)]
    if LIMIT in set(some["contender"]):
        parts.append(BEST)
    for group in GROUPS:
        if sets := named(some, group):
            parts += [f"### {group[0].upper()}{group[1:]}", f"{', '.join(sets)}."]
    parts.append("### Goals and what was reached")
    parts += as_markdown([*goal_table(some), *free_table(some)])
    parts.append("### By kind of noise")
    parts += as_markdown(kind_tables("errors as shares", kinds(some), OURS))
    for quantity, best in MEANS.items():
        title, unit, digits = LOSSES[quantity]
        parts.append(f"{title}:")
        parts.append(markdown(rows_of(unit * by_column(wide(some, quantity)), digits, best)))
        if quantity == "error":
            parts += as_markdown(part_table("reporting sets", some))
    parts.append("### Wrong labels found and counted")
    for made in (detection_tables, clean_tables, coverage_tables, queue_tables):
        parts += as_markdown(made("reporting sets", some))
    parts.append("### Every table")
    parts += every_table(some)
    (folder / "robustness.md").write_text("\n\n".join(map(str.strip, parts)) + "\n", "utf-8")


def named(cells, group):
    """The data sets of a group that were measured."""
    there = set(cells["data"])
    return [name for name in GROUPS[group] if name in there]


def as_markdown(tables):
    """Titles and tables, one after the other."""
    for title, head, rows in tables:
        yield f"{title}:"
        yield markdown([dict(zip(head, row, strict=True)) for row in rows])


def rows_of(means, digits, best):
    """Contenders, the best on average first; in each column the best is bold, the limit apart."""
    means = means.dropna(how="all")
    order = means.mean(axis=1).sort_values(ascending=best is min).index
    ranked = means.drop(LIMIT, errors="ignore").round(digits)
    tops = ranked.agg(best)
    names = [*(name for name in order if name != LIMIT), *(name for name in order if name == LIMIT)]
    return [
        {"": name}
        | {one: marked(name, value, tops[one], digits) for one, value in means.loc[name].items()}
        for name in names
    ]


def marked(name, value, top, digits):
    if np.isnan(value):
        return "-"
    text = f"{value:.{digits}f}"
    return f"**{text}**" if name != LIMIT and np.isclose(round(value, digits), top) else text


def every_table(cells):
    """A line per data set: nacre's error beside that of the peer that does best on it."""
    found = kinds(cells)
    if not found:
        return
    yield (
        f"Error in percent of {OURS} / of the peer that does best on this very table; bold where "
        f"{OURS} is more than {100 * TIE:g} points behind it:"
    )
    rows = []
    for data in dict.fromkeys(cells["data"]):
        row = {"": data}
        for noise, kind in found.items():
            row[noise] = ""
            if data in kind.ours:
                mine, gap = kind.ours[data], kind.gaps_to_any[data]
                text = f"{100 * mine:.1f} / {100 * (mine - gap):.1f}"
                row[noise] = f"**{text}**" if gap > TIE else text
        rows.append(row)
    yield markdown(rows)
