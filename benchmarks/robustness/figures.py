"""Figures: error against the noise level, and mean ranks."""

from nacre.papers.plot import BLUE, ORANGE, PALETTE, panels
from robustness.data import GROUPS
from robustness.noise import NOISES
from robustness.report import by_column, column, wide
from robustness.roster import PEERS

LEVELS = [level for kind, level in NOISES if kind == "symmetric"]
FEW = 3  # of nacre's own, the lines shown


def error_curves(cells, figure):
    """Peers, and the few best of nacre's, a panel per group of data sets."""
    shown = []
    for group in GROUPS:
        some = cells[(cells["group"] == group) & (cells["noise"] == "symmetric")]
        table = wide(some, "error")
        if not table.empty:
            shown.append((group, by_column(table).reindex(columns=[*map(symmetric, LEVELS)])))
    for axes, (group, means) in zip(panels(figure, len(shown), 2, 5.0, 4.0), shown, strict=True):
        ours = [name for name in means.mean(axis=1).sort_values().index if name not in PEERS][:FEW]
        theirs = [name for name in means.index if name in PEERS]
        for place, name in enumerate([*ours, *theirs]):
            look = {"lw": 2.2, "marker": "o"} if name in ours else {"ls": "--", "lw": 1.0}
            axes.plot(
                [100 * level for level in LEVELS],
                100 * means.loc[name],
                label=name,
                color=PALETTE[place % len(PALETTE)],
                **look,
            )
        axes.set(title=group, xlabel="labels flipped, %", ylabel="error on right labels, %")
        axes.legend()


def mean_ranks(cells, figure):
    """Contenders by mean rank over sets and kinds of noise, a panel per group of data sets."""
    shown = []
    for group in GROUPS:
        table = wide(cells[cells["group"] == group], "error")
        if not table.empty:
            shown.append((group, table.rank(axis=1).mean().sort_values(ascending=False)))
    height = 1.0 + 0.18 * max(len(ranks) for _, ranks in shown)
    for axes, (group, ranks) in zip(panels(figure, len(shown), 2, 4.5, height), shown, strict=True):
        colors = [ORANGE if name in PEERS else BLUE for name in ranks.index]
        axes.barh(list(ranks.index), ranks, color=colors)
        axes.set(title=group, xlabel="mean rank (1 is best)")
        axes.tick_params(axis="y", labelsize="small")


def symmetric(level):
    return column("symmetric", level)
