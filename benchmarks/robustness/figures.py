"""Figures: error against the noise level, and mean ranks."""

import numpy as np

from nacre.experiments.plot import BLUE, ORANGE, PALETTE, panels
from robustness.data import GROUPS
from robustness.noise import NOISES
from robustness.report import by_column, column, wide
from robustness.roster import PEERS

LEVELS = [level for kind, level in NOISES if kind == "symmetric"]
GREY = "#777777"
FEW = 3  # of nacre's own, the lines shown


def error_curves(cells, figure):
    """Symmetric noise: peers, and the few of nacre's that do best on the sets for tuning."""
    shown = by_group(cells[cells["noise"] == "symmetric"])
    names = few(shown)
    for axes, (group, errors) in zip(panels(figure, len(shown), 2, 5.0, 4.0), shown, strict=True):
        means = by_column(errors).reindex(columns=[column("symmetric", one) for one in LEVELS])
        for place, name in enumerate(names):
            if name not in means.index:  # has run on other sets only
                continue
            look = {"lw": 2.2, "marker": "o"} if name not in PEERS else {"lw": 1.0}
            axes.plot(
                [100 * level for level in LEVELS],
                100 * means.loc[name],
                ("-", "--")[place // len(PALETTE) % 2],
                label=name,
                color=PALETTE[place % len(PALETTE)],
                **look,
            )
        axes.set(title=group, xlabel="labels flipped, %", ylabel="error on right labels, %")
        axes.legend()


def headline(cells, figure):
    """Held-out sets of two classes, symmetric noise: the default classifier among its peers."""
    group = next(iter(GROUPS))
    errors = wide(cells[(cells["group"] == group) & (cells["noise"] == "symmetric")], "error")
    means = 100 * by_column(errors).reindex(columns=[column("symmetric", one) for one in LEVELS])
    (axes,) = panels(figure, 1, 1, 6.4, 3.9)
    levels = [100 * level for level in LEVELS]
    names = ["nacre", *(name for name in means.index if name in PEERS)]
    ends = spaced({name: means.loc[name].iloc[-1] for name in names}, 1.6)
    for name in names:
        look = {"c": BLUE, "lw": 2.6, "zorder": 3} if name == "nacre" else {"c": GREY, "lw": 1.1}
        axes.plot(levels, means.loc[name], marker="o", ms=3, **look)
        weight = "bold" if name == "nacre" else "normal"
        axes.text(41, ends[name], name, color=look["c"], va="center", weight=weight)
    axes.set(xlabel="training labels flipped, %", ylabel="test error, %", ylim=(0, None))
    axes.set_title(f"Mean over {errors.index.unique('data').size} data sets", loc="left")
    axes.set_xticks(levels)


def spaced(places, least):
    """Heights of labels, in their order, moved up so that none is nearer to the next."""
    out, last = {}, -np.inf
    for name in sorted(places, key=places.get):
        out[name] = last = max(places[name], last + least)
    return out


def few(shown):
    """Who is drawn, chosen where held-out sets have no say if there is such a place."""
    errors = dict(shown).get("tuning", shown[0][1])
    order = errors.mean().sort_values().index
    ours = [name for name in order if name not in PEERS]
    ours.sort(key=lambda name: not name.startswith("nacre"))  # the default classifier in any case
    return ours[:FEW] + [name for name in errors if name in PEERS]


def mean_ranks(cells, figure):
    """Contenders by mean rank over sets and kinds of noise."""
    shown = by_group(cells)
    height = 1.0 + 0.18 * max(len(errors.columns) for _, errors in shown)
    for axes, (group, errors) in zip(
        panels(figure, len(shown), 2, 4.5, height), shown, strict=True
    ):
        ranks = errors.rank(axis=1).mean().sort_values(ascending=False)
        colors = [ORANGE if name in PEERS else BLUE for name in ranks.index]
        axes.barh(list(ranks.index), ranks, color=colors)
        axes.set(title=group, xlabel="mean rank (1 is best)")
        axes.tick_params(axis="y", labelsize="small")


def by_group(cells):
    """The groups of data sets that have results, with their errors."""
    errors = [(group, wide(cells[cells["group"] == group], "error")) for group in GROUPS]
    return [(group, table) for group, table in errors if not table.empty]
