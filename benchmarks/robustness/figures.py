"""Figures: error against the noise level and by kind of noise, and mean ranks."""

import numpy as np
from sklearn.isotonic import isotonic_regression

from nacre.experiments.plot import BLUE, ORANGE, PALETTE, panels
from robustness.data import GROUPS
from robustness.noise import NOISES
from robustness.report import AREAS, CLEAN, OURS, by_column, column, wide
from robustness.roster import LIMIT, PEERS

LEVELS = {column(kind, level): 100 * level for kind, level in NOISES if kind == "symmetric"}
GREY = "#777777"
FEW = 3  # of nacre's own, the lines shown


def error_curves(cells, figure):
    """Symmetric noise: peers, and the few of nacre's that do best on the sets for tuning."""
    shown = by_group(cells[cells["noise"] == "symmetric"])
    names = few(shown)
    for axes, (group, errors) in zip(panels(figure, len(shown), 2, 5.0, 4.0), shown, strict=True):
        means = by_column(errors)
        for place, name in enumerate(names):
            if name not in means.index:  # has run on other sets only
                continue
            look = {"lw": 2.2, "marker": "o"} if name not in PEERS else {"lw": 1.0}
            axes.plot(
                [LEVELS[one] for one in means],
                100 * means.loc[name],
                ("-", "--")[place // len(PALETTE) % 2],
                label=name,
                color=PALETTE[place % len(PALETTE)],
                **look,
            )
        axes.set(title=group, xlabel="labels flipped, %", ylabel="error on right labels, %")
        axes.legend()


def headline(cells, figure):
    """The reporting sets that all have: the default classifier among its peers."""
    errors = wide(cells[cells["group"].isin(AREAS["reporting"])], "error")
    there = errors.notna().mean()  # who lacks most would leave little to draw
    names = [name for name in errors if name == OURS or (name in PEERS and there[name] >= 0.5)]
    errors = errors.dropna(subset=names)
    means = 100 * by_column(errors)
    coin = [one for one in means if one in LEVELS]
    left, right = panels(figure, 2, 2, 5.2, 3.9)
    curves(left, means[coin].loc[names])
    left.set_title(f"Mean over {errors.loc[coin].index.unique('data').size} data sets", loc="left")
    kinds = [one for one in means if one not in LEVELS and one not in CLEAN]
    dots(right, means[kinds], [name for name in names if name != OURS])
    words = {"along the columns": "along the\ncolumns"}
    right.set_xticklabels(f"{words.get(one, one)}\n({len(errors.loc[one])} sets)" for one in kinds)


def curves(axes, means):
    """Symmetric noise: a line per contender, its name at the end."""
    levels = [LEVELS[one] for one in means]
    ends = spaced({name: means.loc[name].iloc[-1] for name in means.index}, 1.7)
    for name in means.index:
        look = {"c": BLUE, "lw": 2.6, "zorder": 3} if name == OURS else {"c": GREY, "lw": 1.1}
        axes.plot(levels, means.loc[name], marker="o", ms=3, **look)
        text = {"weight": "bold"} if name == OURS else {"fontsize": "small"}
        axes.text(levels[-1] + 1, ends[name], name, color=look["c"], va="center", **text)
    axes.set(xlabel="training labels flipped, %", ylabel="test error, %", ylim=(0, None))
    axes.set_xticks(levels)


def dots(axes, means, peers):
    """Other noise: a dot per contender, and what knowing the truth would give."""
    for place, one in enumerate(means):
        axes.plot([place] * len(peers), means[one][peers], "o", c=GREY, ms=4, alpha=0.7)
        if LIMIT in means.index:
            axes.plot(place, means[one][LIMIT], "_", c=ORANGE, ms=16, mew=2)
        axes.plot(place, means[one].get(OURS, np.nan), "o", c=BLUE, ms=8)
    looks = [("o", BLUE, OURS), ("o", GREY, "peers"), ("_", ORANGE, LIMIT)]
    for look, color, label in looks if LIMIT in means.index else looks[:2]:
        axes.plot([], [], look, c=color, label=label)
    axes.set_xticks(range(means.shape[1]))
    axes.set(ylabel="test error, %", ylim=(0, None), xlim=(-0.5, means.shape[1] - 0.5))
    axes.set_title("Other kinds of noise", loc="left")
    axes.legend()


def spaced(places, least):
    """Heights of labels, in their order, moved as little as keeps each so far from the next."""
    names = sorted(places, key=places.get)
    steps = least * np.arange(len(names))
    moved = isotonic_regression([places[name] for name in names] - steps)
    return dict(zip(names, moved + steps, strict=True))


def few(shown):
    """Who is drawn, chosen where reporting sets have no say if there is such a place."""
    errors = dict(shown).get("tuning", shown[0][1])
    order = errors.mean().sort_values().index
    ours = [name for name in order if name not in PEERS and name != LIMIT]
    ours.sort(key=lambda name: not name.startswith(OURS))  # the default classifier in any case
    return ours[:FEW] + [name for name in errors if name in PEERS]


def mean_ranks(cells, figure):
    """Contenders by mean rank over sets and kinds of noise, of those that have all sets."""
    shown = by_group(cells)
    height = 1.0 + 0.18 * max(len(errors.columns) for _, errors in shown)
    for axes, (group, errors) in zip(
        panels(figure, len(shown), 2, 4.5, height), shown, strict=True
    ):
        whole = errors.dropna(axis=1).drop(columns=LIMIT, errors="ignore")
        ranks = whole.rank(axis=1).mean().sort_values(ascending=False)
        colors = [ORANGE if name in PEERS else BLUE for name in ranks.index]
        axes.barh(list(ranks.index), ranks, color=colors)
        axes.set(title=group, xlabel="mean rank (1 is best)")
        axes.tick_params(axis="y", labelsize="small")


def by_group(cells):
    """The groups of data sets that have results, with their errors."""
    errors = [(group, wide(cells[cells["group"] == group], "error")) for group in GROUPS]
    return [(group, table) for group, table in errors if not table.empty]
